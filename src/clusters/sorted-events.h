/* The events of a collection in a window, sorted by time once, for sweeps that are repeated. */
#pragma once

#include "base/error.h"
#include "collections/collection.h"
#include "integrals/integral.h"
#include "products/slabs.h"

#include <stdatomic.h>
#include <stdint.h>

/* The window is divided into slabs, which depend on the functions and the weight alone. Slab s
 * lasts from bound[s] to bound[s + 1], in it the weight is height[s], and its events are those
 * from first[s] on, to first[s + 1]. All numbers are scaled; integrals of squares are in units
 * of 2^exponent. Missing values are NaN. The arrays are the caller's. */
struct pcf_sorted_events {
  int64_t functions, slabs, events; /* numbers of them */
  int linear, missing, exponent;
  double *first, *bound, *height;
  /* Of each event: the function, its time, and the value from there on; of lines, also the left
   * limit and the slope from there on. */
  int *function;
  double *time, *value, *left, *slope;
  double *begin, *begin_slope; /* at the start of each slab, of each function */
  /* Of each function: ∫ f², ∫ f and the length of time, where it is observed, weighted. The
   * last two are not scaled. */
  double *norm, *integral, *length;
};

/* What is needed to sort. If all members are 0, it can be freed. */
struct pcf_event_sorting {
  const struct pcf_collection *x;
  struct pcf_weight weight, scaled;
  struct pcf_integral integral;
  struct pcf_slabs slabs;
  struct pcf_slab_reader *reader; /* one for each of the threads */
  int threads;
  struct pcf_sorted_events *events;
};

/* Counts the slabs and events of a checked collection, whose range is known, in a window,
 * weighted with w (or NULL), so that the caller can make room for them; bound, height and first
 * are those of `sorting`. Free with pcf_event_sorting_free(), also after a failure. */
enum pcf_status pcf_event_sorting_begin(struct pcf_event_sorting *sorting,
                                        const struct pcf_collection *x,
                                        const struct pcf_collection *w, double from, double to,
                                        const struct pcf_range *range, int threads,
                                        struct pcf_sorted_events *events,
                                        const atomic_int *stop, struct pcf_error *error);

/* Fills the arrays of the events, all but the three that pcf_event_sorting_begin() has made. */
enum pcf_status pcf_event_sorting_fill(struct pcf_event_sorting *sorting,
                                       const atomic_int *stop, struct pcf_error *error);
void pcf_event_sorting_free(struct pcf_event_sorting *sorting);
