/* The nearest others of functions among some, by their points, and how far they are. */
#pragma once

#include "pruning/bounds.h"

/* Every function wants its k nearest others or, where k is 0, all within `radius`. The
 * collections are those of the bounds; labels, least distances and limits as of a selection.
 * `most` pairs of a tile take as long one by one as all of its pairs together; 0: they are
 * always computed together. */
struct pcf_wanted {
  const struct pcf_collection *x, *y;
  int64_t k;
  double radius;
  int64_t most;
  const int32_t *label;
  const double *least, *farthest;
};

/* Where functions are looked for, and why. */
struct pcf_search {
  const struct pcf_bounds *bounds;
  const struct pcf_wanted *wanted;
  const struct pcf_kernels *kernels;
  const atomic_int *stop;
};

/* The nearest ones of a function so far, by its point: a sorted list. */
struct pcf_nearest {
  int64_t k, count;
  float *gap;
  int32_t *function;
  double *distance; /* for those of all of them */
};

void pcf_nearest_insert(struct pcf_nearest *nearest, float gap, int32_t function);

/* Some bands of the columns, or those from `first` on. */
struct pcf_some_bands {
  const int32_t *band;
  int64_t first, count;
};

/* Looks there for the nearest ones of all functions of a band at once, so that the points of
 * the columns are read but once for all of them. Their lists are `apart` from each other. */
void pcf_search_bands(const struct pcf_search *search, int64_t row_band,
                      const struct pcf_some_bands *some, struct pcf_nearest *nearest,
                      int64_t apart);

/* How far the nearest ones of the function at a position are: the largest of their distances,
 * which, but for roundings, is never too small as a limit. PCF_ERROR_MEMORY. */
enum pcf_status pcf_search_kth(const struct pcf_search *search, int64_t position,
                               const struct pcf_nearest *nearest, double *limit,
                               struct pcf_error *error);
