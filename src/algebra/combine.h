/* Two functions combined by an operator, for many pairs. */
#pragma once

#include "collections/collection.h"
#include "collections/partition.h"

/* Comparisons and logic give 1 or 0; a number other than 0 counts as true. */
enum pcf_operator {
  PCF_ADD,
  PCF_SUBTRACT,
  PCF_MULTIPLY,
  PCF_DIVIDE,
  PCF_LESS,
  PCF_LESS_EQUAL,
  PCF_GREATER,
  PCF_GREATER_EQUAL,
  PCF_AND,
  PCF_OR,
  PCF_FIRST,  /* the left one, on the breakpoints of both */
  PCF_SECOND, /* the right one */
};

/* One side: functions, or, where that is NULL, numbers. Not both sides are numbers. */
struct pcf_operand {
  const struct pcf_collection *functions;
  const double *numbers;
  int64_t count;
};

/* All pairs: result i combines element i % count of each operand. A result has the breakpoints
 * of both functions, those that they share once, also where its value does not change; with a
 * number, those of the function. It is 0 before the first of them.
 *
 * The collections may be partial. A result is missing where either side is, except that 0 &
 * missing is 0, 1 | missing is 1, and PCF_FIRST and PCF_SECOND are missing only where their
 * side is. */
struct pcf_combination {
  enum pcf_operator operation;
  struct pcf_operand left, right;
  int64_t count;
  struct pcf_portions portions; /* of the pairs: the breakpoints of both sides */
  atomic_int unsound;           /* 0; set where a function breaks the rules of collections */
  uint8_t *steps;               /* room for as many bytes as the total: counting stores here
                                   which breakpoints come from which side, filling reads it */
  struct pcf_place fault;       /* filling sets it to the first breakpoint at which a value is
                                   neither finite nor missing, else to PCF_NOWHERE */
};

/* The number of elements of pair i in `portions`. */
int64_t pcf_combination_length(const struct pcf_combination *combination, int64_t i);

/* Counts the breakpoints of all results into portions.total, and fills portions.place. Checks
 * the times of the functions: PCF_ERROR_ARGUMENT where they break the rules of collections. */
enum pcf_status pcf_combination_count(struct pcf_combination *combination, int threads,
                                      const atomic_int *stop, struct pcf_error *error);

/* Fills portions.result[i], a matrix of portions.total[i] times and then as many values, also
 * where there is a fault. Checks the values of the functions, as counting does their times. */
enum pcf_status pcf_combination_fill(struct pcf_combination *combination, int threads,
                                     const atomic_int *stop, struct pcf_error *error);
