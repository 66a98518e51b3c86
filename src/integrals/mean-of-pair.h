/* The integral or mean over the overlap of one pair, from its definition. */
#pragma once

#include "collections/weight.h"
#include "integrals/operation.h"

/* The integral over the overlap of two functions in a window, divided by its length before the
 * root is taken; missing if there is no overlap. Not for suprema, and not if the overlap is
 * unbounded. With a weight (or NULL) the functions must be cut at the ends of its pieces. */
double pcf_mean_of_pair(enum pcf_operation operation, double p, double from, double to,
                        const struct pcf_weight *weight, const struct pcf_collection *x,
                        int64_t i, const struct pcf_collection *y, int64_t j);

/* The same without dividing. */
double pcf_integral_of_pair(enum pcf_operation operation, double p, double from, double to,
                            const struct pcf_weight *weight, const struct pcf_collection *x,
                            int64_t i, const struct pcf_collection *y, int64_t j);
