/* Lower bounds of distances, by which pairs that nobody wants are left out without being
 * computed. */
#pragma once

#include "pruning/bytes.h"
#include "pruning/coordinates.h"

/* The functions of a collection in an order in which near ones lie in the same band of 32, with
 * their points and the boxes around those. */
struct pcf_bounded {
  int64_t count, bands;
  int32_t *order;      /* order[position] = function */
  float *point;        /* of each band: coordinates × PCF_BAND_POINTS, by position */
  float *least, *most; /* of each band: the coordinates of its box */
  double *slack;       /* of each band, the largest */
  struct pcf_byte_bounds bytes;
};

struct pcf_bounds {
  struct pcf_coordinates coordinates; /* no bound holds where it has no stretches */
  const struct pcf_gaps *gaps;
  struct pcf_bounded x, y; /* y is empty where there is none */
};

/* Makes the bounds: O(M + n log n) for M breakpoints of n functions, and some 300 bytes for
 * each. PCF_ERROR_MEMORY; PCF_ERROR_INTERRUPTED after a non-zero `stop`. Free with
 * pcf_bounds_free(), after failures too; or start with zeros. */
enum pcf_status pcf_bounds_make(struct pcf_bounds *bounds, const struct pcf_compared *compared,
                                enum pcf_instructions instructions, int threads,
                                const atomic_int *stop, struct pcf_error *error);
void pcf_bounds_free(struct pcf_bounds *bounds);

/* The functions of the columns: those of y, or x again. */
static inline const struct pcf_bounded *pcf_bounded_columns(const struct pcf_bounds *bounds) {
  return bounds->y.count ? &bounds->y : &bounds->x;
}

/* Lists the pairs of a rectangle, as the find() of a pruner does, but for those whose distance,
 * as any method computes it, is certainly larger than limit[i] of its row i and, where these
 * are not NULL, column_limit[j] of its column j. Rows and columns count positions in the
 * orders; the first ones are multiples of PCF_BAND_POINTS. Limits are read with relaxed order;
 * they may be infinite, but not missing. */
int64_t pcf_bounds_find(const struct pcf_bounds *bounds, const struct pcf_rectangle *rectangle,
                        const _Atomic double *limit, const _Atomic double *column_limit,
                        int64_t most, struct pcf_pair_position *position);
