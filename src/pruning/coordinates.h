/* Coordinates of functions: points that are no further apart than the functions are, since the
 * mean over a stretch of time makes no difference larger (Jensen's inequality). */
#pragma once

#include "base/error.h"
#include "pairs/pairs.h"
#include "pruning/gaps.h"

#include <stdatomic.h>

enum { PCF_MOST_COORDINATES = 64 };

/* What pairs are compared by. x and y (NULL: x again) are checked, and complete: no value is
 * missing. */
struct pcf_compared {
  const struct pcf_collection *x, *y;
  const struct pcf_integral *integral;
  struct pcf_range range; /* of both */
  /* The rows that are computed, or 0: these are brought into an order among themselves. */
  int64_t first_row, end_row;
};

/* Coordinate s of a function f is ∫ f over edge[s] … edge[s + 1], weighted if the pairs are,
 * times weight[s], less center[s], in units of 2^exponent. Edges are in scaled time. */
struct pcf_coordinates {
  struct pcf_integral integral;
  struct pcf_metric metric; /* its coordinates past the `stretches` are 0 */
  int stretches;            /* 0: there are no coordinates that tell anything */
  double edge[PCF_MOST_COORDINATES + 1];
  double weight[PCF_MOST_COORDINATES], center[PCF_MOST_COORDINATES];
  int exponent;
  double largest; /* no coordinate has a larger absolute value */
  double scale;   /* of a distance, to that unit; may be 0 or infinite */
  /* The distance that is computed of a pair is at least its distance divided by 1 + error,
   * where that is at least `least`, in that unit. */
  double error, least;
};

/* Finds stretches of time, from a sample of the functions, and what goes with them.
 * PCF_ERROR_MEMORY. */
enum pcf_status pcf_coordinates_find(struct pcf_coordinates *coordinates,
                                     const struct pcf_compared *compared,
                                     struct pcf_error *error);

/* Fills the coordinates of function i of x, as many as the metric has, and returns its slack,
 * in the same unit. Two points are further apart than their functions by at most the sum of
 * both slacks. */
double pcf_coordinates_of(const struct pcf_coordinates *coordinates,
                          const struct pcf_collection *x, int64_t i, float *point);

/* A distance of points, without slacks: where the points of a pair are further apart, the
 * distance that is computed of the pair is larger than `limit`. */
double pcf_gap_limit(const struct pcf_coordinates *coordinates, double limit);

/* At least what is likely to be computed of a pair at that distance, with the slacks of both
 * functions. */
double pcf_likely_limit(const struct pcf_coordinates *coordinates, double distance,
                        double slack);
