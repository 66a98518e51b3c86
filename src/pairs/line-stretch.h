/* What a stretch of time adds on which two functions are straight lines. Where both are
 * constant it is what pcf_combine() gives. */
#ifndef PCF_LINE_STRETCH_H
#define PCF_LINE_STRETCH_H

#include "pairs/operation.h"

#include <float.h>

/* A line over a stretch: its value in the middle, and half of its rise from start to end. */
struct pcf_line {
  double middle, half;
};

static inline struct pcf_line pcf_line_difference(struct pcf_line f, struct pcf_line g) {
  return (struct pcf_line){f.middle - g.middle, f.half - g.half};
}

/* The mean over the stretch of what pcf_combine() gives at each of its times; of suprema, and
 * where the operation takes powers, its supremum. No term has another sign than the others, but
 * those of inner products. Not for relative distances. */
static inline double pcf_combine_lines(int operation, struct pcf_line f, struct pcf_line g) {
  struct pcf_line d = pcf_line_difference(f, g);
  double middle = fabs(d.middle), half = fabs(d.half), third = 1.0 / 3;
  double larger = PCF_LARGER(half, middle); /* where |d| is 0 at some time, half of the rise */
  switch (operation) {
  case PCF_L1: return 0.5 * (larger + middle * (middle / PCF_LARGER(larger, DBL_MIN)));
  case PCF_L1_PARTIAL: return PCF_KNOWN(pcf_combine_lines(PCF_L1, f, g));
  case PCF_L2: return middle * middle + half * half * third;
  case PCF_L2_PARTIAL: return PCF_KNOWN(middle * middle + half * half * third);
  case PCF_INNER: return f.middle * g.middle + f.half * g.half * third;
  }
  return middle + half;
}

/* The mean of |d|^p over the stretch, from two powers. Where d goes from a to b that is
 *
 *   (b |b|^p − a |a|^p) / ((p + 1) (b − a)),
 *
 * unless it is flat beside its value c in the middle, so that digits would cancel: then it is
 * |c|^p Σ C(p, 2k) (h / c)^2k / (2k + 1), h being half of the rise. */
struct pcf_mean_power {
  struct pcf_line d;
  int flat;
  double base[2]; /* of which the powers are taken: of |c|, or of |a|; and of |b| */
};

static inline struct pcf_mean_power pcf_mean_power_of(struct pcf_line d, double p) {
  static const double most = 0.1;
  double a = fabs(d.middle - d.half), b = fabs(d.middle + d.half), c = fabs(d.middle);
  int flat = (p + 1) * fabs(d.half) <= most * c;
  double first = flat ? c : a;
  return (struct pcf_mean_power){d, flat, {first > 0 ? first : 0, b > 0 ? b : 0}};
}

/* That mean: 0 where d is missing. */
static inline double pcf_mean_from_powers(const struct pcf_mean_power *mean, double p,
                                          const double power[2]) {
  enum { TERMS = 5 }; /* what is left out is below 1e-17 */
  double h = mean->d.half, c = mean->d.middle, square = c != 0 ? h / c * (h / c) : 0;
  if (!mean->flat) {
    double rise = (p + 1) * (2 * h), far = (c + h) * power[1] - (c - h) * power[0];
    return PCF_KNOWN(far / rise);
  }
  double term = 1, sum = 1;
  for (int k = 1; k < TERMS; k++) {
    term *= (p - 2 * k + 2) * (p - 2 * k + 1) / (2 * k * (2 * k - 1)) * square;
    sum += term / (2 * k + 1);
  }
  return power[0] * sum;
}

static inline double pcf_mean_of_powers(struct pcf_line d, double p, int half_powers) {
  struct pcf_mean_power mean = pcf_mean_power_of(d, p);
  const double power[] = {pcf_power(mean.base[0], p, half_powers),
                          pcf_power(mean.base[1], p, half_powers)};
  return pcf_mean_from_powers(&mean, p, power);
}

#endif
