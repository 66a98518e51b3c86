/* All kernels for avx512. */
#include "pairs/kernels.h"

#if defined(__x86_64__) && defined(__GNUC__)

#define ISA avx512
#define PCF_SINGLE 0
#include "base/simd-avx512.h"
#define PCF_PAIRS 0
#include "functions/sort-template.h"
#define PCF_PAIRS 1
#include "functions/bars-template.h"
#include "functions/sort-template.h"
#include "pairs/tile-template.h"
#define PCF_SINGLE 1
#include "base/simd-avx512.h"
#include "pairs/tile-template.h"

static int supported(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f");
}

const struct pcf_kernels pcf_kernels_avx512 = {
  .name = "avx512",
  .supported = supported,
  .sweep = {pcf_sweep_avx512_double, pcf_sweep_avx512_single},
  .grid = {pcf_grid_avx512_double, pcf_grid_avx512_single},
  .plain_bars = pcf_plain_bars_avx512,
  .sort_keys = pcf_sort_keys_avx512,
  .sort_pairs = pcf_sort_pairs_avx512,
  .most_keys = 65536,
  .most_pairs = 2048,
};

#endif
