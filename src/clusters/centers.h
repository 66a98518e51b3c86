/* The squared L2 distances of functions from the centers of their clusters, without making the
 * centers: a sweep over the events of all functions.
 *
 * The center of a cluster is at each time the weighted mean of its members that are observed
 * then; where there are none, that of all functions. A function's distance is the integral over
 * the time at which it is observed. */
#pragma once

#include "clusters/sorted-events.h"

struct pcf_center_sweep {
  const struct pcf_sorted_events *events;
  int64_t clusters;
  const int *cluster;   /* of each function, from 0 */
  const double *weight; /* of each function, positive, or NULL for 1 */
  const int *stays;     /* is it known that a function's own center is the nearest? Or NULL */
  int threads;
  /* Of each function: the nearest center, which is its own unless another one is nearer by more
   * than rounding errors; the squared distances from its own center, from the nearest, and the
   * least one from any other center than that. Those of functions that stay are NaN. */
  int *nearest;
  double *own, *best, *second;
};

/* The results do not depend on the threads. Memory is needed for a number for each function and
 * cluster for each thread, three of lines. PCF_ERROR_MEMORY, PCF_ERROR_INTERRUPTED. */
enum pcf_status pcf_sweep_centers(const struct pcf_center_sweep *sweep, const atomic_int *stop,
                                  struct pcf_error *error);
