/* Functions made from functions: operators, new columns, canonical forms and windows. The
 * breakpoints of all results are counted first, then R allocates, then threads fill; on a GPU
 * the results wait there meanwhile. */
#include "glue/glue.h"

#include "algebra/combine.h"
#include "algebra/restriction.h"
#include "algebra/simplify.h"
#include "collections/columns.h"

static enum pcf_status run(glue_work *work, void *context, int64_t breakpoints,
                           struct pcf_error *error) {
  return glue_run_sized(breakpoints < GLUE_FEW_BREAKPOINTS, work, context, error);
}

/* After work failed: which function of an operand is not sound, if one is, or R_NilValue. */
static SEXP unsound(SEXP x, const char *argument, int threads, enum pcf_status status) {
  struct pcf_collection collection;
  if (status != PCF_ERROR_ARGUMENT || TYPEOF(x) != VECSXP) return R_NilValue;
  return glue_checked_partial(x, argument, threads, &collection, NULL);
}

/* What to return when work failed: where it found that a function is not sound, which one. */
static SEXP failed(SEXP x, const char *argument, int threads, enum pcf_status status,
                   const struct pcf_error *error) {
  SEXP wrong = unsound(x, argument, threads, status);
  return wrong != R_NilValue ? wrong : glue_answer(R_NilValue, status, error);
}

/* An answer of list(functions, fault): `fault` is NULL or c(function, position), from 1. Values
 * that are new may have made the start of a function needless. */
static SEXP answer_with_fault(SEXP functions, int new_values, struct pcf_place fault) {
  PROTECT(functions);
  if (new_values && fault.item < 0) glue_drop_zero_starts(functions);
  SEXP value = PROTECT(glue_list(2)), place = R_NilValue;
  glue_set(value, 0, "functions", functions);
  if (fault.item >= 0) {
    place = Rf_allocVector(REALSXP, 2);
    REAL(place)[0] = (double)fault.item + 1;
    REAL(place)[1] = (double)fault.position + 1;
  }
  glue_set(value, 1, "fault", place);
  SEXP answer = glue_answer(value, PCF_OK, NULL);
  UNPROTECT(2);
  return answer;
}

/* ---- Operators ---- */

struct combining {
  struct pcf_combination combination;
  int threads;
  int64_t *breakpoints;
  double **result;
  struct pcf_place fault;
};

static enum pcf_operator read_operator(SEXP name) {
  static const char *const names[] = {
    "+", "-", "*", "/", "<", "<=", ">", ">=", "&", "|", "first", "second"};
  int count = (int)(sizeof names / sizeof *names);
  return (enum pcf_operator)glue_choice(name, "operation", names, count);
}

static SEXP read_operand(SEXP x, const char *argument, struct pcf_collection *collection,
                         struct pcf_operand *operand) {
  if (TYPEOF(x) == REALSXP) {
    *operand = (struct pcf_operand){.count = XLENGTH(x), .numbers = REAL(x)};
    return R_NilValue;
  }
  SEXP problem = glue_collection(x, collection);
  *operand = (struct pcf_operand){.count = XLENGTH(x), .functions = collection};
  return problem == R_NilValue ? R_NilValue : glue_problem_with(argument, problem);
}

/* Of two operands the first that is not sound is named. */
static SEXP failed_pair(SEXP x, SEXP y, int threads, enum pcf_status status,
                        const struct pcf_error *error) {
  SEXP wrong = unsound(x, "e1", threads, status);
  return wrong != R_NilValue ? wrong : failed(y, "e2", threads, status, error);
}

static enum pcf_status count_work(void *combining_, const atomic_int *stop,
                                  struct pcf_error *error) {
  struct combining *combining = combining_;
  return pcf_combination_count(&combining->combination, combining->threads, stop,
                               combining->breakpoints, error);
}

static enum pcf_status fill_work(void *combining_, const atomic_int *stop,
                                 struct pcf_error *error) {
  struct combining *combining = combining_;
  return pcf_combination_fill(&combining->combination, combining->threads, stop,
                              combining->breakpoints, combining->result, &combining->fault,
                              error);
}

/* Lays out the pairs; returns how many breakpoints they have on both sides. */
static int64_t lay_out(struct combining *combining) {
  struct pcf_combination *combination = &combining->combination;
  int64_t *length = glue_counts(combination->count), *begin = glue_counts(combination->count);
  begin[0] = 0;
  for (int64_t i = 0; i < combination->count; i++) {
    length[i] = pcf_combination_length(combination, i);
    begin[i + 1] = begin[i] + length[i];
  }
  glue_cut(&combination->portions, combination->count, length);
  combination->begin = begin;
  combination->steps = (uint8_t *)R_alloc((size_t)begin[combination->count] + 1, 1);
  combining->breakpoints = glue_counts(combination->count);
  return begin[combination->count];
}

/* `x` and `y` are lists of functions or double vectors, not both the latter; `count` is the
 * number of results, 0 if one of them is empty. */
SEXP ffi_combine(SEXP x_, SEXP y_, SEXP operation, SEXP count, SEXP threads) {
  struct pcf_collection x, y;
  struct combining combining = {.threads = glue_threads(threads), .fault = PCF_NOWHERE};
  struct pcf_combination *combination = &combining.combination;
  combination->operation = read_operator(operation);
  SEXP wrong = read_operand(x_, "e1", &x, &combination->left);
  if (wrong != R_NilValue) return wrong;
  wrong = read_operand(y_, "e2", &y, &combination->right);
  if (wrong != R_NilValue) return wrong;
  if (combination->left.numbers && combination->right.numbers) {
    Rf_error("internal error: neither operand is a list of functions");
  }
  int empty = combination->left.count == 0 || combination->right.count == 0;
  combination->count = glue_count(count, "count", 0, empty ? 0 : GLUE_MOST_ELEMENTS);
  int64_t total = lay_out(&combining);
  struct pcf_error error = {0};
  enum pcf_status status = run(count_work, &combining, total, &error);
  if (status) return failed_pair(x_, y_, combining.threads, status, &error);
  SEXP functions = PROTECT(
    glue_new_functions(combination->count, combining.breakpoints, &combining.result, &error));
  status = error.status ? error.status : run(fill_work, &combining, total, &error);
  int new_values = combination->operation != PCF_FIRST && combination->operation != PCF_SECOND;
  SEXP answer = status ? failed_pair(x_, y_, combining.threads, status, &error)
                       : answer_with_fault(functions, new_values, combining.fault);
  UNPROTECT(1);
  return answer;
}

/* ---- Columns ---- */

struct column_work {
  struct pcf_collection x;
  enum pcf_column which;
  int threads;
  double *column, **result;
  struct pcf_place fault;
};

static enum pcf_status gather_work(void *work_, const atomic_int *stop,
                                   struct pcf_error *error) {
  struct column_work *work = work_;
  return pcf_gather_column(&work->x, work->which, work->column, work->threads, stop, error);
}

static enum pcf_status replace_work(void *work_, const atomic_int *stop,
                                    struct pcf_error *error) {
  struct column_work *work = work_;
  return pcf_replace_column(&work->x, work->which, work->column, work->result, work->threads,
                            stop, &work->fault, error);
}

static enum pcf_column read_column(SEXP which) {
  static const char *const names[] = {[PCF_TIMES] = "time", [PCF_VALUES] = "value"};
  return (enum pcf_column)glue_choice(which, "which", names, 2);
}

/* The column "time" or "value" of all functions end to end. */
SEXP ffi_column(SEXP x, SEXP which, SEXP threads) {
  struct column_work work = {.which = read_column(which), .threads = glue_threads(threads)};
  SEXP problem = glue_collection(x, &work.x);
  if (problem != R_NilValue) return glue_problem_with("x", problem);
  int64_t total = pcf_total_breakpoints(&work.x);
  SEXP column = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)total));
  work.column = REAL(column);
  struct pcf_error error = {0};
  enum pcf_status status = run(gather_work, &work, total, &error);
  SEXP answer =
    status ? failed(x, "x", work.threads, status, &error) : glue_answer(column, status, &error);
  UNPROTECT(1);
  return answer;
}

/* The functions with another column in the place of "time" or "value". */
SEXP ffi_with_column(SEXP x, SEXP which, SEXP column, SEXP threads) {
  struct column_work work = {.which = read_column(which), .threads = glue_threads(threads)};
  SEXP problem = glue_collection(x, &work.x);
  if (problem != R_NilValue) return glue_problem_with("x", problem);
  int64_t total = pcf_total_breakpoints(&work.x), *breakpoints = glue_counts(work.x.count);
  work.column = (double *)glue_doubles(column, "column", (R_xlen_t)total);
  for (int64_t i = 0; i < work.x.count; i++) breakpoints[i] = pcf_breakpoints(&work.x, i);
  struct pcf_error error = {0};
  SEXP functions = PROTECT(glue_new_functions(work.x.count, breakpoints, &work.result, &error));
  enum pcf_status status = run(replace_work, &work, total, &error);
  SEXP answer = status ? failed(x, "x", work.threads, status, &error)
                       : answer_with_fault(functions, work.which == PCF_VALUES, work.fault);
  UNPROTECT(1);
  return answer;
}

/* ---- Canonical forms ---- */

struct simplifying {
  struct pcf_simplification simplification;
  int threads;
  int64_t *breakpoints;
  double **result;
};

static enum pcf_status count_changes_work(void *simplifying_, const atomic_int *stop,
                                          struct pcf_error *error) {
  struct simplifying *simplifying = simplifying_;
  return pcf_simplification_count(&simplifying->simplification, simplifying->threads, stop,
                                  simplifying->breakpoints, error);
}

static enum pcf_status simplify_work(void *simplifying_, const atomic_int *stop,
                                     struct pcf_error *error) {
  struct simplifying *simplifying = simplifying_;
  return pcf_simplification_fill(&simplifying->simplification, simplifying->threads, stop,
                                 simplifying->breakpoints, simplifying->result, error);
}

/* Counts changes and looks for faults in one pass. */
SEXP ffi_simplify(SEXP x_, SEXP threads_) {
  struct pcf_collection x;
  struct simplifying simplifying = {.simplification = {.x = &x},
                                    .threads = glue_threads(threads_)};
  SEXP problem = glue_collection(x_, &x);
  if (problem != R_NilValue) return glue_problem_with("x", problem);
  x.partial = 1;
  int64_t total = pcf_total_breakpoints(&x), *length = glue_counts(x.count);
  for (int64_t i = 0; i < x.count; i++) length[i] = pcf_breakpoints(&x, i);
  glue_cut(&simplifying.simplification.portions, x.count, length);
  simplifying.breakpoints = glue_counts(x.count);
  struct pcf_error error = {0};
  enum pcf_status status = run(count_changes_work, &simplifying, total, &error);
  if (status) return failed(x_, "x", simplifying.threads, status, &error);
  SEXP functions =
    PROTECT(glue_new_functions(x.count, simplifying.breakpoints, &simplifying.result, &error));
  status = run(simplify_work, &simplifying, total, &error);
  SEXP answer = glue_answer(functions, status, &error);
  UNPROTECT(1);
  return answer;
}

/* ---- Windows ---- */

struct restricting {
  struct pcf_restriction restriction;
  int threads;
  double **result;
};

static enum pcf_status restrict_work(void *restricting_, const atomic_int *stop,
                                     struct pcf_error *error) {
  struct restricting *restricting = restricting_;
  return pcf_restriction_fill(&restricting->restriction, restricting->threads, stop,
                              restricting->result, error);
}

static SEXP restrict_here(struct restricting *restricting) {
  struct pcf_restriction *restriction = &restricting->restriction;
  int64_t count = restriction->x->count, *length = glue_counts(count);
  for (int64_t i = 0; i < count; i++) length[i] = pcf_restriction_length(restriction, i);
  glue_cut(&restriction->portions, count, length);
  struct pcf_error error = {0};
  SEXP functions = PROTECT(glue_new_functions(count, length, &restricting->result, &error));
  enum pcf_status status = error.status ? error.status
                                        : run(restrict_work, restricting,
                                              pcf_total_breakpoints(restriction->x), &error);
  if (!status) glue_drop_zero_starts(functions);
  SEXP answer = glue_answer(functions, status, &error);
  UNPROTECT(1);
  return answer;
}

SEXP ffi_restrict(SEXP x_, SEXP from_, SEXP to_, SEXP threads_) {
  struct pcf_collection x;
  double from = glue_number(from_, "from"), to = glue_number(to_, "to");
  int threads = glue_threads(threads_);
  glue_check_window(from, to);
  SEXP wrong = glue_checked_partial(x_, "x", threads, &x, NULL);
  if (wrong != R_NilValue) return wrong;
  struct restricting restricting = {.restriction = {.x = &x, .from = from, .to = to},
                                    .threads = threads};
  return restrict_here(&restricting);
}
