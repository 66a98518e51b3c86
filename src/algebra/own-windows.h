/* Functions on windows of which each has its own. */
#pragma once

#include "collections/owned.h"

/* Function i on the window [from[i], to[i]), where from[i] <= to[i], of which it may be
 * infinite ones; elsewhere all have the value `outside`, 0 or missing. Beside the breakpoints
 * within the window there are such at its ends. */
struct pcf_own_windows {
  const struct pcf_collection *x;
  const double *from, *to;
  double outside;
};

/* The functions, still to be written. */
struct pcf_unwritten pcf_restrict_each(const struct pcf_own_windows *windows);
