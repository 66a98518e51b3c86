/* Vector operations for AVX2 with FMA, in double or (PCF_SINGLE) single precision.
 * Included once per precision, before a kernel template; see kernels.h. */
#include "arithmetic/unaligned-moves.h"

#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))
#define FUSED 1
#define V_WIDTH 256
#define V_BITS 256
#define V_LONGS(n) _mm256_set1_epi64x(n)
#include "arithmetic/simd-x86.h"

#define v_fma(a, b, c) V_OP(fmadd)(a, b, c)
#define v_greater(a, b) V_OP(cmp)(a, b, _CMP_GT_OQ)
#define v_select(m, a, b) V_OP(blendv)(b, a, m)

#if PCF_SINGLE
#define LANES 8
#define V __m256
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
#define v_even(a, b, d) \
  ((d) == 1 ? _mm256_unpacklo_pd(a, b) : _mm256_permute2f128_pd(a, b, 0x20))
#define v_odd(a, b, d) \
  ((d) == 1 ? _mm256_unpackhi_pd(a, b) : _mm256_permute2f128_pd(a, b, 0x31))
#define v_has_bit(k)                                              \
  _mm256_castsi256_pd((k) == 1 ? _mm256_setr_epi64x(0, -1, 0, -1) \
                               : _mm256_setr_epi64x(0, 0, -1, -1))
#define v_exchange(a, k)                     \
  _mm256_castps_pd(_mm256_permutevar8x32_ps( \
    _mm256_castpd_ps(a),                     \
    _mm256_xor_si256(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(2 * (k)))))
#endif
