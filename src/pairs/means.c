#include "pairs/means.h"

#include "base/memory.h"
#include "pairs/lengths.h"
#include "pairs/pairs.h"

#include <math.h>

enum { WIDTH = PCF_OBSERVED_WIDTH };

/* A block in tiles: the pairs of a band of rows and one of columns. */
struct dividing {
  const struct pcf_task *task;
  const struct pcf_finished *finished;
  double *to;
};

/* ---- Columns ---- */

/* Divides the results of rows row … row + count - 1 and a column. Returns whether a length has
 * too few digits. */
static int divide(const struct pcf_pairs *pairs, const int64_t *lengths, int64_t count,
                  double *results) {
  const struct pcf_lengths *of = &pairs->lengths;
  double root = pcf_root(pairs->integral.operation, pairs->integral.p);
  int small = 0;
  if (root == 1 || root == 2) {
    const struct pcf_kernels *kernels = pcf_kernels_of(pairs->instructions);
    return kernels->divide(results, lengths, of->unit, of->least, count, (int)root);
  }
  for (int64_t k = 0; k < count; k++) {
    small |= lengths[k] < of->least;
    results[k] /= pow((double)lengths[k] * of->unit, 1 / root);
  }
  return small;
}

static double mean_of_pair(const struct pcf_pairs *pairs, int64_t row, int64_t column) {
  if (!pcf_overlaps_meet(&pairs->overlaps, row, column)) return pcf_missing();
  return pcf_overlaps_mean(&pairs->overlaps, row, column);
}

static void make_means(const struct dividing *dividing, int64_t row, int64_t count,
                       int64_t column, const int64_t *lengths) {
  const struct pcf_task *task = dividing->task;
  const struct pcf_pairs *pairs = task->problem;
  const struct pcf_finished *finished = dividing->finished;
  const struct pcf_block *block = finished->block;
  struct pcf_scale scale = task->scale;
  int64_t below = row - block->row, right = column - block->column;
  size_t from = (size_t)(below + finished->stride * right) * pcf_scalar_size(scale.precision);
  double *to = dividing->to + below + block->rows * right;
  scale.revise = NULL;
  pcf_scale_back(&scale, row, column, (const char *)finished->data + from, count, to);
  int small = divide(pairs, lengths, count, to);
  for (int64_t k = 0; small && k < count; k++) {
    if (lengths[k] < pairs->lengths.least) to[k] = mean_of_pair(pairs, row + k, column);
  }
  if (task->scale.revise) task->scale.revise(task->scale.context, to, row, count, column);
}

/* ---- Tiles ---- */

/* The first row, from `row` on, that the mode pairs with a column. */
static int64_t first_row(enum pcf_mode mode, int64_t row, int64_t column) {
  int64_t first = column + (mode == PCF_LOWER_WITHOUT_DIAGONAL);
  int lower = mode == PCF_LOWER_WITHOUT_DIAGONAL || mode == PCF_LOWER_WITH_DIAGONAL;
  return lower && row < first ? first : row;
}

/* Divides the pairs of a block in one band of rows and one of columns. */
static void make_tile(const struct dividing *dividing, const struct pcf_rectangle *tile,
                      struct pcf_overlap_lengths *lengths) {
  const struct pcf_pairs *pairs = dividing->task->problem;
  enum pcf_mode mode = dividing->task->mode;
  int64_t end = tile->row + tile->rows;
  if (first_row(mode, tile->row, tile->column) >= end) return;
  lengths->wanted =
    (struct pcf_rectangle){tile->row % WIDTH, tile->rows, tile->column % WIDTH, tile->columns};
  pcf_kernels_of(pairs->instructions)
    ->overlaps(pairs->lengths.rows + tile->row / WIDTH,
               pairs->lengths.columns + tile->column / WIDTH, lengths);
  for (int64_t j = tile->column; j < tile->column + tile->columns; j++) {
    int64_t row = first_row(mode, tile->row, j);
    const int64_t *sum = lengths->sum[j % WIDTH] + row % WIDTH;
    if (row < end) make_means(dividing, row, end - row, j, sum);
  }
}

/* Where the band of `first` ends, or the block, if that is earlier. */
static int64_t end_of_band(int64_t first, int64_t end) {
  int64_t next = (first / WIDTH + 1) * WIDTH;
  return next < end ? next : end;
}

/* The bands that a stretch of a block's rows or columns is in. */
static int64_t bands_of(int64_t first, int64_t count) {
  return pcf_band_count(first + count, WIDTH) - first / WIDTH;
}

/* The part of band number `index`, among those of a stretch, that is in the stretch. */
static void clip_band(int64_t index, int64_t first, int64_t count, int64_t *from,
                      int64_t *length) {
  int64_t begin = (first / WIDTH + index) * WIDTH;
  *from = begin > first ? begin : first;
  *length = end_of_band(*from, first + count) - *from;
}

/* Tile number `index`, column by column. */
static enum pcf_status make_tile_of(void *dividing_, int thread, int64_t index,
                                    struct pcf_error *error) {
  const struct dividing *dividing = dividing_;
  const struct pcf_block *block = dividing->finished->block;
  int64_t bands = bands_of(block->row, block->rows);
  struct pcf_rectangle tile;
  clip_band(index % bands, block->row, block->rows, &tile.row, &tile.rows);
  clip_band(index / bands, block->column, block->columns, &tile.column, &tile.columns);
  (void)thread;
  struct pcf_overlap_lengths *lengths = pcf_allocate(1, sizeof *lengths, error);
  if (!lengths) return PCF_ERROR_MEMORY;
  make_tile(dividing, &tile, lengths);
  pcf_free(lengths);
  return PCF_OK;
}

/* Divides the pairs of a small block one by one. */
static void make_few(const struct dividing *dividing) {
  const struct pcf_pairs *pairs = dividing->task->problem;
  const struct pcf_block *block = dividing->finished->block;
  for (int64_t j = block->column; j < block->column + block->columns; j++) {
    int64_t i = first_row(dividing->task->mode, block->row, j);
    for (; i < block->row + block->rows; i++) {
      int64_t length = pcf_length_of_pair(&pairs->lengths, i, j);
      make_means(dividing, i, 1, j, &length);
    }
  }
}

enum pcf_status pcf_means_of_block(const struct pcf_task *task,
                                   const struct pcf_finished *finished, double *to,
                                   struct pcf_team *team, struct pcf_error *error) {
  enum { FEW = 8 };
  const struct pcf_block *block = finished->block;
  struct dividing dividing = {task, finished, to};
  if (block->rows * block->columns <= FEW) {
    make_few(&dividing);
    return PCF_OK;
  }
  int64_t tiles = bands_of(block->row, block->rows) * bands_of(block->column, block->columns);
  return pcf_team_for(team, tiles, NULL, make_tile_of, &dividing, error);
}
