/* What squared L2 distances need beside inner products: a constant that all values in a slab
 * are near, since ∫ (f − g)² is the same for f − c and g − c, and the squared norms of these.
 */
#pragma once

#include "products/events.h"
#include "products/slabs.h"

#include "arrays/segment-parts.h"

/* A function's line, or its value and a slope of 0, since a time; and its square up to then. */
struct pcf_square {
  double since, value, slope;
  struct pcf_total integral;
};

/* The beginning of a kernel: sets the slab's center, a median, and the sizes of all functions,
 * ∫ (f − center)². `square` has room for each of them. */
enum pcf_status pcf_center_slab(void *square, const struct pcf_slab_sums *sums,
                                struct pcf_slab *slab, struct pcf_error *error);
