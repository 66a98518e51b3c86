/* The two ways of functions that a call makes to R: in memory of R, where they can be counted
 * first; and as curves, where counting costs as much as computing. */
#include "glue/glue.h"

#include "collections/curves.h"

#include <limits.h>

/* ---- Functions in two passes ---- */

SEXP glue_check_operands(const struct glue_making *making) {
  for (int k = 0; k < 2; k++) {
    struct pcf_collection unused;
    SEXP x = making->operand[k];
    if (!x || TYPEOF(x) != VECSXP) continue;
    GLUE_TRY(glue_check(x, making->argument[k], GLUE_EITHER, making->threads, &unused, NULL));
  }
  return R_NilValue;
}

SEXP glue_make_failed(const struct glue_making *making, enum pcf_status status,
                      const struct pcf_error *error) {
  if (status == PCF_ERROR_ARGUMENT) GLUE_TRY(glue_check_operands(making));
  return glue_answer(R_NilValue, status, error);
}

/* Can matrices of R have as many rows as the functions have breakpoints? */
static enum pcf_status check_breakpoints(const struct glue_making *making,
                                         struct pcf_error *error) {
  for (int64_t i = 0; i < making->count; i++) {
    if (making->breakpoints[i] <= INT_MAX) continue;
    return pcf_fail(error, PCF_ERROR_ARGUMENT,
                    "function %lld of the result would have %lld breakpoints, but at most %d "
                    "are possible",
                    (long long)i + 1, (long long)making->breakpoints[i], INT_MAX);
  }
  return PCF_OK;
}

/* The functions; or list(functions, fault), where `fault` is NULL or c(function, position),
 * from 1. */
static SEXP made(const struct glue_making *making, SEXP functions) {
  const struct pcf_place *fault = making->fault;
  int sound = !fault || fault->item < 0;
  if (making->drop_zero_starts && sound) glue_drop_zero_starts(functions);
  if (!fault) return functions;
  SEXP place = sound ? R_NilValue : Rf_allocVector(REALSXP, 2);
  if (!sound) {
    REAL(place)[0] = (double)fault->item + 1;
    REAL(place)[1] = (double)fault->position + 1;
  }
  return GLUE_LIST(GLUE_VALUE("functions", functions), GLUE_VALUE("fault", place));
}

SEXP glue_make(struct glue_making *making, glue_work *count, glue_work *fill, void *context) {
  struct pcf_error error = {0};
  enum pcf_status status = count ? glue_run(making->small, count, context, &error) : PCF_OK;
  if (!status) status = check_breakpoints(making, &error);
  if (status) return glue_make_failed(making, status, &error);
  SEXP functions =
    PROTECT(glue_functions(making->count, making->breakpoints, making->linear, making->result));
  status = glue_run(making->small, fill, context, &error);
  SEXP answer = status ? glue_make_failed(making, status, &error)
                       : glue_answer(made(making, functions), PCF_OK, NULL);
  UNPROTECT(1);
  return answer;
}

struct glue_making glue_make_many(int64_t count, int threads, int small) {
  return (struct glue_making){.count = count,
                              .breakpoints = glue_counts(count),
                              .result = (double **)R_alloc((size_t)count + 1, sizeof(double *)),
                              .threads = threads,
                              .small = small};
}

/* Functions that are written one by one. */
struct making_each {
  struct glue_making of;
  struct pcf_unwritten functions;
};

GLUE_WORK(count_each, making_each,
          pcf_write_functions(&it->functions, it->of.threads, stop, it->of.breakpoints, NULL,
                              error))
GLUE_WORK(write_each, making_each,
          pcf_write_functions(&it->functions, it->of.threads, stop, it->of.breakpoints,
                              it->of.result, error))

SEXP glue_make_each(struct glue_making of, struct pcf_unwritten functions) {
  struct making_each each = {of, functions};
  return glue_make(&each.of, count_each, write_each, &each);
}

/* ---- Curves ---- */

struct writing {
  const struct pcf_curves *curves;
  double **columns;
  int threads;
};

GLUE_WORK(write_work, writing,
          pcf_curves_write(it->curves, it->columns, it->threads, stop, error))

SEXP glue_curves(const struct pcf_curves *curves, int threads, int small,
                 enum pcf_status *status, struct pcf_error *error) {
  size_t count = (size_t)curves->count;
  struct writing writing = {curves, (double **)R_alloc(count + 1, sizeof(double *)), threads};
  SEXP functions = PROTECT(
    glue_functions(curves->count, curves->breakpoints, curves->linear, writing.columns));
  *status = glue_run(small, write_work, &writing, error);
  UNPROTECT(1);
  return functions;
}

SEXP glue_give_curves(const struct pcf_curves *curves, int threads, int small) {
  struct pcf_error error = {0};
  enum pcf_status status;
  SEXP functions = PROTECT(glue_curves(curves, threads, small, &status, &error));
  if (!status && !curves->linear) glue_drop_zero_starts(functions);
  SEXP answer = glue_answer(functions, status, &error);
  UNPROTECT(1);
  return answer;
}
