/* Pointwise quantiles of many functions. */
#pragma once

#include "collections/collection.h"
#include "collections/curves.h"

#include <stdatomic.h>

/* The quantiles of all functions of a collection, at least one, for each of some probabilities.
 * Where values are missing, they are those of the others, and missing where there are none, if
 * `observed_only`; otherwise they are missing.
 *
 * Those of step functions have the times of all functions or, if `time` is not NULL, these,
 * which increase; if `unknown_before`, they are missing at the first of these. Those of
 * piecewise linear functions, for which the latter means nothing, are in
 * reductions/line-levels.h and reductions/quantiles-at.h. */
struct pcf_quantiles {
  const struct pcf_collection *x;
  const double *prob;
  int64_t probs;
  int observed_only;
  const double *time;
  int64_t times;
  int unknown_before;
};

/* One function for each probability. PCF_ERROR_ARGUMENT when it is too long for R. Free
 * `curves` with pcf_curves_free(), whatever the status. */
enum pcf_status pcf_quantiles(const struct pcf_quantiles *quantiles, int threads,
                              const atomic_int *stop, struct pcf_curves *curves,
                              struct pcf_error *error);

/* For tests: how many breakpoints of step functions are swept together, at least. */
extern int64_t pcf_quantiles_part;
