#include "reductions/long-sum.h"

#include "base/memory.h"
#include "base/scalar.h"
#include "base/threads.h"

/* Time is cut into buckets of about as many events each. Every event is moved to its bucket,
 * in batches that pass through a few waiting places per bucket and thread, so that memory is
 * written in whole lines. On the way, the changes of each bucket are added up. That gives the
 * sum at every bucket's start, exactly, and the buckets can then be sorted and summed within a
 * cache, each for itself. A bucket whose events all have one time needs only its total: on a
 * grid that all functions share, nothing is moved or sorted. */
enum { EVENTS_PER_CHUNK = 1 << 16, EVENTS_PER_BATCH = 256, WAITING = 8, CHUNKS_PER_THREAD = 8 };

/* What one thread has of its own. */
struct lane {
  int64_t *count;            /* events by bucket */
  uint64_t *total;           /* their sums */
  struct pcf_event *waiting; /* WAITING for each bucket */
  uint8_t *held;
  struct pcf_sorter *sorter;
  struct pcf_event *sorted;
  int64_t room; /* of `sorted` */
};

struct long_sum {
  struct pcf_arrays arrays;
  const struct pcf_row *row;
  const struct pcf_summing *summing;
  const struct pcf_dividing *dividing;
  int64_t events;
  struct pcf_buckets buckets;
  uint16_t *bucket; /* of each event of the row */
  int threads;
  struct lane *lane;
  int64_t *count;         /* events by bucket */
  int64_t *start;         /* where each bucket begins in `event` */
  _Atomic int64_t *place; /* where its next events go */
  uint64_t *base;         /* the sum at its start */
  struct pcf_event *event;
  struct pcf_stretch *stretch;
  atomic_int *infinite, unsure;
};

static enum pcf_status prepare(struct long_sum *sum, struct pcf_error *error);
static pcf_loop_body find_buckets, move_events, move_waiting, sum_bucket;
static enum pcf_status place_buckets(struct long_sum *sum, void **block,
                                     struct pcf_error *error);
static void find_bases(struct long_sum *sum);
static void free_long_sum(struct long_sum *sum);

static int64_t chunks_of(int64_t events) {
  return (events + EVENTS_PER_CHUNK - 1) / EVENTS_PER_CHUNK;
}

int pcf_long_sum_threads(int64_t events, int threads) {
  int64_t most = chunks_of(events) / CHUNKS_PER_THREAD + 1;
  return threads < most ? threads : (int)most;
}

enum pcf_status pcf_long_sum(const struct pcf_row *row, const struct pcf_summing *summing,
                             const struct pcf_dividing *dividing, int threads,
                             const atomic_int *stop, struct pcf_stretch *stretch, void **block,
                             atomic_int *infinite, int *unsure, struct pcf_error *error) {
  struct long_sum sum = {.row = row, .summing = summing, .dividing = dividing};
  sum.events = row->ends[row->entries];
  sum.stretch = stretch;
  sum.infinite = infinite;
  int64_t chunks = chunks_of(sum.events);
  sum.threads = pcf_long_sum_threads(sum.events, threads);
  enum pcf_status status = prepare(&sum, error);
  if (!status) status = pcf_parallel_for(sum.threads, chunks, stop, find_buckets, &sum, error);
  if (!status) status = place_buckets(&sum, block, error);
  if (!status) {
    size_t bytes = (size_t)sum.start[sum.buckets.count] * sizeof *sum.event;
    status = pcf_touch_memory(sum.event, bytes, sum.threads, stop, error);
  }
  if (!status) status = pcf_parallel_for(sum.threads, chunks, stop, move_events, &sum, error);
  if (!status) {
    status = pcf_parallel_for(sum.threads, sum.threads, stop, move_waiting, &sum, error);
  }
  if (!status) {
    find_bases(&sum);
    status = pcf_parallel_for(sum.threads, sum.buckets.count, stop, sum_bucket, &sum, error);
  }
  *unsure = atomic_load(&sum.unsure);
  free_long_sum(&sum);
  return status;
}

/* ---- Memory ---- */

static enum pcf_status equip(struct long_sum *sum, struct lane *lane, struct pcf_error *error) {
  size_t n = (size_t)sum->buckets.count, length = pcf_sum_length(sum->summing);
  lane->count = pcf_zeros(&sum->arrays, n, sizeof *lane->count, error);
  lane->total = pcf_zeros(&sum->arrays, n * length, sizeof *lane->total, error);
  lane->waiting = pcf_array(&sum->arrays, n * WAITING, sizeof *lane->waiting, error);
  lane->held = pcf_zeros(&sum->arrays, n, sizeof *lane->held, error);
  lane->sorter = pcf_array(&sum->arrays, 1, sizeof *lane->sorter, error);
  return sum->arrays.status;
}

static enum pcf_status prepare(struct long_sum *sum, struct pcf_error *error) {
  enum pcf_status status = pcf_buckets_make(sum->row, &sum->buckets, error);
  if (status) return status;
  size_t n = (size_t)sum->buckets.count, length = pcf_sum_length(sum->summing);
  sum->bucket = pcf_array(&sum->arrays, (size_t)sum->events, sizeof *sum->bucket, error);
  sum->count = pcf_array(&sum->arrays, n, sizeof *sum->count, error);
  sum->start = pcf_array(&sum->arrays, n + 1, sizeof *sum->start, error);
  sum->place = pcf_array(&sum->arrays, n, sizeof *sum->place, error);
  sum->base = pcf_array(&sum->arrays, n * length, sizeof *sum->base, error);
  sum->lane = pcf_zeros(&sum->arrays, (size_t)sum->threads, sizeof *sum->lane, error);
  if (sum->arrays.status) return sum->arrays.status;
  pcf_ask_for_huge_pages(sum->bucket, (size_t)sum->events * sizeof *sum->bucket);
  for (int k = 0; k < sum->threads && !status; k++) status = equip(sum, &sum->lane[k], error);
  return status;
}

static void free_long_sum(struct long_sum *sum) {
  for (int k = 0; sum->lane && k < sum->threads; k++) pcf_free(sum->lane[k].sorted);
  pcf_arrays_free(&sum->arrays);
  pcf_buckets_free(&sum->buckets);
}

/* ---- Counting ---- */

static struct pcf_row_stretches stretches_of_chunk(const struct long_sum *sum, int64_t index) {
  int64_t first = index * EVENTS_PER_CHUNK, last = first + EVENTS_PER_CHUNK;
  return pcf_row_stretches_of(sum->row, first, pcf_smaller(last, sum->events));
}

static enum pcf_status find_buckets(void *context, int thread, int64_t index,
                                    struct pcf_error *error) {
  const struct long_sum *sum = context;
  int64_t *count = sum->lane[thread].count;
  struct pcf_row_stretches stretches = stretches_of_chunk(sum, index);
  struct pcf_row_stretch stretch;
  while (pcf_next_row_stretch(&stretches, &stretch)) {
    uint16_t *bucket = sum->bucket + stretch.at;
    int64_t n = stretch.last - stretch.first;
    pcf_buckets_find(&sum->buckets, stretch.time + stretch.first, n, bucket);
    for (int64_t k = 0; k < n; k++) count[bucket[k]]++;
  }
  return PCF_OK;
}

/* Does a bucket have one time, and its only point the sum at its end? Those of piecewise linear
 * functions also have a left limit. */
static int needs_total_alone(const struct long_sum *sum, int64_t b) {
  return pcf_bucket_is_one_time(&sum->buckets, b) && !sum->summing->x->linear;
}

/* Such a bucket has room for its only point. */
static enum pcf_status place_buckets(struct long_sum *sum, void **block,
                                     struct pcf_error *error) {
  int64_t at = 0;
  for (int64_t b = 0; b < sum->buckets.count; b++) {
    sum->count[b] = 0;
    for (int k = 0; k < sum->threads; k++) sum->count[b] += sum->lane[k].count[b];
    sum->start[b] = at;
    atomic_init(&sum->place[b], at);
    at += needs_total_alone(sum, b) ? 1 : sum->count[b];
  }
  sum->start[sum->buckets.count] = at;
  sum->event = pcf_allocate((size_t)at, sizeof *sum->event, error);
  *block = sum->event;
  if (!sum->event) return PCF_ERROR_MEMORY;
  pcf_ask_for_huge_pages(sum->event, (size_t)at * sizeof *sum->event);
  return PCF_OK;
}

/* ---- Moving ---- */

static void move_waiting_of(struct long_sum *sum, struct lane *lane, size_t b) {
  int64_t n = lane->held[b];
  int64_t at = atomic_fetch_add_explicit(&sum->place[b], n, memory_order_relaxed);
  memcpy(sum->event + at, lane->waiting + b * WAITING, (size_t)n * sizeof *sum->event);
  lane->held[b] = 0;
}

static void move_batch(struct long_sum *sum, struct lane *lane, const struct pcf_event *event,
                       const uint16_t *bucket, int64_t n) {
  for (int64_t k = 0; k < n; k++) {
    size_t b = bucket[k];
    if (needs_total_alone(sum, (int64_t)b)) continue;
    lane->waiting[b * WAITING + lane->held[b]++] = event[k];
    if (lane->held[b] == WAITING) move_waiting_of(sum, lane, b);
  }
}

static enum pcf_status move_events(void *context, int thread, int64_t index,
                                   struct pcf_error *error) {
  struct long_sum *sum = context;
  struct lane *lane = &sum->lane[thread];
  struct pcf_row_stretches stretches = stretches_of_chunk(sum, index);
  struct pcf_row_stretch stretch;
  struct pcf_event event[EVENTS_PER_BATCH];
  while (pcf_next_row_stretch(&stretches, &stretch)) {
    const uint16_t *bucket = sum->bucket + stretch.at;
    for (int64_t k = stretch.first; k < stretch.last; k += EVENTS_PER_BATCH) {
      int64_t n = stretch.last - k < EVENTS_PER_BATCH ? stretch.last - k : EVENTS_PER_BATCH;
      pcf_make_events(sum->summing, &stretch, k, n, event);
      pcf_add_to_totals(sum->summing, event, bucket, n, lane->total);
      move_batch(sum, lane, event, bucket, n);
      bucket += n;
    }
  }
  return PCF_OK;
}

/* Item k is what is left waiting in lane k. */
static enum pcf_status move_waiting(void *context, int thread, int64_t index,
                                    struct pcf_error *error) {
  struct long_sum *sum = context;
  for (int64_t b = 0; b < sum->buckets.count; b++) {
    if (sum->lane[index].held[b]) move_waiting_of(sum, &sum->lane[index], (size_t)b);
  }
  return PCF_OK;
}

/* ---- Summing ---- */

static void find_bases(struct long_sum *sum) {
  uint64_t base[PCF_MAX_SUM];
  size_t length = pcf_sum_length(sum->summing);
  pcf_begin_sum(sum->summing, base);
  for (size_t b = 0; b < (size_t)sum->buckets.count; b++) {
    memcpy(sum->base + b * length, base, length * sizeof *base);
    for (int k = 0; k < sum->threads; k++) {
      pcf_join_sum(sum->summing, base, sum->lane[k].total + b * length);
    }
  }
}

/* Does an earlier bucket than b have events? Only the first bucket with events has no previous
 * value to compare with. */
static int has_events_before(const struct long_sum *sum, int64_t b) {
  while (b > 0 && sum->count[b - 1] == 0) b--;
  return b > 0;
}

/* The points take the place of the events. */
static enum pcf_status sum_bucket(void *context, int thread, int64_t index,
                                  struct pcf_error *error) {
  struct long_sum *sum = context;
  struct lane *lane = &sum->lane[thread];
  int64_t n = sum->count[index];
  if (n == 0) return PCF_OK;
  int is_one_time = needs_total_alone(sum, index);
  if (!is_one_time) {
    lane->sorted = pcf_grow(lane->sorted, &lane->room, n, sizeof *lane->sorted, error);
    if (!lane->sorted) return PCF_ERROR_MEMORY;
  }
  struct pcf_event *event = sum->event + sum->start[index];
  size_t length = pcf_sum_length(sum->summing);
  uint64_t *base = sum->base + (size_t)index * length;
  struct pcf_points points = {.point = (struct pcf_point *)(void *)event};
  points.started = has_events_before(sum, index);
  struct pcf_dividing dividing = *sum->dividing;
  if (dividing.count) pcf_divide_before(&dividing, sum->buckets.bound[index]);
  points.last = pcf_sum_value(sum->summing, &dividing, base);
  if (is_one_time) {
    for (int k = 0; k < sum->threads; k++) {
      pcf_join_sum(sum->summing, base, sum->lane[k].total + (size_t)index * length);
    }
    if (dividing.count) pcf_divide_at(&dividing, sum->buckets.bound[index]);
    double value = pcf_sum_value(sum->summing, &dividing, base);
    pcf_append_point(&points, pcf_time_of(sum->buckets.bound[index]), value);
  } else {
    pcf_sort_events(lane->sorter, event, lane->sorted, n);
    pcf_sum_events(sum->summing, &dividing, lane->sorted, n, base, &points);
  }
  if (points.infinite) atomic_store(sum->infinite, 1);
  if (points.unsure) atomic_store(&sum->unsure, 1);
  sum->stretch[index] = (struct pcf_stretch){.point = points.point, .count = points.count};
  return PCF_OK;
}
