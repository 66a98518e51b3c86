/* The table of sorting kernels for the instruction set ISA, whose vector operations are in
 * SIMD. MOST_KEYS and MOST_PAIRS, measured, are what they sort faster than pcf_sort_steps(). */
#include "functions/sorting.h"

#define PCF_SINGLE 0
#include SIMD
#define PCF_PAIRS 0
#include "functions/sort-template.h"
#define PCF_PAIRS 1
#include "functions/bars-template.h"
#include "functions/sort-template.h"

#define TABLE(isa) TABLE_2(isa)
#define TABLE_2(isa)                             \
  const struct pcf_sorters pcf_sorters_##isa = { \
    .plain_bars = pcf_plain_bars_##isa,          \
    .sort_keys = pcf_sort_keys_##isa,            \
    .sort_pairs = pcf_sort_pairs_##isa,          \
    .most_keys = MOST_KEYS,                      \
    .most_pairs = MOST_PAIRS,                    \
  }

TABLE(ISA);
