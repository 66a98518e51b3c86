#include "reductions/events.h"

/* A radix sort from the highest bits down that adapts to the keys: their range is cut into
 * about as many cells as there are events, and each event goes to its cell. The few events of a
 * cell are sorted by insertion; a cell with many events, as where times cluster, is sorted in
 * the same way. Each level takes at least nine bits off the range, so that there are at most
 * eight. */
enum { FEW = 24, MIDDLING = 1024 };

static void insert_sorted(struct pcf_event *events, int64_t count) {
  for (int64_t k = 1; k < count; k++) {
    struct pcf_event event = events[k];
    int64_t at = k;
    for (; at > 0 && events[at - 1].key > event.key; at--) events[at] = events[at - 1];
    events[at] = event;
  }
}

/* Merges runs from and to `events`, with as much scratch memory. */
static void merge_sort(struct pcf_event *events, struct pcf_event *scratch, int64_t count) {
  if (count <= FEW) {
    insert_sorted(events, count);
    return;
  }
  int64_t half = count / 2, i = 0, j = half;
  merge_sort(events, scratch, half);
  merge_sort(events + half, scratch, count - half);
  memcpy(scratch, events, (size_t)half * sizeof *events);
  for (int64_t k = 0; i < half; k++) {
    int second = j < count && events[j].key < scratch[i].key;
    events[k] = second ? events[j++] : scratch[i++];
  }
}

static void sort_cell(struct pcf_sorter *sorter, int level, struct pcf_event *events,
                      struct pcf_event *scratch, int64_t count);

/* Moves events to their cells in `sorted`, and sorts the cells there. cell[c] counts what has
 * been put into the cells before c and, at the end, into c. */
static void sort_by_cells(struct pcf_sorter *sorter, int level, uint64_t least, int shift,
                          int64_t cells, struct pcf_event *events, struct pcf_event *sorted,
                          int64_t count) {
  uint32_t *cell = level ? sorter->deeper[level - 1] : sorter->first;
  memset(cell, 0, ((size_t)cells + 1) * sizeof *cell);
  for (int64_t k = 0; k < count; k++) cell[((events[k].key - least) >> shift) + 1]++;
  for (int64_t c = 0; c < cells; c++) cell[c + 1] += cell[c];
  for (int64_t k = 0; k < count; k++) {
    sorted[cell[(events[k].key - least) >> shift]++] = events[k];
  }
  int64_t start = 0;
  for (int64_t c = 0; c < cells; c++) {
    int64_t end = cell[c], held = end - start;
    if (held > FEW) sort_cell(sorter, level + 1, sorted + start, events + start, held);
    else if (held > 1) insert_sorted(sorted + start, held);
    start = end;
  }
}

/* The shift that leaves `bits` of the range. */
static int shift_for(uint64_t range, int bits) {
  int used = 64 - __builtin_clzll(range);
  return used > bits ? used - bits : 0;
}

/* log2 of the number of cells. */
static int cell_bits(int64_t count, int most) {
  int bits = 9;
  while (bits < most && (int64_t)1 << bits < count) bits++;
  return bits;
}

static void find_range(const struct pcf_event *events, int64_t count, uint64_t *least,
                       uint64_t *range) {
  uint64_t low = events[0].key, high = low;
  for (int64_t k = 1; k < count; k++) {
    low = events[k].key < low ? events[k].key : low;
    high = events[k].key > high ? events[k].key : high;
  }
  *least = low;
  *range = high - low;
}

/* Sorts in place, with as much scratch memory. */
static void sort_cell(struct pcf_sorter *sorter, int level, struct pcf_event *events,
                      struct pcf_event *scratch, int64_t count) {
  uint64_t least, range;
  find_range(events, count, &least, &range);
  if (range == 0) return;
  if (count <= MIDDLING || level > PCF_SORTING_LEVELS) {
    merge_sort(events, scratch, count);
    return;
  }
  int shift = shift_for(range, cell_bits(count, PCF_DEEPER_CELL_BITS));
  sort_by_cells(sorter, level, least, shift, (int64_t)(range >> shift) + 1, events, scratch,
                count);
  memcpy(events, scratch, (size_t)count * sizeof *events);
}

void pcf_sort_events(struct pcf_sorter *sorter, struct pcf_event *events,
                     struct pcf_event *sorted, int64_t count) {
  uint64_t least, range = 0;
  if (count > FEW) find_range(events, count, &least, &range);
  if (count <= MIDDLING || range == 0 || count > UINT32_MAX) {
    memcpy(sorted, events, (size_t)count * sizeof *events);
    if (count <= FEW) insert_sorted(sorted, count);
    else if (range) merge_sort(sorted, events, count);
    return;
  }
  int shift = shift_for(range, cell_bits(count, PCF_CELL_BITS));
  sort_by_cells(sorter, 0, least, shift, (int64_t)(range >> shift) + 1, events, sorted, count);
}
