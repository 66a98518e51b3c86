/* Vector operations for 64-bit Arm (NEON), in double or (PCF_SINGLE) single precision.
 * Included once per precision, before a kernel template; see kernels.h. */
#include <arm_neon.h>

#define TARGET
#define FUSED 1

#if PCF_SINGLE
#define LANES 4
#define V float32x4_t
#define v_load(p) vld1q_f32(p)
#define v_store(p, a) vst1q_f32(p, a)
#define v_set1(x) vdupq_n_f32(x)
#define v_add(a, b) vaddq_f32(a, b)
#define v_sub(a, b) vsubq_f32(a, b)
#define v_mul(a, b) vmulq_f32(a, b)
#define v_div(a, b) vdivq_f32(a, b)
#define v_fma(a, b, c) vfmaq_f32(c, a, b)
#define v_max(a, b) vmaxnmq_f32(a, b)
#define v_min(a, b) vminq_f32(a, b)
#define v_sqrt(a) vsqrtq_f32(a)
#define v_abs(a) vabsq_f32(a)
#define v_where_greater(w, than, a) \
  vreinterpretq_f32_u32(vandq_u32(vcgtq_f32(w, than), vreinterpretq_u32_f32(a)))
#define v_lanes_greater(a, b) \
  (uint64_t) vaddvq_u32(vandq_u32(vcgtq_f32(a, b), (uint32x4_t){1, 2, 4, 8}))
#define v_bits(n) vreinterpretq_f32_u32(vdupq_n_u32(n))
#define v_and(a, b) \
  vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)))
#define v_or(a, b) \
  vreinterpretq_f32_u32(vorrq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)))
#define v_add_bits(a, b) \
  vreinterpretq_f32_u32(vaddq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)))
#define v_left(a, n) vreinterpretq_f32_u32(vshlq_n_u32(vreinterpretq_u32_f32(a), n))
#define v_right(a, n) vreinterpretq_f32_u32(vshrq_n_u32(vreinterpretq_u32_f32(a), n))
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
#define v_load(p) vld1q_f64(p)
#define v_store(p, a) vst1q_f64(p, a)
#define v_set1(x) vdupq_n_f64(x)
#define v_add(a, b) vaddq_f64(a, b)
#define v_sub(a, b) vsubq_f64(a, b)
#define v_mul(a, b) vmulq_f64(a, b)
#define v_div(a, b) vdivq_f64(a, b)
#define v_fma(a, b, c) vfmaq_f64(c, a, b)
#define v_max(a, b) vmaxnmq_f64(a, b)
#define v_sqrt(a) vsqrtq_f64(a)
#define v_abs(a) vabsq_f64(a)
#define v_where_greater(w, than, a) \
  vreinterpretq_f64_u64(vandq_u64(vcgtq_f64(w, than), vreinterpretq_u64_f64(a)))
#define v_lanes_greater(a, b) vaddvq_u64(vandq_u64(vcgtq_f64(a, b), (uint64x2_t){1, 2}))
#define v_bits(n) vreinterpretq_f64_u64(vdupq_n_u64(n))
#define v_and(a, b) \
  vreinterpretq_f64_u64(vandq_u64(vreinterpretq_u64_f64(a), vreinterpretq_u64_f64(b)))
#define v_or(a, b) \
  vreinterpretq_f64_u64(vorrq_u64(vreinterpretq_u64_f64(a), vreinterpretq_u64_f64(b)))
#define v_add_bits(a, b) \
  vreinterpretq_f64_u64(vaddq_u64(vreinterpretq_u64_f64(a), vreinterpretq_u64_f64(b)))
#define v_left(a, n) vreinterpretq_f64_u64(vshlq_n_u64(vreinterpretq_u64_f64(a), n))
#define v_right(a, n) vreinterpretq_f64_u64(vshrq_n_u64(vreinterpretq_u64_f64(a), n))
#define v_add_to_doubles(p, a) v_store(p, v_add(v_load(p), a))
#define v_even(a, b, d) vtrn1q_f64(a, b)
#define v_odd(a, b, d) vtrn2q_f64(a, b)
#define v_min(a, b) vminq_f64(a, b)
#define MASK uint64x2_t
#define v_greater(a, b) vcgtq_f64(a, b)
#define v_select(m, a, b) vbslq_f64(m, a, b)
#define v_has_bit(k) vcombine_u64(vdup_n_u64(0), vdup_n_u64(UINT64_MAX))
#define v_exchange(a, k) vextq_f64(a, a, 1)
#endif
