/* The slopes of piecewise linear functions, as step functions, and the integrals of step
 * functions up to each time, as lines. */
#pragma once

#include "arrays/partition.h"
#include "collections/collection.h"

/* Each function of x has a result; `fault` is the first place where there is none, and nowhere
 * at first. */
struct pcf_calculus {
  const struct pcf_collection *x; /* sound */
  double *const *result;
  struct pcf_place fault;
};

/* Slopes of lines. A result has the breakpoints of its function, and one at −∞ before them if
 * the function is not observed there. It is missing where the function is, and where the line
 * is only the rest of a measurement, which ends at the next time. What jumps has no slope:
 * jumps are faults, and add nothing. */
int64_t pcf_derivative_length(const struct pcf_collection *x, int64_t i);

/* Fills result[i], a matrix of that many times and then as many values. */
enum pcf_status pcf_derivative_fill(struct pcf_calculus *derivative, int threads,
                                    const atomic_int *stop, struct pcf_error *error);

/* Integrals of step functions. A result has the breakpoints of its function but one at −∞. It
 * is 0 before them, and missing from the first missing value on. Integrals that overflow are
 * faults. */
int64_t pcf_cumulation_length(const struct pcf_collection *x, int64_t i);

/* Fills result[i], a matrix of that many times, limits from the left and values. */
enum pcf_status pcf_cumulation_fill(struct pcf_calculus *cumulation, int threads,
                                    const atomic_int *stop, struct pcf_error *error);
