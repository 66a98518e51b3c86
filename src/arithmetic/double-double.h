/* Double-double arithmetic: numbers as unevaluated sums of two doubles, good to about 104 bits,
 * in sums relative to their terms. For magnitudes between 2^-900 and 2^900. */
#pragma once

#include "base/host-device.h"

#include <math.h>

struct pcf_double_double {
  double high, low;
};

/* The exact sum where |a| >= |b|, and of any two. */
PCF_HOST_DEVICE struct pcf_double_double pcf_ordered_sum(double a, double b) {
  double high = a + b;
  struct pcf_double_double sum = {high, b - (high - a)};
  return sum;
}

PCF_HOST_DEVICE struct pcf_double_double pcf_exact_sum_of(double a, double b) {
  double high = a + b, part = high - a;
  struct pcf_double_double sum = {high, (a - (high - part)) + (b - part)};
  return sum;
}

/* The exact product: Dekker's, from halves, where there is no instruction for it. */
PCF_HOST_DEVICE struct pcf_double_double pcf_exact_product(double a, double b) {
  double high = a * b;
#ifdef FP_FAST_FMA
  double low = fma(a, b, -high);
#else
  const double splitter = 134217729; /* 2^27 + 1 */
  double x = splitter * a, y = splitter * b;
  double a_high = x - (x - a), b_high = y - (y - b), a_low = a - a_high, b_low = b - b_high;
  double low = ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low;
#endif
  struct pcf_double_double product = {high, low};
  return product;
}

PCF_HOST_DEVICE struct pcf_double_double pcf_double_double_sum(struct pcf_double_double a,
                                                               struct pcf_double_double b) {
  struct pcf_double_double sum = pcf_exact_sum_of(a.high, b.high);
  return pcf_ordered_sum(sum.high, sum.low + (a.low + b.low));
}
