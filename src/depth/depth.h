/* How deep each function lies among the others of its collection, at the times at which it is
 * observed: the mean, weighted by the number n of functions observed at a time, of
 *
 *   bands: 1 − (C(L, 2) + C(U, 2)) / C(n, 2), where L functions are below it and U above;
 *   integrated: 1 − |1/2 − F|, where F is the share of functions that are not above it.
 *
 * Functions of the same value are neither below nor above each other. A function that is alone
 * lies in no band: this time does not count. */
#pragma once

#include "collections/collection.h"
#include "depth/tree.h"

#include <stdatomic.h>

/* Of functions that are checked, in the finite window from … to; `weight` multiplies time, or
 * is NULL. Each function of `result` gets its depth, or NaN where no time counts. */
struct pcf_depths {
  const struct pcf_collection *x;
  const struct pcf_range *range; /* of x */
  enum pcf_depth type;
  double from, to;
  const struct pcf_collection *weight;
  double *result;
  double offset; /* that was subtracted from all values of lines, which were rounded with it */
  atomic_int *thousandths; /* what part of the work is done, or NULL */
};

/* Of step functions in time M log M for M breakpoints; of piecewise linear functions from all
 * pairs. The same to the last bit for any number of threads and any order of the functions.
 * PCF_ERROR_MEMORY, PCF_ERROR_INTERRUPTED; PCF_ERROR_ARGUMENT for more than 2^30 functions. */
enum pcf_status pcf_depths(const struct pcf_depths *depths, int threads, const atomic_int *stop,
                           struct pcf_error *error);

/* ---- For both families ---- */

/* The weight of time, which goes on from piece to piece; `weight` NULL: 1. */
struct pcf_depth_clock {
  const struct pcf_weight *weight;
  int64_t piece;
  double time;
};

struct pcf_depth_clock pcf_depth_clock_at(const struct pcf_weight *weight, double time);

/* The weight of the time until then. */
double pcf_depth_clock_until(struct pcf_depth_clock *clock, double time);

/* Tells how many parts of the work are done. */
void pcf_depths_done(const struct pcf_depths *depths, int64_t parts, int64_t all);

/* pcf_depths() of piecewise linear functions. */
enum pcf_status pcf_line_depths(const struct pcf_depths *depths,
                                const struct pcf_weight *weight, int threads,
                                const atomic_int *stop, struct pcf_error *error);
