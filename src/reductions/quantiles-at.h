/* Pointwise quantiles of piecewise linear functions at given times. */
#pragma once

#include "collections/collection.h"
#include "collections/curves.h"

#include <stdatomic.h>

/* The quantiles of all functions of a collection, at least one, for each of some probabilities.
 * Where values are missing, they are those of the others, and missing where there are none, if
 * `observed_only`; otherwise they are missing.
 *
 * Those of step functions have the times of all functions or, if `time` is not NULL, these,
 * which increase; if `unknown_before`, they are missing at the first of these. For piecewise
 * linear functions, whose quantiles without `time` are in reductions/line-levels.h, the latter
 * means nothing. */
struct pcf_quantiles {
  const struct pcf_collection *x;
  const double *prob;
  int64_t probs;
  int observed_only;
  const double *time;
  int64_t times;
  int unknown_before;
};

/* Those of piecewise linear functions at times, at least one. They are joined by lines in
 * between, where both ends of a line are known, and missing before the first and after the last
 * time where functions change there. */
enum pcf_status pcf_quantiles_at(const struct pcf_quantiles *quantiles, int threads,
                                 const atomic_int *stop, struct pcf_curves *curves,
                                 struct pcf_error *error);
