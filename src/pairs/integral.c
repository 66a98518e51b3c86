#include "pairs/integral.h"

#include <math.h>
#include <stdlib.h>

/* Exponents that need no scaling, whatever is multiplied: for double (2·2^300)² · 2·2^300 is
 * finite and the square of 2^-300 · 2^-53 is not 0. In single precision values are always
 * scaled, and times too, except of relative operations: their powers are at most 1, and their
 * root would not leave the digits of scaled times alone. */
enum { DOUBLE_SAFE_EXPONENT = 300, SINGLE_SAFE_RELATIVE_TIME = 40, MOST_HALF_POWERS = 64 };

/* By which power of two values, and times and a window, may differ in single precision: beside
 * a factor of that size in the other, neither they nor their squares vanish. */
enum { SINGLE_VALUES = 60, SINGLE_SQUARES = 40, SINGLE_WINDOW = 60 };

/* So many times what they span times may be in single precision, which rounds them: integrals
 * lose as many of the digits that rounding leaves. */
enum { SINGLE_SPANS = 4 };

/* Of moderate pairs |f − g|^p, relative to the unit of the pair, is 0 or at least
 * 2^-MODERATE_POWER, and a stretch, or half of one, at least 2^-MODERATE_LENGTH long: their
 * products are normal numbers. Of numbers that are 0 or at least x the difference is 0 or at
 * least 2^-53 x, and so 0 or at least 2^-(MODERATE_SPREAD + 1) of the unit, as a table of
 * powers has it. 2^±MOST_TOP are normal numbers as well. */
enum { MODERATE_POWER = 600, MODERATE_SPREAD = 230, MODERATE_LENGTH = 400 };
enum { DIGITS = 53, MOST_TOP = 1000 };

/* The least exponent of what is never moderate. */
enum { NEVER_MODERATE = -10000 };

/* Powers beyond these make the distance the supremum, to all digits, and of a number next to 1
 * they would leave nothing. */
enum { DOUBLE_MOST_POWER = 60, SINGLE_MOST_POWER = 28 };

static double time_magnitude(double from, double to, const struct pcf_range *range);
static double start_before(double magnitude);
static int single_holds(enum pcf_operation operation, double from, double to,
                        const struct pcf_range *range);
static int values_differ_much(const struct pcf_range *range);
static int scale_exponent(double magnitude, int safe);
static void scale_back(struct pcf_integral *integral);

struct pcf_integral pcf_integral(enum pcf_operation operation, double p, double from, double to,
                                 enum pcf_precision precision, const struct pcf_range *range) {
  if (!single_holds(operation, from, to, range)) precision = PCF_DOUBLE;
  int single = precision != PCF_DOUBLE, differ = !single && values_differ_much(range);
  if (operation == PCF_L2 && differ) {
    operation = PCF_LP;
    p = 2;
  }
  struct pcf_integral integral = {.operation = operation, .p = p, .precision = precision};
  if (pcf_is_relative(operation)) {
    integral.p = fmin(p, ldexp(1, single ? SINGLE_MOST_POWER : DOUBLE_MOST_POWER));
    integral.half_powers = pcf_half_powers(p);
    integral.power = pcf_exponent(integral.p, single);
  }
  integral.own_exponents = operation == PCF_INNER && differ;
  integral.of_units = operation == PCF_INNER && range->value == 1 && range->least == 1;
  integral.missing_is_0 = range->missing;
  int safe = single ? 0 : DOUBLE_SAFE_EXPONENT, safe_time = safe;
  if (single && pcf_is_relative(operation)) safe_time = SINGLE_SAFE_RELATIVE_TIME;
  integral.time_exponent = scale_exponent(time_magnitude(from, to, range), safe_time);
  if (!integral.own_exponents) integral.value_exponent = scale_exponent(range->value, safe);
  if (range->endless && from == -INFINITY) {
    integral.from =
      start_before(ldexp(time_magnitude(from, to, range), -integral.time_exponent));
  } else {
    integral.from = ldexp(from, -integral.time_exponent);
  }
  integral.to = ldexp(to, -integral.time_exponent);
  scale_back(&integral);
  return integral;
}

/* The largest of the finite ends of the window; 0 if there is none. */
static double window_magnitude(double from, double to) {
  return fmax(isfinite(from) ? fabs(from) : 0, isfinite(to) ? fabs(to) : 0);
}

/* The times outside of a window that is bounded on both sides do not matter: they are clipped,
 * also where they overflow when they are scaled. */
static double time_magnitude(double from, double to, const struct pcf_range *range) {
  double window = window_magnitude(from, to);
  return isfinite(from) && isfinite(to) ? window : fmax(window, pcf_range_time(range));
}

/* A time before all of that magnitude. */
static double start_before(double magnitude) {
  return magnitude > 0 ? -2 * magnitude : -1;
}

void pcf_integrate_overlaps(struct pcf_integral *integral) {
  if (integral->operation == PCF_INNER) return;
  integral->operation = (enum pcf_operation)pcf_partial_form(integral->operation);
  integral->missing_is_0 = 0;
}

/* Are the times at which something happens in the window not far beyond what they span? Where
 * that is one time or none, the stretch after it counts, or the whole window. */
static int single_resolves(double from, double to, const struct pcf_range *range) {
  double begin = range->first > to ? from : fmax(range->first, from);
  double end = range->last > begin ? fmin(range->last, to) : to;
  return !isfinite(begin) || !isfinite(end) ||
         fmax(fabs(begin), fabs(end)) <= SINGLE_SPANS * (end - begin);
}

/* Can single precision hold the values and their powers beside each other, the times, and the
 * stretches beside the window? A supremum may be that of a stretch which it does not resolve.
 */
static int single_holds(enum pcf_operation operation, double from, double to,
                        const struct pcf_range *range) {
  int linear = pcf_degree(operation, 2) == 1, apart = linear ? SINGLE_VALUES : SINGLE_SQUARES;
  if (pcf_is_supremum(operation) || range->least < ldexp(range->value, -apart)) return 0;
  if (!single_resolves(from, to, range)) return 0;
  double time = pcf_range_time(range);
  return time == 0 || window_magnitude(from, to) <= ldexp(time, SINGLE_WINDOW);
}

int pcf_value_exponent(const struct pcf_collection *x, int64_t i,
                       const struct pcf_integral *integral) {
  if (!integral->own_exponents) return integral->value_exponent;
  struct pcf_range range = PCF_EMPTY_RANGE;
  pcf_widen_range(&range, pcf_values(x, i), pcf_breakpoints(x, i));
  return scale_exponent(range.value, 0);
}

int pcf_may_be_moderate(const struct pcf_integral *integral) {
  return integral->precision == PCF_DOUBLE && integral->time_exponent == 0 &&
         integral->p * DIGITS <= MODERATE_POWER;
}

static int times_are_moderate(const struct pcf_integral *integral,
                              const struct pcf_range *times) {
  const double least = ldexp(1, DIGITS + 1 - MODERATE_LENGTH);
  return times->least >= least && (integral->from == 0 || fabs(integral->from) >= least) &&
         (integral->to == 0 || fabs(integral->to) >= least);
}

struct pcf_magnitude pcf_magnitude_of(const struct pcf_integral *integral,
                                      const struct pcf_range *values,
                                      const struct pcf_range *times) {
  struct pcf_magnitude magnitude = PCF_NO_MAGNITUDE;
  if (values->value > 0) {
    frexp(values->value, &magnitude.top);
    frexp(values->least, &magnitude.least);
    magnitude.least--;
  }
  if (!pcf_may_be_moderate(integral) || abs(magnitude.top) > MOST_TOP ||
      !times_are_moderate(integral, times)) {
    magnitude.least = NEVER_MODERATE;
  }
  return magnitude;
}

int pcf_is_moderate(const struct pcf_integral *integral, struct pcf_magnitude both) {
  int spread = both.top - both.least + DIGITS;
  return spread <= MODERATE_SPREAD && integral->p * spread <= MODERATE_POWER;
}

/* Could products or squares of the values overflow, or vanish next to others? */
static int values_differ_much(const struct pcf_range *range) {
  return range->value > ldexp(1, DOUBLE_SAFE_EXPONENT) ||
         range->least < ldexp(1, -DOUBLE_SAFE_EXPONENT);
}

int pcf_half_powers(double p) {
  return 2 * p <= MOST_HALF_POWERS && 2 * p == floor(2 * p) ? (int)(2 * p) : 0;
}

/* By which power of two to divide: so that large magnitudes come to at most 2^safe, which
 * leaves most room for small ones, and small magnitudes to 1. It is even, so that the square
 * root of the time's is a power of two as well. */
static int scale_exponent(double magnitude, int safe) {
  if (magnitude == 0) return 0;
  int exponent;
  frexp(magnitude, &exponent);
  if (abs(exponent) <= safe) return 0;
  if (exponent > 0) exponent -= safe;
  return exponent + (exponent & 1);
}

/* A time's factor comes out of the integral, and then of the root; a value's out of `degree`
 * factors, and then of the root. */
static void scale_back(struct pcf_integral *integral) {
  double root = pcf_root(integral->operation, integral->p);
  double values =
    integral->value_exponent * (pcf_degree(integral->operation, integral->p) / root);
  double times = pcf_is_supremum(integral->operation) ? 0 : integral->time_exponent / root;
  double whole = floor(times);
  integral->factor = exp2(times - whole);
  integral->exponent = (int)(values + whole);
}
