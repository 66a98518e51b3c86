#include "reductions/sums.h"

#include "base/memory.h"
#include "base/threads.h"
#include "collections/observed.h"
#include "reductions/long-sum.h"
#include "reductions/summing.h"

/* Rows of few events are summed by one thread each, in memory of its own that its rows share
 * one after the other. Rows of many events are cut into buckets (long-sum.h): also by one
 * thread each, side by side, where no row is much of the work of all of them; and otherwise by
 * all threads, one row after the other. */
int64_t pcf_sums_small_row = 1 << 18;

enum { EVENTS_PER_ITEM = 1 << 15 };

/* Of either family. */
static const struct pcf_line_point zero_function = {0, 0, 0};

/* The memory of one thread. */
struct worker {
  struct pcf_arrays arrays;
  struct pcf_sorter *sorter;
  struct pcf_event *event, *sorted;
  int64_t *ends;
};

struct sums {
  struct pcf_arrays arrays;
  const struct pcf_collection *x;
  const struct pcf_rows *rows;
  const struct pcf_collection *divisors; /* of each row; NULL: they stay the same */
  const struct pcf_range *range;
  const atomic_int *stop;
  struct pcf_curves *curves;
  int64_t *events;    /* of each row */
  int64_t *first;     /* where the points of each short row begin in their block */
  int64_t *item;      /* items + 1: the rows at which items of short rows begin */
  int64_t *stretches; /* of each row, at most */
  int64_t *long_row;  /* which rows are long */
  int64_t items, long_rows, long_events;
  int64_t short_events, short_entries; /* the most of a short row */
  char *point;
  struct worker *worker;
  int threads;
  atomic_int infinite;
};

static enum pcf_status measure(struct sums *sums, struct pcf_error *error);
static enum pcf_status sum_short_rows(struct sums *sums, struct pcf_error *error);
static enum pcf_status sum_long_rows(struct sums *sums, struct pcf_error *error);

static enum pcf_status sum_rows(const struct pcf_collection *x, const struct pcf_rows *rows,
                                const struct pcf_collection *divisors,
                                const struct pcf_range *range, int threads,
                                const atomic_int *stop, struct pcf_curves *curves,
                                struct pcf_error *error);
static enum pcf_status make_divisors(const struct pcf_collection *x,
                                     const struct pcf_rows *rows, int threads,
                                     const atomic_int *stop,
                                     struct pcf_owned_functions *divisors,
                                     struct pcf_error *error);

enum pcf_status pcf_sums(const struct pcf_collection *x, const struct pcf_rows *rows,
                         const struct pcf_range *range, int threads, const atomic_int *stop,
                         struct pcf_curves *curves, struct pcf_error *error) {
  if (!pcf_divisors_change(rows)) {
    return sum_rows(x, rows, NULL, range, threads, stop, curves, error);
  }
  struct pcf_owned_functions divisors = {0};
  *curves = (struct pcf_curves){0};
  enum pcf_status status = make_divisors(x, rows, threads, stop, &divisors, error);
  if (!status) {
    status = sum_rows(x, rows, &divisors.view, range, threads, stop, curves, error);
  }
  pcf_owned_functions_free(&divisors);
  return status;
}

static enum pcf_status sum_rows(const struct pcf_collection *x, const struct pcf_rows *rows,
                                const struct pcf_collection *divisors,
                                const struct pcf_range *range, int threads,
                                const atomic_int *stop, struct pcf_curves *curves,
                                struct pcf_error *error) {
  struct sums sums = {.x = x, .rows = rows, .range = range, .threads = threads, .stop = stop};
  sums.divisors = divisors;
  sums.curves = curves;
  *curves = (struct pcf_curves){0};
  enum pcf_status status = measure(&sums, error);
  if (!status) {
    status = pcf_curves_make(curves, rows->count, sums.stretches, sums.long_rows + 1, error);
  }
  curves->linear = x->linear;
  if (!status) status = sum_short_rows(&sums, error);
  if (!status) status = sum_long_rows(&sums, error);
  if (!status && atomic_load(&sums.infinite)) {
    status =
      pcf_fail(error, PCF_ERROR_ARGUMENT, "A value of the result is too large for a double.");
  }
  pcf_arrays_free(&sums.arrays);
  return status ? status : pcf_curves_count(curves, error);
}

static int is_short(const struct sums *sums, int64_t r) {
  return sums->events[r] <= pcf_sums_small_row;
}

static void measure_row(struct sums *sums, int64_t r) {
  int64_t events = 0, begin = sums->rows->starts[r], end = sums->rows->starts[r + 1];
  for (int64_t e = begin; e < end; e++) {
    events += pcf_breakpoints(sums->x, sums->rows->function[e]);
  }
  sums->events[r] = events;
  sums->stretches[r] = is_short(sums, r) ? 1 : pcf_most_buckets(events);
  sums->first[r + 1] = sums->first[r] + (is_short(sums, r) ? events : 0);
  if (!is_short(sums, r)) {
    sums->long_row[sums->long_rows++] = r;
    sums->long_events += events;
    return;
  }
  if (events > sums->short_events) sums->short_events = events;
  if (end - begin > sums->short_entries) sums->short_entries = end - begin;
}

/* Groups short rows into items that have enough events for a thread. */
static enum pcf_status measure(struct sums *sums, struct pcf_error *error) {
  size_t rows = (size_t)sums->rows->count;
  sums->events = pcf_array(&sums->arrays, rows, sizeof *sums->events, error);
  sums->first = pcf_array(&sums->arrays, rows + 1, sizeof *sums->first, error);
  sums->item = pcf_array(&sums->arrays, rows + 1, sizeof *sums->item, error);
  sums->stretches = pcf_array(&sums->arrays, rows, sizeof *sums->stretches, error);
  sums->long_row = pcf_array(&sums->arrays, rows, sizeof *sums->long_row, error);
  if (sums->arrays.status) return sums->arrays.status;
  int64_t held = 0;
  sums->first[0] = sums->item[0] = 0;
  for (int64_t r = 0; r < sums->rows->count; r++) {
    measure_row(sums, r);
    held += sums->first[r + 1] - sums->first[r] + 64;
    if (held < EVENTS_PER_ITEM && r + 1 < sums->rows->count) continue;
    sums->item[++sums->items] = r + 1;
    held = 0;
  }
  return PCF_OK;
}

/* ---- Rows of few events ---- */

static enum pcf_status equip(const struct sums *sums, struct worker *worker,
                             struct pcf_error *error) {
  struct pcf_arrays *arrays = &worker->arrays;
  if (arrays->last) return arrays->status;
  size_t events = (size_t)sums->short_events, ends = (size_t)sums->short_entries + 1;
  worker->sorter = pcf_array(arrays, 1, sizeof *worker->sorter, error);
  worker->event = pcf_array(arrays, events, sizeof *worker->event, error);
  worker->sorted = pcf_array(arrays, events, sizeof *worker->sorted, error);
  worker->ends = pcf_array(arrays, ends, sizeof *worker->ends, error);
  return arrays->status;
}

static size_t point_size(const struct sums *sums) {
  return sums->x->linear ? sizeof(struct pcf_line_point) : sizeof(struct pcf_point);
}

static struct pcf_points sum_sorted(struct sums *sums, struct worker *worker, int64_t r,
                                    const struct pcf_summing *summing) {
  uint64_t sum[PCF_MAX_SUM];
  struct pcf_points points = {
    .point = (void *)(sums->point + (size_t)sums->first[r] * point_size(sums))};
  pcf_begin_sum(summing, sum);
  struct pcf_dividing dividing = pcf_summing_divisor(summing, sums->rows, r, sums->divisors);
  pcf_sum_events(summing, &dividing, worker->sorted, sums->events[r], sum, &points);
  return points;
}

static void sum_short_row(struct sums *sums, struct worker *worker, int64_t r) {
  struct pcf_stretch *stretch = &sums->curves->stretch[sums->curves->starts[r]];
  int64_t events = sums->events[r];
  if (events == 0) {
    *stretch = (struct pcf_stretch){.point = (const void *)&zero_function, .count = 1};
    return;
  }
  struct pcf_row row = pcf_row_of(sums->x, sums->rows, r, worker->ends);
  struct pcf_summing summing = pcf_summing_of(sums->x, sums->rows, r, sums->range, 0);
  struct pcf_row_stretches all = pcf_row_stretches_of(&row, 0, events);
  struct pcf_row_stretch one;
  while (pcf_next_row_stretch(&all, &one)) {
    pcf_make_events(&summing, &one, 0, one.last, worker->event + one.at);
  }
  pcf_sort_events(worker->sorter, worker->event, worker->sorted, events);
  struct pcf_points points = sum_sorted(sums, worker, r, &summing);
  if (points.unsure) {
    summing = pcf_summing_of(sums->x, sums->rows, r, sums->range, 1);
    points = sum_sorted(sums, worker, r, &summing);
  }
  if (points.infinite) atomic_store(&sums->infinite, 1);
  *stretch = (struct pcf_stretch){.point = points.point, .count = points.count};
}

static enum pcf_status sum_some_rows(void *context, int thread, int64_t index,
                                     struct pcf_error *error) {
  struct sums *sums = context;
  struct worker *worker = &sums->worker[thread];
  enum pcf_status status = equip(sums, worker, error);
  if (status) return status;
  for (int64_t r = sums->item[index]; r < sums->item[index + 1]; r++) {
    if (is_short(sums, r)) sum_short_row(sums, worker, r);
  }
  return PCF_OK;
}

static enum pcf_status sum_short_rows(struct sums *sums, struct pcf_error *error) {
  size_t points = (size_t)sums->first[sums->rows->count];
  size_t threads = (size_t)sums->threads;
  sums->point = pcf_allocate(points, point_size(sums), error);
  if (!sums->point) return PCF_ERROR_MEMORY;
  sums->curves->block[0] = sums->point;
  pcf_ask_for_huge_pages(sums->point, points * point_size(sums));
  sums->worker = pcf_zeros(&sums->arrays, threads, sizeof *sums->worker, error);
  if (!sums->worker) return PCF_ERROR_MEMORY;
  enum pcf_status status =
    pcf_parallel_for(sums->threads, sums->items, sums->stop, sum_some_rows, sums, error);
  for (size_t k = 0; k < threads; k++) pcf_arrays_free(&sums->worker[k].arrays);
  return status;
}

/* ---- Rows of many events ---- */

static enum pcf_status sum_long_row(struct sums *sums, int64_t index, int threads,
                                    struct pcf_error *error) {
  int64_t r = sums->long_row[index];
  int64_t entries = sums->rows->starts[r + 1] - sums->rows->starts[r];
  int64_t *ends = pcf_allocate((size_t)entries + 1, sizeof *ends, error);
  if (!ends) return PCF_ERROR_MEMORY;
  struct pcf_row row = pcf_row_of(sums->x, sums->rows, r, ends);
  struct pcf_stretch *stretch = &sums->curves->stretch[sums->curves->starts[r]];
  void **block = &sums->curves->block[index + 1];
  enum pcf_status status;
  int unsure = 0;
  do {
    struct pcf_summing summing = pcf_summing_of(sums->x, sums->rows, r, sums->range, unsure);
    struct pcf_dividing dividing = pcf_summing_divisor(&summing, sums->rows, r, sums->divisors);
    pcf_free(*block);
    *block = NULL;
    status = pcf_long_sum(&row, &summing, &dividing, threads, sums->stop, stretch, block,
                          &sums->infinite, &unsure, error);
  } while (!status && unsure);
  pcf_free(ends);
  return status;
}

/* Is the row summed by one thread? Such rows come first, and are short enough that the others
 * need not wait for the last of them. */
static int is_for_one(const struct sums *sums, int64_t index) {
  int64_t events = sums->events[sums->long_row[index]];
  return events <= sums->long_events / (4 * sums->threads) ||
         pcf_long_sum_threads(events, sums->threads) == 1;
}

static enum pcf_status sum_if_for_one(void *context, int thread, int64_t index,
                                      struct pcf_error *error) {
  struct sums *sums = context;
  return is_for_one(sums, index) ? sum_long_row(sums, index, 1, error) : PCF_OK;
}

static enum pcf_status sum_long_rows(struct sums *sums, struct pcf_error *error) {
  enum pcf_status status =
    pcf_parallel_for(sums->threads, sums->long_rows, sums->stop, sum_if_for_one, sums, error);
  for (int64_t k = 0; k < sums->long_rows && !status; k++) {
    if (!is_for_one(sums, k)) status = sum_long_row(sums, k, sums->threads, error);
  }
  return status;
}

/* ---- Divisors ---- */

/* The divisors are sums themselves: those of the indicators of where functions are observed,
 * with the weights of the functions, or without to count them. */
static enum pcf_status sum_indicators(const struct pcf_collection *indicators,
                                      const struct pcf_rows *rows, const double *weight,
                                      int threads, const atomic_int *stop,
                                      struct pcf_owned_functions *sums,
                                      struct pcf_error *error);
static void keep_where_all_are(const struct pcf_rows *rows, struct pcf_owned_functions *counts);
static enum pcf_status check_weights(const struct pcf_collection *weights,
                                     const struct pcf_collection *counts,
                                     struct pcf_error *error);

static int any_negative(const struct pcf_rows *rows) {
  int negative = 0;
  for (int64_t e = 0; rows->weight && e < rows->starts[rows->count]; e++) {
    negative |= rows->weight[e] < 0;
  }
  return negative;
}

/* The divisor of a row at each time: with rows->observed_only, the sum of the weights of the
 * functions that are observed; otherwise that of the row where all are, and 0 elsewhere.
 * PCF_ERROR_ARGUMENT where the weights of observed functions add up to 0. */
static enum pcf_status make_divisors(const struct pcf_collection *x,
                                     const struct pcf_rows *rows, int threads,
                                     const atomic_int *stop,
                                     struct pcf_owned_functions *divisors,
                                     struct pcf_error *error) {
  struct pcf_owned_functions indicators, counts = {0};
  const double *weight = rows->observed_only ? rows->weight : NULL;
  enum pcf_status status =
    pcf_owned_functions_make(&indicators, pcf_indicators(x), threads, stop, error);
  const struct pcf_collection *view = &indicators.view;
  if (!status) status = sum_indicators(view, rows, weight, threads, stop, divisors, error);
  if (!status && !rows->observed_only) keep_where_all_are(rows, divisors);
  if (!status && rows->observed_only && any_negative(rows)) {
    status = sum_indicators(view, rows, NULL, threads, stop, &counts, error);
    if (!status) status = check_weights(&divisors->view, &counts.view, error);
  }
  pcf_owned_functions_free(&counts);
  pcf_owned_functions_free(&indicators);
  return status;
}

/* ---- Sums of indicators ---- */

static enum pcf_status sum_indicators(const struct pcf_collection *indicators,
                                      const struct pcf_rows *rows, const double *weight,
                                      int threads, const atomic_int *stop,
                                      struct pcf_owned_functions *sums,
                                      struct pcf_error *error) {
  struct pcf_rows counting = *rows;
  struct pcf_range range = {.value = 1, .least = 1, .endless = 1};
  struct pcf_curves curves;
  counting.missing = 0;
  counting.divisor = NULL;
  counting.weight = weight;
  enum pcf_status status =
    sum_rows(indicators, &counting, NULL, &range, threads, stop, &curves, error);
  if (!status) {
    status = pcf_owned_functions_room(sums, curves.count, curves.breakpoints, error);
  }
  if (!status) status = pcf_curves_write(&curves, sums->function, threads, stop, error);
  pcf_curves_free(&curves);
  return status;
}

static void keep_where_all_are(const struct pcf_rows *rows,
                               struct pcf_owned_functions *counts) {
  for (int64_t r = 0; r < rows->count; r++) {
    int64_t n = pcf_breakpoints(&counts->view, r);
    double *count = counts->function[r] + n, divisor = rows->divisor ? rows->divisor[r] : 1;
    double all = (double)(rows->starts[r + 1] - rows->starts[r]);
    for (int64_t k = 0; k < n; k++) count[k] = count[k] == all ? divisor : 0;
  }
}

/* ---- Weights that add up to 0 ---- */

/* Whether any function of row r counts between two times. */
static int any_between(const struct pcf_collection *counts, int64_t r, int64_t *at, double from,
                       double to) {
  const double *time = pcf_times(counts, r), *count = pcf_values(counts, r);
  int64_t n = pcf_breakpoints(counts, r);
  while (*at < n && time[*at] <= from) ++*at;
  if (*at > 0 && count[*at - 1] > 0) return 1;
  for (; *at < n && time[*at] < to; ++*at) {
    if (count[*at] > 0) return 1;
  }
  return 0;
}

static enum pcf_status check_weights(const struct pcf_collection *weights,
                                     const struct pcf_collection *counts,
                                     struct pcf_error *error) {
  for (int64_t r = 0; r < weights->count; r++) {
    const double *time = pcf_times(weights, r), *weight = pcf_values(weights, r);
    int64_t n = pcf_breakpoints(weights, r), at = 0;
    for (int64_t k = 0; k < n; k++) {
      double end = k + 1 < n ? time[k + 1] : INFINITY;
      if (weight[k] != 0 || !any_between(counts, r, &at, time[k], end)) continue;
      return pcf_fail(error, PCF_ERROR_ARGUMENT,
                      "The weights of the functions that are observed from the time %.15g on "
                      "add up to 0, so that there is no weighted mean.",
                      time[k]);
    }
  }
  return PCF_OK;
}
