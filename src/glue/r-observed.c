/* Where functions are observed: indicators, the ends of windows, and the first function that
 * differs. */
#include "glue/glue.h"

#include "collections/observed.h"

#include <float.h>
#include <math.h>

/* ---- Indicators ---- */

struct observing {
  struct pcf_collection x;
  int threads;
  int64_t *breakpoints;
  double **result;
};

static enum pcf_status count_work(void *observing_, const atomic_int *stop,
                                  struct pcf_error *error) {
  struct observing *observing = observing_;
  return pcf_observed_count(&observing->x, observing->threads, stop, observing->breakpoints,
                            error);
}

static enum pcf_status fill_work(void *observing_, const atomic_int *stop,
                                 struct pcf_error *error) {
  struct observing *observing = observing_;
  return pcf_observed_fill(&observing->x, observing->threads, stop, observing->breakpoints,
                           observing->result, error);
}

static int is_small(const struct pcf_collection *x) {
  return pcf_total_breakpoints(x) < GLUE_FEW_BREAKPOINTS;
}

/* The functions that are 1 where those of `x` are observed and 0 elsewhere. */
SEXP ffi_observed(SEXP x, SEXP threads) {
  struct observing observing = {.threads = glue_threads(threads)};
  SEXP wrong = glue_checked_partial(x, "x", observing.threads, &observing.x, NULL);
  if (wrong != R_NilValue) return wrong;
  size_t n = (size_t)observing.x.count;
  observing.breakpoints = (int64_t *)R_alloc(n + 1, sizeof(int64_t));
  observing.result = (double **)R_alloc(n + 1, sizeof(double *));
  struct pcf_error error = {0};
  enum pcf_status status =
    glue_run_sized(is_small(&observing.x), count_work, &observing, &error);
  if (status) return glue_answer(R_NilValue, status, &error);
  SEXP functions = PROTECT(glue_functions(observing.x.count, observing.breakpoints));
  for (size_t i = 0; i < n; i++) {
    observing.result[i] = REAL(VECTOR_ELT(functions, (R_xlen_t)i));
  }
  status = glue_run_sized(is_small(&observing.x), fill_work, &observing, &error);
  SEXP answer = glue_answer(functions, status, &error);
  UNPROTECT(1);
  return answer;
}

/* ---- Ends of windows ---- */

static SEXP describe_end(int64_t function, int at_end, double time) {
  SEXP list = PROTECT(glue_list(3));
  glue_set(list, 0, "function", Rf_ScalarReal((double)function + 1));
  glue_set(list, 1, "at_end", Rf_ScalarLogical(at_end));
  glue_set(list, 2, "time", Rf_ScalarReal(time));
  UNPROTECT(1);
  return list;
}

/* NULL, or of the functions that are not observed right after the start of a window the one
 * that begins last, or else of those that are not right before its end the one that ends first.
 * Infinite ends need not be observed. Functions that are not sound say nothing. */
SEXP ffi_unobserved_end(SEXP x_, SEXP window_) {
  const double *window = glue_doubles(window_, "window", 2);
  struct pcf_collection x;
  glue_check_window(window[0], window[1]);
  if (glue_collection(x_, &x) != R_NilValue) return R_NilValue;
  for (int at_end = 0; at_end < 2; at_end++) {
    int64_t found = -1;
    double last = 0;
    if (!isfinite(window[at_end])) continue;
    for (int64_t i = 0; i < x.count; i++) {
      glue_poll(i);
      double time =
        at_end ? pcf_observed_until(&x, i, window[1]) : pcf_observed_from(&x, i, window[0]);
      if (isnan(time) || (found >= 0 && !(at_end ? time < last : time > last))) continue;
      found = i;
      last = time;
    }
    if (found >= 0) return describe_end(found, at_end, last);
  }
  return R_NilValue;
}

/* The next larger number of each that has all its digits. */
SEXP ffi_next_times(SEXP x) {
  const double *time = glue_doubles(x, "x", -1);
  R_xlen_t n = XLENGTH(x);
  SEXP next = PROTECT(Rf_allocVector(REALSXP, n));
  for (R_xlen_t k = 0; k < n; k++) {
    double after = nextafter(time[k], INFINITY);
    REAL(next)[k] = fabs(after) < DBL_MIN ? DBL_MIN : after;
  }
  UNPROTECT(1);
  return next;
}

/* ---- The first that differs ---- */

struct comparing {
  const struct pcf_collection *x, *reference;
  double from, to;
  int threads;
  struct pcf_observed_difference difference;
};

static enum pcf_status compare_work(void *comparing_, const atomic_int *stop,
                                    struct pcf_error *error) {
  struct comparing *comparing = comparing_;
  return pcf_find_observed_difference(comparing->x, comparing->reference, comparing->from,
                                      comparing->to, comparing->threads, stop,
                                      &comparing->difference, error);
}

static SEXP describe(int collection, const struct pcf_observed_difference *difference) {
  SEXP list = PROTECT(glue_list(5));
  glue_set(list, 0, "collection", Rf_ScalarInteger(collection));
  glue_set(list, 1, "function", Rf_ScalarReal((double)difference->function + 1));
  glue_set(list, 2, "from", Rf_ScalarReal(difference->from));
  glue_set(list, 3, "to", Rf_ScalarReal(difference->to));
  glue_set(list, 4, "observed", Rf_ScalarLogical(difference->observed));
  UNPROTECT(1);
  return list;
}

/* The first function of `x`, and then of `y` (or NULL), that is not observed on the same
 * stretches of the window as the first one of `x`, or NULL. */
SEXP ffi_observed_difference(SEXP x_, SEXP y_, SEXP window_, SEXP threads_) {
  const double *window = glue_doubles(window_, "window", 2);
  int threads = glue_threads(threads_);
  struct pcf_collection x[2] = {{0}, {0}};
  glue_check_window(window[0], window[1]);
  SEXP wrong = glue_checked_partial(x_, "x", threads, &x[0], NULL);
  if (wrong != R_NilValue) return wrong;
  if (y_ != R_NilValue) wrong = glue_checked_partial(y_, "y", threads, &x[1], NULL);
  if (wrong != R_NilValue) return wrong;
  SEXP found = R_NilValue;
  enum pcf_status status = PCF_OK;
  struct pcf_error error = {0};
  for (int k = 0; k < 2 && !status && found == R_NilValue; k++) {
    struct comparing comparing = {&x[k], &x[0], window[0], window[1], threads, {0}};
    comparing.difference.function = -1;
    if (x[k].count == 0) continue;
    status = glue_run_sized(is_small(&x[k]), compare_work, &comparing, &error);
    if (comparing.difference.function >= 0) found = describe(k, &comparing.difference);
  }
  PROTECT(found);
  SEXP answer = glue_answer(found, status, &error);
  UNPROTECT(1);
  return answer;
}
