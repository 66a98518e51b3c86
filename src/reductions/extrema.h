/* Pointwise extrema of many functions. */
#pragma once

#include "collections/curves.h"
#include "reductions/sparse-rows.h"

/* For each row of sound functions (weights and divisors are ignored), the function whose value
 * at each time is the largest (PCF_MAXIMUM) or smallest of theirs. Before its first time the
 * value of a function is 0. The result has the first time of the row's functions and each later
 * one at which it changes; a row without entries is 0 from the time 0 on. Where values are
 * missing (rows->missing), the result is missing, or, with rows->observed_only, that of the
 * others, and missing where there are none.
 *
 * Extrema of piecewise linear functions also bend where these meet; see
 * reductions/line-levels.h.
 *
 * PCF_ERROR_ARGUMENT when a function is too long for R. Free `curves` with pcf_curves_free(),
 * whatever the status. */
enum pcf_extremum { PCF_MAXIMUM, PCF_MINIMUM };

enum pcf_status pcf_extrema(const struct pcf_collection *x, const struct pcf_rows *rows,
                            enum pcf_extremum extremum, int threads, const atomic_int *stop,
                            struct pcf_curves *curves, struct pcf_error *error);

/* For tests: how many events a part of a row should have. */
extern int64_t pcf_extrema_part;
