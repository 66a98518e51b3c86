/* ffi_measure() and ffi_evaluate(): one number, or a row of numbers, for every function. */
#include "glue/glue.h"
#include "glue/r-pairs.h"
#include "glue/r-reserve.h"

#include "cuda/evaluate.h"
#include "cuda/norms.h"
#include "summaries/evaluate.h"
#include "summaries/norms.h"

/* The value of a run that may have found a function that is not sound. */
static SEXP answer_or_fault(SEXP value, enum pcf_status status, const struct pcf_fault *fault,
                            const struct pcf_error *error) {
  if (status != PCF_ERROR_ARGUMENT || !fault->problem) return glue_answer(value, status, error);
  return glue_fault("x", fault);
}

/* The collection of a call, which is done where that is faster: `units` of work for each
 * breakpoint, and more for each function. What a GPU is to read is checked before. */
static SEXP read_collection(SEXP x, struct glue_place *place, enum pcf_work work,
                            const double *units, struct pcf_collection *collection,
                            int *missing) {
  struct pcf_range range = PCF_EMPTY_RANGE;
  SEXP problem = glue_collection(x, collection);
  if (problem != R_NilValue) return glue_problem_with("x", problem);
  collection->partial = 1;
  double breakpoints = (double)pcf_total_breakpoints(collection);
  glue_choose(place, work, collection,
              units[0] * breakpoints + units[1] * (double)collection->count);
  if (!place->on_gpu) return R_NilValue;
  problem = glue_check("x", place->settings.threads, collection, &range);
  *missing = range.missing;
  return problem;
}

/* ---- Norms and integrals ---- */

struct measure_call {
  struct pcf_collection x;
  struct pcf_measuring measuring;
  int threads;
  struct glue_place place;
  double *result;
  int missing;
  struct pcf_fault fault;
};

static enum pcf_status measure(void *call_, const atomic_int *stop, struct pcf_error *error) {
  struct measure_call *call = call_;
  if (call->place.on_gpu) {
    enum pcf_status status = pcf_cuda_norms(&call->x, &call->measuring, &call->place.settings,
                                            stop, call->result, error);
    if (!glue_falls_back(&call->place, status, error)) return status;
  }
  return pcf_measure(&call->x, &call->measuring, call->threads, stop, call->result,
                     &call->missing, &call->fault, error);
}

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
SEXP ffi_measure(SEXP x, SEXP measure_, SEXP p, SEXP window, SEXP threads, SEXP shape,
                 SEXP settings) {
  struct measure_call call = {.threads = glue_threads(threads), .place = glue_place(settings)};
  call.measuring = read_measuring(measure_, p, window);
  const double units[] = {1, 0};
  enum pcf_work work = call.measuring.measure == PCF_NORM_LP ? PCF_WORK_POWERS : PCF_WORK_NORMS;
  SEXP problem = read_collection(x, &call.place, work, units, &call.x, &call.missing);
  if (problem != R_NilValue) return problem;
  SEXP value = PROTECT(Rf_allocVector(REALSXP, XLENGTH(x)));
  call.result = REAL(value);
  struct pcf_error error = {0};
  int small = glue_is_small(&call.place, pcf_total_breakpoints(&call.x), call.x.count);
  enum pcf_status status = glue_run_sized(small, measure, &call, &error);
  glue_set_attributes(value, shape);
  SEXP result = status ? answer_or_fault(value, status, &call.fault, &error)
                       : measured(value, call.missing);
  UNPROTECT(1);
  return result;
}

/* ---- Values at times ---- */

struct evaluate_call {
  struct pcf_collection x;
  struct pcf_times_at at;
  int threads;
  struct glue_place place;
  double *result;
  struct pcf_fault fault;
};

static enum pcf_status evaluate(void *call_, const atomic_int *stop, struct pcf_error *error) {
  struct evaluate_call *call = call_;
  if (call->place.on_gpu) {
    enum pcf_status status =
      pcf_cuda_evaluate(&call->x, &call->at, &call->place.settings, stop, call->result, error);
    if (!glue_falls_back(&call->place, status, error)) return status;
  }
  return pcf_evaluate(&call->x, &call->at, call->threads, stop, call->result, &call->fault,
                      error);
}

/* `times`: doubles in increasing order; `columns`: which column of the result belongs to each,
 * from 1, or NULL. `shape`: attributes of the result, which has one row for each function.
 * `settings`: NULL, or those of a run on a GPU. */
SEXP ffi_evaluate(SEXP x, SEXP times, SEXP columns, SEXP threads, SEXP shape, SEXP settings) {
  struct evaluate_call call = {.threads = glue_threads(threads), .place = glue_place(settings)};
  int missing;
  call.at.time = glue_increasing(times, "times");
  call.at.count = XLENGTH(times);
  call.at.column = glue_columns(columns, XLENGTH(times));
  const double units[] = {0, (double)XLENGTH(times)};
  SEXP problem = read_collection(x, &call.place, PCF_WORK_VALUES, units, &call.x, &missing);
  if (problem != R_NilValue) return problem;
  struct glue_filling filling = {
    .length = glue_length(XLENGTH(x), XLENGTH(times)),
    .numbers = &call.result,
    .work = evaluate,
    .context = &call,
  };
  int64_t numbers = pcf_total_breakpoints(&call.x) + filling.length;
  filling.small = glue_is_small(&call.place, numbers, call.x.count);
  SEXP value = PROTECT(glue_fill(&filling));
  glue_set_attributes(value, shape);
  SEXP result = answer_or_fault(value, filling.status, &call.fault, &filling.error);
  UNPROTECT(1);
  return result;
}
