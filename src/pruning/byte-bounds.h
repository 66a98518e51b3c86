/* Bounds of distances in bytes: an eighth of the memory and of the work that they take in
 * single precision. */
#pragma once

#include "base/memory.h"
#include "pruning/gaps.h"

#include <stdatomic.h>

struct pcf_bounds;
struct pcf_bounded;

/* The functions of a collection in their order, `words` of four bytes each, which count steps
 * along the coordinates. Two functions are at least as many steps apart, as the metric has it,
 * as their bytes are, less the slacks of their bands of 32, which what rounding takes is part
 * of. Of each band there is the least and the most that its bytes are, too. `together` bytes of
 * a function lie side by side, then those of the next one of its band.
 *
 * A pair whose bytes are more than max(unit · r, smallest) and both slacks apart has a number,
 * as a device computes it, that is larger than r. */
struct pcf_byte_bounds {
  int words;   /* 0: there are none; the metric is not L1 or L2 */
  int squares; /* L2 */
  int together;
  int64_t count, bands;
  uint32_t *word, *least, *most;
  float *slack;
  double unit, smallest;
  /* A step, in the unit of the coordinates; their own slacks of the bands, in steps. The same
   * holds of them as of the bytes. */
  double step;
  float *coordinate_slack;
  struct pcf_arrays arrays;
};

/* Of one of both collections of the bounds, by steps that are the same of both. `together` is
 * 8, or 0 for all. PCF_ERROR_MEMORY; PCF_ERROR_INTERRUPTED after a non-zero `stop`. Free with
 * pcf_byte_bounds_free(), after failures too; or start with zeros. */
enum pcf_status pcf_byte_bounds_make(struct pcf_byte_bounds *bytes,
                                     const struct pcf_bounds *bounds,
                                     const struct pcf_bounded *of, int together, int threads,
                                     const atomic_int *stop, struct pcf_error *error);
void pcf_byte_bounds_free(struct pcf_byte_bounds *bytes);

/* Does a metric have such bounds? */
static inline int pcf_has_byte_bounds(const struct pcf_metric *metric) {
  return metric->operation == PCF_L1 || metric->operation == PCF_L2;
}
