/* ffi_reduce(), ffi_combinations(), ffi_quantiles(): sums, means, extrema and quantiles of many
 * functions. */
#include "glue/glue.h"

#include "collections/curves.h"
#include "reductions/fixed.h"
#include "reductions/quantiles.h"

enum operation { SUM, MEAN, MAXIMUM, MINIMUM };

struct reduction {
  struct pcf_collection x;
  struct pcf_rows rows;
  struct pcf_matrix matrix; /* what the rows come from, where that is one */
  int64_t fault;            /* its first entry that is not finite, or -1 */
  int small;
  struct pcf_rows_call call;
  struct pcf_single single;
};

static enum operation read_operation(SEXP operation) {
  static const char *const names[] = {"sum", "mean", "max", "min"};
  return (enum operation)glue_choice(operation, "operation", names, 4);
}

/* The rows of a reduction, in memory that R frees: `row` has the number of the row of each
 * function, from 1. */
static void make_rows(int64_t n, const double *row, int64_t count, const double *weight,
                      struct pcf_rows *rows) {
  int64_t *starts = (int64_t *)R_alloc((size_t)count + 1, sizeof *starts);
  int64_t *function = (int64_t *)R_alloc((size_t)n + 1, sizeof *function);
  pcf_rows_fill(n, row, weight, count, starts, function);
  rows->count = count;
  rows->starts = starts;
  rows->function = function;
  if (weight) {
    double *sorted = (double *)R_alloc((size_t)n + 1, sizeof *sorted);
    for (int64_t e = 0; e < starts[count]; e++) sorted[e] = weight[function[e]];
    rows->weight = sorted;
  }
}

/* The sums of the weights of each row. Returns the first row (from 1) in which it is 0, or 0.
 */
static int64_t divide_by_weights(struct pcf_rows *rows) {
  double *divisor = (double *)R_alloc((size_t)rows->count + 1, sizeof *divisor);
  int64_t none = 0;
  for (int64_t r = rows->count - 1; r >= 0; r--) {
    int64_t first = rows->starts[r], n = rows->starts[r + 1] - first;
    divisor[r] = rows->weight ? pcf_exact_sum(rows->weight + first, n) : (double)n;
    if (divisor[r] == 0) none = r + 1;
    if (!R_FINITE(divisor[r])) Rf_error("internal error: `weights` add up to too much");
  }
  rows->divisor = divisor;
  return none;
}

static enum pcf_status compute(void *reduction_, const atomic_int *stop,
                               struct pcf_error *error) {
  struct reduction *reduction = reduction_;
  if (reduction->matrix.starts) {
    struct pcf_rows rows = {0};
    enum pcf_status status =
      pcf_rows_make(&reduction->matrix, stop, &rows, &reduction->fault, error);
    rows.missing = reduction->rows.missing;
    rows.observed_only = reduction->rows.observed_only;
    reduction->rows = rows;
    if (status) return status;
  }
  return pcf_single_run(&reduction->single, stop, error);
}

/* Reads the arguments that both entry points have. Returns R_NilValue, or what they are to
 * return. */
static SEXP read_reduction(SEXP x, enum operation operation, SEXP observed_only, SEXP threads,
                           SEXP settings, struct reduction *reduction) {
  struct pcf_rows_call *call = &reduction->call;
  *reduction = (struct reduction){.fault = -1};
  *call = (struct pcf_rows_call){
    .x = &reduction->x, .rows = &reduction->rows, .range = PCF_EMPTY_RANGE};
  call->extrema = operation > MEAN;
  call->extremum = operation == MAXIMUM ? PCF_MAXIMUM : PCF_MINIMUM;
  reduction->single = glue_single(operation <= MEAN ? PCF_FUNCTION_SUMS : PCF_FUNCTION_EXTREMA,
                                  call, threads, settings);
  int threads_used = reduction->single.settings.threads;
  SEXP problem = glue_check(x, "x", GLUE_EITHER, threads_used, &reduction->x, &call->range);
  if (operation <= MEAN && reduction->x.linear) reduction->single.operation = PCF_LINE_SUMS;
  reduction->rows.missing = call->range.missing;
  reduction->rows.observed_only = glue_flag(observed_only, "observed_only");
  return problem;
}

/* Chooses the CPU or a device for so many breakpoints. */
static void choose_place(struct reduction *reduction, double breakpoints) {
  pcf_single_choose(&reduction->single, &reduction->x, breakpoints);
  reduction->small = !reduction->single.on_gpu && breakpoints < GLUE_FEW_BREAKPOINTS;
}

/* Computes the functions and gives them to R; may jump. */
static SEXP reduce(void *reduction_) {
  struct reduction *reduction = reduction_;
  struct pcf_error error = {0};
  enum pcf_status status = glue_run(reduction->small, compute, reduction, &error);
  if (reduction->fault >= 0) return GLUE_LIST(GLUE_NUMBER("wrong_entry", reduction->fault + 1));
  if (status) return glue_answer(R_NilValue, status, &error);
  return glue_give_curves(&reduction->call.curves, reduction->single.settings.threads,
                          reduction->small);
}

static void free_curves(void *reduction_) {
  struct reduction *reduction = reduction_;
  pcf_curves_free(&reduction->call.curves);
  if (reduction->matrix.starts) pcf_rows_free(&reduction->rows);
}

/* Reduces the functions of each of `rows_` rows to one; `row_` has the row of each function,
 * from 1, `weights_` its weight, or NULL. `observed_only`: do values count alone where others
 * are missing? `settings`: NULL, or those of a run on a GPU. Returns list(value), or
 * list(zero_row) where the weights of a mean add up to 0, or what answer_value() makes an error
 * of. */
SEXP ffi_reduce(SEXP x, SEXP operation, SEXP row_, SEXP rows_, SEXP weights_,
                SEXP observed_only, SEXP threads, SEXP settings) {
  struct reduction reduction;
  enum operation which = read_operation(operation);
  GLUE_TRY(read_reduction(x, which, observed_only, threads, settings, &reduction));
  const double *weight =
    weights_ == R_NilValue ? NULL : glue_finite(weights_, "weights", XLENGTH(x));
  const double *row = glue_doubles(row_, "row", XLENGTH(x));
  int64_t count = glue_count(rows_, "rows", 0, GLUE_MOST_ELEMENTS);
  make_rows(reduction.x.count, row, count, weight, &reduction.rows);
  int64_t none = which == MEAN ? divide_by_weights(&reduction.rows) : 0;
  if (none) return GLUE_LIST(GLUE_NUMBER("zero_row", none));
  choose_place(&reduction, (double)pcf_total_breakpoints(&reduction.x));
  return R_ExecWithCleanup(reduce, &reduction, free_curves, &reduction);
}

/* ---- Matrices times functions ---- */

/* An upper bound for the breakpoints of all entries. */
static double breakpoints_of_entries(const struct reduction *reduction) {
  const struct pcf_matrix *matrix = &reduction->matrix;
  double sum = (double)matrix->rows;
  for (int64_t j = 0; j < matrix->columns; j++) {
    double entries = (double)(matrix->starts[j + 1] - matrix->starts[j]);
    sum += entries * (1 + (double)pcf_breakpoints(&reduction->x, j));
  }
  return sum;
}

/* The weighted sums of functions with the rows of a matrix as weights; see glue_columns_of(),
 * and ffi_reduce() for the other arguments. Returns list(wrong_entry), from 1, if a weight is
 * not finite.
 */
SEXP ffi_combinations(SEXP x, SEXP matrix, SEXP rows, SEXP observed_only, SEXP threads,
                      SEXP settings) {
  struct reduction reduction;
  GLUE_TRY(read_reduction(x, SUM, observed_only, threads, settings, &reduction));
  int64_t count = glue_count(rows, "rows", 0, INT_MAX);
  reduction.matrix = glue_columns_of(matrix, count, reduction.x.count);
  reduction.rows.count = count;
  choose_place(&reduction, breakpoints_of_entries(&reduction));
  return R_ExecWithCleanup(reduce, &reduction, free_curves, &reduction);
}

/* ---- Quantiles ---- */

struct quantiles {
  struct pcf_collection x;
  struct pcf_quantiles wanted;
  struct pcf_curves curves;
  int threads;
};

GLUE_WORK(compute_quantiles, quantiles,
          pcf_quantiles(&it->wanted, it->threads, stop, &it->curves, error))

static SEXP make_quantiles(void *quantiles_) {
  struct quantiles *quantiles = quantiles_;
  struct pcf_error error = {0};
  int small = glue_is_short(&quantiles->x, 0);
  enum pcf_status status = glue_run(small, compute_quantiles, quantiles, &error);
  if (status) return glue_answer(R_NilValue, status, &error);
  return glue_give_curves(&quantiles->curves, quantiles->threads, small);
}

static void free_quantiles(void *quantiles) {
  pcf_curves_free(&((struct quantiles *)quantiles)->curves);
}

/* The quantiles of at least one function for each of `probs`; see struct pcf_quantiles.
 * `times`: NULL, or where functions are looked at. */
SEXP ffi_quantiles(SEXP x, SEXP probs, SEXP observed_only, SEXP times, SEXP unknown_before,
                   SEXP threads) {
  struct quantiles quantiles = {.threads = glue_threads(threads)};
  GLUE_TRY(glue_check(x, "x", GLUE_EITHER, quantiles.threads, &quantiles.x, NULL));
  quantiles.wanted =
    (struct pcf_quantiles){.x = &quantiles.x,
                           .prob = glue_finite(probs, "probs", XLENGTH(probs)),
                           .probs = XLENGTH(probs),
                           .observed_only = glue_flag(observed_only, "observed_only"),
                           .unknown_before = glue_flag(unknown_before, "unknown_before")};
  if (times != R_NilValue) {
    quantiles.wanted.time = glue_increasing(times, "times");
    quantiles.wanted.times = XLENGTH(times);
  }
  return R_ExecWithCleanup(make_quantiles, &quantiles, free_quantiles, &quantiles);
}
