/* The kernel in homology of dimension 0 of two metrics on the same points. */
#pragma once

#include "base/error.h"

#include <stdatomic.h>
#include <stdint.h>

/* Distances of `points` points under two metrics, both finite, not negative, and no farther
 * apart under `near` than under `far`: the lower triangle without the diagonal, column by
 * column. */
struct pcf_two_metrics {
  const double *far, *near;
  int64_t points;          /* at least 1 */
  double *births, *deaths; /* points - 1 each, to be filled */
};

/* The connected components that points within a distance of t of each other make, under `far`,
 * map to those under `near`, and the kernel of that map has one bar for each merger under
 * `far`: it dies at this merger, and is born when the last of what it joins merges under
 * `near`. Bars come in the order of their deaths. PCF_ERROR_MEMORY, PCF_ERROR_INTERRUPTED. */
enum pcf_status pcf_homological_kernels(const struct pcf_two_metrics *x, int64_t count,
                                        int threads, const atomic_int *stop,
                                        struct pcf_error *error);
