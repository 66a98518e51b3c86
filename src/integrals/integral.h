/* What is integrated over a pair of functions, and how its result is scaled back. */
#pragma once

#include "arithmetic/half-powers.h"
#include "arithmetic/power.h"
#include "base/scalar.h"
#include "collections/weight.h"
#include "integrals/operation.h"

/* If d is a line over a stretch, with c in its middle and c ± h at its ends, and
 * x = steepness · 2h / |c| is at most 1, the mean of |d|^p is
 *
 *   |c|^p Σ C(p, 2k) (h / c)^2k / (2k + 1) = |c|^p (1 + mean_terms[1] x² + mean_terms[2] x⁴ …)
 *
 * where the omitted terms are below 1e-16 of it (single precision: 2e-8). */
enum { PCF_MEAN_TERMS = 5, PCF_MEAN_TERMS_SINGLE = 3 };

/* An integral over [from, to]. When functions are prepared, times are counted from `origin` and
 * divided by 2^time_exponent, and values by 2^value_exponent, so that no product of finite
 * numbers overflows; powers of two change no digit. `from` and `to` are in scaled time. The
 * origin is 0, except in single precision if times are large relative to the time they span: if
 * they are rounded after it is subtracted, they keep their digits.
 * A kernel's result r becomes ldexp(r * factor, exponent). */
struct pcf_integral {
  enum pcf_operation operation;
  enum pcf_precision precision;
  double p, root;  /* the caller's root, of which p may fall short */
  int half_powers; /* 2p if that is a small whole number, so that |f − g|^p takes products and
                      one root; otherwise 0 */
  struct pcf_exponent power; /* p, unless there are half powers */
  double origin, from, to;
  int time_exponent, value_exponent;
  double factor;
  int exponent;
  /* For inner products of values of very different magnitudes, every function has its own
   * exponent, that of its view; the result is then scaled by those of both functions too. */
  int own_exponents;
  int of_units;     /* an inner product of functions whose values are only 0, 1 and −1 */
  int missing_is_0; /* views replace missing values by 0; otherwise they keep them, as NaN */
  /* NULL, or the weight, in scaled time; contributions within its pieces are multiplied by
   * their heights. These are divided by 2^weight_exponent. All functions have a breakpoint
   * where pieces end, and are 0 or missing where the weight is 0. */
  const struct pcf_weight *weight;
  int weight_exponent;
  double steepness, mean_terms[PCF_MEAN_TERMS]; /* if powers are taken, for lines */
};

/* A time of the caller, in scaled time. */
static inline double pcf_integral_time(const struct pcf_integral *integral, double time) {
  return pcf_scaled(time - integral->origin, integral->time_exponent);
}

/* The exponent by which values are scaled of a function with that largest magnitude. */
int pcf_value_exponent(const struct pcf_integral *integral, double magnitude);

/* The size of values: they are 0, or from 2^least to below 2^top. The unit of two functions is
 * 2^(top + 1), for the magnitude of both together: their difference is at most this unit. */
struct pcf_magnitude {
  int top, least;
};

/* The magnitude of zeros. */
#define PCF_NO_MAGNITUDE ((struct pcf_magnitude){-1000, 10000})

static inline struct pcf_magnitude pcf_larger_magnitude(struct pcf_magnitude a,
                                                        struct pcf_magnitude b) {
  return (struct pcf_magnitude){a.top > b.top ? a.top : b.top,
                                a.least < b.least ? a.least : b.least};
}

/* Can functions that are not 0 be in power range (see below)? */
int pcf_may_be_in_power_range(const struct pcf_integral *integral);

/* The magnitude of a function with scaled values and times in these ranges, by their `value`
 * and `least`. If its times are too large or small, its `least` is such that it is never in
 * power range. */
struct pcf_magnitude pcf_magnitude_of(const struct pcf_integral *integral,
                                      const struct pcf_range *values,
                                      const struct pcf_range *times);

/* Two functions are in *power range* if |f − g|^p, relative to their unit, is so far from
 * overflow and underflow that it need not be relative to the supremum. `both` is the magnitude
 * of both together. Units are powers of two, so that numbers relative to them keep their
 * digits, and sums keep theirs if all values are multiplied by a power of two. */
int pcf_in_power_range(const struct pcf_integral *integral, struct pcf_magnitude both);

/* Sets up an integral over functions whose magnitudes are within `range`. `from` and `to` are
 * as the user gave them, from < to, possibly infinite. If functions have values from −∞ on, a
 * window without a start gets one before all of their times; the time before it is not part of
 * the integral. The precision may be raised to double if single cannot represent the result:
 * for L∞, whose stretches may be narrower than single precision resolves; for values of very
 * different magnitudes; for functions that are far apart relative to the time that most of them
 * span; and for windows far wider than the functions. L2 is computed as Lp with p = 2, relative
 * to the supremum, if squares could underflow. Exponents so large that the result is the
 * supremum are treated alike. */
struct pcf_integral pcf_integral(enum pcf_operation operation, double p, double from, double to,
                                 enum pcf_precision precision, const struct pcf_range *range);

/* Can single precision represent integrals with that weight? Its heights must not differ so
 * much that the rounding of times matters. */
int pcf_single_holds_weight(const struct pcf_weight *weight);

/* Adds a weight to an integral. `scaled`, which has room for as many pieces as the weight,
 * becomes the weight of the integral, and must outlive it. */
void pcf_integral_weigh(struct pcf_integral *integral, const struct pcf_weight *weight,
                        struct pcf_weight *scaled);

/* Restricts an integral to the stretches on which both functions of a pair are observed. Before
 * that, a missing value is 0, which is equivalent for functions that are observed on the same
 * stretches, and for inner products. */
void pcf_integrate_overlaps(struct pcf_integral *integral);

/* Converts an integral, weighted or not, to a mean: it is divided by the length of the overlap
 * before the root is taken, so that the unit of time cancels. `length`, in scaled time and
 * weight, is that of all pairs; 1 if the kernel's results are divided by their own. */
void pcf_integral_average(struct pcf_integral *integral, double length);
