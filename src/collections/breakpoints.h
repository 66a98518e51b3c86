/* From sorted times and steps to the breakpoints of a function. */
#pragma once

#include "collections/steps.h"

/* Where the breakpoints of a function go, and how many are there. The caller owns the arrays,
 * with room for a breakpoint for each time or step that is written. */
struct pcf_output {
  double *times, *values;
  int64_t count;
};

void pcf_add_breakpoint(struct pcf_output *output, double time, double value);

/* Appends the breakpoints of sorted steps, added to `sum`, in which the last sum is stored.
 * `both_ways` says that changes differ in sign: only then can they cancel. */
void pcf_write_steps(struct pcf_output *output, const struct pcf_step *steps, int64_t count,
                     int both_ways, struct pcf_total *sum);

/* Appends a count that goes down from `start`, by 1 at each of the sorted times. */
void pcf_write_falls(struct pcf_output *output, const double *down, int64_t downs,
                     double start);

/* The times of a count that goes up by 1 and down by 1, each sorted, none of them -0, with
 * -INFINITY before them and INFINITY after them: up[-1], up[ups], down[-1], down[downs]. */
struct pcf_counts {
  const double *up, *down;
  int64_t ups, downs;
};

/* Replaces the output by the breakpoints of a count that starts at 0. */
void pcf_write_counts(struct pcf_output *output, const struct pcf_counts *counts);
