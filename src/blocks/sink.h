/* Sinks: what receives finished blocks. */
#pragma once

#include "base/scalar.h"
#include "base/threads.h"
#include "blocks/entry.h"
#include "blocks/schedule.h"

#include <math.h>

/* Changes the results of the pairs of items row … row + count - 1 with a column, if they do not
 * depend on the numbers alone. */
typedef void pcf_revision(const void *context, double *results, int64_t row, int64_t count,
                          int64_t column);

/* How the numbers of a block are converted to results. A number r of the pair (i, j), in that
 * precision, stands for r · factor · 2^(exponent + row_exponents[i] + column_exponents[j]);
 * either array may be NULL. After that revise(), unless it is NULL, changes the result. */
struct pcf_scale {
  enum pcf_precision precision;
  double factor;
  int exponent;
  const int *row_exponents, *column_exponents;
  pcf_revision *revise;
  const void *context;
  int revised_smaller; /* can revise() make a result smaller? */
};

/* The result for the number of the pair (row, column), before it is revised. */
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

/* The factor from numbers to results before they are revised; 0 if it is not the same normal
 * number for all pairs. */
double pcf_common_factor(const struct pcf_scale *scale);

/* Number (i, j) of a finished block, relative to the block, is data[i + stride * j] in the
 * precision of the scale. Numbers of pairs that the mode does not include are undefined. The
 * number of a pair that was skipped is NaN.
 *
 * For a sink with a selection, a device may return entries instead of data. Then `few` is set,
 * and the entries are all pairs of the block that the mode includes and that may still be
 * selected, and possibly others. Their order may differ from run to run: results must not
 * depend on it.
 *
 * `begun`, `computed` and `copied` are the times, as in pcf_seconds(), at which the device
 * began to compute the block, had computed it, and had copied it to the host; NaN if unknown.
 */
struct pcf_finished {
  const struct pcf_block *block;
  const void *data;
  int64_t stride;
  int few;
  const struct pcf_entry *entry;
  int64_t entries;
  int of_rows; /* is an entry offered to its row only, even among items of one collection? */
  int kept;    /* does the device keep the selected pairs of the block, for later? */
  double begun, computed, copied;
};

struct pcf_sink;

/* What a sink prefers, for one run. If all are zero, it takes blocks in any order and shape. */
struct pcf_preferences {
  enum pcf_block_order order;
  int64_t side; /* of its blocks; 0: any */
  int64_t tall; /* by which factor its blocks are taller and narrower than squares; 0: 1 */
  /* The work of consuming a number, relative to that of writing it to memory; 0: 1. */
  int64_t effort;
  /* Did the sink have all pairs of a block before the run? Such blocks are skipped. NULL: none
   * are. */
  pcf_block_rule *has;
};

/* A kind of sink. Its functions may be NULL if there is nothing to do; those that can fail
 * return PCF_OK or fill `error`, which ends the run. The owner of the sink frees what begin()
 * allocates, since finish() is not called after a failure. */
struct pcf_sink_type {
  /* Fills the preferences, which are all zero. Called once a run, before there is a schedule.
   */
  void (*prefer)(const struct pcf_sink *sink, struct pcf_preferences *preferences);
  /* Called before the first block; called again if nothing was consumed and another backend
   * takes over. */
  enum pcf_status (*begin)(struct pcf_sink *sink, struct pcf_error *error);
  /* Receives a block, on the thread of worker number `worker`. Several workers call it at the
   * same time; no pair comes twice. `team` is NULL or threads that may share the work. Loops
   * that it starts on the team must end before it returns. */
  enum pcf_status (*consume)(struct pcf_sink *sink, int worker,
                             const struct pcf_finished *finished, struct pcf_team *team,
                             struct pcf_error *error);
  /* After all blocks, if nothing failed. */
  enum pcf_status (*finish)(struct pcf_sink *sink, struct pcf_error *error);
};

struct pcf_selection;

/* The first member of every sink. */
struct pcf_sink {
  const struct pcf_sink_type *type;
  /* The pairs it selects, so that devices may return only some entries; NULL: all pairs. */
  const struct pcf_selection *selection;

  /* Set when the run begins: */
  enum pcf_mode mode;
  struct pcf_scale scale;
  int workers; /* at most */
};

/* Call the functions of a sink; PCF_OK for those that it does not have. */
enum pcf_status pcf_sink_begin(struct pcf_sink *sink, enum pcf_mode mode,
                               const struct pcf_scale *scale, int workers,
                               struct pcf_error *error);
enum pcf_status pcf_sink_consume(struct pcf_sink *sink, int worker,
                                 const struct pcf_finished *finished, struct pcf_team *team,
                                 struct pcf_error *error);
enum pcf_status pcf_sink_finish(struct pcf_sink *sink, struct pcf_error *error);

/* The preferences of a sink; `tall` and `effort` are at least 1. NULL has none. */
struct pcf_preferences pcf_sink_preferences(const struct pcf_sink *sink);
