/* All kernels for sse2. */
#include "pairs/kernels.h"

#if defined(__x86_64__) && defined(__GNUC__)

#define ISA sse2
#define PCF_SINGLE 0
#include "base/simd-sse2.h"
#define PCF_PAIRS 0
#include "functions/sort-template.h"
#define PCF_PAIRS 1
#include "functions/bars-template.h"
#include "functions/sort-template.h"
#include "pairs/tile-template.h"
#define PCF_SINGLE 1
#include "base/simd-sse2.h"
#include "pairs/tile-template.h"

static int supported(void) {
  return 1;
}

const struct pcf_kernels pcf_kernels_sse2 = {
  .name = "sse2",
  .supported = supported,
  .sweep = {pcf_sweep_sse2_double, pcf_sweep_sse2_single},
  .grid = {pcf_grid_sse2_double, pcf_grid_sse2_single},
  .plain_bars = pcf_plain_bars_sse2,
  .sort_keys = pcf_sort_keys_sse2,
  .sort_pairs = pcf_sort_pairs_sse2,
  .most_keys = 8192,
  .most_pairs = 64,
};

#endif
