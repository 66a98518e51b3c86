/* Limits of all rows before a run. */
#pragma once

#include "pruning/nearest.h"

/* Fills limits of all rows, by function: of the k nearest among a few of the columns, the
 * largest distance, which, but for roundings, is never too small. PCF_ERROR_MEMORY;
 * PCF_ERROR_INTERRUPTED after a non-zero `stop`. */
enum pcf_status pcf_row_limits(const struct pcf_bounds *bounds, const struct pcf_wanted *wanted,
                               enum pcf_instructions instructions, int threads,
                               const atomic_int *stop, double *limit, struct pcf_error *error);
