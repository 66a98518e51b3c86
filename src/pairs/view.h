/* Views: functions clipped to the window, with times from the origin on, scaled and narrowed.
 * Kernels get functions in no other way. */
#ifndef PCF_VIEW_H
#define PCF_VIEW_H

#include "collections/collection.h"
#include "pairs/integral.h"

/* A function in the window: `events` breakpoints are strictly inside, of which `time` and
 * `value` are as the caller holds them. `initial` is the value at the start of the window,
 * scaled. Missing values are 0 or NaN. */
struct pcf_view {
  int64_t events;
  const double *time, *value;
  double initial, origin;
  int time_exponent, value_exponent, missing_is_0;
};

struct pcf_view pcf_view_of(const struct pcf_collection *x, int64_t i,
                            const struct pcf_integral *integral);

/* Time and value of event k, scaled. Of times that are rounded, no digit is lost before. */
static inline double pcf_view_time(const struct pcf_view *view, int64_t k) {
  return pcf_scaled(view->time[k] - view->origin, view->time_exponent);
}

static inline double pcf_view_value(const struct pcf_view *view, int64_t k) {
  double value = view->value[k];
  if (view->missing_is_0 && isnan(value)) return 0;
  return pcf_scaled(value, view->value_exponent);
}

/* The first of the events begin … events - 1 whose scaled and narrowed time is not before
 * `limit`, else `events`. */
int64_t pcf_view_first_from(const struct pcf_view *view, int64_t begin, double limit,
                            enum pcf_precision precision);

#endif
