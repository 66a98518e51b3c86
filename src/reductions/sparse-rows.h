/* A sparse matrix of weights: each row asks for one weighted sum of functions, or for the
 * extremum of some. Whole collections, groups and margins of arrays are such matrices. */
#pragma once

#include "base/error.h"
#include "collections/collection.h"
#include "summaries/segments.h"

#include <stdatomic.h>
#include <stdint.h>

/* Row r is made of the entries starts[r] … starts[r + 1] - 1: the function function[e] (from 0)
 * with weight[e], which is finite and not 0. A view, unless there are `arrays` to be freed. */
struct pcf_rows {
  int64_t count;
  const int64_t *starts;
  const int64_t *function;
  const double *weight;  /* NULL: all 1 */
  const double *divisor; /* of each row, finite and not 0; NULL: all 1 */
  int missing;           /* are values of the functions missing? */
  int observed_only;     /* if so: do only the others count, or is the result missing? */
  struct pcf_arrays arrays;
};

/* Sorts functions 0 … n - 1 by their rows, row[i] = 1 … count, into starts[0 … count] and
 * function[0 … n), in their order. Any other row[i], and a weight of 0, leaves a function out.
 */
void pcf_rows_fill(int64_t n, const double *row, const double *weight, int64_t count,
                   int64_t *starts, int64_t *function);

/* A matrix of weights with a column for each function, which holds the entries starts[j] …
 * starts[j + 1] - 1. They are in the rows row[e], from 0; NULL: in all rows, one after the
 * other. A view: it owns nothing. */
struct pcf_matrix {
  int64_t rows, columns;
  const int64_t *starts;
  const int32_t *row;
  const double *weight;
};

/* The rows of a matrix, without its zeros, in memory of their own. Free with pcf_rows_free(),
 * whatever the status. PCF_ERROR_ARGUMENT where a weight is not finite: `*fault` is the first
 * such entry, otherwise -1. PCF_ERROR_MEMORY; PCF_ERROR_INTERRUPTED after a non-zero `stop`. */
enum pcf_status pcf_rows_make(const struct pcf_matrix *matrix, const atomic_int *stop,
                              struct pcf_rows *rows, int64_t *fault, struct pcf_error *error);
void pcf_rows_free(struct pcf_rows *rows);

/* The same matrix by rows, with all its entries, also zeros and those that are not finite. It
 * has no more than 2^31 columns. Free with pcf_sparse_free(). PCF_ERROR_MEMORY,
 * PCF_ERROR_INTERRUPTED. */
enum pcf_status pcf_sparse_make(const struct pcf_matrix *matrix, const atomic_int *stop,
                                struct pcf_sparse *sparse, struct pcf_error *error);
void pcf_sparse_free(struct pcf_sparse *sparse);

/* ---- The events of one row, end to end ---- */

/* `ends` are the running totals of the breakpoints of its entries, from 0. */
struct pcf_row {
  const struct pcf_collection *x;
  int64_t entries;
  const int64_t *function;
  const double *weight;
  int64_t *ends; /* entries + 1 */
};

/* Row r, with ends[0 … entries], which the caller provides, filled. */
struct pcf_row pcf_row_of(const struct pcf_collection *x, const struct pcf_rows *rows,
                          int64_t r, int64_t *ends);

/* Breakpoints first … last - 1 of the function of an entry, which are the events at, at + 1, …
 * of the row.
 */
struct pcf_row_stretch {
  const double *time, *value;
  int64_t entry, first, last, at;
  double weight;
};

/* Goes through the events from `at` to `end` by the functions they belong to. */
struct pcf_row_stretches {
  const struct pcf_row *row;
  int64_t entry, at, end;
};

struct pcf_row_stretches pcf_row_stretches_of(const struct pcf_row *row, int64_t first,
                                              int64_t last);

/* The next stretch; 0 when there is none. */
int pcf_next_row_stretch(struct pcf_row_stretches *stretches, struct pcf_row_stretch *stretch);
