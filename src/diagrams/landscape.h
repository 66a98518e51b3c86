/* Persistence landscapes: for each diagram the functions of which the k-th is, at every time,
 * the k-th largest of the tents of its bars. */
#pragma once

#include "diagrams/tents.h"

/* The first `levels` functions of each diagram, below 2^31; 0 stands for as many as the diagram
 * with most has that are not 0, at least 1, and becomes their number. Level k (from 0 on) of
 * diagram i is function k * count of diagrams + i. No vertex is on a straight line between
 * others, and a stretch of 0 between two pieces has a vertex at either end.
 *
 * Times and values are the exact ones, rounded once. Rounding may put a peak and a valley
 * beside it at the same time: then both are left out. A tent without a number between its birth
 * and death is taken for 0. */
struct pcf_landscapes {
  const struct pcf_diagrams *x;
  int64_t levels;
  struct pcf_landscape_work *work; /* NULL at first */
};

/* Counts vertices. The result does not depend on `threads`, of which each works on one diagram
 * at a time. Returns PCF_ERROR_ARGUMENT with `fault` for a bar that breaks the rules, otherwise
 * PCF_ERROR_MEMORY or, after a non-zero `stop` (which may be NULL), PCF_ERROR_INTERRUPTED. Free
 * with pcf_landscapes_free(), whatever the status. */
enum pcf_status pcf_landscapes_count(struct pcf_landscapes *landscapes, int threads,
                                     const atomic_int *stop, struct pcf_bar_fault *fault,
                                     struct pcf_error *error);

/* How many vertices there are, of all functions. */
void pcf_landscapes_vertices(const struct pcf_landscapes *landscapes, int64_t *vertices);

/* Fills result[f], a matrix of piecewise linear functions with so many rows. */
enum pcf_status pcf_landscapes_fill(const struct pcf_landscapes *landscapes,
                                    double *const *result, int threads, const atomic_int *stop,
                                    struct pcf_error *error);
void pcf_landscapes_free(struct pcf_landscapes *landscapes);
