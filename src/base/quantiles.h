/* Numbers by rank, and cutting a range of them into parts with about as many each. */
#pragma once

#include <stdint.h>

/* Compares two doubles, for qsort() and bsearch(). */
int pcf_ascending(const void *a, const void *b);

/* The number that k of `count` others are not above, and the rest not below. None is NaN.
 * They are lost. */
double pcf_kth(double *number, int64_t count, int64_t k);

/* Sorts `sample`, of `count` numbers without NaN, and writes the quantiles that cut it into
 * `parts` parts to `cut`: those that are greater than `after`, increasing, at most parts - 1.
 * Returns how many there are. */
int pcf_quantile_cuts(double *sample, int64_t count, int parts, double after, double *cut);
