#include "reductions/level-search.h"

#include "base/memory.h"
#include "base/quantiles.h"
#include "base/scalar.h"
#include "base/search.h"
#include "reductions/rank.h"

#include <stdlib.h>
#include <string.h>

/* Time is cut again and again, until few functions are left that come near a level: those whose
 * values over a range are all below the least that the level can be there, or all above the
 * most that it can be, are left out. The few that are left are followed from one breakpoint to
 * the next, and what the level does in between is found from their lines
 * (reductions/level-path.h). */
enum { FEW_FUNCTIONS = 6 };

static const struct pcf_line_of no_line = {-1, -1};

/* ---- Functions in a range ---- */

static double value_of(const struct pcf_collection *x, int64_t function, int64_t passed,
                       double time) {
  return pcf_line_value(x, (struct pcf_line_of){function, passed}, time).high;
}

static inline void widen(struct pcf_level_run *run, double value) {
  run->least = value < run->least ? value : run->least;
  run->most = isnan(value) ? INFINITY : value > run->most ? value : run->most;
}

/* Sets the bounds of a run whose breakpoints are known. */
static void bound(const struct pcf_collection *x, struct pcf_level_run *run, double from,
                  double to) {
  const double *left = pcf_lefts(x, run->function), *value = pcf_values(x, run->function);
  run->least = INFINITY;
  run->most = -INFINITY;
  widen(run, value_of(x, run->function, run->begin, from));
  widen(run, value_of(x, run->function, run->end, to));
  for (int64_t k = run->begin; k < run->end; k++) {
    widen(run, left[k]);
    widen(run, value[k]);
  }
}

/* The breakpoints begin … end - 1 of a function that are strictly between two times. */
static struct pcf_level_run run_between(const struct pcf_collection *x, int64_t function,
                                        int64_t begin, int64_t end, double from, double to) {
  const double *time = pcf_times(x, function);
  struct pcf_level_run run = {.function = function};
  run.begin = pcf_first_from(time, begin, end, from);
  run.begin += run.begin < end && time[run.begin] == from;
  run.end = pcf_first_from(time, run.begin, end, to);
  bound(x, &run, from, to);
  return run;
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
  struct pcf_level_change *change =
    pcf_one_more(search->change, search->changes, &search->change_room, sizeof *change, error);
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
    const struct pcf_level_run *run = &search->all[e];
    const double *time = pcf_times(x, run->function), *value = pcf_values(x, run->function);
    int before = !isnan(value_of(x, run->function, run->begin, search->from));
    known += before;
    if (run->most < INFINITY) continue;
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
  size_t each = sizeof *search->all + sizeof *search->number;
  search->all = pcf_grow(search->all, &search->room, count, each, error);
  if (!search->all) return PCF_ERROR_MEMORY;
  search->number = (double *)(search->all + search->room);
  search->x = search->path.x = search->next_path.x = x;
  search->functions = count;
  search->observed_only = observed_only;
  search->from = from;
  search->to = to;
  for (int64_t e = 0; e < count; e++) {
    search->all[e] = run_between(x, function[e], 0, pcf_breakpoints(x, function[e]), from, to);
  }
  return note_changes(search, error);
}

/* ---- One level ---- */

/* A range, its functions, and how many others are below the level. */
struct range {
  double from, to;
  struct pcf_level_run *run;
  int64_t count, below;
  int cuts;
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
  struct pcf_level_piece *larger =
    pcf_one_more(search->piece, search->pieces, &search->piece_room, sizeof *larger, error);
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

/* Adds what a quantile is on between two times, from the lines that are observed. */
static enum pcf_status add_stretch(struct pcf_level_search *search, double from, double to,
                                   int64_t count, int64_t below, int64_t known,
                                   struct pcf_error *error) {
  if (is_missing(search, known)) return add_missing(search, from, error);
  struct pcf_rank rank = pcf_rank_of(search->prob, known);
  int64_t k = rank.before - below;
  enum pcf_status status =
    pcf_find_level(&search->path, from, to, search->line, count, k, error);
  if (status) return status;
  if (rank.share == 0 || k + 1 == count) return add_path(search, error);
  status = pcf_find_level(&search->next_path, from, to, search->line, count, k + 1, error);
  return status ? status : add_paths(search, rank, error);
}

/* ---- Few functions ---- */

static enum pcf_status make_now(struct pcf_level_search *search, const struct range *range,
                                struct pcf_error *error) {
  size_t each = sizeof *search->now + sizeof *search->line;
  search->now = pcf_grow(search->now, &search->now_room, range->count, each, error);
  if (!search->now) return PCF_ERROR_MEMORY;
  search->line = (struct pcf_level_line *)(search->now + search->now_room);
  memcpy(search->now, range->run, (size_t)range->count * sizeof *search->now);
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

/* Leaves out the functions that the quantile is above or below all the time. */
static void leave_out(struct pcf_level_search *search, struct known known,
                      const struct pcf_level_run *from, struct range *range) {
  double *number = search->number, least = -INFINITY, most;
  if (!search->observed_only) known.least = search->functions;
  if (known.least > 0) {
    int64_t k = pcf_rank_of(search->prob, known.least).before - range->below;
    for (int64_t r = 0; r < range->count; r++) number[r] = from[r].least;
    least = pcf_kth(number, range->count, k);
  }
  struct pcf_rank rank = pcf_rank_of(search->prob, known.most);
  int64_t k = rank.before - range->below + (rank.share > 0);
  for (int64_t r = 0; r < range->count; r++) number[r] = from[r].most;
  most = pcf_kth(number, range->count, pcf_smaller(k, range->count - 1));
  int64_t kept = 0;
  for (int64_t r = 0; r < range->count; r++) {
    if (from[r].most < least) range->below++;
    else if (!(from[r].least > most)) range->run[kept++] = from[r];
  }
  range->count = kept;
}

/* The time in the middle of the breakpoints that functions have in the middle of theirs; NaN if
 * there are none. */
static double middle_of(struct pcf_level_search *search, const struct range *range) {
  double *number = search->number;
  int64_t count = 0;
  for (int64_t r = 0; r < range->count; r++) {
    const struct pcf_level_run *run = &range->run[r];
    if (run->begin == run->end) continue;
    int64_t middle = run->begin + (run->end - run->begin) / 2;
    number[count++] = pcf_times(search->x, run->function)[middle];
  }
  return count > 0 ? pcf_kth(number, count, count / 2) : NAN;
}

static enum pcf_status search_range(struct pcf_level_search *search, struct range range,
                                    const struct pcf_level_run *from, struct pcf_error *error);

static enum pcf_status search_part(struct pcf_level_search *search, const struct range *whole,
                                   double from, double to, struct pcf_error *error) {
  struct pcf_level_cut *cut = &search->cut[whole->cuts + 1];
  cut->run = pcf_grow(cut->run, &cut->room, whole->count, sizeof *cut->run, error);
  if (!cut->run) return PCF_ERROR_MEMORY;
  struct range range = {from, to, cut->run, whole->count, whole->below, whole->cuts + 1};
  for (int64_t r = 0; r < whole->count; r++) {
    const struct pcf_level_run *run = &whole->run[r];
    cut->run[r] = run_between(search->x, run->function, run->begin, run->end, from, to);
  }
  return search_range(search, range, range.run, error);
}

/* The functions come from an array that may be the range's own. */
static enum pcf_status search_range(struct pcf_level_search *search, struct range range,
                                    const struct pcf_level_run *from, struct pcf_error *error) {
  struct known known = known_between(search, range.from, range.to);
  if (is_missing(search, known.most)) return add_missing(search, range.from, error);
  leave_out(search, known, from, &range);
  double middle = middle_of(search, &range);
  if (range.count <= FEW_FUNCTIONS || isnan(middle) || range.cuts == PCF_LEVEL_CUTS) {
    return follow_all(search, &range, error);
  }
  enum pcf_status status = search_part(search, &range, range.from, middle, error);
  return status ? status : search_part(search, &range, middle, range.to, error);
}

enum pcf_status pcf_level_search_find(struct pcf_level_search *search, double prob,
                                      struct pcf_error *error) {
  struct pcf_level_cut *cut = &search->cut[0];
  int64_t count = search->functions;
  cut->run = pcf_grow(cut->run, &cut->room, count, sizeof *cut->run, error);
  if (!cut->run) return PCF_ERROR_MEMORY;
  struct range range = {search->from, search->to, cut->run, count, 0, 0};
  search->prob = prob;
  search->pieces = 0;
  return search->from < search->to ? search_range(search, range, search->all, error) : PCF_OK;
}

void pcf_level_search_free(struct pcf_level_search *search) {
  for (int d = 0; d <= PCF_LEVEL_CUTS; d++) pcf_free(search->cut[d].run);
  pcf_free(search->all);
  pcf_free(search->change);
  pcf_free(search->piece);
  pcf_free(search->now);
  pcf_level_path_free(&search->path);
  pcf_level_path_free(&search->next_path);
}
