/* ffi_inverse() and ffi_crossing(): inverses of monotone functions, and when functions reach a
 * level. */
#include "glue/glue.h"

#include "algebra/inverse.h"

/* A collection on its way to an answer. */
struct directed {
  struct pcf_collection x;
  struct pcf_portions portions;
  struct pcf_trends trends;
  int falling; /* R's logical: NA where it is still to be found */
  int threads, small;
};

static enum pcf_status trend_work(void *directed_, const atomic_int *stop,
                                  struct pcf_error *error) {
  struct directed *directed = directed_;
  return pcf_find_trends(&directed->x, &directed->portions, directed->threads, stop,
                         &directed->trends, error);
}

static enum pcf_status ends_work(void *directed_, const atomic_int *stop,
                                 struct pcf_error *error) {
  struct directed *directed = directed_;
  return pcf_find_ends(&directed->x, directed->threads, stop, &directed->trends, error);
}

/* The answer where it does not show which way the functions go. */
static SEXP undecided(void) {
  SEXP list = PROTECT(glue_list(1));
  glue_set(list, 0, "undecided", Rf_ScalarLogical(1));
  UNPROTECT(1);
  return list;
}

/* Where the direction is not given, the first of the trends decides. Returns R_NilValue, or
 * what to return where no function goes any way, or one goes the other way: the problem
 * `rising` or `falling`. */
static SEXP settle_direction(struct directed *directed, const char *rising,
                             const char *falling) {
  struct pcf_place rise = directed->trends.rise, fall = directed->trends.fall;
  int is_open = directed->falling == NA_LOGICAL;
  if (is_open) directed->falling = pcf_place_before(fall, rise);
  if (is_open && directed->x.count > 0 && rise.item < 0 && fall.item < 0) return undecided();
  struct pcf_place wrong = directed->falling ? rise : fall;
  if (wrong.item < 0) return R_NilValue;
  const char *problem = directed->falling ? rising : falling;
  return glue_problem_with("x", glue_problem(wrong.item, wrong.position, problem));
}

/* Reads and checks a collection; R_NilValue, or what to return. */
static SEXP read_functions(SEXP x, SEXP falling, SEXP threads, struct directed *directed) {
  directed->threads = glue_threads(threads);
  if (TYPEOF(falling) != LGLSXP || XLENGTH(falling) != 1) {
    Rf_error("internal error: `falling` must be TRUE, FALSE or NA");
  }
  directed->falling = LOGICAL(falling)[0];
  SEXP problem = glue_checked_partial(x, "x", directed->threads, &directed->x, NULL);
  if (problem != R_NilValue) return problem;
  directed->small = pcf_total_breakpoints(&directed->x) < GLUE_FEW_BREAKPOINTS;
  return R_NilValue;
}

/* The same for functions that are to be monotone. */
static SEXP read_monotone(SEXP x, SEXP falling, SEXP threads, struct directed *directed) {
  struct pcf_error error = {0};
  SEXP problem = read_functions(x, falling, threads, directed);
  if (problem != R_NilValue) return problem;
  int64_t *length = glue_counts(directed->x.count);
  for (int64_t i = 0; i < directed->x.count; i++) length[i] = pcf_breakpoints(&directed->x, i);
  glue_cut(&directed->portions, directed->x.count, length);
  enum pcf_status status = glue_run_sized(directed->small, trend_work, directed, &error);
  if (status) return glue_answer(R_NilValue, status, &error);
  return settle_direction(directed, "rises", "falls");
}

/* The same for functions that may be any, where the direction is given. Otherwise it is that in
 * the large. */
static SEXP read_directed(SEXP x, SEXP falling, SEXP threads, struct directed *directed) {
  struct pcf_error error = {0};
  SEXP problem = read_functions(x, falling, threads, directed);
  if (problem != R_NilValue || directed->falling != NA_LOGICAL) return problem;
  enum pcf_status status = glue_run_sized(directed->small, ends_work, directed, &error);
  if (status) return glue_answer(R_NilValue, status, &error);
  return settle_direction(directed, "ends_higher", "ends_lower");
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
  struct directed directed = {0};
  struct pcf_error error = {0};
  SEXP problem = read_monotone(x, falling, threads, &directed);
  if (problem != R_NilValue) return problem;
  int64_t count = directed.x.count;
  struct inverting inverting = {{&directed.x, directed.falling, directed.portions},
                                directed.threads,
                                glue_counts(count),
                                NULL};
  enum pcf_status status = glue_run_sized(directed.small, count_work, &inverting, &error);
  if (status) return glue_answer(R_NilValue, status, &error);
  SEXP functions =
    PROTECT(glue_new_functions(count, inverting.breakpoints, &inverting.result, &error));
  status =
    error.status ? error.status : glue_run_sized(directed.small, fill_work, &inverting, &error);
  SEXP answer = glue_answer(functions, status, &error);
  UNPROTECT(1);
  return answer;
}

/* ---- Levels ---- */

struct crossing {
  const struct directed *directed;
  struct pcf_levels levels;
  double *result;
};

static enum pcf_status cross_work(void *crossing_, const atomic_int *stop,
                                  struct pcf_error *error) {
  struct crossing *crossing = crossing_;
  return pcf_crossing_times(&crossing->directed->x, crossing->directed->falling,
                            &crossing->levels, crossing->directed->threads, stop,
                            crossing->result, error);
}

/* `levels`: doubles in increasing order; `columns`: which column of the result belongs to each,
 * from 1, or NULL. `middle`: of stretches at a level? `shape`: attributes of the result, which
 * has one row for each function. */
SEXP ffi_crossing(SEXP x, SEXP falling, SEXP levels, SEXP columns, SEXP tolerance, SEXP middle,
                  SEXP threads, SEXP shape) {
  struct directed directed = {0};
  struct crossing crossing = {.directed = &directed};
  struct pcf_error error = {0};
  crossing.levels = (struct pcf_levels){
    glue_increasing(levels, "levels"), glue_columns(columns, XLENGTH(levels)), XLENGTH(levels),
    glue_number(tolerance, "tolerance"), glue_flag(middle, "middle")};
  SEXP problem = read_directed(x, falling, threads, &directed);
  if (problem != R_NilValue) return problem;
  SEXP value = PROTECT(glue_rows(XLENGTH(x), XLENGTH(levels)));
  crossing.result = REAL(value);
  enum pcf_status status = glue_run_sized(directed.small, cross_work, &crossing, &error);
  glue_set_attributes(value, shape);
  SEXP answer = glue_answer(value, status, &error);
  UNPROTECT(1);
  return answer;
}
