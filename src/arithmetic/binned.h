/* Sums of doubles whose bits do not depend on the order of the terms, after Demmel and Nguyen.
 * The numbers are cut at fixed places, into bins of 26 bits: each term gives a whole number of
 * the unit of each bin, rounded to nearest in the last, and these are added without error. A
 * sum keeps three bins, of which the first has its largest term so far; what is below them is
 * at most 2^-53 of that for each term. */
#pragma once

#include <stdint.h>

enum {
  PCF_BINS = 3,
  PCF_BIN_BITS = 26,
  PCF_BINNED_LANES = 32,
  PCF_MOST_TERMS = 1 << 26, /* of a sum */
};

/* PCF_BINNED_LANES sums. That of a lane is Σ bin[k][lane] · 2^(26 · (top[lane] − k)) over all
 * k. Each of its terms is less than half a unit of the bin above the first one, to which it
 * would add nothing. */
struct pcf_binned {
  double bin[PCF_BINS][PCF_BINNED_LANES];
  int64_t top[PCF_BINNED_LANES];
};

/* Sums of no terms. */
void pcf_binned_clear(struct pcf_binned *sums);

/* Adds a term to each of them: finite, and below 2^930 in magnitude. What is below 2^-1066 may
 * be lost. */
void pcf_binned_add(struct pcf_binned *sums, const double *term);

/* Adds number · 2^exponent to one, for a finite number. Where such a term is below 2^-900,
 * pcf_binned_add() must not be used for the same sum. */
void pcf_binned_add_one(struct pcf_binned *sums, int lane, double number, int64_t exponent);

/* Return a sum, rounded once: the first one the number r of r · 2^*exponent, the second one the
 * sum as a double. */
double pcf_binned_sum(const struct pcf_binned *sums, int lane, int64_t *exponent);
double pcf_binned_value(const struct pcf_binned *sums, int lane);
