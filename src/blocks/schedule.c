#include "blocks/schedule.h"

#include "base/bits.h"
#include "base/memory.h"
#include "base/scalar.h"

#include <math.h>

static double block_work(const struct pcf_block *block, enum pcf_mode mode,
                         const struct pcf_items *rows, const struct pcf_items *columns);
static uint64_t largest_first(const struct pcf_block *block);
static enum pcf_status sort_blocks(struct pcf_schedule *schedule,
                                   uint64_t (*key)(const struct pcf_block *block),
                                   struct pcf_error *error);
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
  side = pcf_larger(side, pcf_smaller(limits->min_block_side, most));
  return pcf_larger(pcf_smaller(side, pcf_larger(rows, columns)), 1);
}

static int64_t whole_tiles(int64_t side, int64_t tile) {
  return pcf_band_count(side, tile) * tile;
}

int64_t pcf_halved_side(int64_t side, int64_t tile, int64_t least_side) {
  if (least_side <= 0 || tile <= 0) return 0;
  int64_t half = pcf_larger(whole_tiles(side - side / 2, tile), whole_tiles(least_side, tile));
  return half < side ? half : 0;
}

int64_t pcf_band_count(int64_t n, int64_t side) {
  return n / side + (n % side != 0);
}

void pcf_schedule_tall_shape(int64_t side, int64_t tall, int64_t tile, int64_t *rows,
                             int64_t *columns) {
  *columns = whole_tiles(pcf_larger(side / tall, 1), tile);
  *rows = side / *columns * side;
}

static enum pcf_status sort_and_sum(struct pcf_schedule *schedule, struct pcf_error *error) {
  enum pcf_status status = sort_blocks(schedule, largest_first, error);
  for (int64_t b = 0; b < schedule->count; b++) schedule->work += schedule->block[b].work;
  return status;
}

/* ---- Pairs ---- */

int64_t pcf_rectangle_pairs(const struct pcf_rectangle *rectangle, enum pcf_mode mode) {
  int64_t row = rectangle->row, rows = rectangle->rows, pairs = 0;
  if (mode == PCF_FULL || mode == PCF_PAIRED) return rows * rectangle->columns;
  for (int64_t j = rectangle->column; j < rectangle->column + rectangle->columns; j++) {
    int64_t first = mode == PCF_LOWER_WITH_DIAGONAL ? j : j + 1;
    pairs += pcf_larger(row + rows - pcf_larger(first, row), 0);
  }
  return pairs;
}

int64_t pcf_mode_pairs(enum pcf_mode mode, int64_t rows, int64_t columns, int64_t pairs) {
  struct pcf_rectangle all = {0, rows, 0, columns};
  return mode == PCF_PAIRED ? pairs : pcf_rectangle_pairs(&all, mode);
}

/* ---- Cutting ---- */

/* How many rows and columns a block has, if it is not one of the last. */
struct shape {
  int64_t rows, columns;
};

/* Cuts a block into pieces and appends those that the mode wants, column by column. */
static void append_pieces(struct pcf_schedule *schedule, const struct pcf_block *whole,
                          struct shape shape, enum pcf_mode mode, const struct pcf_items *rows,
                          const struct pcf_items *columns) {
  for (int64_t j = 0; j < whole->columns; j += shape.columns) {
    for (int64_t i = 0; i < whole->rows; i += shape.rows) {
      struct pcf_block block = *whole;
      block.owner = 0;
      block.row += i;
      block.column += j;
      block.rows = pcf_smaller(shape.rows, whole->rows - i);
      block.columns = pcf_smaller(shape.columns, whole->columns - j);
      if (mode != PCF_FULL && !reaches_lower_triangle(&block)) continue;
      block.work = block_work(&block, mode, rows, columns);
      schedule->block[schedule->count++] = block;
    }
  }
}

enum pcf_status pcf_schedule_rectangles(struct pcf_schedule *schedule, enum pcf_mode mode,
                                        const struct pcf_items *rows,
                                        const struct pcf_items *columns, int64_t most_rows,
                                        int64_t most_columns, struct pcf_error *error) {
  int64_t row_bands = pcf_band_count(rows->count, most_rows);
  int64_t column_bands = pcf_band_count(columns->count, most_columns);
  struct shape shape = {most_rows, most_columns};
  *schedule = (struct pcf_schedule){.side = pcf_larger(most_rows, most_columns)};
  schedule->block =
    pcf_allocate((size_t)row_bands * (size_t)column_bands, sizeof *schedule->block, error);
  if (!schedule->block) return PCF_ERROR_MEMORY;
  struct pcf_block whole = {.rows = rows->count, .columns = columns->count, .parts = 1};
  append_pieces(schedule, &whole, shape, mode, rows, columns);
  return sort_and_sum(schedule, error);
}

/* Rectangle number k of a `side`, row by row, or pair number k. */
static struct pcf_block block_at(int64_t k, enum pcf_mode mode, int64_t side,
                                 const struct pcf_items *rows,
                                 const struct pcf_items *columns) {
  int64_t across = pcf_band_count(columns->count, side);
  int64_t row = k / across * side, column = k % across * side;
  if (mode == PCF_PAIRED) row = k % rows->count, column = k % columns->count;
  return (struct pcf_block){.row = row,
                            .column = column,
                            .rows = pcf_smaller(side, rows->count - row),
                            .columns = pcf_smaller(side, columns->count - column)};
}

enum pcf_status pcf_schedule_parts(struct pcf_schedule *schedule, enum pcf_mode mode,
                                   const struct pcf_items *rows,
                                   const struct pcf_items *columns, int64_t side, int64_t pairs,
                                   pcf_part_rule *parts, const void *context,
                                   struct pcf_error *error) {
  int64_t most = pcf_band_count(rows->count, side) * pcf_band_count(columns->count, side);
  if (mode == PCF_PAIRED) most = pairs, side = 1;
  *schedule = (struct pcf_schedule){0};
  struct pcf_block *whole = pcf_allocate((size_t)most, sizeof *whole, error);
  if (!whole) return PCF_ERROR_MEMORY;
  for (int64_t k = 0; k < most; k++) {
    struct pcf_block block = block_at(k, mode, side, rows, columns);
    if (pcf_rectangle_pairs(&block.rectangle, mode) == 0) continue;
    block.parts = parts(context, &block);
    block.work = block_work(&block, mode, rows, columns) / block.parts;
    block.slot = schedule->slots++;
    block.first = schedule->count;
    schedule->count += block.parts;
    whole[block.slot] = block;
  }
  schedule->block = pcf_allocate((size_t)schedule->count, sizeof *schedule->block, error);
  struct pcf_block *to = schedule->block;
  for (int64_t s = 0; to && s < schedule->slots; s++) {
    for (; whole[s].part < whole[s].parts; whole[s].part++) *to++ = whole[s];
  }
  pcf_free(whole);
  return schedule->block ? sort_and_sum(schedule, error) : PCF_ERROR_MEMORY;
}

/* The schedule's side, halved until it is less than the longest side of a block; 0 if that is
 * not possible. */
static int64_t next_side(const struct pcf_schedule *schedule) {
  int64_t extent = 0, side = schedule->side;
  for (int64_t b = 0; b < schedule->count; b++) {
    extent =
      pcf_larger(extent, pcf_larger(schedule->block[b].rows, schedule->block[b].columns));
  }
  do {
    side = pcf_halved_side(side, schedule->tile, schedule->least_side);
  } while (side >= extent && side > 0);
  return side;
}

enum pcf_status pcf_schedule_halve(struct pcf_schedule *schedule, const unsigned char *done,
                                   enum pcf_mode mode, const struct pcf_items *rows,
                                   const struct pcf_items *columns, struct pcf_error *error) {
  int64_t side = next_side(schedule), missing = 0;
  if (!side) return PCF_ERROR_DEVICE_MEMORY;
  for (int64_t b = 0; b < schedule->count; b++) missing += !done[b];
  struct pcf_schedule cut = *schedule;
  cut.block = pcf_allocate(4 * (size_t)missing, sizeof *cut.block, error);
  if (!cut.block) return PCF_ERROR_MEMORY;
  cut.count = 0;
  cut.work = 0;
  cut.owners = 0;
  cut.side = side;
  for (int64_t b = 0; b < schedule->count; b++) {
    if (done[b]) continue;
    append_pieces(&cut, &schedule->block[b], (struct shape){side, side}, mode, rows, columns);
  }
  pcf_free(schedule->block);
  *schedule = cut;
  return sort_and_sum(schedule, error);
}

/* Cuts *first and *count down to what lies in from … from + most - 1. */
static void cut_down(int64_t *first, int64_t *count, int64_t from, int64_t most) {
  int64_t end = pcf_smaller(*first + *count, from + most);
  *first = pcf_larger(*first, from);
  *count = pcf_larger(end - *first, 0);
}

int64_t pcf_schedule_keep(struct pcf_schedule *schedule, enum pcf_mode mode,
                          const struct pcf_rectangle *only, pcf_block_rule *has,
                          const struct pcf_sink *sink, const struct pcf_items *rows,
                          const struct pcf_items *columns) {
  int64_t kept = 0, left_out = 0;
  schedule->work = 0;
  for (int64_t b = 0; b < schedule->count; b++) {
    struct pcf_block inside = schedule->block[b];
    int64_t all = pcf_rectangle_pairs(&inside.rectangle, mode);
    cut_down(&inside.row, &inside.rows, only->row, only->rows);
    cut_down(&inside.column, &inside.columns, only->column, only->columns);
    int64_t pairs = pcf_rectangle_pairs(&inside.rectangle, mode);
    if (pairs && has && has(sink, &inside)) pairs = 0;
    if (inside.part == 0) left_out += all - pairs;
    if (!pairs) continue;
    inside.work = block_work(&inside, mode, rows, columns) / inside.parts;
    schedule->work += inside.work;
    schedule->block[kept++] = inside;
  }
  schedule->count = kept;
  return left_out;
}

void pcf_schedule_free(struct pcf_schedule *schedule) {
  pcf_free(schedule->block);
  *schedule = (struct pcf_schedule){0};
}

/* Is anything of the block on or below the diagonal? */
static int reaches_lower_triangle(const struct pcf_block *block) {
  return block->column <= block->row + block->rows - 1;
}

/* A pair costs the units of both items. A block on the diagonal has half its pairs. */
static double block_work(const struct pcf_block *block, enum pcf_mode mode,
                         const struct pcf_items *rows, const struct pcf_items *columns) {
  const int64_t *of_rows = rows->offsets + block->row;
  const int64_t *of_columns = columns->offsets + block->column;
  double row_units = (double)(of_rows[block->rows] - of_rows[0]);
  double column_units = (double)(of_columns[block->columns] - of_columns[0]);
  double work = row_units * (double)block->columns + column_units * (double)block->rows;
  int halved = mode != PCF_FULL && mode != PCF_PAIRED && block->row == block->column;
  return halved ? work / 2 : work;
}

/* ---- Order ---- */

/* Blocks of smaller keys come first; those of equal ones keep their order. */
struct rank {
  uint64_t key;
  const struct pcf_block *block;
};

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

static void sort_by_digit(const struct rank *from, struct rank *to, size_t count, int shift) {
  size_t first[DIGITS + 1] = {0};
  for (size_t b = 0; b < count; b++) first[(from[b].key >> shift) % DIGITS + 1]++;
  for (int digit = 0; digit < DIGITS; digit++) first[digit + 1] += first[digit];
  for (size_t b = 0; b < count; b++) to[first[(from[b].key >> shift) % DIGITS]++] = from[b];
}

/* Digit by digit from the last, without those that all keys share; returns where the ranks are
 * then. */
static const struct rank *sort_ranks(struct rank *rank, struct rank *spare, size_t count) {
  uint64_t differ = 0;
  for (size_t b = 0; b < count; b++) differ |= rank[b].key ^ rank[0].key;
  for (int shift = 0; shift < 64; shift += DIGIT_BITS) {
    if ((differ >> shift) % DIGITS == 0) continue;
    sort_by_digit(rank, spare, count, shift);
    struct rank *swap = rank;
    rank = spare;
    spare = swap;
  }
  return rank;
}

/* The blocks themselves are moved once. */
static enum pcf_status sort_blocks(struct pcf_schedule *schedule,
                                   uint64_t (*key)(const struct pcf_block *block),
                                   struct pcf_error *error) {
  size_t count = (size_t)schedule->count;
  struct rank *rank = pcf_allocate(count, 2 * sizeof *rank, error);
  struct pcf_block *sorted = rank ? pcf_allocate(count, sizeof *sorted, error) : NULL;
  if (sorted) {
    for (size_t b = 0; b < count; b++) {
      rank[b] = (struct rank){key(&schedule->block[b]), &schedule->block[b]};
    }
    const struct rank *last = sort_ranks(rank, rank + count, count);
    for (size_t b = 0; b < count; b++) sorted[b] = *last[b].block;
    pcf_free(schedule->block);
    schedule->block = sorted;
  }
  pcf_free(rank);
  return sorted ? PCF_OK : PCF_ERROR_MEMORY;
}

/* Work is not negative, so that its bits are in its order. */
static uint64_t largest_first(const struct pcf_block *block) {
  return ~pcf_bits_of_double(block->work);
}

static uint64_t first_columns_first(const struct pcf_block *block) {
  return (uint64_t)block->column;
}

/* The distance from the diagonal, made positive. */
static uint64_t near_first(const struct pcf_block *block) {
  return (uint64_t)(block->row - block->column) + ((uint64_t)1 << 62);
}

/* Blocks as far away, or of as much work, stay in the order they were in: the largest first,
 * and those in the order of the matrix, so that the schedule is always the same. */
enum pcf_status pcf_schedule_order(struct pcf_schedule *schedule, enum pcf_block_order order,
                                   enum pcf_mode mode, struct pcf_error *error) {
  int near = order == PCF_NEAR_FIRST && mode != PCF_FULL;
  if (order == PCF_LARGEST_FIRST) return PCF_OK;
  return sort_blocks(schedule, near ? near_first : first_columns_first, error);
}

static uint64_t owned_first(const struct pcf_block *block) {
  return (unsigned)block->owner - 1;
}

enum pcf_status pcf_schedule_own(struct pcf_schedule *schedule, int workers, int64_t items,
                                 struct pcf_error *error) {
  int64_t bands = pcf_band_count(items, schedule->side);
  for (int64_t b = 0; b < schedule->count; b++) {
    struct pcf_block *block = &schedule->block[b];
    int64_t row = block->row / schedule->side * workers / bands;
    int64_t column = block->column / schedule->side * workers / bands;
    block->owner = row == column ? 1 + (int)row : 0;
  }
  schedule->owners = workers;
  return sort_blocks(schedule, owned_first, error);
}
