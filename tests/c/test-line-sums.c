/* Sums of piecewise linear functions, against their definition and sums of step functions. */
#include "check.h"
#include "collections.h"

#include "reductions/sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40, LONGEST = 60 };

/* ---- Collections ---- */

/* How times and values are drawn: times · scale + offset, and values of so many magnitudes. */
struct drawing {
  bool whole; /* are times whole numbers, so that many are the same? */
  double scale, offset, value;
  int magnitudes; /* factors up to 10^±magnitudes */
  bool gaps;
};

static double draw_value(struct random *random, const struct drawing *drawing) {
  int64_t exponent = random_between(random, -drawing->magnitudes, drawing->magnitudes);
  return random_normal(random) * drawing->value * pow(10, (double)exponent);
}

static void draw_line(struct random *random, const struct drawing *drawing, struct functions *x,
                      int64_t i) {
  double *time = times_of(x, i), *left = lefts_of(x, i), *value = after_lefts(x, i);
  int64_t m = pcf_breakpoints(&x->view, i);
  double t = (double)random_between(random, -4, 4);
  for (int64_t k = 0; k < m; k++) {
    t += drawing->whole ? (double)random_between(random, 1, 3) : random_uniform(random);
    time[k] = t * drawing->scale + drawing->offset;
    value[k] = left[k] = draw_value(random, drawing);
    if (random_between(random, 0, 3) == 0) left[k] = draw_value(random, drawing);
    if (k && random_between(random, 0, 3) == 0) left[k] = value[k - 1];
  }
  if (i % 2) left[0] = 0;
  for (int64_t k = 0; drawing->gaps && k < m; k++) {
    if (random_between(random, 0, 4)) continue;
    value[k] = pcf_missing();
    if (k + 1 < m) left[k + 1] = pcf_missing();
  }
}

static struct functions *draw_lines(struct random *random, const struct drawing *drawing,
                                    int64_t count) {
  int64_t lengths[MOST] = {0};
  for (int64_t i = 0; i < count; i++) lengths[i] = random_between(random, 1, LONGEST);
  struct functions *x = lines_new(count, lengths);
  for (int64_t i = 0; i < count; i++) draw_line(random, drawing, x, i);
  return x;
}

/* ---- Sums ---- */

/* The sum of a row: times, left limits and values. */
struct outcome {
  enum pcf_status status;
  int64_t breakpoints;
  double *number;
};

static struct outcome sum_up(const struct functions *x, const struct pcf_rows *rows,
                             int threads) {
  struct outcome outcome = {0};
  struct pcf_range range = PCF_EMPTY_RANGE;
  struct pcf_curves curves;
  struct pcf_error error;
  int64_t function, position;
  if (pcf_check_functions(&x->view, 0, x->view.count, &range, &function, &position)) abort();
  outcome.status = pcf_sums(&x->view, rows, &range, threads, NULL, &curves, &error);
  if (!outcome.status) {
    outcome.breakpoints = curves.breakpoints[0];
    outcome.number = zeroed(3 * outcome.breakpoints, sizeof(double));
    outcome.status = pcf_curves_write(&curves, &outcome.number, threads, NULL, &error);
  }
  if (outcome.status) CHECK(strstr(error.message, "too large for a double") != NULL);
  pcf_curves_free(&curves);
  return outcome;
}

static bool same(const struct outcome *a, const struct outcome *b) {
  size_t bytes = 3 * (size_t)a->breakpoints * sizeof(double);
  return a->status == b->status && a->breakpoints == b->breakpoints &&
         (a->status || memcmp(a->number, b->number, bytes) == 0);
}

/* One row of all functions, in their order and backwards. */
struct row {
  struct pcf_rows rows;
  int64_t starts[2], function[MOST];
  double weight[MOST], divisor;
};

static void fill_row(struct row *row, const struct functions *x, const double *weight,
                     bool backwards) {
  int64_t n = x->view.count;
  for (int64_t e = 0; e < n; e++) {
    row->function[e] = backwards ? n - 1 - e : e;
    row->weight[e] = weight ? weight[row->function[e]] : 1;
  }
  row->starts[1] = n;
  row->rows.count = 1;
  row->rows.starts = row->starts;
  row->rows.function = row->function;
  row->rows.weight = weight ? row->weight : NULL;
  row->rows.divisor = row->divisor != 0 ? &row->divisor : NULL;
}

/* ---- The definition ---- */

/* The value of a line at t, or its limit from the left, and the largest of its stretch. */
static long double side_of(const double *time, int64_t m, double t, bool from_left,
                           long double *largest) {
  const double *left = time + m, *value = left + m;
  int64_t k = 0;
  while (k < m && (from_left ? time[k] < t : time[k] <= t)) k++;
  long double from = k ? value[k - 1] : left[0], to = k && k < m ? left[k] : from;
  *largest = fmaxl(fabsl(from), fabsl(to));
  if (!k || k == m) return from;
  return from +
         (to - from) * (((long double)t - time[k - 1]) / ((long double)time[k] - time[k - 1]));
}

static bool right_at(const struct functions *x, const struct row *row,
                     const struct outcome *got, double t, bool from_left) {
  long double sum = 0, most = 0, weights = 0, largest;
  int64_t known = 0, n = x->view.count;
  for (int64_t e = 0; e < n; e++) {
    int64_t f = row->function[e];
    long double value =
      side_of(x->function[f], pcf_breakpoints(&x->view, f), t, from_left, &largest);
    if (isnan(value)) continue;
    known++;
    weights += row->weight[e];
    sum += row->weight[e] * value;
    most = fmaxl(most, fabsl(row->weight[e] * largest));
  }
  long double result = side_of(got->number, got->breakpoints, t, from_left, &largest);
  bool mean = row->divisor != 0;
  if (row->rows.missing && (row->rows.observed_only ? mean && known == 0 : known < n)) {
    return isnan(result);
  }
  long double divisor = !mean ? 1 : row->rows.observed_only ? weights : row->divisor;
  long double tolerance = check_quick() ? 1e-12L : 5e-15L; /* valgrind has no long double */
  return fabsl(result * divisor - sum) <= tolerance * most + fabsl(divisor) * 0x1p-1074L;
}

/* Is a sum right at all breakpoints of the functions and between them, and has it only such
 * breakpoints as it needs? */
static void check_sum(const struct functions *x, const struct row *row,
                      const struct outcome *got) {
  bool right = true;
  for (int64_t i = 0; i < x->view.count; i++) {
    const double *time = times_of(x, i);
    for (int64_t k = 0; k < pcf_breakpoints(&x->view, i); k++) {
      right =
        right && right_at(x, row, got, time[k], true) && right_at(x, row, got, time[k], false);
      if (k) right = right && right_at(x, row, got, time[k] / 2 + time[k - 1] / 2, false);
    }
  }
  CHECK(right);
  for (int64_t k = 1; k < got->breakpoints; k++) CHECK(got->number[k - 1] < got->number[k]);
}

/* The same bits of short rows or of buckets, for any number of threads and order. */
static void check_row(const struct functions *x, struct row *row, const double *weight) {
  int64_t small_row = pcf_sums_small_row;
  fill_row(row, x, weight, false);
  struct outcome one = sum_up(x, &row->rows, 1);
  if (!one.status) check_sum(x, row, &one);
  for (int way = 0; way < 3; way++) {
    fill_row(row, x, weight, way == 1);
    pcf_sums_small_row = way ? 10 : small_row;
    struct outcome other = sum_up(x, &row->rows, 1 + way);
    CHECK(same(&one, &other));
  }
  pcf_sums_small_row = small_row;
}

static void check_rows(const struct functions *x, bool gaps) {
  double weight[MOST];
  struct row row = {.rows = {.missing = gaps}};
  check_row(x, &row, NULL);
  for (int64_t i = 0; i < x->view.count; i++) weight[i] = 0.25 + (double)(i % 7);
  row.divisor = 3;
  for (int way = 0; way < (gaps ? 4 : 1); way++) {
    row.rows.missing = gaps;
    row.rows.observed_only = way / 2;
    if (way % 2) row.divisor = 0;
    check_row(x, &row, weight);
    row.divisor = 3;
  }
}

static const struct drawing drawings[] = {
  {.whole = true, .scale = 1, .value = 1},
  {.scale = 1, .value = 1},
  {.whole = true, .scale = 0.25, .offset = 1e9, .value = 1},
  {.scale = 1, .offset = -1e9, .value = 1e3},
  {.scale = 1e-9, .offset = 3, .value = 1}, /* steep */
  {.scale = 1, .value = 1, .magnitudes = 12},
};

TEST(line_sums_are_right) {
  for (size_t k = 0; k < sizeof drawings / sizeof *drawings; k++) {
    for (int64_t n = 1; n <= MOST; n = 3 * n) {
      struct drawing drawing = drawings[k];
      check_rows(draw_lines(&random, &drawing, n), false);
      drawing.gaps = true;
      check_rows(draw_lines(&random, &drawing, n), true);
    }
  }
}

/* Values and times at the limits of double; slopes too small for it, or too large in a sum. */
TEST(line_sums_of_extreme_magnitudes) {
  static const struct drawing extreme[] = {
    {.scale = 1, .value = 1e300},       {.scale = 1, .value = 1, .magnitudes = 300},
    {.scale = 1e200, .value = 1e-300},  {.scale = 1e300, .value = 1e-200, .magnitudes = 100},
    {.scale = 1e-290, .value = 1e-300}, {.scale = 1e-100, .value = 1, .magnitudes = 100},
  };
  for (size_t k = 0; k < sizeof extreme / sizeof *extreme; k++) {
    struct functions *x = draw_lines(&random, &extreme[k], 9);
    double weight[MOST];
    struct row row = {0};
    check_row(x, &row, NULL);
    for (int64_t i = 0; i < 9; i++) {
      weight[i] = pow(10, (double)random_between(&random, -250, 150));
    }
    check_row(x, &row, weight);
  }
}

TEST(line_sums_that_are_too_large_fail) {
  struct functions *x = lines_new(2, (int64_t[]){2, 2});
  struct row row = {0};
  memcpy(x->function[0], (double[]){0, 1, 0, 1e308, 1e308, 0}, 6 * sizeof(double));
  memcpy(x->function[1], (double[]){0.5, 2, 0, 1e308, 1e308, 0}, 6 * sizeof(double));
  fill_row(&row, x, NULL, false);
  CHECK(sum_up(x, &row.rows, 1).status == PCF_ERROR_ARGUMENT);
  memcpy(x->function[0], (double[]){0, 1e-10, 0, 1e297, 0, 0}, 6 * sizeof(double));
  memcpy(x->function[1], (double[]){0, 1e-10, 0, 8e297, 0, 0}, 6 * sizeof(double));
  CHECK(sum_up(x, &row.rows, 1).status == PCF_ERROR_ARGUMENT); /* a slope alone */
}

/* Left limits and values on a grid that all share are exact: those of the steps with them. */
TEST(line_sums_on_a_shared_grid_are_exact) {
  enum { N = 30, M = 50 };
  int64_t lengths[N] = {0};
  for (int64_t i = 0; i < N; i++) lengths[i] = M;
  struct functions *x = lines_new(N, lengths);
  struct functions *lefts = functions_new(N, lengths), *values = functions_new(N, lengths);
  for (int64_t i = 0; i < N; i++) {
    for (int64_t k = 0; k < M; k++) {
      times_of(x, i)[k] = times_of(lefts, i)[k] = times_of(values, i)[k] =
        1e6 + 0.1 * (double)k;
      lefts_of(x, i)[k] = values_of(lefts, i)[k] = random_normal(&random);
      after_lefts(x, i)[k] = values_of(values, i)[k] = random_normal(&random);
    }
  }
  struct row row = {0};
  fill_row(&row, x, NULL, false);
  struct outcome got = sum_up(x, &row.rows, 1);
  struct outcome left = sum_up(lefts, &row.rows, 1), value = sum_up(values, &row.rows, 1);
  REQUIRE(got.breakpoints == M && left.breakpoints == M && value.breakpoints == M);
  CHECK(memcmp(got.number + M, left.number + M, M * sizeof(double)) == 0);
  CHECK(memcmp(got.number + 2 * M, value.number + M, M * sizeof(double)) == 0);
}

/* A sum of lines that do not jump does not, is back at 0 where they are, and has no breakpoint
 * where slopes that change make up for each other. */
TEST(line_sums_go_on_where_lines_do) {
  double weight[MOST];
  struct functions *x = draw_lines(&random, &drawings[1], MOST);
  for (int64_t i = 0; i < MOST; i++) {
    int64_t m = pcf_breakpoints(&x->view, i);
    memcpy(lefts_of(x, i), after_lefts(x, i), (size_t)m * sizeof(double));
    lefts_of(x, i)[0] = after_lefts(x, i)[0] = 0;
    lefts_of(x, i)[m - 1] = after_lefts(x, i)[m - 1] = 0;
    weight[i] = random_normal(&random);
  }
  struct row row = {0};
  fill_row(&row, x, weight, false);
  struct outcome got = sum_up(x, &row.rows, 1);
  int64_t m = got.breakpoints;
  CHECK(memcmp(got.number + m, got.number + 2 * m, (size_t)m * sizeof(double)) == 0);
  CHECK(m > 100 && got.number[3 * m - 1] == 0);
  struct functions *hats = lines_new(3, (int64_t[]){3, 3, 3});
  for (int i = 0; i < 3; i++) {
    double hat[] = {0.1 * i, 0.1 * (i + 1), 0.1 * (i + 2), 0, 1, 0, 0, 1, 0};
    memcpy(hats->function[i], hat, sizeof hat);
  }
  fill_row(&row, hats, NULL, false);
  got = sum_up(hats, &row.rows, 1);
  REQUIRE(got.breakpoints == 4);
  static const double sum[] = {0, 1, 1, 0};
  CHECK(memcmp(got.number + 8, sum, sizeof sum) == 0);
}

/* Lines between whole times and values: sums are whole numbers over a common denominator, and
 * the same from other lines with the same sum. */
TEST(line_sums_that_cancel_are_exact) {
  enum { N = 24, DENOMINATOR = 360360 };
  int64_t lengths[N];
  for (int way = 0; way < 20; way++) {
    for (int64_t i = 0; i < N; i++) lengths[i] = 2 + way % 2 * (i % 4);
    struct functions *x = lines_new(N, lengths);
    for (int64_t i = 0; i < N; i++) {
      double t = (double)random_between(&random, 0, 4);
      for (int64_t k = 0; k < lengths[i]; k++) {
        times_of(x, i)[k] = t;
        lefts_of(x, i)[k] = after_lefts(x, i)[k] = (double)random_between(&random, -2, 2);
        t += (double)random_between(&random, 1, 7);
      }
      lefts_of(x, i)[0] = after_lefts(x, i)[lengths[i] - 1] = 0;
    }
    struct row row = {0};
    fill_row(&row, x, NULL, false);
    struct outcome got = sum_up(x, &row.rows, 1);
    for (int64_t k = 0; k < got.breakpoints; k++) {
      for (int side = 0; side < 2; side++) {
        double sum = 0, t = got.number[k];
        for (int64_t i = 0; i < N; i++) {
          long double largest;
          long double value = side_of(x->function[i], lengths[i], t, side == 0, &largest);
          sum += (double)roundl(value * DENOMINATOR);
        }
        CHECK(got.number[(1 + side) * got.breakpoints + k] == sum / DENOMINATOR);
      }
    }
  }
}
