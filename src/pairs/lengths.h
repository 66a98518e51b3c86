/* Lengths of overlaps, by which means are divided: how long both functions of a pair are
 * observed in the window, or the integral of the weight over that.
 *
 * How long a row has been observed up to a time t is held + (t or 0), where `held` changes only
 * when the row begins or ends to be observed. The overlap with a column is the sum of the
 * differences of two of these, one for each stretch on which the column is observed. Times and
 * lengths are whole numbers of a unit, modulo 2^64: their sums have no rounding errors, so that
 * a pair has the same length in every block, and by any instruction set. The unit is so small
 * that rounding to it costs no more digits than adding up numbers would; pairs whose overlap is
 * too short for that are gone through one by one (pairs/means.c). */
#ifndef PCF_LENGTHS_H
#define PCF_LENGTHS_H

#include "base/instructions.h"
#include "collections/collection.h"
#include "pairs/integral.h"
#include "pairs/kernels.h"

#include <stdatomic.h>

/* All zero is a state that can be freed. */
struct pcf_lengths {
  const struct pcf_collection *x, *y; /* indicators; y is x where there is no other one */
  struct pcf_integral integral;       /* by which they are seen */
  const struct pcf_weight *weight;    /* in scaled time, or NULL */
  int64_t *before;                    /* its integral up to where each piece begins, in units */
  int bits;                           /* a unit is 2^-bits of scaled time */
  double unit;                        /* the same in the user's time */
  int64_t least;                      /* shorter overlaps have too few digits */
  struct pcf_observed_band *rows, *columns; /* the same where y is x */
};

/* Prepares the indicators of planned pairs. `integral` is that of the pairs, with times rounded
 * as its method adds them up. PCF_ERROR_MEMORY, PCF_ERROR_INTERRUPTED. Free with
 * pcf_lengths_free(), whatever the status. */
enum pcf_status pcf_lengths_make(struct pcf_lengths *lengths, const struct pcf_collection *x,
                                 const struct pcf_collection *y,
                                 const struct pcf_integral *integral, int threads,
                                 const atomic_int *stop, struct pcf_error *error);
void pcf_lengths_free(struct pcf_lengths *lengths);

/* The length of the overlap of a row and a column, in units. */
int64_t pcf_length_of_pair(const struct pcf_lengths *lengths, int64_t row, int64_t column);

#endif
