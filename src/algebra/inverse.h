/* Which way functions go, the inverses of monotone ones, and when functions reach a level. */
#pragma once

#include "arrays/partition.h"
#include "collections/collection.h"

/* All collections here are partial ones, and sound. A function counts from one value that is
 * observed to the next one. The zero before the first breakpoint counts if the first value is
 * reached from it in the direction of the function. Otherwise the function begins with its
 * first value, as a survival curve does with 1 at the time 0. Of a line, the value before the
 * first breakpoint counts unless it is such a zero. */

/* The first place at which a function rises, and the first at which one falls, from one
 * observed value to the next one; a zero before the first breakpoint does not count. The
 * position of a step function is a breakpoint; of a line, 2k is the limit from the left at
 * breakpoint k, and 2k + 1 its value. */
struct pcf_trends {
  struct pcf_place rise, fall;
};

enum pcf_status pcf_find_trends(const struct pcf_collection *x, int threads,
                                const atomic_int *stop, struct pcf_trends *trends,
                                struct pcf_error *error);

/* The same over whole functions: the first function whose last observed value is above its
 * first one, and the first whose last one is below. The position is that of the last value. The
 * value of a line before its first breakpoint does not count. */
enum pcf_status pcf_find_ends(const struct pcf_collection *x, int threads,
                              const atomic_int *stop, struct pcf_trends *trends,
                              struct pcf_error *error);

/* The inverse of a function that never falls is the first time at which it is at least u, that
 * of a function that never rises (`falling`) the first time at which it is at most u. It is
 * missing where u is not between the lowest and the highest value, and where the function
 * passes u while it is not observed. The breakpoints of a result are the values of the
 * function, from the lowest to the highest one, and for step functions −∞, from which on it is
 * missing. The inverses of lines are lines: they jump where a function is flat, and may be too
 * steep for a collection where it is nearly so. */
struct pcf_inversion {
  const struct pcf_collection *x;
  int falling;
  struct pcf_portions portions; /* of the functions: their breakpoints */
};

/* Counts the breakpoints of all results into portions.total, at least 1 each. */
enum pcf_status pcf_inversion_count(struct pcf_inversion *inversion, int threads,
                                    const atomic_int *stop, struct pcf_error *error);

/* Fills portions.result[i], a matrix of portions.total[i] rows, as of the family of x. */
enum pcf_status pcf_inversion_fill(struct pcf_inversion *inversion, int threads,
                                   const atomic_int *stop, struct pcf_error *error);

/* Levels, in the order in which functions that never fall reach them. Level l has the column
 * column[l] of the result, or l where that is NULL. A level counts as reached within
 * `tolerance`, less than 1, times its size. With `middle`, a function that stays at a level
 * reaches it at the middle of that stretch. If each function has its `own` level, level[i] is
 * that of function i, and the only one. */
struct pcf_levels {
  const double *level;
  const int64_t *column;
  int64_t count;
  double tolerance;
  int middle, own;
};

/* The first time at which each function reaches each level, in a matrix with a row for each
 * function: −∞ where it has reached it from the start of time on, the first observed time where
 * it has reached it there, missing where it never does and where it does so while it is not
 * observed. The functions need not be monotone. */
enum pcf_status pcf_crossing_times(const struct pcf_collection *x, int falling,
                                   const struct pcf_levels *levels, int threads,
                                   const atomic_int *stop, double *result,
                                   struct pcf_error *error);
