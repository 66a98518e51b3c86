/* Sinks that write all pairs to a matrix of doubles. */
#pragma once

#include "blocks/sink.h"
#include "disk/layout.h"

/* `result` belongs to the caller and has pcf_layout_length() doubles. Every element belongs to
 * one block only, so that several threads may write blocks at the same time. */
struct pcf_matrix_sink {
  struct pcf_sink sink;
  struct pcf_layout layout; /* of all columns; in the paired mode of one, with all pairs */
  double *result;
};

/* In the paired mode, `rows` is the number of pairs. */
struct pcf_matrix_sink pcf_matrix_sink(enum pcf_mode mode, int64_t rows, int64_t columns,
                                       double *result);
