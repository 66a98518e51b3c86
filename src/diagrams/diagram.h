/* Functions from persistence diagrams: stable ranks, Betti and Euler curves, accumulated
 * persistence. */
#pragma once

#include "diagrams/bars.h"

/* The most breakpoints that the function of a diagram can have; at least 1. */
int64_t pcf_curve_room(const struct pcf_diagram *diagram, enum pcf_curve curve);

/* Fills times, values and breakpoints on several threads; the result does not depend on how
 * many. Returns PCF_ERROR_ARGUMENT with `fault` for a bar that breaks the rules, otherwise
 * PCF_ERROR_MEMORY or, after a non-zero `stop`, PCF_ERROR_INTERRUPTED. */
enum pcf_status pcf_build_curves(const struct pcf_diagram_curves *curves, int threads,
                                 const atomic_int *stop, struct pcf_bar_fault *fault,
                                 struct pcf_error *error);

/* Copies function i to functions[i], its times and then its values. Errors as above. */
enum pcf_status pcf_copy_curves(const struct pcf_diagram_curves *curves,
                                double *const *functions, int threads, const atomic_int *stop,
                                struct pcf_error *error);
