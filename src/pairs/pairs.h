/* Pairs of piecewise constant or linear functions: requests, and what checking and planning
 * find for them. */
#pragma once

#include "base/instructions.h"
#include "blocks/pipeline.h"
#include "collections/check.h"
#include "integrals/overlap.h"
#include "integrals/weighing.h"
#include "kernels/grid.h"

struct pcf_method;

struct pcf_pairs;
struct pcf_means;

/* Decides which pairs can be skipped. `bounds` is set where it has put the functions into an
 * order for a device that looks at the bounds of all pairs by itself, and counts what that
 * leaves out; NULL: find() is all that there is. */
struct pcf_bounds;
struct pcf_left_out;
struct pcf_pruner {
  /* May change a request for the backend that will compute it, after that has made its offer:
   * reorder the functions, set a width of tiles, and set in `pairs` the share of the pairs that
   * is needed. Then *changed is 1, and everything but the method is planned again. */
  enum pcf_status (*arrange)(struct pcf_pruner *pruner, struct pcf_pairs *pairs,
                             const struct pcf_backend *backend, const struct pcf_task *task,
                             int *changed, struct pcf_error *error);
  /* Finds the pairs of a rectangle that must not be skipped. Lists up to `most` of them, and
   * returns their number, or most + 1 if there are, or may be, more. Called from any thread. */
  int64_t (*find)(struct pcf_pruner *pruner, const struct pcf_rectangle *rectangle,
                  int64_t most, struct pcf_pair_position *position);
  /* The share of the time that has passed, about, when this share of all pairs is either
   * computed or skipped. NULL: the same share. */
  double (*passed)(const struct pcf_pruner *pruner, double share);
  /* NULL until arrange() has set them. */
  const struct pcf_bounds *bounds;
  struct pcf_left_out *left_out;
};

/* The expected cost of a method of the CPU with tiles of that width. */
struct pcf_estimate {
  double seconds; /* ∞ if it cannot be used */
  int width;      /* 0 if it has no tiles */
};

/* The values of a function from −∞ on, and from its last breakpoint on. */
struct pcf_ends {
  double initial, last;
};

enum { PCF_MAX_METHODS = 6 };

/* A request and, once the run has begun, what was found for it. At the start only `request` and
 * possibly `pruner` are set. */
struct pcf_pairs {
  struct pcf_request request;
  struct pcf_pruner *pruner;
  /* Checked: */
  const struct pcf_method *const *methods; /* its kind of pairs has; NULL: pcf_methods */
  int family;                              /* of the functions: its number */
  struct pcf_range range;
  struct pcf_fault fault; /* when the status is PCF_ERROR_ARGUMENT and `problem` is set */
  /* Freed by the caller. With a weight, the functions of the request are cut at its ends. */
  struct pcf_overlaps overlaps;
  struct pcf_weighing *weighing; /* NULL without a weight */
  double crowding; /* of values, see pcf_find_crowding(); 0 if it does not matter */
  /* Planned: */
  struct pcf_integral integral;
  enum pcf_instructions instructions;
  double pairs, rectangles;
  double wanted;                   /* the share of the pairs that is computed, approximately */
  int64_t grid_points;             /* of the shared grid; 0 if none is worth using */
  const struct pcf_method *method; /* the best on the CPU, or the one requested */
  struct pcf_estimate estimate[PCF_MAX_METHODS]; /* for every method of the CPU */
  /* Only while the run lasts: */
  struct pcf_grid grid;
  int *exponents;          /* of the functions of x, then of y, if they have their own */
  struct pcf_ends *ends;   /* of these functions, if results depend on the initial values */
  struct pcf_means *means; /* the divisors of results (pairs/means.h); NULL */
};

/* Calls find() of the pruner; without one no pair is skipped. */
static inline int64_t pcf_pairs_find(const struct pcf_pairs *pairs,
                                     const struct pcf_rectangle *rectangle, int64_t most,
                                     struct pcf_pair_position *position) {
  if (!pairs->pruner) return most + 1;
  return pairs->pruner->find(pairs->pruner, rectangle, most, position);
}

static inline struct pcf_items pcf_items_of(const struct pcf_collection *x) {
  return (struct pcf_items){x->count, x->offsets};
}

/* Fills the numbers of pairs and of rectangles from the request. */
void pcf_count_pairs(struct pcf_pairs *pairs);

/* The breakpoints of x and, if there is one, y. */
static inline double pcf_request_breakpoints(const struct pcf_request *request) {
  return (double)pcf_total_breakpoints(request->x) +
         (request->y ? (double)pcf_total_breakpoints(request->y) : 0);
}
