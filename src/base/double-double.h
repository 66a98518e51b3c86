/* Double-double arithmetic: numbers as unevaluated sums of two doubles, good to about 104 bits.
 * Results of sums are so relative to their terms. For magnitudes between 2^-900 and 2^900. */
#ifndef PCF_TWOFOLD_H
#define PCF_TWOFOLD_H

#include <math.h>

struct pcf_twofold {
  double high, low;
};

/* The exact sum where |a| >= |b|, and of any two. */
static inline struct pcf_twofold pcf_ordered_sum(double a, double b) {
  double high = a + b;
  return (struct pcf_twofold){high, b - (high - a)};
}

static inline struct pcf_twofold pcf_exact_sum_of(double a, double b) {
  double high = a + b, part = high - a;
  return (struct pcf_twofold){high, (a - (high - part)) + (b - part)};
}

/* The exact product: Dekker's, from halves, where there is no instruction for it. */
static inline struct pcf_twofold pcf_exact_product(double a, double b) {
  double high = a * b;
#ifdef FP_FAST_FMA
  return (struct pcf_twofold){high, fma(a, b, -high)};
#else
  const double splitter = 134217729; /* 2^27 + 1 */
  double x = splitter * a, y = splitter * b;
  double a_high = x - (x - a), b_high = y - (y - b), a_low = a - a_high, b_low = b - b_high;
  double low = ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low;
  return (struct pcf_twofold){high, low};
#endif
}

static inline struct pcf_twofold pcf_twofold_sum(struct pcf_twofold a, struct pcf_twofold b) {
  struct pcf_twofold sum = pcf_exact_sum_of(a.high, b.high);
  return pcf_ordered_sum(sum.high, sum.low + (a.low + b.low));
}

#endif
