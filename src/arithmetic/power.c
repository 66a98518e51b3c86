#include "arithmetic/power.h"

#include "base/bits.h"

#include <math.h>
#include <stdint.h>

/* 53 digits of a double less 11 of an exponent, 24 of a float less 8. */
enum { DIGITS = 53, DOUBLE_HIGH_DIGITS = 42, SINGLE_HIGH_DIGITS = 16 };

/* For larger p the ninth power of r would count. */
enum { MOST_OF_TABLE = 7 };

/* With larger exponents, powers of what rounding leaves above 1 could overflow. */
static const double most_double = 0x1p60, most_single = 0x1p29;

static double leading_digits(double x, int digits);
static void make_table(struct pcf_power_table *table, double p);

struct pcf_exponent pcf_exponent(double p, int single) {
  p = fmin(p, single ? most_single : most_double);
  double high = leading_digits(p, single ? SINGLE_HIGH_DIGITS : DOUBLE_HIGH_DIGITS);
  struct pcf_exponent exponent = {
    .high = high, .low = p - high, .log = p * 0x1.71547652b82fep+1};
  if (!single && p >= 1 && p <= MOST_OF_TABLE) make_table(&exponent.table, p);
  return exponent;
}

/* x > 0 without the binary digits after its first ones. */
static double leading_digits(double x, int digits) {
  return pcf_double_of(pcf_bits_of_double(x) & UINT64_MAX << (DIGITS - digits));
}

/* Inverses have so few digits that m c − 1 loses none. */
static void make_table(struct pcf_power_table *table, double p) {
  enum { SIZE = 16, INVERSE_DIGITS = 10, TERMS = sizeof table->binomial / sizeof(double) };
  table->made = 1;
  for (int k = 0; k < SIZE; k++) {
    double middle = 1 + (k + 0.5) / SIZE;
    table->inverse[k] = leading_digits(1 / middle, INVERSE_DIGITS);
    table->mantissa[k] = pow(table->inverse[k], -p);
    table->ones[k] = pow(ldexp(1, k + 1 - SIZE), p);
    table->sixteens[k] = k ? pow(ldexp(1, SIZE * (k + 1 - SIZE)), p) : 0;
  }
  double binomial = 1;
  for (int j = 0; j < TERMS; j++) {
    binomial *= (p - j) / (j + 1);
    table->binomial[j] = binomial;
  }
}
