/* Timelines: when each block of a run was where. */
#pragma once

#include "base/error.h"

#include <stdint.h>

/* A block on the timeline: where it was computed, and when, in seconds since the start of the
 * run. The host launched it; the device began, had computed it and had copied it to the host
 * (NaN where the device does not know); the host began to scatter it, and had scattered it. */
struct pcf_span {
  int device;
  int64_t row, column, rows, columns;
  double launched, begun, computed, copied, scatter_begun, scattered;
};

struct pcf_timeline {
  int64_t count;
  struct pcf_span *span;
};

/* Makes room for `more` spans after those that are there, which stay; PCF_ERROR_MEMORY. */
enum pcf_status pcf_timeline_reserve(struct pcf_timeline *timeline, int64_t more,
                                     struct pcf_error *error);

/* Of the `more` spans in that room, takes over those that have their mark. */
void pcf_timeline_keep(struct pcf_timeline *timeline, int64_t more, const unsigned char *marks);

/* Sorts by the time of the launch. */
void pcf_timeline_sort(struct pcf_timeline *timeline);

void pcf_timeline_free(struct pcf_timeline *timeline);
