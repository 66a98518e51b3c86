/* Sums and extrema of rows of functions, against their definition. */
#include "check.h"
#include "fake-cuda.h"
#include "ragged.h"

#include "base/memory.h"
#include "functions/single.h"
#include "reductions/events.h"
#include "reductions/extrema.h"
#include "reductions/sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind { SUM, LARGEST, SMALLEST, SUM_ON_DEVICE };

/* A reduction and what it gave: columns[r] are the times and values of function r. */
struct outcome_of_reduction {
  enum pcf_status status;
  struct pcf_error error;
  int64_t count, *breakpoints;
  double **columns;
};

static struct outcome_of_reduction reduce(enum kind kind, const struct functions *x,
                                          const struct pcf_rows *rows, int threads) {
  struct outcome_of_reduction outcome = {.count = rows->count};
  struct pcf_curves curves = {0};
  struct pcf_range range = PCF_EMPTY_RANGE;
  int64_t function, position;
  if (pcf_check_functions(&x->view, 0, x->view.count, &range, &function, &position)) abort();
  if (kind == SUM) {
    outcome.status = pcf_sums(&x->view, rows, &range, threads, NULL, &curves, &outcome.error);
  } else if (kind == SUM_ON_DEVICE) {
    struct pcf_rows_call call = {.x = &x->view, .rows = rows, .range = range};
    struct pcf_single single = {PCF_FUNCTION_SUMS, &call, .on_gpu = 1,
                                .settings = {.threads = threads, .gpus = 1}};
    outcome.status = pcf_single_run(&single, NULL, &outcome.error);
    curves = call.curves;
  } else {
    outcome.status = pcf_extrema(&x->view, rows, kind == LARGEST ? PCF_MAXIMUM : PCF_MINIMUM,
                                 threads, NULL, &curves, &outcome.error);
  }
  outcome.breakpoints = zeroed(rows->count + 1, sizeof *outcome.breakpoints);
  outcome.columns = zeroed(rows->count + 1, sizeof *outcome.columns);
  if (!outcome.status) {
    for (int64_t r = 0; r < rows->count; r++) {
      outcome.breakpoints[r] = curves.breakpoints[r];
      outcome.columns[r] = kept(calloc(2 * (size_t)curves.breakpoints[r], sizeof(double)));
    }
    outcome.status = pcf_curves_write(&curves, outcome.columns, threads, NULL, &outcome.error);
  }
  pcf_curves_free(&curves);
  return outcome;
}

static bool same(const struct outcome_of_reduction *a, const struct outcome_of_reduction *b) {
  bool equal = a->status == PCF_OK && b->status == PCF_OK && a->count == b->count;
  for (int64_t r = 0; equal && r < a->count; r++) {
    equal =
      a->breakpoints[r] == b->breakpoints[r] &&
      memcmp(a->columns[r], b->columns[r], 2 * (size_t)a->breakpoints[r] * sizeof(double)) == 0;
  }
  return equal;
}

/* ---- The oracle ---- */

/* Is the value of row r at time t what it should be? */
static bool right_at(enum kind kind, const struct functions *x, const struct pcf_rows *rows,
                     int64_t r, double t, double got) {
  long double sum = 0, scale = 0;
  double largest = -INFINITY, smallest = INFINITY;
  long double weights = 0;
  int64_t known = 0, entries = rows->starts[r + 1] - rows->starts[r];
  for (int64_t e = rows->starts[r]; e < rows->starts[r + 1]; e++) {
    int64_t i = rows->function[e];
    double value = value_at(&x->view, i, t);
    if (pcf_is_missing(value)) continue;
    known++;
    weights += rows->weight ? rows->weight[e] : 1;
    double weighted = rows->weight ? rows->weight[e] * value : value;
    sum += weighted;
    scale += fabs(weighted);
    largest = fmax(largest, value);
    smallest = fmin(smallest, value);
  }
  long double divisor = rows->divisor ? rows->divisor[r] : 1;
  if (rows->missing) {
    int sum_of_known = kind == SUM && !rows->divisor;
    if (rows->observed_only ? known == 0 && !sum_of_known : known < entries) {
      return pcf_is_missing(got);
    }
    if (rows->observed_only && rows->divisor) divisor = weights;
  }
  if (kind == LARGEST) return got == largest;
  if (kind == SMALLEST) return got == smallest;
  long double tolerance = check_quick() ? 4e-15L : 4e-16L; /* valgrind has no long double */
  return fabsl(got - sum / divisor) <= tolerance * scale / fabsl(divisor);
}

/* All breakpoints are needed and lie among those of the functions, and the values there and, if
 * `everywhere`, at all breakpoints of the functions are right. */
static void check_row(enum kind kind, const struct functions *x, const struct pcf_rows *rows,
                      int64_t r, const struct outcome_of_reduction *outcome, int64_t stride) {
  int64_t m = outcome->breakpoints[r];
  const double *time = outcome->columns[r], *value = time + m;
  double first = INFINITY;
  bool right = true, minimal = m >= 1;
  for (int64_t k = 1; k < m; k++) minimal = minimal && time[k - 1] < time[k];
  for (int64_t k = 1; k < m; k++) minimal = minimal && value[k - 1] != value[k];
  for (int64_t k = 1; k < m; k++)
    minimal = minimal && !(isnan(value[k - 1]) && isnan(value[k]));
  for (int64_t e = rows->starts[r]; e < rows->starts[r + 1]; e++) {
    int64_t i = rows->function[e];
    first = fmin(first, times_of(x, i)[0]);
    for (int64_t k = e % stride; k < pcf_breakpoints(&x->view, i); k += stride) {
      double t = times_of(x, i)[k];
      right = right && right_at(kind, x, rows, r, t, value_of(time, value, m, t));
    }
  }
  if (rows->starts[r] == rows->starts[r + 1]) {
    CHECK(m == 1 && time[0] == 0 && value[0] == 0);
    return;
  }
  CHECK(right);
  CHECK(minimal);
  CHECK(time[0] == first);
}

/* ---- Rows ---- */

struct matrix {
  struct pcf_rows rows;
  int64_t *starts, *function;
  double *weight, *divisor;
};

/* Functions dealt to `count` rows at random; some of them to none. */
static struct matrix make_matrix(struct random *random, int64_t n, int64_t count,
                                 bool weighted) {
  struct matrix matrix = {0};
  double *row = zeroed(n + 1, sizeof *row), *weight = zeroed(n + 1, sizeof *row);
  matrix.starts = zeroed(count + 1, sizeof *matrix.starts);
  matrix.function = zeroed(n + 1, sizeof *matrix.function);
  matrix.weight = zeroed(n + 1, sizeof *matrix.weight);
  matrix.divisor = zeroed(count + 1, sizeof *matrix.divisor);
  for (int64_t i = 0; i < n; i++) {
    row[i] = count == 1 ? 1 : (double)random_between(random, 0, count);
    weight[i] = random_normal(random) * (double)random_between(random, 0, 3);
  }
  pcf_rows_fill(n, row, weighted ? weight : NULL, count, matrix.starts, matrix.function);
  for (int64_t e = 0; e < matrix.starts[count]; e++) {
    matrix.weight[e] = weight[matrix.function[e]];
  }
  for (int64_t r = 0; r < count; r++) matrix.divisor[r] = random_normal(random) + 4;
  matrix.rows =
    (struct pcf_rows){.count = count, .starts = matrix.starts, .function = matrix.function};
  if (weighted) matrix.rows.weight = matrix.weight, matrix.rows.divisor = matrix.divisor;
  return matrix;
}

/* The same bits on a device; not for so many that its kernels take long on a processor. */
static void check_device(const struct functions *x, const struct pcf_rows *rows,
                         const struct outcome_of_reduction *want) {
  if (pcf_total_breakpoints(&x->view) > 20000) return;
  struct outcome_of_reduction got = reduce(SUM_ON_DEVICE, x, rows, 2);
  CHECK(same(&got, want));
}

static void check_reductions(const struct functions *x, const struct pcf_rows *rows,
                             int64_t stride) {
  for (int kind = SUM; kind <= SMALLEST; kind++) {
    if (kind != SUM && rows->weight) continue;
    struct outcome_of_reduction one = reduce(kind, x, rows, 1);
    struct outcome_of_reduction three = reduce(kind, x, rows, 3);
    CHECK(same(&one, &three));
    if (kind == SUM) check_device(x, rows, &one);
    if (one.status == PCF_OK) {
      for (int64_t r = 0; r < rows->count; r++) check_row(kind, x, rows, r, &one, stride);
    }
  }
}

/* With all rows short, with buckets, and with parts of a few functions. */
static void check_all_ways(const struct functions *x, const struct pcf_rows *rows,
                           int64_t stride, int64_t part_size) {
  int64_t small_row = pcf_sums_small_row, part = pcf_extrema_part;
  check_reductions(x, rows, stride);
  pcf_sums_small_row = 10;
  pcf_extrema_part = part_size;
  check_reductions(x, rows, stride);
  pcf_sums_small_row = small_row;
  pcf_extrema_part = part;
}

TEST(reductions_of_all_shapes) {
  for (int shape = PAPER; shape <= UNBOUNDED; shape++) {
    for (int64_t n = 0; n <= 60; n = 2 * n + 1) {
      struct functions *x = functions_random(&random, (enum shape)shape, n, 1, 30);
      for (int64_t count = 0; count <= 9; count += 1 + 2 * count) {
        for (int weighted = 0; weighted < 2; weighted++) {
          struct matrix matrix = make_matrix(&random, n, count, weighted);
          check_all_ways(x, &matrix.rows, 1, 20);
        }
      }
    }
  }
}

/* Rows of functions with gaps, of which some begin at −∞, in all ways to take them. */
TEST(reductions_of_functions_with_gaps) {
  for (int64_t n = 1; n <= 300; n = 3 * n + 1) {
    struct functions *x = functions_random(&random, n % 2 ? INTEGER_TIMES : PAPER, n, 1, 30);
    forget_values(&random, x, n > 100 ? 0.003 : 0.2);
    for (int64_t i = 0; i < n; i += 3) times_of(x, i)[0] = -INFINITY;
    for (int way = 0; way < 8; way++) {
      struct matrix matrix = make_matrix(&random, n, 1 + way % 3, true);
      for (int64_t e = 0; e < n; e++) matrix.weight[e] = fabs(matrix.weight[e]);
      if (way & 1) matrix.rows.weight = NULL;
      if (way & 2) matrix.rows.divisor = NULL;
      matrix.rows.missing = 1;
      matrix.rows.observed_only = way / 4;
      check_all_ways(x, &matrix.rows, 1, 20);
    }
  }
}

/* In many buckets and batches, each of which begins within a gap or after one. */
TEST(reductions_of_long_functions_with_gaps) {
  enum { N = 60 };
  int64_t lengths[N], breakpoints = 900;
  for (int64_t i = 0; i < N; i++) lengths[i] = breakpoints;
  for (int shape = PAPER; shape <= SHARED_GRID; shape++) {
    struct functions *x = functions_of_lengths(&random, (enum shape)shape, N, lengths);
    for (int64_t k = 0; k < breakpoints; k++) {
      if (k % 3 != 1) values_of(x, k % 2)[k] = pcf_missing();
    }
    for (int way = 0; way < 2; way++) {
      struct matrix matrix = make_matrix(&random, N, 1, false);
      matrix.rows.missing = 1;
      matrix.rows.observed_only = way;
      check_all_ways(x, &matrix.rows, 53, 20);
    }
  }
}

TEST(reductions_whose_weights_add_up_to_0_at_times) {
  const double f[] = {0, 1, 1, 2}, g[] = {0, 1, 1, 2}, h[] = {0, 1, 1, 2};
  const double *literal[] = {f, g, h};
  int64_t lengths[] = {2, 2, 2}, starts[] = {0, 3}, function[] = {0, 1, 2};
  double weight[] = {1, -1, 1}, divisor[] = {1};
  struct functions *x = functions_of(3, lengths, literal);
  struct pcf_rows rows = {1, starts, function, weight, divisor, .missing = 1};
  values_of(x, 0)[1] = pcf_missing(); /* only the weights -1 and 1 are left */
  rows.observed_only = 1;
  struct outcome_of_reduction outcome = reduce(SUM, x, &rows, 2);
  CHECK(outcome.status == PCF_ERROR_ARGUMENT);
  CHECK(strstr(outcome.error.message, "from the time 1 on") != NULL);
  values_of(x, 1)[1] = values_of(x, 2)[1] = pcf_missing(); /* none is left */
  outcome = reduce(SUM, x, &rows, 2);
  CHECK(outcome.status == PCF_OK && pcf_is_missing(outcome.columns[0][3]));
}

TEST(reductions_with_gaps_without_memory) {
  struct functions *x = functions_random(&random, INTEGER_TIMES, 20, 1, 9);
  forget_values(&random, x, 0.3);
  struct matrix matrix = make_matrix(&random, 20, 2, true);
  matrix.rows.missing = matrix.rows.observed_only = 1;
  enum pcf_status status = PCF_ERROR_MEMORY;
  for (long k = 1; status == PCF_ERROR_MEMORY; k++) {
    pcf_memory_fail_at(k);
    struct outcome_of_reduction outcome = reduce(SUM, x, &matrix.rows, 1);
    pcf_memory_fail_at(0);
    status = outcome.status;
    CHECK(status == PCF_OK || status == PCF_ERROR_MEMORY);
    CHECK(k > 20 || status == PCF_ERROR_MEMORY);
  }
}

/* Enough events for many buckets, and for several items of everything. */
TEST(reductions_of_many_functions) {
  int64_t n = check_quick() ? 300 : 1500;
  for (int shape = PAPER; shape <= UNBOUNDED; shape++) {
    struct functions *x = functions_random(&random, (enum shape)shape, n, 1, 250);
    for (int64_t count = 1; count <= 3; count += 2) {
      struct matrix matrix = make_matrix(&random, n, count, false);
      check_all_ways(x, &matrix.rows, 20011, 500);
    }
  }
}

/* Weights and values of all magnitudes need wide numbers. */
TEST(reductions_of_very_different_magnitudes) {
  struct functions *x = functions_random(&random, UNBOUNDED, 40, 1, 20);
  for (int64_t i = 0; i < 40; i++) {
    int exponent = (int)random_between(&random, -250, 250);
    for (int64_t k = 0; k < pcf_breakpoints(&x->view, i); k++) {
      values_of(x, i)[k] = ldexp(values_of(x, i)[k], exponent);
      times_of(x, i)[k] = ldexp(times_of(x, i)[k], 2 * exponent);
    }
  }
  for (int weighted = 0; weighted < 2; weighted++) {
    struct matrix matrix = make_matrix(&random, 40, 3, weighted);
    for (int64_t e = 0; e < matrix.starts[3]; e++) {
      matrix.weight[e] = ldexp(matrix.weight[e], (int)random_between(&random, -200, 200));
    }
    check_all_ways(x, &matrix.rows, 1, 20);
  }
}

/* Weights that are as small as their functions are large, and the other way round: within a
 * row, or a row for each function. */
TEST(reductions_whose_weights_make_up_for_the_values) {
  enum { N = 12 };
  struct functions *x = functions_random(&random, INTEGER_TIMES, N, 1, 20);
  int exponent[N];
  for (int64_t i = 0; i < N; i++) {
    exponent[i] = (int)random_between(&random, -950, 950);
    for (int64_t k = 0; k < pcf_breakpoints(&x->view, i); k++) {
      values_of(x, i)[k] = ldexp(values_of(x, i)[k], exponent[i]);
    }
  }
  for (int way = 0; way < 4; way++) {
    struct matrix matrix = make_matrix(&random, N, way < 2 ? 1 : 5, true);
    for (int64_t e = 0; e < matrix.starts[matrix.rows.count]; e++) {
      matrix.weight[e] = ldexp(matrix.weight[e], -exponent[matrix.function[e]]);
    }
    if (way % 2) matrix.rows.divisor = NULL;
    check_all_ways(x, &matrix.rows, 1, 20);
  }
}

TEST(reductions_too_large_for_a_double) {
  const double huge[] = {0, 0x1.8p1023};
  const double *literal[] = {huge, huge};
  int64_t lengths[] = {1, 1}, starts[] = {0, 2}, function[] = {0, 1};
  struct functions *x = functions_of(2, lengths, literal);
  struct pcf_rows rows = {.count = 1, .starts = starts, .function = function};
  int64_t small_row = pcf_sums_small_row;
  for (int way = 0; way < 3; way++) {
    pcf_sums_small_row = way == 1 ? 1 : small_row;
    struct outcome_of_reduction outcome = reduce(way == 2 ? SUM_ON_DEVICE : SUM, x, &rows, 2);
    CHECK(outcome.status == PCF_ERROR_ARGUMENT);
    CHECK(strstr(outcome.error.message, "too large") != NULL);
  }
  pcf_sums_small_row = small_row;
}

/* ---- Memory that runs out ---- */

static void exhaust_memory(enum kind kind, const struct functions *x,
                           const struct pcf_rows *rows) {
  struct outcome_of_reduction right = reduce(kind, x, rows, 2);
  long failures = 0;
  for (long k = 1;; k++) {
    REQUIRE(k < 2000);
    pcf_memory_fail_at(k);
    struct outcome_of_reduction outcome = reduce(kind, x, rows, 2);
    bool failed = outcome.status != PCF_OK;
    if (failed) CHECK(outcome.status == PCF_ERROR_MEMORY && outcome.error.message[0] != 0);
    else CHECK(same(&outcome, &right));
    failures += failed;
    if (!failed) break;
  }
  pcf_memory_fail_at(0);
  CHECK(failures > 5);
}

TEST(reductions_without_memory) {
  struct functions *x = functions_random(&random, PAPER, 30, 5, 20);
  int64_t small_row = pcf_sums_small_row, part = pcf_extrema_part;
  struct matrix matrix = make_matrix(&random, 30, 2, false);
  for (int in_parts = 0; in_parts < 2; in_parts++) {
    for (int kind = SUM; kind <= SMALLEST; kind++) exhaust_memory(kind, x, &matrix.rows);
    pcf_sums_small_row = 10;
    pcf_extrema_part = 20;
  }
  pcf_sums_small_row = small_row;
  pcf_extrema_part = part;
}

/* ---- Rows of matrices ---- */

enum { MATRIX_ROWS = 7, MATRIX_COLUMNS = 9 };

/* The same weights with all zeros, or with some of them left out. */
struct weights {
  double dense[MATRIX_ROWS * MATRIX_COLUMNS], sparse[MATRIX_ROWS * MATRIX_COLUMNS];
  int64_t dense_starts[MATRIX_COLUMNS + 1], sparse_starts[MATRIX_COLUMNS + 1];
  int32_t row[MATRIX_ROWS * MATRIX_COLUMNS];
};

static void draw_weights(struct random *random, struct weights *weights) {
  int64_t entries = 0;
  for (int64_t j = 0; j < MATRIX_COLUMNS; j++) {
    weights->dense_starts[j] = j * MATRIX_ROWS;
    weights->sparse_starts[j] = entries;
    for (int r = 0; r < MATRIX_ROWS; r++) {
      double weight = random_between(random, 0, 2) ? 0 : random_normal(random);
      weights->dense[r + j * MATRIX_ROWS] = weight;
      if (weight == 0 && random_between(random, 0, 1)) continue;
      weights->row[entries] = r;
      weights->sparse[entries++] = weight;
    }
  }
  weights->dense_starts[MATRIX_COLUMNS] = MATRIX_ROWS * MATRIX_COLUMNS;
  weights->sparse_starts[MATRIX_COLUMNS] = entries;
}

static void check_rows_of(const struct weights *weights, const struct pcf_rows *rows) {
  int64_t e = 0;
  CHECK(rows->count == MATRIX_ROWS && rows->starts[0] == 0);
  for (int64_t r = 0; r < MATRIX_ROWS; r++) {
    for (int64_t j = 0; j < MATRIX_COLUMNS; j++) {
      double weight = weights->dense[r + j * MATRIX_ROWS];
      if (weight == 0) continue;
      REQUIRE(e < rows->starts[MATRIX_ROWS]);
      CHECK(rows->function[e] == j && rows->weight[e] == weight);
      e++;
    }
    CHECK(rows->starts[r + 1] == e);
  }
}

static void check_reading(const struct weights *weights, const struct pcf_matrix *matrix) {
  SCOPED(pcf_rows) rows;
  int64_t fault;
  CHECK(pcf_rows_make(matrix, NULL, &rows, &fault, NULL) == PCF_OK);
  CHECK(fault == -1);
  check_rows_of(weights, &rows);
}

TEST(reductions_rows_of_matrices) {
  for (int round = 0; round < 20; round++) {
    struct weights weights;
    draw_weights(&random, &weights);
    struct pcf_matrix dense = {MATRIX_ROWS, MATRIX_COLUMNS, weights.dense_starts, NULL,
                               weights.dense};
    struct pcf_matrix sparse = {MATRIX_ROWS, MATRIX_COLUMNS, weights.sparse_starts, weights.row,
                                weights.sparse};
    check_reading(&weights, &dense);
    check_reading(&weights, &sparse);
  }
}

static void check_large(const struct pcf_matrix *matrix) {
  SCOPED(pcf_rows) rows;
  int64_t fault, e = 0;
  REQUIRE(pcf_rows_make(matrix, NULL, &rows, &fault, NULL) == PCF_OK);
  for (int64_t r = 0; r < matrix->rows; r++) {
    CHECK(rows.starts[r] == e);
    for (int64_t j = 0; j < matrix->columns; j++) {
      double weight = matrix->weight[r + j * matrix->rows];
      if (weight == 0) continue;
      if (!CHECK(rows.function[e] == j && rows.weight[e] == weight)) break;
      e++;
    }
  }
  CHECK(rows.starts[matrix->rows] == e);
}

TEST(reductions_rows_of_large_matrices) {
  enum { ROWS = 211, COLUMNS = 307 };
  double *weight = kept(calloc(ROWS * COLUMNS, sizeof *weight));
  int64_t starts[COLUMNS + 1], fault;
  for (int j = 0; j <= COLUMNS; j++) starts[j] = (int64_t)j * ROWS;
  for (int e = 0; e < ROWS * COLUMNS; e++) {
    if (!random_between(&random, 0, 3)) weight[e] = random_normal(&random);
  }
  struct pcf_matrix matrix = {ROWS, COLUMNS, starts, NULL, weight};
  check_large(&matrix);
  for (int k = 0; k < 2; k++) { /* the first fault counts */
    const int64_t at[] = {ROWS * COLUMNS - 1, ROWS * COLUMNS / 2};
    SCOPED(pcf_rows) rows;
    weight[at[k]] = k ? NAN : INFINITY;
    CHECK(pcf_rows_make(&matrix, NULL, &rows, &fault, NULL) == PCF_ERROR_ARGUMENT);
    CHECK(fault == at[k]);
  }
}

TEST(reductions_rows_of_matrices_fail) {
  const double weight[] = {1, 2};
  const int64_t starts[] = {0, 1, 2};
  struct pcf_matrix matrix = {1, 2, starts, NULL, weight};
  struct pcf_rows rows;
  int64_t fault;
  atomic_int stop = 1;
  CHECK(pcf_rows_make(&matrix, &stop, &rows, &fault, NULL) == PCF_ERROR_INTERRUPTED);
  pcf_rows_free(&rows);
  for (long k = 1; k <= 3; k++) {
    pcf_memory_fail_at(k);
    CHECK(pcf_rows_make(&matrix, NULL, &rows, &fault, NULL) == PCF_ERROR_MEMORY);
    pcf_rows_free(&rows);
  }
}

/* ---- Sorting ---- */

static int by_key(const void *a, const void *b) {
  uint64_t first = ((const struct pcf_event *)a)->key,
           second = ((const struct pcf_event *)b)->key;
  return (first > second) - (first < second);
}

/* Times of which most are far from the others at every scale, and many equal. */
static double nested_time(struct random *random, int kind) {
  double u = random_uniform(random);
  int64_t level = random_between(random, 0, 5);
  if (kind == 0) return u;
  if (kind == 1) return (double)random_between(random, -3, 3);
  if (kind == 2) return random_between(random, 0, 99) ? 1 + ldexp(u, -40) : ldexp(u, 900);
  if (kind == 3) return 1 + ldexp(u, -10 * (int)level);
  return ldexp(u - 0.5, (int)random_between(random, -1000, 1000));
}

TEST(reductions_sort_any_times) {
  struct pcf_sorter *sorter = pcf_allocate(1, sizeof *sorter, NULL);
  REQUIRE(sorter);
  int64_t most = check_quick() ? 5000 : 200000;
  for (int kind = 0; kind < 5; kind++) {
    for (int64_t n = 0; n <= most; n = 3 * n + 1) {
      struct pcf_event *event = zeroed(n + 1, sizeof *event);
      struct pcf_event *sorted = zeroed(n + 1, sizeof *event);
      struct pcf_event *expected = zeroed(n + 1, sizeof *event);
      uint64_t before = 0, after = 0;
      for (int64_t k = 0; k < n; k++) {
        double time = nested_time(&random, kind);
        event[k] = (struct pcf_event){pcf_key_of(time), {(uint64_t)k, pcf_key_of(time)}};
        expected[k] = event[k];
        before += (uint64_t)k * (uint64_t)k;
        CHECK(pcf_time_of(event[k].key) == time);
      }
      qsort(expected, (size_t)n, sizeof *expected, by_key);
      pcf_sort_events(sorter, event, sorted, n);
      bool right = true;
      for (int64_t k = 0; k < n; k++) {
        right =
          right && sorted[k].key == expected[k].key && sorted[k].change[1] == sorted[k].key;
        after += sorted[k].change[0] * sorted[k].change[0];
      }
      CHECK(right);
      CHECK(before == after);
    }
  }
  pcf_free(sorter);
}
