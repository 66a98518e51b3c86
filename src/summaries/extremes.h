/* The largest or the smallest value of each function in a window, and when it is first reached.
 */
#pragma once

#include "base/error.h"
#include "collections/collection.h"

#include <stdatomic.h>

/* Values count on pieces that have a positive length in the window, lines with their limits at
 * both ends: the time of a limit is that of the jump after it. The time is `from`, or −∞, where
 * a function has the value from the start of the window. Both are missing for a function that
 * is not observed in the window. */
struct pcf_extremes {
  const struct pcf_collection *x; /* sound functions */
  double from, to;                /* from < to */
  int smallest;                   /* or else the largest */
  double *value, *time;           /* of each function */
};

/* PCF_ERROR_INTERRUPTED, PCF_ERROR_MEMORY. */
enum pcf_status pcf_find_extremes(const struct pcf_extremes *extremes, int threads,
                                  const atomic_int *stop, struct pcf_error *error);
