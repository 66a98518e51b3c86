/* The two precisions that results are computed in. */
#pragma once

#include "base/bits.h"

#include <stddef.h>
#include <stdint.h>

enum pcf_precision { PCF_DOUBLE = 0, PCF_SINGLE_PRECISION = 1 };

static inline size_t pcf_scalar_size(enum pcf_precision precision) {
  return precision == PCF_DOUBLE ? sizeof(double) : sizeof(float);
}

/* Of two counts or places. */
static inline int64_t pcf_smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static inline int64_t pcf_larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* x · 2^(−exponent): the scaling of times and values. */
PCF_HOST_DEVICE double pcf_scaled(double x, int exponent) {
  return pcf_times_power_of_2(x, -exponent);
}

/* x as it is in that precision. */
static inline double pcf_narrowed(double x, enum pcf_precision precision) {
  return precision == PCF_DOUBLE ? x : (double)(float)x;
}

/* The largest number of the precision that is not above `limit`: it lets the same numbers
 * pass. */
static inline double pcf_rounded_down(double limit, enum pcf_precision precision) {
  float narrow = (float)limit;
  if (precision == PCF_DOUBLE) return limit;
  return (double)narrow > limit ? nextafterf(narrow, -INFINITY) : narrow;
}

/* The slope of a line in that precision: 0 where it is missing, and over a stretch that is too
 * narrow for a slope. The difference of two slopes is finite. */
PCF_HOST_DEVICE double pcf_slope(double rise, double run, enum pcf_precision precision) {
  double most = precision == PCF_DOUBLE ? DBL_MAX : FLT_MAX, slope = rise / run;
  return run > 0 && fabs(slope) <= most / 2 ? slope : 0;
}

/* array[k] = x, in an array of that precision. */
static inline void pcf_store_scalar(void *array, int64_t k, double x,
                                    enum pcf_precision precision) {
  if (precision == PCF_DOUBLE) ((double *)array)[k] = x;
  else ((float *)array)[k] = (float)x;
}

/* Where array[k] is. */
static inline const void *pcf_scalar_at(const void *array, int64_t k,
                                        enum pcf_precision precision) {
  return (const char *)array + k * (int64_t)pcf_scalar_size(precision);
}

/* array[k]. */
static inline double pcf_load_scalar(const void *array, int64_t k,
                                     enum pcf_precision precision) {
  return precision == PCF_DOUBLE ? ((const double *)array)[k]
                                 : (double)((const float *)array)[k];
}
