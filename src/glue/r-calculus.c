/* Derivatives, integrals up to times, and extreme values of single functions. */
#include "glue/glue.h"

#include "algebra/calculus.h"
#include "summaries/extremes.h"
#include "summaries/running.h"

/* ---- Slopes and integrals ---- */

struct deriving {
  struct glue_making of;
  struct pcf_calculus calculus;
};

GLUE_WORK(derive_work, deriving,
          pcf_derivative_fill(&it->calculus, it->of.threads, stop, error))
GLUE_WORK(cumulate_work, deriving,
          pcf_cumulation_fill(&it->calculus, it->of.threads, stop, error))

typedef int64_t length_of_result(const struct pcf_collection *x, int64_t i);

/* A function from each function of x: list(functions, fault), where `fault` is NULL or the
 * function and the breakpoint of the first fault. */
static SEXP make_from_each(const struct pcf_collection *x, int threads, int linear,
                           length_of_result *length, glue_work *work) {
  struct deriving deriving = {glue_make_many(x->count, threads, glue_is_short(x, 0)),
                              {x, NULL, PCF_NOWHERE}};
  for (int64_t i = 0; i < x->count; i++) deriving.of.breakpoints[i] = length(x, i);
  deriving.calculus.result = deriving.of.result;
  deriving.of.fault = &deriving.calculus.fault;
  deriving.of.linear = linear;
  return glue_make(&deriving.of, NULL, work, &deriving);
}

/* The slopes of lines, as step functions; jumps are faults. */
SEXP ffi_derivative(SEXP x_, SEXP threads_) {
  struct pcf_collection x;
  int threads = glue_threads(threads_);
  GLUE_TRY(glue_check(x_, "x", GLUE_EITHER, threads, &x, NULL));
  if (!x.linear) Rf_error("internal error: `x` must be lines");
  return make_from_each(&x, threads, 0, pcf_derivative_length, derive_work);
}

/* The integrals of step functions up to each time, as lines; what overflows is a fault. */
SEXP ffi_cumulation(SEXP x_, SEXP threads_) {
  struct pcf_collection x;
  int threads = glue_threads(threads_);
  GLUE_TRY(glue_check(x_, "x", GLUE_STEPS, threads, &x, NULL));
  return make_from_each(&x, threads, 1, pcf_cumulation_length, cumulate_work);
}

/* ---- Numbers ---- */

struct numbering {
  struct pcf_collection x;
  int threads;
  struct pcf_extremes extremes;
  struct pcf_running running;
};

GLUE_WORK(extremes_work, numbering, pcf_find_extremes(&it->extremes, it->threads, stop, error))
GLUE_WORK(running_work, numbering,
          pcf_running_integrals(&it->running, it->threads, stop, error))

/* A matrix with a row for each function: its largest or, with `smallest`, its smallest value in
 * the window, and when it is first reached. */
SEXP ffi_extremes(SEXP x, SEXP smallest, SEXP window_, SEXP threads) {
  struct numbering numbering = {.threads = glue_threads(threads)};
  const double *window = glue_window(window_);
  GLUE_TRY(glue_check(x, "x", GLUE_EITHER, numbering.threads, &numbering.x, NULL));
  SEXP value = PROTECT(glue_matrix(XLENGTH(x), 2));
  numbering.extremes = (struct pcf_extremes){.x = &numbering.x,
                                             .from = window[0],
                                             .to = window[1],
                                             .smallest = glue_flag(smallest, "smallest"),
                                             .value = REAL(value),
                                             .time = REAL(value) + XLENGTH(x)};
  SEXP answer =
    glue_run_and_answer(glue_is_short(&numbering.x, 0), extremes_work, &numbering, value);
  UNPROTECT(1);
  return answer;
}

/* The integrals from the time `from` to each of the `times`, doubles in increasing order;
 * `columns`: which column of the result belongs to each, from 1, or NULL. `factors`: do lines
 * fall exponentially? `known`: is an integral over what is missing itself missing? `shape`:
 * attributes of the result, which has one row for each function. Returns list(value, missing),
 * or an error for answer_value(). */
SEXP ffi_running(SEXP x, SEXP from, SEXP times, SEXP columns, SEXP factors, SEXP known,
                 SEXP threads, SEXP shape) {
  struct numbering numbering = {.threads = glue_threads(threads)};
  R_xlen_t count = XLENGTH(times);
  numbering.running = (struct pcf_running){.x = &numbering.x,
                                           .from = glue_number(from, "from"),
                                           .time = glue_increasing(times, "times"),
                                           .column = glue_order(columns, "columns", count),
                                           .count = count,
                                           .falls_by_factors = glue_flag(factors, "factors"),
                                           .known = glue_flag(known, "known")};
  GLUE_TRY(glue_check(x, "x", GLUE_EITHER, numbering.threads, &numbering.x, NULL));
  SEXP value = PROTECT(glue_rows(XLENGTH(x), count));
  numbering.running.result = REAL(value);
  struct pcf_error error = {0};
  int small = glue_is_short(&numbering.x, (double)XLENGTH(value));
  enum pcf_status status = glue_run(small, running_work, &numbering, &error);
  glue_set_attributes(value, shape);
  SEXP answer = status ? glue_answer(R_NilValue, status, &error)
                       : GLUE_LIST(GLUE_VALUE("value", value),
                                   GLUE_FLAG("missing", numbering.running.missing));
  UNPROTECT(1);
  return answer;
}
