/* Which pieces of functions a device with pixels can show. */
#pragma once

#include <stdint.h>

/* Pieces on which functions are constant or, with end values, go in straight lines from their
 * values to these: those of one function lie together, from left to right. Neighbours of the
 * same chain follow each other without a gap, and a line joins them. Times are measured in
 * columns of pixels and values in rows; all are finite. */
struct pcf_pieces {
  int64_t count;
  const int *function, *chain;
  const double *begin, *end, *value;
  const double *end_value; /* or NULL; only the drawing of pixels has them */
};

/* Sets keep[k] to whether piece k is to be drawn, and returns how many are.
 *
 * Pieces that reach over a border of columns are kept. Of those that follow each other within
 * one column, the first, the lowest, the highest and the last are kept: the line through
 * these covers the same pixels. What stands alone within a column, with gaps on both sides, is
 * not kept where the function covers all of its rows already.
 *
 * The device has the rows 0 … rows - 1; values beyond count as one row on each side. `covered`
 * has rows + 2 elements, all 0. */
int64_t pcf_keep_visible_pieces(const struct pcf_pieces *pieces, int64_t rows, int64_t *covered,
                                unsigned char *keep);
