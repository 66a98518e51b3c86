/* A survey of some functions before all pairs are computed: how much of the work would be
 * left. */
#pragma once

#include "pruning/nearest.h"

/* Estimates from some bands of functions the share of the work, in tiles of 32 × 32 functions,
 * that the bounds do not leave out: *share. The k nearest of a function are guessed from their
 * points; the limit is then the largest of their true distances, which is never too small.
 * PCF_ERROR_MEMORY; PCF_ERROR_INTERRUPTED after a non-zero `stop`. */
enum pcf_status pcf_survey(const struct pcf_bounds *bounds, const struct pcf_wanted *wanted,
                           enum pcf_instructions instructions, int threads,
                           const atomic_int *stop, double *share, struct pcf_error *error);
