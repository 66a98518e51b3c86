/* The kernel for single pairs, for few, long functions. The merged breakpoints of a pair are
 * divided into parts of equal length, which are integrated independently. */
#pragma once

#include "kernels/kernels.h"

#include <stdatomic.h>

/* A function clipped to the window and scaled: time[0 … events) and time[events] = +∞; value[k]
 * is its value after k events. A piecewise linear function has the slope slope[k] from there
 * on, and time[-1], the time of value[0]. */
struct pcf_walk {
  int64_t events;
  double *time, *value, *slope; /* the last is NULL for step functions */
};

/* Functions prepared for the walk, in one block of memory; those without times only when they
 * are needed. */
struct pcf_walks {
  struct pcf_walk *walk, *columns; /* of x and then of y; of y or, without one, x again */
  size_t room;                     /* the doubles that a pair of them needs */
  const struct pcf_collection *x, *y;
  const struct pcf_integral *integral;
  struct pcf_arrays arrays;
};

/* Prepares the functions of x and of y, which may be NULL and, like the integral, have to stay.
 * Of a collection with at least so many functions as there are `pairs` (0: of none), each is
 * needed about once: these are only prepared by pcf_walk_of(), if pairs have one part each.
 * Free with pcf_walks_free(), after failures too. PCF_ERROR_MEMORY; PCF_ERROR_INTERRUPTED after
 * a non-zero `stop`. */
enum pcf_status pcf_walks_make(struct pcf_walks *walks, const struct pcf_collection *x,
                               const struct pcf_collection *y,
                               const struct pcf_integral *integral, double pairs, int threads,
                               const atomic_int *stop, struct pcf_error *error);

/* A walk, prepared in `memory` if it is not yet, which is then moved to the rest. */
struct pcf_walk pcf_walk_of(const struct pcf_walks *walks, const struct pcf_walk *walk,
                            double **memory);
void pcf_walks_free(struct pcf_walks *walks);

/* The contribution of one part. For general p, `sum` is relative to `supremum`. */
struct pcf_partial {
  double sum, supremum;
};

/* The number of parts of a pair with that many events. It depends only on the pair, and so does
 * the result. */
int pcf_pair_parts(int64_t events);

/* Integrates one part. Returns 1 if it was stopped. */
int pcf_pair_part(const struct pcf_integral *integral, const struct pcf_kernels *kernels,
                  const struct pcf_walk *f, const struct pcf_walk *g, int part, int parts,
                  const atomic_int *stop, struct pcf_partial *partial);

/* Adds the parts in their order and the stretch after the last event, and takes the root. */
double pcf_pair_finish(const struct pcf_integral *integral, const struct pcf_walk *f,
                       const struct pcf_walk *g, const struct pcf_partial *partial, int parts);
