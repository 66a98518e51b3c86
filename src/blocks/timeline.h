/* Timelines: where and when each block of a run was processed. */
#pragma once

#include "base/error.h"

#include <stdint.h>

/* A block on the timeline: the device that computed it, and times in seconds since the start of
 * the run. The host launched it; the device had begun, computed and copied it to the host (NaN
 * if the device does not record this); the host began to scatter it, and had scattered it. */
struct pcf_span {
  int device;
  int64_t row, column, rows, columns;
  double launched, begun, computed, copied, scatter_begun, scattered;
};

struct pcf_timeline {
  int64_t count;
  struct pcf_span *span;
};

/* Makes room for `more` spans after the existing ones, which are kept; PCF_ERROR_MEMORY. */
enum pcf_status pcf_timeline_reserve(struct pcf_timeline *timeline, int64_t more,
                                     struct pcf_error *error);

/* Adds those of the `more` spans in this room whose marks are set. */
void pcf_timeline_keep(struct pcf_timeline *timeline, int64_t more, const unsigned char *marks);

/* Sorts by the time of the launch. */
void pcf_timeline_sort(struct pcf_timeline *timeline);

void pcf_timeline_free(struct pcf_timeline *timeline);
