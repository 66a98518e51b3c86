/* Medoids by eager swaps, as in FasterPAM and OneBatchPAM. */
#pragma once

#include "base/error.h"

#include <stdatomic.h>
#include <stdint.h>

/* The distances of `columns` candidates from `rows` functions: either those of a dist, all of
 * `columns` functions from each other, or a float for each row, column by column. */
struct pcf_distances {
  int64_t rows, columns;
  const double *dist;  /* or NULL */
  const float *number; /* or NULL */
};

struct pcf_swaps {
  struct pcf_distances from;
  const double *weight;   /* of each row, or NULL for 1 */
  double largest;         /* no distance is larger */
  double least;           /* swaps gain more than this share of the loss */
  int64_t clusters, most; /* the number of medoids, and the most passes over all candidates */
  int threads;
  int *medoid;  /* distinct candidates at first, then the medoids */
  double *gain; /* of each candidate, what the best swap for it would gain at last; or NULL */
  /* The result: the weighted sum of the distances of rows from the nearest medoid, and whether
   * no swap is left. */
  double loss;
  int settled;
};

/* Swaps a medoid for the next candidate that gains, of all in turn, until none does. The result
 * does not depend on the threads. Memory is needed for a number for each row and medoid.
 * PCF_ERROR_MEMORY, PCF_ERROR_INTERRUPTED. */
enum pcf_status pcf_swap_medoids(struct pcf_swaps *swaps, const atomic_int *stop,
                                 struct pcf_error *error);
