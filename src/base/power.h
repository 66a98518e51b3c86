/* Exponents of the vector power, power-template.h. */
#ifndef PCF_POWER_H
#define PCF_POWER_H

/* An exponent p > 0 made ready for one precision: p = high + low, where products of `high` with
 * the exponents of numbers in that precision are exact, and log = 2p / log(2). p above 2^60
 * counts as 2^60 (single: 2^29): the p-th roots of sums of powers are the same. */
struct pcf_exponent {
  double high, low, log;
};

struct pcf_exponent pcf_exponent(double p, int single);

#endif
