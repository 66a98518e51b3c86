/* What a line adds to sums of three and four limbs (reductions/summing.h), on hosts and
 * devices.
 */
#pragma once

#include "arithmetic/double-double.h"
#include "reductions/fixed.h"

enum {
  PCF_LINE_LIMBS = 3,  /* of sums of values */
  PCF_SLOPE_LIMBS = 4, /* and of slopes */
  PCF_LINE_UNIT = -156,
  /* At times below 2^reach slopes are multiples of 2^(unit - reach - REACH_BITS). */
  PCF_REACH_BITS = 2,
  /* By so many units, in bits, the values of an inexact line may be off, and where all lines
   * are exact, what they come to at a time. */
  PCF_LINE_ERROR_BITS = 7,
  PCF_RISE_ERROR = 4,
  /* The error of a slope counted from the largest one. */
  PCF_SLOPE_ERROR_BITS = -149,
};

/* ---- Whole numbers of n limbs in two's complement, mostly a constant ---- */

#define EACH_LIMB(k, n) PCF_UNROLL for (int k = 0; k < (n); k++)

PCF_HOST_DEVICE void pcf_limbs_add(uint64_t *sum, const uint64_t *more, int n) {
  uint64_t carry = 0;
  EACH_LIMB(k, n) {
    uint64_t once = sum[k] + carry, next = once < carry;
    sum[k] = once + more[k];
    carry = next | (sum[k] < once);
  }
}

PCF_HOST_DEVICE void pcf_limbs_negate(uint64_t *x, int negative, int n) {
  uint64_t sign = negative ? ~UINT64_C(0) : 0, carry = negative != 0;
  EACH_LIMB(k, n) {
    x[k] = (x[k] ^ sign) + carry;
    carry = x[k] < carry;
  }
}

PCF_HOST_DEVICE void pcf_limbs_subtract(uint64_t *sum, const uint64_t *less, int n) {
  uint64_t borrow = 0;
  EACH_LIMB(k, n) {
    uint64_t once = sum[k] - less[k], next = sum[k] < less[k];
    sum[k] = once - borrow;
    borrow = next | (once < borrow);
  }
}

PCF_HOST_DEVICE int pcf_limbs_differ(const uint64_t *a, const uint64_t *b, int n) {
  uint64_t bits = 0;
  EACH_LIMB(k, n) bits |= a[k] ^ b[k];
  return bits != 0;
}

/* Adds the double x as a multiple of 2^unit, or subtracts it; returns whether that cuts it. */
PCF_HOST_DEVICE int pcf_limbs_add_double(uint64_t *sum, double x, int unit, int negative,
                                         int n) {
  int exponent, cut = 0;
  uint64_t mantissa = pcf_mantissa(x, &exponent);
  int shift = exponent - unit;
  if (shift < 0) {
    uint64_t kept = shift > -64 ? mantissa >> -shift : 0;
    cut = shift <= -64 ? mantissa != 0 : kept << -shift != mantissa;
    mantissa = kept;
    shift = 0;
  }
  int at = shift >> 6, within = shift & 63, below = (x < 0) != (negative != 0);
  uint64_t low = mantissa << within, high = mantissa >> 1 >> (63 - within);
  uint64_t sign = below ? ~UINT64_C(0) : 0, carry = below;
  EACH_LIMB(k, n) {
    uint64_t part = (k == at ? low : k == at + 1 ? high : 0) ^ sign;
    uint64_t once = sum[k] + carry, next = once < carry;
    sum[k] = once + part;
    carry = next | (sum[k] < once);
  }
  return cut;
}

/* ---- Slopes ---- */

/* Three doubles, the largest first, whose sum is a slope to 2^-153 of it, or exactly. */
struct pcf_exact_slope {
  double part[3];
  int exact;
};

/* The remainder a - quotient * b; `exact` is cleared where it may be rounded. */
PCF_HOST_DEVICE struct pcf_double_double pcf_remainder(struct pcf_double_double a,
                                                       double quotient,
                                                       struct pcf_double_double b, int *exact) {
  struct pcf_double_double high = pcf_exact_product(quotient, b.high);
  struct pcf_double_double low = pcf_exact_product(quotient, b.low);
  struct pcf_double_double first = pcf_exact_sum_of(a.high - high.high, -high.low);
  struct pcf_double_double second = pcf_exact_sum_of(first.high, a.low);
  struct pcf_double_double third = pcf_exact_sum_of(second.high, -low.high);
  *exact &= (b.low == 0) & (first.low == 0 || second.low == 0);
  return pcf_exact_sum_of(third.high, first.low + second.low + third.low - low.low);
}

PCF_HOST_DEVICE struct pcf_exact_slope pcf_exact_slope_of(struct pcf_double_double rise,
                                                          struct pcf_double_double run) {
  struct pcf_exact_slope slope = {{0, 0, 0}, 1};
  slope.part[0] = rise.high / run.high;
  struct pcf_double_double rest = pcf_remainder(rise, slope.part[0], run, &slope.exact);
  if (rest.high == 0) return slope;
  slope.part[1] = rest.high / run.high;
  rest = pcf_remainder(rest, slope.part[1], run, &slope.exact);
  if (rest.high == 0) return slope;
  slope.part[2] = rest.high / run.high;
  slope.exact = 0;
  return slope;
}

/* ---- Lines ---- */

/* The value of a line at time 0, and its slope; one that is not exact counts 1. */
struct pcf_line_term {
  uint64_t value[PCF_LINE_LIMBS], slope[PCF_SLOPE_LIMBS];
  int64_t inexact;
};

/* Magnitude * time, in the unit of values, as three limbs; *cut is set where it is cut to a
 * whole number. */
PCF_HOST_DEVICE void pcf_slopes_at(const uint64_t *magnitude, double time, int reach,
                                   uint64_t *rise, int *cut) {
  uint64_t product[PCF_SLOPE_LIMBS + 1 + PCF_LINE_LIMBS + 1] = {0}, carry = 0, lost = 0;
  int exponent;
  uint64_t mantissa = pcf_mantissa(time, &exponent);
  EACH_LIMB(k, PCF_SLOPE_LIMBS) {
    struct pcf_narrow part = pcf_narrow_product(magnitude[k], mantissa);
    product[k] = part.low + carry;
    carry = part.high + (product[k] < carry);
  }
  product[PCF_SLOPE_LIMBS] = carry;
  int down = reach + PCF_REACH_BITS - exponent, at = down >> 6, within = down & 63;
  if (at > PCF_SLOPE_LIMBS + 1) at = PCF_SLOPE_LIMBS + 1;
  for (int k = 0; k < at && k <= PCF_SLOPE_LIMBS; k++) lost |= product[k];
  EACH_LIMB(k, PCF_LINE_LIMBS) {
    rise[k] = product[at + k] >> within | product[at + k + 1] << 1 << (63 - within);
  }
  *cut |= (lost | (product[at] & ((UINT64_C(1) << within) - 1))) != 0;
}

/* The line with a value and a slope at a time. */
PCF_HOST_DEVICE void pcf_set_line(struct pcf_line_term *line, double value,
                                  const struct pcf_exact_slope *slope, double time, int reach) {
  int slope_unit = PCF_LINE_UNIT - reach - PCF_REACH_BITS, cut = 0, falls = slope->part[0] < 0;
  EACH_LIMB(k, PCF_LINE_LIMBS) line->value[k] = 0;
  EACH_LIMB(k, PCF_SLOPE_LIMBS) line->slope[k] = 0;
  line->inexact = 0;
  pcf_limbs_add_double(line->value, value, PCF_LINE_UNIT, 0, PCF_LINE_LIMBS);
  if (slope->part[0] == 0) return;
  EACH_LIMB(k, 3) {
    cut |=
      pcf_limbs_add_double(line->slope, slope->part[k], slope_unit, falls, PCF_SLOPE_LIMBS);
  }
  uint64_t rise[PCF_LINE_LIMBS];
  pcf_slopes_at(line->slope, time, reach, rise, &cut);
  pcf_limbs_negate(rise, falls == (time < 0), PCF_LINE_LIMBS);
  pcf_limbs_negate(line->slope, falls, PCF_SLOPE_LIMBS);
  pcf_limbs_add(line->value, rise, PCF_LINE_LIMBS);
  line->inexact = cut || !slope->exact;
}

/* Adds what a sum of slopes comes to at a time; returns whether it is cut to a whole number. */
PCF_HOST_DEVICE int pcf_add_rise(uint64_t *sum, const uint64_t *slopes, double time,
                                 int reach) {
  uint64_t magnitude[PCF_SLOPE_LIMBS], rise[PCF_LINE_LIMBS];
  int cut = 0, falls = slopes[PCF_SLOPE_LIMBS - 1] >> 63 != 0;
  EACH_LIMB(k, PCF_SLOPE_LIMBS) magnitude[k] = slopes[k];
  pcf_limbs_negate(magnitude, falls, PCF_SLOPE_LIMBS);
  pcf_slopes_at(magnitude, time, reach, rise, &cut);
  pcf_limbs_negate(rise, falls != (time < 0), PCF_LINE_LIMBS);
  pcf_limbs_add(sum, rise, PCF_LINE_LIMBS);
  return cut;
}

/* ---- What is certain ---- */

/* By how much a sum may be off: of so many inexact lines, and what is cut. */
PCF_HOST_DEVICE uint64_t pcf_line_error(int64_t inexact, int cut) {
  return inexact ? ((uint64_t)inexact << PCF_LINE_ERROR_BITS) + PCF_RISE_ERROR
                 : cut * (uint64_t)PCF_RISE_ERROR;
}

PCF_HOST_DEVICE struct pcf_leading pcf_line_leading(const uint64_t *magnitude) {
  uint64_t low = magnitude[0], middle = magnitude[1], high = magnitude[2];
  if (high) return pcf_leading_of(high, middle | (low != 0), PCF_LINE_UNIT + 64);
  if (middle) return pcf_leading_of(middle, low, PCF_LINE_UNIT);
  return pcf_leading_of(low, 0, PCF_LINE_UNIT - 64);
}

/* Sets *value to the quotient of a sum that may be off by `error`; returns whether it is that
 * of any such sum. */
PCF_HOST_DEVICE int pcf_line_quotient(const uint64_t *sum, uint64_t error,
                                      const struct pcf_divisor *divisor, double *value) {
  uint64_t least[PCF_LINE_LIMBS] = {sum[0], sum[1], sum[2]}, by[PCF_LINE_LIMBS] = {error, 0, 0};
  int negative = sum[2] >> 63 != 0;
  *value = 0;
  pcf_limbs_negate(least, negative, PCF_LINE_LIMBS);
  if ((least[1] | least[2]) == 0 && least[0] <= error) return error == 0;
  uint64_t most[PCF_LINE_LIMBS] = {least[0], least[1], least[2]};
  pcf_limbs_subtract(least, by, PCF_LINE_LIMBS);
  pcf_limbs_add(most, by, PCF_LINE_LIMBS);
  struct pcf_leading low = pcf_line_leading(least), high = pcf_line_leading(most);
  *value = pcf_quotient(low, negative, divisor);
  return (low.digits == high.digits && low.exponent == high.exponent) ||
         *value == pcf_quotient(high, negative, divisor);
}

/* Does a sum bend where slopes change by `change`, in which so many lines that begin or end
 * there are inexact? Where that is not certain, *unsure is set. `steepest` is the exponent of
 * the largest slope, in units of slopes. */
PCF_HOST_DEVICE int pcf_line_bends(const uint64_t *change, int64_t inexact, int steepest,
                                   int *unsure) {
  uint64_t size[PCF_SLOPE_LIMBS], zero[PCF_SLOPE_LIMBS] = {0}, bound[PCF_SLOPE_LIMBS] = {0};
  EACH_LIMB(k, PCF_SLOPE_LIMBS) size[k] = change[k];
  if (inexact == 0) return pcf_limbs_differ(change, zero, PCF_SLOPE_LIMBS);
  pcf_limbs_negate(size, change[PCF_SLOPE_LIMBS - 1] >> 63 != 0, PCF_SLOPE_LIMBS);
  int error = steepest + PCF_SLOPE_ERROR_BITS;
  pcf_limbs_add_double(bound, (double)inexact, error > 2 ? -error : -2, 0, PCF_SLOPE_LIMBS);
  pcf_limbs_subtract(size, bound, PCF_SLOPE_LIMBS);
  *unsure |= size[PCF_SLOPE_LIMBS - 1] >> 63 != 0;
  return 1;
}
