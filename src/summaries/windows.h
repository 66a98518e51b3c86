/* Numbers of functions for many windows or times, of all or of each its own. */
#pragma once

#include "base/error.h"
#include "collections/collection.h"

#include <stdatomic.h>

/* All of these take sound functions. Status: PCF_ERROR_MEMORY, and PCF_ERROR_INTERRUPTED when
 * `stop` (or NULL) becomes non-zero. */

/* Windows from[j] … to[j], finite, from[j] <= to[j]. */
struct pcf_windows {
  int64_t count;
  const double *from, *to;
};

/* integral[i + n · j] = the integral of function i over the part of window j on which it is
 * observed, where n is the number of functions; length[i + n · j] = how long that is: exactly
 * to[j] - from[j] where it is observed throughout, up to rounding at the ends. */
enum pcf_status pcf_integrate_windows(const struct pcf_collection *x,
                                      const struct pcf_windows *windows, int threads,
                                      const atomic_int *stop, double *integral, double *length,
                                      struct pcf_error *error);

/* result[k] = the value of function i, or its limit from the `left`, at time[k], for all k =
 * offsets[i] … offsets[i + 1] - 1. */
enum pcf_status pcf_evaluate_each(const struct pcf_collection *x, const int64_t *offsets,
                                  const double *time, int left, int threads,
                                  const atomic_int *stop, double *result,
                                  struct pcf_error *error);

/* The first stretch of the window [from, to) on which function i is not observed, or from NaN.
 * What is within rounding of an end of the window does not count, nor what is before the
 * first, or after the last time of observation where the window has no end there. */
struct pcf_unobserved {
  double from, to;
};
struct pcf_unobserved pcf_find_unobserved(const struct pcf_collection *x, int64_t i,
                                          double from, double to);
