/* Steps: functions as lists of changes, which become functions when they are sorted by time and
 * added up. */
#pragma once

#include "arrays/segment-parts.h"

#include <stdint.h>

/* At this time the function changes by that much. Times are not NaN. */
struct pcf_step {
  double time, change;
};

/* Sorts finite times, ascending. The order of equal times depends on the list alone. `scratch`
 * has room for `count` steps, at most 2^31 - 1. */
void pcf_sort_steps(struct pcf_step *steps, struct pcf_step *scratch, int64_t count);

/* Adds up sorted steps, on top of `sum`, into breakpoints: one for each different time, with
 * the sum of all changes up to it. Returns their number and stores the last sum in `sum`. */
int64_t pcf_add_steps(const struct pcf_step *steps, int64_t count, struct pcf_total *sum,
                      double *times, double *values);

/* Drops the breakpoints with the value of the one before, or of `before` for the first; returns
 * how many are left. */
int64_t pcf_drop_flat(double *times, double *values, int64_t count, double before);
