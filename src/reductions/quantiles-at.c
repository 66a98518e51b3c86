#include "reductions/quantiles-at.h"

#include "base/memory.h"
#include "base/quantiles.h"
#include "base/scalar.h"
#include "base/search.h"
#include "base/threads.h"
#include "reductions/rank.h"
#include "summaries/evaluate.h"

#include <math.h>
#include <string.h>

/* Values are held of so many functions and times together. */
enum { VALUES_AT_ONCE = 1 << 20 };

struct looking {
  const struct pcf_quantiles *wanted;
  int threads;
  const atomic_int *stop;
  struct pcf_arrays arrays;
  char *jumps;                  /* of each time: do functions jump there? */
  double *values;               /* of all functions at some times */
  double *number;               /* of each thread, one for each function */
  double *time;                 /* some of the times */
  int64_t *place;               /* which ones */
  int left;                     /* are the values limits from the left? */
  struct pcf_line_point *point; /* those of each probability, one after the other */
};

static enum pcf_status make_room(struct looking *looking, struct pcf_curves *curves,
                                 struct pcf_error *error);
static void find_jumps(const struct looking *looking);
static enum pcf_status look_at(struct looking *looking, int64_t first, int64_t end,
                               struct pcf_error *error);
static void leave_gaps(const struct looking *looking);

enum pcf_status pcf_quantiles_at(const struct pcf_quantiles *wanted, int threads,
                                 const atomic_int *stop, struct pcf_curves *curves,
                                 struct pcf_error *error) {
  struct looking looking = {.wanted = wanted, .threads = threads, .stop = stop};
  enum pcf_status status = make_room(&looking, curves, error);
  int64_t each = pcf_larger(VALUES_AT_ONCE / wanted->x->count, 1);
  if (!status) find_jumps(&looking);
  for (int64_t j = 0; !status && j < wanted->times; j += each) {
    status = look_at(&looking, j, pcf_smaller(j + each, wanted->times), error);
  }
  if (!status) leave_gaps(&looking);
  pcf_arrays_free(&looking.arrays);
  return status ? status : pcf_curves_count(curves, error);
}

static enum pcf_status make_room(struct looking *looking, struct pcf_curves *curves,
                                 struct pcf_error *error) {
  const struct pcf_quantiles *wanted = looking->wanted;
  struct pcf_arrays *arrays = &looking->arrays;
  int64_t n = wanted->x->count, each = pcf_larger(VALUES_AT_ONCE / n, 1);
  size_t at_once = (size_t)pcf_smaller(each, wanted->times);
  looking->jumps = pcf_zeros(arrays, (size_t)wanted->times, 1, error);
  looking->values = pcf_array(arrays, at_once * (size_t)n, sizeof(double), error);
  looking->number =
    pcf_array(arrays, (size_t)looking->threads * (size_t)n, sizeof(double), error);
  looking->time = pcf_array(arrays, at_once, sizeof(double), error);
  looking->place = pcf_array(arrays, at_once, sizeof *looking->place, error);
  if (arrays->status) return arrays->status;
  enum pcf_status status = pcf_curves_make(curves, wanted->probs, NULL, 1, error);
  if (status) return status;
  curves->linear = 1;
  size_t points = (size_t)(wanted->probs * wanted->times);
  looking->point = curves->block[0] = pcf_allocate(points, sizeof *looking->point, error);
  if (!looking->point) return PCF_ERROR_MEMORY;
  for (int64_t q = 0; q < wanted->probs; q++) {
    const struct pcf_line_point *point = looking->point + q * wanted->times;
    curves->stretch[q] =
      (struct pcf_stretch){.point = (const struct pcf_point *)point, .count = wanted->times};
  }
  return PCF_OK;
}

static void find_jumps(const struct looking *looking) {
  const struct pcf_quantiles *wanted = looking->wanted;
  const struct pcf_collection *x = wanted->x;
  for (int64_t i = 0; i < x->count; i++) {
    const double *left = pcf_lefts(x, i), *value = pcf_values(x, i);
    for (int64_t k = 0; k < pcf_breakpoints(x, i); k++) {
      if (left[k] == value[k]) continue;
      double time = pcf_times(x, i)[k];
      int64_t j = pcf_first_from(wanted->time, 0, wanted->times, time);
      if (j < wanted->times && wanted->time[j] == time) looking->jumps[j] = 1;
    }
  }
}

/* The quantile of some numbers, which are lost. */
static double quantile_of(double *number, const double *known, int64_t count, double prob) {
  struct pcf_rank rank = pcf_rank_of(prob, count);
  memcpy(number, known, (size_t)count * sizeof *known);
  double value = pcf_kth(number, count, rank.before);
  if (rank.share == 0) return value;
  memcpy(number, known, (size_t)count * sizeof *known);
  return pcf_at_rank(rank, value, pcf_kth(number, count, rank.before + 1));
}

/* The quantiles at one of some times. */
static enum pcf_status find_quantiles(void *looking_, int thread, int64_t j,
                                      struct pcf_error *error) {
  const struct looking *looking = looking_;
  const struct pcf_quantiles *wanted = looking->wanted;
  int64_t n = wanted->x->count, known = 0;
  double *value = looking->values + j * n, *number = looking->number + thread * n;
  for (int64_t i = 0; i < n; i++) {
    if (!isnan(value[i])) value[known++] = value[i];
  }
  int none = wanted->observed_only ? known == 0 : known < n;
  for (int64_t q = 0; q < wanted->probs; q++) {
    double found = none ? pcf_missing() : quantile_of(number, value, known, wanted->prob[q]);
    struct pcf_line_point *point = looking->point + q * wanted->times + looking->place[j];
    if (looking->left) point->left = found;
    else *point = (struct pcf_line_point){looking->time[j], found, found};
  }
  return PCF_OK;
}

/* Looks at some times and, where functions jump, at their limits from the left. */
static enum pcf_status look_at(struct looking *looking, int64_t first, int64_t end,
                               struct pcf_error *error) {
  const struct pcf_quantiles *wanted = looking->wanted;
  enum pcf_status status = PCF_OK;
  for (looking->left = 0; !status && looking->left < 2; looking->left++) {
    struct pcf_times_at at = {0, looking->time, NULL, looking->left};
    struct pcf_fault fault;
    for (int64_t j = first; j < end; j++) {
      if (looking->left && !looking->jumps[j]) continue;
      looking->place[at.count] = j;
      looking->time[at.count++] = wanted->time[j];
    }
    if (at.count == 0) continue;
    status = pcf_evaluate(wanted->x, &at, looking->threads, looking->stop, looking->values,
                          &fault, error);
    if (!status) {
      status = pcf_parallel_for(looking->threads, at.count, looking->stop, find_quantiles,
                                looking, error);
    }
  }
  return status;
}

/* Nothing is known of functions that change before the first time or after the last one, nor
 * next to a time at which a quantile is missing. */
static void leave_gaps(const struct looking *looking) {
  const struct pcf_quantiles *wanted = looking->wanted;
  const struct pcf_collection *x = wanted->x;
  int64_t times = wanted->times;
  int before = 0, after = 0;
  for (int64_t i = 0; i < x->count; i++) {
    double first = pcf_times(x, i)[0], last = pcf_times(x, i)[pcf_breakpoints(x, i) - 1];
    before |= first > -INFINITY && first < wanted->time[0];
    after |= last > wanted->time[times - 1];
  }
  for (int64_t q = 0; q < wanted->probs; q++) {
    struct pcf_line_point *point = looking->point + q * times;
    if (before) point[0].left = pcf_missing();
    if (after) point[times - 1].value = pcf_missing();
    for (int64_t j = 1; j < times; j++) {
      if (!isnan(point[j - 1].value) && !isnan(point[j].left)) continue;
      point[j - 1].value = point[j].left = pcf_missing();
    }
  }
}
