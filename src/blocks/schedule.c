#include "blocks/schedule.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static double block_work(const struct pcf_block *block, enum pcf_mode mode,
                         const struct pcf_collection *x, const struct pcf_collection *y);
static int by_work(const void *a, const void *b);
static int wanted(enum pcf_mode mode, int64_t row, int64_t column);
static int reaches_lower_triangle(const struct pcf_block *block);

int64_t pcf_max_output_elements(double free_bytes, size_t scalar) {
  return (int64_t)floor(0.8 * free_bytes / 2 / (double)scalar);
}

int64_t pcf_min_block_side(int multiprocessors) {
  return (int64_t)floor(sqrt(1024.0 * multiprocessors));
}

int64_t pcf_block_side(const struct pcf_block_limits *limits, int64_t rows, int64_t columns) {
  double elements = (double)limits->max_output_elements;
  int64_t side = (int64_t)floor(sqrt(elements / (double)limits->splits_hint));
  int64_t most = (int64_t)floor(sqrt(elements));
  side = larger(side, smaller(limits->min_block_side, most));
  return larger(smaller(side, larger(rows, columns)), 1);
}

static int64_t whole_tiles(int64_t side, int64_t tile) {
  return pcf_band_count(side, tile) * tile;
}

int64_t pcf_halved_side(int64_t side, int64_t tile, int64_t least_side) {
  if (least_side <= 0 || tile <= 0) return 0;
  int64_t half = larger(whole_tiles(side - side / 2, tile), whole_tiles(least_side, tile));
  return half < side ? half : 0;
}

int64_t pcf_band_count(int64_t n, int64_t side) {
  return n / side + (n % side != 0);
}

static enum pcf_status sort_and_sum(struct pcf_schedule *schedule) {
  qsort(schedule->block, (size_t)schedule->count, sizeof *schedule->block, by_work);
  for (int64_t b = 0; b < schedule->count; b++) schedule->work += schedule->block[b].work;
  return PCF_OK;
}

enum pcf_status pcf_schedule_blocks(struct pcf_schedule *schedule, enum pcf_mode mode,
                                    const struct pcf_collection *x,
                                    const struct pcf_collection *y, int64_t side,
                                    struct pcf_error *error) {
  const struct pcf_collection *columns = y ? y : x;
  int64_t row_bands = pcf_band_count(x->count, side);
  int64_t column_bands = pcf_band_count(columns->count, side);
  *schedule = (struct pcf_schedule){.side = side};
  schedule->block =
    pcf_allocate((size_t)row_bands * (size_t)column_bands, sizeof *schedule->block, error);
  if (!schedule->block) return PCF_ERROR_MEMORY;
  for (int64_t i = 0; i < row_bands; i++) {
    for (int64_t j = 0; j < column_bands; j++) {
      struct pcf_block block = {.row = i * side, .column = j * side, .parts = 1};
      block.rows = smaller(side, x->count - block.row);
      block.columns = smaller(side, columns->count - block.column);
      if (mode != PCF_FULL && !reaches_lower_triangle(&block)) continue;
      block.work = block_work(&block, mode, x, columns);
      schedule->block[schedule->count++] = block;
    }
  }
  return sort_and_sum(schedule);
}

/* One pass to count the blocks, one to write them. */
enum pcf_status pcf_schedule_parts(struct pcf_schedule *schedule, enum pcf_mode mode,
                                   const struct pcf_collection *x,
                                   const struct pcf_collection *y, int64_t pairs,
                                   pcf_part_count *parts, const void *context,
                                   struct pcf_error *error) {
  const struct pcf_collection *columns = y ? y : x;
  *schedule = (struct pcf_schedule){0};
  int64_t outer = mode == PCF_PAIRED ? pairs : x->count;
  int64_t inner = mode == PCF_PAIRED ? 1 : columns->count;
  for (int pass = 0; pass < 2; pass++) {
    int64_t count = 0, slot = 0;
    for (int64_t i = 0; i < outer; i++) {
      for (int64_t j = 0; j < inner; j++) {
        if (!wanted(mode, i, j)) continue;
        struct pcf_block block = {.row = i, .column = j, .rows = 1, .columns = 1};
        if (mode == PCF_PAIRED) {
          block.row = i % x->count;
          block.column = i % columns->count;
        }
        block.parts = parts(context, block.row, block.column);
        block.slot = slot++;
        block.work =
          (double)(pcf_breakpoints(x, block.row) + pcf_breakpoints(columns, block.column)) /
          block.parts;
        for (block.part = 0; block.part < block.parts; block.part++, count++) {
          if (pass) schedule->block[count] = block;
        }
      }
    }
    schedule->count = count;
    schedule->slots = slot;
    if (pass) break;
    schedule->block = pcf_allocate((size_t)count, sizeof *schedule->block, error);
    if (!schedule->block) return PCF_ERROR_MEMORY;
  }
  return sort_and_sum(schedule);
}

/* Cuts a block into pieces of `side` and appends those that the mode wants. */
static void append_pieces(struct pcf_schedule *schedule, const struct pcf_block *whole,
                          int64_t side, enum pcf_mode mode, const struct pcf_collection *x,
                          const struct pcf_collection *columns) {
  for (int64_t i = 0; i < whole->rows; i += side) {
    for (int64_t j = 0; j < whole->columns; j += side) {
      struct pcf_block block = *whole;
      block.row += i;
      block.column += j;
      block.rows = smaller(side, whole->rows - i);
      block.columns = smaller(side, whole->columns - j);
      if (mode != PCF_FULL && !reaches_lower_triangle(&block)) continue;
      block.work = block_work(&block, mode, x, columns);
      schedule->block[schedule->count++] = block;
    }
  }
}

/* The schedule's side, halved until it is less than the longest side of a block; 0 if that is
 * not possible. */
static int64_t next_side(const struct pcf_schedule *schedule) {
  int64_t extent = 0, side = schedule->side;
  for (int64_t b = 0; b < schedule->count; b++) {
    extent = larger(extent, larger(schedule->block[b].rows, schedule->block[b].columns));
  }
  do {
    side = pcf_halved_side(side, schedule->tile, schedule->least_side);
  } while (side >= extent && side > 0);
  return side;
}

enum pcf_status pcf_schedule_halve(struct pcf_schedule *schedule, const unsigned char *done,
                                   enum pcf_mode mode, const struct pcf_collection *x,
                                   const struct pcf_collection *y, struct pcf_error *error) {
  int64_t side = next_side(schedule), missing = 0;
  if (!side) return PCF_ERROR_DEVICE_MEMORY;
  for (int64_t b = 0; b < schedule->count; b++) missing += !done[b];
  struct pcf_schedule cut = *schedule;
  cut.block = pcf_allocate(4 * (size_t)missing, sizeof *cut.block, error);
  if (!cut.block) return PCF_ERROR_MEMORY;
  cut.count = 0;
  cut.work = 0;
  cut.side = side;
  for (int64_t b = 0; b < schedule->count; b++) {
    if (!done[b]) append_pieces(&cut, &schedule->block[b], side, mode, x, y ? y : x);
  }
  pcf_free(schedule->block);
  *schedule = cut;
  return sort_and_sum(schedule);
}

void pcf_schedule_free(struct pcf_schedule *schedule) {
  pcf_free(schedule->block);
  *schedule = (struct pcf_schedule){0};
}

static int wanted(enum pcf_mode mode, int64_t row, int64_t column) {
  if (mode == PCF_LOWER_WITHOUT_DIAGONAL) return row > column;
  if (mode == PCF_LOWER_WITH_DIAGONAL) return row >= column;
  return 1;
}

/* Is anything of the block on or below the diagonal? */
static int reaches_lower_triangle(const struct pcf_block *block) {
  return block->column <= block->row + block->rows - 1;
}

/* A pair costs the breakpoints of both functions. A block on the diagonal has half its pairs.
 */
static double block_work(const struct pcf_block *block, enum pcf_mode mode,
                         const struct pcf_collection *x, const struct pcf_collection *y) {
  double rows = (double)(x->offsets[block->row + block->rows] - x->offsets[block->row]);
  double columns =
    (double)(y->offsets[block->column + block->columns] - y->offsets[block->column]);
  double work = rows * (double)block->columns + columns * (double)block->rows;
  return mode != PCF_FULL && block->row == block->column ? work / 2 : work;
}

/* Largest first; ties in the order of the matrix, so that the schedule is always the same. */
static int by_work(const void *a, const void *b) {
  const struct pcf_block *first = a, *second = b;
  if (first->work != second->work) return first->work > second->work ? -1 : 1;
  if (first->slot != second->slot) return first->slot < second->slot ? -1 : 1;
  if (first->part != second->part) return first->part < second->part ? -1 : 1;
  if (first->column != second->column) return first->column < second->column ? -1 : 1;
  return (first->row > second->row) - (first->row < second->row);
}
