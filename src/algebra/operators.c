#include "algebra/operators.h"

#include "base/bits.h"

#include <math.h>

static void apply_to_numbers(enum pcf_operator operation, int64_t n, const double *a,
                             const double *b, double *value);

/* The value where at least one of two is missing. */
static double over_missing(enum pcf_operator operation, double a, double b) {
  double left = isnan(a) ? pcf_missing() : a, right = isnan(b) ? pcf_missing() : b;
  switch (operation) {
  case PCF_AND: return a == 0 || b == 0 ? 0 : pcf_missing();
  case PCF_OR: return fabs(a) > 0 || fabs(b) > 0 ? 1 : pcf_missing();
  case PCF_LARGER_KNOWN:
  case PCF_SMALLER_KNOWN: return isnan(a) ? right : left;
  case PCF_FIRST: return left;
  case PCF_SECOND: return right;
  default: return pcf_missing();
  }
}

void pcf_apply(struct pcf_rule rule, int64_t n, const double *a, const double *b,
               double *value) {
  apply_to_numbers(rule.operation, n, a, b, value);
  if (!rule.missing) return;
  for (int64_t k = 0; k < n; k++) {
    if (isnan(a[k]) || isnan(b[k])) value[k] = over_missing(rule.operation, a[k], b[k]);
  }
}

static void apply_to_numbers(enum pcf_operator operation, int64_t n, const double *a,
                             const double *b, double *value) {
#define FOR_ALL(expression)                                \
  for (int64_t k = 0; k < n; k++) value[k] = (expression); \
  break
  switch (operation) {
  case PCF_ADD: FOR_ALL(a[k] + b[k]);
  case PCF_SUBTRACT: FOR_ALL(a[k] - b[k]);
  case PCF_MULTIPLY: FOR_ALL(a[k] * b[k]);
  case PCF_DIVIDE: FOR_ALL(a[k] / b[k]);
  case PCF_LESS: FOR_ALL(a[k] < b[k]);
  case PCF_LESS_EQUAL: FOR_ALL(a[k] <= b[k]);
  case PCF_GREATER: FOR_ALL(a[k] > b[k]);
  case PCF_GREATER_EQUAL: FOR_ALL(a[k] >= b[k]);
  case PCF_EQUAL: FOR_ALL(a[k] == b[k]);
  case PCF_UNEQUAL: FOR_ALL(a[k] != b[k]);
  case PCF_AND: FOR_ALL(a[k] != 0 && b[k] != 0);
  case PCF_OR: FOR_ALL(a[k] != 0 || b[k] != 0);
  case PCF_LARGER:
  case PCF_LARGER_KNOWN: FOR_ALL(b[k] > a[k] ? b[k] : a[k]);
  case PCF_SMALLER:
  case PCF_SMALLER_KNOWN: FOR_ALL(b[k] < a[k] ? b[k] : a[k]);
  case PCF_APART: FOR_ALL(fabs(a[k] - b[k]));
  case PCF_FIRST: FOR_ALL(a[k]);
  case PCF_SECOND: FOR_ALL(b[k]);
  }
#undef FOR_ALL
}
