/* What functions are on many windows, or at times of which each has its own: integrals, values,
 * functions restricted to a window, and means over a window that moves. */
#include "glue/glue.h"

#include "algebra/own-windows.h"
#include "algebra/rolling.h"
#include "summaries/windows.h"

#include <math.h>

/* ---- Functions ---- */

static struct glue_making make_from(const struct pcf_collection *x, int threads, int linear) {
  struct glue_making of = glue_make_many(x->count, threads, glue_is_short(x, 0));
  of.linear = linear;
  of.drop_zero_starts = !linear;
  return of;
}

/* The functions on windows of their own, `from` and `to` having an element for each; `outside`
 * is their value elsewhere, 0 or missing. */
SEXP ffi_restrict_each(SEXP x_, SEXP from, SEXP to, SEXP outside, SEXP threads_) {
  struct pcf_collection x;
  int threads = glue_threads(threads_);
  R_xlen_t n = XLENGTH(x_);
  struct pcf_own_windows windows = {&x, glue_doubles(from, "from", n),
                                    glue_doubles(to, "to", n), glue_number(outside, "outside")};
  GLUE_TRY(glue_check(x_, "x", GLUE_EITHER, threads, &x, NULL));
  return glue_make_each(make_from(&x, threads, x.linear), pcf_restrict_each(&windows));
}

/* Means from so long `before` each time to so long `after` it. */
SEXP ffi_rolling_means(SEXP x_, SEXP before, SEXP after, SEXP threads_) {
  struct pcf_collection x;
  int threads = glue_threads(threads_);
  struct pcf_rolling rolling = {&x, glue_number(before, "before"), glue_number(after, "after")};
  if (!(rolling.before >= 0 && rolling.after >= 0 && rolling.before + rolling.after > 0)) {
    Rf_error("internal error: the window must have a positive length");
  }
  GLUE_TRY(glue_check(x_, "x", GLUE_STEPS, threads, &x, NULL));
  return glue_make_each(make_from(&x, threads, 1), pcf_rolling_means(&rolling));
}

/* ---- Numbers ---- */

struct integrating {
  struct pcf_collection x;
  struct pcf_windows windows;
  int threads;
  double *integral, *length;
};

GLUE_WORK(integrate_work, integrating,
          pcf_integrate_windows(&it->x, &it->windows, it->threads, stop, it->integral,
                                it->length, error))

/* The integrals over the parts of windows from[j] … to[j] on which functions are observed, with
 * the attributes `shape`, and the lengths of these: list(integral, length). */
SEXP ffi_integrate_windows(SEXP x, SEXP from, SEXP to, SEXP threads, SEXP shape) {
  R_xlen_t count = XLENGTH(from);
  struct integrating it = {.threads = glue_threads(threads)};
  it.windows =
    (struct pcf_windows){count, glue_finite(from, "from", count), glue_finite(to, "to", count)};
  GLUE_TRY(glue_check(x, "x", GLUE_EITHER, it.threads, &it.x, NULL));
  SEXP integral = PROTECT(glue_rows(XLENGTH(x), count));
  SEXP length = PROTECT(glue_rows(XLENGTH(x), count));
  it.integral = REAL(integral), it.length = REAL(length);
  glue_set_attributes(integral, shape);
  struct pcf_error error = {0};
  int small = glue_is_short(&it.x, (double)XLENGTH(integral));
  enum pcf_status status = glue_run(small, integrate_work, &it, &error);
  SEXP both = status
                ? R_NilValue
                : GLUE_LIST(GLUE_VALUE("integral", integral), GLUE_VALUE("length", length));
  SEXP answer = glue_answer(both, status, &error);
  UNPROTECT(2);
  return answer;
}

struct evaluating {
  struct pcf_collection x;
  const int64_t *offsets;
  const double *time;
  int left, threads;
  double *result;
};

GLUE_WORK(evaluate_work, evaluating,
          pcf_evaluate_each(&it->x, it->offsets, it->time, it->left, it->threads, stop,
                            it->result, error))

/* The values, or limits from the `left`, of each function at counts[i] times of its own, which
 * are those of one function after the other. */
SEXP ffi_evaluate_each(SEXP x, SEXP times, SEXP counts, SEXP left, SEXP threads) {
  struct evaluating it = {.left = glue_flag(left, "left"), .threads = glue_threads(threads)};
  const int *count = glue_integers(counts, "counts", XLENGTH(x));
  int64_t *offsets = glue_counts(XLENGTH(x));
  offsets[0] = 0;
  for (R_xlen_t i = 0; i < XLENGTH(x); i++) {
    if (count[i] < 0) Rf_error("internal error: a negative number of times");
    offsets[i + 1] = offsets[i] + count[i];
  }
  it.offsets = offsets;
  it.time = glue_doubles(times, "times", (R_xlen_t)offsets[XLENGTH(x)]);
  GLUE_TRY(glue_check(x, "x", GLUE_EITHER, it.threads, &it.x, NULL));
  SEXP value = PROTECT(Rf_allocVector(REALSXP, XLENGTH(times)));
  it.result = REAL(value);
  int small = glue_is_short(&it.x, (double)XLENGTH(times));
  SEXP answer = glue_run_and_answer(small, evaluate_work, &it, value);
  UNPROTECT(1);
  return answer;
}

/* ---- What is not observed ---- */

/* NULL, or of the first function that is not observed throughout its window, from[i] … to[i],
 * the first stretch on which it is not: list(function, from, to). */
SEXP ffi_unobserved_each(SEXP x_, SEXP from_, SEXP to_, SEXP threads) {
  struct pcf_collection x;
  R_xlen_t n = XLENGTH(x_);
  const double *from = glue_doubles(from_, "from", n), *to = glue_doubles(to_, "to", n);
  GLUE_TRY(glue_check(x_, "x", GLUE_EITHER, glue_threads(threads), &x, NULL));
  for (R_xlen_t i = 0; i < n; i++) {
    struct pcf_unobserved found = pcf_find_unobserved(&x, i, from[i], to[i]);
    glue_poll(i);
    if (isnan(found.from)) continue;
    SEXP value =
      PROTECT(GLUE_LIST(GLUE_NUMBER("function", i + 1), GLUE_NUMBER("from", found.from),
                        GLUE_NUMBER("to", found.to)));
    SEXP answer = glue_answer(value, PCF_OK, NULL);
    UNPROTECT(1);
    return answer;
  }
  return glue_answer(R_NilValue, PCF_OK, NULL);
}
