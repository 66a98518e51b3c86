/* Stretches of time with about as many events of a row each. */
#pragma once

#include "reductions/sparse-rows.h"

/* Bucket b has the keys (events.h) from bound[b] up to but not including bound[b + 1]. The
 * bounds increase from 0 and are followed by the largest integer up to bound[2^levels]. A time
 * that very many events share has a bucket of its own. */
struct pcf_buckets {
  int64_t count; /* at most 2^16 */
  int levels;
  uint64_t *bound;
};

/* The most buckets that a row of so many events is cut into. */
int64_t pcf_most_buckets(int64_t events);

/* Cuts at quantiles of a sample, for a row of at least one event. Free with
 * pcf_buckets_free(). */
enum pcf_status pcf_buckets_make(const struct pcf_row *row, struct pcf_buckets *buckets,
                                 struct pcf_error *error);
void pcf_buckets_free(struct pcf_buckets *buckets);

/* The bucket of each of n times. */
void pcf_buckets_find(const struct pcf_buckets *buckets, const double *time, int64_t n,
                      uint16_t *bucket);

/* Do all events of the bucket have one time? */
static inline int pcf_bucket_is_one_time(const struct pcf_buckets *buckets, int64_t b) {
  return buckets->bound[b + 1] - buckets->bound[b] == 1;
}
