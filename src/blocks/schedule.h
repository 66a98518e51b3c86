/* The schedule: the output matrix divided into blocks. */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* What is compared, from the perspective of the engine: `count` items, of which item i takes
 * offsets[i + 1] - offsets[i] units of work a pair. Only its family knows what an item is. */
struct pcf_items {
  int64_t count;
  const int64_t *offsets; /* count + 1 cumulative sums, from 0 */
};

enum pcf_mode {
  PCF_FULL,                   /* all pairs of rows and columns */
  PCF_LOWER_WITHOUT_DIAGONAL, /* pairs i > j of the rows: distances */
  PCF_LOWER_WITH_DIAGONAL,    /* pairs i >= j of the rows: kernels */
  PCF_PAIRED,                 /* pair k of rows[k mod count] and columns[k mod count] */
};

/* A rectangle of the output: rows row … row + rows - 1, likewise columns. */
struct pcf_rectangle {
  int64_t row, rows, column, columns;
};

/* One pair of a rectangle. */
struct pcf_pair_position {
  int32_t row, column;
};

/* A rectangle that is computed at once. It may be cut further into parts, which are then blocks
 * of their own with the same `slot`; `first` is the number of its first part among those of all
 * rectangles. In paired mode a block is one pair of a row and a column item, and `slot` is the
 * number of the pair. */
struct pcf_block {
  union {
    struct {
      int64_t row, rows, column, columns; /* as in the rectangle */
    };
    struct pcf_rectangle rectangle;
  };
  double work; /* in units of the items, at most */
  int64_t slot, first;
  int part, parts;
  int owner; /* 1 + the number of the worker that takes it before others do, or 0 */
};

struct pcf_schedule {
  int64_t count;
  struct pcf_block *block;
  double work;   /* of all blocks */
  int64_t slots; /* rectangles that are cut into parts; 0 where none is */
  int64_t side;  /* no block has more rows or columns; 0 for parts */
  int64_t tile;  /* blocks are only cut at multiples of it, from their first row or column */
  int64_t least_side; /* blocks may be cut down to this side; 0: not at all */
  int owners;         /* workers that own blocks: their blocks are together, in their order */
};

/* What limits the side of a block. */
struct pcf_block_limits {
  int64_t max_output_elements; /* scalars in the memory of the device for outputs */
  int64_t splits_hint;         /* the number of blocks into which to divide that memory */
  int64_t min_block_side;      /* smaller blocks do not keep the device busy */
};

/* The scalars of `scalar` bytes that a device with so much free memory has for outputs:
 * ⌊0.8 · free_bytes / 2 / scalar⌋, since the other half is for items. */
int64_t pcf_max_output_elements(double free_bytes, size_t scalar);

/* The side of a block whose pairs keep half the threads of a GPU busy, with a thread for each
 * pair: ⌊√(multiprocessors · 1024)⌋. */
int64_t pcf_min_block_side(int multiprocessors);

/* ⌊√(max_output_elements / splits_hint)⌋, raised to at least min_block_side, but not past
 * ⌊√max_output_elements⌋, and to 1; capped at the larger dimension of the matrix. */
int64_t pcf_block_side(const struct pcf_block_limits *limits, int64_t rows, int64_t columns);

/* Half of `side`, rounded up to whole tiles and not below least_side; 0 when that is not less
 * than `side` or when least_side is 0. */
int64_t pcf_halved_side(int64_t side, int64_t tile, int64_t least_side);

/* The number of bands when 0 … n - 1 is cut into bands of `side`, the last taking the rest. */
int64_t pcf_band_count(int64_t n, int64_t side);

/* The number of pairs of a rectangle that the mode includes, and the total number that it
 * includes (`pairs`: in the paired mode). */
int64_t pcf_rectangle_pairs(const struct pcf_rectangle *rectangle, enum pcf_mode mode);
int64_t pcf_mode_pairs(enum pcf_mode mode, int64_t rows, int64_t columns, int64_t pairs);

/* Cuts the matrix of rows and columns into blocks of at most so many rows and columns, the
 * largest work first. Every pair that the mode asks for lies in exactly one block. The blocks
 * cannot be cut again until the caller sets `tile` and `least_side`. Not for the paired mode.
 * Free with pcf_schedule_free(). */
enum pcf_status pcf_schedule_rectangles(struct pcf_schedule *schedule, enum pcf_mode mode,
                                        const struct pcf_items *rows,
                                        const struct pcf_items *columns, int64_t most_rows,
                                        int64_t most_columns, struct pcf_error *error);

/* The same, with every block of a `side` cut into parts(context, block) parts. In paired mode
 * that is 1, and there are `pairs` blocks. */
typedef int pcf_part_rule(const void *context, const struct pcf_block *block);
enum pcf_status pcf_schedule_parts(struct pcf_schedule *schedule, enum pcf_mode mode,
                                   const struct pcf_items *rows,
                                   const struct pcf_items *columns, int64_t side, int64_t pairs,
                                   pcf_part_rule *parts, const void *context,
                                   struct pcf_error *error);

/* Halves the side, as pcf_halved_side() has it, until it is less than the longest side of any
 * block; drops the blocks b with done[b] != 0, and cuts those of the others that are larger,
 * each into up to four. What lies wholly above the diagonal is dropped, and the largest work
 * comes first again. The blocks nest in those before. Not for schedules with parts.
 *
 * Fails with PCF_ERROR_DEVICE_MEMORY, leaving `error` and the schedule alone, when the side
 * cannot be halved, and with PCF_ERROR_MEMORY. */
enum pcf_status pcf_schedule_halve(struct pcf_schedule *schedule, const unsigned char *done,
                                   enum pcf_mode mode, const struct pcf_items *rows,
                                   const struct pcf_items *columns, struct pcf_error *error);

/* Does a sink have all pairs of a block from before? */
struct pcf_sink;
typedef int pcf_block_rule(const struct pcf_sink *sink, const struct pcf_block *block);

/* Keeps only the part within a rectangle, which consists of whole tiles, and of this only the
 * blocks that the sink does not have (NULL: all). Returns the number of pairs of the mode that
 * are left out. */
int64_t pcf_schedule_keep(struct pcf_schedule *schedule, enum pcf_mode mode,
                          const struct pcf_rectangle *only, pcf_block_rule *has,
                          const struct pcf_sink *sink, const struct pcf_items *rows,
                          const struct pcf_items *columns);

/* The shape of blocks with about as many pairs as a square of `side`, which is whole tiles, but
 * `tall` times as tall and that much narrower, as far as whole tiles allow. */
void pcf_schedule_tall_shape(int64_t side, int64_t tall, int64_t tile, int64_t *rows,
                             int64_t *columns);

/* Puts blocks into an order: first those with the most work, as they are made, those of the
 * first columns, or those near the diagonal (for a full matrix, those of the first columns).
 * The last one is for sinks that select few pairs: those found in the first blocks rule out
 * most others. */
enum pcf_block_order { PCF_LARGEST_FIRST, PCF_FIRST_COLUMNS_FIRST, PCF_NEAR_FIRST };
enum pcf_status pcf_schedule_order(struct pcf_schedule *schedule, enum pcf_block_order order,
                                   enum pcf_mode mode, struct pcf_error *error);

/* Cuts the `items` of a triangle into a part for each worker, which owns the blocks of pairs
 * within its part; those of two parts are anybody's and come last. Otherwise blocks keep their
 * order. */
enum pcf_status pcf_schedule_own(struct pcf_schedule *schedule, int workers, int64_t items,
                                 struct pcf_error *error);

void pcf_schedule_free(struct pcf_schedule *schedule);
