/* What a stretch of time adds on which two functions are straight lines, by their values at its
 * two ends. All terms of an integral have one sign, and where both functions are constant it is
 * what pcf_combine() gives. */
#ifndef PCF_LINE_STRETCH_H
#define PCF_LINE_STRETCH_H

#include "pairs/operation.h"

/* The values of two functions, one at the start of the stretch and one at its end. */
struct pcf_line_ends {
  double f[2], g[2];
};

/* The mean over the stretch of what pcf_combine() gives at each of its times; of suprema, and
 * where the operation takes powers, its supremum. Not for relative distances. */
static inline double pcf_combine_lines(int operation, const struct pcf_line_ends *ends) {
  double a = ends->f[0] - ends->g[0], b = ends->f[1] - ends->g[1];
  double size = fabs(a) + fabs(b), middle = (a + b) / 2;
  switch (operation) {
  case PCF_L1:
  case PCF_L1_PARTIAL: return size > 0 ? size / 2 + fmin(a * (b / size), 0) : 0;
  case PCF_L2: return middle * middle + (b - a) * (b - a) / 12;
  case PCF_L2_PARTIAL: return PCF_KNOWN(middle * middle + (b - a) * (b - a) / 12);
  case PCF_INNER:
    return (ends->f[0] + ends->f[1]) / 2 * ((ends->g[0] + ends->g[1]) / 2) +
           (ends->f[1] - ends->f[0]) * (ends->g[1] - ends->g[0]) / 12;
  }
  return PCF_LARGER(fabs(a), fabs(b));
}

/* The mean of |d|^p where d goes from a to b: |b|^p (1 − r|r|^p) / ((p + 1)(1 − r)), where b is
 * the larger one and r = a / b. Where r is so near to 1 that digits would cancel, it is the sum
 * of |b|^p (−1)^k C(p, k) q^k / (k + 1) for q = 1 − r: with the powers that are kept, what is
 * left out is below 1e-17 of it. 0 where a and b are missing. */
static inline double pcf_mean_of_powers(double a, double b, double p, int half_powers) {
  enum { POWERS = 10 };
  static const double near = 0.1;
  double larger = fabs(a) > fabs(b) ? a : b, smaller = fabs(a) > fabs(b) ? b : a;
  if (!(fabs(larger) > 0)) return 0;
  double power = pcf_power(fabs(larger), p, half_powers);
  double ratio = smaller / larger, q = (larger - smaller) / larger, sum = 1, term = 1;
  if ((p + 1) * q >= near) {
    double rest = ratio * pcf_power(fabs(ratio), p, half_powers);
    return power * ((1 - rest) / ((p + 1) * q));
  }
  for (int k = 1; k <= POWERS; k++) {
    term *= (k - 1 - p) / k * q;
    sum += term / (k + 1);
  }
  return power * sum;
}

#endif
