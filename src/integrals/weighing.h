/* Pairs with a weight: their functions, cut at the ends of its pieces. */
#pragma once

#include "collections/cutting.h"

/* If all members are zero, it can be freed. */
struct pcf_weighing {
  struct pcf_weight weight, scaled; /* `scaled` is that of the integral */
  struct pcf_owned_functions x, y;
};

/* Cuts checked functions x and y (or NULL) for the weight w in a window; `partial` tells
 * whether any value is missing. A weight that is 0 throughout makes all functions 0.
 * PCF_ERROR_MEMORY, PCF_ERROR_INTERRUPTED. Free with pcf_weighing_free(), also after a failure.
 */
enum pcf_status pcf_weighing_make(struct pcf_weighing *weighing, const struct pcf_collection *x,
                                  const struct pcf_collection *y,
                                  const struct pcf_collection *w, double from, double to,
                                  int partial, int threads, const atomic_int *stop,
                                  struct pcf_error *error);
void pcf_weighing_free(struct pcf_weighing *weighing);
