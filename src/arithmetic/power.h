/* Exponents of the vector power, power-template.h. */
#pragma once

/* For p from 1 to 7 and numbers x = 2^-(16 a + b) · m that are at most 1, with a and b below 16
 * and m from 1 to 2. With c = inverse[k] next to 1 / m, where k is the sixteenth of 1 … 2 that
 * m is in, and r = m c − 1,
 *
 *   x^p = 2^(-16 a p) · 2^(-b p) · c^-p · (1 + r)^p:
 *
 * sixteens[15 - a], ones[15 - b], mantissa[k], and 1 + the sum of binomial[j] r^(j + 1). |r| is
 * below 1/31, so that what the sum leaves out is less than 2^-54. sixteens[0] is 0: x that are
 * not 0 are to be at least 2^-239. */
struct pcf_power_table {
  int made;
  double ones[16], sixteens[16], inverse[16], mantissa[16], binomial[8];
};

/* An exponent p > 0 made ready for one precision: p = high + low, where products of `high` with
 * the exponents of numbers in that precision are exact, and log = 2p / log(2). p above 2^60
 * counts as 2^60 (single: 2^29): the p-th roots of sums of powers are the same. There is a
 * table in double precision, where p is in its range. */
struct pcf_exponent {
  double high, low, log;
  struct pcf_power_table table;
};

struct pcf_exponent pcf_exponent(double p, int single);
