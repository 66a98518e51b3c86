/* Vector operations for AVX-512F and AVX-512BW, in double or (PCF_SINGLE) single precision.
 * Included once per precision, before a kernel template; see kernels.h. */
#include "arithmetic/unaligned-moves.h"

#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw")))
#define FUSED 1
#define V_WIDTH 512
#define V_BITS 512
#define V_LONGS(n) _mm512_set1_epi64(n)
#include "arithmetic/simd-x86.h"

#ifndef PCF_LANES_KNOWN
#define PCF_LANES_KNOWN
#include <stdint.h>
#include <string.h>
/* All lanes where a number has the bits of an absolute value, none where it has none. */
static inline __attribute__((always_inline)) uint16_t pcf_lanes_known(const void *number) {
  uint16_t lowest;
  memcpy(&lowest, number, sizeof lowest);
  return lowest;
}
#endif

#define b_set1(word) _mm512_set1_epi64((long long)(word))
#define b_greater(sum, than) _mm512_cmplt_epi64_mask(than, sum)
#define v_fma(a, b, c) V_OP(fmadd)(a, b, c)
#define v_and(a, b) V_OF_BITS(V_ON_INTEGERS (and)(V_TO_BITS(a), V_TO_BITS(b)))
#define v_or(a, b) V_OF_BITS(V_ON_INTEGERS(or)(V_TO_BITS(a), V_TO_BITS(b)))
#define v_abs(a) v_and(a, v_bits(V_ABSOLUTE))
#define v_where_greater(w, than, a) V_OP(maskz_mov)(V_GREATER(w, than), a)
#define MASK V_JOIN(__mmask, LANES)
#define v_greater(a, b) V_GREATER(a, b)
#define v_select(m, a, b) V_OP(mask_blend)(m, b, a)

#if PCF_SINGLE
#define LANES 16
#define V __m512
#define V_ABSOLUTE 0x7fffffff
#define V_GREATER(a, b) _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ)
#define v_square_known(known, a) _mm512_maskz_mul_ps(pcf_lanes_known(known), a, a)
#define v_add_to_doubles(p, a)                                                \
  do {                                                                        \
    __m512d low = _mm512_cvtps_pd(_mm512_castps512_ps256(a));                 \
    __m256d upper = _mm512_extractf64x4_pd(_mm512_castps_pd(a), 1);           \
    __m512d high = _mm512_cvtps_pd(_mm256_castpd_ps(upper));                  \
    _mm512_storeu_pd(p, _mm512_add_pd(_mm512_loadu_pd(p), low));              \
    _mm512_storeu_pd((p) + 8, _mm512_add_pd(_mm512_loadu_pd((p) + 8), high)); \
  } while (0)
#define v_even(a, b, d)                                          \
  ((d) == 1   ? _mm512_mask_permute_ps(a, 0xAAAA, b, 0xB1)       \
   : (d) == 2 ? _mm512_mask_permute_ps(a, 0xCCCC, b, 0x4E)       \
   : (d) == 4 ? _mm512_mask_shuffle_f32x4(a, 0xF0F0, b, b, 0xB1) \
              : _mm512_shuffle_f32x4(a, b, 0x44))
#define v_odd(a, b, d)                                           \
  ((d) == 1   ? _mm512_mask_permute_ps(b, 0x5555, a, 0xB1)       \
   : (d) == 2 ? _mm512_mask_permute_ps(b, 0x3333, a, 0x4E)       \
   : (d) == 4 ? _mm512_mask_shuffle_f32x4(b, 0x0F0F, a, a, 0xB1) \
              : _mm512_shuffle_f32x4(a, b, 0xEE))
#else
#define LANES 8
#define V __m512d
#define V_ABSOLUTE 0x7fffffffffffffffLL
#define V_GREATER(a, b) _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ)
#define v_square_known(known, a) _mm512_maskz_mul_pd((__mmask8)pcf_lanes_known(known), a, a)
#define v_even(a, b, d)                                   \
  ((d) == 1   ? _mm512_unpacklo_pd(a, b)                  \
   : (d) == 2 ? _mm512_mask_permutex_pd(a, 0xCC, b, 0x4E) \
              : _mm512_shuffle_f64x2(a, b, 0x44))
#define v_odd(a, b, d)                                    \
  ((d) == 1   ? _mm512_unpackhi_pd(a, b)                  \
   : (d) == 2 ? _mm512_mask_permutex_pd(b, 0x33, a, 0x4E) \
              : _mm512_shuffle_f64x2(a, b, 0xEE))
#define v_of_sixteen(p, bits)                                           \
  _mm512_permutex2var_pd(_mm512_loadu_pd(p), _mm512_castpd_si512(bits), \
                         _mm512_loadu_pd((p) + 8))
#define v_has_bit(k) (__mmask8)((k) == 1 ? 0xAA : (k) == 2 ? 0xCC : 0xF0)
#define v_exchange(a, k) \
  _mm512_permutexvar_pd( \
    _mm512_xor_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(k)), a)
#endif
