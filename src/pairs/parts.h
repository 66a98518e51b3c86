/* Rectangles of the matrix that are computed in parts, by several workers: who brings the last
 * part of one finishes it. */
#ifndef PCF_PARTS_H
#define PCF_PARTS_H

#include "blocks/schedule.h"

#include <stdatomic.h>

struct pcf_parts {
  int64_t total; /* of all rectangles */
  struct pcf_slot {
    int64_t first;      /* number of its first part among all parts */
    atomic_int missing; /* parts that are still to come */
  } * slot;
};

/* Counts the parts of a schedule; PCF_ERROR_MEMORY. Free with pcf_parts_free(). */
enum pcf_status pcf_parts_count(struct pcf_parts *parts, const struct pcf_schedule *schedule,
                                struct pcf_error *error);
void pcf_parts_free(struct pcf_parts *parts);

/* The number of a block's rectangle's first part among all parts. */
static inline int64_t pcf_first_part(const struct pcf_parts *parts,
                                     const struct pcf_block *block) {
  return parts->slot[block->slot].first;
}

/* Notes that a part is done; is it the last one? */
static inline int pcf_last_part(const struct pcf_parts *parts, const struct pcf_block *block) {
  return atomic_fetch_sub(&parts->slot[block->slot].missing, 1) == 1;
}

#endif
