/* Two functions combined by an operator, for many pairs. */
#pragma once

#include "algebra/operators.h"
#include "arrays/partition.h"
#include "collections/collection.h"

/* One side: functions, or, where that is NULL, numbers. Not both sides are numbers. */
struct pcf_operand {
  const struct pcf_collection *functions;
  const double *numbers;
  int64_t count;
};

/* All pairs: result i combines element i % count of each operand. A result has the breakpoints
 * of both functions, those that they share once, also where its value does not change; with a
 * number, those of the function.
 *
 * Step functions give step functions, which are 0 before the first breakpoint of both.
 *
 * If one operand is linear, so is the other one (see algebra/aligned.h), and the result is
 * linear or, of comparisons, a step function. Where lines cross, comparisons and extrema have a
 * further breakpoint. Before the first one the operator is applied as well, unless both are 0
 * there: so is the result.
 *
 * The collections may be partial: see pcf_apply(). */
struct pcf_combination {
  enum pcf_operator operation;
  struct pcf_operand left, right;
  int64_t count;
  struct pcf_portions portions; /* of the pairs: the breakpoints of both sides */
  atomic_int unsound;           /* 0; set where a function breaks the rules of collections */
  uint8_t *steps;               /* room for as many bytes as the total: counting stores here
                                   which breakpoints come from which side, filling reads it */
  struct pcf_place fault; /* filling sets it to the first breakpoint from which on a product
                             or quotient of lines is not linear, and where it is missing
                             then; else, at which a left limit or, else, a value is neither
                             finite nor missing; else, from which on a line is too steep; else
                             to PCF_NOWHERE */
  struct pcf_place bend, left_fault, steep; /* those, while filling */
};

static inline int pcf_combines_lines(const struct pcf_combination *combination) {
  const struct pcf_operand *left = &combination->left, *right = &combination->right;
  return (left->functions && left->functions->linear) ||
         (right->functions && right->functions->linear);
}

/* Are the results linear? */
static inline int pcf_combines_to_lines(const struct pcf_combination *combination) {
  return pcf_combines_lines(combination) && !pcf_compares(combination->operation);
}

/* The number of elements of pair i in `portions`. */
int64_t pcf_combination_length(const struct pcf_combination *combination, int64_t i);

/* Counts the breakpoints of all results into portions.total, and fills portions.place. Checks
 * the times of the functions: PCF_ERROR_ARGUMENT where they break the rules of collections. */
enum pcf_status pcf_combination_count(struct pcf_combination *combination, int threads,
                                      const atomic_int *stop, struct pcf_error *error);

/* Fills portions.result[i], a matrix of portions.total[i] rows, also where there is a fault.
 * Checks the values of step functions, as counting does the times; linear ones must be sound.
 */
enum pcf_status pcf_combination_fill(struct pcf_combination *combination, int threads,
                                     const atomic_int *stop, struct pcf_error *error);
