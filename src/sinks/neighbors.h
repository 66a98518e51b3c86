/* The k nearest, or farthest, items of every item, as a sink. */
#ifndef PCF_NEIGHBORS_H
#define PCF_NEIGHBORS_H

#include "sinks/selection.h"

/* Start with pcf_neighbors_start(), which allocates; free with pcf_neighbors_free(). After the
 * run, item i has `held[i]` neighbours: the others have no known distance from it, or are not
 * wanted. They are id[i * k + 0 …] and key[i * k + 0 …] = sign · distance, the first by key
 * and, of equal keys, by id first. Nothing but the distances shows in them. */
struct pcf_neighbors {
  struct pcf_selection selection;
  int64_t k;
  double *key;
  int32_t *id, *held;
  atomic_flag *lock; /* of each item */
};

/* k is at least 1. */
enum pcf_status pcf_neighbors_start(struct pcf_neighbors *neighbors, int64_t rows, int64_t k,
                                    int sign, struct pcf_error *error);
void pcf_neighbors_free(struct pcf_neighbors *neighbors);

#endif
