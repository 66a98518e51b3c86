/* Sparse matrices times vectors, on the host and on a device, and matrices by their rows. */
#include "check.h"
#include "fake-cuda.h"
#include "ragged.h"

#include "arrays/partition.h"
#include "base/memory.h"
#include "cuda/info.h"
#include "functions/single.h"
#include "reductions/sparse-rows.h"

#include <math.h>
#include <string.h>

static enum pcf_status multiply_there(const struct pcf_sparse *matrix, const double *vector,
                                      int64_t count, double *result, struct pcf_error *error) {
  struct pcf_products_call call = {matrix, vector, count, result};
  struct pcf_single single = {PCF_SPARSE_PRODUCTS, &call, .on_gpu = 1,
                              .settings = {.threads = 3, .gpus = 1}};
  return pcf_single_run(&single, NULL, error);
}

/* ---- Matrices ---- */

enum { COLUMNS = 900 };

/* A matrix of `rows` rows of 0 … most entries in any columns, the first of `first` entries. */
struct matrix {
  struct pcf_sparse view;
  int64_t *offsets;
  int32_t *column;
  double *value;
};

static struct matrix matrix_of(struct random *random, int64_t rows, int64_t most,
                               int64_t first) {
  struct matrix matrix = {.offsets = zeroed(rows + 1, sizeof *matrix.offsets)};
  for (int64_t r = 0; r < rows; r++) {
    matrix.offsets[r + 1] = matrix.offsets[r] + (r ? random_between(random, 0, most) : first);
  }
  int64_t n = matrix.offsets[rows];
  matrix.column = zeroed(n + 1, sizeof *matrix.column);
  matrix.value = zeroed(n + 1, sizeof *matrix.value);
  for (int64_t e = 0; e < n; e++) {
    matrix.column[e] = (int32_t)random_between(random, 0, COLUMNS - 1);
    matrix.value[e] = random_normal(random);
  }
  matrix.view =
    (struct pcf_sparse){rows, COLUMNS, matrix.offsets, matrix.column, matrix.value, {0}};
  return matrix;
}

static double *vectors_of(struct random *random, int64_t count) {
  double *vector = zeroed(count * COLUMNS, sizeof *vector);
  for (int64_t k = 0; k < count * COLUMNS; k++) vector[k] = random_normal(random);
  return vector;
}

static bool same_bits(const double *x, const double *y, int64_t n) {
  return memcmp(x, y, (size_t)n * sizeof *x) == 0;
}

/* ---- Products ---- */

/* The products, added up by the reduction that numbers have. */
static void reduce_products(const struct pcf_sparse *matrix, const double *vector,
                            double *result) {
  int64_t n = matrix->offsets[matrix->rows];
  double *product = zeroed(n + 1, sizeof *product);
  for (int64_t e = 0; e < n; e++) {
    double x = vector[matrix->column[e]];
    product[e] = matrix->value ? matrix->value[e] * x : x;
  }
  CHECK(!pcf_segment_reduce(PCF_SUM, (struct pcf_numbers){product, NULL}, matrix->offsets,
                            matrix->rows, 1, NULL, result, NULL));
}

static void check_products(const struct pcf_sparse *matrix, const double *vector,
                           int64_t count) {
  int64_t n = count * matrix->rows;
  double *want = zeroed(n, sizeof *want), *got = zeroed(n, sizeof *got);
  for (int64_t j = 0; j < count; j++) {
    reduce_products(matrix, vector + j * matrix->columns, want + j * matrix->rows);
  }
  for (int threads = 1; threads <= 4; threads++) {
    memset(got, 1, (size_t)n * sizeof *got);
    CHECK(!pcf_sparse_times_vectors(matrix, vector, count, threads, NULL, got, NULL));
    CHECK(same_bits(got, want, n));
  }
  memset(got, 1, (size_t)n * sizeof *got);
  CHECK(!multiply_there(matrix, vector, count, got, NULL));
  CHECK(same_bits(got, want, n));
}

static void check_lengths(struct random *random, int64_t rows, int64_t most, int64_t first) {
  struct matrix matrix = matrix_of(random, rows, most, first);
  double *vector = vectors_of(random, 3);
  check_products(&matrix.view, vector, 3);
  check_products(&matrix.view, vector, 0);
  matrix.view.value = NULL;
  check_products(&matrix.view, vector, 1);
}

TEST(sparse_products_of_rows_of_all_lengths) {
  check_lengths(&random, 0, 0, 0);
  check_lengths(&random, 1, 0, 0);
  check_lengths(&random, 1, 0, 5);
  check_lengths(&random, 1000, 0, 0);
  check_lengths(&random, 1000, 20, 3 * PCF_PART + 11);
  check_lengths(&random, 9, 2 * PCF_PART, PCF_PART);
  if (check_quick()) return;
  check_lengths(&random, 50000, 20, 4 * PCF_CHUNK + 3);
  CHECK(pcf_cuda_release() > 0 && fake_cuda_held() == 0);
}

TEST(sparse_products_agree_with_loops) {
  struct matrix matrix = matrix_of(&random, 300, 40, 20000);
  double *vector = vectors_of(&random, 1), result[300];
  CHECK(!pcf_sparse_times_vectors(&matrix.view, vector, 1, 2, NULL, result, NULL));
  for (int r = 0; r < 300; r++) {
    long double sum = 0, size = 0;
    for (int64_t e = matrix.offsets[r]; e < matrix.offsets[r + 1]; e++) {
      long double product = (long double)matrix.value[e] * vector[matrix.column[e]];
      sum += product;
      size += fabsl(product);
    }
    CHECK(fabsl(result[r] - sum) <= 1e-14L * size);
  }
}

/* ---- Missing and infinite numbers ---- */

enum kind { NUMBER, NOT_A_NUMBER, NOT_AVAILABLE, INFINITE };

static enum kind kind_of(double x) {
  if (isinf(x)) return INFINITE;
  if (!isnan(x)) return NUMBER;
  return pcf_is_missing(x) ? NOT_AVAILABLE : NOT_A_NUMBER;
}

/* Rows of n entries, of which the last meets something. */
static void check_kinds(int64_t n) {
  double na = pcf_missing_number(), vector[] = {1, 0, na, NAN, INFINITY, -INFINITY};
  const struct {
    double value;
    int32_t column;
    enum kind kind;
  } cases[] = {{2, 0, NUMBER},         {0, 2, NOT_AVAILABLE},      {2, 3, NOT_A_NUMBER},
               {0, 4, NOT_A_NUMBER},   {-2, 4, INFINITE},          {INFINITY, 5, INFINITE},
               {na, 1, NOT_AVAILABLE}, {na, 3, NOT_AVAILABLE},     {NAN, 2, NOT_AVAILABLE},
               {NAN, 0, NOT_A_NUMBER}, {INFINITY, 1, NOT_A_NUMBER}};
  enum { CASES = sizeof cases / sizeof *cases };
  int64_t offsets[CASES + 1] = {0};
  double *value = zeroed(CASES * n, sizeof *value), result[2][CASES];
  int32_t *column = zeroed(CASES * n, sizeof *column);
  for (int c = 0; c < CASES; c++) {
    offsets[c + 1] = (c + 1) * n;
    for (int64_t k = 0; k < n - 1; k++) value[c * n + k] = 1;
    value[(c + 1) * n - 1] = cases[c].value;
    column[(c + 1) * n - 1] = cases[c].column;
  }
  struct pcf_sparse matrix = {CASES, 6, offsets, column, value, {0}};
  CHECK(!pcf_sparse_times_vectors(&matrix, vector, 1, 2, NULL, result[0], NULL));
  CHECK(!multiply_there(&matrix, vector, 1, result[1], NULL));
  for (int c = 0; c < CASES; c++) {
    for (int where = 0; where < 2; where++) {
      CHECK(kind_of(result[where][c]) == cases[c].kind);
    }
  }
}

TEST(sparse_products_of_missing_and_infinite_numbers) {
  check_kinds(1);
  check_kinds(8);
  check_kinds(21);
  check_kinds(2 * PCF_PART + 1);
}

/* ---- Matrices by columns ---- */

/* All entries of a matrix with a column for every vector, of which some are 0 and some are not
 * finite. */
static void check_rows(const struct pcf_matrix *matrix) {
  SCOPED(pcf_sparse) rows;
  int64_t e = 0;
  REQUIRE(pcf_sparse_make(matrix, NULL, &rows, NULL) == PCF_OK);
  CHECK(rows.rows == matrix->rows && rows.columns == matrix->columns);
  for (int64_t r = 0; r < matrix->rows; r++) {
    CHECK(rows.offsets[r] == e);
    for (int64_t j = 0; j < matrix->columns; j++) {
      for (int64_t k = matrix->starts[j]; k < matrix->starts[j + 1]; k++) {
        int64_t row = matrix->row ? matrix->row[k] : k - matrix->starts[j];
        if (row != r) continue;
        CHECK(rows.column[e] == j && same_bits(&rows.value[e], &matrix->weight[k], 1));
        e++;
      }
    }
  }
  CHECK(rows.offsets[matrix->rows] == e && matrix->starts[matrix->columns] == e);
}

TEST(sparse_rows_of_matrices_have_all_entries) {
  enum { ROWS = 60, SIDES = 150 };
  static const double special[] = {0, NAN, INFINITY, -0.0};
  static double weight[ROWS * SIDES];
  static int32_t row[ROWS * SIDES];
  int64_t dense[SIDES + 1], starts[SIDES + 1] = {0};
  for (int e = 0; e < ROWS * SIDES; e++) {
    int64_t kind = random_between(&random, 0, 9);
    weight[e] = kind < 4 ? special[kind] : random_normal(&random);
  }
  for (int j = 0; j <= SIDES; j++) dense[j] = (int64_t)j * ROWS;
  for (int j = 0; j < SIDES; j++) {
    starts[j + 1] = starts[j];
    for (int32_t r = 0; r < ROWS; r++) {
      if (random_between(&random, 0, 2)) row[starts[j + 1]++] = r;
    }
  }
  struct pcf_matrix all = {ROWS, SIDES, dense, NULL, weight};
  struct pcf_matrix some = {ROWS, SIDES, starts, row, weight};
  check_rows(&all);
  check_rows(&some);
}

/* ---- Failures ---- */

TEST(sparse_matrices_give_everything_back_after_a_failure) {
  struct matrix matrix = matrix_of(&random, 50, 20, 9000);
  double *vector = vectors_of(&random, 2), result[100];
  int works = 0;
  for (long k = 1; !works && k < 500; k++) {
    for (int which = 0; which < 2; which++) {
      struct pcf_error error = {0};
      fake_cuda_reset();
      CHECK(fake_cuda_held() == 0);
      fake_cuda.calls = 0;
      fake_cuda.failure = which ? cudaErrorMemoryAllocation : cudaErrorUnknown;
      fake_cuda.fail_at = k;
      enum pcf_status status = multiply_there(&matrix.view, vector, 2, result, &error);
      works = fake_cuda.calls < k;
      CHECK(!status == (error.message[0] == '\0'));
      CHECK(!works || !status);
    }
  }
  CHECK(works);
  fake_cuda_reset();
  CHECK(fake_cuda_held() == 0);
}

TEST(sparse_matrices_fail_and_stop) {
  const double weight[] = {1, 2};
  const int64_t starts[] = {0, 1, 2};
  struct pcf_matrix matrix = {1, 2, starts, NULL, weight};
  struct pcf_sparse rows;
  double result;
  atomic_int stop = 1;
  for (long k = 1; k <= 3; k++) {
    pcf_memory_fail_at(k);
    CHECK(pcf_sparse_make(&matrix, NULL, &rows, NULL) == PCF_ERROR_MEMORY);
    pcf_sparse_free(&rows);
  }
  pcf_memory_fail_at(0);
  CHECK(pcf_sparse_make(&matrix, &stop, &rows, NULL) == PCF_ERROR_INTERRUPTED);
  pcf_sparse_free(&rows);
  REQUIRE(pcf_sparse_make(&matrix, NULL, &rows, NULL) == PCF_OK);
  CHECK(pcf_sparse_times_vectors(&rows, weight, 1, 2, &stop, &result, NULL) ==
        PCF_ERROR_INTERRUPTED);
  pcf_memory_fail_at(1);
  CHECK(pcf_sparse_times_vectors(&rows, weight, 1, 2, NULL, &result, NULL) == PCF_ERROR_MEMORY);
  pcf_memory_fail_at(0);
  CHECK(!pcf_sparse_times_vectors(&rows, weight, 1, 2, NULL, &result, NULL) && result == 5);
  pcf_sparse_free(&rows);
}

/* However many vectors there are, nothing is done for any of them. */
TEST(sparse_matrices_without_rows_take_no_time) {
  const int64_t offsets[] = {0};
  struct pcf_sparse none = {.columns = 0, .offsets = offsets};
  pcf_memory_fail_at(1);
  CHECK(!pcf_sparse_times_vectors(&none, NULL, INT64_MAX, 1, NULL, NULL, NULL));
}
