/* Leaving out pairs of a selection: by bounds, where that pays, and those of one label. */
#pragma once

#include "base/memory.h"
#include "pairs/pairs.h"
#include "pruning/bounds.h"
#include "sinks/selection.h"

enum pcf_prune { PCF_PRUNE_AUTO, PCF_PRUNE_ON, PCF_PRUNE_OFF };

/* Pairs of the rectangles that were looked at, and those that were left out; rectangles of
 * which none was left. */
struct pcf_left_out {
  atomic_llong looked_at, pairs, rectangles;
  atomic_int given_up;
};

/* The pruner of a selection. It puts near functions together if bounds leave out enough of the
 * others, or else those of one label, so that rectangles without wanted pairs are large. Start
 * with pcf_pruning_start() and free with pcf_pruning_free(), which takes zeros, too. If `order`
 * is not NULL after the run, item i of the selection is function order[i] of x, the labels,
 * least distances and first limits of the selection were replaced by copies in that order, and
 * the other items that it names are functions of the request. */
struct pcf_pruning {
  struct pcf_pruner pruner;
  enum pcf_prune choice;
  struct pcf_selection *selection;
  double radius; /* of every function, unless each wants a number of others */
  const int32_t *order;
  double expected; /* the share of the work that is not left out; NaN if it is not known */
  double seconds;  /* that this and looking at bounds is expected to take; of all pairs: NaN */
  struct pcf_left_out left_out;

  /* Its own: */
  struct pcf_bounds bounds;
  struct pcf_collection x, y; /* in their order */
  struct pcf_arrays arrays;
  int threads;
  const atomic_int *stop;
  int on_device; /* does the device look at the bounds by itself? */
  int looks;     /* are bounds looked at? */
  double worth;  /* the share of pairs that pays for looking at all of them */
  double pairs;  /* of all tiles that are computed */
};

void pcf_pruning_start(struct pcf_pruning *pruning, enum pcf_prune choice,
                       struct pcf_selection *selection, double radius);
void pcf_pruning_free(struct pcf_pruning *pruning);
