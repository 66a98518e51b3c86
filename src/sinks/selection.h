/* Selections: sinks that keep some pairs of every item. They all go through a block in the same
 * way: only numbers within limits are considered, and within one collection each pair is
 * offered to both of its items. Devices use the limits to return only numbers that may be
 * selected. */
#pragma once

#include "base/memory.h"
#include "blocks/sink.h"
#include "sinks/kept.h"

/* Takes a pair that may be selected for item `row`: the item with that id, at that distance.
 * Several workers call it at the same time. */
typedef enum pcf_status pcf_pair_taker(struct pcf_selection *selection, int worker, int64_t row,
                                       int32_t id, double distance, struct pcf_error *error);

/* The first member of every selection. Its owner sets `rows`, `sign` and `take`, and may set
 * the members between `limit` and "Set when the run begins", before the run. */
struct pcf_selection {
  struct pcf_sink sink;
  int64_t rows; /* the items for which pairs are kept */
  int sign;     /* 1 to select small distances, -1 for large ones */
  /* Pairs with sign · distance > limit[i] are not selected for item i. Limits can only decrease
   * during the run, and are read and written with relaxed order. */
  _Atomic double *limit;
  /* The ids of the other items, by which ties are broken; NULL: their numbers. */
  const int32_t *name;
  /* The same of the items, where they are in another order than those who asked have them. */
  const int32_t *item;
  /* For items of one collection. Pairs with equal labels are not selected (NULL: all may be). A
   * distance smaller than `least` of one of its items is replaced by it (NULL: none is; only
   * for a sign of 1). */
  const int32_t *label;
  const double *least;
  /* The first limits of the items (NULL: none), where nearer pairs are known already. */
  const double *farthest;
  /* May a pruner guess first limits, which may be somewhat too small? With labels, the nearest
   * pair of all items of a label is then what is wanted. It does not where pairs are kept. */
  int guess;
  int64_t most; /* the largest number of pairs for each item; 0: all within its limit */
  pcf_pair_taker *take;
  int takes_at_once; /* may several threads of one worker call `take` at the same time? */
  /* NULL, or where the pairs are kept, which write() then writes. A pair may be taken twice. */
  struct pcf_kept *kept;
  pcf_kept_writer *write;

  /* Set when the run begins: the factor from distances to numbers of blocks; may be 0 or
   * infinite. */
  double inverse;

  struct pcf_arrays arrays; /* of the selection and of its owner */
};

/* Makes the selection a sink of that type, and allocates the limits, one of its arrays, which
 * its owner frees. */
void pcf_selection_start(struct pcf_selection *selection, const struct pcf_sink_type *type,
                         struct pcf_error *error);

/* Begins a run, with the same limit for all items that have no limit of their own. */
void pcf_selection_begin(struct pcf_selection *selection, double limit);

/* Then takes the pairs that are kept from before. */
enum pcf_status pcf_selection_restore(struct pcf_selection *selection, struct pcf_error *error);

/* At the end: keeps what there is. */
enum pcf_status pcf_selection_keep(struct pcf_selection *selection, struct pcf_error *error);

/* For write(): a pair of the item with that number. */
enum pcf_status pcf_selection_write(const struct pcf_selection *selection,
                                    struct pcf_whole *whole, int64_t row, int32_t id,
                                    double distance, struct pcf_error *error);

/* Members of the type of every selection. */
void pcf_selection_prefer(const struct pcf_sink *sink, struct pcf_preferences *preferences);
enum pcf_status pcf_selection_consume(struct pcf_sink *sink, int worker,
                                      const struct pcf_finished *finished,
                                      struct pcf_team *team, struct pcf_error *error);

/* Limits for the numbers of a block: number r of the pair (i, j), relative to the block, may be
 * selected if sign · r <= row[i] or sign · r <= column[j]; NaN is not. Since limits can only
 * decrease, a device may use older ones. */
void pcf_selection_limits(const struct pcf_selection *selection, const struct pcf_block *block,
                          double *row, double *column);

/* The number of the precision that stands for a distance, about. */
double pcf_number_of(const struct pcf_scale *scale, double distance);

/* Are the pairs selected for every item, in a run with that scale, the first `most` ones,
 * sorted by sign · number, raised to those of least distances, and then by the id of the other
 * item, among those with other labels?
 * A device then needs to keep only these, unless they are to be kept in a file meanwhile. */
int pcf_selection_is_by_number(const struct pcf_selection *selection,
                               const struct pcf_scale *scale);

/* The number of an item to those who asked. */
static inline int64_t pcf_item_of(const struct pcf_selection *selection, int64_t row) {
  return selection->item ? selection->item[row] : row;
}

static inline double pcf_limit_of(const struct pcf_selection *selection, int64_t row) {
  return atomic_load_explicit(&selection->limit[row], memory_order_relaxed);
}

/* Are the items those of one collection? */
static inline int pcf_selects_of_one(const struct pcf_selection *selection) {
  return selection->sink.mode != PCF_FULL;
}
