/* Views: functions clipped to the window, with times counted from the origin, scaled and
 * rounded to the precision of the integral. Kernels access functions only through views. */
#pragma once

#include "collections/collection.h"
#include "integrals/integral.h"

/* A function in the window: `events` breakpoints are strictly inside, and `time` and `value`
 * are those of the caller. `initial` is the value at the start of the window, scaled. Missing
 * values are 0 or NaN. For piecewise linear functions `left` has the left limits, `lines` is
 * the number of lines from event 0 on, including those beyond the window, and `initial_slope`
 * is the slope from the start of the window on. */
struct pcf_view {
  int64_t events, lines;
  const double *time, *value, *left; /* the last is NULL for step functions */
  double initial, initial_slope, origin;
  int time_exponent, value_exponent, missing_is_0;
};

struct pcf_view pcf_view_of(const struct pcf_collection *x, int64_t i,
                            const struct pcf_integral *integral);

/* The same for function i of x and y together: those of y, if there is one, follow. */
struct pcf_view pcf_view_of_both(const struct pcf_collection *x, const struct pcf_collection *y,
                                 int64_t i, const struct pcf_integral *integral);

/* Time and value of event k, scaled. Times lose no digit before they are rounded. */
static inline double pcf_view_time(const struct pcf_view *view, int64_t k) {
  return pcf_scaled(view->time[k] - view->origin, view->time_exponent);
}

static inline double pcf_view_scaled(const struct pcf_view *view, double value) {
  if (view->missing_is_0 && isnan(value)) return 0;
  return pcf_scaled(value, view->value_exponent);
}

static inline double pcf_view_value(const struct pcf_view *view, int64_t k) {
  return pcf_view_scaled(view, view->value[k]);
}

/* The left limit at event k of a piecewise linear function, scaled. */
static inline double pcf_view_left(const struct pcf_view *view, int64_t k) {
  return pcf_view_scaled(view, view->left[k]);
}

/* The slope from event k on, between scaled and rounded times: 0 for step functions, where a
 * function ends or is missing, and over stretches that are too narrow for a slope. */
double pcf_view_slope(const struct pcf_view *view, int64_t k, enum pcf_precision precision);

/* The first of the events begin … events - 1 whose scaled and rounded time is not before
 * `limit`; `events` if there is none. */
int64_t pcf_view_first_from(const struct pcf_view *view, int64_t begin, double limit,
                            enum pcf_precision precision);
