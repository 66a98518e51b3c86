/* What sums of functions that are known only in part are divided by, which changes with time.
 */
#ifndef PCF_DIVISORS_H
#define PCF_DIVISORS_H

#include "algebra/sparse-rows.h"
#include "algebra/summing.h"
#include "collections/curves.h"

/* Does the divisor of such rows change? Not for sums of what is observed. */
static inline int pcf_divisors_change(const struct pcf_rows *rows) {
  return rows->missing && (!rows->observed_only || rows->divisor);
}

/* The steps of each row, and the memory in which they are. */
struct pcf_divisors {
  struct pcf_divisor_steps *steps;
  double **column;
  double *number;
};

/* The divisor of a row at each time: with rows->observed_only, the sum of the weights of the
 * functions that are observed; otherwise that of the row where all are, and 0 elsewhere.
 * PCF_ERROR_ARGUMENT where the weights of observed functions add up to 0. Free with
 * pcf_divisors_free(), whatever the status. */
enum pcf_status pcf_divisors_make(const struct pcf_collection *x, const struct pcf_rows *rows,
                                  int threads, const atomic_int *stop,
                                  struct pcf_divisors *divisors, struct pcf_error *error);
void pcf_divisors_free(struct pcf_divisors *divisors);

#endif
