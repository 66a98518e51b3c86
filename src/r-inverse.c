/* ffi_inverse() and ffi_crossing(): monotone functions, their inverses, and when they reach a
 * level. */
#include "glue.h"

#include "functions/inverse.h"

/* A collection on its way to an answer. */
struct monotone {
  struct pcf_collection x;
  struct pcf_portions portions;
  struct pcf_trends trends;
  int falling; /* R's logical: NA where it is still to be found */
  int threads, small;
};

static enum pcf_status trend_work(void *monotone_, const atomic_int *stop,
                                  struct pcf_error *error) {
  struct monotone *monotone = monotone_;
  return pcf_find_trends(&monotone->x, &monotone->portions, monotone->threads, stop,
                         &monotone->trends, error);
}

/* The answer where it does not show which way the functions go. */
static SEXP undecided(void) {
  SEXP list = PROTECT(glue_list(1));
  glue_set(list, 0, "undecided", Rf_ScalarLogical(1));
  UNPROTECT(1);
  return list;
}

/* Where the direction is not given, the first change of all decides. Returns R_NilValue, or
 * what to return where a function goes the other way, or none goes any. */
static SEXP settle_direction(struct monotone *monotone) {
  struct pcf_place rise = monotone->trends.rise, fall = monotone->trends.fall;
  int is_open = monotone->falling == NA_LOGICAL;
  if (is_open) monotone->falling = pcf_place_before(fall, rise);
  if (is_open && monotone->x.count > 0 && rise.item < 0 && fall.item < 0) return undecided();
  struct pcf_place wrong = monotone->falling ? rise : fall;
  if (wrong.item < 0) return R_NilValue;
  const char *problem = monotone->falling ? "rises" : "falls";
  return glue_problem_with("x", glue_problem(wrong.item, wrong.position, problem));
}

/* Reads and checks functions that are to be monotone; R_NilValue, or what to return. */
static SEXP read_monotone(SEXP x, SEXP falling, SEXP threads, struct monotone *monotone) {
  struct pcf_error error = {0};
  monotone->threads = glue_threads(threads);
  if (TYPEOF(falling) != LGLSXP || XLENGTH(falling) != 1) {
    Rf_error("internal error: `falling` must be TRUE, FALSE or NA");
  }
  monotone->falling = LOGICAL(falling)[0];
  SEXP problem = glue_checked_partial(x, "x", monotone->threads, &monotone->x, NULL);
  if (problem != R_NilValue) return problem;
  monotone->small = pcf_total_breakpoints(&monotone->x) < GLUE_FEW_BREAKPOINTS;
  int64_t *length = glue_counts(monotone->x.count);
  for (int64_t i = 0; i < monotone->x.count; i++) length[i] = pcf_breakpoints(&monotone->x, i);
  glue_cut(&monotone->portions, monotone->x.count, length);
  enum pcf_status status = glue_run_sized(monotone->small, trend_work, monotone, &error);
  return status ? glue_answer(R_NilValue, status, &error) : settle_direction(monotone);
}

/* ---- Inverses ---- */

struct inverting {
  struct pcf_inversion inversion;
  int threads;
  int64_t *breakpoints;
  double **result;
};

static enum pcf_status count_work(void *inverting_, const atomic_int *stop,
                                  struct pcf_error *error) {
  struct inverting *inverting = inverting_;
  return pcf_inversion_count(&inverting->inversion, inverting->threads, stop,
                             inverting->breakpoints, error);
}

static enum pcf_status fill_work(void *inverting_, const atomic_int *stop,
                                 struct pcf_error *error) {
  struct inverting *inverting = inverting_;
  return pcf_inversion_fill(&inverting->inversion, inverting->threads, stop,
                            inverting->breakpoints, inverting->result, error);
}

/* `falling`: do the functions never rise? NA: find out. Returns list(value), or
 * list(undecided), or what answer_value() makes an error of. */
SEXP ffi_inverse(SEXP x, SEXP falling, SEXP threads) {
  struct monotone monotone = {0};
  struct pcf_error error = {0};
  SEXP problem = read_monotone(x, falling, threads, &monotone);
  if (problem != R_NilValue) return problem;
  int64_t count = monotone.x.count;
  struct inverting inverting = {{&monotone.x, monotone.falling, monotone.portions},
                                monotone.threads,
                                glue_counts(count),
                                NULL};
  enum pcf_status status = glue_run_sized(monotone.small, count_work, &inverting, &error);
  if (status) return glue_answer(R_NilValue, status, &error);
  SEXP functions =
    PROTECT(glue_new_functions(count, inverting.breakpoints, &inverting.result, &error));
  status =
    error.status ? error.status : glue_run_sized(monotone.small, fill_work, &inverting, &error);
  SEXP answer = glue_answer(functions, status, &error);
  UNPROTECT(1);
  return answer;
}

/* ---- Levels ---- */

struct crossing {
  const struct monotone *monotone;
  struct pcf_levels levels;
  double *result;
};

static enum pcf_status cross_work(void *crossing_, const atomic_int *stop,
                                  struct pcf_error *error) {
  struct crossing *crossing = crossing_;
  return pcf_crossing_times(&crossing->monotone->x, crossing->monotone->falling,
                            &crossing->levels, crossing->monotone->threads, stop,
                            crossing->result, error);
}

/* `levels`: doubles in increasing order; `columns`: which column of the result belongs to each,
 * from 1, or NULL. `shape`: attributes of the result, which has one row for each function. */
SEXP ffi_crossing(SEXP x, SEXP falling, SEXP levels, SEXP columns, SEXP tolerance, SEXP threads,
                  SEXP shape) {
  struct monotone monotone = {0};
  struct crossing crossing = {.monotone = &monotone};
  struct pcf_error error = {0};
  crossing.levels = (struct pcf_levels){glue_increasing(levels, "levels"),
                                        glue_columns(columns, XLENGTH(levels)), XLENGTH(levels),
                                        glue_number(tolerance, "tolerance")};
  SEXP problem = read_monotone(x, falling, threads, &monotone);
  if (problem != R_NilValue) return problem;
  SEXP value = PROTECT(glue_rows(XLENGTH(x), XLENGTH(levels)));
  crossing.result = REAL(value);
  enum pcf_status status = glue_run_sized(monotone.small, cross_work, &crossing, &error);
  glue_set_attributes(value, shape);
  SEXP answer = glue_answer(value, status, &error);
  UNPROTECT(1);
  return answer;
}
