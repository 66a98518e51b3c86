#include "integrals/integral.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Exponents that need no scaling, whatever is multiplied: for double (2·2^300)² · 2·2^300 is
 * finite and the square of 2^-300 · 2^-53 is not 0. In single precision values are always
 * scaled, and times too, except where powers are taken: these are at most 1, and their
 * root would not leave the digits of scaled times alone. */
enum { DOUBLE_SAFE_EXPONENT = 300, SINGLE_SAFE_POWER_TIME = 40 };

/* Squares of values, times widths, vanish earlier: where all are smaller than this, in double,
 * they are scaled. */
enum { DOUBLE_SMALL_SQUARES = -100 };

/* The same of values whose unit does not matter, in double: small ones are not to vanish beside
 * large ones, and the difference of two is finite. For suprema, which take no products, the
 * same holds for times: the slopes of lines are left as they are, unless they would vanish. */
enum { DOUBLE_SAFE_WITHOUT_UNIT = 1022, DOUBLE_SAFE_SLOPE = 1000 };

/* By which power of two values, and times and a window, may differ in single precision: beside
 * a factor of that size in the other, neither they nor their squares vanish. */
enum { SINGLE_VALUES = 60, SINGLE_SQUARES = 40, SINGLE_WINDOW = 60 };

/* Rounding times that are k times as large as what they span costs integrals log2(k) bits. In
 * single precision, where k is above SINGLE_SPANS they are counted from an origin among them,
 * and they may be up to 2^SINGLE_APART times as large as what most functions span. */
enum { SINGLE_SPANS = 4, SINGLE_APART = 6 };

/* Less a number below this power of two, no number overflows. */
enum { SINGLE_ORIGIN = 900 };

/* Of pairs in power range |f − g|^p, relative to the unit of the pair, is 0 or at least
 * 2^-POWER_RANGE, and a stretch, or half of one, at least 2^-LENGTH_RANGE long: their
 * products are normal numbers. Of numbers that are 0 or at least x the difference is 0 or at
 * least 2^-53 x, and so 0 or at least 2^-(SPREAD_RANGE + 1) of the unit, as a table of
 * powers has it. 2^±MOST_TOP are normal numbers as well. */
enum { POWER_RANGE = 600, SPREAD_RANGE = 230, LENGTH_RANGE = 400 };
enum { DIGITS = 53, MOST_TOP = 1000 };

/* Heights of weights that are between 2^-n and 2^n are not scaled. Of pairs in power range they
 * are between 2^±HEIGHT_RANGE, so that products with them are normal numbers, too. */
enum { DOUBLE_SAFE_HEIGHT = 60, SINGLE_SAFE_HEIGHT = 4, HEIGHT_RANGE = 20 };

/* By which factor heights may differ in single precision. */
static const double single_heights = 100;

/* The least exponent of what is never in power range. */
enum { NEVER_IN_RANGE = -10000 };

/* Powers beyond these make the distance the supremum, to all digits, and of a number next to 1
 * they would leave nothing. */
enum { DOUBLE_MOST_POWER = 60, SINGLE_MOST_POWER = 28 };

/* The times of an integral, from `origin` on. */
struct times {
  double origin;
  double from, to;    /* the window */
  double first, last; /* the times of functions are between these; 0 if there are none */
  double matter;      /* the largest that matters; ∞ where results are 0 or infinite */
};

static struct times times_of_changes(double from, double to,
                                     const struct pcf_change_times *changes);
static double time_magnitude(const struct times *times);
static int exponent_of_times(const struct times *times, int lines, int small, int safe);
static int single_holds(enum pcf_operation operation, const struct times *times,
                        const struct pcf_range *range);
static int values_differ_much(const struct pcf_range *range);
static int differences_are_tiny(const struct pcf_range *range);
static void find_mean_terms(struct pcf_integral *integral);
static int scale_exponent(double magnitude, int small, int safe);
static int exponent_of_flat(const struct pcf_range *range);
static void scale_back(struct pcf_integral *integral);

struct pcf_integral pcf_integral(enum pcf_operation operation, double p, double from, double to,
                                 enum pcf_precision precision, const struct pcf_range *range) {
  struct times times = times_of_changes(from, to, &range->changes);
  if (!single_holds(operation, &times, range)) precision = PCF_DOUBLE;
  if (precision == PCF_DOUBLE) {
    times = (struct times){.from = from, .to = to};
    if (range->first <= range->last) times.first = range->first, times.last = range->last;
  }
  int single = precision != PCF_DOUBLE, differ = !single && values_differ_much(range);
  if (operation == PCF_L2 && differ) {
    operation = PCF_LP;
    p = 2;
  }
  struct pcf_integral integral = {
    .operation = operation, .p = p, .precision = precision, .origin = times.origin};
  integral.root = pcf_root(operation, p);
  if (pcf_takes_powers(operation)) {
    integral.p = fmin(p, ldexp(1, single ? SINGLE_MOST_POWER : DOUBLE_MOST_POWER));
    integral.half_powers = pcf_half_powers(p);
    integral.power = pcf_exponent(integral.p, single);
    find_mean_terms(&integral);
  }
  integral.own_exponents = operation == PCF_INNER && differ;
  integral.of_units = operation == PCF_INNER && range->value == 1 && range->least == 1;
  integral.missing_is_0 = range->missing;
  int safe = single ? 0 : DOUBLE_SAFE_EXPONENT, safe_time = safe, safe_value = safe;
  if (single && pcf_takes_powers(operation)) safe_time = SINGLE_SAFE_POWER_TIME;
  if (!single && pcf_degree(operation, p) == 0) safe_value = DOUBLE_SAFE_WITHOUT_UNIT;
  if (pcf_is_supremum(operation)) safe_time = safe_value = DOUBLE_SAFE_WITHOUT_UNIT;
  int squares = !single && pcf_degree(operation, p) == 2 && !pcf_takes_powers(operation);
  int small_time = squares ? DOUBLE_SMALL_SQUARES : -safe_time;
  int small_value = squares ? DOUBLE_SMALL_SQUARES : -safe_value;
  integral.time_exponent = exponent_of_times(&times, range->slope > 0, small_time, safe_time);
  if (!integral.own_exponents) {
    integral.value_exponent = scale_exponent(range->value, small_value, safe_value);
    int tiny = operation == PCF_L1 && !single && differences_are_tiny(range);
    if (tiny && integral.value_exponent == 0) integral.value_exponent = -safe_value;
    int flat = range->value < ldexp(time_magnitude(&times), -DOUBLE_SAFE_SLOPE);
    if (pcf_is_supremum(operation) && flat) integral.value_exponent = exponent_of_flat(range);
  }
  integral.from = ldexp(times.from, -integral.time_exponent);
  if (range->endless && from == -INFINITY) { /* before all times */
    double magnitude = ldexp(time_magnitude(&times), -integral.time_exponent);
    integral.from = magnitude > 0 ? -2 * magnitude : -1;
  }
  integral.to = ldexp(times.to, -integral.time_exponent);
  scale_back(&integral);
  return integral;
}

/* ---- Times ---- */

/* The times that matter are those at which something changes in the window; where that is one
 * time, the stretch after it matters, too, and where it is none, the whole window. The origin
 * is the first of them, so that the same times have the same numbers whatever they are counted
 * from; times that are not large beside what they span are left as they are. */
static struct times times_of_changes(double from, double to,
                                     const struct pcf_change_times *changes) {
  double begin = changes->first < to ? fmax(changes->first, from) : from;
  double end = changes->last > begin ? fmin(changes->last, to) : to;
  double matter = fmax(fabs(begin), fabs(end)), origin = 0;
  if (isfinite(matter) && matter > SINGLE_SPANS * (end - begin)) {
    origin = begin;
    matter = end - begin;
  }
  struct times times = {
    .origin = origin, .from = from - origin, .to = to - origin, .matter = matter};
  if (changes->first <= changes->last) {
    times.first = changes->first - origin;
    times.last = changes->last - origin;
  }
  return times;
}

/* The largest of the finite ends of the window; 0 if there is none. */
static double window_magnitude(const struct times *times) {
  return fmax(isfinite(times->from) ? fabs(times->from) : 0,
              isfinite(times->to) ? fabs(times->to) : 0);
}

static double clipped(const struct times *times, double time) {
  return fmin(fmax(time, times->from), times->to);
}

/* The times outside of the window do not matter: they are clipped, also where they overflow
 * when they are scaled. */
static double time_magnitude(const struct times *times) {
  double first = fabs(clipped(times, times->first)), last = fabs(clipped(times, times->last));
  return fmax(window_magnitude(times), fmax(first, last));
}

static double largest_time(const struct times *times) {
  return fmax(fabs(times->first), fabs(times->last));
}

/* By which power of two to divide times. Lines that reach out of the window have their slopes
 * from outside: what they span there is to be finite, too. */
static int exponent_of_times(const struct times *times, int lines, int small, int safe) {
  int exponent = scale_exponent(time_magnitude(times), small, safe), of_largest;
  frexp(largest_time(times), &of_largest);
  int least = of_largest - (DBL_MAX_EXP - 1);
  return lines && exponent < least ? least + (least & 1) : exponent;
}

void pcf_integrate_overlaps(struct pcf_integral *integral) {
  if (integral->operation == PCF_INNER) return;
  integral->operation = (enum pcf_operation)pcf_partial_form(integral->operation);
  integral->missing_is_0 = 0;
}

/* ---- Single precision ---- */

/* Do most functions span enough of the times that matter, and all so much that their times do
 * not vanish? Sums of exponents are the same in any order. */
static int single_resolves(const struct times *times, const struct pcf_change_times *changes) {
  int exponent;
  if (!isfinite(times->matter) || changes->functions == 0) return 1;
  frexp(times->matter, &exponent);
  if (changes->least < exponent - SINGLE_WINDOW) return 0;
  return (exponent - SINGLE_APART) * changes->functions <= changes->exponents;
}

/* Are the functions not far narrower than the window? */
static int single_fills(const struct times *times) {
  double largest = largest_time(times);
  return largest == 0 || window_magnitude(times) <= ldexp(largest, SINGLE_WINDOW);
}

/* Can single precision hold the breakpoints at which nothing changes, and lines that reach out
 * of the window? And does no time overflow that is counted from the origin? */
static int single_reaches(const struct times *times, const struct pcf_range *range) {
  double magnitude = time_magnitude(times);
  if (range->first > range->last) return 1;
  double first = clipped(times, range->first - times->origin);
  double last = clipped(times, range->last - times->origin);
  double farthest = fmax(fabs(first), fabs(last));
  if (range->slope > 0) farthest = fmax(farthest, largest_time(times));
  return farthest <= ldexp(magnitude > 0 ? magnitude : 1, SINGLE_WINDOW) &&
         fabs(times->origin) < ldexp(1, SINGLE_ORIGIN);
}

/* Can single precision hold the values and their powers beside each other, the times, and the
 * stretches beside the window? A supremum may be that of a stretch which it does not resolve.
 */
static int single_holds(enum pcf_operation operation, const struct times *times,
                        const struct pcf_range *range) {
  int linear = pcf_degree(operation, 2) <= 1, apart = linear ? SINGLE_VALUES : SINGLE_SQUARES;
  if (pcf_is_supremum(operation) || range->least < ldexp(range->value, -apart)) return 0;
  return single_resolves(times, &range->changes) && single_fills(times) &&
         single_reaches(times, range);
}

int pcf_value_exponent(const struct pcf_integral *integral, double magnitude) {
  return integral->own_exponents ? scale_exponent(magnitude, 0, 0) : integral->value_exponent;
}

/* h is at most |c| / (8p + 24), so that the series converges for small p too. */
static void find_mean_terms(struct pcf_integral *integral) {
  double p = integral->p, unit = 8 * (p + 3), term = 1;
  integral->steepness = unit / 2;
  for (int k = 0; k < PCF_MEAN_TERMS; k++) {
    integral->mean_terms[k] = term / (2 * k + 1);
    term *= (p - 2 * k) / unit * ((p - 2 * k - 1) / unit) / ((2 * k + 1) * (2 * k + 2));
  }
}

static int heights_are_in_range(const struct pcf_weight *weight) {
  return !weight || (pcf_weight_least(weight) >= ldexp(1, -HEIGHT_RANGE) &&
                     pcf_weight_most(weight) <= ldexp(1, HEIGHT_RANGE));
}

int pcf_may_be_in_power_range(const struct pcf_integral *integral) {
  return integral->precision == PCF_DOUBLE && integral->time_exponent == 0 &&
         integral->p * DIGITS <= POWER_RANGE && heights_are_in_range(integral->weight);
}

static int times_are_in_range(const struct pcf_integral *integral,
                              const struct pcf_range *times) {
  const double least = ldexp(1, DIGITS + 1 - LENGTH_RANGE);
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
  if (!pcf_may_be_in_power_range(integral) || abs(magnitude.top) > MOST_TOP ||
      !times_are_in_range(integral, times)) {
    magnitude.least = NEVER_IN_RANGE;
  }
  return magnitude;
}

int pcf_in_power_range(const struct pcf_integral *integral, struct pcf_magnitude both) {
  int spread = both.top - both.least + DIGITS;
  return spread <= SPREAD_RANGE && integral->p * spread <= POWER_RANGE;
}

/* Could products or squares of the values overflow, or vanish next to others? */
static int values_differ_much(const struct pcf_range *range) {
  return range->value > ldexp(1, DOUBLE_SAFE_EXPONENT) ||
         range->least < ldexp(1, -DOUBLE_SAFE_EXPONENT);
}

/* Could the difference of two values be no normal number? L1 of lines divides by such. */
static int differences_are_tiny(const struct pcf_range *range) {
  return range->least < ldexp(DBL_MIN, DIGITS);
}

/* By which power of two to divide: so that large magnitudes come to at most 2^safe, which
 * leaves most room for small ones, and magnitudes below 2^small to 1. It is even, so that the
 * square root of the time's is a power of two as well. */
static int scale_exponent(double magnitude, int small, int safe) {
  if (magnitude == 0) return 0;
  int exponent;
  frexp(magnitude, &exponent);
  if (small <= exponent && exponent <= safe) return 0;
  if (exponent > 0) exponent -= safe;
  return exponent + (exponent & 1);
}

/* The same for values of lines whose slopes may be too small for a double: the values become as
 * large as these and the steepest slope allow. */
static int exponent_of_flat(const struct pcf_range *range) {
  int of_value, of_slope;
  frexp(range->value, &of_value);
  frexp(range->slope, &of_slope);
  int exponent = of_value - (DOUBLE_SAFE_WITHOUT_UNIT - 1);
  if (range->slope > 0) exponent = (int)pcf_larger(exponent, of_slope - DOUBLE_SAFE_SLOPE);
  return exponent + (exponent & 1);
}

/* ---- Weights ---- */

int pcf_single_holds_weight(const struct pcf_weight *weight) {
  return pcf_weight_most(weight) <= single_heights * pcf_weight_least(weight);
}

void pcf_integral_weigh(struct pcf_integral *integral, const struct pcf_weight *weight,
                        struct pcf_weight *scaled) {
  int single = integral->precision != PCF_DOUBLE;
  int safe = single ? SINGLE_SAFE_HEIGHT : DOUBLE_SAFE_HEIGHT;
  integral->weight_exponent = scale_exponent(pcf_weight_most(weight), -safe, safe);
  scaled->pieces = weight->pieces;
  for (int64_t k = 0; k < weight->pieces; k++) {
    scaled->end[k] = pcf_integral_time(integral, weight->end[k]);
    scaled->height[k] = pcf_scaled(weight->height[k], integral->weight_exponent);
  }
  integral->weight = scaled;
  scale_back(integral);
}

/* ---- Scaling back ---- */

/* A value's factor comes out of `degree` factors, and then of the root. */
static double exponent_of_values(const struct pcf_integral *integral) {
  double degree = pcf_degree(integral->operation, integral->p);
  return integral->value_exponent * (degree / pcf_root(integral->operation, integral->p));
}

/* The factors of times and weights come out of the integral, and then of the root. */
static void scale_back(struct pcf_integral *integral) {
  double values = exponent_of_values(integral);
  int outside = pcf_is_supremum(integral->operation)
                  ? 0
                  : integral->time_exponent + integral->weight_exponent;
  double times = outside / integral->root;
  double whole = floor(times);
  integral->factor = exp2(times - whole);
  integral->exponent = (int)(values + whole);
}

void pcf_integral_average(struct pcf_integral *integral, double length) {
  integral->factor = pow(length, -1 / pcf_root(integral->operation, integral->p));
  integral->exponent = (int)exponent_of_values(integral);
}
