#include "base/power.h"

#include "base/bits.h"

#include <math.h>
#include <stdint.h>

/* 53 digits of a double less 11 of an exponent, 24 of a float less 8. */
enum { DIGITS = 53, DOUBLE_HIGH_DIGITS = 42, SINGLE_HIGH_DIGITS = 16 };

/* With larger exponents, powers of what rounding leaves above 1 could overflow. */
static const double most_double = 0x1p60, most_single = 0x1p29;

static double leading_digits(double x, int digits);

struct pcf_exponent pcf_exponent(double p, int single) {
  p = fmin(p, single ? most_single : most_double);
  double high = leading_digits(p, single ? SINGLE_HIGH_DIGITS : DOUBLE_HIGH_DIGITS);
  return (struct pcf_exponent){.high = high, .low = p - high, .log = p * 0x1.71547652b82fep+1};
}

/* x > 0 without the binary digits after its first ones. */
static double leading_digits(double x, int digits) {
  return pcf_double_of(pcf_bits_of_double(x) & UINT64_MAX << (DIGITS - digits));
}
