#include "collections/steps.h"

#include "base/threads.h"

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

/* Two sorted runs, one after the other, that become one. */
struct merging {
  const struct pcf_step *left, *right;
  int64_t lefts, rights;
};

/* How many of the first `position` merged steps come from the left; of equal times, those of
 * the left come first. */
static int64_t lefts_before(const struct merging *merging, int64_t position) {
  int64_t low = position > merging->rights ? position - merging->rights : 0;
  int64_t high = position < merging->lefts ? position : merging->lefts;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    int from_left = merging->left[middle].time <= merging->right[position - middle - 1].time;
    if (from_left) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Writes the merged steps first … last - 1. */
static void merge_between(const struct merging *merging, int64_t first, int64_t last,
                          struct pcf_step *to) {
  int64_t i = lefts_before(merging, first), j = first - i;
  for (int64_t k = first; k < last; k++) {
    int left = j == merging->rights ||
               (i < merging->lefts && merging->left[i].time <= merging->right[j].time);
    to[k] = left ? merging->left[i++] : merging->right[j++];
  }
}

/* The two runs, of that length, in which step `position` of `count` lies; the second may be
 * short or empty. */
static struct merging runs_at(const struct pcf_step *steps, int64_t count, int64_t run,
                              int64_t position, int64_t *start) {
  *start = position / (2 * run) * 2 * run;
  int64_t middle = *start + run < count ? *start + run : count;
  int64_t end = middle + run < count ? middle + run : count;
  return (struct merging){steps + *start, steps + middle, middle - *start, end - middle};
}

static void sort_by_merging(struct pcf_step *steps, struct pcf_step *scratch, int64_t count) {
  for (int64_t k = 0; k < count; k += FEW) {
    insert(steps + k, steps + k, count - k < FEW ? count - k : FEW);
  }
  struct pcf_step *from = steps, *to = scratch;
  for (int64_t run = FEW; run < count; run *= 2) {
    for (int64_t start, position = 0; position < count; position += 2 * run) {
      struct merging merging = runs_at(from, count, run, position, &start);
      merge_between(&merging, 0, merging.lefts + merging.rights, to + start);
    }
    struct pcf_step *swapped = from;
    from = to;
    to = swapped;
  }
  if (from != steps) memcpy(steps, from, (size_t)count * sizeof *steps);
}

/* One round of merging: runs become half as many and twice as long. */
struct round {
  const struct pcf_step *from;
  struct pcf_step *to;
  int64_t count, run;
};

/* A chunk never crosses the end of a pair of runs: these are whole numbers of chunks. */
static enum pcf_status merge_chunk(void *round_, int thread, int64_t index,
                                   struct pcf_error *error) {
  const struct round *round = round_;
  int64_t first = index * PCF_STEPS_PER_CHUNK, start;
  int64_t last = first + PCF_STEPS_PER_CHUNK;
  if (last > round->count) last = round->count;
  struct merging merging = runs_at(round->from, round->count, round->run, first, &start);
  merge_between(&merging, first - start, last - start, round->to + start);
  return PCF_OK;
}

enum pcf_status pcf_merge_steps(struct pcf_step **steps, struct pcf_step *scratch,
                                int64_t count, int threads, const atomic_int *stop,
                                struct pcf_error *error) {
  int64_t chunks = (count + PCF_STEPS_PER_CHUNK - 1) / PCF_STEPS_PER_CHUNK;
  struct round round = {*steps, scratch, count, PCF_STEPS_PER_CHUNK};
  for (; round.run < count; round.run *= 2) {
    enum pcf_status status =
      pcf_parallel_for(threads, chunks, stop, merge_chunk, &round, error);
    if (status) return status;
    struct pcf_step *merged = round.to;
    round.to = *steps;
    round.from = *steps = merged;
  }
  return PCF_OK;
}

/* ---- Adding up ---- */

int64_t pcf_first_step_at(const struct pcf_step *steps, int64_t count, double time) {
  int64_t low = 0, high = count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (steps[middle].time < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Writes every step, in the place of the previous one where the times are equal. */
int64_t pcf_add_steps(const struct pcf_step *steps, int64_t count, struct pcf_sum *sum,
                      double *times, double *values) {
  struct pcf_sum total = *sum;
  int64_t last = -1;
  double time = -INFINITY;
  for (int64_t k = 0; k < count; k++) {
    last += steps[k].time != time;
    time = steps[k].time;
    total = pcf_sum_add(total, steps[k].change);
    times[last] = time;
    values[last] = total.high + total.low;
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
