/* A survey of some functions before all pairs are computed: how much of the work would be
 * left. */
#pragma once

#include "pruning/bounds.h"

/* Every function wants its k nearest others or, where k is 0, all within `radius`. The
 * collections are those of the bounds; labels, least distances and limits as of a selection.
 * `most` pairs of a tile take as long one by one as all of its pairs together; 0: they are
 * always computed together. */
struct pcf_wanted {
  const struct pcf_collection *x, *y;
  int64_t k;
  double radius;
  int64_t most;
  const int32_t *label;
  const double *least, *farthest;
};

/* Estimates from some bands of functions the share of the work, in tiles of 32 × 32 functions,
 * that the bounds do not leave out: *share. The k nearest of a function are guessed from their
 * points; the limit is then the largest of their true distances, which is never too small.
 * PCF_ERROR_MEMORY; PCF_ERROR_INTERRUPTED after a non-zero `stop`. */
enum pcf_status pcf_survey(const struct pcf_bounds *bounds, const struct pcf_wanted *wanted,
                           enum pcf_instructions instructions, int threads,
                           const atomic_int *stop, double *share, struct pcf_error *error);

/* Fills limits of all rows, by function: of the k nearest among a few of the columns, the
 * largest distance, which, but for roundings, is never too small. PCF_ERROR_MEMORY;
 * PCF_ERROR_INTERRUPTED after a non-zero `stop`. */
enum pcf_status pcf_survey_limits(const struct pcf_bounds *bounds,
                                  const struct pcf_wanted *wanted,
                                  enum pcf_instructions instructions, int threads,
                                  const atomic_int *stop, double *limit,
                                  struct pcf_error *error);
