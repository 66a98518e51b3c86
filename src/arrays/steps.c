#include "arrays/steps.h"

#include <math.h>
#include <string.h>

enum {
  FEW = 24,            /* steps that insertion sorts fastest */
  MOST_BUCKETS = 2048, /* a power of two; their counts fit the first-level cache */
  DEEPEST = 4,         /* levels of buckets before giving up on them */
};

static void sort_in_buckets(struct pcf_step *steps, struct pcf_step *scratch, int64_t count,
                            int depth);
static void insert(const struct pcf_step *from, struct pcf_step *to, int64_t count);
static void sort_by_merging(struct pcf_step *steps, struct pcf_step *scratch, int64_t count);

void pcf_sort_steps(struct pcf_step *steps, struct pcf_step *scratch, int64_t count) {
  sort_in_buckets(steps, scratch, count, 0);
}

/* ---- Buckets ---- */

/* Equally wide ranges of time from `least` to `most`. */
struct buckets {
  double least, most, scale;
  int32_t count;
};

/* Rounding keeps the order: a later time is never in an earlier bucket. */
static inline int32_t bucket_of(const struct buckets *buckets, double time) {
  int32_t bucket = (int32_t)((time - buckets->least) * buckets->scale);
  return bucket < buckets->count ? bucket : buckets->count - 1;
}

/* Buckets for some steps; their scale is 0 where they do not help, since the range overflows or
 * is no larger than the rounding error. */
static struct buckets buckets_for(const struct pcf_step *steps, int64_t count) {
  double least = steps[0].time, most = least;
  for (int64_t k = 1; k < count; k++) {
    double time = steps[k].time;
    least = time < least ? time : least;
    most = time > most ? time : most;
  }
  struct buckets buckets = {least, most, 0, 32};
  while (buckets.count < 2 * count && buckets.count < MOST_BUCKETS) buckets.count *= 2;
  double scale = buckets.count / (most - least);
  if (scale < INFINITY) buckets.scale = scale;
  return buckets;
}

/* Moves the steps into their buckets, in `to`; fills the ends of the buckets. Returns the
 * largest number of steps in one. */
static int32_t fill_buckets(const struct buckets *buckets, const struct pcf_step *from,
                            struct pcf_step *to, int64_t count, int32_t *end) {
  int32_t size[MOST_BUCKETS];
  memset(size, 0, (size_t)buckets->count * sizeof *size);
  for (int64_t k = 0; k < count; k++) size[bucket_of(buckets, from[k].time)]++;
  int32_t largest = 0;
  int32_t next = 0;
  for (int32_t b = 0; b < buckets->count; b++) {
    end[b] = next;
    next += size[b];
    largest = size[b] > largest ? size[b] : largest;
  }
  for (int64_t k = 0; k < count; k++) to[end[bucket_of(buckets, from[k].time)]++] = from[k];
  return largest;
}

/* The time says roughly where a step belongs: with about as many buckets as steps, all that is
 * left is to put neighbours in order. Crowded buckets are sorted in the same way first. */
static void sort_in_buckets(struct pcf_step *steps, struct pcf_step *scratch, int64_t count,
                            int depth) {
  if (count <= FEW) {
    insert(steps, steps, count);
    return;
  }
  struct buckets buckets = buckets_for(steps, count);
  if (buckets.least == buckets.most) return;
  if (buckets.scale == 0 || depth == DEEPEST) {
    sort_by_merging(steps, scratch, count);
    return;
  }
  int32_t end[MOST_BUCKETS];
  if (fill_buckets(&buckets, steps, scratch, count, end) > FEW) {
    for (int32_t b = 0; b < buckets.count; b++) {
      int64_t start = b ? end[b - 1] : 0;
      if (end[b] - start > FEW) {
        sort_in_buckets(scratch + start, steps + start, end[b] - start, depth + 1);
      }
    }
  }
  insert(scratch, steps, count);
}

/* Insertion sort from one place to another, which may be the same. Most steps come after all
 * before them. */
static void insert(const struct pcf_step *from, struct pcf_step *to, int64_t count) {
  double latest = -INFINITY;
  for (int64_t k = 0; k < count; k++) {
    struct pcf_step step = from[k];
    int64_t at = k;
    if (step.time < latest) {
      do to[at] = to[at - 1];
      while (--at > 0 && to[at - 1].time > step.time);
    } else {
      latest = step.time;
    }
    to[at] = step;
  }
}

/* ---- Merging ---- */

/* Merges two sorted runs, one after the other, of which the second may be empty; of equal times
 * those of the first come first. */
static void merge(const struct pcf_step *from, int64_t first, int64_t count,
                  struct pcf_step *to) {
  for (int64_t i = 0, j = first, k = 0; k < count; k++) {
    int left = j == count || (i < first && from[i].time <= from[j].time);
    to[k] = left ? from[i++] : from[j++];
  }
}

static void sort_by_merging(struct pcf_step *steps, struct pcf_step *scratch, int64_t count) {
  for (int64_t k = 0; k < count; k += FEW) {
    insert(steps + k, steps + k, count - k < FEW ? count - k : FEW);
  }
  struct pcf_step *from = steps, *to = scratch;
  for (int64_t run = FEW; run < count; run *= 2) {
    for (int64_t k = 0; k < count; k += 2 * run) {
      int64_t both = count - k < 2 * run ? count - k : 2 * run;
      merge(from + k, both < run ? both : run, both, to + k);
    }
    struct pcf_step *swapped = from;
    from = to;
    to = swapped;
  }
  if (from != steps) memcpy(steps, from, (size_t)count * sizeof *steps);
}

/* ---- Adding up ---- */

/* Writes every step, in the place of the previous one where the times are equal. */
int64_t pcf_add_steps(const struct pcf_step *steps, int64_t count, struct pcf_total *sum,
                      double *times, double *values) {
  struct pcf_total total = *sum;
  int64_t last = -1;
  double time = -INFINITY;
  for (int64_t k = 0; k < count; k++) {
    last += steps[k].time != time;
    time = steps[k].time;
    pcf_total_add(&total, steps[k].change);
    times[last] = time;
    values[last] = total.sum + total.error;
  }
  *sum = total;
  return last + 1;
}

int64_t pcf_drop_flat(double *times, double *values, int64_t count, double before) {
  int64_t kept = 0;
  for (int64_t k = 0; k < count; k++) {
    double value = values[k];
    times[kept] = times[k];
    values[kept] = value;
    kept += value != before;
    before = value;
  }
  return kept;
}
