/* What a sum is made with: the form of its numbers, its divisor and its points. */
#pragma once

#include "algebra/events.h"
#include "algebra/fixed.h"
#include "algebra/sparse-rows.h"
#include "collections/curves.h"

/* Products of weights and values are multiplied by 2^shift, which keeps them within the range
 * of double. It is applied to the weights, unless some of them would underflow. */
struct pcf_summing {
  struct pcf_fixed fixed;
  int shift;
  int apart;   /* are exponents added up apart from products? */
  int missing; /* are values missing? They count as 0 */
  /* Of piecewise linear functions (algebra/line-summing.h): */
  const struct pcf_collection *x;
  const int64_t *function; /* of each entry of the row */
  const double *weight;    /* NULL: all 1 */
  int64_t entries;
  struct pcf_fixed slopes; /* the form of the sum of slopes, which follows that of values */
  double origin, scale;    /* of times; 2^shift */
};

/* The numbers of a sum. */
static inline size_t pcf_sum_length(const struct pcf_summing *summing) {
  return (size_t)(summing->fixed.limbs + summing->slopes.limbs);
}

enum { PCF_MAX_SUM = 2 * PCF_MAX_LIMBS };

/* What the sum of a row is divided by where that changes with time: divisor[k] from time[k] on,
 * increasing times, and 0 before the first. Where it is 0 the result is missing. */
struct pcf_divisor_steps {
  int64_t count;
  const double *time, *divisor;
};

/* The divisor of a row as time goes on. */
struct pcf_dividing {
  struct pcf_divisor divisor;
  const struct pcf_divisor_steps *steps; /* NULL: it stays */
  int64_t behind;                        /* of the steps */
  int shift, none;
};

/* Set the divisor to that at the time of a key, and right before it. */
void pcf_divide_at(struct pcf_dividing *dividing, uint64_t key);
void pcf_divide_before(struct pcf_dividing *dividing, uint64_t key);

/* The points of a function that are made one after the other. A point that does not change the
 * value is left out; `started` says that there is a value to compare with. */
struct pcf_points {
  struct pcf_point *point; /* of piecewise linear functions pcf_line_point */
  int64_t count;
  double last;
  int started, infinite;
};
