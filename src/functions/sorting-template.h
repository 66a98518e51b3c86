/* The table of sorting kernels for the instruction set ISA, whose vector operations are in
 * SIMD. MOST_KEYS, measured, is what it sorts faster than pcf_sort_steps(). */
#include "functions/sorting.h"

#include <math.h>

#define PCF_SINGLE 0
#include SIMD

#define INLINE static inline __attribute__((always_inline))
#define NAME(x, isa) pcf_##x##_##isa
#define PLAIN_BARS(isa) NAME(plain_bars, isa)
#define SORT_KEYS(isa) NAME(sort_keys, isa)
#define TABLE(isa) NAME(sorters, isa)

#include "functions/bars-template.h"
#include "functions/sort-template.h"

const struct pcf_sorters TABLE(ISA) = {
  .plain_bars = PLAIN_BARS(ISA),
  .sort_keys = SORT_KEYS(ISA),
  .most_keys = MOST_KEYS,
};
