/* What a line adds to exact sums of two and three limbs (algebra/summing.h), on hosts and
 * devices. */
#pragma once

#include "algebra/fixed.h"

/* A sum of slopes. */
struct pcf_three {
  uint64_t low, middle, high;
};

PCF_HOST_DEVICE struct pcf_three pcf_three_sum(struct pcf_three a, struct pcf_three b) {
  struct pcf_three sum = {a.low + b.low, a.middle + b.middle, a.high + b.high};
  uint64_t carry = sum.low < a.low, next = sum.middle < a.middle;
  sum.middle += carry;
  sum.high += next + (sum.middle < carry);
  return sum;
}

PCF_HOST_DEVICE struct pcf_three pcf_three_difference(struct pcf_three a, struct pcf_three b) {
  struct pcf_three negative = {~b.low, ~b.middle, ~b.high}, one = {1, 0, 0};
  return pcf_three_sum(a, pcf_three_sum(negative, one));
}

/* mantissa · 2^shift. */
PCF_HOST_DEVICE struct pcf_three pcf_three_of(uint64_t mantissa, int shift) {
  struct pcf_narrow x = {mantissa, 0};
  x = pcf_narrow_shift(x, shift & 63);
  int at = shift >> 6;
  struct pcf_three three = {at == 0 ? x.low : 0,
                            at == 0   ? x.high
                            : at == 1 ? x.low
                                      : 0,
                            at == 1   ? x.high
                            : at == 2 ? x.low
                                      : 0};
  return three;
}

/* A line through (time, value); its slope is mantissa · 2^exponent. */
struct pcf_line_term {
  double time, value;
  uint64_t mantissa;
  int exponent, falls;
};

/* Sets the slope, cut to a multiple of 2^unit. */
PCF_HOST_DEVICE void pcf_set_slope(struct pcf_line_term *line, double slope, int unit) {
  line->mantissa = pcf_mantissa(slope, &line->exponent);
  line->falls = slope < 0;
  int below = unit - line->exponent;
  if (below <= 0) return;
  line->mantissa = below < 64 ? line->mantissa >> below : 0;
  line->exponent = unit;
}

PCF_HOST_DEVICE struct pcf_three pcf_slope_of_line(const struct pcf_line_term *line, int unit) {
  struct pcf_three zero = {0, 0, 0};
  if (line->mantissa == 0) return zero;
  struct pcf_three slope = pcf_three_of(line->mantissa, line->exponent - unit);
  return line->falls ? pcf_three_difference(zero, slope) : slope;
}

/* The value at time 0. */
PCF_HOST_DEVICE struct pcf_narrow pcf_start_of_line(const struct pcf_line_term *line,
                                                    int unit) {
  struct pcf_narrow value = pcf_narrow_of(line->value, unit);
  if (line->mantissa == 0) return value;
  int exponent;
  uint64_t mantissa = pcf_mantissa(line->time, &exponent);
  struct pcf_narrow product = pcf_narrow_product(line->mantissa, mantissa);
  product = pcf_narrow_shift(product, line->exponent + exponent - unit);
  return line->falls == (line->time < 0) ? pcf_narrow_difference(value, product)
                                         : pcf_narrow_sum(value, product);
}

/* What slopes come to at a time, cut to a whole number. */
PCF_HOST_DEVICE struct pcf_narrow pcf_rise(struct pcf_three slopes, double time, int slope_unit,
                                           int unit) {
  struct pcf_three zero = {0, 0, 0};
  struct pcf_narrow rise = {0, 0}, none = {0, 0};
  int exponent, falls = slopes.high >> 63 != 0;
  uint64_t mantissa = pcf_mantissa(time, &exponent);
  if (falls) slopes = pcf_three_difference(zero, slopes);
  uint64_t limb[3] = {slopes.low, slopes.middle, slopes.high};
  int shift = exponent + slope_unit - unit;
  for (int k = 0; k < 3; k++, shift += 64) {
    struct pcf_narrow product = pcf_narrow_product(limb[k], mantissa);
    rise = pcf_narrow_sum(rise, pcf_narrow_shift(product, shift));
  }
  return falls == (time < 0) ? rise : pcf_narrow_difference(none, rise);
}
