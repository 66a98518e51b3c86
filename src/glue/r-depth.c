/* ffi_depths(): how deep functions lie among each other; ffi_variance(): how they vary. */
#include "glue/glue.h"

#include "depth/depth.h"
#include "depth/variance.h"

struct measuring {
  struct pcf_depths depths;
  int threads;
  atomic_int thousandths;
};

GLUE_WORK(measure, measuring, pcf_depths(&it->depths, it->threads, stop, error))

/* The depths of functions in a finite window. `type`: "band" or "integrated"; `weight`: NULL or
 * one function. `offset`: a number that was subtracted from the values. */
SEXP ffi_depths(SEXP x_, SEXP type, SEXP window_, SEXP weight_, SEXP offset, SEXP threads) {
  static const char *const names[] = {"band", "integrated"};
  const double *window = glue_window(window_);
  struct pcf_collection x, weight;
  struct pcf_range range = PCF_EMPTY_RANGE;
  struct measuring measuring = {.threads = glue_threads(threads)};
  GLUE_TRY(glue_check(x_, "x", GLUE_EITHER, measuring.threads, &x, &range));
  if (weight_ != R_NilValue) GLUE_TRY(glue_check_weight(weight_, &weight));
  SEXP value = PROTECT(Rf_allocVector(REALSXP, XLENGTH(x_)));
  measuring.depths =
    (struct pcf_depths){.x = &x,
                        .range = &range,
                        .type = (enum pcf_depth)glue_choice(type, "type", names, 2),
                        .from = window[0],
                        .to = window[1],
                        .weight = weight_ != R_NilValue ? &weight : NULL,
                        .result = REAL(value),
                        .offset = glue_number(offset, "offset"),
                        .thousandths = &measuring.thousandths};
  if (!R_FINITE(window[0]) || !R_FINITE(window[1]))
    Rf_error("internal error: an endless window");
  struct pcf_error error = {0};
  enum pcf_status status =
    glue_run_in_parts(measure, &measuring, &measuring.thousandths, &error);
  SEXP answer = glue_answer(value, status, &error);
  UNPROTECT(1);
  return answer;
}

struct varying {
  struct pcf_collection x;
  struct pcf_range range;
  struct pcf_variance variance;
  struct pcf_curves curves;
  int threads;
};

GLUE_WORK(vary, varying, pcf_variance(&it->variance, it->threads, stop, &it->curves, error))

static SEXP make_variance(void *varying_) {
  struct varying *varying = varying_;
  struct pcf_error error = {0};
  int small = glue_is_short(&varying->x, 0);
  enum pcf_status status = glue_run(small, vary, varying, &error);
  if (status) return glue_answer(R_NilValue, status, &error);
  return glue_give_curves(&varying->curves, varying->threads, small);
}

static void free_variance(void *varying) {
  pcf_curves_free(&((struct varying *)varying)->curves);
}

/* The variance of at least one step function, one function. `weights`: NULL, or a number for
 * each. */
SEXP ffi_variance(SEXP x, SEXP weights, SEXP observed_only, SEXP threads) {
  struct varying varying = {.range = PCF_EMPTY_RANGE, .threads = glue_threads(threads)};
  GLUE_TRY(glue_check(x, "x", GLUE_STEPS, varying.threads, &varying.x, &varying.range));
  varying.variance = (struct pcf_variance){
    .x = &varying.x,
    .range = &varying.range,
    .weight = weights == R_NilValue ? NULL : glue_finite(weights, "weights", XLENGTH(x)),
    .observed_only = glue_flag(observed_only, "observed_only"),
  };
  return R_ExecWithCleanup(make_variance, &varying, free_variance, &varying);
}
