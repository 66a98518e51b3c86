/* All kernels for avx2. */
#include "pairs/kernels.h"

#if defined(__x86_64__) && defined(__GNUC__)

#define ISA avx2
#define PCF_SINGLE 0
#include "base/simd-avx2.h"
#define PCF_PAIRS 0
#include "functions/sort-template.h"
#define PCF_PAIRS 1
#include "functions/bars-template.h"
#include "functions/sort-template.h"
#include "pairs/tile-template.h"
#define PCF_SINGLE 1
#include "base/simd-avx2.h"
#include "pairs/tile-template.h"

static int supported(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

const struct pcf_kernels pcf_kernels_avx2 = {
  .name = "avx2",
  .supported = supported,
  .sweep = {pcf_sweep_avx2_double, pcf_sweep_avx2_single},
  .grid = {pcf_grid_avx2_double, pcf_grid_avx2_single},
  .plain_bars = pcf_plain_bars_avx2,
  .sort_keys = pcf_sort_keys_avx2,
  .sort_pairs = pcf_sort_pairs_avx2,
  .most_keys = 65536,
  .most_pairs = 2048,
};

#endif
