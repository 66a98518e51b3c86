/* Functions on the clock of a weight. */
#include "glue.h"

#include "functions/clock.h"

#include <string.h>

struct call {
  struct pcf_collection x, weight;
  const double *window;
  int threads;
  struct pcf_clock clock;
  int64_t *breakpoints;
  double **result;
};

static enum pcf_status count(void *call_, const atomic_int *stop, struct pcf_error *error) {
  struct call *call = call_;
  return pcf_clock_count(&call->clock, &call->x, call->threads, stop, call->breakpoints, error);
}

static enum pcf_status fill(void *call_, const atomic_int *stop, struct pcf_error *error) {
  struct call *call = call_;
  return pcf_clock_fill(&call->clock, &call->x, call->threads, stop, call->breakpoints,
                        call->result, error);
}

static SEXP vector_of(const double *numbers, int64_t length) {
  SEXP vector = Rf_allocVector(REALSXP, (R_xlen_t)length);
  if (length) memcpy(REAL(vector), numbers, (size_t)length * sizeof *numbers);
  return vector;
}

static SEXP describe(const struct pcf_clock *clock) {
  SEXP list = PROTECT(glue_list(6));
  glue_set(list, 0, "from", Rf_ScalarReal(clock->from));
  glue_set(list, 1, "to", Rf_ScalarReal(clock->to));
  glue_set(list, 2, "before", Rf_ScalarReal(clock->before));
  glue_set(list, 3, "times", vector_of(clock->time, clock->knots));
  glue_set(list, 4, "readings", vector_of(clock->clock, clock->knots));
  glue_set(list, 5, "slopes", vector_of(clock->slope, clock->knots));
  UNPROTECT(1);
  return list;
}

static SEXP convert(void *call_) {
  struct call *call = call_;
  struct pcf_error error = {0};
  int small = pcf_total_breakpoints(&call->x) < GLUE_FEW_BREAKPOINTS;
  enum pcf_status status =
    pcf_clock_make(&call->clock, &call->weight, call->window[0], call->window[1], &error);
  if (!status) status = glue_run_sized(small, count, call, &error);
  if (status) return glue_answer(R_NilValue, status, &error);
  SEXP functions = PROTECT(glue_functions(call->x.count, call->breakpoints));
  for (int64_t i = 0; i < call->x.count; i++) {
    call->result[i] = REAL(VECTOR_ELT(functions, (R_xlen_t)i));
  }
  status = glue_run_sized(small, fill, call, &error);
  SEXP value = PROTECT(glue_list(2));
  glue_set(value, 0, "functions", functions);
  glue_set(value, 1, "clock", describe(&call->clock));
  SEXP answer = glue_answer(value, status, &error);
  UNPROTECT(2);
  return answer;
}

static void free_clock(void *call) {
  pcf_clock_free(&((struct call *)call)->clock);
}

/* list(functions, clock): those of `x` on the clock of `weight`, one function, in the window
 * from window[1] to window[2]; and the clock: the window on it, its slope up to its first knot,
 * and its knots. */
SEXP ffi_on_clock(SEXP x, SEXP weight, SEXP window, SEXP threads) {
  struct call call = {.threads = glue_threads(threads),
                      .window = glue_doubles(window, "window", 2)};
  glue_check_window(call.window[0], call.window[1]);
  SEXP wrong = glue_checked_partial(weight, "weight", 1, &call.weight, NULL);
  if (wrong != R_NilValue) return wrong;
  if (call.weight.count != 1) Rf_error("internal error: `weight` must be one function");
  wrong = glue_checked_partial(x, "x", call.threads, &call.x, NULL);
  if (wrong != R_NilValue) return wrong;
  size_t n = (size_t)call.x.count;
  call.breakpoints = (int64_t *)R_alloc(n + 1, sizeof *call.breakpoints);
  call.result = (double **)R_alloc(n + 1, sizeof *call.result);
  return R_ExecWithCleanup(convert, &call, free_clock, &call);
}
