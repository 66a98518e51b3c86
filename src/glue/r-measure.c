/* ffi_measure() and ffi_evaluate(): one number, or a row of numbers, for every function. */
#include "glue/glue.h"
#include "glue/r-pairs.h"
#include "glue/r-reserve.h"

/* The value of a run that may have found a function that is not sound. */
static SEXP answer_or_fault(SEXP value, enum pcf_status status, const struct pcf_fault *fault,
                            const struct pcf_error *error) {
  if (status != PCF_ERROR_ARGUMENT || !fault->problem) return glue_answer(value, status, error);
  return glue_fault("x", fault);
}

/* The collection of a call, which is checked while it is computed with. */
static SEXP read_collection(SEXP x, struct pcf_collection *collection) {
  SEXP problem = glue_collection(x, collection);
  collection->partial = 1;
  return problem == R_NilValue ? R_NilValue : glue_problem_with("x", problem);
}

/* ---- Norms and integrals ---- */

static struct pcf_measuring read_measuring(SEXP measure_, SEXP p_, SEXP window_) {
  static const char *const names[] = {"l1", "l2", "lp", "linf", "integral"};
  int which = glue_choice(measure_, "measure", names, 5);
  double p = glue_number(p_, "p");
  const double *window = glue_doubles(window_, "window", 2);
  glue_check_window(window[0], window[1]);
  if (!(p >= 1)) Rf_error("internal error: `p` must be at least 1");
  return (struct pcf_measuring){(enum pcf_measure)which, p, window[0], window[1]};
}

/* An answer of list(value, missing). */
static SEXP measured(SEXP value, int missing) {
  SEXP list = PROTECT(glue_list(2));
  glue_set(list, 0, "value", value);
  glue_set(list, 1, "missing", Rf_ScalarLogical(missing));
  UNPROTECT(1);
  return list;
}

/* `window`: c(from, to). `settings`: NULL, or those of a run on a GPU. `shape`: a list of
 * attributes for the value, a double vector. Where values are missing, which `missing` says,
 * the others count alone. */
SEXP ffi_measure(SEXP x_, SEXP measure_, SEXP p, SEXP window, SEXP threads, SEXP shape,
                 SEXP settings) {
  struct pcf_collection x;
  struct pcf_norms_call call = {.x = &x, .measuring = read_measuring(measure_, p, window)};
  int powers = call.measuring.measure == PCF_NORM_LP;
  struct pcf_single single =
    glue_single(powers ? PCF_POWER_NORMS : PCF_NORMS, &call, threads, settings);
  SEXP problem = read_collection(x_, &x);
  if (problem != R_NilValue) return problem;
  int64_t breakpoints = pcf_total_breakpoints(&x);
  pcf_single_choose(&single, &x, (double)breakpoints);
  SEXP value = PROTECT(Rf_allocVector(REALSXP, XLENGTH(x_)));
  call.result = REAL(value);
  struct pcf_error error = {0};
  int small = glue_is_small(&single, breakpoints, x.count);
  enum pcf_status status = glue_run_sized(small, pcf_single_run, &single, &error);
  glue_set_attributes(value, shape);
  SEXP result = status ? answer_or_fault(value, status, &call.fault, &error)
                       : measured(value, call.missing);
  UNPROTECT(1);
  return result;
}

/* ---- Values at times ---- */

/* `times`: doubles in increasing order; `columns`: which column of the result belongs to each,
 * from 1, or NULL. `shape`: attributes of the result, which has one row for each function.
 * `settings`: NULL, or those of a run on a GPU. */
SEXP ffi_evaluate(SEXP x_, SEXP times, SEXP columns, SEXP threads, SEXP shape, SEXP settings) {
  struct pcf_collection x;
  R_xlen_t count = XLENGTH(times);
  struct pcf_values_call call = {
    .x = &x, .at = {count, glue_increasing(times, "times"), glue_columns(columns, count)}};
  struct pcf_single single = glue_single(PCF_FUNCTION_VALUES, &call, threads, settings);
  SEXP problem = read_collection(x_, &x);
  if (problem != R_NilValue) return problem;
  struct glue_filling filling = {
    .length = glue_length(XLENGTH(x_), count),
    .numbers = &call.result,
    .work = pcf_single_run,
    .context = &single,
  };
  pcf_single_choose(&single, &x, (double)filling.length);
  filling.small = glue_is_small(&single, pcf_total_breakpoints(&x) + filling.length, x.count);
  SEXP value = PROTECT(glue_fill(&filling));
  glue_set_attributes(value, shape);
  SEXP result = answer_or_fault(value, filling.status, &call.fault, &filling.error);
  UNPROTECT(1);
  return result;
}
