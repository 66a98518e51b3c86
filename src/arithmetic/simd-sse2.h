/* Vector operations for SSE2, the baseline of x86-64, in double or (PCF_SINGLE) single
 * precision. There is no fused multiply-add: v_fma rounds twice.
 * Included once per precision, before a kernel template; see kernels.h. */
#include <emmintrin.h>

#define TARGET
#define FUSED 0
#define V_WIDTH
#define V_BITS 128
#define V_LONGS(n) _mm_set1_epi64x(n)
#include "arithmetic/simd-x86.h"

#define v_fma(a, b, c) v_add(v_mul(a, b), c)
#define v_greater(a, b) V_OP(cmpgt)(a, b)
#define v_select(m, a, b) v_or(v_and(m, a), V_OP(andnot)(m, b))

#if PCF_SINGLE
#define LANES 4
#define V __m128
#define v_add_to_doubles(p, a)                                               \
  do {                                                                       \
    __m128d low = _mm_cvtps_pd(a), high = _mm_cvtps_pd(_mm_movehl_ps(a, a)); \
    _mm_storeu_pd(p, _mm_add_pd(_mm_loadu_pd(p), low));                      \
    _mm_storeu_pd((p) + 2, _mm_add_pd(_mm_loadu_pd((p) + 2), high));         \
  } while (0)
#define v_even(a, b, d)                                                               \
  ((d) == 1 ? _mm_unpacklo_ps(_mm_shuffle_ps(a, a, 0x88), _mm_shuffle_ps(b, b, 0x88)) \
            : _mm_movelh_ps(a, b))
#define v_odd(a, b, d)                                                                \
  ((d) == 1 ? _mm_unpacklo_ps(_mm_shuffle_ps(a, a, 0xDD), _mm_shuffle_ps(b, b, 0xDD)) \
            : _mm_movehl_ps(b, a))
#else
#define LANES 2
#define V __m128d
#define v_even(a, b, d) _mm_unpacklo_pd(a, b)
#define v_odd(a, b, d) _mm_unpackhi_pd(a, b)
#define v_has_bit(k) ((void)(k), _mm_castsi128_pd(_mm_set_epi64x(-1, 0)))
#define v_exchange(a, k) _mm_shuffle_pd(a, a, 1)
#endif
