/* The vector operations with one lane, in plain C: for processors without a header of
 * their own, and as the simplest reading of the kernels.
 * Included once per precision, before a kernel template; see kernels.h. */
#include "base/bits.h"

#include <math.h>

#ifndef PCF_BYTES_APART
#define PCF_BYTES_APART
/* Byte by byte a - b, or 0 where b is more. */
static inline uint64_t pcf_bytes_less(uint64_t a, uint64_t b) {
  uint64_t less = 0;
  for (int k = 0; k < 64; k += 8) {
    uint64_t own = a >> k & 255, other = b >> k & 255;
    if (own > other) less |= (own - other) << k;
  }
  return less;
}

static inline uint64_t pcf_bytes_apart(uint64_t a, uint64_t b) {
  uint64_t apart = pcf_bytes_less(a, b) | pcf_bytes_less(b, a), sum = 0;
  for (int k = 0; k < 64; k += 8) sum += apart >> k & 255;
  return sum;
}
#endif

#define TARGET
#define FUSED 0
#define LANES 1

#if PCF_SINGLE
#define V float
#define v_abs(a) fabsf(a)
#define v_sqrt(a) sqrtf(a)
#define v_bits(n) pcf_single_of(n)
#define v_bits_of(a) pcf_bits_of_single(a)
#else
#define V double
#define v_abs(a) fabs(a)
#define v_sqrt(a) sqrt(a)
#define v_bits(n) pcf_double_of(n)
#define v_bits_of(a) pcf_bits_of_double(a)
#endif
/* Words of eight bytes, and sums of the differences of bytes. */
#define B uint64_t
#define B_SUM uint64_t
#define B_WORDS 1
#define b_load(p) ((uint64_t) * (p))
#define b_set1(word) ((uint64_t)(word))
#define b_or(a, b) ((a) | (b))
#define b_less(a, b) pcf_bytes_less(a, b)
#define b_no_sum() 0
#define b_add_apart(sum, a, b) ((sum) + pcf_bytes_apart(a, b))
#define b_greater(sum, than) (((than) - (sum)) >> 63)

#define v_load(p) (*(p))
#define v_store(p, a) (*(p) = (a))
#define v_set1(x) (x)
#define v_add(a, b) ((a) + (b))
#define v_sub(a, b) ((a) - (b))
#define v_mul(a, b) ((a) * (b))
#define v_div(a, b) ((a) / (b))
#define v_fma(a, b, c) ((a) * (b) + (c))
#define v_max(a, b) ((a) > (b) ? (a) : (b))
#define v_min(a, b) ((a) < (b) ? (a) : (b))
#define v_where_greater(w, than, a) ((w) > (than) ? (a) : 0)
#define v_and(a, b) v_bits(v_bits_of(a) & v_bits_of(b))
#define v_or(a, b) v_bits(v_bits_of(a) | v_bits_of(b))
#define v_add_bits(a, b) v_bits(v_bits_of(a) + v_bits_of(b))
#define v_left(a, n) v_bits(v_bits_of(a) << (n))
#define v_right(a, n) v_bits(v_bits_of(a) >> (n))
#define v_even(a, b, d) (a)
#define v_odd(a, b, d) (b)
#define v_add_to_doubles(p, a) (*(p) += (a))
#define MASK int
#define v_greater(a, b) ((a) > (b))
#define v_select(m, a, b) ((m) ? (a) : (b))
