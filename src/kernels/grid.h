/* Shared grids: the union of the breakpoints of a collection. */
#pragma once

#include "kernels/kernels.h"

/* The points where any function may change, in scaled time and ascending order; the first is
 * the start of the window if that is finite. There is at least one: the end of the window if it
 * contains no breakpoint.
 *
 * The stretch after each point takes `rows` rows of a panel. For step functions that is one
 * row, with their values. Lines have two, so that integrals of squares and of products are the
 * same sums over the rows as for step functions: half of the rise over the stretch divided by
 * √3, and then the value in its middle. ∫ (f − g)² over a length h is h d² + h r²/12, where d
 * is the difference in the middle, and r the difference of the rises. */
struct pcf_grid {
  int64_t points;
  int rows;
  double *time;
};

/* The number of rows of a panel on the grid. */
static inline int64_t pcf_grid_rows(const struct pcf_grid *grid) {
  return grid->points * grid->rows;
}

/* Finds the grid of x and (unless it is NULL) y inside the window. If it has more than `limit`
 * points, `points` is set to 0. Free with pcf_grid_free(). */
enum pcf_status pcf_grid_find(struct pcf_grid *grid, const struct pcf_collection *x,
                              const struct pcf_collection *y,
                              const struct pcf_integral *integral, int64_t limit,
                              struct pcf_error *error);

void pcf_grid_free(struct pcf_grid *grid);

/* The length of the stretch of each row of a panel, `width` times, in the integral's precision
 * and multiplied by the weight if there is one. The last ends with the window; if that is
 * unbounded, it is 0. */
void pcf_grid_lengths(const struct pcf_grid *grid, const struct pcf_integral *integral,
                      int width, void *lengths);

/* Where stretch g ends, the last with the window, and its length, which is ∞ if it is
 * unbounded. */
double pcf_grid_end(const struct pcf_grid *grid, const struct pcf_integral *integral,
                    int64_t g);
double pcf_grid_length(const struct pcf_grid *grid, const struct pcf_integral *integral,
                       int64_t g);

/* Makes a panel of that width of functions first … first + count - 1. Unless the form is
 * partial, missing values are NaN. Free with pcf_panel_free(), also after an error. */
enum pcf_status pcf_panel_make(struct pcf_panel *panel, const struct pcf_grid *grid,
                               const struct pcf_collection *x,
                               const struct pcf_integral *integral, int64_t first, int count,
                               int width, struct pcf_error *error);
void pcf_panel_free(void *panel);
