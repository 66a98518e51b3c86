/* The variance of step functions at each time. */
#pragma once

#include "collections/collection.h"
#include "collections/curves.h"

#include <stdatomic.h>

/* Of all functions of a collection that is checked, at least one, with weights w (NULL: 1) that
 * are not negative: Σ w (x − mean)² / (Σ w − Σ w² / Σ w), over those that are observed if
 * `observed_only`, otherwise missing where one is not. Missing also where fewer than two are
 * observed. All sums are exact, and only the result is rounded: it does not depend on how far
 * values are from 0, nor on their order. */
struct pcf_variance {
  const struct pcf_collection *x;
  const struct pcf_range *range; /* of x */
  const double *weight;
  int observed_only;
};

/* One function, which begins at −∞. PCF_ERROR_MEMORY, PCF_ERROR_INTERRUPTED. Free `curves` with
 * pcf_curves_free(), whatever the status. */
enum pcf_status pcf_variance(const struct pcf_variance *variance, int threads,
                             const atomic_int *stop, struct pcf_curves *curves,
                             struct pcf_error *error);
