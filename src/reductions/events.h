/* Events of sums, sorted by time: (time, what a function adds from there on). */
#pragma once

#include "base/bits.h"

#include <stdint.h>

/* The caller decides what `change` holds: two limbs, or the bits of the values before and
 * after. */
struct pcf_event {
  uint64_t key;
  uint64_t change[2];
};

enum { PCF_CELL_BITS = 16, PCF_DEEPER_CELL_BITS = 12, PCF_SORTING_LEVELS = 8 };

/* Counters that sorting needs, one struct for each thread. */
struct pcf_sorter {
  uint32_t first[(1 << PCF_CELL_BITS) + 1];
  uint32_t deeper[PCF_SORTING_LEVELS][(1 << PCF_DEEPER_CELL_BITS) + 1];
};

/* Sorts `count` events by key into `sorted`. Events of one key keep their order. What was in
 * `events` is lost. */
void pcf_sort_events(struct pcf_sorter *sorter, struct pcf_event *events,
                     struct pcf_event *sorted, int64_t count);
