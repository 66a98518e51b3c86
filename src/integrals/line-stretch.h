/* The contribution of a stretch of time on which two functions are straight lines. If both are
 * constant, it is that of pcf_combine(). */
#pragma once

#include "integrals/operation.h"

#include <float.h>

/* A line over a stretch: its value in the middle, and half of its rise from start to end. */
struct pcf_line {
  double middle, half;
};

static inline struct pcf_line pcf_line_difference(struct pcf_line f, struct pcf_line g) {
  return (struct pcf_line){f.middle - g.middle, f.half - g.half};
}

/* The mean over the stretch of pcf_combine() at each of its times or, for suprema and if the
 * operation takes powers, its supremum. All terms have the same sign, except those of inner
 * products. For operations that lines have. */
static inline double pcf_combine_lines(int operation, struct pcf_line f, struct pcf_line g) {
  struct pcf_line d = pcf_line_difference(f, g);
  double middle = fabs(d.middle), half = fabs(d.half), third = 1.0 / 3;
  double larger = PCF_LARGER(half, middle); /* if |d| is 0 at some time, half of the rise */
  switch (operation) {
  case PCF_L1: return 0.5 * (larger + middle * (middle / PCF_LARGER(larger, DBL_MIN)));
  case PCF_L1_PARTIAL: return PCF_KNOWN(pcf_combine_lines(PCF_L1, f, g));
  case PCF_L2: return middle * middle + half * half * third;
  case PCF_L2_PARTIAL: return PCF_KNOWN(middle * middle + half * half * third);
  case PCF_INNER: return f.middle * g.middle + f.half * g.half * third;
  }
  return middle + half;
}

/* The mean of |d|^p over a stretch on which d goes from a to b; 0 if d is missing. It is
 *
 *   (b |b|^p − a |a|^p) / ((p + 1) (b − a)),
 *
 * unless d is flat relative to its value c in the middle, so that digits would cancel; then it
 * is |c|^p Σ C(p, 2k) (h / c)^2k / (2k + 1), where h is half of the rise. */
static inline double pcf_mean_of_powers(struct pcf_line d, double p, int half_powers) {
  enum { TERMS = 5 }; /* the omitted terms are below 1e-17 */
  static const double most = 0.1;
  double c = fabs(d.middle), h = fabs(d.half), sum = 1, term = 1;
  if (!(c + h > 0)) return 0;
  if ((p + 1) * h > most * c) {
    double a = d.middle - d.half, b = d.middle + d.half;
    double ends =
      b * pcf_power(fabs(b), p, half_powers) - a * pcf_power(fabs(a), p, half_powers);
    return PCF_KNOWN(ends / ((p + 1) * (2 * d.half)));
  }
  for (int k = 1; k < TERMS; k++) {
    term *= (p - 2 * k + 2) * (p - 2 * k + 1) / (2 * k * (2 * k - 1)) * (h / c * (h / c));
    sum += term / (2 * k + 1);
  }
  return pcf_power(c, p, half_powers) * sum;
}
