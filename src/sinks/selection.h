/* Selections: sinks that keep some pairs of every item. They go through a block in the same
 * way: only numbers within limits are looked at, and within one collection each pair is offered
 * to both of its items. Devices read here what is wanted, and need not give the rest. */
#pragma once

#include "blocks/sink.h"

/* Takes a pair that item `row` may want: item `other` at that distance. Several workers call it
 * at once. */
typedef enum pcf_status pcf_pair_taker(struct pcf_selection *selection, int worker, int64_t row,
                                       int64_t other, double distance, struct pcf_error *error);

/* The first member of every selection. Its owner sets `rows`, `sign` and `take`, and may set
 * what comes after `limit`, before the run. */
struct pcf_selection {
  struct pcf_sink sink;
  int64_t rows; /* the items that pairs are kept of */
  int sign;     /* 1: small distances are wanted; -1: large ones */
  /* Item i wants no pair of which sign · distance is more than limit[i]. It only falls while
   * the run lasts, and is read and written with relaxed order. */
  _Atomic double *limit;
  /* The ids of the other items, by which ties are broken; NULL: their numbers. */
  const int32_t *name;
  /* For items of one collection. Pairs with the same label are not wanted (NULL: all are). A
   * distance below `least` of one of its items is raised to it (NULL: none is; for a sign of 1
   * only). */
  const int32_t *label;
  const double *least;
  int64_t most; /* how many pairs an item wants at most; 0: all within its limit */
  pcf_pair_taker *take;
  int takes_at_once; /* may several threads of one worker call it at once? */

  /* Set when the run begins: */
  enum pcf_mode mode;
  struct pcf_scale scale;
  double inverse; /* what distances are multiplied by to be numbers; may be 0 or infinite */
  int workers;
};

/* Makes the selection a sink of that type, with room for the limits, which the caller frees. */
enum pcf_status pcf_selection_start(struct pcf_selection *selection,
                                    const struct pcf_sink_type *type, struct pcf_error *error);

/* Begins a run, with the same limit for all items. */
void pcf_selection_begin(struct pcf_selection *selection, enum pcf_mode mode,
                         const struct pcf_scale *scale, int workers, double limit);

/* These go into the table of every selection. */
void pcf_selection_prefer(const struct pcf_sink *sink, struct pcf_preferences *preferences);
enum pcf_status pcf_selection_consume(struct pcf_sink *sink, int worker,
                                      const struct pcf_finished *finished,
                                      struct pcf_team *team, struct pcf_error *error);

/* Which numbers of a block may still be wanted: number r of the pair (i, j), relative to the
 * block, if sign · r <= row[i] or sign · r <= column[j]. NaN is not wanted. Limits only fall,
 * so that a device may use older ones. */
void pcf_selection_limits(const struct pcf_selection *selection, const struct pcf_block *block,
                          double *row, double *column);

/* In a run with that scale, does every item want the `most` first pairs, sorted by sign ·
 * number and then by the other item, among those with other labels? Then a device need keep
 * only these. */
int pcf_selection_is_by_number(const struct pcf_selection *selection,
                               const struct pcf_scale *scale);

/* The id of another item. */
static inline int32_t pcf_id_of(const struct pcf_selection *selection, int64_t other) {
  return selection->name ? selection->name[other] : (int32_t)other;
}

static inline double pcf_limit_of(const struct pcf_selection *selection, int64_t row) {
  return atomic_load_explicit(&selection->limit[row], memory_order_relaxed);
}

/* Are items of one collection compared? */
static inline int pcf_selects_of_one(const struct pcf_selection *selection) {
  return selection->mode != PCF_FULL;
}
