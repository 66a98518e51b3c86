/* Reductions of segments, of runs of equal keys, and of the rows of a sparse matrix. */
#pragma once

#include "arrays/segment-parts.h"
#include "base/memory.h"

#include <stdatomic.h>
#include <stdint.h>

/* Numbers of one of two types; the other pointer is NULL. INT32_MIN is a missing integer. */
struct pcf_numbers {
  const double *real;
  const int32_t *integer;
};

/* result[s] = the sum, minimum or maximum of the values offsets[s] … offsets[s + 1] - 1, for
 * `count` segments, empty ones included; offsets[0] is 0. A segment with a missing value is
 * missing: NA as R knows it, or NaN where there is a NaN but no NA. Sums of integers
 * below 2^53 are exact. A result depends on the values of its segment alone, bit for bit.
 * PCF_ERROR_MEMORY; PCF_ERROR_INTERRUPTED when `stop` (or NULL) becomes non-zero. */
enum pcf_status pcf_segment_reduce(enum pcf_reduce reduce, struct pcf_numbers values,
                                   const int64_t *offsets, int64_t count, int threads,
                                   const atomic_int *stop, double *result,
                                   struct pcf_error *error);

/* A matrix by its entries: those of row r are offsets[r] … offsets[r + 1] - 1, with value[k] in
 * column column[k], from 0. offsets[0] is 0. A view, unless there are `arrays` to be freed. */
struct pcf_sparse {
  int64_t rows, columns;
  const int64_t *offsets;
  const int32_t *column;
  const double *value; /* NULL: all are 1 */
  struct pcf_arrays arrays;
};

/* The products of the matrix and `count` vectors, which follow one another as their results do.
 * An element is the sum of the entries of its row, each times the element of the vector at its
 * column, bit for bit as pcf_segment_reduce() adds them up. A product is missing where one of
 * its factors is, and NaN for 0 times ∞. Status as of pcf_segment_reduce(). */
enum pcf_status pcf_sparse_times_vectors(const struct pcf_sparse *matrix, const double *vector,
                                         int64_t count, int threads, const atomic_int *stop,
                                         double *result, struct pcf_error *error);

struct pcf_keys {
  enum pcf_key type;
  const void *key;
  int64_t count;
};

/* The runs of equal consecutive keys, in two steps. The first counts them in every chunk:
 * before[c] is the number of runs that begin in chunks before c, before[chunks] that of all;
 * the second fills offsets[0 … runs], where run r has the keys offsets[r] … offsets[r + 1] - 1.
 * `before` has room for pcf_run_chunks() + 1 numbers. Status as of pcf_segment_reduce(). */
int64_t pcf_run_chunks(const struct pcf_keys *keys);
enum pcf_status pcf_count_runs(const struct pcf_keys *keys, int threads, const atomic_int *stop,
                               int64_t *before, struct pcf_error *error);
enum pcf_status pcf_fill_runs(const struct pcf_keys *keys, const int64_t *before, int threads,
                              const atomic_int *stop, int64_t *offsets,
                              struct pcf_error *error);

/* Fills share[k] with the sum of the first k + 1 weights, divided by that of all. It is rounded
 * once, so that equal weights have the shares of counts. Weights are not negative, and their
 * sum is finite and not 0. */
void pcf_shares(const double *weight, int64_t count, double *share);
