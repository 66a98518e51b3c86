/* Pairs of piecewise constant functions: what is asked for, and what checking and planning
 * find. */
#pragma once

#include "base/instructions.h"
#include "blocks/pipeline.h"
#include "collections/check.h"
#include "pairs/grid.h"
#include "pairs/overlap.h"
#include "pairs/weighing.h"

struct pcf_method;

/* Sums over the pairs of each row: numbers of b, a column of them for each sum, times L1
 * distances, squares of L2 distances or inner products. In place of those of squares there may
 * be sums of inner products, where the method is pcf_events_method: the caller adds the norms.
 */
struct pcf_sums {
  int64_t columns;
  const double *b;
  double *result; /* a number for each row and column; NULL where nothing is computed */
};

/* What the caller asks for. */
struct pcf_request {
  const struct pcf_collection *x, *y; /* y is NULL for the pairs of x itself */
  enum pcf_mode mode;
  int64_t pairs; /* of a paired mode */
  enum pcf_operation operation;
  double p, from, to;
  enum pcf_missing missing;
  enum pcf_precision precision;
  const struct pcf_collection *weight; /* one function, not negative; NULL */
  const struct pcf_sums *sums; /* what pairs are for, if they are for nothing else; NULL */
  /* Choices that are otherwise the plan's: */
  const char *method;       /* NULL */
  const char *instructions; /* NULL */
  int width;                /* of a tile; 0 */
};

struct pcf_pairs;
struct pcf_means;

/* What leaves out pairs that nobody wants. */
struct pcf_pruner {
  /* May change a request once it is planned: put the functions in another order, ask for a
   * width of tiles, and say in `pairs` what share of them is wanted. Then *changed is 1, and
   * all but the method is planned anew. */
  enum pcf_status (*arrange)(struct pcf_pruner *pruner, struct pcf_pairs *pairs,
                             const struct pcf_settings *settings, const atomic_int *stop,
                             int *changed, struct pcf_error *error);
  /* Which pairs of a rectangle may not be left out? Lists up to `most` of them, and returns how
   * many there are, or most + 1 if there are more, or may be. Called from any thread. */
  int64_t (*find)(struct pcf_pruner *pruner, const struct pcf_rectangle *rectangle,
                  int64_t most, struct pcf_pair_position *position);
};

/* What a method of the CPU is expected to cost, with tiles of that width. */
struct pcf_estimate {
  double seconds; /* ∞ where it cannot be used */
  int width;      /* 0 where it has no tiles */
};

/* The values of a function from −∞ on, and for ever. */
struct pcf_ends {
  double initial, last;
};

enum { PCF_MAX_METHODS = 6 };

/* A request and, once the run has begun, what was found for it. At the start only `request` and
 * perhaps `pruner` are set. */
struct pcf_pairs {
  struct pcf_request request;
  struct pcf_pruner *pruner;
  /* Checked: */
  struct pcf_range range;
  struct pcf_fault fault; /* when the status is PCF_ERROR_ARGUMENT and `problem` is set */
  /* Freed by the caller. With a weight the request is for functions that are cut for it. */
  struct pcf_overlaps overlaps;
  struct pcf_weighing *weighing; /* NULL without a weight */
  /* Planned: */
  struct pcf_integral integral;
  enum pcf_instructions instructions;
  double pairs, rectangles;
  double wanted;                   /* the share of the pairs that will be computed, about */
  int64_t grid_points;             /* of the shared grid; 0 without one that is worth using */
  const struct pcf_method *method; /* the best on the CPU, or the one asked for */
  struct pcf_estimate estimate[PCF_MAX_METHODS]; /* of every method of the CPU */
  /* Only while the run lasts: */
  struct pcf_grid grid;
  int *exponents;          /* of the functions of x, then of y, where they have their own */
  struct pcf_ends *ends;   /* of these functions, where results depend on the initial values */
  struct pcf_means *means; /* what they are divided by (pairs/means.h); NULL */
};

/* The pruner's find(); without one no pair is left out. */
static inline int64_t pcf_pairs_find(const struct pcf_pairs *pairs,
                                     const struct pcf_rectangle *rectangle, int64_t most,
                                     struct pcf_pair_position *position) {
  if (!pairs->pruner) return most + 1;
  return pairs->pruner->find(pairs->pruner, rectangle, most, position);
}

/* The columns of the matrix: y, or x again. */
static inline const struct pcf_collection *pcf_columns_of(const struct pcf_request *request) {
  return request->y ? request->y : request->x;
}

static inline struct pcf_items pcf_items_of(const struct pcf_collection *x) {
  return (struct pcf_items){x->count, x->offsets};
}

/* Fills the numbers of pairs and of rectangles from the request. */
void pcf_count_pairs(struct pcf_pairs *pairs);

/* Is one of the collections empty, so that there is nothing to run? */
static inline int pcf_request_is_empty(const struct pcf_request *request) {
  return request->x->count == 0 || pcf_columns_of(request)->count == 0;
}

/* The breakpoints of x and, if there is one, y. */
static inline double pcf_request_breakpoints(const struct pcf_request *request) {
  return (double)pcf_total_breakpoints(request->x) +
         (request->y ? (double)pcf_total_breakpoints(request->y) : 0);
}
