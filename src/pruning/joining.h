/* Limits for those who want the nearest function with another label of all functions of a
 * label, and not of each. */
#pragma once

#include "pruning/nearest.h"

/* Fills the limit of each function of x: it is that of its label, and at least, but for
 * roundings, the distance of one of its functions from one with another label. What is wanted
 * are labels, and possibly least distances. Where labels are joined by their nearest pairs
 * until all are one, then nearly all pairs that this takes are within the limits. Limits may be
 * infinite. PCF_ERROR_MEMORY; PCF_ERROR_INTERRUPTED after a non-zero `stop`. */
enum pcf_status pcf_joining_limits(const struct pcf_bounds *bounds,
                                   const struct pcf_wanted *wanted,
                                   enum pcf_instructions instructions, int threads,
                                   const atomic_int *stop, double *limit,
                                   struct pcf_error *error);
