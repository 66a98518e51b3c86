/* The window cut into slabs of time, each with the events of all functions in their order: what
 * sums over all pairs are made from without looking at pairs. */
#pragma once

#include "algebra/events.h"
#include "base/bits.h"
#include "pairs/view.h"

#include <stdatomic.h>

/* Functions 0 … x->count - 1 are those of x; those of y, if there is one, follow. Slab s lasts
 * from bound[s] to bound[s + 1], in scaled time; the events of a time that is a bound belong to
 * the slab that begins with it. The cuts depend on the functions alone, and on the weight:
 * there is one where each of its pieces ends. */
struct pcf_slabs {
  int64_t functions, count;
  double *bound;
  struct pcf_view *view;
};

/* What a worker knows of a slab. Event k is that of the function event[k].change[0], which then
 * has the value whose bits are event[k].change[1]; of piecewise linear functions that is the
 * event of the view. Keys are those of times (bits.h). */
struct pcf_slab {
  double begin, end;
  int64_t events;
  const struct pcf_event *event;
  double *value; /* of each function when the slab begins; the reader may change them */
  double *slope; /* the same, of piecewise linear functions */
  const struct pcf_view *view;
};

static inline double pcf_new_value(const struct pcf_event *event) {
  return pcf_double_of(event->change[1]);
}

/* What a worker needs to fill slabs, of which it takes later ones after earlier ones. */
struct pcf_slab_reader;

/* Cuts the window of the integral, which is over the sound collections x and y (or NULL). A
 * window without an event has no slab if one of its ends is infinite. Free with
 * pcf_slabs_free(), whatever the status. */
enum pcf_status pcf_slabs_make(struct pcf_slabs *slabs, const struct pcf_collection *x,
                               const struct pcf_collection *y,
                               const struct pcf_integral *integral, struct pcf_error *error);
void pcf_slabs_free(struct pcf_slabs *slabs);

struct pcf_slab_reader *pcf_slab_reader_new(const struct pcf_slabs *slabs,
                                            struct pcf_error *error);
void pcf_slab_reader_free(struct pcf_slab_reader *reader);

/* Reads slab s. What `slab` points to is the reader's, until it reads the next one. */
enum pcf_status pcf_slab_read(struct pcf_slab_reader *reader, int64_t s, struct pcf_slab *slab,
                              struct pcf_error *error);

/* The value of a function at the end of the window. */
static inline double pcf_last_value(const struct pcf_view *view) {
  return view->events ? pcf_view_value(view, view->events - 1) : view->initial;
}

/* For tests: so many events make a slab, at least; 0 stands for the usual number. */
extern int64_t pcf_slab_events;
