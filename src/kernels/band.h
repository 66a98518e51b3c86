/* Bands: consecutive functions together with all their events, sorted by time. */
#pragma once

#include "base/error.h"
#include "collections/collection.h"
#include "integrals/integral.h"
#include "integrals/view.h"

enum { PCF_MAX_WIDTH = 256 }; /* the largest number of functions in a band */

/* Sums of many terms lose digits. Therefore the sums of a function are added to wider ones, and
 * start again from 0, after a fixed number of its events; these events have the mark PCF_FLUSH
 * in their `function`. Which ones they are depends only on the function. With a weight, events
 * at the ends of its pieces are marked, too: sums are multiplied by its height when they are
 * added. */
enum { PCF_FLUSH = 0x8000, PCF_FLUSH_EVENTS_DOUBLE = 1024, PCF_FLUSH_EVENTS_SINGLE = 128 };

static inline int64_t pcf_flush_events(const struct pcf_integral *integral) {
  return integral->precision == PCF_DOUBLE ? PCF_FLUSH_EVENTS_DOUBLE : PCF_FLUSH_EVENTS_SINGLE;
}

/* Does a piece of the weight, if there is one, end at that time, after rounding to that
 * precision? */
static inline int pcf_ends_piece(const struct pcf_integral *integral, double time,
                                 enum pcf_precision precision) {
  const struct pcf_weight *weight = integral->weight;
  if (!weight) return 0;
  double end = weight->end[pcf_piece_until(weight, time, precision)];
  return (precision == PCF_DOUBLE ? end : (double)(float)end) == time;
}

/* A band of `count` <= width functions. At an event, `function[e]` (0 … count - 1, possibly
 * with the mark) takes the value `value[e]` at `time[e]`. Only events strictly inside the
 * window are included, in the precision and scale of the integral; if two times of a function
 * are equal in that precision, only the last one is. time[events] is +∞. `initial` has the
 * values at the start of the window (0 for a function that has not begun, and for the unused
 * lanes count … width - 1). For piecewise linear functions `slope` and `initial_slope` have the
 * slopes from there on; all functions end with the window, at an event that sets them to 0, so
 * that nothing remains to be added. `magnitude` is that of each function, for general p only.
 * All arrays are aligned for vectors. */
struct pcf_band {
  int64_t first; /* index of its first function in the collection */
  int count;
  int64_t events;
  int flushes; /* does any event have the mark, or must sums be multiplied? */
  void *time, *value, *initial;
  uint16_t *function;
  struct pcf_magnitude *magnitude; /* NULL if unknown */
  struct pcf_magnitude largest;    /* of all together */
  void *memory;                    /* owns the arrays */
  void *slope, *initial_slope;     /* NULL for step functions */
};

/* Where the arrays of bands with so many events together begin in one block of memory, in
 * bytes. pcf_place_band() sets those of band k, behind `before` events of other bands. */
struct pcf_band_layout {
  size_t scalar, width, value, initial, slope, initial_slope, function, bytes;
  int slopes; /* does the family have them? */
};
struct pcf_band_layout pcf_lay_out_bands(int family, enum pcf_precision precision, size_t bands,
                                         size_t events, size_t width);
void pcf_place_band(struct pcf_band *band, const struct pcf_band_layout *layout, char *memory,
                    size_t k, size_t before);

/* Scratch memory for merging, reused for all bands. */
struct pcf_band_scratch {
  void *memory;
  int64_t capacity; /* in events */
};

/* The number of events of a function in its band: those of its view, and one at the end of the
 * window. */
static inline int64_t pcf_band_events(const struct pcf_view *view,
                                      const struct pcf_integral *integral) {
  return view->events + (view->left && integral->to < INFINITY);
}

static inline double pcf_event_time(const struct pcf_view *view,
                                    const struct pcf_integral *integral, int64_t k) {
  double time = k < view->events ? pcf_view_time(view, k) : integral->to;
  return pcf_narrowed(time, integral->precision);
}

static inline double pcf_event_value(const struct pcf_view *view, int64_t k) {
  return k < view->events ? pcf_view_value(view, k) : 0;
}

static inline double pcf_event_slope(const struct pcf_view *view, int64_t k,
                                     enum pcf_precision precision) {
  return k < view->events ? pcf_view_slope(view, k, precision) : 0;
}

/* Builds the band of functions first … first + count - 1. Free it with pcf_band_free(). */
enum pcf_status pcf_band_build(struct pcf_band *band, const struct pcf_collection *x,
                               const struct pcf_integral *integral, int64_t first, int count,
                               int width, struct pcf_band_scratch *scratch,
                               struct pcf_error *error);

/* Takes times and values from a band of step functions, in less memory; not for general p.
 * PCF_ERROR_MEMORY. */
enum pcf_status pcf_band_leave_order(struct pcf_band *band, enum pcf_precision precision,
                                     int width, struct pcf_error *error);

void pcf_band_free(void *band);
void pcf_band_scratch_free(struct pcf_band_scratch *scratch);
