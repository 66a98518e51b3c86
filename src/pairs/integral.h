/* What is integrated over a pair of functions, and how its result is scaled back. */
#pragma once

#include "base/half-powers.h"
#include "base/power.h"
#include "base/scalar.h"
#include "collections/weight.h"
#include "pairs/operation.h"

/* Where d is a line over a stretch, c in its middle and c ± h at its ends, and
 * x = steepness · 2h / |c| is at most 1, the mean of |d|^p is
 *
 *   |c|^p Σ C(p, 2k) (h / c)^2k / (2k + 1) = |c|^p (1 + mean_terms[1] x² + mean_terms[2] x⁴ …)
 *
 * where what is left out is below 1e-16 of it (single: 2e-8). */
enum { PCF_MEAN_TERMS = 5, PCF_MEAN_TERMS_SINGLE = 3 };

/* An integral over [from, to]. Times are taken from `origin` on and divided by 2^time_exponent,
 * and values by 2^value_exponent, when functions are prepared, so that no product of finite
 * numbers overflows; powers of two change no digit. `from` and `to` are in scaled time. The
 * origin is 0, except in single precision where times are large beside what they span: rounded
 * after it is subtracted, they keep their digits.
 * A kernel's result r becomes ldexp(r * factor, exponent). */
struct pcf_integral {
  enum pcf_operation operation;
  enum pcf_precision precision;
  double p;
  int half_powers; /* 2p where that is a small whole number, so that |f − g|^p takes products
                      and one root; otherwise 0 */
  struct pcf_exponent power; /* p, where there are no half powers */
  double origin, from, to;
  int time_exponent, value_exponent;
  double factor;
  int exponent;
  /* For inner products of values of very different magnitudes every function has an exponent of
   * its own, that of its view; the result is then scaled by those of both functions too. */
  int own_exponents;
  int of_units;     /* an inner product of functions whose values are 0, 1 and −1 alone */
  int missing_is_0; /* what views make of missing values; if not, they keep them, as NaN */
  /* NULL, or the weight, in scaled time; what functions have in its pieces is multiplied by
   * their heights. These are divided by 2^weight_exponent. All functions have a breakpoint
   * where pieces end, and are 0 or missing where the weight is 0. */
  const struct pcf_weight *weight;
  int weight_exponent;
  double steepness, mean_terms[PCF_MEAN_TERMS]; /* where powers are taken, for lines */
};

/* The exponent by which the values of a function are scaled whose largest magnitude that is. */
int pcf_value_exponent(const struct pcf_integral *integral, double magnitude);

/* The size of values: they are 0, or from 2^least to below 2^top. The unit of two functions is
 * 2^(top + 1), of the magnitude of both together: their difference is not above it. */
struct pcf_magnitude {
  int top, least;
};

/* That of zeros. */
#define PCF_NO_MAGNITUDE ((struct pcf_magnitude){-1000, 10000})

static inline struct pcf_magnitude pcf_larger_magnitude(struct pcf_magnitude a,
                                                        struct pcf_magnitude b) {
  return (struct pcf_magnitude){a.top > b.top ? a.top : b.top,
                                a.least < b.least ? a.least : b.least};
}

/* Can functions with other values than 0 be in power range (see below)? */
int pcf_may_be_in_power_range(const struct pcf_integral *integral);

/* The magnitude of a function with scaled values and times in these ranges, by their `value`
 * and `least`. Where its times are too large or small, it has a `least` that is never in power
 * range. */
struct pcf_magnitude pcf_magnitude_of(const struct pcf_integral *integral,
                                      const struct pcf_range *values,
                                      const struct pcf_range *times);

/* Two functions are in *power range* if |f − g|^p, relative to their unit, stays so far from
 * overflowing and vanishing that it need not be relative to the supremum. `both` is the
 * magnitude of both together. Units are powers of two: relative to them numbers keep their
 * digits, and sums theirs when all values are multiplied by one. */
int pcf_in_power_range(const struct pcf_integral *integral, struct pcf_magnitude both);

/* Sets up an integral over functions whose magnitudes are within `range`. `from` and `to` are
 * as the user gave them, from < to, infinite ones included. Where functions have values from −∞
 * on, a window without a start gets one before all of their times; what comes before it is not
 * part of the integral. The precision may be raised to
 * double where single cannot hold the result: for L∞, whose stretches may be narrower than
 * single precision resolves, for values of very different magnitudes, for functions that are
 * far apart beside what most of them span, and for windows far wider than the functions. L2 is
 * computed as Lp with p = 2, relative to the supremum, where squares could vanish, and
 * exponents so large that the result is the supremum are all the same. */
struct pcf_integral pcf_integral(enum pcf_operation operation, double p, double from, double to,
                                 enum pcf_precision precision, const struct pcf_range *range);

/* Can single precision hold integrals with that weight? Its heights must not differ so much
 * that what times lose by rounding counts. */
int pcf_single_holds_weight(const struct pcf_weight *weight);

/* Makes an integral that was set up a weighted one. `scaled`, which has room for as many pieces
 * as the weight, becomes that of the integral, and must stay. */
void pcf_integral_weigh(struct pcf_integral *integral, const struct pcf_weight *weight,
                        struct pcf_weight *scaled);

/* Makes an integral one over the stretches on which both functions of a pair are observed. As
 * it is set up, a missing value is 0, which comes to the same for functions that are observed
 * on the same stretches, and for inner products. */
void pcf_integrate_overlaps(struct pcf_integral *integral);

/* Makes an integral, weighted or not, that of a mean: it is divided by the length of the
 * overlap before the root is taken, so that the unit of time cancels. `length`, in scaled time
 * and weight, is that of all pairs; 1 where the kernel's results are divided by their own. */
void pcf_integral_average(struct pcf_integral *integral, double length);
