/* Products of the matrix of all pairs with vectors, without the pairs: for functions f of x and
 * g of y, the sums over all g of b(g) ∫ combine(f, g), as pcf_events_method computes them.
 *
 * This takes time M log M for M breakpoints in all, for each column of b. Memory beside the
 * result is that of a slab of time for each thread. A pair that is infinite makes the sum
 * infinite unless its b is 0; infinite ones of both signs make it NaN. The result is the same
 * for any number of threads. */
#pragma once

#include "base/error.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct pcf_slab;

/* What is added up over a slab. */
struct pcf_slab_sums {
  int64_t rows, others; /* functions of x; of y, or 0 where it is x again */
  const double *b;      /* a column: one number a function of y or, without one, x */
};

/* An operation. What a worker needs for it is its state, of so many bytes, which are 0 before
 * the first slab. begin() makes that ready for a slab, and add() adds the sums over it, for one
 * column, to `result`. release() frees what the state holds. */
struct pcf_slab_kernel {
  size_t state;
  void (*release)(void *state);
  enum pcf_status (*begin)(void *state, const struct pcf_slab_sums *sums,
                           const struct pcf_slab *slab, struct pcf_error *error);
  enum pcf_status (*add)(void *state, const struct pcf_slab_sums *sums,
                         const struct pcf_slab *slab, const atomic_int *stop, double *result,
                         struct pcf_error *error);
};

/* The last is for inner products of piecewise linear functions. */
extern const struct pcf_slab_kernel pcf_l1_slab_kernel, pcf_inner_slab_kernel,
  pcf_lines_slab_kernel;

/* The number that a function of the slabs with an entry in b has there. */
static inline int64_t pcf_entry_of(const struct pcf_slab_sums *sums, int64_t function) {
  return sums->others ? function - sums->rows : function;
}
