/* The k nearest, or farthest, items of every item, as a sink. */
#pragma once

#include "sinks/selection.h"

/* Start with pcf_neighbors_start(), which allocates; free with pcf_neighbors_free(). After the
 * run, item i has `held[i]` neighbours, which are fewer than k if other distances are missing
 * or excluded: id[i * k + 0 …] and key[i * k + 0 …] = sign · distance, sorted by key and then
 * by id. They depend only on the distances. */
struct pcf_neighbors {
  struct pcf_selection selection;
  int64_t k;
  double *key;
  int32_t *id, *held;
  atomic_flag *lock; /* one for each item */
};

/* k is at least 1. */
enum pcf_status pcf_neighbors_start(struct pcf_neighbors *neighbors, int64_t rows, int64_t k,
                                    int sign, struct pcf_error *error);
void pcf_neighbors_free(struct pcf_neighbors *neighbors);
