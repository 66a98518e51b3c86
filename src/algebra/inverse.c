#include "algebra/inverse.h"

#include "base/bits.h"
#include "base/threads.h"

/* How a function comes to the value that it has at a breakpoint where it is observed. */
struct step {
  double from, to; /* the last value that was observed before, and the value */
  double time;     /* when it changed; missing where it was not observed then, unless nothing is
                      observed before and it begins here */
  int first;       /* is nothing observed before? */
  int begins;      /* and does the zero before not count? */
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

static pcf_portion_body find_trends, count_steps, write_steps;
static pcf_range_body find_ends, cross_some;

enum { FUNCTIONS_AT_ONCE = 16 };

/* Looks back over what is not observed: over all breakpoints that takes one pass. */
static struct step step_at(const struct pcf_collection *x, int64_t i, int64_t k, int falling) {
  const double *time = pcf_times(x, i), *value = pcf_values(x, i);
  int64_t before = k - 1;
  while (before >= 0 && isnan(value[before])) before--;
  struct step step = {.to = value[k], .first = before < 0};
  int away = falling ? value[k] > 0 : value[k] < 0;
  step.begins = step.first && (time[0] == -INFINITY || away);
  step.from = before >= 0 ? value[before] : step.begins ? value[k] : 0;
  step.time = before == k - 1 || step.begins ? time[k] : pcf_missing();
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
  const double *value = pcf_values(trending->x, portion->item);
  struct pcf_place rise = PCF_NOWHERE, fall = PCF_NOWHERE;
  for (int64_t k = portion->begin; k < portion->end; k++) {
    if (isnan(value[k])) continue;
    struct step step = step_at(trending->x, portion->item, k, 0);
    if (step.first) continue;
    struct pcf_place place = {portion->item, k};
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
    const double *value = pcf_values(trending->x, i);
    int64_t begin = 0, end = pcf_breakpoints(trending->x, i) - 1;
    while (begin < end && isnan(value[begin])) begin++;
    while (begin < end && isnan(value[end])) end--;
    struct pcf_place place = {i, end};
    if (value[end] > value[begin] && rise.item < 0) rise = place;
    if (value[end] < value[begin] && fall.item < 0) fall = place;
  }
  pcf_note_place(&trending->trends->rise, rise);
  pcf_note_place(&trending->trends->fall, fall);
}

/* ---- Inverses ---- */

/* A function with steps has a breakpoint for each value, and the one that begins the result. */
enum pcf_status pcf_inversion_count(struct pcf_inversion *inversion, int threads,
                                    const atomic_int *stop, struct pcf_error *error) {
  const struct pcf_portions *portions = &inversion->portions;
  enum pcf_status status =
    pcf_portions_run(portions, threads, stop, count_steps, inversion, error);
  if (status) return status;
  pcf_portions_place(portions);
  for (int64_t i = 0; i < portions->items; i++) {
    portions->total[i] += portions->total[i] > 0 ? 2 : 1;
  }
  return PCF_OK;
}

static void count_steps(void *inversion_, const struct pcf_portion *portion) {
  struct pcf_inversion *inversion = inversion_;
  const double *value = pcf_values(inversion->x, portion->item);
  int64_t count = 0;
  for (int64_t k = portion->begin; k < portion->end; k++) {
    if (isnan(value[k])) continue;
    struct step step = step_at(inversion->x, portion->item, k, inversion->falling);
    count += step.from != step.to;
  }
  *pcf_place_of(&inversion->portions, portion) = count;
}

enum pcf_status pcf_inversion_fill(struct pcf_inversion *inversion, int threads,
                                   const atomic_int *stop, struct pcf_error *error) {
  return pcf_portions_run(&inversion->portions, threads, stop, write_steps, inversion, error);
}

/* Adding 0 makes a negative zero positive. */
static void write_breakpoint(const struct pcf_portions *portions, int64_t i, int64_t row,
                             double level, double time) {
  portions->result[i][row] = level + 0.0;
  portions->result[i][portions->total[i] + row] = isnan(time) ? pcf_missing() : time + 0.0;
}

/* Step n of a function, from 0, has row n + 1, counted from the end for one that falls. The
 * time of a step stands at the lower of its two values. */
static void write_steps(void *inversion_, const struct pcf_portion *portion) {
  const struct pcf_inversion *inversion = inversion_;
  const struct pcf_portions *portions = &inversion->portions;
  int64_t i = portion->item, n = *pcf_place_of(portions, portion);
  int64_t last = portions->total[i] - 1;
  const double *value = pcf_values(inversion->x, i);
  if (portion->begin == 0) write_breakpoint(portions, i, 0, -INFINITY, pcf_missing());
  for (int64_t k = portion->begin; k < portion->end; k++) {
    if (isnan(value[k])) continue;
    struct step step = step_at(inversion->x, i, k, inversion->falling);
    if (step.from == step.to) continue;
    double lower = inversion->falling ? step.to : step.from;
    double upper = inversion->falling ? step.from : step.to;
    int64_t row = inversion->falling ? last - 1 - n : n + 1;
    write_breakpoint(portions, i, row, lower, step.time);
    if (row == last - 1) write_breakpoint(portions, i, last, upper, pcf_missing());
    n++;
  }
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

/* Is a level reached with a value of a function that goes up, or down? */
static int has_reached(const struct crossing *crossing, double value, double level) {
  double tolerance = crossing->levels->tolerance * fabs(level);
  return crossing->falling ? value <= level + tolerance : value >= level - tolerance;
}

/* Is a value so near to a level that it counts as the same? */
static int is_at(const struct crossing *crossing, double value, double level) {
  return fabs(value - level) <= crossing->levels->tolerance * fabs(level);
}

/* Until when function i stays at the level that it has reached at breakpoint k; missing where
 * it leaves the level while it is not observed. If it never leaves it, that is where it ceases
 * to be observed, or its last observed breakpoint if it does so right after that or never. */
static double end_of_flat(const struct crossing *crossing, int64_t i, int64_t k, double level) {
  const double *time = pcf_times(crossing->x, i), *value = pcf_values(crossing->x, i);
  int64_t m = pcf_breakpoints(crossing->x, i), last = k;
  for (k++; k < m; k++) {
    if (isnan(value[k])) continue;
    if (!is_at(crossing, value[k], level)) return last == k - 1 ? time[k] : pcf_missing();
    last = k;
  }
  int ends_later = last + 1 < m && time[last + 1] > pcf_next_time(time[last]);
  return ends_later ? time[last + 1] : time[last];
}

/* The time at which function i reaches a level with the value of breakpoint k. */
static double time_at(const struct crossing *crossing, int64_t i, int64_t k, double level,
                      const struct step *step) {
  int is_flat = crossing->levels->middle && !step->begins && !isnan(step->time) &&
                is_at(crossing, step->to, level);
  if (!is_flat) return step->time;
  double end = end_of_flat(crossing, i, k, level);
  return isnan(end) ? end : step->time / 2 + end / 2;
}

/* Writes a time for the levels that breakpoint k of function i reaches with a value and that
 * were not reached before; `done` are those. */
static int64_t reach(const struct crossing *crossing, int64_t i, int64_t k,
                     const struct step *step, int64_t done) {
  const struct pcf_levels *levels = crossing->levels;
  double value = step->to;
  for (; done < levels->count; done++) {
    int64_t l = crossing->falling ? levels->count - 1 - done : done;
    double level = levels->level[l];
    if (!has_reached(crossing, value, level)) break;
    int64_t column = levels->column ? levels->column[l] : l;
    double time = time_at(crossing, i, k, levels->level[l], step);
    crossing->result[i + column * crossing->x->count] = isnan(time) ? pcf_missing() : time;
  }
  return done;
}

static void cross(const struct crossing *crossing, int64_t i) {
  const double *value = pcf_values(crossing->x, i);
  int64_t m = pcf_breakpoints(crossing->x, i), done = 0;
  for (int64_t k = 0; k < m && done < crossing->levels->count; k++) {
    if (isnan(value[k])) continue;
    struct step step = step_at(crossing->x, i, k, crossing->falling);
    struct step zero = {.to = 0, .time = -INFINITY, .begins = 1};
    if (step.first && !step.begins) done = reach(crossing, i, k, &zero, done);
    done = reach(crossing, i, k, &step, done);
  }
  struct step never = {.to = crossing->falling ? -INFINITY : INFINITY, .time = pcf_missing()};
  reach(crossing, i, m, &never, done);
}

static void cross_some(void *crossing, int64_t first, int64_t end) {
  for (int64_t i = first; i < end; i++) cross(crossing, i);
}
