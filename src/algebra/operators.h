/* What operators do to values. */
#pragma once

#include <stdint.h>

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
  PCF_EQUAL,
  PCF_UNEQUAL,
  PCF_AND,
  PCF_OR,
  PCF_LARGER,
  PCF_SMALLER,
  PCF_LARGER_KNOWN, /* of those that are not missing */
  PCF_SMALLER_KNOWN,
  PCF_APART,  /* the absolute value of their difference */
  PCF_FIRST,  /* the left one, on the breakpoints of both */
  PCF_SECOND, /* the right one */
};

static inline int pcf_compares(enum pcf_operator operation) {
  return operation >= PCF_LESS && operation <= PCF_UNEQUAL;
}

/* Does it bend where lines cross? */
static inline int pcf_bends(enum pcf_operator operation) {
  return operation >= PCF_LARGER && operation <= PCF_APART;
}

/* How a value is computed from two; `missing` says that some may be missing. */
struct pcf_rule {
  enum pcf_operator operation;
  int missing;
};

/* value[k] of a[k] and b[k]. It is missing where either is, except that 0 & missing is 0,
 * 1 | missing is 1, and those of one side or of known values are missing only where these are.
 */
void pcf_apply(struct pcf_rule rule, int64_t n, const double *a, const double *b,
               double *value);
