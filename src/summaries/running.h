/* Integrals of functions up to each of some times. */
#pragma once

#include "base/error.h"
#include "collections/collection.h"

#include <stdatomic.h>

struct pcf_running {
  const struct pcf_collection *x; /* sound functions */
  double from;                    /* where integrals begin */
  const double *time;             /* where they end, in increasing order; those before `from`
                                     give 0 */
  const int64_t *column;          /* of the result for each time, or NULL: in this order */
  int64_t count;
  int falls_by_factors; /* do lines that fall from one positive value to another do so
                           exponentially, and not straight? */
  int known;            /* are integrals missing from the first missing value on? Otherwise what
                           is missing adds nothing */
  atomic_int missing;   /* 0; set where a value between `from` and the last time is missing */
  double *result;       /* a matrix with a row for each function */
};

/* A function that is not 0 on an infinite stretch has an infinite integral, of that sign, or
 * NaN where there are two of different signs. PCF_ERROR_INTERRUPTED, PCF_ERROR_MEMORY. */
enum pcf_status pcf_running_integrals(struct pcf_running *running, int threads,
                                      const atomic_int *stop, struct pcf_error *error);
