/* Shared grids: the union of the breakpoints of a collection. */
#ifndef PCF_GRID_H
#define PCF_GRID_H

#include "pairs/kernels.h"

/* The points where any function may change, in scaled time and ascending; the first is the
 * start of the window if that is finite. There is at least one: the end of a window in which
 * nothing happens. */
struct pcf_grid {
  int64_t points;
  double *time;
};

/* Finds the grid of x and (unless it is NULL) y inside the window. Gives up when it has more
 * than `limit` points: then points is 0. Free with pcf_grid_free(). */
enum pcf_status pcf_grid_find(struct pcf_grid *grid, const struct pcf_collection *x,
                              const struct pcf_collection *y,
                              const struct pcf_integral *integral, int64_t limit,
                              struct pcf_error *error);

void pcf_grid_free(struct pcf_grid *grid);

/* The lengths of the stretches that start at the grid points, in the integral's precision, and
 * weighted if it is. The last ends with the window; if that is unbounded, the last length is 0.
 */
void pcf_grid_lengths(const struct pcf_grid *grid, const struct pcf_integral *integral,
                      void *lengths);

/* The length of stretch g, which is ∞ if it is unbounded. */
double pcf_grid_length(const struct pcf_grid *grid, const struct pcf_integral *integral,
                       int64_t g);

/* Writes functions first … first + count - 1 as a panel of that width, as if the form were not
 * partial: missing values are NaN. `values` has room for points * width scalars. */
struct pcf_panel pcf_grid_panel(const struct pcf_grid *grid, const struct pcf_collection *x,
                                const struct pcf_integral *integral, int64_t first, int count,
                                int width, void *values);

/* Makes of that panel one of a partial form. `known` has room for its words at all points, and
 * `own_lengths` for as many scalars as it has values; `lengths` are those of the grid. */
void pcf_panel_separate(struct pcf_panel *panel, const struct pcf_grid *grid, int width,
                        enum pcf_precision precision, enum pcf_instructions set,
                        const void *lengths, void *values, uint64_t *known, void *own_lengths);

#endif
