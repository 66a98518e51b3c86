#include "pairs/integral.h"

#include <math.h>
#include <stdlib.h>

/* Exponents that need no scaling, whatever is multiplied: for double (2·2^300)² · 2·2^300 is
 * finite and the square of 2^-300 · 2^-53 is not 0. In single precision values are always
 * scaled. */
enum {
  DOUBLE_SAFE_EXPONENT = 300,
  SINGLE_SAFE_TIME_EXPONENT = 40,
  SINGLE_WINDOW_EXPONENT = 60,
  MOST_HALF_POWERS = 64
};

static int scale_exponent(double magnitude, int safe);
static int values_differ_much(const struct pcf_range *range, enum pcf_precision precision);
static void scale_back(struct pcf_integral *integral);

struct pcf_integral pcf_integral(enum pcf_operation operation, double p, double from, double to,
                                 enum pcf_precision precision, const struct pcf_range *range) {
  double window = 0;
  if (isfinite(from)) window = fmax(window, fabs(from));
  if (isfinite(to)) window = fmax(window, fabs(to));
  int wide = range->time > 0 && window > ldexp(range->time, SINGLE_WINDOW_EXPONENT);
  if (operation == PCF_LINF || wide) precision = PCF_DOUBLE;
  int differ = values_differ_much(range, precision), single = precision != PCF_DOUBLE;
  if (operation == PCF_L2 && differ) {
    operation = PCF_LP;
    p = 2;
  }
  struct pcf_integral integral = {.operation = operation, .p = p, .precision = precision};
  if (pcf_is_relative(operation)) {
    integral.half_powers = pcf_half_powers(p);
    integral.power = pcf_exponent(p, single);
  }
  integral.own_exponents = operation == PCF_INNER && differ;
  int safe_time = single ? SINGLE_SAFE_TIME_EXPONENT : DOUBLE_SAFE_EXPONENT;
  int safe_value = single ? 0 : DOUBLE_SAFE_EXPONENT;
  integral.time_exponent = scale_exponent(fmax(range->time, window), safe_time);
  if (!integral.own_exponents) {
    integral.value_exponent = scale_exponent(range->value, safe_value);
  }
  integral.from = ldexp(from, -integral.time_exponent);
  integral.to = ldexp(to, -integral.time_exponent);
  scale_back(&integral);
  return integral;
}

int pcf_value_exponent(const struct pcf_collection *x, int64_t i,
                       const struct pcf_integral *integral) {
  if (!integral->own_exponents) return integral->value_exponent;
  struct pcf_range range = PCF_EMPTY_RANGE;
  pcf_widen_range(&range, pcf_values(x, i), pcf_breakpoints(x, i));
  return scale_exponent(range.value, 0);
}

/* Could products or squares of the values overflow, or vanish next to others? */
static int values_differ_much(const struct pcf_range *range, enum pcf_precision precision) {
  if (range->value == 0) return 0;
  if (precision != PCF_DOUBLE)
    return range->least < ldexp(range->value, -SINGLE_WINDOW_EXPONENT);
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
