/* Pointwise quantiles of many functions. */
#pragma once

#include "reductions/quantiles-at.h"

/* The quantiles, one function for each probability. PCF_ERROR_ARGUMENT when it is too long for
 * R. Free `curves` with pcf_curves_free(), whatever the status. */
enum pcf_status pcf_quantiles(const struct pcf_quantiles *quantiles, int threads,
                              const atomic_int *stop, struct pcf_curves *curves,
                              struct pcf_error *error);

/* For tests: how many breakpoints of step functions are swept together, at least. */
extern int64_t pcf_quantiles_part;
