/* Functions made from functions: operators, new columns, canonical forms, windows, weights,
 * inverses, and where functions are observed. ffi_crossing(): when they reach a level. */
#include "glue/glue.h"

#include "algebra/combine.h"
#include "algebra/inverse.h"
#include "algebra/laying.h"
#include "algebra/restriction.h"
#include "algebra/simplify.h"
#include "collections/columns.h"
#include "collections/cutting.h"
#include "collections/observed.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- Functions in two passes ---- */

/* One function for each of a collection. */
static struct glue_making make_from(const struct pcf_collection *x, int threads) {
  return glue_make_many(x->count, threads, glue_is_short(x, 0));
}

/* The portions that functions are made of, with room for places, in memory that R frees. */
static struct pcf_portions portions_of(const struct glue_making *making,
                                       const int64_t *offsets) {
  struct pcf_portions portions = {making->count, offsets, .total = making->breakpoints,
                                  .result = making->result};
  portions.place = glue_counts(pcf_portion_numbers(&portions));
  return portions;
}

/* ---- Operators ---- */

struct combining {
  struct glue_making of;
  struct pcf_combination combination;
};

GLUE_WORK(count_combined, combining,
          pcf_combination_count(&it->combination, it->of.threads, stop, error))
GLUE_WORK(fill_combined, combining,
          pcf_combination_fill(&it->combination, it->of.threads, stop, error))

static enum pcf_operator read_operator(SEXP name) {
  /* clang-format off */
  static const char *const names[] = {
    "+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "&", "|", "pmax", "pmin",
    "pmax of those observed", "pmin of those observed", "apart", "first", "second"};
  /* clang-format on */
  int count = (int)(sizeof names / sizeof *names);
  return (enum pcf_operator)glue_choice(name, "operation", names, count);
}

static SEXP read_operand(SEXP x, const char *argument, struct pcf_collection *collection,
                         struct pcf_operand *operand) {
  if (TYPEOF(x) == REALSXP) {
    *operand = (struct pcf_operand){.count = XLENGTH(x), .numbers = REAL_RO(x)};
    return R_NilValue;
  }
  GLUE_TRY(glue_view(x, argument, GLUE_EITHER, collection));
  *operand = (struct pcf_operand){.count = XLENGTH(x), .functions = collection};
  return R_NilValue;
}

/* Lays out the pairs; returns how many breakpoints they have on both sides. */
static int64_t lay_out(const struct glue_making *making, struct pcf_combination *combination) {
  int64_t *begin = glue_counts(combination->count);
  begin[0] = 0;
  for (int64_t i = 0; i < combination->count; i++) {
    begin[i + 1] = begin[i] + pcf_combination_length(combination, i);
  }
  combination->portions = portions_of(making, begin);
  combination->steps = (uint8_t *)R_alloc((size_t)begin[combination->count] + 1, 1);
  return begin[combination->count];
}

/* `x` and `y` are lists of functions or double vectors, not both the latter; `count` is the
 * number of results, 0 if one of them is empty. */
SEXP ffi_combine(SEXP x_, SEXP y_, SEXP operation, SEXP count, SEXP threads_) {
  struct pcf_collection x, y;
  struct combining combining = {0};
  struct pcf_combination *combination = &combining.combination;
  int threads = glue_threads(threads_);
  combination->operation = read_operator(operation);
  GLUE_TRY(read_operand(x_, "e1", &x, &combination->left));
  GLUE_TRY(read_operand(y_, "e2", &y, &combination->right));
  if (combination->left.numbers && combination->right.numbers) {
    Rf_error("internal error: neither operand is a list of functions");
  }
  int empty = combination->left.count == 0 || combination->right.count == 0;
  combination->count = glue_count(count, "count", 0, empty ? 0 : GLUE_MOST_ELEMENTS);
  struct glue_making *making = &combining.of;
  *making = glue_make_many(combination->count, threads, 0);
  making->small = lay_out(making, combination) < GLUE_FEW_BREAKPOINTS;
  making->linear = pcf_combines_to_lines(combination);
  making->drop_zero_starts =
    combination->operation != PCF_FIRST && combination->operation != PCF_SECOND;
  making->fault = &combination->fault;
  making->operand[0] = x_, making->operand[1] = y_;
  making->argument[0] = "e1", making->argument[1] = "e2";
  if (pcf_combines_lines(combination)) GLUE_TRY(glue_check_operands(making));
  return glue_make(making, count_combined, fill_combined, &combining);
}

/* ---- Columns ---- */

struct column_work {
  struct glue_making of;
  struct pcf_collection x;
  enum pcf_column which;
  double *column;
  struct pcf_place fault;
};

GLUE_WORK(gather_work, column_work,
          pcf_gather_column(&it->x, it->which, it->column, it->of.threads, stop, error))
GLUE_WORK(replace_work, column_work,
          pcf_replace_column(&it->x, it->which, it->column, it->of.result, it->of.threads, stop,
                             &it->fault, error))

static SEXP read_column(SEXP x, SEXP which, SEXP threads_, struct column_work *work) {
  static const char *const names[] = {
    [PCF_TIMES] = "time", [PCF_VALUES] = "value", [PCF_LEFTS] = "left"};
  work->which = (enum pcf_column)glue_choice(which, "which", names, 3);
  int threads = glue_threads(threads_);
  GLUE_TRY(glue_view(x, "x", GLUE_EITHER, &work->x));
  if (work->which == PCF_LEFTS && !work->x.linear) Rf_error("internal error: no left limits");
  work->of = make_from(&work->x, threads);
  work->of.linear = work->x.linear;
  for (int64_t i = 0; i < work->x.count; i++) {
    work->of.breakpoints[i] = pcf_breakpoints(&work->x, i);
  }
  work->of.drop_zero_starts = work->which == PCF_VALUES;
  work->of.fault = &work->fault;
  work->of.operand[0] = x;
  work->of.argument[0] = "x";
  return R_NilValue;
}

/* The column "time", "value" or "left" of all functions end to end. */
SEXP ffi_column(SEXP x, SEXP which, SEXP threads) {
  struct column_work work = {.fault = PCF_NOWHERE};
  struct pcf_error error = {0};
  GLUE_TRY(read_column(x, which, threads, &work));
  SEXP column = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)pcf_total_breakpoints(&work.x)));
  work.column = REAL(column);
  enum pcf_status status = glue_run(work.of.small, gather_work, &work, &error);
  SEXP answer =
    status ? glue_make_failed(&work.of, status, &error) : glue_answer(column, status, &error);
  UNPROTECT(1);
  return answer;
}

/* The functions with another column in its place. */
SEXP ffi_with_column(SEXP x, SEXP which, SEXP column, SEXP threads) {
  struct column_work work = {.fault = PCF_NOWHERE};
  GLUE_TRY(read_column(x, which, threads, &work));
  R_xlen_t total = (R_xlen_t)pcf_total_breakpoints(&work.x);
  work.column = (double *)glue_doubles(column, "column", total);
  return glue_make(&work.of, NULL, replace_work, &work);
}

/* Functions of so many breakpoints each, whose columns are end to end; without left limits,
 * step functions. */
SEXP ffi_cut_functions(SEXP lengths, SEXP times, SEXP values, SEXP left) {
  int64_t count = XLENGTH(lengths), total = XLENGTH(times), begin = 0;
  int linear = left != R_NilValue, columns = pcf_matrix_columns(linear);
  const double *length = glue_doubles(lengths, "lengths", -1);
  const double *column[] = {glue_doubles(times, "times", total),
                            glue_doubles(linear ? left : values, "left", total),
                            glue_doubles(values, "values", total)};
  struct glue_making of = glue_make_many(count, 1, 1);
  for (int64_t i = 0; i < count; i++) {
    int fits = length[i] >= 0 && length[i] <= INT_MAX && length[i] <= (double)(total - begin);
    if (!fits) Rf_error("internal error: function %.0f has no such length", (double)i + 1);
    begin += of.breakpoints[i] = (int64_t)length[i];
  }
  if (begin != total) Rf_error("internal error: there are more breakpoints");
  SEXP functions = PROTECT(glue_functions(count, of.breakpoints, linear, of.result));
  begin = 0;
  for (int64_t i = 0, m; i < count; i++, begin += m) {
    m = of.breakpoints[i];
    for (int c = 0; c < columns; c++) {
      memcpy(of.result[i] + c * m, column[c] + begin, (size_t)m * sizeof(double));
    }
  }
  UNPROTECT(1);
  return functions;
}

/* ---- Canonical forms ---- */

struct simplifying {
  struct glue_making of;
  struct pcf_simplification simplification;
};

GLUE_WORK(count_changes, simplifying,
          pcf_simplification_count(&it->simplification, it->of.threads, stop, error))
GLUE_WORK(fill_simplified, simplifying,
          pcf_simplification_fill(&it->simplification, it->of.threads, stop, error))

/* Of step functions, counts changes and looks for faults in one pass. */
SEXP ffi_simplify(SEXP x_, SEXP threads_) {
  struct pcf_collection x;
  struct simplifying simplifying = {.simplification = {.x = &x}};
  int threads = glue_threads(threads_);
  GLUE_TRY(glue_view(x_, "x", GLUE_EITHER, &x));
  simplifying.of = make_from(&x, threads);
  simplifying.of.linear = x.linear;
  simplifying.simplification.portions = portions_of(&simplifying.of, x.offsets);
  simplifying.of.operand[0] = x_;
  simplifying.of.argument[0] = "x";
  if (x.linear) {
    GLUE_TRY(glue_check_operands(&simplifying.of));
    simplifying.simplification.kept = glue_counts(pcf_total_breakpoints(&x));
  }
  return glue_make(&simplifying.of, count_changes, fill_simplified, &simplifying);
}

/* ---- Windows ---- */

struct restricting {
  struct glue_making of;
  struct pcf_restriction restriction;
};

GLUE_WORK(fill_restricted, restricting,
          pcf_restriction_fill(&it->restriction, it->of.threads, stop, error))

SEXP ffi_restrict(SEXP x_, SEXP from_, SEXP to_, SEXP threads_) {
  struct pcf_collection x;
  double from = glue_number(from_, "from"), to = glue_number(to_, "to");
  int threads = glue_threads(threads_);
  glue_check_window(from, to);
  GLUE_TRY(glue_check(x_, "x", GLUE_STEPS, threads, &x, NULL));
  struct restricting restricting = {make_from(&x, threads), {.x = &x, .from = from, .to = to}};
  int64_t *length = restricting.of.breakpoints, *offsets = glue_counts(x.count);
  offsets[0] = 0;
  for (int64_t i = 0; i < x.count; i++) {
    length[i] = pcf_restriction_length(&restricting.restriction, i);
    offsets[i + 1] = offsets[i] + length[i];
  }
  restricting.restriction.portions = portions_of(&restricting.of, offsets);
  restricting.of.drop_zero_starts = 1;
  return glue_make(&restricting.of, NULL, fill_restricted, &restricting);
}

/* ---- Weights ---- */

struct weighting {
  struct glue_making of;
  struct pcf_collection x, w;
  struct pcf_weight weight;
  struct pcf_cutting cutting;
  const double *window;
  double p;
  int partial;
};

static void free_weight(void *weighting) {
  pcf_weight_free(&((struct weighting *)weighting)->weight);
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

static SEXP make_weighted(void *weighting_) {
  struct weighting *weighting = weighting_;
  struct pcf_weight *weight = &weighting->weight;
  const double *window = weighting->window;
  struct pcf_error error = {0};
  enum pcf_status status = pcf_weight_make(weight, &weighting->w, window[0], window[1], &error);
  if (status) return glue_answer(R_NilValue, status, &error);
  weighting->cutting =
    (struct pcf_cutting){.weight = weight,
                         .x = &weighting->x,
                         .partial = weighting->partial && pcf_weight_most(weight) > 0,
                         .factor = factors_of(weight, weighting->p)};
  return glue_make_each(weighting->of, pcf_cut_functions(&weighting->cutting));
}

/* The functions x times the weight, one function, to the power 1/p, in the window from
 * window[1] to window[2]. Where the weight is 0, functions are 0 or, if any of them has missing
 * values, missing. */
SEXP ffi_weighted(SEXP x, SEXP weight, SEXP window, SEXP p, SEXP threads_) {
  struct weighting weighting = {.p = glue_number(p, "p"), .window = glue_window(window)};
  struct pcf_range range = PCF_EMPTY_RANGE;
  int threads = glue_threads(threads_);
  GLUE_TRY(glue_check_weight(weight, &weighting.w));
  GLUE_TRY(glue_check(x, "x", GLUE_STEPS, threads, &weighting.x, &range));
  double pieces = (double)weighting.x.count * (double)pcf_total_breakpoints(&weighting.w);
  weighting.of =
    glue_make_many(weighting.x.count, threads, glue_is_short(&weighting.x, pieces));
  weighting.partial = range.missing;
  return R_ExecWithCleanup(make_weighted, &weighting, free_weight, &weighting);
}

/* ---- Rows of components ---- */

/* The functions of a matrix with so many rows, each row laid end to end. `parts`: a column for
 * each with the numbers of struct pcf_laid, columns counted from 1. */
SEXP ffi_lay_rows(SEXP x_, SEXP rows, SEXP parts, SEXP outside, SEXP threads_) {
  struct pcf_collection x;
  int threads = glue_threads(threads_);
  GLUE_TRY(glue_check(x_, "x", GLUE_EITHER, threads, &x, NULL));
  const double *part = glue_doubles(parts, "parts", -1);
  struct pcf_laying laying = {.x = &x,
                              .rows = glue_count(rows, "rows", 0, x.count),
                              .count = XLENGTH(parts) / 7,
                              .outside = glue_number(outside, "outside")};
  struct pcf_laid *laid = (struct pcf_laid *)R_alloc((size_t)laying.count, sizeof *laid);
  if (laying.count == 0) Rf_error("internal error: `parts` must not be empty");
  for (int64_t p = 0; p < laying.count; p++, part += 7) {
    int64_t column = (int64_t)part[0] - 1;
    laid[p] =
      (struct pcf_laid){column, part[1], part[2], part[3], part[4], part[5], (int)part[6]};
    if (column < 0 || (column + 1) * laying.rows > x.count) {
      Rf_error("internal error: `parts` have columns that there are not");
    }
  }
  laying.parts = laid;
  double stretches = (double)laying.rows * (double)laying.count;
  struct glue_making of = glue_make_many(laying.rows, threads, glue_is_short(&x, stretches));
  of.linear = x.linear;
  return glue_make_each(of, pcf_lay_rows(&laying));
}

/* The times of each column of a matrix with so many rows that are strictly inside the window:
 * list(times, grain). Of each column there are increasing times: the least and the largest one
 * of those with the same sign and power of two, and 0. All times are multiples of 2^grain,
 * which is at most 1100. */
SEXP ffi_time_sizes(SEXP x_, SEXP rows_, SEXP window_) {
  struct pcf_collection x;
  GLUE_TRY(glue_check(x_, "x", GLUE_EITHER, 1, &x, NULL));
  int64_t rows = glue_count(rows_, "rows", 0, x.count), columns = rows ? x.count / rows : 0;
  const double *window = glue_window(window_);
  struct pcf_time_sizes *sizes = (struct pcf_time_sizes *)R_alloc(1, sizeof *sizes);
  double *time = (double *)R_alloc(2 * PCF_TIME_SIZES + 1, sizeof *time);
  int grain = 1100;
  SEXP times = PROTECT(Rf_allocVector(VECSXP, columns));
  for (int64_t c = 0; c < columns; c++) {
    *sizes = (struct pcf_time_sizes){.grain = grain};
    pcf_add_time_sizes(sizes, &x, c * rows, (c + 1) * rows, window[0], window[1]);
    int count = pcf_list_time_sizes(sizes, time);
    SEXP of_column = Rf_allocVector(REALSXP, count);
    SET_VECTOR_ELT(times, c, of_column);
    memcpy(REAL(of_column), time, (size_t)count * sizeof *time);
    grain = sizes->grain;
  }
  SEXP answer = GLUE_LIST(GLUE_VALUE("times", times), GLUE_INTEGER("grain", grain));
  UNPROTECT(1);
  return answer;
}

/* ---- Where functions are observed ---- */

/* The functions that are 1 where those of `x` are observed and 0 elsewhere. */
SEXP ffi_observed(SEXP x, SEXP threads_) {
  struct pcf_collection collection;
  int threads = glue_threads(threads_);
  GLUE_TRY(glue_check(x, "x", GLUE_EITHER, threads, &collection, NULL));
  return glue_make_each(make_from(&collection, threads), pcf_indicators(&collection));
}

/* ---- Directions ---- */

/* A computation that depends on whether the functions of a collection rise or fall. */
struct directed {
  struct pcf_collection x;
  struct pcf_trends trends;
  int falling; /* R's logical: NA if it is still unknown */
  int threads, small;
};

GLUE_WORK(trend_work, directed, pcf_find_trends(&it->x, it->threads, stop, &it->trends, error))
GLUE_WORK(ends_work, directed, pcf_find_ends(&it->x, it->threads, stop, &it->trends, error))

/* A problem at a place of pcf_trends. */
static SEXP wrong_direction(struct pcf_place place, int linear, const char *problem) {
  int64_t k = linear ? place.position / 2 : place.position;
  return glue_problem_with(
    "x", GLUE_LIST(GLUE_NUMBER("function", place.item + 1), GLUE_NUMBER("position", k + 1),
                   GLUE_TEXT("problem", problem),
                   GLUE_FLAG("left", linear && place.position % 2 == 0)));
}

/* Finds the direction if it is not given: that of the first function that rises or falls.
 * Returns R_NilValue, or the result of the entry point if none does, or if another function has
 * the opposite direction: the problem `rising` or `falling`. */
static SEXP settle_direction(struct directed *directed, const char *rising,
                             const char *falling) {
  struct pcf_place rise = directed->trends.rise, fall = directed->trends.fall;
  int is_open = directed->falling == NA_LOGICAL;
  if (is_open) directed->falling = pcf_place_before(fall, rise);
  if (is_open && directed->x.count > 0 && rise.item < 0 && fall.item < 0) {
    return GLUE_LIST(GLUE_FLAG("undecided", 1));
  }
  struct pcf_place wrong = directed->falling ? rise : fall;
  if (wrong.item < 0) return R_NilValue;
  return wrong_direction(wrong, directed->x.linear, directed->falling ? rising : falling);
}

/* Reads and checks a collection of functions that are to be monotone or, unless `monotone`, of
 * any functions: if their direction is not given, it is that from their beginnings to their
 * ends. Returns R_NilValue, or what to return. */
static SEXP read_directed(SEXP x, SEXP falling, SEXP threads, int monotone,
                          struct directed *directed) {
  struct pcf_error error = {0};
  directed->threads = glue_threads(threads);
  if (TYPEOF(falling) != LGLSXP || XLENGTH(falling) != 1) {
    Rf_error("internal error: `falling` must be TRUE, FALSE or NA");
  }
  directed->falling = LOGICAL_RO(falling)[0];
  GLUE_TRY(glue_check(x, "x", GLUE_EITHER, directed->threads, &directed->x, NULL));
  directed->small = glue_is_short(&directed->x, 0);
  if (!monotone && directed->falling != NA_LOGICAL) return R_NilValue;
  enum pcf_status status =
    glue_run(directed->small, monotone ? trend_work : ends_work, directed, &error);
  if (status) return glue_answer(R_NilValue, status, &error);
  return monotone ? settle_direction(directed, "rises", "falls")
                  : settle_direction(directed, "ends_higher", "ends_lower");
}

/* ---- Inverses ---- */

struct inverting {
  struct glue_making of;
  struct pcf_inversion inversion;
};

GLUE_WORK(count_inverse, inverting,
          pcf_inversion_count(&it->inversion, it->of.threads, stop, error))
GLUE_WORK(fill_inverse, inverting,
          pcf_inversion_fill(&it->inversion, it->of.threads, stop, error))

/* `falling`: do the functions never rise? NA if unknown. Returns list(value), list(undecided),
 * or an error for answer_value(). */
SEXP ffi_inverse(SEXP x, SEXP falling, SEXP threads) {
  struct directed directed = {0};
  GLUE_TRY(read_directed(x, falling, threads, 1, &directed));
  struct inverting inverting = {make_from(&directed.x, directed.threads),
                                {&directed.x, directed.falling, {0}}};
  inverting.of.linear = directed.x.linear;
  inverting.inversion.portions = portions_of(&inverting.of, directed.x.offsets);
  return glue_make(&inverting.of, count_inverse, fill_inverse, &inverting);
}

/* ---- Levels ---- */

struct crossing {
  const struct directed *directed;
  struct pcf_levels levels;
  double *result;
};

GLUE_WORK(cross_work, crossing,
          pcf_crossing_times(&it->directed->x, it->directed->falling, &it->levels,
                             it->directed->threads, stop, it->result, error))

static struct pcf_levels read_levels(SEXP levels, SEXP columns, R_xlen_t functions) {
  if (TYPEOF(columns) == LGLSXP) {
    return (struct pcf_levels){
      .level = glue_doubles(levels, "levels", functions), .count = 1, .own = 1};
  }
  return (struct pcf_levels){.level = glue_increasing(levels, "levels"),
                             .column = glue_order(columns, "columns", XLENGTH(levels)),
                             .count = XLENGTH(levels)};
}

/* `levels`: doubles in increasing order; `columns`: which column of the result belongs to each,
 * from 1, or NULL; or FALSE if there is one level for each function. `middle`: of stretches at
 * a level? `shape`: attributes of the result, which has one row for each function. */
SEXP ffi_crossing(SEXP x, SEXP falling, SEXP levels, SEXP columns, SEXP tolerance, SEXP middle,
                  SEXP threads, SEXP shape) {
  struct directed directed = {0};
  struct crossing crossing = {.directed = &directed};
  crossing.levels = read_levels(levels, columns, XLENGTH(x));
  crossing.levels.tolerance = glue_number(tolerance, "tolerance");
  crossing.levels.middle = glue_flag(middle, "middle");
  GLUE_TRY(read_directed(x, falling, threads, 0, &directed));
  SEXP value = PROTECT(glue_rows(XLENGTH(x), crossing.levels.count));
  crossing.result = REAL(value);
  glue_set_attributes(value, shape);
  int small = glue_is_short(&directed.x, (double)XLENGTH(value));
  SEXP answer = glue_run_and_answer(small, cross_work, &crossing, value);
  UNPROTECT(1);
  return answer;
}
