#include "disk/coverage.h"

#include "base/memory.h"

#include <string.h>

static const double most_squares = 1 << 26;

enum pcf_status pcf_coverage_start(struct pcf_coverage *coverage,
                                   const struct pcf_layout *layout, struct pcf_error *error) {
  int64_t side = 1;
  while ((double)pcf_band_count(layout->rows, side) *
           (double)pcf_band_count(layout->columns, side) >
         most_squares) {
    side *= 2;
  }
  *coverage = (struct pcf_coverage){.layout = *layout,
                                    .side = side,
                                    .rows = pcf_band_count(layout->rows, side),
                                    .columns = pcf_band_count(layout->columns, side)};
  size_t bytes = (size_t)(coverage->rows * coverage->columns) / 8 + 1;
  coverage->bits = pcf_allocate(bytes, 1, error);
  if (!coverage->bits) return PCF_ERROR_MEMORY;
  memset(coverage->bits, 0, bytes);
  return PCF_OK;
}

void pcf_coverage_free(struct pcf_coverage *coverage) {
  pcf_free(coverage->bits);
  *coverage = (struct pcf_coverage){0};
}

/* The squares that lie within a range go from first_within() to before end_within(). The last
 * square ends at n, however short it is. */
static int64_t first_within(const struct pcf_coverage *coverage, int64_t first) {
  return pcf_band_count(first, coverage->side);
}

static int64_t end_within(const struct pcf_coverage *coverage, int64_t end, int64_t n) {
  return end == n ? pcf_band_count(n, coverage->side) : end / coverage->side;
}

void pcf_coverage_add(struct pcf_coverage *coverage, const struct pcf_rectangle *rectangle) {
  const struct pcf_layout *layout = &coverage->layout;
  int64_t row_end = end_within(coverage, rectangle->row + rectangle->rows, layout->rows);
  int64_t column_end =
    end_within(coverage, rectangle->column + rectangle->columns, layout->columns);
  for (int64_t j = first_within(coverage, rectangle->column); j < column_end; j++) {
    for (int64_t i = first_within(coverage, rectangle->row); i < row_end; i++) {
      int64_t at = i + coverage->rows * j;
      coverage->bits[at / 8] |= (unsigned char)(1 << at % 8);
    }
  }
}

/* Does the file have no number of square (i, j)? So it is for squares above the diagonal, which
 * are copies of others or not there. */
static int is_without(const struct pcf_coverage *coverage, int64_t i, int64_t j) {
  const struct pcf_layout *layout = &coverage->layout;
  int64_t first = j * coverage->side, last_row = (i + 1) * coverage->side - 1;
  if (first >= layout->end || first + coverage->side <= layout->first) return 1;
  switch (layout->mode) {
  case PCF_LOWER_WITHOUT_DIAGONAL: return last_row <= first;
  case PCF_LOWER_WITH_DIAGONAL: return last_row < first;
  default: return 0;
  }
}

int pcf_coverage_has(const struct pcf_coverage *coverage,
                     const struct pcf_rectangle *rectangle) {
  int64_t side = coverage->side;
  int64_t row_end = pcf_band_count(rectangle->row + rectangle->rows, side);
  int64_t column_end = pcf_band_count(rectangle->column + rectangle->columns, side);
  for (int64_t j = rectangle->column / side; j < column_end; j++) {
    for (int64_t i = rectangle->row / side; i < row_end; i++) {
      int64_t at = i + coverage->rows * j;
      if (coverage->bits[at / 8] >> at % 8 & 1) continue;
      if (!is_without(coverage, i, j)) return 0;
    }
  }
  return 1;
}
