/* Products of the matrix of all pairs with vectors, without the pairs: for functions f of x and
 * g of y, the sums over all g of b(g) ∫ combine(f, g), as pcf_events_method computes them.
 *
 * This takes time M log M for M breakpoints in total, for each column of b. Memory is needed
 * for the result, and for a slab of time for each thread. An infinite pair makes the sum
 * infinite unless its b is 0, or NaN if there are infinite pairs of both signs. The result is
 * the same for any number of threads.
 *
 * Sums of distances are differences of larger numbers. The error of a sum is about 1e-15 of
 *
 *   size of f · sum over all g of |b(g)| + sum over all g of |b(g)| · size of g,
 *
 * and at most 1e-14 for squared L2 distances. The size of a function is added up over all
 * slabs, in each of which c is a center of all values: for L1 distances the largest of |f − c|,
 * times the length of the slab; for squared L2 distances ∫ (f − c)². These are
 *
 *   size of f · sum of b(g) + sum of b(g) · size of g − 2 · sum of b(g) ∫ (f − c) (g − c). */
#pragma once

#include "base/error.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct pcf_slab;

/* The sums over a slab. */
struct pcf_slab_sums {
  int64_t rows, others; /* functions of x; of y, or 0 if it is x again */
  const double *b;      /* a column: one number for each function of y or, without one, x */
  double *size;         /* of each function, for distances: begin() sets it */
};

/* An operation. Each worker has a state of `state` bytes, and `each` more for each function,
 * which are 0 before the first slab. begin() prepares it for a slab, and add() adds the sums
 * over the slab, for one column, to `result`. release() frees what the state holds; both it and
 * begin() may be NULL. */
struct pcf_slab_kernel {
  size_t state, each;
  void (*release)(void *state);
  enum pcf_status (*begin)(void *state, const struct pcf_slab_sums *sums, struct pcf_slab *slab,
                           struct pcf_error *error);
  enum pcf_status (*add)(void *state, const struct pcf_slab_sums *sums,
                         const struct pcf_slab *slab, const atomic_int *stop, double *result,
                         struct pcf_error *error);
};

/* The kernels of L2 add up inner products of functions less the slab's center. */
extern const struct pcf_slab_kernel pcf_l1_slab_kernel, pcf_inner_slab_kernel,
  pcf_lines_slab_kernel, pcf_l2_slab_kernel, pcf_l2_lines_slab_kernel;

/* The index in b of a function of the slabs. */
static inline int64_t pcf_entry_of(const struct pcf_slab_sums *sums, int64_t function) {
  return sums->others ? function - sums->rows : function;
}
