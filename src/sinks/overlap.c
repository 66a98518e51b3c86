#include "sinks/overlap.h"

#include "base/bits.h"

static void finish_column(const struct pcf_matrix_sink *matrix, int64_t row, int64_t column,
                          const void *from, const void *beside, int64_t count, double *to) {
  const struct pcf_overlap_sink *sink = (const struct pcf_overlap_sink *)matrix;
  (void)beside;
  for (int64_t k = 0; k < count; k++) {
    const void *length =
      (const char *)from + (size_t)k * pcf_scalar_size(matrix->scale.precision);
    if (pcf_is_missing(to[k])) continue;
    pcf_overlaps_divide(sink->overlaps, to + k, &matrix->scale, length, row + k, 1, column);
  }
}

struct pcf_overlap_sink pcf_overlap_sink(const struct pcf_overlaps *overlaps,
                                         const struct pcf_matrix_sink *results) {
  struct pcf_overlap_sink sink = {
    pcf_matrix_sink(results->kind, results->rows, results->columns, results->result), overlaps};
  sink.matrix.write = finish_column;
  return sink;
}
