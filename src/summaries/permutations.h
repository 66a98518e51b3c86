/* Groups that are permuted many times: sums of distances, and distances between means. */
#pragma once

#include "base/error.h"

#include <stdatomic.h>
#include <stdint.h>

/* Which group each of `count` members is in, for each permutation: label[member + k * count] is
 * from 0 to groups - 1 in permutation k. */
struct pcf_labels {
  const int *label;
  int64_t count, permutations;
  int groups;
};

/* The sums of the distances, or of their squares, within and between the groups. `distance` has
 * the pairs in the order of R's `dist`: below the diagonal, column by column. sums[g + h *
 * groups] is the sum over all pairs of a member of g and one of h, each pair once; for each
 * permutation there are groups * groups numbers. */
enum pcf_status pcf_permuted_sums(const struct pcf_labels *labels, const double *distance,
                                  int squared, int threads, const atomic_int *stop,
                                  double *sums, struct pcf_error *error);

/* Where the functions of a collection change, in the order of time: function function[k], from
 * 0 on, goes to to[k], which is finite, and the next change comes after width[k]. A width of 0
 * adds nothing. All functions begin with 0.
 *
 * Where functions are not observed everywhere, `observed` is not NULL: observed[k] is 1, −1 or
 * 0 where the function begins to be observed, ends, and neither; their values elsewhere are 0.
 * They begin as not observed. A width of −1 is then one without end, on which means do not
 * differ. */
struct pcf_moves {
  int64_t count;
  const int *function;
  const double *to, *width;
  const int *observed;
  int mean;     /* are integrals to be divided by the length of what they are over? */
  double least; /* means that share less, in the unit of widths, have no distance; 0 */
};

/* The Lp distances between the mean functions of the groups, a number for each pair of groups g
 * < h (of h = 1: g = 0; of h = 2: g = 0, g = 1; …) and each permutation. p is at least 1, or
 * infinite. Every group has a member. Means are exact up to count * 2^-52 of the largest
 * difference of two values at the time. They are those of the functions that are observed at a
 * time, and are compared where both groups have such functions; the distance is NaN if that is
 * nowhere, or for less than `least`. */
enum pcf_status pcf_permuted_means(const struct pcf_labels *labels,
                                   const struct pcf_moves *moves, double p, int threads,
                                   const atomic_int *stop, double *distances,
                                   struct pcf_error *error);
