/* Functions of which integrals are weighted ones. */
#include "glue/glue.h"

#include "collections/cutting.h"

#include <math.h>
#include <string.h>

struct call {
  struct pcf_collection x, w;
  struct pcf_weight weight;
  struct pcf_cutting cutting;
  const double *window;
  double p;
  int threads, partial;
  int64_t *breakpoints;
  double **result;
};

static enum pcf_status count(void *call_, const atomic_int *stop, struct pcf_error *error) {
  struct call *call = call_;
  return pcf_cut_count(&call->cutting, call->threads, stop, call->breakpoints, error);
}

static enum pcf_status fill(void *call_, const atomic_int *stop, struct pcf_error *error) {
  struct call *call = call_;
  return pcf_cut_fill(&call->cutting, call->threads, stop, call->breakpoints, call->result,
                      error);
}

static SEXP cut(void *call_) {
  struct call *call = call_;
  struct pcf_error error = {0};
  int small = pcf_total_breakpoints(&call->x) < GLUE_FEW_BREAKPOINTS;
  enum pcf_status status = glue_run_sized(small, count, call, &error);
  if (status) return glue_answer(R_NilValue, status, &error);
  SEXP functions = PROTECT(glue_functions(call->x.count, call->breakpoints));
  for (int64_t i = 0; i < call->x.count; i++) {
    call->result[i] = REAL(VECTOR_ELT(functions, (R_xlen_t)i));
  }
  status = glue_run_sized(small, fill, call, &error);
  SEXP answer = glue_answer(functions, status, &error);
  UNPROTECT(1);
  return answer;
}

static void free_weight(void *call) {
  pcf_weight_free(&((struct call *)call)->weight);
}

/* height^(1/p) of each piece; NULL where these are all 1. */
static const double *factors_of(const struct pcf_weight *weight, double p) {
  if (p == INFINITY) return NULL;
  double *factor = (double *)R_alloc((size_t)weight->pieces, sizeof *factor);
  for (int64_t k = 0; k < weight->pieces; k++) {
    double height = weight->height[k];
    factor[k] = p == 1 ? height : p == 2 ? sqrt(height) : pow(height, 1 / p);
  }
  return factor;
}

static SEXP make_and_cut(void *call_) {
  struct call *call = call_;
  struct pcf_error error = {0};
  enum pcf_status status =
    pcf_weight_make(&call->weight, &call->w, call->window[0], call->window[1], &error);
  if (status) return glue_answer(R_NilValue, status, &error);
  call->cutting =
    (struct pcf_cutting){.weight = &call->weight,
                         .x = &call->x,
                         .partial = call->partial && pcf_weight_most(&call->weight) > 0,
                         .factor = factors_of(&call->weight, call->p)};
  return cut(call);
}

/* The functions x times the weight, one function, to the power 1/p, in the window from
 * window[1] to window[2]. Where the weight is 0, functions are 0 or, if any of them has missing
 * values, missing. */
SEXP ffi_weighted(SEXP x, SEXP weight, SEXP window, SEXP p, SEXP threads) {
  struct call call = {.threads = glue_threads(threads),
                      .p = glue_number(p, "p"),
                      .window = glue_doubles(window, "window", 2)};
  struct pcf_range range = PCF_EMPTY_RANGE;
  glue_check_window(call.window[0], call.window[1]);
  SEXP wrong = glue_checked_partial(weight, "weight", 1, &call.w, NULL);
  if (wrong != R_NilValue) return wrong;
  if (call.w.count != 1) Rf_error("internal error: `weight` must be one function");
  wrong = glue_checked_partial(x, "x", call.threads, &call.x, &range);
  if (wrong != R_NilValue) return wrong;
  size_t n = (size_t)call.x.count;
  call.partial = range.missing;
  call.breakpoints = (int64_t *)R_alloc(n + 1, sizeof *call.breakpoints);
  call.result = (double **)R_alloc(n + 1, sizeof *call.result);
  return R_ExecWithCleanup(make_and_cut, &call, free_weight, &call);
}
