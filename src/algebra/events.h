/* Events of sums, sorted by time: (time, what a function adds from there on). */
#pragma once

#include "base/bits.h"
#include "base/error.h"

#include <stdint.h>

/* The caller decides what `change` holds: two limbs, or the bits of the values before and
 * after. */
struct pcf_event {
  uint64_t key;
  uint64_t change[2];
};

/* Counters that sorting needs, one for each thread. NULL where there is no memory; free with
 * pcf_free(). */
struct pcf_sorter;
struct pcf_sorter *pcf_sorter_new(struct pcf_error *error);

/* Sorts `count` events by key into `sorted`. Events of one key keep their order. What was in
 * `events` is lost. */
void pcf_sort_events(struct pcf_sorter *sorter, struct pcf_event *events,
                     struct pcf_event *sorted, int64_t count);
