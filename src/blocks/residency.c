#include "blocks/residency.h"

#include "base/memory.h"
#include "base/scalar.h"
#include "base/search.h"

#include <math.h>
#include <stdlib.h>

/* ---- Segments ---- */

/* What a segment may hold, and what its items take. */
struct room {
  const struct pcf_items *items;
  double bytes_per_unit, bytes_per_item, slot_bytes;
};

static double bytes_of(const struct room *room, int64_t first, int64_t end) {
  int64_t units = room->items->offsets[end] - room->items->offsets[first];
  return (double)units * room->bytes_per_unit + (double)(end - first) * room->bytes_per_item;
}

static int fits(const struct room *room, int64_t first, int64_t end) {
  return room->items->offsets[end] - room->items->offsets[first] <= INT32_MAX &&
         bytes_of(room, first, end) <= room->slot_bytes;
}

static int64_t end_of_run(const struct room *room, int64_t first, int64_t side) {
  return first + pcf_smaller(side, room->items->count - first);
}

static enum pcf_status fail_to_fit(const struct room *room, int64_t first, int64_t end,
                                   struct pcf_error *error) {
  int64_t units = room->items->offsets[end] - room->items->offsets[first];
  if (units > INT32_MAX) {
    return pcf_fail(error, PCF_ERROR_DEVICE_MEMORY,
                    "the %.0f rows of a block have %.0f elements, but a device takes at "
                    "most %.0f at a time",
                    (double)(end - first), (double)units, (double)INT32_MAX);
  }
  return pcf_fail(
    error, PCF_ERROR_DEVICE_MEMORY,
    "the %.0f rows of a block need %s of device memory, but only %s are available",
    (double)(end - first), pcf_size_of(bytes_of(room, first, end)).text,
    pcf_size_of(room->slot_bytes).text);
}

/* Takes run after run into the segment as long as they fit: fewer segments are not possible. */
enum pcf_status pcf_segments_cut(struct pcf_segments *segments, const struct pcf_items *items,
                                 int64_t side, double bytes_per_unit, double bytes_per_item,
                                 double slot_bytes, struct pcf_error *error) {
  const struct room room = {items, bytes_per_unit, bytes_per_item, slot_bytes};
  size_t runs = (size_t)pcf_band_count(items->count, side);
  *segments = (struct pcf_segments){0};
  segments->first = pcf_allocate(runs + 1, sizeof *segments->first, error);
  if (!segments->first) return PCF_ERROR_MEMORY;
  for (int64_t first = 0; first < items->count;) {
    int64_t end = end_of_run(&room, first, side);
    if (!fits(&room, first, end)) {
      pcf_segments_free(segments);
      return fail_to_fit(&room, first, end, error);
    }
    while (end < items->count && fits(&room, first, end_of_run(&room, end, side))) {
      end = end_of_run(&room, end, side);
    }
    segments->most_bytes = fmax(segments->most_bytes, bytes_of(&room, first, end));
    segments->first[segments->count++] = first;
    first = end;
  }
  segments->first[segments->count] = items->count;
  return PCF_OK;
}

void pcf_segments_free(struct pcf_segments *segments) {
  pcf_free(segments->first);
  *segments = (struct pcf_segments){0};
}

/* ---- The order of blocks ---- */

/* Where a block comes: the batch of row segments that are held at once, the column segment
 * within the batch, the row segment within the batch, and its place before. The column goes to
 * and fro with the batch, and the row with the column, by the sign. */
struct place {
  int64_t batch, column, row, before;
  struct pcf_block block;
};

static int by_place(const void *a, const void *b) {
  const struct place *first = a, *second = b;
  if (first->batch != second->batch) return first->batch < second->batch ? -1 : 1;
  if (first->column != second->column) return first->column < second->column ? -1 : 1;
  if (first->row != second->row) return first->row < second->row ? -1 : 1;
  return (first->before > second->before) - (first->before < second->before);
}

enum pcf_status pcf_schedule_by_segments(struct pcf_schedule *schedule,
                                         const struct pcf_segments *rows,
                                         const struct pcf_segments *columns, int64_t held,
                                         struct pcf_error *error) {
  if (schedule->count == 0) return PCF_OK;
  struct place *place = pcf_allocate((size_t)schedule->count, sizeof *place, error);
  if (!place) return PCF_ERROR_MEMORY;
  for (int64_t b = 0; b < schedule->count; b++) {
    const struct pcf_block *block = &schedule->block[b];
    int64_t row = pcf_segment_of(rows->first, rows->count, block->row);
    int64_t column = pcf_segment_of(columns->first, columns->count, block->column);
    place[b] = (struct place){.batch = row / held, .before = b, .block = *block};
    place[b].row = (column + place[b].batch) % 2 ? -row : row;
    place[b].column = place[b].batch % 2 ? -column : column;
  }
  qsort(place, (size_t)schedule->count, sizeof *place, by_place);
  for (int64_t b = 0; b < schedule->count; b++) schedule->block[b] = place[b].block;
  pcf_free(place);
  return PCF_OK;
}

/* ---- Slots ---- */

void pcf_slots_init(struct pcf_slots *slots, int count) {
  *slots = (struct pcf_slots){.count = count};
  for (int s = 0; s < PCF_MAX_SLOTS; s++) slots->slot[s].segment = -1;
}

int pcf_slots_take(struct pcf_slots *slots, int kind, int64_t segment, unsigned pinned,
                   int *load) {
  int oldest = -1;
  *load = 0;
  for (int s = 0; s < slots->count; s++) {
    if (slots->slot[s].segment == segment && slots->slot[s].kind == kind) {
      slots->slot[s].used = ++slots->requests;
      return s;
    }
    if (pinned >> s & 1) continue;
    if (oldest < 0 || slots->slot[s].used < slots->slot[oldest].used) oldest = s;
  }
  if (oldest < 0) return -1;
  *load = 1;
  slots->slot[oldest].kind = kind;
  slots->slot[oldest].segment = segment;
  slots->slot[oldest].used = ++slots->requests;
  return oldest;
}

void pcf_slots_forget(struct pcf_slots *slots, int slot) {
  slots->slot[slot].segment = -1;
  slots->slot[slot].used = 0;
}
