/* Where functions are observed, and where not: where their values are missing. Before its first
 * time a step function is 0, and that is observed; a line is observed there unless its first
 * left limit is missing. */
#pragma once

#include "base/error.h"
#include "collections/owned.h"

#include <stdatomic.h>

/* All of these take sound functions. Status: PCF_ERROR_MEMORY, and PCF_ERROR_INTERRUPTED when
 * `stop` (or NULL) becomes non-zero. */

/* ---- Indicator functions: 1 where a function is observed, 0 elsewhere ---- */

/* The breakpoints of an indicator are those at which it changes. The indicator of a function
 * that is observed everywhere is 1 from −∞ on; that of a function that never is observed is 0
 * from the time 0. */

/* The indicators of sound functions, still to be written. */
struct pcf_unwritten pcf_indicators(const struct pcf_collection *x);

/* ---- Ends of windows ---- */

/* For a function i that is not observed right before `to`, the end of the last stretch before
 * `to` on which it is observed, or −∞ where there is none; NaN where it is observed there. And
 * for one that is not observed right after `from`, the start of the next stretch on which it
 * is, or ∞. Both `to` and `from` are finite. */
double pcf_observed_until(const struct pcf_collection *x, int64_t i, double to);
double pcf_observed_from(const struct pcf_collection *x, int64_t i, double from);

/* ---- Comparing ---- */

/* A function that is not observed on the same stretches as another one: [from, to) is the first
 * stretch on which one is observed and the other is not. */
struct pcf_observed_difference {
  int64_t function; /* -1: there is none */
  double from, to;
  int observed; /* is this function the one that is? */
};

/* Finds the first function of x that is not observed on the same stretches of the window
 * [from, to) as function 0 of `reference`, which may be x; from < to. */
enum pcf_status pcf_find_observed_difference(const struct pcf_collection *x,
                                             const struct pcf_collection *reference,
                                             double from, double to, int threads,
                                             const atomic_int *stop,
                                             struct pcf_observed_difference *difference,
                                             struct pcf_error *error);
