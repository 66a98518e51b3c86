/* Rectangles of the matrix that are computed in parts, by several workers: the worker that
 * computes the last part of a rectangle finishes it. */
#pragma once

#include "base/memory.h"
#include "blocks/device.h"

#include <stdatomic.h>

struct pcf_parts {
  char *memory;        /* some bytes for each part of every rectangle */
  atomic_int *missing; /* of each rectangle, the number of parts that are not done */
  struct pcf_arrays arrays;
};

/* Divides the task into blocks of that side, and each into rule(context, block) parts, with
 * `bytes` of memory for each; PCF_ERROR_MEMORY. The caller frees the arrays. */
enum pcf_status pcf_parts_schedule(struct pcf_parts *parts, const struct pcf_task *task,
                                   int64_t side, pcf_part_rule *rule, const void *context,
                                   size_t bytes, struct pcf_schedule *schedule,
                                   struct pcf_error *error);

/* Records that a part is done, and returns whether it was the last one. */
static inline int pcf_last_part(const struct pcf_parts *parts, const struct pcf_block *block) {
  return atomic_fetch_sub(&parts->missing[block->slot], 1) == 1;
}
