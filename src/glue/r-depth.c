/* ffi_depths(): how deep functions lie among each other. */
#include "glue/glue.h"

#include "depth/depth.h"

struct measuring {
  struct pcf_depths depths;
  int threads;
};

GLUE_WORK(measure, measuring, pcf_depths(&it->depths, it->threads, stop, error))

/* The depths of functions in a finite window. `type`: "band" or "integrated"; `weight`: NULL or
 * one function. */
SEXP ffi_depths(SEXP x_, SEXP type, SEXP window_, SEXP weight_, SEXP threads) {
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
                        .result = REAL(value)};
  if (!R_FINITE(window[0]) || !R_FINITE(window[1]))
    Rf_error("internal error: an endless window");
  SEXP answer = glue_run_and_answer(x.count < 2, measure, &measuring, value);
  UNPROTECT(1);
  return answer;
}
