/* The depths of piecewise linear functions. Their order changes where they cross, up to n²
 * times at each of their lines, so that no sweep is cheaper than all pairs: for each function,
 * the times at which others come to lie below it, above it or on it are collected and sorted.
 */
#include "depth/depth.h"

#include "base/threads.h"
#include "integrals/view.h"
#include "reductions/events.h"

#include <float.h>
#include <math.h>

/* A line from a time on, up to the time of the next one or the end of the window. Not observed:
 * both NaN. */
struct piece {
  double time, value, end;
};

enum place { ABSENT, BELOW, ON, ABOVE };

struct worker {
  struct pcf_sorter *sorter;
  struct pcf_event *event; /* twice `room`; change[0]: the place before, change[1]: after */
  int64_t events, room;
};

struct run {
  const struct pcf_depths *depths;
  const struct pcf_weight *weight;
  struct pcf_integral integral;
  int64_t *starts; /* of the pieces of each function */
  struct piece *piece;
  struct worker *worker;
};

static enum pcf_status lay_out_pieces(struct run *run, struct pcf_arrays *arrays,
                                      struct pcf_error *error);
static pcf_loop_body do_function;

enum pcf_status pcf_line_depths(const struct pcf_depths *depths,
                                const struct pcf_weight *weight, int threads,
                                const atomic_int *stop, struct pcf_error *error) {
  struct pcf_arrays arrays = {0};
  struct run run = {.depths = depths, .weight = weight};
  run.integral = pcf_integral(PCF_L1, 1, depths->from, depths->to, PCF_DOUBLE, depths->range);
  run.integral.missing_is_0 = 0;
  for (int64_t k = 0; weight && k < weight->pieces; k++) {
    weight->end[k] = pcf_integral_time(&run.integral, weight->end[k]);
  }
  run.worker = pcf_zeros(&arrays, (size_t)threads, sizeof *run.worker, error);
  enum pcf_status status = lay_out_pieces(&run, &arrays, error);
  if (!status) {
    status = pcf_parallel_for(threads, depths->x->count, stop, do_function, &run, error);
  }
  for (int t = 0; run.worker && t < threads; t++) {
    pcf_free(run.worker[t].sorter);
    pcf_free(run.worker[t].event);
  }
  pcf_arrays_free(&arrays);
  return status;
}

/* ---- Pieces ---- */

static void lay_out(const struct run *run, const struct pcf_view *view, struct piece *piece) {
  double begin = run->integral.from;
  for (int64_t k = -1; k < view->events; k++) {
    double slope = view->initial_slope;
    piece[k + 1] = (struct piece){begin, view->initial, 0};
    if (k >= 0) {
      piece[k + 1] = (struct piece){pcf_view_time(view, k), pcf_view_value(view, k), 0};
      slope = pcf_view_slope(view, k, PCF_DOUBLE);
    }
    double rest = run->integral.to - piece[k + 1].time;
    int last = k + 1 == view->events;
    piece[k + 1].end = last ? piece[k + 1].value + slope * rest : pcf_view_left(view, k + 1);
  }
}

static enum pcf_status lay_out_pieces(struct run *run, struct pcf_arrays *arrays,
                                      struct pcf_error *error) {
  const struct pcf_collection *x = run->depths->x;
  run->starts = pcf_array(arrays, (size_t)x->count + 1, sizeof *run->starts, error);
  if (arrays->status) return arrays->status;
  run->starts[0] = 0;
  for (int64_t i = 0; i < x->count; i++) {
    run->starts[i + 1] = run->starts[i] + pcf_view_of(x, i, &run->integral).events + 1;
  }
  size_t pieces = (size_t)run->starts[x->count];
  run->piece = pcf_array(arrays, pieces, sizeof *run->piece, error);
  for (int64_t i = 0; !arrays->status && i < x->count; i++) {
    struct pcf_view view = pcf_view_of(x, i, &run->integral);
    lay_out(run, &view, run->piece + run->starts[i]);
  }
  return arrays->status;
}

/* ---- A pair ---- */

/* The way along the pieces of a function. */
struct walk {
  const struct piece *piece, *last;
  double to, offset;
};

static struct walk walk_of(const struct run *run, int64_t i) {
  return (struct walk){run->piece + run->starts[i], run->piece + run->starts[i + 1] - 1,
                       run->integral.to,
                       pcf_scaled(run->depths->offset, run->integral.value_exponent)};
}

static double end_of(const struct walk *walk) {
  return walk->piece < walk->last ? walk->piece[1].time : walk->to;
}

static double value_at(const struct walk *walk, double time) {
  const struct piece *piece = walk->piece;
  double end = end_of(walk);
  if (time == piece->time) return piece->value;
  if (time == end) return piece->end;
  double share = (time - piece->time) / (end - piece->time);
  return piece->value + (piece->end - piece->value) * share;
}

/* The size of the values that a piece was made from. */
static double size_of(const struct walk *walk) {
  return fmax(fabs(walk->piece->value + walk->offset), fabs(walk->piece->end + walk->offset));
}

/* f − g at a time. Values between breakpoints are rounded: what may be rounding alone is 0. */
static double difference_at(const struct walk *f, const struct walk *g, double time) {
  double difference = value_at(f, time) - value_at(g, time);
  int between = (time != f->piece->time && time != end_of(f)) ||
                (time != g->piece->time && time != end_of(g));
  double size = fmax(size_of(f), size_of(g));
  return between && fabs(difference) <= 4 * DBL_EPSILON * size ? 0 : difference;
}

static void go_to(struct worker *worker, enum place *now, enum place next, double time) {
  if (*now == next) return;
  worker->event[worker->events++] =
    (struct pcf_event){pcf_key_of(time), {(uint64_t)*now, (uint64_t)next}};
  *now = next;
}

/* Notes where g lies below, on and above f, over a stretch on which both are lines. */
static void compare(struct worker *worker, const struct walk *f, const struct walk *g,
                    double begin, double end, enum place *now) {
  if (isnan(f->piece->value) || isnan(g->piece->value)) {
    go_to(worker, now, ABSENT, begin);
    return;
  }
  double a = difference_at(f, g, begin), b = difference_at(f, g, end);
  double sign = a != 0 ? a : b;
  go_to(worker, now, sign > 0 ? BELOW : sign < 0 ? ABOVE : ON, begin);
  if ((a > 0 && b < 0) || (a < 0 && b > 0)) {
    go_to(worker, now, b > 0 ? BELOW : ABOVE, begin + (end - begin) * (a / (a - b)));
  }
}

static void compare_all(struct worker *worker, struct walk f, struct walk g) {
  enum place now = ABSENT;
  for (double begin = f.piece->time;;) {
    double end_f = end_of(&f), end_g = end_of(&g), end = fmin(end_f, end_g);
    if (end > begin) compare(worker, &f, &g, begin, end, &now);
    if (f.piece == f.last && g.piece == g.last) return;
    f.piece += f.piece < f.last && end_f == end;
    g.piece += g.piece < g.last && end_g == end;
    begin = end;
  }
}

/* ---- A function ---- */

static enum pcf_status compare_with_all(const struct run *run, struct worker *worker, int64_t i,
                                        struct pcf_error *error) {
  const int64_t *starts = run->starts;
  worker->events = 0;
  for (int64_t j = 0; j < run->depths->x->count; j++) {
    int64_t stretches = starts[i + 1] - starts[i] + starts[j + 1] - starts[j];
    struct pcf_event *event = pcf_grow_keeping(worker->event, worker->events, &worker->room,
                                               2 * stretches, 2 * sizeof *event, error);
    if (!event) return PCF_ERROR_MEMORY;
    worker->event = event;
    compare_all(worker, walk_of(run, i), walk_of(run, j));
  }
  return PCF_OK;
}

/* What a function loses per time, times the number of functions; see tree.h. The function
 * itself is one of those that lie on it. */
static double loss(enum pcf_depth type, const int64_t *count, double observed) {
  double below = (double)count[BELOW], above = (double)count[ABOVE];
  if (type == PCF_INTEGRATED_DEPTH) return fabs(above - observed / 2);
  return (below * (below - 1) + above * (above - 1)) / (observed - 1);
}

static double depth_of(const struct run *run, const struct pcf_event *event, int64_t events) {
  enum pcf_depth type = run->depths->type;
  int64_t count[4] = {0}, alone = type == PCF_BAND_DEPTH;
  double lost = 0, seen = 0;
  struct pcf_depth_clock clock = pcf_depth_clock_at(run->weight, run->integral.from);
  for (int64_t k = 0; k <= events; k++) {
    double until = k < events ? pcf_time_of(event[k].key) : run->integral.to;
    double time = until > clock.time ? pcf_depth_clock_until(&clock, until) : 0;
    int64_t observed = count[BELOW] + count[ON] + count[ABOVE];
    if (time > 0 && observed > alone) {
      lost += time * loss(type, count, (double)observed);
      seen += time * (double)observed;
    }
    if (k == events) break;
    count[event[k].change[0]]--;
    count[event[k].change[1]]++;
  }
  return seen > 0 ? 1 - lost / seen : NAN;
}

static enum pcf_status do_function(void *run_, int thread, int64_t i, struct pcf_error *error) {
  struct run *run = run_;
  struct worker *worker = &run->worker[thread];
  if (!worker->sorter) worker->sorter = pcf_allocate(1, sizeof *worker->sorter, error);
  if (!worker->sorter) return PCF_ERROR_MEMORY;
  enum pcf_status status = compare_with_all(run, worker, i, error);
  if (status) return status;
  struct pcf_event *sorted = worker->event + worker->room;
  pcf_sort_events(worker->sorter, worker->event, sorted, worker->events);
  run->depths->result[i] = depth_of(run, sorted, worker->events);
  pcf_depths_done(run->depths, i + 1, run->depths->x->count);
  return PCF_OK;
}
