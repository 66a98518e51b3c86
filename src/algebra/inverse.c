#include "algebra/inverse.h"

#include "base/bits.h"
#include "base/threads.h"

/* The graph of a function: its points in order of time, of which some may not be observed. A
 * step function has one at each breakpoint. A line has two, its limit from the left, which is
 * point 2k at breakpoint k, and its value. */
struct graph {
  const double *time, *value, *left; /* left: NULL of step functions */
  int64_t points;
  int falling;
};

/* How a function comes to the value that it has at a point where it is observed. */
struct step {
  double from, to; /* the last value that was observed before, and the value */
  double time;     /* when it changed; missing where it was not observed then, unless nothing is
                      observed before and it begins here */
  int64_t before;  /* the last point that is observed before; -1 if there is none that counts */
  int begins;      /* is there none, and does the zero before not count? */
};

struct trending {
  const struct pcf_collection *x;
  struct pcf_trends *trends;
};

struct crossing {
  const struct pcf_collection *x;
  int falling;
  const struct pcf_levels *levels;
  double *result;
};

static pcf_portion_body find_trends, count_levels, write_steps, write_levels;
static pcf_range_body find_ends, cross_some;

enum { FUNCTIONS_AT_ONCE = 16 };

/* ---- Graphs ---- */

static int points_at_each(const struct pcf_collection *x) {
  return x->linear ? 2 : 1;
}

static struct graph graph_of(const struct pcf_collection *x, int64_t i, int falling) {
  return (struct graph){.time = pcf_times(x, i),
                        .value = pcf_values(x, i),
                        .left = x->linear ? pcf_lefts(x, i) : NULL,
                        .points = points_at_each(x) * pcf_breakpoints(x, i),
                        .falling = falling};
}

static double value_at(const struct graph *graph, int64_t p) {
  if (!graph->left) return graph->value[p];
  return p % 2 ? graph->value[p / 2] : graph->left[p / 2];
}

static double time_at(const struct graph *graph, int64_t p) {
  return graph->time[graph->left ? p / 2 : p];
}

/* The first observed point from p on; the number of points if there is none. */
static int64_t observed_from(const struct graph *graph, int64_t p) {
  while (p < graph->points && isnan(value_at(graph, p))) p++;
  return p;
}

static int is_away_from_zero(const struct graph *graph, double value) {
  return graph->falling ? value > 0 : value < 0;
}

static int is_zero_before(const struct graph *graph, int64_t p) {
  return p == 0 && graph->left && graph->left[0] == 0;
}

/* The value before the first breakpoint, unless it is no breakpoint itself; NaN if it does not
 * count, or is not observed. */
static double value_before(const struct graph *graph) {
  int is_line = graph->left != NULL;
  double before = is_line ? graph->left[0] : graph->time[0] == -INFINITY ? NAN : 0;
  if (before != 0) return before;
  int64_t p = observed_from(graph, is_line);
  if (p == graph->points) return is_line ? 0 : NAN;
  return is_away_from_zero(graph, value_at(graph, p)) ? NAN : 0;
}

/* Looks back over what is not observed: over all points that takes one pass. */
static struct step step_at(const struct graph *graph, int64_t p) {
  struct step step = {.to = value_at(graph, p), .before = p - 1};
  while (step.before >= 0 && isnan(value_at(graph, step.before))) step.before--;
  int is_observed = step.before == p - 1, away = is_away_from_zero(graph, step.to);
  if (away && is_zero_before(graph, step.before)) step.before = -1;
  step.begins = step.before < 0 && (graph->left || graph->time[0] == -INFINITY || away);
  step.from = step.before >= 0 ? value_at(graph, step.before) : step.begins ? step.to : 0;
  step.time = is_observed || step.begins ? time_at(graph, p) : pcf_missing();
  return step;
}

/* ---- Trends ---- */

enum pcf_status pcf_find_trends(const struct pcf_collection *x, int threads,
                                const atomic_int *stop, struct pcf_trends *trends,
                                struct pcf_error *error) {
  const struct pcf_portions portions = {.items = x->count, .offsets = x->offsets};
  struct trending trending = {x, trends};
  *trends = (struct pcf_trends){PCF_NOWHERE, PCF_NOWHERE};
  return pcf_portions_run(&portions, threads, stop, find_trends, &trending, error);
}

static void find_trends(void *trending_, const struct pcf_portion *portion) {
  struct trending *trending = trending_;
  struct graph graph = graph_of(trending->x, portion->item, 0);
  int each = points_at_each(trending->x);
  struct pcf_place rise = PCF_NOWHERE, fall = PCF_NOWHERE;
  for (int64_t p = portion->begin * each; p < portion->end * each; p++) {
    if (isnan(value_at(&graph, p))) continue;
    struct step step = step_at(&graph, p);
    if (step.before < 0 || is_zero_before(&graph, step.before)) continue;
    struct pcf_place place = {portion->item, p};
    if (step.to > step.from && rise.item < 0) rise = place;
    if (step.to < step.from && fall.item < 0) fall = place;
    if (rise.item >= 0 && fall.item >= 0) break;
  }
  pcf_note_place(&trending->trends->rise, rise);
  pcf_note_place(&trending->trends->fall, fall);
}

enum pcf_status pcf_find_ends(const struct pcf_collection *x, int threads,
                              const atomic_int *stop, struct pcf_trends *trends,
                              struct pcf_error *error) {
  struct trending trending = {x, trends};
  *trends = (struct pcf_trends){PCF_NOWHERE, PCF_NOWHERE};
  return pcf_for_ranges(threads, x->count, FUNCTIONS_AT_ONCE, stop, find_ends, &trending,
                        error);
}

/* Compares the first and the last observed value of each of some functions. One that is never
 * observed neither rises nor falls. */
static void find_ends(void *trending_, int64_t first, int64_t last) {
  struct trending *trending = trending_;
  struct pcf_place rise = PCF_NOWHERE, fall = PCF_NOWHERE;
  for (int64_t i = first; i < last; i++) {
    struct graph graph = graph_of(trending->x, i, 0);
    int64_t begin = observed_from(&graph, graph.left != NULL), end = graph.points - 1;
    while (begin < end && isnan(value_at(&graph, end))) end--;
    if (begin > end) continue;
    struct pcf_place place = {i, end};
    double from = value_at(&graph, begin), to = value_at(&graph, end);
    if (to > from && rise.item < 0) rise = place;
    if (to < from && fall.item < 0) fall = place;
  }
  pcf_note_place(&trending->trends->rise, rise);
  pcf_note_place(&trending->trends->fall, fall);
}

/* ---- Inverses ---- */

/* The inverse of a step function has a breakpoint for each step, and one before and after them;
 * that of a line has one for each level. */
enum pcf_status pcf_inversion_count(struct pcf_inversion *inversion, int threads,
                                    const atomic_int *stop, struct pcf_error *error) {
  const struct pcf_portions *portions = &inversion->portions;
  enum pcf_status status =
    pcf_portions_run(portions, threads, stop, count_levels, inversion, error);
  if (status) return status;
  pcf_portions_place(portions);
  int more = inversion->x->linear ? 0 : 2;
  for (int64_t i = 0; i < portions->items; i++) {
    portions->total[i] = portions->total[i] > 0 ? portions->total[i] + more : 1;
  }
  return PCF_OK;
}

/* The first point of a portion, without one that does not count. */
static int64_t first_point(const struct graph *graph, const struct pcf_portion *portion) {
  if (!graph->left) return portion->begin;
  return portion->begin == 0 && isnan(value_before(graph)) ? 1 : 2 * portion->begin;
}

/* Does a function reach another level with this step? The first one counts for lines alone. */
static int is_new_level(const struct graph *graph, const struct step *step) {
  return step->from != step->to || (graph->left && step->before < 0);
}

static void count_levels(void *inversion_, const struct pcf_portion *portion) {
  struct pcf_inversion *inversion = inversion_;
  struct graph graph = graph_of(inversion->x, portion->item, inversion->falling);
  int64_t count = 0, end = portion->end * points_at_each(inversion->x);
  for (int64_t p = first_point(&graph, portion); p < end; p++) {
    if (isnan(value_at(&graph, p))) continue;
    struct step step = step_at(&graph, p);
    count += is_new_level(&graph, &step);
  }
  *pcf_place_of(&inversion->portions, portion) = count;
}

enum pcf_status pcf_inversion_fill(struct pcf_inversion *inversion, int threads,
                                   const atomic_int *stop, struct pcf_error *error) {
  pcf_portion_body *write = inversion->x->linear ? write_levels : write_steps;
  return pcf_portions_run(&inversion->portions, threads, stop, write, inversion, error);
}

/* Adding 0 makes a negative zero positive. */
static double written(double time) {
  return isnan(time) ? pcf_missing() : time + 0.0;
}

static void write_breakpoint(const struct pcf_portions *portions, int64_t i, int64_t row,
                             double level, double time) {
  portions->result[i][row] = level + 0.0;
  portions->result[i][portions->total[i] + row] = written(time);
}

/* Step n of a function, from 0, has row n + 1, counted from the end for one that falls. The
 * time of a step stands at the lower of its two values. */
static void write_steps(void *inversion_, const struct pcf_portion *portion) {
  const struct pcf_inversion *inversion = inversion_;
  const struct pcf_portions *portions = &inversion->portions;
  int64_t i = portion->item, n = *pcf_place_of(portions, portion);
  int64_t last = portions->total[i] - 1;
  struct graph graph = graph_of(inversion->x, i, inversion->falling);
  if (portion->begin == 0) write_breakpoint(portions, i, 0, -INFINITY, pcf_missing());
  for (int64_t k = portion->begin; k < portion->end; k++) {
    if (isnan(graph.value[k])) continue;
    struct step step = step_at(&graph, k);
    if (step.from == step.to) continue;
    double lower = inversion->falling ? step.to : step.from;
    double upper = inversion->falling ? step.from : step.to;
    int64_t row = inversion->falling ? last - 1 - n : n + 1;
    write_breakpoint(portions, i, row, lower, step.time);
    if (row == last - 1) write_breakpoint(portions, i, last, upper, pcf_missing());
    n++;
  }
}

/* Level n of a line, from 0, has row n, counted from the end for one that falls. The inverse
 * comes to a level with the time at which the function reaches it, and leaves with that at
 * which the function does; from the other side for one that falls. What is outside the first
 * and the last level is missing, as is what is beyond a gap. */
static void write_levels(void *inversion_, const struct pcf_portion *portion) {
  const struct pcf_inversion *inversion = inversion_;
  const struct pcf_portions *portions = &inversion->portions;
  int64_t i = portion->item, n = *pcf_place_of(portions, portion), total = portions->total[i];
  struct graph graph = graph_of(inversion->x, i, inversion->falling);
  /* Rows go by `by` from the level that is reached first. */
  int64_t first = graph.falling ? total - 1 : 0, by = graph.falling ? -1 : 1;
  double *level = portions->result[i] + first;
  double *reached = level + (graph.falling ? 2 : 1) * total;
  double *left = level + (graph.falling ? 1 : 2) * total;
  for (int64_t p = first_point(&graph, portion); p < 2 * portion->end; p++) {
    if (isnan(value_at(&graph, p))) continue;
    struct step step = step_at(&graph, p);
    if (!is_new_level(&graph, &step)) continue;
    level[n * by] = step.to + 0.0;
    reached[n * by] = step.before < 0 ? pcf_missing() : written(step.time);
    if (n > 0)
      left[(n - 1) * by] =
        isnan(step.time) ? pcf_missing() : written(time_at(&graph, step.before));
    n++;
  }
  if (2 * portion->end < graph.points) return;
  left[(total - 1) * by] = pcf_missing();
  if (n == 0) level[0] = 0, reached[0] = pcf_missing(); /* never observed */
}

/* ---- Levels ---- */

enum pcf_status pcf_crossing_times(const struct pcf_collection *x, int falling,
                                   const struct pcf_levels *levels, int threads,
                                   const atomic_int *stop, double *result,
                                   struct pcf_error *error) {
  struct crossing crossing = {x, falling, levels, result};
  return pcf_for_ranges(threads, x->count, FUNCTIONS_AT_ONCE, stop, cross_some, &crossing,
                        error);
}

/* The level that a function reaches after so many others. */
static int64_t level_after(const struct crossing *crossing, int64_t done) {
  return crossing->falling ? crossing->levels->count - 1 - done : done;
}

/* Is a level reached with a value of a function that goes up, or down? */
static int has_reached(const struct crossing *crossing, double value, double level) {
  double tolerance = crossing->levels->tolerance * fabs(level);
  return crossing->falling ? value <= level + tolerance : value >= level - tolerance;
}

/* Is a value so near to a level that it counts as the same? */
static int is_at(const struct crossing *crossing, double value, double level) {
  return fabs(value - level) <= crossing->levels->tolerance * fabs(level);
}

/* Until when a function stays at the level that it has reached at point p; missing where it
 * leaves the level while it is not observed. If it never leaves it, that is where it ceases to
 * be observed, or its last observed breakpoint if it does so right after that or never. */
static double end_of_flat(const struct crossing *crossing, const struct graph *graph, int64_t p,
                          double level) {
  int64_t last = p;
  for (p++; p < graph->points; p++) {
    double value = value_at(graph, p);
    if (isnan(value)) continue;
    if (!is_at(crossing, value, level)) {
      if (last < p - 1) return pcf_missing();
      return time_at(graph, graph->left ? last : p);
    }
    last = p;
  }
  const double *time = graph->time;
  if (graph->left) return time_at(graph, last);
  int ends_later = last + 1 < graph->points && time[last + 1] > pcf_next_time(time[last]);
  return ends_later ? time[last + 1] : time[last];
}

/* When a line that comes to a level by this step, which ends at breakpoint k, reaches it. */
static double time_on_line(const double *time, int64_t k, double level,
                           const struct step *step) {
  double share = (level - step->from) / (step->to - step->from);
  return time[k - 1] + (time[k] - time[k - 1]) * (share < 1 ? share : 1);
}

/* The time at which a function reaches a level with the value of point p. */
static double reached_at(const struct crossing *crossing, const struct graph *graph, int64_t p,
                         double level, const struct step *step) {
  if (step->begins || isnan(step->time)) return step->time;
  int is_slanted = graph->left && p % 2 == 0;
  double time = is_slanted ? time_on_line(graph->time, p / 2, level, step) : step->time;
  if (!crossing->levels->middle || !is_at(crossing, step->to, level)) return time;
  double end = end_of_flat(crossing, graph, p, level);
  return isnan(end) ? end : time / 2 + (end > time ? end : time) / 2;
}

/* Writes a time for the levels that point p of the graph of function i reaches with a value and
 * that were not reached before; `done` are those. */
static int64_t reach(const struct crossing *crossing, int64_t i, const struct graph *graph,
                     int64_t p, const struct step *step, int64_t done) {
  const struct pcf_levels *levels = crossing->levels;
  for (; done < levels->count; done++) {
    int64_t l = level_after(crossing, done);
    double level = levels->level[l];
    if (!has_reached(crossing, step->to, level)) break;
    int64_t column = levels->column ? levels->column[l] : l;
    double time = reached_at(crossing, graph, p, level, step);
    crossing->result[i + column * crossing->x->count] = isnan(time) ? pcf_missing() : time;
  }
  return done;
}

static void cross(const struct crossing *crossing, int64_t i) {
  struct graph graph = graph_of(crossing->x, i, crossing->falling);
  const struct pcf_levels *levels = crossing->levels;
  struct step before = {.to = value_before(&graph), .time = -INFINITY, .begins = 1};
  int64_t done = reach(crossing, i, &graph, 0, &before, 0);
  for (int64_t p = graph.left != NULL; p < graph.points && done < levels->count; p++) {
    double value = value_at(&graph, p);
    if (!has_reached(crossing, value, levels->level[level_after(crossing, done)])) continue;
    struct step step = step_at(&graph, p);
    done = reach(crossing, i, &graph, p, &step, done);
  }
  struct step never = {.to = crossing->falling ? -INFINITY : INFINITY, .time = pcf_missing()};
  reach(crossing, i, &graph, graph.points, &never, done);
}

static void cross_own(struct crossing crossing, int64_t i) {
  struct pcf_levels own = *crossing.levels;
  own.level += i;
  crossing.levels = &own;
  cross(&crossing, i);
}

static void cross_some(void *crossing_, int64_t first, int64_t end) {
  const struct crossing *crossing = crossing_;
  for (int64_t i = first; i < end; i++) {
    if (crossing->levels->own) cross_own(*crossing, i);
    else cross(crossing, i);
  }
}
