/* Residency: which items are on a device that cannot hold all of them. */
#pragma once

#include "blocks/schedule.h"

/* ---- Segments ---- */

/* Items divided into runs that are copied to a device, and leave it, together. */
struct pcf_segments {
  int64_t count;
  int64_t *first;    /* count + 1: segment s has the items first[s] … first[s + 1] - 1 */
  double most_bytes; /* of a segment */
};

/* Cuts items into as few segments as possible. Each is made of whole runs of `side` items (the
 * last run may be shorter), takes at most slot_bytes (bytes_per_unit and
 * bytes_per_item each), and has at most INT32_MAX units. Blocks of a schedule of
 * `side`, and whatever they are cut into later, therefore lie in one segment of the rows and
 * one of the columns. (Segments may be cut anew for the halved side of a schedule if each side
 * is a multiple of the next, as with a power of two of tiles.)
 *
 * If a single run does not fit, it fails with PCF_ERROR_DEVICE_MEMORY and a message that says
 * how much memory it needs; a smaller side may help. It can also fail with PCF_ERROR_MEMORY.
 * Nothing must be freed after a failure. */
enum pcf_status pcf_segments_cut(struct pcf_segments *segments, const struct pcf_items *items,
                                 int64_t side, double bytes_per_unit, double bytes_per_item,
                                 double slot_bytes, struct pcf_error *error);

void pcf_segments_free(struct pcf_segments *segments);

/* ---- The order of blocks ---- */

/* Puts the blocks in groups that share both segments, and the groups in an order that changes
 * one segment at a time, as far as the mode has such groups: `held` segments of rows (at least
 * 1) stay while all columns pass by, and the next ones meet the columns in the opposite order.
 * So a column segment is loaded about once for every `held` row segments, by a device with
 * held + 2 of the slots below. Within a group the blocks stay in their order, which is that of
 * their work. PCF_ERROR_MEMORY. */
enum pcf_status pcf_schedule_by_segments(struct pcf_schedule *schedule,
                                         const struct pcf_segments *rows,
                                         const struct pcf_segments *columns, int64_t held,
                                         struct pcf_error *error);

/* ---- Slots ---- */

enum { PCF_MAX_SLOTS = 8 };

/* What is in the slots of a device: equal pieces of memory, each with room for one segment. */
struct pcf_slots {
  int count;
  int64_t requests;
  struct {
    int kind;        /* defined by the caller, such as 0 for rows and 1 for columns */
    int64_t segment; /* -1: empty */
    int64_t used;    /* when it was last requested */
  } slot[PCF_MAX_SLOTS];
};

/* `count` empty slots, 1 … PCF_MAX_SLOTS. */
void pcf_slots_init(struct pcf_slots *slots, int count);

/* The slot of a segment. If it is in none, *load is set, and the segment is assigned to the
 * slot returned: an empty one, or else the one that was not requested for the longest time,
 * except those whose bit is set in `pinned` (slot s: 1 << s). -1 if all are pinned. */
int pcf_slots_take(struct pcf_slots *slots, int kind, int64_t segment, unsigned pinned,
                   int *load);

/* Empties a slot, such as after a load that failed. */
void pcf_slots_forget(struct pcf_slots *slots, int slot);
