/* The vector operations with one lane, in plain C: for processors without a header of
 * their own, and as the simplest reading of the kernels.
 * Included once per precision, before a kernel template; see kernels.h. */
#include "base/bits.h"

#include <math.h>

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
