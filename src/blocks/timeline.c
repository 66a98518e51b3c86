#include "blocks/timeline.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static int by_launch(const void *a, const void *b);

enum pcf_status pcf_timeline_reserve(struct pcf_timeline *timeline, int64_t more,
                                     struct pcf_error *error) {
  size_t count = (size_t)timeline->count;
  struct pcf_span *span = pcf_allocate(count + (size_t)more, sizeof *span, error);
  if (!span) return PCF_ERROR_MEMORY;
  if (count) memcpy(span, timeline->span, count * sizeof *span);
  pcf_free(timeline->span);
  timeline->span = span;
  return PCF_OK;
}

void pcf_timeline_keep(struct pcf_timeline *timeline, int64_t more,
                       const unsigned char *marks) {
  const struct pcf_span *from = timeline->span + timeline->count;
  for (int64_t k = 0; k < more; k++) {
    if (marks[k]) timeline->span[timeline->count++] = from[k];
  }
}

void pcf_timeline_sort(struct pcf_timeline *timeline) {
  if (timeline->count == 0) return;
  qsort(timeline->span, (size_t)timeline->count, sizeof *timeline->span, by_launch);
}

void pcf_timeline_free(struct pcf_timeline *timeline) {
  pcf_free(timeline->span);
  *timeline = (struct pcf_timeline){0};
}

static int by_launch(const void *a, const void *b) {
  const struct pcf_span *first = a, *second = b;
  if (first->launched != second->launched) return first->launched < second->launched ? -1 : 1;
  return (first->device > second->device) - (first->device < second->device);
}
