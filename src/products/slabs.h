/* The window divided into slabs of time, each with the events of all functions in their order.
 * Sums over all pairs are computed from them without looking at pairs. */
#pragma once

#include "base/bits.h"
#include "base/memory.h"
#include "integrals/view.h"
#include "reductions/events.h"

#include <stdatomic.h>

/* Functions 0 … x->count - 1 are those of x; those of y, if there is one, follow. Slab s lasts
 * from bound[s] to bound[s + 1], in scaled time; events at a bound belong to the slab that
 * begins there. The bounds depend only on the functions and on the weight: there is one at the
 * end of each of its pieces. */
struct pcf_slabs {
  int64_t functions, count;
  double *bound;
  struct pcf_view *view;
  struct pcf_arrays arrays;
};

/* The content of a slab. Event k is one of the function event[k].change[0], which then has the
 * value whose bits are event[k].change[1]; for piecewise linear functions this is the index of
 * the event in the view. Keys are those of times (bits.h). */
struct pcf_slab {
  double begin, end;
  double center; /* is to be subtracted from all values; 0 unless an operation chooses it */
  int64_t events;
  const struct pcf_event *event;
  double *value; /* of each function at the beginning of the slab; may be changed */
  double *slope; /* the same, for piecewise linear functions */
  const struct pcf_view *view;
};

static inline double pcf_new_value(const struct pcf_event *event) {
  return pcf_double_of(event->change[1]);
}

/* The value of the event's function from then on, and its slope. */
static inline double pcf_slab_value(const struct pcf_slab *slab,
                                    const struct pcf_event *event) {
  const struct pcf_view *view = &slab->view[event->change[0]];
  return view->left ? pcf_view_value(view, (int64_t)event->change[1]) : pcf_new_value(event);
}

static inline double pcf_slab_slope(const struct pcf_slab *slab,
                                    const struct pcf_event *event) {
  const struct pcf_view *view = &slab->view[event->change[0]];
  return view->left ? pcf_view_slope(view, (int64_t)event->change[1], PCF_DOUBLE) : 0;
}

/* The memory with which a worker reads slabs, in increasing order. */
struct pcf_slab_reader {
  const struct pcf_slabs *slabs;
  int64_t *from, *to; /* of each function, its events in the slab */
  double *value, *slope;
  struct pcf_sorter *sorter;
  struct pcf_event *event; /* `room` of them, and behind them room for as many sorted ones */
  int64_t room;
  struct pcf_arrays arrays; /* but for the events */
};

/* Divides the window of the integral over the checked collections x and y (or NULL), whose
 * range is known. `least` is the number of events that a slab should have at least, 0 for that
 * of products. A window without events has no slab if one of its ends is infinite. Free with
 * pcf_slabs_free(), also after a failure. */
enum pcf_status pcf_slabs_make(struct pcf_slabs *slabs, const struct pcf_collection *x,
                               const struct pcf_collection *y,
                               const struct pcf_integral *integral,
                               const struct pcf_range *range, int64_t least,
                               struct pcf_error *error);
void pcf_slabs_free(struct pcf_slabs *slabs);

/* Free with pcf_slab_reader_free(), also after a failure. */
enum pcf_status pcf_slab_reader_make(struct pcf_slab_reader *reader,
                                     const struct pcf_slabs *slabs, struct pcf_error *error);

/* Leaves out the events at the ends, which change nothing between them but would cost digits.
 */
void pcf_slab_leave_out_ends(struct pcf_slab *slab);
void pcf_slab_reader_free(struct pcf_slab_reader *reader);

/* Reads slab s. What `slab` points to belongs to the reader, until it reads the next one. */
enum pcf_status pcf_slab_read(struct pcf_slab_reader *reader, int64_t s, struct pcf_slab *slab,
                              struct pcf_error *error);

/* The value of a function at the end of the window. */
static inline double pcf_last_value(const struct pcf_view *view) {
  return view->events ? pcf_view_value(view, view->events - 1) : view->initial;
}

/* For tests: the smallest number of events in a slab; 0 stands for the usual number. */
extern int64_t pcf_slab_events;
