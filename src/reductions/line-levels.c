#include "reductions/line-levels.h"

#include "base/memory.h"
#include "base/quantiles.h"
#include "base/scalar.h"
#include "base/threads.h"
#include "reductions/level-points.h"
#include "reductions/level-search.h"

#include <math.h>

/* Time is cut into blocks that have a few times as many breakpoints as functions, for all
 * threads. Where they lie depends neither on the number of threads nor on the order of the
 * functions, and so do not the results. */
int64_t pcf_line_levels_part = 1 << 13;

enum { PART_PER_FUNCTION = 8, SAMPLES_PER_BLOCK = 32 };

struct block {
  int64_t row;
  double from, to;
  int first, last; /* of its row? */
};

/* What joins the pieces of one block to those of the next. */
struct joint {
  struct pcf_level_piece first, last;
};

/* The memory of one thread. */
struct worker {
  struct pcf_level_search search;
  struct pcf_level_points points;
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
  for (int k = 0; levels.worker && k < threads; k++) {
    pcf_level_search_free(&levels.worker[k].search);
    pcf_level_points_free(&levels.worker[k].points);
  }
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

/* ---- Quantiles in a block ---- */

static struct pcf_stretch *stretch_of(const struct levels *levels, int64_t b, int64_t q) {
  int64_t r = levels->block[b].row;
  int64_t start = levels->curves->starts[r * levels->wanted->probs + q];
  return &levels->curves->stretch[start + b - levels->row_blocks[r]];
}

/* Sets the ends of a row, where its functions are constant. */
static int64_t write_ends(const struct levels *levels, int64_t b, int64_t q,
                          struct pcf_level_search *search, struct pcf_line_point *point,
                          int64_t points) {
  const struct pcf_rows *rows = levels->wanted->rows;
  const struct block *block = &levels->block[b];
  const int64_t *function = rows->function + rows->starts[block->row];
  double end[2], prob = levels->wanted->prob[q];
  for (int after = 0; after < 2; after++) {
    end[after] = pcf_level_of_constants(search->x, function, search->functions,
                                        rows->observed_only, prob, after, search->number);
  }
  double before = points > 0 ? levels->joint[b * levels->wanted->probs + q].last.to : end[0];
  if (block->first && points > 0) point[0].left = end[0];
  if (block->last) point[points++] = (struct pcf_line_point){block->to, before, end[1]};
  return points;
}

/* One quantile of the functions that the search of a thread is ready for. */
static enum pcf_status find_quantile(struct levels *levels, int64_t b, int64_t q,
                                     struct worker *worker, struct pcf_error *error) {
  const struct pcf_line_levels *wanted = levels->wanted;
  const struct block *block = &levels->block[b];
  struct pcf_level_search *search = &worker->search;
  enum pcf_status status = pcf_level_search_find(search, wanted->prob[q], error);
  if (status) return status;
  int64_t points = 0;
  struct pcf_line_point *point = pcf_level_points(&worker->points, search, &points, error);
  if (!point) return PCF_ERROR_MEMORY;
  levels->curves->block[b * wanted->probs + q] = point;
  if (search->pieces > 0) {
    const struct pcf_level_piece *piece = search->piece;
    levels->joint[b * wanted->probs + q] = (struct joint){piece[0], piece[search->pieces - 1]};
  }
  if (block->first || block->last) points = write_ends(levels, b, q, search, point, points);
  *stretch_of(levels, b, q) =
    (struct pcf_stretch){.point = (const struct pcf_point *)point, .count = points};
  return PCF_OK;
}

static const struct pcf_line_point zero_function = {0, 0, 0};

static enum pcf_status find_in_block(void *context, int thread, int64_t b,
                                     struct pcf_error *error) {
  struct levels *levels = context;
  const struct pcf_line_levels *wanted = levels->wanted;
  const struct block *block = &levels->block[b];
  const int64_t *starts = wanted->rows->starts + block->row;
  struct worker *worker = &levels->worker[thread];
  int64_t count = starts[1] - starts[0];
  for (int64_t q = 0; count == 0 && q < wanted->probs; q++) {
    *stretch_of(levels, b, q) =
      (struct pcf_stretch){.point = (const struct pcf_point *)&zero_function, .count = 1};
  }
  if (count == 0) return PCF_OK;
  enum pcf_status status =
    pcf_level_search_begin(&worker->search, wanted->x, wanted->rows->function + starts[0],
                           count, wanted->rows->observed_only, block->from, block->to, error);
  for (int64_t q = 0; !status && q < wanted->probs; q++) {
    status = find_quantile(levels, b, q, worker, error);
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
    for (int64_t q = 0; q < probs; q++) {
      const struct pcf_level_piece *before = &levels->joint[(b - 1) * probs + q].last;
      const struct pcf_level_piece *after = &levels->joint[b * probs + q].first;
      struct pcf_line_point *point = levels->curves->block[b * probs + q];
      struct pcf_stretch *stretch = stretch_of(levels, b, q);
      point[0].left = before->to;
      if (!pcf_level_goes_on(before, after)) continue;
      *stretch = (struct pcf_stretch){.point = (const struct pcf_point *)(point + 1),
                                      .count = stretch->count - 1};
    }
  }
}
