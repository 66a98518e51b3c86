/* Which pairs of a matrix rectangles cover. */
#pragma once

#include "disk/layout.h"

/* Squares of the matrix, each covered or not, of a side that keeps their number small. A square
 * of which only a part is covered counts as not covered, which loses nothing for rectangles
 * that are whole blocks. A struct of zeros can be freed. */
struct pcf_coverage {
  struct pcf_layout layout;
  int64_t side;          /* of a square, a power of two */
  int64_t rows, columns; /* of squares */
  unsigned char *bits;
};

/* Nothing is covered. */
enum pcf_status pcf_coverage_start(struct pcf_coverage *coverage,
                                   const struct pcf_layout *layout, struct pcf_error *error);
void pcf_coverage_free(struct pcf_coverage *coverage);

void pcf_coverage_add(struct pcf_coverage *coverage, const struct pcf_rectangle *rectangle);

/* Are all numbers of the rectangle covered that the file has? */
int pcf_coverage_has(const struct pcf_coverage *coverage,
                     const struct pcf_rectangle *rectangle);
