#include "algebra/buckets.h"

#include "algebra/events.h"
#include "base/memory.h"
#include "base/sample.h"

#include <stdlib.h>

/* A bucket should be sorted within a processor's own cache. Each gets 16 keys of the sample on
 * average; a key that comes up 4 times is one of many events. */
enum { EVENTS_PER_BUCKET = 16384, MOST_WANTED = 4096, SAMPLES_PER_BUCKET = 16, HEAVY = 4 };

static int64_t wanted_buckets(int64_t events) {
  int64_t wanted = events / EVENTS_PER_BUCKET + 1;
  return wanted < MOST_WANTED ? wanted : MOST_WANTED;
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

/* Binary searches without branches, four at a time, so that they wait for memory together. */
void pcf_buckets_find(const struct pcf_buckets *buckets, const double *time, int64_t n,
                      uint16_t *bucket) {
  const uint64_t *bound = buckets->bound;
  uint64_t half = buckets->levels ? UINT64_C(1) << (buckets->levels - 1) : 0;
  int64_t k = 0;
  for (; k + 4 <= n; k += 4) {
    uint64_t a = pcf_key_of(time[k]), b = pcf_key_of(time[k + 1]);
    uint64_t c = pcf_key_of(time[k + 2]), d = pcf_key_of(time[k + 3]);
    uint64_t i = 0, j = 0, l = 0, m = 0;
    for (uint64_t step = half; step; step >>= 1) {
      i += (bound[i + step] <= a) * step;
      j += (bound[j + step] <= b) * step;
      l += (bound[l + step] <= c) * step;
      m += (bound[m + step] <= d) * step;
    }
    bucket[k] = (uint16_t)i;
    bucket[k + 1] = (uint16_t)j;
    bucket[k + 2] = (uint16_t)l;
    bucket[k + 3] = (uint16_t)m;
  }
  for (; k < n; k++) {
    uint64_t key = pcf_key_of(time[k]), i = 0;
    for (uint64_t step = half; step; step >>= 1) i += (bound[i + step] <= key) * step;
    bucket[k] = (uint16_t)i;
  }
}
