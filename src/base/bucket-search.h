/* Counts how many of a few increasing numbers are less than x, for many x. A table of buckets
 * of equal width says where to begin; then as many comparisons follow as the fullest bucket has
 * numbers: one or two where the numbers are about evenly spread. There are no branches. */
#pragma once

#include <stdint.h>

enum { PCF_BUCKET_SEARCH_MOST = 1024, PCF_BUCKET_SEARCH_BUCKETS = 2 * PCF_BUCKET_SEARCH_MOST };

struct pcf_bucket_search {
  double from, scale;
  int comparisons;                            /* 0: the numbers are too uneven for a table */
  uint16_t before[PCF_BUCKET_SEARCH_BUCKETS]; /* how many numbers are in the buckets before */
  double number[PCF_BUCKET_SEARCH_MOST + 1];  /* with ∞ behind the last one */
};

/* Prepares for `count` increasing numbers, 1 … PCF_BUCKET_SEARCH_MOST; some may be equal or
 * infinite.
 */
void pcf_bucket_search_make(struct pcf_bucket_search *search, const double *number,
                            int64_t count);

/* The bucket of a finite number; a larger number is in the same or a later one. */
static inline int64_t pcf_bucket_search_bucket(const struct pcf_bucket_search *search,
                                               double x) {
  double bucket = (x - search->from) * search->scale, last = PCF_BUCKET_SEARCH_BUCKETS - 1;
  bucket = bucket > 0 ? bucket : 0;
  bucket = bucket < last ? bucket : last;
  return (int64_t)bucket;
}

/* How many of the numbers are less than x, which is finite. `comparisons` is that of the
 * search, and not 0; a constant makes this faster. */
static inline int64_t pcf_bucket_search_count(const struct pcf_bucket_search *search,
                                              int comparisons, double x) {
  int64_t place = search->before[pcf_bucket_search_bucket(search, x)];
  for (int c = 0; c < comparisons; c++) place += search->number[place] < x;
  return place;
}
