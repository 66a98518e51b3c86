/* Rectangles of the matrix that are computed in parts, by several workers: the worker with the
 * last part of a rectangle finishes it. */
#pragma once

#include "blocks/device.h"

#include <stdatomic.h>

struct pcf_parts {
  char *memory; /* some bytes for each part of every rectangle */
  struct pcf_slot {
    int64_t first;      /* number of its first part among all parts */
    atomic_int missing; /* parts that are still to come */
  } * slot;
};

/* Cuts the task into blocks of that side, and each into rule(context, block) parts, for which
 * there are to be so many bytes each; PCF_ERROR_MEMORY. Free with pcf_parts_free(). */
enum pcf_status pcf_parts_schedule(struct pcf_parts *parts, const struct pcf_task *task,
                                   int64_t side, pcf_part_rule *rule, const void *context,
                                   size_t bytes, struct pcf_schedule *schedule,
                                   struct pcf_error *error);
void pcf_parts_free(struct pcf_parts *parts);

/* The number, among all parts, of the first part of a block's rectangle. */
static inline int64_t pcf_first_part(const struct pcf_parts *parts,
                                     const struct pcf_block *block) {
  return parts->slot[block->slot].first;
}

/* Notes that a part is done; is it the last one? */
static inline int pcf_last_part(const struct pcf_parts *parts, const struct pcf_block *block) {
  return atomic_fetch_sub(&parts->slot[block->slot].missing, 1) == 1;
}
