/* Sinks that write every pair into a matrix of doubles. */
#pragma once

#include "blocks/sink.h"

/* `result` is the caller's, of pcf_matrix_length() doubles. Every element belongs to one block
 * only, so that blocks may be written from several threads at once. */
struct pcf_matrix_sink {
  struct pcf_sink sink;
  enum pcf_matrix_kind kind;
  int64_t rows, columns; /* of the matrix; paired: rows is the number of pairs */
  double *result;
  struct pcf_scale scale; /* set when the run begins */
};

struct pcf_matrix_sink pcf_matrix_sink(enum pcf_matrix_kind kind, int64_t rows, int64_t columns,
                                       double *result);

int64_t pcf_matrix_length(const struct pcf_matrix_sink *matrix);

/* Position in the result of the pair (i, j); for `dist` i > j. */
static inline int64_t pcf_dist_index(int64_t n, int64_t i, int64_t j) {
  return j * n - j * (j + 1) / 2 + i - j - 1;
}
