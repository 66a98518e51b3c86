/* Breakpoints of quantiles of piecewise linear functions, from what was found of them. */
#pragma once

#include "collections/curves.h"
#include "reductions/level-search.h"

/* The memory of one thread: begin with zeros. */
struct pcf_level_points {
  struct pcf_level_near {
    double last_before, first_after;
  } * near; /* times of breakpoints within each piece, near its ends */
  int64_t near_room;
  int64_t *cell, cell_room;
};

/* The breakpoints of the pieces of a search, at most three for each; how many becomes *count.
 * The left limit at the first one is still unknown, and there is room for one more at the end.
 * Free with pcf_free(). NULL without memory. */
struct pcf_line_point *pcf_level_points(struct pcf_level_points *points,
                                        const struct pcf_level_search *search, int64_t *count,
                                        struct pcf_error *error);

/* The quantile of constants, what functions are before or after all breakpoints. `number` has
 * room for one of each function. */
double pcf_level_of_constants(const struct pcf_collection *x, const int64_t *function,
                              int64_t count, int observed_only, double prob, int after,
                              double *number);

void pcf_level_points_free(struct pcf_level_points *points);
