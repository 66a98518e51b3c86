#include "reductions/level-search.h"

#include "base/memory.h"
#include "base/quantiles.h"
#include "base/scalar.h"
#include "base/search.h"
#include "reductions/level-walk.h"
#include "reductions/rank.h"

#include <stdlib.h>
#include <string.h>

/* Time is cut again and again, until few functions are left that come near a level: those whose
 * values over a range are all below the least that the level can be there, or all above the
 * most that it can be, are left out. The few that are left are followed from one breakpoint to
 * the next, and what the level does in between is found from their lines
 * (reductions/level-walk.h and reductions/level-path.h). */
enum { FEW_FUNCTIONS = 16, MOST_KEPT = 3 };

static const struct pcf_line_of no_line = {-1, -1};

/* ---- Functions in a range ---- */

static double value_of(const struct pcf_collection *x, int64_t function, int64_t passed,
                       double time) {
  return pcf_line_value(x, (struct pcf_line_of){function, passed}, time).high;
}

/* The same, but for some of the last digits. */
static double rough_value(const struct pcf_collection *x, int64_t function, int64_t passed,
                          double time) {
  if (passed > 0 && passed < pcf_breakpoints(x, function)) {
    const double *at = pcf_times(x, function) + passed;
    double share = (time - at[-1]) / (at[0] - at[-1]);
    double from = pcf_values(x, function)[passed - 1], to = pcf_lefts(x, function)[passed];
    if (share > 0 && share < 1) return (1 - share) * from + share * to;
  }
  return value_of(x, function, passed, time);
}

/* By how much a value on a line may be off that is rough, or comes from cutting it up to
 * PCF_LEVEL_CUTS times. */
static double off_line(const struct pcf_collection *x, int64_t function, int64_t passed) {
  int64_t m = pcf_breakpoints(x, function);
  double from = passed > 0 ? fabs(pcf_values(x, function)[passed - 1]) : 0;
  double to = passed < m ? fabs(pcf_lefts(x, function)[passed]) : 0;
  return 0x1p-44 * (from > to ? from : to) + 0x1p-1060;
}

struct bounds {
  double least, most;
};

static inline void widen(struct bounds *bounds, double value, double off) {
  bounds->least = value - off < bounds->least ? value - off : bounds->least;
  bounds->most = isnan(value)                 ? INFINITY
                 : value + off > bounds->most ? value + off
                                              : bounds->most;
}

/* Notes the bounds of run r, once its breakpoints and values at the ends are known. */
static void bound(const struct pcf_collection *x, const struct pcf_level_runs *runs,
                  int64_t r) {
  struct pcf_level_run *run = &runs->run[r];
  const double *left = pcf_lefts(x, run->function), *value = pcf_values(x, run->function);
  struct bounds bounds = {INFINITY, -INFINITY};
  run->off = off_line(x, run->function, run->begin);
  if (run->end > run->begin) run->off = fmax(run->off, off_line(x, run->function, run->end));
  widen(&bounds, run->from, run->off);
  widen(&bounds, run->to, run->off);
  for (int64_t k = run->begin; k < run->end; k++) {
    widen(&bounds, left[k], 0);
    widen(&bounds, value[k], 0);
  }
  runs->least[r] = bounds.least;
  runs->most[r] = bounds.most;
}

/* Notes the breakpoints of a function that are strictly between two times. */
static void find_run(const struct pcf_collection *x, int64_t function, double from, double to,
                     const struct pcf_level_runs *runs, int64_t r) {
  const double *time = pcf_times(x, function);
  int64_t m = pcf_breakpoints(x, function);
  struct pcf_level_run run = {.function = function};
  run.begin = pcf_first_from(time, 0, m, from);
  run.begin += run.begin < m && time[run.begin] == from;
  run.end = pcf_first_from(time, run.begin, m, to);
  run.from = value_of(x, function, run.begin, from);
  run.to = value_of(x, function, run.end, to);
  runs->run[r] = run;
  bound(x, runs, r);
}

/* Notes the bounds of run r, which has no breakpoints. */
static inline void bound_line(const struct pcf_level_runs *runs, int64_t r) {
  const struct pcf_level_run *run = &runs->run[r];
  double low = run->from < run->to ? run->from : run->to;
  double high = run->from < run->to ? run->to : run->from;
  runs->least[r] = isnan(low) ? INFINITY : low - run->off;
  runs->most[r] = isnan(low) ? INFINITY : high + run->off;
}

/* Cuts run r, which has no breakpoints, where so much of it is before. */
static inline void cut_line(const struct pcf_level_runs *runs, int64_t r, double share,
                            const struct pcf_level_runs *before,
                            const struct pcf_level_runs *after) {
  const struct pcf_level_run *run = &runs->run[r];
  before->run[r] = after->run[r] = *run;
  before->run[r].to = after->run[r].from = (1 - share) * run->from + share * run->to;
  bound_line(before, r);
  bound_line(after, r);
}

/* Cuts run r at a time. */
static void cut_run(const struct pcf_collection *x, const struct pcf_level_runs *runs,
                    int64_t r, double time, const struct pcf_level_runs *before,
                    const struct pcf_level_runs *after) {
  struct pcf_level_run first = runs->run[r], second = first;
  int64_t function = first.function;
  const double *times = pcf_times(x, function);
  first.end = pcf_first_from(times, first.begin, first.end, time);
  second.begin = first.end + (first.end < second.end && times[first.end] == time);
  first.to = second.from = rough_value(x, function, first.end, time);
  if (second.begin > first.end) second.from = rough_value(x, function, second.begin, time);
  before->run[r] = first;
  after->run[r] = second;
  bound(x, before, r);
  bound(x, after, r);
}

/* Room for runs at `memory`, of which each takes so many bytes. */
enum { RUN_SIZE = sizeof(struct pcf_level_run) + 2 * sizeof(double) };
static struct pcf_level_runs runs_at(void *memory, int64_t count) {
  double *bounds = (double *)((struct pcf_level_run *)memory + count);
  return (struct pcf_level_runs){memory, bounds, bounds + count};
}

/* ---- How many are observed ---- */

/* How many functions are observed in a range, at least and at most. */
struct known {
  int64_t least, most;
};

/* The first change after a time. */
static int64_t change_after(const struct pcf_level_search *search, double time) {
  int64_t low = 0, high = search->changes;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (search->change[middle].time <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

static struct known known_between(const struct pcf_level_search *search, double from,
                                  double to) {
  int64_t k = change_after(search, from), first = search->change[k - 1].known;
  struct known known = {first, first};
  for (; k < search->changes && search->change[k].time < to; k++) {
    int64_t now = search->change[k].known;
    known.least = now < known.least ? now : known.least;
    known.most = now > known.most ? now : known.most;
  }
  return known;
}

static int by_time(const void *a, const void *b) {
  return pcf_ascending(&((const struct pcf_level_change *)a)->time,
                       &((const struct pcf_level_change *)b)->time);
}

static enum pcf_status note_change(struct pcf_level_search *search, double time, int64_t more,
                                   struct pcf_error *error) {
  struct pcf_level_change *change = pcf_grow_keeping(
    search->change, search->changes, &search->change_room, 1, sizeof *change, error);
  if (!change) return PCF_ERROR_MEMORY;
  search->change = change;
  change[search->changes++] = (struct pcf_level_change){time, more};
  return PCF_OK;
}

/* Sorts the changes, the first one of −∞ among them, and adds them up. */
static void add_up_changes(struct pcf_level_search *search) {
  struct pcf_level_change *change = search->change;
  int64_t kept = 0;
  qsort(change, (size_t)search->changes, sizeof *change, by_time);
  for (int64_t k = 1; k < search->changes; k++) {
    int64_t known = change[kept].known + change[k].known;
    kept += change[k].time != change[kept].time;
    change[kept] = (struct pcf_level_change){change[k].time, known};
  }
  search->changes = kept + 1;
}

/* Notes how many functions are observed from the start of the range on, and where that changes.
 */
static enum pcf_status note_changes(struct pcf_level_search *search, struct pcf_error *error) {
  const struct pcf_collection *x = search->x;
  int64_t known = 0;
  enum pcf_status status = PCF_OK;
  search->changes = 0;
  for (int64_t e = 0; !status && e < search->functions; e++) {
    const struct pcf_level_run *run = &search->all.run[e];
    const double *time = pcf_times(x, run->function), *value = pcf_values(x, run->function);
    int before = !isnan(value_of(x, run->function, run->begin, search->from));
    known += before;
    if (search->all.most[e] < INFINITY) continue;
    for (int64_t k = run->begin; !status && k < run->end; k++) {
      int after = !isnan(value[k]);
      if (after != before) status = note_change(search, time[k], after - before, error);
      before = after;
    }
  }
  if (!status) status = note_change(search, -INFINITY, known, error);
  if (!status) add_up_changes(search);
  return status;
}

enum pcf_status pcf_level_search_begin(struct pcf_level_search *search,
                                       const struct pcf_collection *x, const int64_t *function,
                                       int64_t count, int observed_only, double from, double to,
                                       struct pcf_error *error) {
  size_t each = RUN_SIZE + sizeof *search->number;
  void *memory = pcf_grow(search->all.run, &search->room, count, each, error);
  search->all.run = memory;
  if (!memory) return PCF_ERROR_MEMORY;
  search->all = runs_at(memory, search->room);
  search->number = search->all.most + search->room;
  search->x = search->path.x = search->next_path.x = x;
  search->functions = count;
  search->observed_only = observed_only;
  search->from = from;
  search->to = to;
  for (int64_t e = 0; e < count; e++) {
    find_run(x, function[e], from, to, &search->all, e);
  }
  return note_changes(search, error);
}

/* ---- One level ---- */

/* A range, its functions, and how many others are below the level. */
struct range {
  double from, to;
  struct pcf_level_runs runs;
  int64_t count, below;
  int cuts, kept; /* how many times in a row nearly all functions were kept */
};

/* Are quantiles of so many observed functions missing? */
static int is_missing(struct pcf_level_search *search, int64_t known) {
  return search->observed_only ? known == 0 : known < search->functions;
}

int pcf_level_goes_on(const struct pcf_level_piece *before,
                      const struct pcf_level_piece *after) {
  return pcf_same_line(before->lower, after->lower) &&
         pcf_same_line(before->upper, after->upper) && before->share == after->share &&
         !pcf_is_change(before->to, after->from);
}

static enum pcf_status add_piece(struct pcf_level_search *search, struct pcf_level_piece piece,
                                 struct pcf_error *error) {
  struct pcf_level_piece *last = search->pieces > 0 ? &search->piece[search->pieces - 1] : NULL;
  if (last && pcf_level_goes_on(last, &piece)) {
    last->to = piece.to;
    return PCF_OK;
  }
  struct pcf_level_piece *larger = pcf_grow_keeping(
    search->piece, search->pieces, &search->piece_room, 1, sizeof *larger, error);
  if (!larger) return PCF_ERROR_MEMORY;
  search->piece = larger;
  larger[search->pieces++] = piece;
  return PCF_OK;
}

static enum pcf_status add_missing(struct pcf_level_search *search, double time,
                                   struct pcf_error *error) {
  double missing = pcf_missing();
  struct pcf_level_piece piece = {time, missing, missing, no_line, no_line, 0};
  return add_piece(search, piece, error);
}

/* The value of a level at bend j of its path, or at the end after the last one. */
static double at_bend(const struct pcf_level_path *path, int64_t j) {
  if (j == 0) return path->from;
  if (j == path->bends) return path->to;
  const struct pcf_level_bend *bend = &path->bend[j];
  return pcf_meeting_value(path->x, bend[-1].line, bend->line, bend->time);
}

static enum pcf_status add_path(struct pcf_level_search *search, struct pcf_error *error) {
  const struct pcf_level_path *path = &search->path;
  enum pcf_status status = PCF_OK;
  double from = path->from;
  for (int64_t j = 0; !status && j < path->bends; j++) {
    const struct pcf_level_bend *bend = &path->bend[j];
    double to = at_bend(path, j + 1);
    struct pcf_level_piece piece = {bend->time, from, to, bend->line, bend->line, 0};
    status = add_piece(search, piece, error);
    from = to;
  }
  return status;
}

/* The value of a level at a time at which it does, or does not, bend. */
static double value_on_path(const struct pcf_level_path *path, int64_t j, double time) {
  if (path->bend[j].time == time) return at_bend(path, j);
  return pcf_line_value(path->x, path->bend[j].line, time).high;
}

/* What lies between two levels. */
static enum pcf_status add_paths(struct pcf_level_search *search, struct pcf_rank rank,
                                 struct pcf_error *error) {
  const struct pcf_level_path *a = &search->path, *b = &search->next_path;
  int64_t i = 0, j = 0;
  double time = a->bend[0].time, from = pcf_at_rank(rank, a->from, b->from);
  enum pcf_status status = PCF_OK;
  for (int more = 1; !status && more;) {
    struct pcf_level_piece piece = {time,      from, 0, a->bend[i].line, b->bend[j].line,
                                    rank.share};
    double next_a = i + 1 < a->bends ? a->bend[i + 1].time : INFINITY;
    double next_b = j + 1 < b->bends ? b->bend[j + 1].time : INFINITY;
    time = fmin(next_a, next_b);
    more = time < INFINITY;
    i += more && next_a == time;
    j += more && next_b == time;
    piece.to = more ? pcf_at_rank(rank, value_on_path(a, i, time), value_on_path(b, j, time))
                    : pcf_at_rank(rank, a->to, b->to);
    from = piece.to;
    status = add_piece(search, piece, error);
  }
  return status;
}

static enum pcf_status find_level(struct pcf_level_search *search, struct pcf_level_path *path,
                                  double from, double to, int64_t count, int64_t k,
                                  struct pcf_error *error) {
  const struct pcf_level_line *line = search->line;
  int found;
  enum pcf_status status = pcf_walk_level(path, from, to, line, count, k, &found, error);
  return status || found ? status : pcf_find_level(path, from, to, line, count, k, error);
}

/* Adds what a quantile is on between two times, from the lines that are observed. */
static enum pcf_status add_stretch(struct pcf_level_search *search, double from, double to,
                                   int64_t count, int64_t below, int64_t known,
                                   struct pcf_error *error) {
  if (is_missing(search, known)) return add_missing(search, from, error);
  struct pcf_rank rank = pcf_rank_of(search->prob, known);
  int64_t k = rank.before - below;
  enum pcf_status status = find_level(search, &search->path, from, to, count, k, error);
  if (status) return status;
  if (rank.share == 0 || k + 1 == count) return add_path(search, error);
  status = find_level(search, &search->next_path, from, to, count, k + 1, error);
  return status ? status : add_paths(search, rank, error);
}

/* ---- Few functions ---- */

static enum pcf_status make_now(struct pcf_level_search *search, const struct range *range,
                                struct pcf_error *error) {
  size_t each = sizeof *search->now + sizeof *search->line;
  search->now = pcf_grow(search->now, &search->now_room, range->count, each, error);
  if (!search->now) return PCF_ERROR_MEMORY;
  search->line = (struct pcf_level_line *)(search->now + search->now_room);
  memcpy(search->now, range->runs.run, (size_t)range->count * sizeof *search->now);
  return PCF_OK;
}

/* When the next of the functions, or the number of those that are observed, changes. */
static double next_time(struct pcf_level_search *search, const struct range *range,
                        int64_t change) {
  double next = range->to;
  for (int64_t r = 0; r < range->count; r++) {
    const struct pcf_level_run *run = &search->now[r];
    if (run->begin == run->end) continue;
    next = fmin(next, pcf_times(search->x, run->function)[run->begin]);
  }
  return change < search->changes ? fmin(next, search->change[change].time) : next;
}

/* The lines of the functions up to a time that are observed; how many. */
static int64_t take_lines(struct pcf_level_search *search, const struct range *range,
                          double from, double to) {
  int64_t count = 0;
  for (int64_t r = 0; r < range->count; r++) {
    struct pcf_line_of line = {search->now[r].function, search->now[r].begin};
    struct pcf_double_double value = pcf_line_value(search->x, line, from);
    if (isnan(value.high)) continue;
    search->line[count++] =
      (struct pcf_level_line){line, value, pcf_line_value(search->x, line, to)};
  }
  return count;
}

/* Follows all functions of a range from one breakpoint to the next. */
static enum pcf_status follow_all(struct pcf_level_search *search, const struct range *range,
                                  struct pcf_error *error) {
  int64_t change = change_after(search, range->from);
  enum pcf_status status = make_now(search, range, error);
  for (double from = range->from, to; !status && from < range->to; from = to) {
    to = next_time(search, range, change);
    int64_t count = take_lines(search, range, from, to),
            known = search->change[change - 1].known;
    status = add_stretch(search, from, to, count, range->below, known, error);
    change += change < search->changes && search->change[change].time == to;
    for (int64_t r = 0; r < range->count; r++) {
      struct pcf_level_run *run = &search->now[r];
      if (run->begin == run->end) continue;
      run->begin += pcf_times(search->x, run->function)[run->begin] == to;
    }
  }
  return status;
}

/* ---- Many functions ---- */

/* The k-th smallest of some bounds. */
static double kth_bound(struct pcf_level_search *search, const double *bound, int64_t count,
                        int64_t k) {
  memcpy(search->number, bound, (size_t)count * sizeof *bound);
  return pcf_kth(search->number, count, pcf_smaller(k, count - 1));
}

/* Leaves out the functions that the quantile is above or below all the time. Returns whether
 * it is constant, but for rounding. */
static int leave_out(struct pcf_level_search *search, struct known known, struct range *range) {
  const struct pcf_level_runs *runs = &range->runs;
  double low = -INFINITY;
  if (!search->observed_only) known.least = search->functions;
  if (known.least > 0) {
    struct pcf_rank rank = pcf_rank_of(search->prob, known.least);
    low = kth_bound(search, runs->least, range->count, rank.before - range->below);
  }
  struct pcf_rank rank = pcf_rank_of(search->prob, known.most);
  int64_t k = rank.before - range->below + (rank.share > 0), kept = 0;
  double high = kth_bound(search, runs->most, range->count, k);
  for (int64_t r = 0; r < range->count; r++) {
    double least = runs->least[r], most = runs->most[r];
    runs->run[kept] = runs->run[r];
    runs->least[kept] = least;
    runs->most[kept] = most;
    range->below += most < low;
    kept += (most >= low) & (least <= high);
  }
  range->count = kept;
  return high - low <= 0x1p-40 * fabs(low) + 0x1p-1000;
}

/* The value of a run that is constant, or NaN. */
static double constant_of(const struct pcf_collection *x, const struct pcf_level_run *run) {
  int64_t m = pcf_breakpoints(x, run->function);
  if (run->begin < run->end) return NAN;
  if (run->begin == 0) return pcf_lefts(x, run->function)[0];
  double value = pcf_values(x, run->function)[run->begin - 1];
  return run->begin == m || pcf_lefts(x, run->function)[run->begin] == value ? value : NAN;
}

/* The functions of a range that have one value all the time, and how many are, and may be,
 * below it; the one that has had the value for the longest time. */
struct bundle {
  double value, since;
  int64_t count, below, most_below;
  struct pcf_line_of line;
};

static struct bundle bundle_of(const struct pcf_collection *x, const struct range *range,
                               double value) {
  const struct pcf_level_runs *runs = &range->runs;
  struct bundle bundle = {
    .value = value, .since = INFINITY, .below = range->below, .most_below = range->below};
  for (int64_t r = 0; r < range->count; r++) {
    const struct pcf_level_run *run = &runs->run[r];
    if (constant_of(x, run) != value) {
      bundle.below += runs->most[r] < value;
      bundle.most_below += runs->least[r] <= value;
      continue;
    }
    double since = run->begin > 0 ? pcf_times(x, run->function)[run->begin - 1] : -INFINITY;
    if (!bundle.count++ || since < bundle.since) {
      bundle.since = since;
      bundle.line = (struct pcf_line_of){run->function, run->begin};
    }
  }
  return bundle;
}

/* Is the quantile the value of a bundle all the time? */
static int is_of_bundle(struct pcf_level_search *search, struct known known,
                        const struct range *range, struct bundle *bundle) {
  if (known.least < known.most || is_missing(search, known.least)) return 0;
  struct pcf_rank rank = pcf_rank_of(search->prob, known.most);
  int64_t k = pcf_smaller(rank.before - range->below, range->count - 1);
  int64_t alike = 0;
  for (int64_t r = 0; r < range->count; r++) {
    double from = range->runs.run[r].from;
    search->number[r] = isnan(from) ? INFINITY : from;
    alike += from == range->runs.run[r].to;
  }
  if (k < 0 || alike == 0) return 0;
  *bundle = bundle_of(search->x, range, pcf_kth(search->number, range->count, k));
  return bundle->most_below <= rank.before &&
         rank.before + (rank.share > 0) < bundle->below + bundle->count;
}

/* The time in the middle of the breakpoints that functions have in the middle of theirs. */
static double middle_breakpoint(struct pcf_level_search *search, const struct range *range) {
  double *number = search->number;
  int64_t count = 0;
  for (int64_t r = 0; r < range->count; r++) {
    const struct pcf_level_run *run = &range->runs.run[r];
    if (run->begin == run->end) continue;
    int64_t middle = run->begin + (run->end - run->begin) / 2;
    number[count++] = pcf_times(search->x, run->function)[middle];
  }
  return pcf_kth(number, count, count / 2);
}

/* Where to cut a range, if that helps; NaN otherwise. */
static double cut_of(struct pcf_level_search *search, struct range *range, int64_t count) {
  int64_t inside = 0;
  for (int64_t r = 0; r < range->count; r++) {
    inside += range->runs.run[r].end - range->runs.run[r].begin;
  }
  if (inside > range->count) return middle_breakpoint(search, range);
  double middle = range->from / 2 + range->to / 2;
  range->kept = range->count > count / 8 * 7 ? range->kept + 1 : 0;
  return range->kept <= MOST_KEPT && middle > range->from && middle < range->to ? middle : NAN;
}

static void cut_runs(const struct pcf_level_search *search, const struct range *whole,
                     const struct range *before, const struct range *after) {
  double middle = before->to;
  double share = (middle - whole->from) / (whole->to - whole->from);
  int known = share > 0 && share < 1;
  for (int64_t r = 0; r < whole->count; r++) {
    const struct pcf_level_run *run = &whole->runs.run[r];
    if (known && run->begin == run->end) {
      cut_line(&whole->runs, r, share, &before->runs, &after->runs);
    } else {
      cut_run(search->x, &whole->runs, r, middle, &before->runs, &after->runs);
    }
  }
}

static enum pcf_status search_range(struct pcf_level_search *search, struct range range,
                                    struct pcf_error *error);

static enum pcf_status make_cut(struct pcf_level_cut *cut, int64_t count,
                                struct pcf_error *error) {
  void *memory = pcf_grow(cut->runs.run, &cut->room, count, RUN_SIZE, error);
  cut->runs.run = memory;
  if (!memory) return PCF_ERROR_MEMORY;
  cut->runs = runs_at(memory, cut->room);
  return PCF_OK;
}

/* Searches what is before and after a time. */
static enum pcf_status search_parts(struct pcf_level_search *search, const struct range *whole,
                                    double middle, struct pcf_error *error) {
  struct pcf_level_cut *cut = &search->cut[whole->cuts + 1];
  if (make_cut(cut, 2 * whole->count, error)) return PCF_ERROR_MEMORY;
  struct range before = *whole, after = *whole;
  before.cuts = after.cuts = whole->cuts + 1;
  before.to = after.from = middle;
  before.runs = after.runs = cut->runs;
  after.runs.run += whole->count;
  after.runs.least += whole->count;
  after.runs.most += whole->count;
  cut_runs(search, whole, &before, &after);
  enum pcf_status status = search_range(search, before, error);
  return status ? status : search_range(search, after, error);
}

static enum pcf_status search_range(struct pcf_level_search *search, struct range range,
                                    struct pcf_error *error) {
  struct known known = known_between(search, range.from, range.to);
  if (is_missing(search, known.most)) return add_missing(search, range.from, error);
  int64_t count = range.count;
  struct bundle bundle;
  int ends = leave_out(search, known, &range) || range.count <= FEW_FUNCTIONS ||
             range.cuts == PCF_LEVEL_CUTS;
  if (range.count > FEW_FUNCTIONS && is_of_bundle(search, known, &range, &bundle)) {
    struct pcf_level_piece piece = {range.from,  bundle.value, bundle.value,
                                    bundle.line, bundle.line,  0};
    return add_piece(search, piece, error);
  }
  double cut = ends ? NAN : cut_of(search, &range, count);
  return isnan(cut) ? follow_all(search, &range, error)
                    : search_parts(search, &range, cut, error);
}

enum pcf_status pcf_level_search_find(struct pcf_level_search *search, double prob,
                                      struct pcf_error *error) {
  struct pcf_level_cut *cut = &search->cut[0];
  size_t count = (size_t)search->functions;
  if (make_cut(cut, search->functions, error)) return PCF_ERROR_MEMORY;
  memcpy(cut->runs.run, search->all.run, count * sizeof *cut->runs.run);
  memcpy(cut->runs.least, search->all.least, count * sizeof *cut->runs.least);
  memcpy(cut->runs.most, search->all.most, count * sizeof *cut->runs.most);
  struct range range = {.from = search->from, .to = search->to, .runs = cut->runs};
  range.count = search->functions;
  search->prob = prob;
  search->pieces = 0;
  return search->from < search->to ? search_range(search, range, error) : PCF_OK;
}

void pcf_level_search_free(struct pcf_level_search *search) {
  for (int d = 0; d <= PCF_LEVEL_CUTS; d++) pcf_free(search->cut[d].runs.run);
  pcf_free(search->all.run);
  pcf_free(search->change);
  pcf_free(search->piece);
  pcf_free(search->now);
  pcf_level_path_free(&search->path);
  pcf_level_path_free(&search->next_path);
}
