/* Evaluation of many functions at many times. */
#pragma once

#include "base/error.h"
#include "collections/check.h"
#include "collections/collection.h"

#include <stdatomic.h>

/* Where to evaluate: times in increasing order, repeated and infinite ones allowed, none
 * missing. The values at time[j] go to column column[j] of the result (NULL: j); `left` asks
 * for the limits from the left. */
struct pcf_times_at {
  int64_t count;
  const double *time;
  const int64_t *column;
  int left;
};

/* result[i + n · column[j]] = the value of function i, missing or not, at time[j], where n is
 * the number of functions: every element is written once. Functions are checked on the way:
 * when the status is PCF_ERROR_ARGUMENT, `fault` has the first fault, and the result is of no
 * use. Also PCF_ERROR_MEMORY, and PCF_ERROR_INTERRUPTED when `stop` (or NULL) becomes non-zero.
 */
enum pcf_status pcf_evaluate(const struct pcf_collection *x, const struct pcf_times_at *at,
                             int threads, const atomic_int *stop, double *result,
                             struct pcf_fault *fault, struct pcf_error *error);
