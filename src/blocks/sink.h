/* Sinks: what receives a finished block. */
#ifndef PCF_SINK_H
#define PCF_SINK_H

#include "blocks/schedule.h"
#include "pairs/integral.h"

enum pcf_sink_kind {
  PCF_SINK_DIST,      /* the lower triangle, column by column, as R's `dist` */
  PCF_SINK_SYMMETRIC, /* n × n, both triangles */
  PCF_SINK_DENSE,     /* rows × columns, column-major */
  PCF_SINK_PAIRED,    /* one number a pair */
};

/* `result` is the caller's, of pcf_sink_length() doubles. Every element belongs to one block
 * only, so that blocks may be written from several threads at once. */
struct pcf_sink {
  enum pcf_sink_kind kind;
  int64_t rows, columns; /* of the matrix; paired: rows is the number of pairs */
  double *result;
  const int *row_exponents, *column_exponents; /* of the functions, where they have their own */
};

int64_t pcf_sink_length(const struct pcf_sink *sink);

/* Position in the result of the pair (i, j); for `dist` i > j. */
static inline int64_t pcf_dist_index(int64_t n, int64_t i, int64_t j) {
  return j * n - j * (j + 1) / 2 + i - j - 1;
}

/* Writes the block whose entry (i, j), relative to the block, is data[i + stride * j] in the
 * integral's precision, and scales it back. Only entries that the sink stores are read: below
 * the diagonal for `dist`, on and below it for symmetric matrices. */
void pcf_sink_write(const struct pcf_sink *sink, const struct pcf_integral *integral,
                    const struct pcf_block *block, const void *data, int64_t stride);

/* The same in two steps, for several threads: first the entries that the block has, in strips
 * of columns; then, when all of these are written, their copies above the diagonal of a
 * symmetric matrix, in strips of rows, which is the order in which those lie. */
void pcf_sink_write_below(const struct pcf_sink *sink, const struct pcf_integral *integral,
                          const struct pcf_block *block, const void *data, int64_t stride);
void pcf_sink_mirror(const struct pcf_sink *sink, const struct pcf_block *block);

#endif
