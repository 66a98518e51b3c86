/* Vector operations for AVX2 with FMA, in double or (PCF_SINGLE) single precision.
 * Included once per precision, before a kernel template; see kernels.h. */
#include "base/unaligned-moves.h"

#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))
#define FUSED 1

#if PCF_SINGLE
#define LANES 8
#define V __m256
#define v_load(p) _mm256_loadu_ps(p)
#define v_store(p, a) _mm256_storeu_ps(p, a)
#define v_set1(x) _mm256_set1_ps(x)
#define v_add(a, b) _mm256_add_ps(a, b)
#define v_sub(a, b) _mm256_sub_ps(a, b)
#define v_mul(a, b) _mm256_mul_ps(a, b)
#define v_div(a, b) _mm256_div_ps(a, b)
#define v_fma(a, b, c) _mm256_fmadd_ps(a, b, c)
#define v_max(a, b) _mm256_max_ps(a, b)
#define v_min(a, b) _mm256_min_ps(a, b)
#define v_sqrt(a) _mm256_sqrt_ps(a)
#define v_abs(a) _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a)
#define v_where_greater(w, than, a) _mm256_and_ps(_mm256_cmp_ps(w, than, _CMP_GT_OQ), a)
#define v_lanes_greater(a, b) (uint64_t) _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ))
#define v_bits(n) _mm256_castsi256_ps(_mm256_set1_epi32((int)(n)))
#define v_and(a, b) _mm256_and_ps(a, b)
#define v_or(a, b) _mm256_or_ps(a, b)
#define v_add_bits(a, b) \
  _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b)))
#define v_left(a, n) _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(a), n))
#define v_right(a, n) _mm256_castsi256_ps(_mm256_srli_epi32(_mm256_castps_si256(a), n))
#define v_add_to_doubles(p, a)                                                \
  do {                                                                        \
    __m256d low = _mm256_cvtps_pd(_mm256_castps256_ps128(a));                 \
    __m256d high = _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1));              \
    _mm256_storeu_pd(p, _mm256_add_pd(_mm256_loadu_pd(p), low));              \
    _mm256_storeu_pd((p) + 4, _mm256_add_pd(_mm256_loadu_pd((p) + 4), high)); \
  } while (0)
#define v_even(a, b, d)                                         \
  ((d) == 1   ? _mm256_blend_ps(a, _mm256_moveldup_ps(b), 0xAA) \
   : (d) == 2 ? _mm256_shuffle_ps(a, b, 0x44)                   \
              : _mm256_permute2f128_ps(a, b, 0x20))
#define v_odd(a, b, d)                                          \
  ((d) == 1   ? _mm256_blend_ps(_mm256_movehdup_ps(a), b, 0xAA) \
   : (d) == 2 ? _mm256_shuffle_ps(a, b, 0xEE)                   \
              : _mm256_permute2f128_ps(a, b, 0x31))
#else
#define LANES 4
#define V __m256d
#define v_load(p) _mm256_loadu_pd(p)
#define v_store(p, a) _mm256_storeu_pd(p, a)
#define v_set1(x) _mm256_set1_pd(x)
#define v_add(a, b) _mm256_add_pd(a, b)
#define v_sub(a, b) _mm256_sub_pd(a, b)
#define v_mul(a, b) _mm256_mul_pd(a, b)
#define v_div(a, b) _mm256_div_pd(a, b)
#define v_fma(a, b, c) _mm256_fmadd_pd(a, b, c)
#define v_max(a, b) _mm256_max_pd(a, b)
#define v_sqrt(a) _mm256_sqrt_pd(a)
#define v_abs(a) _mm256_andnot_pd(_mm256_set1_pd(-0.0), a)
#define v_where_greater(w, than, a) _mm256_and_pd(_mm256_cmp_pd(w, than, _CMP_GT_OQ), a)
#define v_lanes_greater(a, b) (uint64_t) _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GT_OQ))
#define v_bits(n) _mm256_castsi256_pd(_mm256_set1_epi64x((long long)(n)))
#define v_and(a, b) _mm256_and_pd(a, b)
#define v_or(a, b) _mm256_or_pd(a, b)
#define v_add_bits(a, b) \
  _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(a), _mm256_castpd_si256(b)))
#define v_left(a, n) _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_castpd_si256(a), n))
#define v_right(a, n) _mm256_castsi256_pd(_mm256_srli_epi64(_mm256_castpd_si256(a), n))
#define v_add_to_doubles(p, a) v_store(p, v_add(v_load(p), a))
#define v_even(a, b, d) \
  ((d) == 1 ? _mm256_unpacklo_pd(a, b) : _mm256_permute2f128_pd(a, b, 0x20))
#define v_odd(a, b, d) \
  ((d) == 1 ? _mm256_unpackhi_pd(a, b) : _mm256_permute2f128_pd(a, b, 0x31))
#define v_min(a, b) _mm256_min_pd(a, b)
#define MASK __m256d
#define v_greater(a, b) _mm256_cmp_pd(a, b, _CMP_GT_OQ)
#define v_select(m, a, b) _mm256_blendv_pd(b, a, m)
#define v_has_bit(k)                                              \
  _mm256_castsi256_pd((k) == 1 ? _mm256_setr_epi64x(0, -1, 0, -1) \
                               : _mm256_setr_epi64x(0, 0, -1, -1))
#define v_exchange(a, k)                     \
  _mm256_castps_pd(_mm256_permutevar8x32_ps( \
    _mm256_castpd_ps(a),                     \
    _mm256_xor_si256(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(2 * (k)))))
#endif
