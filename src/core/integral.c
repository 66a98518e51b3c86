#include "core/integral.h"

#include <math.h>

/* In double, magnitudes up to 2^300 are left alone: (2·2^300)² · 2·2^300 is finite. */
enum { DOUBLE_SAFE_EXPONENT = 300, SINGLE_WINDOW_EXPONENT = 60, MOST_HALF_POWERS = 64 };

static int scale_exponent(double magnitude, enum pcf_precision precision);
static void scale_back(struct pcf_integral *integral);

struct pcf_integral pcf_integral(enum pcf_operation operation, double p, double from,
                                 double to, enum pcf_precision precision,
                                 const struct pcf_range *range) {
  struct pcf_integral integral = {.operation = operation, .p = p};
  if (operation == PCF_LP) integral.half_powers = pcf_half_powers(p);
  double window = 0;
  if (isfinite(from)) window = fmax(window, fabs(from));
  if (isfinite(to)) window = fmax(window, fabs(to));
  double time = fmax(range->time, window);
  int wide = range->time > 0 && window > ldexp(range->time, SINGLE_WINDOW_EXPONENT);
  if (operation == PCF_LINF || wide) precision = PCF_DOUBLE;
  integral.precision = precision;
  integral.time_exponent = scale_exponent(time, precision);
  integral.value_exponent = scale_exponent(range->value, precision);
  integral.from = ldexp(from, -integral.time_exponent);
  integral.to = ldexp(to, -integral.time_exponent);
  scale_back(&integral);
  return integral;
}

int pcf_half_powers(double p) {
  return 2 * p <= MOST_HALF_POWERS && 2 * p == floor(2 * p) ? (int)(2 * p) : 0;
}

/* The time's exponent is even, so that its square root is a power of two as well. */
static int scale_exponent(double magnitude, enum pcf_precision precision) {
  if (magnitude == 0) return 0;
  int exponent;
  frexp(magnitude, &exponent);
  int safe = precision == PCF_DOUBLE && exponent <= DOUBLE_SAFE_EXPONENT &&
             exponent >= -DOUBLE_SAFE_EXPONENT;
  return safe ? 0 : exponent + (exponent & 1);
}

static void scale_back(struct pcf_integral *integral) {
  int time = integral->time_exponent, value = integral->value_exponent;
  integral->factor = 1;
  switch (integral->operation) {
  case PCF_L1:
    integral->exponent = time + value;
    break;
  case PCF_L2:
    integral->exponent = time / 2 + value;
    break;
  case PCF_LP: {
    double root = time / integral->p, whole = floor(root);
    integral->factor = exp2(root - whole);
    integral->exponent = value + (int)whole;
    break;
  }
  case PCF_LINF:
    integral->exponent = value;
    break;
  case PCF_INNER:
    integral->exponent = time + 2 * value;
    break;
  }
}
