/* Event lists: the events of each function on its own, for pairs that are computed one by one.
 */
#pragma once

#include "base/memory.h"
#include "collections/collection.h"
#include "integrals/integral.h"

#include <stdatomic.h>

/* The events that a function has in its band: for each its time and the value before it, as two
 * numbers in the precision of the integral; at the end +∞ and the last value. */
struct pcf_event_list {
  int64_t events;
  void *event;
};

/* Event lists of all functions, in one block of memory. */
struct pcf_event_lists {
  struct pcf_event_list *list, *columns; /* of x and then of y; of y or, without one, x again */
  struct pcf_arrays arrays;
};

/* Lists the events of x and of y, which may be NULL. Free with pcf_event_lists_free(), after
 * failures too. PCF_ERROR_MEMORY; PCF_ERROR_INTERRUPTED after a non-zero `stop`. */
enum pcf_status pcf_event_lists_make(struct pcf_event_lists *lists,
                                     const struct pcf_collection *x,
                                     const struct pcf_collection *y,
                                     const struct pcf_integral *integral, int threads,
                                     const atomic_int *stop, struct pcf_error *error);
void pcf_event_lists_free(struct pcf_event_lists *lists);
