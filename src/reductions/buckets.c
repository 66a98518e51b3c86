#include "reductions/buckets.h"

#include "base/hints.h"
#include "base/memory.h"
#include "base/sample.h"
#include "base/scalar.h"

#include <stdlib.h>

/* A bucket should be sorted within a processor's own cache. Each gets 16 keys of the sample on
 * average; a key that comes up 4 times is one of many events. */
enum { EVENTS_PER_BUCKET = 16384, MOST_WANTED = 4096, SAMPLES_PER_BUCKET = 16, HEAVY = 4 };

static int64_t wanted_buckets(int64_t events) {
  int64_t wanted = events / EVENTS_PER_BUCKET + 1;
  return pcf_smaller(wanted, MOST_WANTED);
}

int64_t pcf_most_buckets(int64_t events) {
  int64_t wanted = wanted_buckets(events);
  return wanted + 2 * wanted * SAMPLES_PER_BUCKET / HEAVY + 2;
}

static void draw_sample(const struct pcf_row *row, uint64_t *key, int64_t count);
static int by_key(const void *a, const void *b);
static int64_t choose_bounds(const uint64_t *key, int64_t samples, uint64_t *bound);

enum pcf_status pcf_buckets_make(const struct pcf_row *row, struct pcf_buckets *buckets,
                                 struct pcf_error *error) {
  int64_t events = row->ends[row->entries], most = pcf_most_buckets(events);
  int64_t samples = wanted_buckets(events) * SAMPLES_PER_BUCKET;
  *buckets = (struct pcf_buckets){0};
  size_t places = 2 * (size_t)most + 1;
  uint64_t *key = pcf_allocate((size_t)samples, sizeof *key, error);
  buckets->bound = key ? pcf_allocate(places, sizeof *buckets->bound, error) : NULL;
  if (buckets->bound) {
    draw_sample(row, key, samples);
    qsort(key, (size_t)samples, sizeof *key, by_key);
    buckets->count = choose_bounds(key, samples, buckets->bound);
    for (size_t b = (size_t)buckets->count; b < places; b++) buckets->bound[b] = UINT64_MAX;
    while ((int64_t)1 << buckets->levels < buckets->count) buckets->levels++;
  }
  pcf_free(key);
  return buckets->bound ? PCF_OK : PCF_ERROR_MEMORY;
}

void pcf_buckets_free(struct pcf_buckets *buckets) {
  pcf_free(buckets->bound);
  buckets->bound = NULL;
}

/* ---- The sample ---- */

static void draw_sample(const struct pcf_row *row, uint64_t *key, int64_t count) {
  int64_t events = row->ends[row->entries], entry = 0;
  for (int64_t s = 0; s < count; s++) {
    int64_t at = pcf_sample_place(s, count, events);
    while (row->ends[entry + 1] <= at) entry++;
    key[s] = pcf_key_of(pcf_times(row->x, row->function[entry])[at - row->ends[entry]]);
  }
}

static int by_key(const void *a, const void *b) {
  uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
  return (first > second) - (first < second);
}

/* Returns the number of bounds. */
static int64_t choose_bounds(const uint64_t *key, int64_t samples, uint64_t *bound) {
  int64_t count = 1, held = 0;
  bound[0] = 0;
  for (int64_t s = 0, end = 0; s < samples; s = end) {
    while (end < samples && key[end] == key[s]) end++;
    int heavy = end - s >= HEAVY;
    held += end - s;
    if (!heavy && held <= SAMPLES_PER_BUCKET) continue;
    if (key[s] > bound[count - 1]) bound[count++] = key[s];
    if (heavy) bound[count++] = key[s] + 1;
    held = heavy ? 0 : end - s;
  }
  return count;
}

/* ---- Finding ---- */

/* How many times are looked for at once, so that they wait for memory together. */
enum { TOGETHER = 4 };

/* Binary searches without branches; n is a constant. */
INLINE void find(const struct pcf_buckets *buckets, const double *time, int n,
                 uint16_t *bucket) {
  uint64_t key[TOGETHER], at[TOGETHER] = {0};
  EACH_OF(k, n) key[k] = pcf_key_of(time[k]);
  for (uint64_t step = (UINT64_C(1) << buckets->levels) / 2; step; step >>= 1) {
    EACH_OF(k, n) at[k] += (buckets->bound[at[k] + step] <= key[k]) * step;
  }
  EACH_OF(k, n) bucket[k] = (uint16_t)at[k];
}

void pcf_buckets_find(const struct pcf_buckets *buckets, const double *time, int64_t n,
                      uint16_t *bucket) {
  int64_t k = 0;
  for (; k + TOGETHER <= n; k += TOGETHER) find(buckets, time + k, TOGETHER, bucket + k);
  for (; k < n; k++) find(buckets, time + k, 1, bucket + k);
}
