/* The table of tile kernels for the instruction set ISA, whose vector operations are in SIMD.
 */
#include "pairs/kernels.h"

#define PCF_SINGLE 0
#include SIMD
#include "pairs/tile-template.h"
#define PCF_SINGLE 1
#include SIMD
#include "pairs/tile-template.h"

#include "pairs/products-template.h"

#define PCF_SINGLE 0
#include SIMD
#include "pairs/lengths-template.h"
#define PCF_SINGLE 1
#include SIMD
#include "pairs/lengths-template.h"

#define TABLE(isa) TABLE_2(isa)
#define TABLE_2(isa)                                                                          \
  const struct pcf_kernels pcf_kernels_##isa = {                                              \
    .sweep = {pcf_sweep_##isa##_double, pcf_sweep_##isa##_single},                            \
    .grid = {pcf_grid_##isa##_double, pcf_grid_##isa##_single},                               \
    .some = {pcf_some_##isa##_double, pcf_some_##isa##_single},                               \
    .separate = {pcf_separate_##isa##_double, pcf_separate_##isa##_single},                   \
    .power = {pcf_power_##isa##_double, pcf_power_##isa##_single},                            \
    .power_by_table = {pcf_power_by_table_##isa##_double, pcf_power_by_table_##isa##_single}, \
    .products = pcf_products_##isa,                                                           \
    .add_elapsed = {pcf_add_elapsed_##isa##_double, pcf_add_elapsed_##isa##_single},          \
    .add_cells = {pcf_add_cells_##isa##_double, pcf_add_cells_##isa##_single},                \
    .to_scalars = {pcf_to_scalars_##isa##_double, pcf_to_scalars_##isa##_single},             \
    .divide = pcf_divide_##isa##_double,                                                      \
  }

TABLE(ISA);
