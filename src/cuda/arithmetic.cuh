/* What the kernels compute on one stretch, where two functions have the values a and b. */
#ifndef PCF_ARITHMETIC_CUH
#define PCF_ARITHMETIC_CUH

#include "cuda/kernels.h"

#include <float.h>
#include <math_constants.h>

template <typename T> __device__ __forceinline__ T later(T a, T b) {
  return a > b ? a : b;
}
template <> __device__ __forceinline__ float later(float a, float b) {
  return fmaxf(a, b);
}

/* x^(halves / 2) for x >= 0. */
template <typename T> __device__ T half_power(T x, int halves) {
  T power = halves & 1 ? sqrt(x) : T(1);
  for (int n = halves / 2; n; n >>= 1, x *= x) {
    if (n & 1) power *= x;
  }
  return power;
}

template <typename T> __device__ T any_power(T x, const pcf_cuda_power &power) {
  return power.halves ? half_power(x, power.halves) : pow(x, T(power.p));
}

/* sum + ∫ over the stretch; for general p relative to the supremum of the pair, of which
 * *inverse is the reciprocal. */
template <int OP, typename T>
__device__ __forceinline__ T add_stretch(T sum, T length, T a, T b, const T *inverse,
                                         const pcf_cuda_power &power) {
  if (OP == PCF_INNER) return fma(length, a * b, sum);
  T difference = a - b;
  if (OP == PCF_L1) return sum + fabs(length * difference);
  if (OP == PCF_L2) return fma(length, difference * difference, sum);
  difference = fabs(difference);
  if (!(length > 0)) return sum;
  if (OP == PCF_LINF) return later(sum, difference);
  return difference > 0 ? fma(length, any_power(difference * *inverse, power), sum) : sum;
}

/* An unbounded stretch. */
template <int OP, typename T> __device__ T add_unbounded(T sum, T a, T b) {
  if (OP == PCF_LINF) return later(sum, T(fabs(a - b)));
  if (OP != PCF_INNER) return a == b ? sum : T(CUDART_INF_F);
  if (a == 0 || b == 0) return sum;
  return (a > 0) == (b > 0) ? T(CUDART_INF_F) : -T(CUDART_INF_F);
}

/* The reciprocal of a supremum, finite; 0 of 0. */
template <typename T> __device__ T reciprocal(T supremum) {
  T least = sizeof(T) == sizeof(float) ? T(FLT_MIN) : T(DBL_MIN);
  return supremum > 0 ? 1 / later(supremum, least) : T(0);
}

/* The distance or inner product from a finished sum. */
template <int OP, typename T>
__device__ T take_root(T sum, T inverse, const pcf_cuda_power &power) {
  if (OP == PCF_L2) return sqrt(sum);
  if (OP == PCF_LP && sum > 0 && !isinf(sum)) return pow(sum, T(1 / power.p)) / inverse;
  return sum;
}

#endif
