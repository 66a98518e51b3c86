/* Reading the bars of persistence diagrams, on the vector operations of the simd-*.h header
 * that was included before in double precision. Defines plain_bars(); leaves the
 * vector operations as they are. */
#include "base/hints.h"

#include <math.h>

/* Are all lanes of `least` positive, and none of `zero`, sums of x - x, NaN? */
INLINE TARGET int all_positive(V least, V zero) {
  double smallest[LANES], zeros[LANES];
  int positive = 1;
  v_store(smallest, least);
  v_store(zeros, zero);
  for (int lane = 0; lane < LANES; lane++) {
    positive &= (smallest[lane] > 0) & (zeros[lane] == 0);
  }
  return positive;
}

/* Reads whole vectors, block by block, so that a bar that is not plain costs one block. A bar
 * is plain if its length is positive and finite. */
static TARGET int64_t plain_bars(const struct pcf_bars *x) {
  const V zero = v_set1(0.0), half = v_set1(0.5);
  for (int64_t first = 0, k = 0;; first = k) {
    int64_t last =
      first + PCF_BARS_PER_BLOCK < x->count ? first + PCF_BARS_PER_BLOCK : x->count;
    V least = v_set1(INFINITY), nan = zero;
    for (; k + LANES <= last; k += LANES) {
      V birth = v_add(v_load(x->birth + k), zero), death = v_add(v_load(x->death + k), zero);
      V length = v_sub(death, birth);
      least = v_min(length, least);
      nan = v_add(nan, v_sub(length, length));
      if (x->to_birth) v_store(x->to_birth + k, birth);
      if (x->to_death) v_store(x->to_death + k, death);
      if (x->to_length) v_store(x->to_length + k, length);
      if (x->to_middle) {
        v_store(x->to_middle + k, v_add(v_mul(birth, half), v_mul(death, half)));
      }
    }
    if (k == first || !all_positive(least, nan)) return first;
  }
}

#undef PCF_SINGLE
#include "arithmetic/simd-end.h"
