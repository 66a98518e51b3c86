#include "ragged.h"

#include <stdlib.h>
#include <string.h>

const atomic_int never_stop = 0;

struct pcf_portions portions_of_lengths(int64_t items, int64_t *length) {
  int64_t *offsets = zeroed(items + 1, sizeof *offsets);
  for (int64_t i = 0; i < items; i++) offsets[i + 1] = offsets[i] + length[i];
  struct pcf_portions portions = {.items = items, .offsets = offsets};
  portions.place = zeroed(pcf_portion_numbers(&portions), sizeof *portions.place);
  return portions;
}

struct functions *functions_of_lengths(struct random *random, enum shape shape, int64_t count,
                                       const int64_t *lengths) {
  struct functions *x = functions_new(count, lengths);
  for (int64_t i = 0; i < count; i++) {
    struct functions *one = functions_random(random, shape, 1, lengths[i], lengths[i]);
    memcpy(x->function[i], one->function[0], 2 * (size_t)lengths[i] * sizeof(double));
  }
  return x;
}

void forget_values(struct random *random, struct functions *x, double share) {
  for (int64_t i = 0; i < x->view.count; i++) {
    for (int64_t k = 0; k < pcf_breakpoints(&x->view, i); k++) {
      if (random_uniform(random) < share) values_of(x, i)[k] = pcf_missing();
    }
  }
}

bool same_function(const struct functions *x, const struct functions *y, int64_t i) {
  int64_t m = pcf_breakpoints(&x->view, i);
  return m == pcf_breakpoints(&y->view, i) &&
         memcmp(x->function[i], y->function[i], 2 * (size_t)m * sizeof(double)) == 0;
}
