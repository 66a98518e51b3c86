/* The slopes of piecewise linear functions, as step functions, and the integrals of step
 * functions up to each time, as lines. */
#pragma once

#include "arrays/partition.h"
#include "collections/collection.h"

/* A result has the breakpoints of its function, and one at −∞ before them if the function is
 * not observed there. It is missing where the function is, and where the line is only the rest
 * of a measurement, which ends at the next time. What jumps has no slope: jumps add nothing. */
struct pcf_derivative {
  const struct pcf_collection *x; /* sound lines */
  double *const *result;
  struct pcf_place jump; /* the first jump; nowhere at first */
};

/* The number of breakpoints of result i. */
int64_t pcf_derivative_length(const struct pcf_collection *x, int64_t i);

/* Fills result[i], a matrix of that many times and then as many values. */
enum pcf_status pcf_derivative_fill(struct pcf_derivative *derivative, int threads,
                                    const atomic_int *stop, struct pcf_error *error);

/* A result has the breakpoints of its function but one at −∞. It is 0 before them, and missing
 * from the first missing value on. */
struct pcf_cumulation {
  const struct pcf_collection *x; /* sound step functions */
  double *const *result;
  struct pcf_place overflow; /* the first integral that overflows; nowhere at first */
};

/* The number of breakpoints of result i. */
int64_t pcf_cumulation_length(const struct pcf_collection *x, int64_t i);

/* Fills result[i], a matrix of that many times, limits from the left and values. */
enum pcf_status pcf_cumulation_fill(struct pcf_cumulation *cumulation, int threads,
                                    const atomic_int *stop, struct pcf_error *error);
