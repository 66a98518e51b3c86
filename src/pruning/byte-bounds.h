/* Bounds of distances in bytes: an eighth of the memory and of the work that they take in
 * single precision. */
#pragma once

#include "pruning/bounds.h"

/* Of both collections of the bounds, by the same steps; without a second one, `of_y` is empty.
 * `together` is 8, or 0 for all. PCF_ERROR_MEMORY; PCF_ERROR_INTERRUPTED after a non-zero
 * `stop`. Free both with pcf_byte_bounds_free(), after failures too; or start with zeros. */
enum pcf_status pcf_byte_bounds_make(struct pcf_byte_bounds *of_x, struct pcf_byte_bounds *of_y,
                                     const struct pcf_bounds *bounds, int together, int threads,
                                     const atomic_int *stop, struct pcf_error *error);
void pcf_byte_bounds_free(struct pcf_byte_bounds *bytes);

/* Makes bounds in bytes, too, where there are some of L1: most pairs that are left out are so
 * for these, which are looked at first. Some 70 bytes for each function. */
enum pcf_status pcf_bounds_add_bytes(struct pcf_bounds *bounds, int threads,
                                     const atomic_int *stop, struct pcf_error *error);

/* Does a metric have such bounds? */
static inline int pcf_has_byte_bounds(const struct pcf_metric *metric) {
  return metric->operation == PCF_L1 || metric->operation == PCF_L2;
}
