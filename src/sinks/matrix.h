/* Sinks that write all pairs to a matrix of doubles. */
#pragma once

#include "blocks/sink.h"

/* `result` belongs to the caller and has pcf_matrix_length() doubles. Every element belongs to
 * one block only, so that several threads may write blocks at the same time. */
struct pcf_matrix_sink {
  struct pcf_sink sink;
  enum pcf_matrix_kind kind;
  int64_t rows, columns; /* of the matrix; in the paired mode, `rows` is the number of pairs */
  double *result;
};

struct pcf_matrix_sink pcf_matrix_sink(enum pcf_matrix_kind kind, int64_t rows, int64_t columns,
                                       double *result);

int64_t pcf_matrix_length(const struct pcf_matrix_sink *matrix);

/* The index of the pair (i, j), i > j, in a `dist` of n items. */
static inline int64_t pcf_dist_index(int64_t n, int64_t i, int64_t j) {
  return j * n - j * (j + 1) / 2 + i - j - 1;
}
