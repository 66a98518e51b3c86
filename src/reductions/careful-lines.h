/* Sums of lines that decide what two or three limbs leave in doubt. Beside the sums of values
 * at time 0 and of slopes (reductions/summing.h) there are by how much the first may be off,
 * and what both are modulo the prime 2^61 - 1. There slopes are exact, and so are sums of them:
 * one that may be 0, or lie in the middle between two doubles, is known to do so if its residue
 * says the same, but for one of 2^61 cases. */
#pragma once

#include "reductions/summing.h"

/* x · 2^exponent. */
struct pcf_scaled {
  double x;
  int exponent;
};

enum { PCF_SLOPE_PARTS = 8 };

/* A line through (time, value) that changes by `rise`. Its slope is the sum of the parts, the
 * largest first, times 2^exponent: to 2^-380 of it, or exactly. */
struct pcf_careful_line {
  double time;
  struct pcf_scaled value, rise;
  double part[PCF_SLOPE_PARTS];
  int exponent, exact;
  uint64_t residue, slope_residue; /* of the value at time 0 */
};

/* A sum of numbers. */
struct pcf_careful_values {
  uint64_t limbs[PCF_MAX_LIMBS], residue;
};

/* A product, rounded once. */
struct pcf_scaled pcf_scaled_product(double a, double b);

/* The line from `from` to `to` between two times. */
struct pcf_careful_line pcf_careful_line_of(const struct pcf_summing *summing,
                                            struct pcf_scaled from, struct pcf_scaled to,
                                            double begin, double end);

/* Add to a sum, or take away from it. */
void pcf_careful_add_line(const struct pcf_summing *summing, uint64_t *sum,
                          const struct pcf_careful_line *line, int negative);
void pcf_careful_add_value(const struct pcf_summing *summing, struct pcf_careful_values *sum,
                           struct pcf_scaled value);
void pcf_careful_join(const struct pcf_summing *summing, uint64_t *sum, const uint64_t *more);

/* The residue of the slopes of a sum. */
uint64_t pcf_careful_slopes(const struct pcf_summing *summing, const uint64_t *sum);

/* What a sum comes to at a time; adds to `error` by how much that may be off. */
struct pcf_careful_values pcf_careful_at(const struct pcf_summing *summing, const uint64_t *sum,
                                         double time, uint64_t *error);
void pcf_careful_add_values(const struct pcf_summing *summing, struct pcf_careful_values *sum,
                            const struct pcf_careful_values *more);

/* The quotient of a sum that may be off by `error`. */
double pcf_careful_quotient(const struct pcf_summing *summing,
                            const struct pcf_careful_values *sum, const uint64_t *error,
                            const struct pcf_divisor *divisor);
