/* A survey, before all pairs: how much of the work would be left. */
#ifndef PCF_SURVEY_H
#define PCF_SURVEY_H

#include "pruning/bounds.h"

/* Every function wants its k nearest others or, where k is 0, all within `radius`. The
 * collections are those of the bounds; labels and least distances as of a selection. So many
 * pairs of a tile as `most` take as long one by one as all of them together; 0: they are
 * computed together. */
struct pcf_wanted {
  const struct pcf_collection *x, *y;
  int64_t k;
  double radius;
  int64_t most;
  const int32_t *label;
  const double *least;
};

/* The share of the work in tiles of 32 × 32 functions that the bounds cannot leave out, about,
 * by some bands of functions: *share. The k nearest are guessed by their points; their true
 * distances are limits that are no less than those of the true ones. PCF_ERROR_MEMORY;
 * PCF_ERROR_INTERRUPTED after a non-zero `stop`. */
enum pcf_status pcf_survey(const struct pcf_bounds *bounds, const struct pcf_wanted *wanted,
                           enum pcf_instructions instructions, int threads,
                           const atomic_int *stop, double *share, struct pcf_error *error);

#endif
