/* Changes of clock: functions with every time t as W(t) = ∫ w, the integral of a weight w up to
 * t. An integral over the functions on that clock is the weighted integral of the functions. */
#ifndef PCF_CLOCK_H
#define PCF_CLOCK_H

#include "base/error.h"
#include "functions/collection.h"

#include <stdatomic.h>

/* W inside a window, which is linear between knots: it is clock[k] at time[k] and rises by
 * slope[k] from there on; by `before` up to the first knot. Times outside of the window are
 * those at its ends. W is 0 at the start of the window or, if there is none, at the first knot,
 * so that times next to it keep their digits. */
struct pcf_clock {
  double from, to; /* of the window, on the clock; they may be equal */
  double window[2];
  double before;
  int64_t knots; /* at least 1 */
  double *time, *clock, *slope;
};

/* The clock of function 0 of `weight`, of which no value in the window from … to is negative or
 * missing. PCF_ERROR_ARGUMENT where W is too large for numbers, PCF_ERROR_MEMORY. Free with
 * pcf_clock_free(), whatever the status. */
enum pcf_status pcf_clock_make(struct pcf_clock *clock, const struct pcf_collection *weight,
                               double from, double to, struct pcf_error *error);
void pcf_clock_free(struct pcf_clock *clock);

/* W(t). */
double pcf_clock_at(const struct pcf_clock *clock, double t);

/* Counts the breakpoints of functions on the clock: of several times that are one on the clock
 * the last one is kept. breakpoints[0 … count of x). PCF_ERROR_MEMORY, PCF_ERROR_INTERRUPTED.
 */
enum pcf_status pcf_clock_count(const struct pcf_clock *clock, const struct pcf_collection *x,
                                int threads, const atomic_int *stop, int64_t *breakpoints,
                                struct pcf_error *error);

/* Fills result[i], a matrix of breakpoints[i] times and then as many values. */
enum pcf_status pcf_clock_fill(const struct pcf_clock *clock, const struct pcf_collection *x,
                               int threads, const atomic_int *stop, const int64_t *breakpoints,
                               double *const *result, struct pcf_error *error);

#endif
