#include "arrays/partition.h"

#include "base/memory.h"
#include "base/threads.h"

#include <pthread.h>

enum { SMALL = 3 * PCF_CHUNK };

/* Lay all elements and all ends of segments out in one row, each segment's elements followed by
 * its end. The end of segment s is then at offsets[s + 1] + s, which only grows with s: a
 * binary search finds how many ends come before a place in the row, and what is left are
 * elements. */
struct pcf_cut pcf_chunk_begin(const int64_t *offsets, int64_t count, int64_t chunk,
                               int64_t part) {
  int64_t place = chunk * PCF_CHUNK, segment = 0, after = count;
  while (segment < after) {
    int64_t middle = segment + (after - segment) / 2;
    if (offsets[middle + 1] + middle < place) segment = middle + 1;
    else after = middle;
  }
  if (segment == count) return (struct pcf_cut){count, offsets[count]};
  int64_t first = offsets[segment], elements = offsets[segment + 1] - first;
  if (elements == 0) return (struct pcf_cut){segment, first};
  int64_t parts = (place - segment - first) / part, most = (elements - 1) / part;
  return (struct pcf_cut){segment, first + (parts < most ? parts : most) * part};
}

int64_t pcf_chunk_count(const int64_t *offsets, int64_t count) {
  return (offsets[count] + count) / PCF_CHUNK + 1;
}

int pcf_is_small(int64_t elements, int64_t segments) {
  return elements + segments < SMALL;
}

/* ---- Reductions ---- */

struct reducing {
  const int64_t *offsets;
  int64_t count, chunks;
  const struct pcf_reduction *reduction;
  void *context;
  char *slots;
};

static struct pcf_cut begin_of(const struct reducing *reducing, int64_t chunk) {
  return pcf_chunk_begin(reducing->offsets, reducing->count, chunk, PCF_PART);
}

/* How many parts of its segment come before a cut. */
static int64_t parts_before(const struct reducing *reducing, struct pcf_cut cut) {
  return (cut.element - reducing->offsets[cut.segment]) / PCF_PART;
}

static void *slots_of(const struct reducing *reducing, int64_t segment) {
  size_t first = (size_t)pcf_slot_of(reducing->offsets, segment);
  return reducing->slots + first * reducing->reduction->size;
}

static void reduce_parts(const struct reducing *reducing, int64_t segment, int64_t first,
                         int64_t last) {
  void *slots = slots_of(reducing, segment);
  reducing->reduction->parts(reducing->context, segment, first, last, slots);
}

/* A chunk has the rest of a segment that began before it, whole segments, and the beginning of
 * a segment that goes on after it; or a stretch of one segment. */
static void reduce_chunk(void *reducing_, int64_t chunk, int64_t next) {
  const struct reducing *reducing = reducing_;
  struct pcf_cut begin = begin_of(reducing, chunk), end = begin_of(reducing, next);
  int64_t first = begin.segment, done = parts_before(reducing, begin);
  int64_t more = parts_before(reducing, end);
  if (first == end.segment) {
    if (more > done) reduce_parts(reducing, first, done, more);
    return;
  }
  if (done > 0) {
    int64_t elements = reducing->offsets[first + 1] - reducing->offsets[first];
    reduce_parts(reducing, first, done, pcf_parts_of(elements));
    first++;
  }
  reducing->reduction->whole(reducing->context, first, end.segment);
  if (more > 0) reduce_parts(reducing, end.segment, 0, more);
}

static void combine_cut_segments(const struct reducing *reducing) {
  int64_t last = -1;
  for (int64_t k = 1; k < reducing->chunks; k++) {
    struct pcf_cut cut = begin_of(reducing, k);
    if (cut.segment == last || parts_before(reducing, cut) == 0) continue;
    last = cut.segment;
    reducing->reduction->combine(reducing->context, last, slots_of(reducing, last));
  }
}

enum pcf_status pcf_reduce_segments(const int64_t *offsets, int64_t count, int threads,
                                    const atomic_int *stop,
                                    const struct pcf_reduction *reduction, void *context,
                                    struct pcf_error *error) {
  struct reducing reducing = {.offsets = offsets,
                              .count = count,
                              .chunks = pcf_chunk_count(offsets, count),
                              .reduction = reduction,
                              .context = context};
  if (pcf_is_small(offsets[count], count)) threads = 1;
  reducing.slots = pcf_allocate((size_t)pcf_slot_count(offsets, count), reduction->size, error);
  if (!reducing.slots) return PCF_ERROR_MEMORY;
  enum pcf_status status =
    pcf_for_ranges(threads, reducing.chunks, 1, stop, reduce_chunk, &reducing, error);
  if (status == PCF_OK) combine_cut_segments(&reducing);
  pcf_free(reducing.slots);
  return status;
}

/* ---- Portions ---- */

struct portion_loop {
  const struct pcf_portions *portions;
  pcf_portion_body *body;
  void *context;
};

static void run_chunk(void *loop_, int64_t chunk, int64_t next) {
  const struct portion_loop *loop = loop_;
  const int64_t *offsets = loop->portions->offsets, items = loop->portions->items;
  struct pcf_cut at = pcf_chunk_begin(offsets, items, chunk, PCF_PORTION_ELEMENTS);
  struct pcf_cut end = pcf_chunk_begin(offsets, items, next, PCF_PORTION_ELEMENTS);
  while (at.segment < end.segment || at.element < end.element) {
    int64_t start = offsets[at.segment], last = offsets[at.segment + 1], begin = at.element;
    at.element += last - begin < PCF_PORTION_ELEMENTS ? last - begin : PCF_PORTION_ELEMENTS;
    struct pcf_portion portion = {at.segment, begin - start, at.element - start};
    loop->body(loop->context, &portion);
    at.segment += at.element == last;
  }
}

enum pcf_status pcf_portions_run(const struct pcf_portions *portions, int threads,
                                 const atomic_int *stop, pcf_portion_body *body, void *context,
                                 struct pcf_error *error) {
  struct portion_loop loop = {portions, body, context};
  int64_t chunks = pcf_chunk_count(portions->offsets, portions->items);
  return pcf_for_ranges(threads, chunks, 1, stop, run_chunk, &loop, error);
}

void pcf_portions_place(const struct pcf_portions *portions) {
  int64_t *total = portions->total;
  for (int64_t i = 0; i < portions->items; i++) {
    int64_t length = portions->offsets[i + 1] - portions->offsets[i], begin = 0;
    total[i] = 0;
    do {
      int64_t *place = &portions->place[pcf_portion_number(portions, i, begin)];
      int64_t count = *place;
      *place = total[i];
      total[i] += count;
      begin += PCF_PORTION_ELEMENTS;
    } while (begin < length);
  }
}

void pcf_note_place(struct pcf_place *first, struct pcf_place place) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the places of all calls */
  pthread_mutex_lock(&lock);
  if (pcf_place_before(place, *first)) *first = place;
  pthread_mutex_unlock(&lock);
}
