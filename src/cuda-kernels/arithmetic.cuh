/* What the kernels compute on one stretch, where two functions have the values a and b, or are
 * lines. */
#pragma once

#include "cuda-kernels/kernels.h"

#include <float.h>
#include <math_constants.h>

/* The pieces of functions: what each family is from a time on. Events and states carry them. */
template <typename T> struct Step {
  using Scalar = T;
  static constexpr bool LINEAR = false;
  T value;
};
template <typename T> struct alignas(2 * sizeof(T)) Line {
  using Scalar = T;
  static constexpr bool LINEAR = true;
  T value, slope;
};

/* From run time to compile time: CALL(Step<double>); and so on. */
#define PCF_WITH_PIECE(precision, linear, CALL) \
  do {                                          \
    if ((precision) == PCF_DOUBLE) {            \
      if (linear) CALL(Line<double>);           \
      CALL(Step<double>);                       \
    }                                           \
    if (linear) CALL(Line<float>);              \
    CALL(Step<float>);                          \
  } while (0)

/* A piece as it is `since` later. */
template <typename T> __device__ __forceinline__ Step<T> moved(Step<T> step, T since) {
  return step;
}
template <typename T> __device__ __forceinline__ Line<T> moved(Line<T> line, T since) {
  return {fma(line.slope, since, line.value), line.slope};
}

/* a if `which`, else b. */
template <typename T>
__device__ __forceinline__ Step<T> choose(bool which, Step<T> a, Step<T> b) {
  return {which ? a.value : b.value};
}
template <typename T>
__device__ __forceinline__ Line<T> choose(bool which, Line<T> a, Line<T> b) {
  return {which ? a.value : b.value, which ? a.slope : b.slope};
}

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
  if (!pcf_takes_powers(OP) && !pcf_is_supremum(OP)) {
    return fma(length, pcf_combine(OP, a, b), sum);
  }
  if (!(length > 0)) return sum;
  T combined = combine_pair<OP>(a, b, inverse, power);
  return pcf_is_supremum(OP) ? later(combined, sum) : fma(length, combined, sum);
}

template <typename T> __device__ __forceinline__ T smallest_normal() {
  return sizeof(T) == sizeof(float) ? T(FLT_MIN) : T(DBL_MIN);
}

/* The mean of |d|^p, relative to the supremum, where d is a line that goes from `start` to
 * `end` and rises by `rise` (kernels/lines-template.h). */
template <typename T>
__device__ T mean_of_powers(T start, T end, T rise, const pcf_cuda_power &power) {
  T middle = fabs(fma(T(-0.5), rise, end)), steep = fabs(rise) * T(power.steepness);
  bool far = steep > middle;
  T first = pcf_power(far ? fabs(start) : middle, power.p, power.halves);
  if (far) {
    T product = fma(end, pcf_power(T(fabs(end)), power.p, power.halves), -(start * first));
    return later(product / (rise * T(power.p + 1)), T(0));
  }
  constexpr int TERMS = sizeof(T) == sizeof(float) ? PCF_MEAN_TERMS_SINGLE : PCF_MEAN_TERMS;
  T ratio = steep / later(middle, smallest_normal<T>()), sum = T(power.mean_terms[TERMS - 1]);
#pragma unroll
  for (int k = TERMS - 2; k >= 0; k--) {
    sum = fma(sum, ratio * ratio, T(power.mean_terms[k]));
  }
  return later(sum * first, T(0));
}

/* What a stretch at whose end two functions are the lines a and b adds for each unit of its
 * length: everything follows from the middle of the stretch and the rise over it, in the same
 * way whichever of both is a. All fused operations are written out, so that they are the same
 * in all kernels. */
template <int OP, typename T>
__device__ __forceinline__ T combine_lines(T length, Line<T> a, Line<T> b, const T *inverse,
                                           const pcf_cuda_power &power) {
  const T twelfth = T(1.0 / 12);
  if (OP == PCF_INNER) {
    T own = a.slope * length, other = b.slope * length;
    T product = fma(T(-0.5), own, a.value) * fma(T(-0.5), other, b.value);
    return fma(own * other, twelfth, product);
  }
  T end = a.value - b.value, slope = a.slope - b.slope, rise = slope * length;
  T middle = fabs(fma(T(-0.5), rise, end));
  if (pcf_whole_form(OP) == PCF_L2) return fma(rise * rise, twelfth, middle * middle);
  if (pcf_whole_form(OP) == PCF_L1) {
    T larger = later(middle, T(fabs(T(0.5) * rise)));
    T ratio = middle / later(larger, smallest_normal<T>());
    return T(0.5) * fma(middle, ratio, larger);
  }
  T start = fma(-slope, length, end);
  if (pcf_is_supremum(OP)) return later(T(fabs(end)), T(fabs(start)));
  return mean_of_powers(start * *inverse, end * *inverse, rise * *inverse, power);
}

template <int OP, typename T>
__device__ __forceinline__ T add_stretch(T sum, T length, Step<T> a, Step<T> b,
                                         const T *inverse, const pcf_cuda_power &power) {
  return add_stretch<OP>(sum, length, a.value, b.value, inverse, power);
}
template <int OP, typename T>
__device__ __forceinline__ T add_stretch(T sum, T length, Line<T> a, Line<T> b,
                                         const T *inverse, const pcf_cuda_power &power) {
  if ((pcf_takes_powers(OP) || pcf_is_supremum(OP)) && !(length > 0)) return sum;
  T combined = combine_lines<OP>(length, a, b, inverse, power);
  if (pcf_is_supremum(OP)) return later(combined, sum);
  return fma(length, pcf_is_partial_form(OP) ? pcf_known(combined) : combined, sum);
}

/* The reciprocal of a supremum, finite; 0 of 0. */
template <typename T> __device__ T reciprocal(T supremum) {
  return supremum > 0 ? 1 / later(supremum, smallest_normal<T>()) : T(0);
}

/* The result from a finished sum. */
template <int OP, typename T>
__device__ T take_root(T sum, T inverse, const pcf_cuda_power &power) {
  T root = pcf_finish(OP, sum, power.p);
  if (!pcf_takes_powers(OP)) return root;
  return inverse > 0 ? root / inverse : T(0);
}
