/* What the kernels compute on one stretch, where two functions have the values a and b. */
#ifndef PCF_ARITHMETIC_CUH
#define PCF_ARITHMETIC_CUH

#include "cuda/kernels.h"

#include <float.h>
#include <math_constants.h>

/* The later or larger one; a NaN in the first place is dropped. */
template <typename T> __device__ __forceinline__ T later(T a, T b) {
  return a > b ? a : b;
}
template <> __device__ __forceinline__ float later(float a, float b) {
  return fmaxf(a, b);
}

/* What a stretch adds for each unit of its length: for general p relative to the supremum of
 * the pair, of which *inverse is the reciprocal. */
template <int OP, typename T>
__device__ __forceinline__ T combine_pair(T a, T b, const T *inverse,
                                          const pcf_cuda_power &power) {
  T combined = pcf_combine(OP, a, b);
  if (!pcf_takes_powers(OP)) return combined;
  return combined > 0 ? pcf_power(combined * *inverse, power.p, power.halves) : T(0);
}

/* Adds a bounded stretch to a sum. */
template <int OP, typename T>
__device__ __forceinline__ T add_stretch(T sum, T length, T a, T b, const T *inverse,
                                         const pcf_cuda_power &power) {
  if (OP == PCF_L1) return sum + fabs(length * (a - b));
  if (OP == PCF_L1_PARTIAL) return sum + pcf_known(T(fabs(length * (a - b))));
  if (OP == PCF_L2_PARTIAL) return fma(length, pcf_combine(OP, a, b), sum);
  if (!pcf_takes_powers(OP) && !pcf_is_supremum(OP)) {
    return fma(length, pcf_combine(OP, a, b), sum);
  }
  if (!(length > 0)) return sum;
  T combined = combine_pair<OP>(a, b, inverse, power);
  return pcf_is_supremum(OP) ? later(combined, sum) : fma(length, combined, sum);
}

/* The reciprocal of a supremum, finite; 0 of 0. */
template <typename T> __device__ T reciprocal(T supremum) {
  T least = sizeof(T) == sizeof(float) ? T(FLT_MIN) : T(DBL_MIN);
  return supremum > 0 ? 1 / later(supremum, least) : T(0);
}

/* The result from a finished sum. */
template <int OP, typename T>
__device__ T take_root(T sum, T inverse, const pcf_cuda_power &power) {
  T root = pcf_finish(OP, sum, power.p);
  if (!pcf_takes_powers(OP)) return root;
  return inverse > 0 ? root / inverse : T(0);
}

#endif
