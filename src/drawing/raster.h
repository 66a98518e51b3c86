/* Lines through the pieces of functions, as a device with pixels shows them. */
#pragma once

#include "drawing/visible-pieces.h"

#include <stdint.h>

/* How the line of a function is drawn. The colour is red, green, blue and opacity, each from 0
 * to 1. */
struct pcf_pen {
  double half_width; /* in pixels */
  float color[4];
};

/* What a sloped piece has at all times: by how much its line rises in a column, and how far it
 * reaches above and below its middle; how far away in time the disc is that reaches there. */
struct pcf_slope {
  double rise, reach, ahead;
};

struct pcf_slope pcf_slope_of(const struct pcf_pieces *pieces, int64_t piece,
                              double half_width);

/* The lines of functions: the pieces first[f] … first[f + 1] - 1 are function f's, whatever
 * pieces->function says. Times are measured in columns from the left end of the picture, values
 * in rows from its bottom. next[f] is the first piece of function f that the columns to come
 * may need: first[f] in the beginning. */
struct pcf_lines {
  const struct pcf_pieces *pieces;
  int64_t functions;
  const struct pcf_pen *pen;
  const struct pcf_slope *slope; /* of each piece with an end value; NULL if none has any */
  const int64_t *first;
  int64_t *next;
  int butt; /* Do lines end where their chains do, and not in half a disc? */
};

/* One column of pixels, from the bottom to the top. */
struct pcf_ink {
  int64_t rows;
  /* Of the line at hand: by how much it covers each pixel more than the one below, and one
   * element more; all 0 between lines, so that columns can share it. */
  int64_t *more;
  /* What was painted by now: red, green and blue times opacity, and opacity. */
  float (*paint)[4];
};

/* Draws neighbouring columns, with an ink each: the functions, and the chains of each, one over
 * the other. Pieces of a function are then in the cache for all columns but the first. The line
 * of a chain covers what a disc of its width covers on its way along the pieces and the jumps
 * between them, and of each pixel the part that lies there. For that a column is cut where a
 * piece comes within reach of the disc or leaves it, but into eighths at most, and where sloped
 * pieces meet into quarters at least. In each part the height is that in its middle; within one
 * sloped piece the area is exact. Columns are drawn from left to right,
 * as the lines remember where they are. All numbers of the ink are 0 before. */
void pcf_draw_columns(const struct pcf_lines *lines, int64_t first, int64_t count,
                      struct pcf_ink *ink);

/* The pixels of a column from the top to the bottom, `stride` apart, each in the 32 bits of
 * opacity, blue, green and red from the highest to the lowest. Takes the paint away. */
void pcf_take_pixels(struct pcf_ink *ink, uint32_t *pixel, int64_t stride);
