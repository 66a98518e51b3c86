/* Vector operations for SSE2, the baseline of x86-64, in double or (PCF_SINGLE) single
 * precision. There is no fused multiply-add: v_fma rounds twice.
 * Included once per precision, before a kernel template; see kernels.h. */
#include <emmintrin.h>

#define TARGET
#define FUSED 0

#if PCF_SINGLE
#define LANES 4
#define V __m128
#define v_load(p) _mm_loadu_ps(p)
#define v_store(p, a) _mm_storeu_ps(p, a)
#define v_set1(x) _mm_set1_ps(x)
#define v_add(a, b) _mm_add_ps(a, b)
#define v_sub(a, b) _mm_sub_ps(a, b)
#define v_mul(a, b) _mm_mul_ps(a, b)
#define v_div(a, b) _mm_div_ps(a, b)
#define v_fma(a, b, c) _mm_add_ps(_mm_mul_ps(a, b), c)
#define v_max(a, b) _mm_max_ps(a, b)
#define v_min(a, b) _mm_min_ps(a, b)
#define v_sqrt(a) _mm_sqrt_ps(a)
#define v_abs(a) _mm_andnot_ps(_mm_set1_ps(-0.0f), a)
#define v_where_greater(w, than, a) _mm_and_ps(_mm_cmpgt_ps(w, than), a)
#define v_lanes_greater(a, b) (uint64_t) _mm_movemask_ps(_mm_cmpgt_ps(a, b))
#define v_bits(n) _mm_castsi128_ps(_mm_set1_epi32((int)(n)))
#define v_and(a, b) _mm_and_ps(a, b)
#define v_or(a, b) _mm_or_ps(a, b)
#define v_add_bits(a, b) \
  _mm_castsi128_ps(_mm_add_epi32(_mm_castps_si128(a), _mm_castps_si128(b)))
#define v_left(a, n) _mm_castsi128_ps(_mm_slli_epi32(_mm_castps_si128(a), n))
#define v_right(a, n) _mm_castsi128_ps(_mm_srli_epi32(_mm_castps_si128(a), n))
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
#define v_load(p) _mm_loadu_pd(p)
#define v_store(p, a) _mm_storeu_pd(p, a)
#define v_set1(x) _mm_set1_pd(x)
#define v_add(a, b) _mm_add_pd(a, b)
#define v_sub(a, b) _mm_sub_pd(a, b)
#define v_mul(a, b) _mm_mul_pd(a, b)
#define v_div(a, b) _mm_div_pd(a, b)
#define v_fma(a, b, c) _mm_add_pd(_mm_mul_pd(a, b), c)
#define v_max(a, b) _mm_max_pd(a, b)
#define v_sqrt(a) _mm_sqrt_pd(a)
#define v_abs(a) _mm_andnot_pd(_mm_set1_pd(-0.0), a)
#define v_where_greater(w, than, a) _mm_and_pd(_mm_cmpgt_pd(w, than), a)
#define v_lanes_greater(a, b) (uint64_t) _mm_movemask_pd(_mm_cmpgt_pd(a, b))
#define v_bits(n) _mm_castsi128_pd(_mm_set1_epi64x((long long)(n)))
#define v_and(a, b) _mm_and_pd(a, b)
#define v_or(a, b) _mm_or_pd(a, b)
#define v_add_bits(a, b) \
  _mm_castsi128_pd(_mm_add_epi64(_mm_castpd_si128(a), _mm_castpd_si128(b)))
#define v_left(a, n) _mm_castsi128_pd(_mm_slli_epi64(_mm_castpd_si128(a), n))
#define v_right(a, n) _mm_castsi128_pd(_mm_srli_epi64(_mm_castpd_si128(a), n))
#define v_add_to_doubles(p, a) v_store(p, v_add(v_load(p), a))
#define v_even(a, b, d) _mm_unpacklo_pd(a, b)
#define v_odd(a, b, d) _mm_unpackhi_pd(a, b)
#define v_min(a, b) _mm_min_pd(a, b)
#define MASK __m128d
#define v_greater(a, b) _mm_cmpgt_pd(a, b)
#define v_select(m, a, b) _mm_or_pd(_mm_and_pd(m, a), _mm_andnot_pd(m, b))
#define v_has_bit(k) _mm_castsi128_pd(_mm_set_epi64x(-1, 0))
#define v_exchange(a, k) _mm_shuffle_pd(a, a, 1)
#endif
