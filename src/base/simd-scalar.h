/* The vector operations with one lane, in plain C: for processors without a header of
 * their own, and as the simplest reading of the kernels.
 * Included once per precision, before a kernel template; see kernels.h. */
#include <math.h>
#include <stdint.h>

#ifndef PCF_BITS_OF_SCALARS
#define PCF_BITS_OF_SCALARS
union pcf_bits_double {
  double number;
  uint64_t bits;
};
union pcf_bits_single {
  float number;
  uint32_t bits;
};
#define PCF_DOUBLE_OF(n) ((union pcf_bits_double){.bits = (n)}.number)
#define PCF_SINGLE_OF(n) ((union pcf_bits_single){.bits = (n)}.number)
#define PCF_BITS_OF_DOUBLE(a) ((union pcf_bits_double){.number = (a)}.bits)
#define PCF_BITS_OF_SINGLE(a) ((union pcf_bits_single){.number = (a)}.bits)
#endif

#define TARGET
#define FUSED 0
#define LANES 1

#if PCF_SINGLE
#define V float
#define v_abs(a) fabsf(a)
#define v_sqrt(a) sqrtf(a)
#define v_bits(n) PCF_SINGLE_OF(n)
#define v_bits_of(a) PCF_BITS_OF_SINGLE(a)
#else
#define V double
#define v_abs(a) fabs(a)
#define v_sqrt(a) sqrt(a)
#define v_bits(n) PCF_DOUBLE_OF(n)
#define v_bits_of(a) PCF_BITS_OF_DOUBLE(a)
#endif
#define v_load(p) (*(p))
#define v_store(p, a) (*(p) = (a))
#define v_set1(x) (x)
#define v_add(a, b) ((a) + (b))
#define v_sub(a, b) ((a) - (b))
#define v_mul(a, b) ((a) * (b))
#define v_div(a, b) ((a) / (b))
#define v_fma(a, b, c) ((a) * (b) + (c))
#define v_max(a, b) ((a) > (b) ? (a) : (b))
#define v_where_positive(w, a) ((w) > 0 ? (a) : 0)
#define v_and(a, b) v_bits(v_bits_of(a) & v_bits_of(b))
#define v_or(a, b) v_bits(v_bits_of(a) | v_bits_of(b))
#define v_add_bits(a, b) v_bits(v_bits_of(a) + v_bits_of(b))
#define v_left(a, n) v_bits(v_bits_of(a) << (n))
#define v_right(a, n) v_bits(v_bits_of(a) >> (n))
#define v_even(a, b, d) (a)
#define v_odd(a, b, d) (b)
#define v_add_to_doubles(p, a) (*(p) += (a))

#if !PCF_SINGLE
#define v_min(a, b) ((a) < (b) ? (a) : (b))
#define MASK int
#define v_greater(a, b) ((a) > (b))
#define v_select(m, a, b) ((m) ? (a) : (b))
#endif
