/* The bits of numbers, missing values, and times as integers in the same order. */
#pragma once

#include "base/host-device.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

PCF_HOST_DEVICE uint64_t pcf_bits_of_double(double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

PCF_HOST_DEVICE uint32_t pcf_bits_of_single(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

PCF_HOST_DEVICE double pcf_double_of(uint64_t bits) {
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

PCF_HOST_DEVICE float pcf_single_of(uint32_t bits) {
  float number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

/* x * 2^exponent as ldexp() gives it: a product with that power, where it is a normal number.
 */
PCF_HOST_DEVICE double pcf_times_power_of_2(double x, int exponent) {
  if (exponent < -1022 || exponent > 1023) return ldexp(x, exponent);
  return x * pcf_double_of((uint64_t)(exponent + 1023) << 52);
}

/* A missing value: R's NA, a NaN of which only the lower half matters. No other NaN is a value.
 */
PCF_HOST_DEVICE double pcf_missing(void) {
  return pcf_double_of(((uint64_t)0x7FF80000 << 32) | 1954);
}

PCF_HOST_DEVICE int pcf_is_missing(double value) {
  return (isnan(value) != 0) & ((uint32_t)pcf_bits_of_double(value) == 1954);
}

/* The value, or 0 if it is missing or 0 / 0. */
PCF_HOST_DEVICE double pcf_known(double value) {
  return isnan(value) ? 0 : value;
}

/* Are two values not the same? Missing ones are. */
PCF_HOST_DEVICE int pcf_is_change(double before, double after) {
  return before != after && !(isnan(before) && isnan(after));
}

/* A time as an integer in the same order; 0 and -0 are one time. */
PCF_HOST_DEVICE uint64_t pcf_key_of(double time) {
  uint64_t bits = pcf_bits_of_double(time + 0.0), sign = UINT64_C(1) << 63;
  return bits & sign ? ~bits : bits | sign;
}

PCF_HOST_DEVICE double pcf_time_of(uint64_t key) {
  uint64_t sign = UINT64_C(1) << 63;
  return pcf_double_of(key & sign ? key ^ sign : ~key);
}

/* The next larger time that is neither 0 nor subnormal: where a function ends that has a last
 * value at `time`. */
static inline double pcf_next_time(double time) {
  double next = nextafter(time, INFINITY);
  return fabs(next) < DBL_MIN ? DBL_MIN : next;
}
