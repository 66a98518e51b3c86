/* The vector code of all rooms for the instruction set ISA, whose vector operations are in
 * SIMD. MOST_KEYS, measured, is what sort_keys() sorts faster than pcf_sort_steps(). Code that
 * gains nothing from wider vectors is that of NARROW_ISA, where there is one; otherwise
 * UNFUSED_TARGET, where there is one, is the set without fused multiply-adds. */
#include "arrays/sorting.h"
#include "depth/settling.h"
#include "kernels/kernels.h"
#include "products/product-l1.h"
#include "pruning/gaps.h"

#define PCF_SINGLE 0
#include SIMD
#include "kernels/spikes-template.h"

#define PCF_SINGLE 0
#include SIMD
#include "kernels/tile-template.h"
#define PCF_SINGLE 1
#include SIMD
#include "kernels/tile-template.h"

#define PCF_SINGLE 0
#include SIMD
#include "sinks/products-template.h"

#define PCF_SINGLE 0
#include SIMD
#include "arrays/sort-template.h"

#define PCF_SINGLE 0
#include SIMD
#include "diagrams/bars-template.h"

#define PCF_SINGLE 1
#include SIMD
#include "pruning/gaps-template.h"

#ifndef NARROW_ISA
#define NARROW_ISA ISA
#define PCF_SINGLE 0
#include SIMD
#ifdef UNFUSED_TARGET
#undef TARGET
#define TARGET UNFUSED_TARGET
#endif
#include "depth/settling-template.h"
#include "products/product-l1-template.h"
#endif

#define BOTH(what, isa) \
  { pcf_##what##_##isa##_double, pcf_##what##_##isa##_single }
#define SWEEPS_OF_LINES(isa) \
  { pcf_sweep_##isa##_double_lines, pcf_sweep_##isa##_single_lines }

#define CODE(isa, narrow) CODE_2(isa, narrow)
#define CODE_2(isa, narrow)                                                            \
  extern pcf_listed_kernel pcf_listed_##narrow##_double, pcf_listed_##narrow##_single; \
  const struct pcf_kernels pcf_kernels_##isa = {                                       \
    .sweep = {BOTH(sweep, isa), SWEEPS_OF_LINES(isa)},                                 \
    .spikes = pcf_spikes_##isa,                                                        \
    .grid = BOTH(grid, isa),                                                           \
    .listed = BOTH(listed, narrow),                                                    \
    .power = BOTH(power, isa),                                                         \
    .power_by_table = BOTH(power_by_table, isa),                                       \
    .means = pcf_means_##isa##_double,                                                 \
    .products = pcf_products_##isa,                                                    \
    .l1_passes = &pcf_l1_passes_##narrow,                                              \
    .settling = &pcf_settling_##narrow,                                                \
  };                                                                                   \
  const struct pcf_sorters pcf_sorters_##isa = {plain_bars, sort_keys, MOST_KEYS};     \
  const struct pcf_gaps pcf_gaps_##isa = {gap_of_boxes, gap_of_points, gap_near_box,   \
                                          gap_near_point}

CODE(ISA, NARROW_ISA);
