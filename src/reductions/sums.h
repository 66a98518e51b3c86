/* Weighted sums and means of many functions: a sparse matrix times a collection. */
#pragma once

#include "collections/curves.h"
#include "reductions/sparse-rows.h"
#include "reductions/summing.h"

/* For each row, the sum of weight * function over its entries, divided by the row's divisor. A
 * product is rounded once to double (one that is 10^600 times smaller than the largest of the
 * row counts as 0), their sum is exact, and the quotient is rounded once more. `range` is that
 * of the values of the sound collection x. The result has the first time of the row's functions
 * and each later one at which it changes; a row without entries is 0 from the time 0 on.
 *
 * Where values are missing (rows->missing), the result is missing, or, with
 * rows->observed_only, only the others are summed up, and a mean is divided by the sum of their
 * weights: it is missing where there are none, and PCF_ERROR_ARGUMENT where their weights add
 * up to 0.
 *
 * The result is the same for any number of threads and any order of the entries.
 * PCF_ERROR_ARGUMENT when a value is too large for a double, or a function for R. Free `curves`
 * with pcf_curves_free(), whatever the status. */
enum pcf_status pcf_sums(const struct pcf_collection *x, const struct pcf_rows *rows,
                         const struct pcf_range *range, int threads, const atomic_int *stop,
                         struct pcf_curves *curves, struct pcf_error *error);

/* Does the divisor of rows of a partial collection change? Not for sums of what is observed. */
static inline int pcf_divisors_change(const struct pcf_rows *rows) {
  return rows->missing && (!rows->observed_only || rows->divisor);
}

/* For tests: rows of more events than this are cut into buckets. */
extern int64_t pcf_sums_small_row;
