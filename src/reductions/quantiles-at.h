/* Pointwise quantiles of piecewise linear functions at given times. */
#pragma once

#include "collections/collection.h"
#include "collections/curves.h"

/* The quantiles of all functions of a collection, at least one, for some probabilities, at the
 * times, at least one, which increase. Where values are missing, they are those of the others,
 * and missing where there are none, if `observed_only`; otherwise they are missing. They are
 * joined by lines in between, where both ends of a line are known, and missing before the first
 * and after the last time where functions change there. */
struct pcf_quantiles_at {
  const struct pcf_collection *x;
  const double *prob;
  int64_t probs;
  int observed_only;
  const double *time;
  int64_t times;
};

/* One function for each probability. PCF_ERROR_ARGUMENT when it is too long for R. Free
 * `curves` with pcf_curves_free(), whatever the status. */
enum pcf_status pcf_quantiles_at(const struct pcf_quantiles_at *quantiles, int threads,
                                 const atomic_int *stop, struct pcf_curves *curves,
                                 struct pcf_error *error);
