#include "reductions/line-levels.h"

#include "base/memory.h"
#include "base/quantiles.h"
#include "base/scalar.h"
#include "base/search.h"
#include "base/threads.h"
#include "reductions/level-path.h"
#include "reductions/rank.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Time is cut again and again, until few functions are left that come near a level: those whose
 * values over a range are all below the least that the level can be there, or all above the
 * most that it can be, are left out. The few that are left are followed from one breakpoint to
 * the next, and what the level does in between is found from their lines
 * (reductions/level-path.h).
 *
 * The first cuts, into blocks that have a few times as many breakpoints as functions, are made
 * beforehand, for all threads. Where they lie depends neither on the number of threads nor on
 * the order of the functions, and so do not the results. */
int64_t pcf_line_levels_part = 1 << 13;

enum { PART_PER_FUNCTION = 8, SAMPLES_PER_BLOCK = 32, FEW_FUNCTIONS = 6, MOST_CUTS = 96 };

/* A function over a range of time: those of its breakpoints that are strictly inside, and
 * bounds of its values: infinite where some, or all, are missing. */
struct run {
  int64_t function, begin, end;
  double least, most;
};

/* From a time on, so many functions are observed; while they are noted, so many more. */
struct change {
  double time;
  int64_t known;
};

/* What quantiles do from a time on, up to the next piece: their values at both ends, the lines
 * that they are on or between, and how far between. Those that are missing are on no line. */
struct piece {
  double time, from, to;
  struct pcf_line_of lower, upper;
  double share;
  double last_before, first_after; /* times of breakpoints within the piece, near its ends */
};

static const struct pcf_line_of no_line = {-1, -1};

struct block {
  int64_t row;
  double from, to;
  int first, last; /* of its row? */
};

/* What joins the pieces of one block to those of the next. */
struct joint {
  struct piece first, last;
};

/* The memory of one thread. */
struct worker {
  struct run *all; /* functions of a block */
  double *number;  /* as many numbers */
  int64_t room;
  struct change *change;
  int64_t changes, change_room;
  struct piece *piece;
  int64_t pieces, piece_room;
  int64_t *cell, cell_room;
  struct part {
    struct run *run;
    int64_t room;
  } part[MOST_CUTS + 1];
  struct pcf_level_line *line; /* functions, and lines, at a moment */
  struct run *now;
  int64_t now_room;
  struct pcf_level_path path, next_path;
};

struct levels {
  const struct pcf_line_levels *wanted;
  struct pcf_arrays arrays;
  struct block *block;
  int64_t blocks;
  int64_t *row_blocks; /* rows + 1: where those of each row begin */
  struct joint *joint; /* of each block and probability */
  struct worker *worker;
  struct pcf_curves *curves;
};

static enum pcf_status cut_rows(struct levels *levels, struct pcf_error *error);
static enum pcf_status make_curves(struct levels *levels, struct pcf_error *error);
static pcf_loop_body find_in_block;
static void join_blocks(struct levels *levels);
static void free_workers(struct levels *levels, int threads);

enum pcf_status pcf_line_levels(const struct pcf_line_levels *wanted, int threads,
                                const atomic_int *stop, struct pcf_curves *curves,
                                struct pcf_error *error) {
  struct levels levels = {.wanted = wanted, .curves = curves};
  *curves = (struct pcf_curves){0};
  levels.worker = pcf_zeros(&levels.arrays, (size_t)threads, sizeof *levels.worker, error);
  enum pcf_status status = levels.worker ? cut_rows(&levels, error) : PCF_ERROR_MEMORY;
  if (!status) status = make_curves(&levels, error);
  if (!status) {
    status = pcf_parallel_for(threads, levels.blocks, stop, find_in_block, &levels, error);
  }
  if (!status) join_blocks(&levels);
  free_workers(&levels, threads);
  pcf_arrays_free(&levels.arrays);
  return status ? status : pcf_curves_count(curves, error);
}

/* ---- Blocks ---- */

/* What is known of a row before it is cut. */
struct extent {
  double first, last;
  int64_t breakpoints, blocks;
};

static struct extent extent_of(const struct pcf_line_levels *wanted, int64_t r) {
  const struct pcf_rows *rows = wanted->rows;
  struct extent extent = {INFINITY, -INFINITY, 0, 1};
  int64_t n = rows->starts[r + 1] - rows->starts[r];
  for (int64_t e = rows->starts[r]; e < rows->starts[r + 1]; e++) {
    int64_t i = rows->function[e], m = pcf_breakpoints(wanted->x, i);
    const double *time = pcf_times(wanted->x, i);
    extent.first = fmin(extent.first, time[0]);
    extent.last = fmax(extent.last, time[m - 1]);
    extent.breakpoints += m;
  }
  int64_t size = PART_PER_FUNCTION * n;
  size = size > pcf_line_levels_part ? size : pcf_line_levels_part;
  extent.blocks += pcf_smaller(extent.breakpoints / size, INT32_MAX / SAMPLES_PER_BLOCK);
  return extent;
}

/* Of each function so many breakpoints as its share asks for, at even distances. Returns how
 * many: at most one for each function more than `wanted`. */
static int64_t take_sample(const struct pcf_line_levels *levels, int64_t r, int64_t breakpoints,
                           int64_t wanted, double *sample) {
  const struct pcf_rows *rows = levels->rows;
  int64_t count = 0;
  for (int64_t e = rows->starts[r]; e < rows->starts[r + 1]; e++) {
    int64_t i = rows->function[e], m = pcf_breakpoints(levels->x, i);
    int64_t own = (int64_t)ceil((double)wanted * ((double)m / (double)breakpoints));
    for (int64_t s = 0; s < own; s++) {
      int64_t at = (int64_t)(((double)s + 0.5) * ((double)m / (double)own));
      sample[count++] = pcf_times(levels->x, i)[pcf_smaller(at, m - 1)];
    }
  }
  return count;
}

/* Cuts a row into blocks; returns how many. `number` has room for the sample and the cuts. */
static int64_t cut_row(const struct pcf_line_levels *wanted, int64_t r, struct extent extent,
                       double *number, struct block *block) {
  int64_t samples = extent.blocks > 1 ? extent.blocks * SAMPLES_PER_BLOCK : 0, blocks = 1;
  double *cut = number;
  number += extent.blocks;
  samples = take_sample(wanted, r, extent.breakpoints, samples, number);
  int cuts = pcf_quantile_cuts(number, samples, (int)extent.blocks, extent.first, cut);
  while (cuts > 0 && cut[cuts - 1] >= extent.last) cuts--;
  block[0] = (struct block){r, extent.first, extent.last, 1, 1};
  for (int c = 0; c < cuts; c++, blocks++) {
    block[blocks - 1].to = cut[c];
    block[blocks - 1].last = 0;
    block[blocks] = (struct block){r, cut[c], extent.last, 0, 1};
  }
  return blocks;
}

static enum pcf_status cut_rows(struct levels *levels, struct pcf_error *error) {
  const struct pcf_rows *rows = levels->wanted->rows;
  struct pcf_arrays *arrays = &levels->arrays;
  struct extent *extent = pcf_array(arrays, (size_t)rows->count, sizeof *extent, error);
  levels->row_blocks = pcf_array(arrays, (size_t)rows->count + 1, sizeof(int64_t), error);
  if (arrays->status) return arrays->status;
  int64_t most = 0, largest = 0;
  for (int64_t r = 0; r < rows->count; r++) {
    extent[r] = extent_of(levels->wanted, r);
    int64_t n = rows->starts[r + 1] - rows->starts[r];
    int64_t numbers = extent[r].blocks * (SAMPLES_PER_BLOCK + 1) + n;
    largest = numbers > largest ? numbers : largest;
    most += extent[r].blocks;
  }
  double *number = pcf_array(arrays, (size_t)largest, sizeof *number, error);
  levels->block = pcf_array(arrays, (size_t)most, sizeof *levels->block, error);
  if (arrays->status) return arrays->status;
  for (int64_t r = 0; r < rows->count; r++) {
    levels->row_blocks[r] = levels->blocks;
    struct block *block = levels->block + levels->blocks;
    levels->blocks += cut_row(levels->wanted, r, extent[r], number, block);
  }
  levels->row_blocks[rows->count] = levels->blocks;
  return PCF_OK;
}

static enum pcf_status make_curves(struct levels *levels, struct pcf_error *error) {
  int64_t rows = levels->wanted->rows->count, probs = levels->wanted->probs;
  struct pcf_arrays *arrays = &levels->arrays;
  size_t joints = (size_t)(levels->blocks * probs);
  int64_t *stretches = pcf_array(arrays, (size_t)(rows * probs), sizeof *stretches, error);
  levels->joint = pcf_array(arrays, joints, sizeof *levels->joint, error);
  if (arrays->status) return arrays->status;
  for (int64_t r = 0; r < rows; r++) {
    for (int64_t q = 0; q < probs; q++) {
      stretches[r * probs + q] = levels->row_blocks[r + 1] - levels->row_blocks[r];
    }
  }
  enum pcf_status status =
    pcf_curves_make(levels->curves, rows * probs, stretches, levels->blocks * probs, error);
  levels->curves->linear = 1;
  return status;
}

/* ---- The memory of threads ---- */

static enum pcf_status equip(struct worker *worker, const struct pcf_collection *x,
                             int64_t functions, struct pcf_error *error) {
  size_t each = sizeof *worker->all + sizeof *worker->number;
  worker->all = pcf_grow(worker->all, &worker->room, functions, each, error);
  if (!worker->all) return PCF_ERROR_MEMORY;
  worker->number = (double *)(worker->all + worker->room);
  worker->path.x = worker->next_path.x = x;
  return PCF_OK;
}

static void free_workers(struct levels *levels, int threads) {
  for (int k = 0; levels->worker && k < threads; k++) {
    struct worker *worker = &levels->worker[k];
    for (int d = 0; d <= MOST_CUTS; d++) pcf_free(worker->part[d].run);
    pcf_free(worker->all);
    pcf_free(worker->change);
    pcf_free(worker->piece);
    pcf_free(worker->cell);
    pcf_free(worker->now);
    pcf_level_path_free(&worker->path);
    pcf_level_path_free(&worker->next_path);
  }
}

/* ---- Functions in a range ---- */

static double value_of(const struct pcf_collection *x, int64_t function, int64_t passed,
                       double time) {
  return pcf_line_value(x, (struct pcf_line_of){function, passed}, time).high;
}

static inline void widen(struct run *run, double value) {
  run->least = value < run->least ? value : run->least;
  run->most = isnan(value) ? INFINITY : value > run->most ? value : run->most;
}

/* Sets the bounds of a run whose breakpoints are known. */
static void bound(const struct pcf_collection *x, struct run *run, double from, double to) {
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
static struct run run_between(const struct pcf_collection *x, int64_t function, int64_t begin,
                              int64_t end, double from, double to) {
  const double *time = pcf_times(x, function);
  struct run run = {.function = function};
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
static int64_t change_after(const struct worker *worker, double time) {
  int64_t low = 0, high = worker->changes;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (worker->change[middle].time <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

static struct known known_between(const struct worker *worker, double from, double to) {
  int64_t k = change_after(worker, from), first = worker->change[k - 1].known;
  struct known known = {first, first};
  for (; k < worker->changes && worker->change[k].time < to; k++) {
    int64_t now = worker->change[k].known;
    known.least = now < known.least ? now : known.least;
    known.most = now > known.most ? now : known.most;
  }
  return known;
}

static int by_time(const void *a, const void *b) {
  return pcf_ascending(&((const struct change *)a)->time, &((const struct change *)b)->time);
}

static enum pcf_status note_change(struct worker *worker, double time, int64_t more,
                                   struct pcf_error *error) {
  struct change *change =
    pcf_one_more(worker->change, worker->changes, &worker->change_room, sizeof *change, error);
  if (!change) return PCF_ERROR_MEMORY;
  worker->change = change;
  change[worker->changes++] = (struct change){time, more};
  return PCF_OK;
}

/* Sorts the changes, the first one of −∞ among them, and adds them up. */
static void add_up_changes(struct worker *worker) {
  struct change *change = worker->change;
  int64_t kept = 0;
  qsort(change, (size_t)worker->changes, sizeof *change, by_time);
  for (int64_t k = 1; k < worker->changes; k++) {
    int64_t known = change[kept].known + change[k].known;
    kept += change[k].time != change[kept].time;
    change[kept] = (struct change){change[k].time, known};
  }
  worker->changes = kept + 1;
}

/* Notes how many functions of a block are observed from its start on, and where that changes.
 */
static enum pcf_status note_changes(const struct levels *levels, const struct block *block,
                                    int64_t count, struct worker *worker,
                                    struct pcf_error *error) {
  const struct pcf_collection *x = levels->wanted->x;
  int64_t known = 0;
  enum pcf_status status = PCF_OK;
  worker->changes = 0;
  for (int64_t e = 0; !status && e < count; e++) {
    const struct run *run = &worker->all[e];
    const double *time = pcf_times(x, run->function), *value = pcf_values(x, run->function);
    int before = !isnan(value_of(x, run->function, run->begin, block->from));
    known += before;
    if (run->most < INFINITY) continue;
    for (int64_t k = run->begin; !status && k < run->end; k++) {
      int after = !isnan(value[k]);
      if (after != before) status = note_change(worker, time[k], after - before, error);
      before = after;
    }
  }
  if (!status) status = note_change(worker, -INFINITY, known, error);
  if (!status) add_up_changes(worker);
  return status;
}

/* ---- One level ---- */

/* The search for a quantile in a block. */
struct search {
  const struct pcf_collection *x;
  struct worker *worker;
  double prob;
  int64_t functions;
  int observed_only;
};

/* A range, its functions, and how many others are below the level. */
struct range {
  double from, to;
  struct run *run;
  int64_t count, below;
  int cuts;
};

/* Are quantiles of so many observed functions missing? */
static int is_missing(const struct search *search, int64_t known) {
  return search->observed_only ? known == 0 : known < search->functions;
}

/* Do quantiles go on from one piece to the next? */
static int goes_on(const struct piece *before, const struct piece *after) {
  return pcf_same_line(before->lower, after->lower) &&
         pcf_same_line(before->upper, after->upper) && before->share == after->share &&
         !pcf_is_change(before->to, after->from);
}

static enum pcf_status add_piece(struct worker *worker, struct piece piece,
                                 struct pcf_error *error) {
  struct piece *last = worker->pieces > 0 ? &worker->piece[worker->pieces - 1] : NULL;
  if (last && goes_on(last, &piece)) {
    last->to = piece.to;
    return PCF_OK;
  }
  struct piece *larger =
    pcf_one_more(worker->piece, worker->pieces, &worker->piece_room, sizeof *larger, error);
  if (!larger) return PCF_ERROR_MEMORY;
  worker->piece = larger;
  piece.last_before = -INFINITY;
  piece.first_after = INFINITY;
  larger[worker->pieces++] = piece;
  return PCF_OK;
}

static enum pcf_status add_missing(struct worker *worker, double time,
                                   struct pcf_error *error) {
  double missing = pcf_missing();
  struct piece piece = {time, missing, missing, no_line, no_line, 0, 0, 0};
  return add_piece(worker, piece, error);
}

/* The value of a level at bend j of its path, or at the end after the last one. */
static double at_bend(const struct pcf_level_path *path, int64_t j) {
  if (j == 0) return path->from;
  if (j == path->bends) return path->to;
  const struct pcf_level_bend *bend = &path->bend[j];
  return pcf_meeting_value(path->x, bend[-1].line, bend->line, bend->time);
}

static enum pcf_status add_path(struct worker *worker, struct pcf_error *error) {
  const struct pcf_level_path *path = &worker->path;
  enum pcf_status status = PCF_OK;
  double from = path->from;
  for (int64_t j = 0; !status && j < path->bends; j++) {
    const struct pcf_level_bend *bend = &path->bend[j];
    double to = at_bend(path, j + 1);
    struct piece piece = {bend->time, from, to, bend->line, bend->line, 0, 0, 0};
    status = add_piece(worker, piece, error);
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
static enum pcf_status add_paths(struct worker *worker, struct pcf_rank rank,
                                 struct pcf_error *error) {
  const struct pcf_level_path *a = &worker->path, *b = &worker->next_path;
  int64_t i = 0, j = 0;
  double time = a->bend[0].time, from = pcf_at_rank(rank, a->from, b->from);
  enum pcf_status status = PCF_OK;
  for (int more = 1; !status && more;) {
    struct piece piece = {time, from, 0, a->bend[i].line, b->bend[j].line, rank.share, 0, 0};
    double next_a = i + 1 < a->bends ? a->bend[i + 1].time : INFINITY;
    double next_b = j + 1 < b->bends ? b->bend[j + 1].time : INFINITY;
    time = fmin(next_a, next_b);
    more = time < INFINITY;
    i += more && next_a == time;
    j += more && next_b == time;
    piece.to = more ? pcf_at_rank(rank, value_on_path(a, i, time), value_on_path(b, j, time))
                    : pcf_at_rank(rank, a->to, b->to);
    from = piece.to;
    status = add_piece(worker, piece, error);
  }
  return status;
}

/* Adds what a quantile is on between two times, from the lines that are observed. */
static enum pcf_status add_stretch(const struct search *search, double from, double to,
                                   int64_t count, int64_t below, int64_t known,
                                   struct pcf_error *error) {
  struct worker *worker = search->worker;
  if (is_missing(search, known)) return add_missing(worker, from, error);
  struct pcf_rank rank = pcf_rank_of(search->prob, known);
  int64_t k = rank.before - below;
  enum pcf_status status =
    pcf_find_level(&worker->path, from, to, worker->line, count, k, error);
  if (status) return status;
  if (rank.share == 0 || k + 1 == count) return add_path(worker, error);
  status = pcf_find_level(&worker->next_path, from, to, worker->line, count, k + 1, error);
  return status ? status : add_paths(worker, rank, error);
}

/* ---- Few functions ---- */

static enum pcf_status make_now(struct worker *worker, const struct range *range,
                                struct pcf_error *error) {
  size_t each = sizeof *worker->now + sizeof *worker->line;
  worker->now = pcf_grow(worker->now, &worker->now_room, range->count, each, error);
  if (!worker->now) return PCF_ERROR_MEMORY;
  worker->line = (struct pcf_level_line *)(worker->now + worker->now_room);
  memcpy(worker->now, range->run, (size_t)range->count * sizeof *worker->now);
  return PCF_OK;
}

/* When the next of the functions, or the number of those that are observed, changes. */
static double next_time(const struct search *search, const struct range *range,
                        int64_t change) {
  const struct worker *worker = search->worker;
  double next = range->to;
  for (int64_t r = 0; r < range->count; r++) {
    const struct run *run = &worker->now[r];
    if (run->begin == run->end) continue;
    next = fmin(next, pcf_times(search->x, run->function)[run->begin]);
  }
  return change < worker->changes ? fmin(next, worker->change[change].time) : next;
}

/* The lines of the functions up to a time that are observed; how many. */
static int64_t take_lines(const struct search *search, const struct range *range, double from,
                          double to) {
  struct worker *worker = search->worker;
  int64_t count = 0;
  for (int64_t r = 0; r < range->count; r++) {
    struct pcf_line_of line = {worker->now[r].function, worker->now[r].begin};
    struct pcf_double_double value = pcf_line_value(search->x, line, from);
    if (isnan(value.high)) continue;
    worker->line[count++] =
      (struct pcf_level_line){line, value, pcf_line_value(search->x, line, to)};
  }
  return count;
}

/* Follows all functions of a range from one breakpoint to the next. */
static enum pcf_status follow_all(const struct search *search, const struct range *range,
                                  struct pcf_error *error) {
  struct worker *worker = search->worker;
  int64_t change = change_after(worker, range->from);
  enum pcf_status status = make_now(worker, range, error);
  for (double from = range->from, to; !status && from < range->to; from = to) {
    to = next_time(search, range, change);
    int64_t count = take_lines(search, range, from, to),
            known = worker->change[change - 1].known;
    status = add_stretch(search, from, to, count, range->below, known, error);
    change += change < worker->changes && worker->change[change].time == to;
    for (int64_t r = 0; r < range->count; r++) {
      struct run *run = &worker->now[r];
      if (run->begin == run->end) continue;
      run->begin += pcf_times(search->x, run->function)[run->begin] == to;
    }
  }
  return status;
}

/* ---- Many functions ---- */

/* Leaves out the functions that the quantile is above or below all the time. */
static void leave_out(const struct search *search, struct known known, const struct run *from,
                      struct range *range) {
  double *number = search->worker->number, least = -INFINITY, most;
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
static double middle_of(const struct search *search, const struct range *range) {
  double *number = search->worker->number;
  int64_t count = 0;
  for (int64_t r = 0; r < range->count; r++) {
    const struct run *run = &range->run[r];
    if (run->begin == run->end) continue;
    int64_t middle = run->begin + (run->end - run->begin) / 2;
    number[count++] = pcf_times(search->x, run->function)[middle];
  }
  return count > 0 ? pcf_kth(number, count, count / 2) : NAN;
}

static enum pcf_status search_range(const struct search *search, struct range range,
                                    const struct run *from, struct pcf_error *error);

static enum pcf_status search_part(const struct search *search, const struct range *whole,
                                   double from, double to, struct pcf_error *error) {
  struct part *part = &search->worker->part[whole->cuts + 1];
  part->run = pcf_grow(part->run, &part->room, whole->count, sizeof *part->run, error);
  if (!part->run) return PCF_ERROR_MEMORY;
  struct range range = {from, to, part->run, whole->count, whole->below, whole->cuts + 1};
  for (int64_t r = 0; r < whole->count; r++) {
    const struct run *run = &whole->run[r];
    part->run[r] = run_between(search->x, run->function, run->begin, run->end, from, to);
  }
  return search_range(search, range, range.run, error);
}

/* The functions come from an array that may be the range's own. */
static enum pcf_status search_range(const struct search *search, struct range range,
                                    const struct run *from, struct pcf_error *error) {
  struct known known = known_between(search->worker, range.from, range.to);
  if (is_missing(search, known.most)) return add_missing(search->worker, range.from, error);
  leave_out(search, known, from, &range);
  double middle = middle_of(search, &range);
  if (range.count <= FEW_FUNCTIONS || isnan(middle) || range.cuts == MOST_CUTS) {
    return follow_all(search, &range, error);
  }
  enum pcf_status status = search_part(search, &range, range.from, middle, error);
  return status ? status : search_part(search, &range, middle, range.to, error);
}

/* ---- Points ---- */

/* The quantile of constants, the functions of a row before or after all breakpoints. */
static double constant_quantile(const struct levels *levels, const struct block *block,
                                double prob, int after, double *number) {
  const struct pcf_collection *x = levels->wanted->x;
  const struct pcf_rows *rows = levels->wanted->rows;
  int64_t known = 0, n = rows->starts[block->row + 1] - rows->starts[block->row];
  const int64_t *function = rows->function + rows->starts[block->row];
  for (int64_t e = 0; e < n; e++) {
    int64_t m = pcf_breakpoints(x, function[e]);
    double value = after ? pcf_values(x, function[e])[m - 1] : pcf_lefts(x, function[e])[0];
    if (!isnan(value)) number[known++] = value;
  }
  if (known == 0 || (known < n && !rows->observed_only)) return pcf_missing();
  struct pcf_rank rank = pcf_rank_of(prob, known);
  double value = pcf_kth(number, known, rank.before);
  if (rank.before + 1 == known) return value;
  return pcf_at_rank(rank, value, pcf_kth(number, known, rank.before + 1));
}

/* Does one line end at a time, and the other begin there? */
static int follows(const struct pcf_collection *x, struct pcf_line_of before,
                   struct pcf_line_of after, double time) {
  if (before.function < 0 || after.function < 0) return 1;
  return before.passed < pcf_breakpoints(x, before.function) &&
         pcf_times(x, before.function)[before.passed] == time && after.passed > 0 &&
         pcf_times(x, after.function)[after.passed - 1] == time;
}

/* Does a quantile go over from one line to another where they meet? */
static int meets(const struct pcf_collection *x, const struct piece *before,
                 const struct piece *after) {
  return before->to == after->from && !(follows(x, before->lower, after->lower, after->time) &&
                                        follows(x, before->upper, after->upper, after->time));
}

/* Cells of equal width, about as many as pieces, each with the last piece that begins before
 * it.
 */
struct cells {
  double from, per_time;
  int64_t *piece, last;
};

static inline int64_t cell_of(const struct cells *cells, double time) {
  double cell = (time - cells->from) * cells->per_time;
  return cell < (double)cells->last ? (int64_t)cell : cells->last;
}

static enum pcf_status fill_cells(struct worker *worker, const struct block *block,
                                  struct cells *cells, struct pcf_error *error) {
  int64_t j = 0, last = worker->pieces;
  worker->cell =
    pcf_grow(worker->cell, &worker->cell_room, last + 1, sizeof *worker->cell, error);
  if (!worker->cell) return PCF_ERROR_MEMORY;
  *cells =
    (struct cells){block->from, (double)last / (block->to - block->from), worker->cell, last};
  if (!(cells->per_time <= DBL_MAX)) cells->per_time = 0;
  for (int64_t c = 0; c <= last; c++) {
    while (j + 1 < last && cell_of(cells, worker->piece[j + 1].time) < c) j++;
    cells->piece[c] = j;
  }
  return PCF_OK;
}

/* Finds the breakpoints of all functions of a block that are next to the ends of pieces. */
static enum pcf_status find_neighbors(const struct levels *levels, const struct block *block,
                                      int64_t count, struct worker *worker,
                                      struct pcf_error *error) {
  struct piece *piece = worker->piece;
  struct cells cells;
  if (worker->pieces == 0) return PCF_OK;
  if (fill_cells(worker, block, &cells, error)) return PCF_ERROR_MEMORY;
  for (int64_t e = 0; e < count; e++) {
    const struct run *run = &worker->all[e];
    const double *time = pcf_times(levels->wanted->x, run->function);
    for (int64_t k = run->begin; k < run->end; k++) {
      int64_t j = cells.piece[cell_of(&cells, time[k])];
      while (j + 1 < worker->pieces && piece[j + 1].time <= time[k]) j++;
      if (piece[j].time == time[k]) continue;
      if (time[k] < piece[j].first_after) piece[j].first_after = time[k];
      if (time[k] > piece[j].last_before) piece[j].last_before = time[k];
    }
  }
  return PCF_OK;
}

static struct pcf_line_point point_on(const struct levels *levels, const struct piece *piece,
                                      double time) {
  const struct pcf_collection *x = levels->wanted->x;
  double value = piece->from;
  if (piece->lower.function >= 0) {
    struct pcf_rank rank = {0, piece->share};
    value = pcf_at_rank(rank, pcf_line_value(x, piece->lower, time).high,
                        pcf_line_value(x, piece->upper, time).high);
  }
  return (struct pcf_line_point){time, value, value};
}

/* Writes the pieces of a block; returns how many points that is, at most three for each. The
 * left limit at the first one is still unknown. */
static int64_t write_pieces(const struct levels *levels, const struct worker *worker,
                            struct pcf_line_point *point) {
  int64_t count = 0;
  for (int64_t j = 0; j < worker->pieces; j++) {
    const struct piece *piece = &worker->piece[j];
    int begins = j == 0 || meets(levels->wanted->x, piece - 1, piece);
    int ends = j + 1 == worker->pieces || meets(levels->wanted->x, piece, piece + 1);
    double left = j > 0 ? piece[-1].to : pcf_missing();
    int any = piece->first_after < INFINITY;
    point[count++] = (struct pcf_line_point){piece->time, left, piece->from};
    if (begins && any) point[count++] = point_on(levels, piece, piece->first_after);
    if (!ends || !any || (begins && piece->last_before == piece->first_after)) continue;
    point[count++] = point_on(levels, piece, piece->last_before);
  }
  return count;
}

/* One quantile in a block of functions whose runs are known. */
static enum pcf_status find_quantile(struct levels *levels, int64_t b, int64_t q, int64_t count,
                                     struct worker *worker, struct pcf_error *error) {
  const struct pcf_line_levels *wanted = levels->wanted;
  const struct block *block = &levels->block[b];
  struct search search = {wanted->x, worker, wanted->prob[q], count,
                          wanted->rows->observed_only};
  struct part *part = &worker->part[0];
  part->run = pcf_grow(part->run, &part->room, count, sizeof *part->run, error);
  if (!part->run) return PCF_ERROR_MEMORY;
  struct range range = {block->from, block->to, part->run, count, 0, 0};
  worker->pieces = 0;
  enum pcf_status status = PCF_OK;
  if (block->from < block->to) status = search_range(&search, range, worker->all, error);
  if (status) return status;
  if (find_neighbors(levels, block, count, worker, error)) return PCF_ERROR_MEMORY;
  struct pcf_line_point *point =
    pcf_allocate(3 * (size_t)worker->pieces + 1, sizeof *point, error);
  if (!point) return PCF_ERROR_MEMORY;
  levels->curves->block[b * wanted->probs + q] = point;
  int64_t points = write_pieces(levels, worker, point);
  double before = pcf_missing();
  struct joint *joint = &levels->joint[b * wanted->probs + q];
  if (worker->pieces > 0) {
    *joint = (struct joint){worker->piece[0], worker->piece[worker->pieces - 1]};
    before = joint->last.to;
  }
  if (block->first) {
    double first = constant_quantile(levels, block, search.prob, 0, worker->number);
    if (points > 0) point[0].left = first;
    else before = first;
  }
  if (block->last) {
    double last = constant_quantile(levels, block, search.prob, 1, worker->number);
    point[points++] = (struct pcf_line_point){block->to, before, last};
  }
  int64_t r = block->row, of = r * wanted->probs + q;
  levels->curves->stretch[levels->curves->starts[of] + b - levels->row_blocks[r]] =
    (struct pcf_stretch){.point = (const struct pcf_point *)point, .count = points};
  return PCF_OK;
}

static const struct pcf_line_point zero_function = {0, 0, 0};

static enum pcf_status find_in_block(void *context, int thread, int64_t b,
                                     struct pcf_error *error) {
  struct levels *levels = context;
  const struct pcf_line_levels *wanted = levels->wanted;
  const struct block *block = &levels->block[b];
  const int64_t *starts = wanted->rows->starts;
  const int64_t *function = wanted->rows->function + starts[block->row];
  struct worker *worker = &levels->worker[thread];
  int64_t count = starts[block->row + 1] - starts[block->row];
  for (int64_t q = 0; count == 0 && q < wanted->probs; q++) {
    levels->curves->stretch[levels->curves->starts[block->row * wanted->probs + q]] =
      (struct pcf_stretch){.point = (const struct pcf_point *)&zero_function, .count = 1};
  }
  if (count == 0) return PCF_OK;
  if (equip(worker, wanted->x, count, error)) return PCF_ERROR_MEMORY;
  for (int64_t e = 0; e < count; e++) {
    int64_t m = pcf_breakpoints(wanted->x, function[e]);
    worker->all[e] = run_between(wanted->x, function[e], 0, m, block->from, block->to);
  }
  enum pcf_status status = note_changes(levels, block, count, worker, error);
  for (int64_t q = 0; !status && q < wanted->probs; q++) {
    status = find_quantile(levels, b, q, count, worker, error);
  }
  return status;
}

/* ---- Blocks end to end ---- */

/* The left limit at the start of a block is the value to which the one before leads. If the
 * quantile goes on there, the point is left out. */
static void join_blocks(struct levels *levels) {
  int64_t probs = levels->wanted->probs;
  for (int64_t b = 1; b < levels->blocks; b++) {
    const struct block *block = &levels->block[b];
    if (block->first) continue;
    int64_t own = b - levels->row_blocks[block->row];
    for (int64_t q = 0; q < probs; q++) {
      const struct piece *before = &levels->joint[(b - 1) * probs + q].last;
      const struct piece *after = &levels->joint[b * probs + q].first;
      struct pcf_line_point *point = levels->curves->block[b * probs + q];
      struct pcf_stretch *stretch =
        &levels->curves->stretch[levels->curves->starts[block->row * probs + q] + own];
      point[0].left = before->to;
      if (!goes_on(before, after)) continue;
      *stretch = (struct pcf_stretch){.point = (const struct pcf_point *)(point + 1),
                                      .count = stretch->count - 1};
    }
  }
}
