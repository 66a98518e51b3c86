#include "reductions/extrema.h"

#include "base/memory.h"
#include "base/quantiles.h"
#include "base/sample.h"
#include "base/threads.h"
#include "reductions/line-levels.h"
#include "reductions/tournament.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two functions are merged into their extremum in one pass, and many of them two by two, as in
 * a tournament. A breakpoint that does not change the extremum is dropped at once. So the
 * winners of a later round have hardly more breakpoints than those of the first, unless the
 * functions take turns, and nothing need be sorted.
 *
 * It is done in two steps. First, each row is cut into parts: functions with about
 * pcf_extrema_part breakpoints together, which fit a processor's own cache. Then the winners of
 * the parts of a row are cut by time into ranges, and each range is merged for itself. A long
 * function is a part alone, is left as it is by the first step, and cut by the second. */
int64_t pcf_extrema_part = 1 << 15;

/* A range has at least a few points of each part, so that finding where it begins in all parts
 * does not cost more than merging it. */
enum { SAMPLES_PER_RANGE = 32, POINTS_PER_RUN = 4 };

static const struct pcf_point zero_function = {0, 0};

/* Breakpoints that lie `stride` doubles apart. */
struct view {
  const double *time, *value;
  int64_t stride, count;
};

/* Entries first … last - 1 of the rows, all of one row, and, once it is known, their winner:
 * memory of its own, or, with `own` NULL, the only function. */
struct part {
  int64_t first, last;
  struct pcf_point *own;
  struct view winner;
};

/* The winners of parts first … last - 1, or the functions of such entries, at the times from
 * `from` up to but not including `to`. */
struct range {
  int64_t first, last;
  double from, to;
  int of_entries;
};

/* The memory of one thread. */
struct worker {
  struct pcf_point *home, *away; /* one block of memory */
  struct pcf_sorted_run *run;
  int64_t points, runs; /* for how many there is room */
};

struct extrema {
  struct pcf_arrays arrays;
  const struct pcf_collection *x;
  const struct pcf_rows *rows;
  double sign;     /* 1: the largest, -1: the smallest */
  double stand_in; /* an infinite value for those that are missing: the result has it, or only
                      where it has no other, and is missing there */
  int threads;
  struct part *part;
  int64_t *row_parts; /* rows + 1: where the parts of each row begin */
  struct range *range;
  int64_t *row_ranges; /* of each row, how many */
  int64_t ranges;
  struct worker *worker;
  struct pcf_curves *curves;
};

static enum pcf_status cut_into_parts(struct extrema *extrema, struct pcf_error *error);
static enum pcf_status cut_into_ranges(struct extrema *extrema, struct pcf_error *error);
static pcf_loop_body merge_part, merge_range;
static void free_extrema(struct extrema *extrema);

enum pcf_status pcf_extrema(const struct pcf_collection *x, const struct pcf_rows *rows,
                            enum pcf_extremum extremum, int threads, const atomic_int *stop,
                            struct pcf_curves *curves, struct pcf_error *error) {
  if (x->linear) {
    const double prob = extremum == PCF_MAXIMUM;
    const struct pcf_line_levels levels = {x, rows, &prob, 1};
    return pcf_line_levels(&levels, threads, stop, curves, error);
  }
  struct extrema extrema = {.x = x, .rows = rows, .threads = threads, .curves = curves};
  extrema.sign = extremum == PCF_MAXIMUM ? 1 : -1;
  extrema.stand_in = rows->observed_only ? -extrema.sign * INFINITY : extrema.sign * INFINITY;
  *curves = (struct pcf_curves){0};
  enum pcf_status status = cut_into_parts(&extrema, error);
  if (!status) {
    int64_t parts = extrema.row_parts[rows->count];
    status = pcf_parallel_for(extrema.threads, parts, stop, merge_part, &extrema, error);
  }
  if (!status) status = cut_into_ranges(&extrema, error);
  if (!status) {
    status = pcf_curves_make(curves, rows->count, extrema.row_ranges, extrema.ranges, error);
  }
  if (!status) {
    status =
      pcf_parallel_for(extrema.threads, extrema.ranges, stop, merge_range, &extrema, error);
  }
  free_extrema(&extrema);
  return status ? status : pcf_curves_count(curves, error);
}

static void free_extrema(struct extrema *extrema) {
  int64_t parts = extrema->part ? extrema->row_parts[extrema->rows->count] : 0;
  for (int64_t p = 0; p < parts; p++) pcf_free(extrema->part[p].own);
  for (int k = 0; extrema->worker && k < extrema->threads; k++) {
    pcf_free(extrema->worker[k].home);
    pcf_free(extrema->worker[k].run);
  }
  pcf_arrays_free(&extrema->arrays);
}

/* ---- Memory of threads ---- */

static enum pcf_status equip(struct worker *worker, int64_t points, int64_t runs,
                             struct pcf_error *error) {
  worker->home =
    pcf_grow(worker->home, &worker->points, points, 2 * sizeof *worker->home, error);
  if (!worker->home) return PCF_ERROR_MEMORY;
  worker->away = worker->home + worker->points;
  worker->run = pcf_grow(worker->run, &worker->runs, runs, sizeof *worker->run, error);
  return worker->run ? PCF_OK : PCF_ERROR_MEMORY;
}

/* ---- Merging ---- */

static struct view view_of(const struct extrema *extrema, int64_t entry) {
  int64_t i = extrema->rows->function[entry];
  return (struct view){pcf_times(extrema->x, i), pcf_values(extrema->x, i), 1,
                       pcf_breakpoints(extrema->x, i)};
}

static struct view view_at(const struct extrema *extrema, const struct range *range,
                           int64_t k) {
  return range->of_entries ? view_of(extrema, k) : extrema->part[k].winner;
}

/* How many breakpoints come before `time`. */
static int64_t place_of(const struct view *view, double time) {
  int64_t low = 0, high = view->count;
  if (isinf(time)) return time > 0 ? high : 0;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (view->time[middle * view->stride] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Reads the points in the range into the memory of the thread, and returns those of the winner,
 * in memory of their own. */
static struct pcf_point *merge(const struct extrema *extrema, const struct range *range,
                               int keep_first, struct worker *worker, int64_t *count,
                               struct pcf_error *error) {
  int64_t points = 0, runs = range->last - range->first;
  for (int64_t k = range->first; k < range->last; k++) {
    struct view view = view_at(extrema, range, k);
    points += place_of(&view, range->to) - place_of(&view, range->from);
  }
  if (equip(worker, points, runs, error)) return NULL;
  struct pcf_point *point = worker->home;
  for (int64_t k = 0; k < runs; k++) {
    struct view view = view_at(extrema, range, range->first + k);
    int64_t begin = place_of(&view, range->from), end = place_of(&view, range->to);
    double before = begin > 0 ? view.value[(begin - 1) * view.stride] : 0;
    worker->run[k] =
      pcf_sorted_run_of(view.time + begin * view.stride, view.value + begin * view.stride,
                        view.stride, end - begin, before, keep_first, extrema->stand_in, point);
    point += worker->run[k].count;
  }
  struct pcf_sorted_run winner =
    pcf_tournament(worker->run, runs, extrema->sign, keep_first, worker->home, worker->away);
  *count = winner.count;
  point = pcf_allocate((size_t)*count, sizeof *point, error);
  return point ? memcpy(point, winner.point, (size_t)*count * sizeof *point) : NULL;
}

/* ---- Parts ---- */

/* Cuts the entries of row r into parts, or only counts these where `part` is NULL. */
static int64_t cut_row(const struct extrema *extrema, int64_t r, struct part *part) {
  int64_t first = extrema->rows->starts[r], end = extrema->rows->starts[r + 1];
  int64_t held = 0, parts = 0;
  for (int64_t e = first; e < end; e++) {
    held += pcf_breakpoints(extrema->x, extrema->rows->function[e]);
    int next_is_long =
      e + 1 < end &&
      pcf_breakpoints(extrema->x, extrema->rows->function[e + 1]) >= pcf_extrema_part;
    if (e + 1 < end && held < pcf_extrema_part && !next_is_long) continue;
    if (part) part[parts] = (struct part){.first = first, .last = e + 1};
    parts++;
    first = e + 1;
    held = 0;
  }
  return parts;
}

static enum pcf_status cut_into_parts(struct extrema *extrema, struct pcf_error *error) {
  struct pcf_arrays *arrays = &extrema->arrays;
  int64_t rows = extrema->rows->count;
  size_t threads = (size_t)extrema->threads;
  extrema->worker = pcf_zeros(arrays, threads, sizeof *extrema->worker, error);
  extrema->row_parts = pcf_array(arrays, (size_t)rows + 1, sizeof *extrema->row_parts, error);
  if (arrays->status) return arrays->status;
  extrema->row_parts[0] = 0;
  for (int64_t r = 0; r < rows; r++) {
    extrema->row_parts[r + 1] = extrema->row_parts[r] + cut_row(extrema, r, NULL);
  }
  size_t parts = (size_t)extrema->row_parts[rows];
  extrema->part = pcf_array(arrays, parts, sizeof *extrema->part, error);
  if (!extrema->part) return PCF_ERROR_MEMORY;
  for (int64_t r = 0; r < rows; r++) {
    cut_row(extrema, r, extrema->part + extrema->row_parts[r]);
  }
  return PCF_OK;
}

static enum pcf_status merge_part(void *context, int thread, int64_t index,
                                  struct pcf_error *error) {
  struct extrema *extrema = context;
  struct part *part = &extrema->part[index];
  const struct range all = {part->first, part->last, -INFINITY, INFINITY, .of_entries = 1};
  int64_t count;
  part->winner = view_of(extrema, part->first);
  if (part->last - part->first == 1) return PCF_OK;
  part->own = merge(extrema, &all, 1, &extrema->worker[thread], &count, error);
  if (!part->own) return PCF_ERROR_MEMORY;
  part->winner = (struct view){&part->own->time, &part->own->value, 2, count};
  return PCF_OK;
}

/* ---- Ranges ---- */

static int64_t points_of_row(const struct extrema *extrema, int64_t r) {
  int64_t points = 0;
  for (int64_t p = extrema->row_parts[r]; p < extrema->row_parts[r + 1]; p++) {
    points += extrema->part[p].winner.count;
  }
  return points;
}

/* Cuts at quantiles of a sample, which `sample` has room for. */
static void cut_ranges_of_row(const struct extrema *extrema, int64_t r, struct range *range,
                              double *sample) {
  int64_t count = extrema->row_ranges[r], samples = count > 1 ? count * SAMPLES_PER_RANGE : 0;
  int64_t points = points_of_row(extrema, r), p = extrema->row_parts[r], before = 0;
  for (int64_t s = 0; s < samples; s++) {
    int64_t at = pcf_sample_place(s, samples, points);
    while (before + extrema->part[p].winner.count <= at) {
      before += extrema->part[p++].winner.count;
    }
    const struct view *winner = &extrema->part[p].winner;
    sample[s] = winner->time[(at - before) * winner->stride];
  }
  qsort(sample, (size_t)samples, sizeof *sample, pcf_ascending);
  for (int64_t k = 0; k < count; k++) {
    range[k] = (struct range){
      .first = extrema->row_parts[r],
      .last = extrema->row_parts[r + 1],
      .from = k ? sample[k * SAMPLES_PER_RANGE] : -INFINITY,
      .to = k + 1 < count ? sample[(k + 1) * SAMPLES_PER_RANGE] : INFINITY,
    };
  }
}

static enum pcf_status cut_into_ranges(struct extrema *extrema, struct pcf_error *error) {
  struct pcf_arrays *arrays = &extrema->arrays;
  int64_t rows = extrema->rows->count, most = 0;
  extrema->row_ranges = pcf_array(arrays, (size_t)rows, sizeof *extrema->row_ranges, error);
  if (!extrema->row_ranges) return PCF_ERROR_MEMORY;
  for (int64_t r = 0; r < rows; r++) {
    int64_t parts = extrema->row_parts[r + 1] - extrema->row_parts[r];
    int64_t least = parts * POINTS_PER_RUN;
    int64_t size = least > pcf_extrema_part ? least : pcf_extrema_part;
    int64_t ranges = points_of_row(extrema, r) / size + 1;
    extrema->row_ranges[r] = ranges;
    extrema->ranges += ranges;
    most = ranges > most ? ranges : most;
  }
  double *sample = pcf_array(arrays, (size_t)most * SAMPLES_PER_RANGE, sizeof *sample, error);
  extrema->range = pcf_array(arrays, (size_t)extrema->ranges, sizeof *extrema->range, error);
  struct range *range = extrema->range;
  for (int64_t r = 0; !arrays->status && r < rows; r++) {
    cut_ranges_of_row(extrema, r, range, sample);
    range += extrema->row_ranges[r];
  }
  return arrays->status;
}

/* Does the range have the first breakpoint of its row, which is kept even if its value is 0? */
static int has_first(const struct extrema *extrema, const struct range *range) {
  double first = INFINITY;
  for (int64_t p = range->first; p < range->last; p++) {
    first = fmin(first, extrema->part[p].winner.time[0]);
  }
  return range->from <= first && first < range->to;
}

static void forget_infinite(struct pcf_point *point, int64_t count) {
  for (int64_t k = 0; k < count; k++) {
    if (isinf(point[k].value)) point[k].value = pcf_missing();
  }
}

static enum pcf_status merge_range(void *context, int thread, int64_t index,
                                   struct pcf_error *error) {
  struct extrema *extrema = context;
  const struct range *range = &extrema->range[index];
  struct pcf_stretch *stretch = &extrema->curves->stretch[index];
  if (range->first == range->last) {
    *stretch = (struct pcf_stretch){.point = &zero_function, .count = 1};
    return PCF_OK;
  }
  int64_t count = 0;
  struct pcf_point *point =
    merge(extrema, range, has_first(extrema, range), &extrema->worker[thread], &count, error);
  if (point && extrema->rows->missing) forget_infinite(point, count);
  extrema->curves->block[index] = point;
  *stretch = (struct pcf_stretch){.point = point, .count = count};
  return point ? PCF_OK : PCF_ERROR_MEMORY;
}
