/* All kernels for scalar. */
#include "pairs/kernels.h"

#define ISA scalar
#define PCF_SINGLE 0
#include "base/simd-scalar.h"
#define PCF_PAIRS 0
#include "functions/sort-template.h"
#define PCF_PAIRS 1
#include "functions/bars-template.h"
#include "functions/sort-template.h"
#include "pairs/tile-template.h"
#define PCF_SINGLE 1
#include "base/simd-scalar.h"
#include "pairs/tile-template.h"

static int supported(void) {
  return 1;
}

const struct pcf_kernels pcf_kernels_scalar = {
  .name = "scalar",
  .supported = supported,
  .sweep = {pcf_sweep_scalar_double, pcf_sweep_scalar_single},
  .grid = {pcf_grid_scalar_double, pcf_grid_scalar_single},
  .plain_bars = pcf_plain_bars_scalar,
  .sort_keys = pcf_sort_keys_scalar,
  .sort_pairs = pcf_sort_pairs_scalar,
  .most_keys = 1024,
  .most_pairs = 64,
};
