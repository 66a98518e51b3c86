/* Sinks: what receives finished blocks. */
#ifndef PCF_SINK_H
#define PCF_SINK_H

#include "base/scalar.h"
#include "base/threads.h"
#include "blocks/entry.h"
#include "blocks/schedule.h"

#include <math.h>

/* What becomes of the results of the pairs of items row … row + count - 1 with a column, where
 * that is not all in their numbers. */
typedef void pcf_revision(const void *context, double *results, int64_t row, int64_t count,
                          int64_t column);

/* How the numbers of a block become results: a number r of the pair (i, j), in that precision,
 * stands for r · factor · 2^(exponent + row_exponents[i] + column_exponents[j]), where the last
 * two may be NULL, and this for what revise() makes of it, unless that is NULL. */
struct pcf_scale {
  enum pcf_precision precision;
  double factor;
  int exponent;
  const int *row_exponents, *column_exponents;
  pcf_revision *revise;
  const void *context;
};

/* What the number of the pair (row, column) stands for, before it is revised. */
static inline double pcf_unscaled(const struct pcf_scale *scale, double number, int64_t row,
                                  int64_t column) {
  int exponent = scale->exponent;
  if (scale->row_exponents) exponent += scale->row_exponents[row];
  if (scale->column_exponents) exponent += scale->column_exponents[column];
  double result = number * scale->factor;
  return exponent ? ldexp(result, exponent) : result;
}

/* The same, revised. */
static inline double pcf_scaled_back(const struct pcf_scale *scale, double number, int64_t row,
                                     int64_t column) {
  double result = pcf_unscaled(scale, number, row, column);
  if (scale->revise) scale->revise(scale->context, &result, row, 1, column);
  return result;
}

/* The same for the numbers `from` of the pairs of items row … row + count - 1 with a column. */
void pcf_scale_back(const struct pcf_scale *scale, int64_t row, int64_t column,
                    const void *from, int64_t count, double *to);

/* What numbers are multiplied by, but for revising; 0 where that is not one normal number for
 * all pairs. */
double pcf_common_factor(const struct pcf_scale *scale);

/* Entry (i, j) of a finished block, relative to the block, is data[i + stride * j] in the
 * precision of the scale. What the mode does not ask for means nothing. Where `few` is set
 * there are no data: the block is `entries` numbers of pairs that the mode asks for, which are
 * all that the sink's limits let pass, and perhaps others. Their order may be another in every
 * run, and results must not depend on it. A NaN is the number of a pair that was left out.
 * When the device began to compute the block, had computed it, and had copied it to the host is
 * on the clock of pcf_seconds(); NaN for what it does not know. */
struct pcf_finished {
  const struct pcf_block *block;
  const void *data;
  int64_t stride;
  int few;
  const struct pcf_entry *entry;
  int64_t entries;
  int listed; /* has the device the block in its lists? Then there are no entries. */
  double begun, computed, copied;
};

/* What is wanted where that is the same for all items: of each row, and of each column where
 * items of one collection are compared, the pairs that come first by sign · number and then by
 * the other item, `each` of them. Pairs of one label are not wanted, unless that is NULL. */
struct pcf_wish {
  int sign; /* 1 or -1 */
  int64_t each;
  const int32_t *label;
};

/* Lists of such pairs, in that order: of items first … first + items - 1, number[i * each + k]
 * is sign · number, in the precision of the scale, and other[i * each + k] the other item, or
 * -1 where there are no more. NaN is not in a list. */
struct pcf_best {
  int64_t first, items, each;
  int sign;
  const void *number;
  const int32_t *other;
  int more; /* does the device have lists of other items, too? */
};

/* One pair of a rectangle. */
struct pcf_spot {
  int32_t row, column;
};

/* Which numbers of a block a sink may still want: number r of the pair (i, j), relative to the
 * block, if sign · r <= row[i] or sign · r <= column[j]. NaN is not wanted. */
struct pcf_limits {
  int sign; /* 1 or -1 */
  double *row, *column;
};

struct pcf_sink;

/* A kind of sink. Its functions may be NULL where there is nothing to do; where they can fail
 * they return PCF_OK or fill `error`, which ends the run. What begin() makes is freed by the
 * owner of the sink: a run that fails does not come to finish(). */
struct pcf_sink_type {
  const char *name;
  /* Before the first block; again, when nothing was consumed and another backend takes over.
   * `workers` is the most that will work at once. */
  enum pcf_status (*begin)(struct pcf_sink *sink, enum pcf_mode mode,
                           const struct pcf_scale *scale, int workers, struct pcf_error *error);
  /* A block, on the thread of worker number `worker`; several workers call it at once, and no
   * pair comes twice. `team` is NULL or threads that may share the work. */
  enum pcf_status (*consume)(struct pcf_sink *sink, int worker,
                             const struct pcf_finished *finished, struct pcf_team *team,
                             struct pcf_error *error);
  /* How many times as much work it is to consume a number as to write it somewhere. NULL: it is
   * about the same. */
  int64_t (*effort)(const struct pcf_sink *sink);
  /* When a worker has no more blocks: puts what it has gathered with the others'. One worker
   * at a time, in any order, and again if it gets blocks later. */
  enum pcf_status (*merge)(struct pcf_sink *sink, int worker, struct pcf_error *error);
  /* After all blocks, if nothing failed. */
  enum pcf_status (*finish)(struct pcf_sink *sink, struct pcf_error *error);
  /* Of a sink that wants only some of the pairs, which the blocks that it gets first tell best
   * where they are near the diagonal; NULL where it wants all. Fills the limits for a block,
   * with room for its rows and columns. Limits only fall, so that a device may use older ones.
   */
  void (*limits)(const struct pcf_sink *sink, const struct pcf_block *block,
                 struct pcf_limits *limits);
  /* Which pairs of a rectangle may not be left out? Lists up to `most` of them, and returns how
   * many there are, most + 1 if there are more. Called from any thread. NULL: none may. */
  int64_t (*find)(struct pcf_sink *sink, const struct pcf_rectangle *rectangle, int64_t most,
                  struct pcf_spot *spot);
  /* Has it all pairs of a block, from before the run? Such blocks are left out. NULL: none. */
  int (*has)(struct pcf_sink *sink, const struct pcf_block *block);
  /* It likes blocks of that side best, or of as many pairs in columns that are `tall` times as
   * tall, those of the first columns first; 0: it likes any. */
  int64_t side, tall;
  /* Of a selective sink: fills the wish that says all of what is wanted, in a run with that
   * scale, and returns 1; returns 0 where there is none. A device may then keep lists over all
   * of its blocks, and hand over these. NULL: there is none. */
  int (*wish)(const struct pcf_sink *sink, const struct pcf_scale *scale,
              struct pcf_wish *wish);
  /* Takes lists of pairs of which it gets none in another way; else as consume(). */
  enum pcf_status (*accept)(struct pcf_sink *sink, int worker, const struct pcf_best *best,
                            struct pcf_team *team, struct pcf_error *error);
};

/* The first member of every sink. */
struct pcf_sink {
  const struct pcf_sink_type *type;
};

/* The functions of a sink, or PCF_OK for those that it does not have. */
enum pcf_status pcf_sink_begin(struct pcf_sink *sink, enum pcf_mode mode,
                               const struct pcf_scale *scale, int workers,
                               struct pcf_error *error);
enum pcf_status pcf_sink_consume(struct pcf_sink *sink, int worker,
                                 const struct pcf_finished *finished, struct pcf_team *team,
                                 struct pcf_error *error);
enum pcf_status pcf_sink_merge(struct pcf_sink *sink, int worker, struct pcf_error *error);
enum pcf_status pcf_sink_finish(struct pcf_sink *sink, struct pcf_error *error);

static inline int64_t pcf_sink_effort(const struct pcf_sink *sink) {
  return sink->type->effort ? sink->type->effort(sink) : 1;
}

static inline int pcf_sink_is_selective(const struct pcf_sink *sink) {
  return sink && sink->type->limits;
}

/* The side of blocks that it likes best; 0: any. */
static inline int64_t pcf_sink_side(const struct pcf_sink *sink) {
  return sink ? sink->type->side : 0;
}

/* How many times as tall their columns are to be; at least 1. */
static inline int64_t pcf_sink_tall(const struct pcf_sink *sink) {
  return sink && sink->type->tall ? sink->type->tall : 1;
}

/* Puts the blocks into the order that the sink likes best; NULL likes any. */
enum pcf_status pcf_sink_order(const struct pcf_sink *sink, struct pcf_schedule *schedule,
                               enum pcf_mode mode, struct pcf_error *error);

/* Drops the blocks that the sink has; returns how many pairs they are. */
int64_t pcf_sink_drop(struct pcf_sink *sink, struct pcf_schedule *schedule, enum pcf_mode mode);

static inline int pcf_sink_wishes(const struct pcf_sink *sink, const struct pcf_scale *scale,
                                  struct pcf_wish *wish) {
  return sink && sink->type->wish && sink->type->wish(sink, scale, wish);
}

static inline int64_t pcf_sink_find(struct pcf_sink *sink,
                                    const struct pcf_rectangle *rectangle, int64_t most,
                                    struct pcf_spot *spot) {
  if (!sink || !sink->type->find) return most + 1;
  return sink->type->find(sink, rectangle, most, spot);
}

/* May all pairs of a block be left out? */
static inline int pcf_sink_skips(struct pcf_sink *sink, const struct pcf_block *block) {
  struct pcf_rectangle all = pcf_rectangle_of(block);
  return pcf_sink_find(sink, &all, 0, NULL) == 0;
}

#endif
