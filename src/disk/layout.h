/* Where the numbers of a matrix lie in a file. */
#pragma once

#include "base/scalar.h"
#include "blocks/schedule.h"

/* The columns first … end - 1 of a matrix (of rows × columns pairs) in R's own order: without
 * the diagonal the lower triangle column by column, as R's `dist`, otherwise whole columns. The
 * matrix of pairs on and below the diagonal is symmetric: it is stored with all its columns, on
 * both sides of the diagonal; a part of it has room for its columns, and in it only what is on
 * and below the diagonal. Numbers are little-endian floats or
 * doubles, without anything between them or before the first. */
struct pcf_layout {
  enum pcf_mode mode;    /* of a matrix in a file, not PCF_PAIRED */
  int64_t rows, columns; /* of the matrix */
  int64_t first, end;    /* the columns that are here */
  enum pcf_precision storage;
};

/* Numbers that lie one after the other in the file. */
struct pcf_extent {
  int64_t index, count;
};

/* How many numbers the columns before j have. */
static inline int64_t pcf_layout_before(const struct pcf_layout *layout, int64_t j) {
  if (layout->mode == PCF_LOWER_WITHOUT_DIAGONAL) return j * (2 * layout->rows - j - 1) / 2;
  return layout->rows * j;
}

/* The numbers and the bytes of the file. */
static inline int64_t pcf_layout_length(const struct pcf_layout *layout) {
  return pcf_layout_before(layout, layout->end) - pcf_layout_before(layout, layout->first);
}

static inline int64_t pcf_layout_bytes(const struct pcf_layout *layout) {
  return pcf_layout_length(layout) * (int64_t)pcf_scalar_size(layout->storage);
}

/* The numbers of a rectangle, extent by extent: of each of its columns those below the
 * diagonal, of a symmetric matrix on and below it; after them, of a symmetric matrix, those of
 * each of its rows that are strictly below the diagonal, as they lie on the other side. An
 * extent may be empty. This is also the order in which a checksum goes over the bytes. */
int64_t pcf_layout_extents(const struct pcf_layout *layout,
                           const struct pcf_rectangle *rectangle);
struct pcf_extent pcf_layout_extent(const struct pcf_layout *layout,
                                    const struct pcf_rectangle *rectangle, int64_t k);

/* The numbers of all extents of a rectangle. */
int64_t pcf_layout_numbers(const struct pcf_layout *layout,
                           const struct pcf_rectangle *rectangle);
