/* The vector operations with one lane, in plain C: for processors without a header of
 * their own, and as the simplest reading of the kernels.
 * Included once per precision, before a kernel template; see kernels.h. */
#include <math.h>

#define TARGET
#define LANES 1

#if PCF_SINGLE
#define V float
#define v_abs(a) fabsf(a)
#define v_sqrt(a) sqrtf(a)
#else
#define V double
#define v_abs(a) fabs(a)
#define v_sqrt(a) sqrt(a)
#endif
#define v_load(p) (*(p))
#define v_store(p, a) (*(p) = (a))
#define v_set1(x) (x)
#define v_add(a, b) ((a) + (b))
#define v_sub(a, b) ((a) - (b))
#define v_mul(a, b) ((a) * (b))
#define v_fma(a, b, c) ((a) * (b) + (c))
#define v_max(a, b) ((a) > (b) ? (a) : (b))
#define v_where_positive(w, a) ((w) > 0 ? (a) : 0)

#if !PCF_SINGLE
#define v_min(a, b) ((a) < (b) ? (a) : (b))
#define MASK int
#define v_greater(a, b) ((a) > (b))
#define v_select(m, a, b) ((m) ? (a) : (b))
#endif
