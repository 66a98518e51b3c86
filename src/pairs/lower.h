/* What functions below others come to: for odd p, |v − w|^p = 2 (v − w)^p [w < v] − (v − w)^p.
 */
#ifndef PCF_LOWER_H
#define PCF_LOWER_H

#include "pairs/moments.h"

/* Room that a worker keeps. Start from zeros; free with pcf_lower_free(). */
struct pcf_lower_item;
struct pcf_lower {
  int64_t room;
  struct pcf_lower_item *item, *merged;
};

void pcf_lower_free(struct pcf_lower *lower);

/* Adds, for each function f of x, to sum[f] twice the sum over g of b(g) ∫ (f − g)^p over the
 * times of the slab at which g < f. `factor` are the p + 1 factors of the polynomial, and
 * powers are those of values less the center; `value` has room for a number for each function.
 * PCF_ERROR_MEMORY; PCF_ERROR_INTERRUPTED after a non-zero `stop`. */
enum pcf_status pcf_add_lower(struct pcf_lower *lower, const struct pcf_slab_sums *sums,
                              const struct pcf_slab *slab, double *value, double center,
                              const double *factor, const atomic_int *stop,
                              struct pcf_twofold *sum, struct pcf_error *error);

#endif
