/* Vector operations for 64-bit Arm (NEON), in double or (PCF_SINGLE) single precision.
 * Included once per precision, before a kernel template; see kernels.h. */
#include <arm_neon.h>

#define TARGET
#define FUSED 1

/* Operations on numbers, and on the integers that have their bits. */
#define V_NAME(operation, type) V_NAME_2(operation, type)
#define V_NAME_2(operation, type) v##operation##_##type
#define V_OP(operation) V_NAME(operation, V_TYPE)
#define V_ON_BITS(operation) V_NAME(operation, V_INTEGER)
#define V_OF_BITS(a) V_NAME(V_OP_OF_BITS, V_INTEGER)(a)
#define V_TO_BITS(a) V_NAME(V_OP_TO_BITS, V_TYPE)(a)

#define v_load(p) V_OP(ld1q)(p)
#define v_store(p, a) V_OP(st1q)(p, a)
#define v_set1(x) V_OP(dupq_n)(x)
#define v_add(a, b) V_OP(addq)(a, b)
#define v_sub(a, b) V_OP(subq)(a, b)
#define v_mul(a, b) V_OP(mulq)(a, b)
#define v_div(a, b) V_OP(divq)(a, b)
#define v_fma(a, b, c) V_OP(fmaq)(c, a, b)
/* b where one of both is NaN, as on x86. The processor's own maximum would be NaN where one is
 * a signalling NaN, such as R's NA. */
#define v_max(a, b) V_OP(bslq)(V_OP(cgtq)(a, b), a, b)
#define v_min(a, b) V_OP(bslq)(V_OP(cltq)(a, b), a, b)
#define v_sqrt(a) V_OP(sqrtq)(a)
#define v_abs(a) V_OP(absq)(a)
#define v_where_greater(w, than, a) \
  V_OF_BITS(V_ON_BITS(andq)(V_OP(cgtq)(w, than), V_TO_BITS(a)))
#define v_greater(a, b) V_OP(cgtq)(a, b)
#define v_select(m, a, b) V_OP(bslq)(m, a, b)
#define v_bits(n) V_OF_BITS(V_ON_BITS(dupq_n)(n))
#define v_and(a, b) V_OF_BITS(V_ON_BITS(andq)(V_TO_BITS(a), V_TO_BITS(b)))
#define v_or(a, b) V_OF_BITS(V_ON_BITS(orrq)(V_TO_BITS(a), V_TO_BITS(b)))
#define v_add_bits(a, b) V_OF_BITS(V_ON_BITS(addq)(V_TO_BITS(a), V_TO_BITS(b)))
#define v_left(a, n) V_OF_BITS(V_ON_BITS(shlq_n)(V_TO_BITS(a), n))
#define v_right(a, n) V_OF_BITS(V_ON_BITS(shrq_n)(V_TO_BITS(a), n))

/* Vectors of B_WORDS words of eight bytes, and sums of the differences of bytes, four a word.
 */
#define B uint8x16_t
#define B_SUM uint16x8_t
#define B_WORDS 2
#define b_load(p) vld1q_u8((const uint8_t *)(p))
#define b_set1(word) vreinterpretq_u8_u64(vdupq_n_u64((uint64_t)(word)))
#define b_or(a, b) vorrq_u8(a, b)
#define b_less(a, b) vqsubq_u8(a, b)
#define b_no_sum() vdupq_n_u16(0)
#define b_add_apart(sum, a, b) vpadalq_u8(sum, vabdq_u8(a, b))
#define b_greater(sum, than) pcf_words_greater(vpaddlq_u32(vpaddlq_u16(sum)), than)

#ifndef PCF_WORDS_GREATER
#define PCF_WORDS_GREATER
static inline __attribute__((always_inline)) uint32_t pcf_words_greater(uint64x2_t sum,
                                                                        uint8x16_t than) {
  uint64x2_t sign = vshrq_n_u64(vsubq_u64(vreinterpretq_u64_u8(than), sum), 63);
  return (uint32_t)(vgetq_lane_u64(sign, 0) | vgetq_lane_u64(sign, 1) << 1);
}
#endif

#if PCF_SINGLE
#define LANES 4
#define V float32x4_t
#define MASK uint32x4_t
#define V_TYPE f32
#define V_INTEGER u32
#define V_OP_OF_BITS reinterpretq_f32
#define V_OP_TO_BITS reinterpretq_u32
#define v_add_to_doubles(p, a)                                               \
  do {                                                                       \
    vst1q_f64(p, vaddq_f64(vld1q_f64(p), vcvt_f64_f32(vget_low_f32(a))));    \
    vst1q_f64((p) + 2, vaddq_f64(vld1q_f64((p) + 2), vcvt_high_f64_f32(a))); \
  } while (0)
#define v_even(a, b, d) \
  ((d) == 1             \
     ? vtrn1q_f32(a, b) \
     : vreinterpretq_f32_f64(vtrn1q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b))))
#define v_odd(a, b, d)  \
  ((d) == 1             \
     ? vtrn2q_f32(a, b) \
     : vreinterpretq_f32_f64(vtrn2q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b))))
#else
#define LANES 2
#define V float64x2_t
#define V_TYPE f64
#define V_INTEGER u64
#define V_OP_OF_BITS reinterpretq_f64
#define V_OP_TO_BITS reinterpretq_u64
#define v_add_to_doubles(p, a) v_store(p, v_add(v_load(p), a))
#define v_even(a, b, d) vtrn1q_f64(a, b)
#define v_odd(a, b, d) vtrn2q_f64(a, b)
#define MASK uint64x2_t
#define v_has_bit(k) ((void)(k), vcombine_u64(vdup_n_u64(0), vdup_n_u64(UINT64_MAX)))
#define v_exchange(a, k) vextq_f64(a, a, 1)
#endif
