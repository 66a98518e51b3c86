/* Means of step functions over a window that moves with time. */
#pragma once

#include "collections/owned.h"

/* At each time the mean from `before` earlier to `after` later, both at least 0, and not both
 * 0. It is a line between the times at which the window reaches or leaves a breakpoint, and
 * missing where the function is not observed throughout the window. */
struct pcf_rolling {
  const struct pcf_collection *x; /* step functions */
  double before, after;
};

/* The piecewise linear functions, still to be written. Values may be infinite or NaN where
 * those or the times of a function are too large. */
struct pcf_unwritten pcf_rolling_means(const struct pcf_rolling *rolling);
