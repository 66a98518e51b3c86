#include "disk/layout.h"

int64_t pcf_layout_extents(const struct pcf_layout *layout,
                           const struct pcf_rectangle *rectangle) {
  int mirrored = layout->mode == PCF_LOWER_WITH_DIAGONAL;
  return rectangle->columns + (mirrored ? rectangle->rows : 0);
}

/* The extent of a column of the rectangle. */
static struct pcf_extent of_column(const struct pcf_layout *layout,
                                   const struct pcf_rectangle *rectangle, int64_t j) {
  int64_t i = rectangle->row, end = i + rectangle->rows;
  if (j < layout->first || j >= layout->end) return (struct pcf_extent){0, 0};
  if (layout->mode == PCF_LOWER_WITHOUT_DIAGONAL && i <= j) i = j + 1;
  if (layout->mode == PCF_LOWER_WITH_DIAGONAL && i < j) i = j;
  if (i >= end) return (struct pcf_extent){0, 0};
  int64_t start = pcf_layout_before(layout, j) - pcf_layout_before(layout, layout->first);
  return (struct pcf_extent){
    start + (layout->mode == PCF_LOWER_WITHOUT_DIAGONAL ? i - j - 1 : i), end - i};
}

/* The extent of a row, which is a column on the other side of the diagonal. */
static struct pcf_extent of_row(const struct pcf_layout *layout,
                                const struct pcf_rectangle *rectangle, int64_t i) {
  int64_t j = rectangle->column, end = pcf_smaller(j + rectangle->columns, i);
  if (j >= end || layout->end - layout->first < layout->columns)
    return (struct pcf_extent){0, 0};
  return (struct pcf_extent){pcf_layout_before(layout, i) + j, end - j};
}

struct pcf_extent pcf_layout_extent(const struct pcf_layout *layout,
                                    const struct pcf_rectangle *rectangle, int64_t k) {
  if (k < rectangle->columns) return of_column(layout, rectangle, rectangle->column + k);
  return of_row(layout, rectangle, rectangle->row + k - rectangle->columns);
}

int64_t pcf_layout_numbers(const struct pcf_layout *layout,
                           const struct pcf_rectangle *rectangle) {
  int64_t numbers = 0, extents = pcf_layout_extents(layout, rectangle);
  for (int64_t k = 0; k < extents; k++) {
    numbers += pcf_layout_extent(layout, rectangle, k).count;
  }
  return numbers;
}
