/* ffi_measure() and ffi_evaluate(): one number, or a row of numbers, for every function. */
#include "glue.h"

#include "base/memory.h"

#include "functions/evaluate.h"
#include "functions/norms.h"
#include "functions/partition.h"

#include <string.h>

/* The value of a run that may have found a function that is not sound. */
static SEXP answer_or_fault(SEXP value, enum pcf_status status, const struct pcf_fault *fault,
                            const struct pcf_error *error) {
  if (status != PCF_ERROR_ARGUMENT || !fault->problem) return glue_answer(value, status, error);
  return glue_fault("x", fault);
}

/* ---- Norms and integrals ---- */

struct measure_call {
  struct pcf_collection x;
  struct pcf_measuring measuring;
  int threads;
  double *result;
  struct pcf_fault fault;
};

static enum pcf_status measure(void *call_, const atomic_int *stop, struct pcf_error *error) {
  struct measure_call *call = call_;
  return pcf_measure(&call->x, &call->measuring, call->threads, stop, call->result,
                     &call->fault, error);
}

static enum pcf_measure measure_named(const char *name) {
  static const char *const names[] = {"l1", "l2", "lp", "linf", "integral"};
  return (enum pcf_measure)glue_position_of(name, names, 5);
}

/* `window`: c(from, to). `shape`: a list of attributes for the result, a double vector. */
SEXP ffi_measure(SEXP x, SEXP measure_, SEXP p, SEXP window, SEXP threads, SEXP shape) {
  struct measure_call call = {.threads = Rf_asInteger(threads)};
  call.measuring = (struct pcf_measuring){measure_named(CHAR(STRING_ELT(measure_, 0))),
                                          Rf_asReal(p), REAL(window)[0], REAL(window)[1]};
  SEXP problem = glue_collection(x, &call.x);
  if (problem != R_NilValue) return glue_problem_with("x", problem);
  SEXP value = PROTECT(Rf_allocVector(REALSXP, XLENGTH(x)));
  call.result = REAL(value);
  struct pcf_error error = {0};
  int small = pcf_is_small(pcf_total_breakpoints(&call.x), call.x.count);
  enum pcf_status status = glue_run_sized(small, measure, &call, &error);
  glue_set_attributes(value, shape);
  SEXP result = answer_or_fault(value, status, &call.fault, &error);
  UNPROTECT(1);
  return result;
}

/* ---- Values at times ---- */

struct evaluate_call {
  struct pcf_collection x;
  struct pcf_times_at at;
  int threads;
  double *result;
  struct pcf_fault fault;
};

static enum pcf_status evaluate(void *call_, const atomic_int *stop, struct pcf_error *error) {
  struct evaluate_call *call = call_;
  return pcf_evaluate(&call->x, &call->at, call->threads, stop, call->result, &call->fault,
                      error);
}

/* The columns, counted from 1 in R and from 0 in C; or NULL. */
static const int64_t *columns_of(SEXP columns) {
  if (columns == R_NilValue) return NULL;
  R_xlen_t n = XLENGTH(columns);
  int64_t *column = (int64_t *)R_alloc((size_t)n, sizeof *column);
  for (R_xlen_t j = 0; j < n; j++) {
    int whole = TYPEOF(columns) == INTSXP;
    column[j] = (whole ? INTEGER(columns)[j] : (int64_t)REAL(columns)[j]) - 1;
  }
  return column;
}

/* `times`: doubles in increasing order; `columns`: which column of the result belongs to each,
 * from 1, or NULL. `shape`: attributes of the result, which has one row for each function. */
SEXP ffi_evaluate(SEXP x, SEXP times, SEXP columns, SEXP threads, SEXP shape) {
  struct evaluate_call call = {.threads = Rf_asInteger(threads)};
  call.at = (struct pcf_times_at){XLENGTH(times), REAL(times), columns_of(columns)};
  SEXP problem = glue_collection(x, &call.x);
  if (problem != R_NilValue) return glue_problem_with("x", problem);
  double length = (double)XLENGTH(x) * (double)XLENGTH(times);
  if (length > 4503599627370495.0) Rf_error("the result has more than 2^52 elements");
  SEXP value = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)length));
  call.result = REAL(value);
  pcf_ask_for_huge_pages(call.result, (size_t)length * sizeof(double));
  struct pcf_error error = {0};
  int small = pcf_is_small(pcf_total_breakpoints(&call.x) + (int64_t)length, call.x.count);
  enum pcf_status status = glue_run_sized(small, evaluate, &call, &error);
  glue_set_attributes(value, shape);
  SEXP result = answer_or_fault(value, status, &call.fault, &error);
  UNPROTECT(1);
  return result;
}
