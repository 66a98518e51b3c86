/* Functions restricted to a window. */
#pragma once

#include "arrays/partition.h"
#include "collections/collection.h"

/* Functions on the window [from, to), and 0 outside. The breakpoints of a result are `from`, if
 * the function has begun before it, those of the function within the window, and `to`, if it is
 * finite, with the value 0. Missing values within the window stay missing. from < to. */
struct pcf_restriction {
  const struct pcf_collection *x;
  double from, to;
  struct pcf_portions portions; /* of the results: their breakpoints; places are not needed */
};

/* The number of breakpoints of result i. */
int64_t pcf_restriction_length(const struct pcf_restriction *restriction, int64_t i);

/* Fills portions.result[i], a matrix of that many times and then as many values. */
enum pcf_status pcf_restriction_fill(struct pcf_restriction *restriction, int threads,
                                     const atomic_int *stop, struct pcf_error *error);
