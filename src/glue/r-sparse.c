/* ffi_times_vectors(): sparse matrices times vectors; and the matrices of R that C reads. */
#include "glue/glue.h"

#include "reductions/sparse-rows.h"

#include <limits.h>

/* ---- Matrices of R ---- */

/* Where the columns, or rows, of a matrix begin among its entries. */
static int64_t *read_starts(const char *name, const double *from, int64_t count,
                            R_xlen_t entries) {
  int64_t *starts = glue_counts(count);
  for (int64_t j = 0; j <= count; j++) {
    double least = j ? from[j - 1] : 0, most = j ? (double)entries : 0;
    if (!(from[j] >= least && from[j] <= most)) {
      Rf_error("internal error: `%s` must begin the columns or rows", name);
    }
    starts[j] = (int64_t)from[j];
  }
  return starts;
}

struct pcf_matrix glue_columns_of(SEXP matrix_, int64_t rows, int64_t columns) {
  SEXP row = glue_element(matrix_, "row"), weight = glue_element(matrix_, "weight");
  const double *from = glue_doubles(glue_element(matrix_, "starts"), "starts", columns + 1);
  R_xlen_t entries = XLENGTH(weight);
  int64_t *starts = read_starts("starts", from, columns, entries);
  struct pcf_matrix matrix = {.rows = rows, .columns = columns, .starts = starts};
  matrix.weight = glue_doubles(weight, "weight", (R_xlen_t)starts[columns]);
  if (row != R_NilValue) {
    matrix.row = glue_places(row, "row", entries, rows);
    return matrix;
  }
  for (int64_t j = 0; j <= columns; j++) {
    if (starts[j] != rows * j) Rf_error("internal error: `starts` must begin full columns");
  }
  return matrix;
}

/* list(starts, column, weight), row by row, as glue_columns_of() has columns; `weight` is NULL
 * where all entries are 1. */
static struct pcf_sparse rows_of(SEXP matrix_, int64_t rows, int64_t columns) {
  SEXP column = glue_element(matrix_, "column"), weight = glue_element(matrix_, "weight");
  const double *from = glue_doubles(glue_element(matrix_, "starts"), "starts", rows + 1);
  R_xlen_t entries = XLENGTH(column);
  struct pcf_sparse matrix = {.rows = rows, .columns = columns};
  matrix.offsets = read_starts("starts", from, rows, entries);
  matrix.column = glue_places(column, "column", entries, columns);
  if (weight != R_NilValue) matrix.value = glue_doubles(weight, "weight", entries);
  return matrix;
}

/* ---- Products ---- */

struct multiplying {
  struct pcf_matrix by_columns; /* if the matrix comes by columns, `matrix` is made of it */
  struct pcf_sparse matrix;
  struct pcf_products_call call;
  struct pcf_single single;
  int small;
  SEXP value;
};

static enum pcf_status multiply(void *multiplying_, const atomic_int *stop,
                                struct pcf_error *error) {
  struct multiplying *multiplying = multiplying_;
  enum pcf_status status = PCF_OK;
  if (multiplying->by_columns.starts) {
    status = pcf_sparse_make(&multiplying->by_columns, stop, &multiplying->matrix, error);
  }
  return status ? status : pcf_single_run(&multiplying->single, stop, error);
}

static SEXP multiply_and_answer(void *multiplying_) {
  struct multiplying *multiplying = multiplying_;
  return glue_run_and_answer(multiplying->small, multiply, multiplying, multiplying->value);
}

static void free_matrix(void *multiplying_) {
  struct multiplying *multiplying = multiplying_;
  if (multiplying->by_columns.starts) pcf_sparse_free(&multiplying->matrix);
}

static void read_size(SEXP size, int64_t *side) {
  const double *number = glue_doubles(size, "size", 3);
  for (int k = 0; k < 3; k++) {
    if (!(number[k] >= 0 && number[k] <= INT_MAX)) {
      Rf_error("internal error: `size` must be three numbers of rows or columns");
    }
    side[k] = (int64_t)number[k];
  }
}

/* A matrix times vectors of doubles, the columns of `x`. `size`: rows and columns of the
 * matrix, and the number of vectors. The matrix is what rows_of() reads, or with `by_rows`
 * FALSE glue_columns_of(). `shape`: a list of attributes for the value, a double vector.
 * `settings`: NULL, or those of a run on a GPU. */
SEXP ffi_times_vectors(SEXP matrix, SEXP by_rows, SEXP size, SEXP x, SEXP shape, SEXP threads,
                       SEXP settings) {
  struct multiplying multiplying = {0};
  multiplying.single = glue_single(PCF_SPARSE_PRODUCTS, &multiplying.call, threads, settings);
  int64_t side[3], entries;
  read_size(size, side);
  if (glue_flag(by_rows, "by_rows")) {
    multiplying.matrix = rows_of(matrix, side[0], side[1]);
    entries = multiplying.matrix.offsets[side[0]];
  } else {
    multiplying.by_columns = glue_columns_of(matrix, side[0], side[1]);
    entries = multiplying.by_columns.starts[side[1]];
  }
  const double *vector = glue_doubles(x, "x", (R_xlen_t)(side[1] * side[2]));
  multiplying.small = glue_is_small(&multiplying.single, side[2] * entries, side[2] * side[0]);
  multiplying.value = PROTECT(glue_rows((R_xlen_t)side[0], (R_xlen_t)side[2]));
  multiplying.call =
    (struct pcf_products_call){&multiplying.matrix, vector, side[2], REAL(multiplying.value)};
  glue_set_attributes(multiplying.value, shape);
  SEXP answer = R_ExecWithCleanup(multiply_and_answer, &multiplying, free_matrix, &multiplying);
  UNPROTECT(1);
  return answer;
}
