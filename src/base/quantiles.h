/* Cutting a range of numbers into parts with about as many of them each. */
#pragma once

#include <stdint.h>

/* Compares two doubles that are not NaN, for qsort(). */
int pcf_ascending(const void *a, const void *b);

/* Sorts `sample`, of `count` numbers without NaN, and writes the quantiles that cut it into
 * `parts` parts to `cut`: those that are greater than `after`, increasing, at most parts - 1.
 * Returns how many there are. */
int pcf_quantile_cuts(double *sample, int64_t count, int parts, double after, double *cut);
