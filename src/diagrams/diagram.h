/* Functions from persistence diagrams: stable ranks, Betti and Euler curves, accumulated
 * persistence. */
#pragma once

#include "collections/curves.h"
#include "diagrams/bars.h"

/* The most breakpoints that the function of a diagram can have; at least 1. */
int64_t pcf_curve_room(const struct pcf_diagram *diagram, enum pcf_curve curve);

/* The caller's memory for functions, before it is known how many breakpoints they have. */
struct pcf_curve_space {
  const int64_t *room;    /* count + 1: diagram i has room for room[i + 1] - room[i] >=
                             pcf_curve_room() breakpoints from room[i] on in times, values */
  double *times, *values; /* room[count] each */
};

/* Makes the function of each diagram, in that memory, on several threads; the result does not
 * depend on how many. Returns PCF_ERROR_ARGUMENT with `fault` for a bar that breaks the rules,
 * otherwise PCF_ERROR_MEMORY or, after a non-zero `stop`, PCF_ERROR_INTERRUPTED. Free `curves`
 * with pcf_curves_free(), whatever the status. */
enum pcf_status pcf_build_curves(const struct pcf_diagrams *x,
                                 const struct pcf_curve_space *space, int threads,
                                 const atomic_int *stop, struct pcf_bar_fault *fault,
                                 struct pcf_curves *curves, struct pcf_error *error);
