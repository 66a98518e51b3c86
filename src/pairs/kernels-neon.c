/* All kernels for neon. */
#include "pairs/kernels.h"

#if defined(__aarch64__) && defined(__GNUC__)

#define ISA neon
#define PCF_SINGLE 0
#include "base/simd-neon.h"
#define PCF_PAIRS 0
#include "functions/sort-template.h"
#define PCF_PAIRS 1
#include "functions/bars-template.h"
#include "functions/sort-template.h"
#include "pairs/tile-template.h"
#define PCF_SINGLE 1
#include "base/simd-neon.h"
#include "pairs/tile-template.h"

static int supported(void) {
  return 1;
}

const struct pcf_kernels pcf_kernels_neon = {
  .name = "neon",
  .supported = supported,
  .sweep = {pcf_sweep_neon_double, pcf_sweep_neon_single},
  .grid = {pcf_grid_neon_double, pcf_grid_neon_single},
  .plain_bars = pcf_plain_bars_neon,
  .sort_keys = pcf_sort_keys_neon,
  .sort_pairs = pcf_sort_pairs_neon,
  .most_keys = 8192,
  .most_pairs = 64,
};

#endif
