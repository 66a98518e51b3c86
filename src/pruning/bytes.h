/* What bounds of distances in bytes are. */
#pragma once

#include "base/memory.h"

#include <stdint.h>

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
