/* Functions without the breakpoints at which nothing changes. */
#pragma once

#include "arrays/partition.h"
#include "collections/collection.h"

/* The canonical form of a function: without the breakpoints at which its value does not
 * change, a leading 0 included, and without negative zeros. Missing values are equal. That of
 * the zero function is the value 0 from the time 0. Two functions are equal if and only if
 * their canonical forms have the same bits.
 *
 * Of a piecewise linear function: without the breakpoints at which a line continues, which are
 * those without a jump that lie, up to rounding, on the line between their neighbours, and
 * those with nothing observed on either side. That of a constant is its value at the time 0. */
struct pcf_simplification {
  const struct pcf_collection *x;
  atomic_int unsound;           /* 0; set where a function breaks the rules of collections */
  atomic_int missing;           /* 0; counting sets it where a value is missing */
  struct pcf_portions portions; /* of the functions: their breakpoints */
  int64_t *kept;                /* for piecewise linear functions, room for as many numbers as
                                   there are breakpoints: counting stores here which are kept,
                                   filling reads it */
};

/* Counts the breakpoints of all results into portions.total, at least 1 each. Checks step
 * functions: PCF_ERROR_ARGUMENT where one breaks the rules of collections. Piecewise linear
 * ones must be sound. */
enum pcf_status pcf_simplification_count(struct pcf_simplification *simplification, int threads,
                                         const atomic_int *stop, struct pcf_error *error);

/* Fills portions.result[i], a matrix of portions.total[i] rows. */
enum pcf_status pcf_simplification_fill(struct pcf_simplification *simplification, int threads,
                                        const atomic_int *stop, struct pcf_error *error);
