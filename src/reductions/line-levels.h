/* Pointwise quantiles of groups of piecewise linear functions; also their extrema, which are
 * the quantiles for 0 and 1. */
#pragma once

#include "collections/curves.h"
#include "reductions/sparse-rows.h"

/* For each row of functions (weights and divisors are ignored), the quantiles of type 7 for
 * some probabilities. Where values are missing (rows->missing), they are missing, or, with
 * rows->observed_only, those of the others, and missing where there are none. A row without
 * functions is 0.
 *
 * Function r * probs + q is that of row r. It begins with the first breakpoint of all and ends
 * with the last one. In between it bends, exactly but for rounding, where the line ends that it
 * follows, or meets another. That is at a rounded time, far from 0 up to 1e-7 away, and so are
 * the lines that lead there: breakpoints at the last time before and the first one after it at
 * which any function of the row has one confine that to where nobody looks. */
struct pcf_line_levels {
  const struct pcf_collection *x;
  const struct pcf_rows *rows;
  const double *prob;
  int64_t probs;
};

/* PCF_ERROR_ARGUMENT when a function is too long for R. Free `curves` with pcf_curves_free(),
 * whatever the status. */
enum pcf_status pcf_line_levels(const struct pcf_line_levels *levels, int threads,
                                const atomic_int *stop, struct pcf_curves *curves,
                                struct pcf_error *error);

/* For tests: how many breakpoints are looked at together, at least. */
extern int64_t pcf_line_levels_part;
