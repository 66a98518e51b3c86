/* Norms, integrals and values of single functions: what is hard for numbers, faults, and lines.
 * tests/testthat/test-pairs-long-functions.R has the others. */
#include "check.h"
#include "ragged.h"

#include "arrays/partition.h"
#include "base/memory.h"
#include "summaries/evaluate.h"
#include "summaries/norms.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct pcf_measuring measures[] = {
  {PCF_NORM_L1, 1, 0, 0},   {PCF_NORM_L2, 2, 0, 0},  {PCF_NORM_LP, 1.5, 0, 0},
  {PCF_NORM_LP, 7.3, 0, 0}, {PCF_NORM_LP, 40, 0, 0}, {PCF_NORM_LINF, INFINITY, 0, 0},
  {PCF_INTEGRAL, 1, 0, 0},
};
enum { MEASURES = sizeof measures / sizeof measures[0] };

static struct pcf_measuring measuring_of(int k, double from, double to) {
  struct pcf_measuring measuring = measures[k];
  measuring.from = from;
  measuring.to = to;
  return measuring;
}

static double *measured(const struct pcf_collection *x, struct pcf_measuring measuring,
                        int threads) {
  double *result = kept(malloc((size_t)(x->count + 1) * sizeof *result));
  struct pcf_fault fault;
  CHECK(pcf_measure(x, &measuring, threads, NULL, result, NULL, &fault, NULL) == PCF_OK);
  CHECK(fault.problem == PCF_VALID);
  return result;
}

static double measured_alone(const struct functions *x, struct pcf_measuring measuring) {
  double *result = measured(&x->view, measuring, 1), first = result[0];
  return first;
}

/* ---- Magnitudes ---- */

/* The same function with times and values times powers of two: the norm follows, as far as it
 * can be represented. */
TEST(norms_of_all_magnitudes) {
  static const int exponents[] = {-1000, -600, -301, 0, 299, 600, 1000};
  struct functions *x = functions_random(&random, PAPER, 1, 5000, 5000);
  struct functions *y = functions_picked(x, 1, (int64_t[]){0});
  for (int k = 0; k < MEASURES; k++) {
    struct pcf_measuring measuring = measuring_of(k, -INFINITY, INFINITY);
    double unit = measured_alone(x, measuring);
    double root = k == 5 ? INFINITY : k == 6 ? 1 : measuring.p;
    for (int v = 0; v < 7; v++) {
      for (int t = 0; t < 7; t++) {
        for (int64_t j = 0; j < 5000; j++) {
          times_of(y, 0)[j] = ldexp(times_of(x, 0)[j], exponents[t]);
          values_of(y, 0)[j] = ldexp(values_of(x, 0)[j], exponents[v]);
        }
        double got = measured_alone(y, measuring);
        double exponent = exponents[v] + exponents[t] / root + log2(fabs(unit));
        if (exponent > 1024) CHECK(isinf(got));
        else if (exponent < -1040) CHECK(fabs(got) < DBL_MIN);
        else if (fabs(exponent) < 1000) {
          CHECK(fabs(log2(fabs(got)) - exponent) < 1e-12 * (1 + fabs(exponent)));
        }
      }
    }
  }
}

/* Parts of very different magnitudes; the larger one wins, whichever it is. */
TEST(norms_of_parts_of_different_magnitudes) {
  enum { M = 3 * PCF_PART };
  double *literal = kept(malloc(2 * M * sizeof *literal));
  for (int turn = 0; turn < 2; turn++) {
    for (int k = 0; k < M; k++) {
      int last = k >= 2 * PCF_PART, large = last == turn;
      literal[k] = k;
      literal[M + k] = k == M - 1 ? 0 : large ? 1e200 : 1e-200;
    }
    const double *all = literal;
    struct functions *x = functions_of(1, (int64_t[]){M}, &all);
    double width = turn ? PCF_PART - 1 : 2 * PCF_PART;
    for (int k = 0; k < MEASURES; k++) {
      struct pcf_measuring measuring = measuring_of(k, -INFINITY, INFINITY);
      double root = k == 5 ? INFINITY : k == 6 ? 1 : measuring.p;
      CHECK_NEAR(measured_alone(x, measuring), 1e200 * pow(width, 1 / root), 1e-14);
    }
  }
}

TEST(norms_of_the_widest_and_narrowest) {
  const double *literal[] = {(double[]){-DBL_MAX, DBL_MAX, 2, 0}, (double[]){0, 5e-324, 1, 0}};
  struct functions *x = functions_of(2, (int64_t[]){2, 2}, literal);
  double *result = measured(&x->view, measuring_of(1, -INFINITY, INFINITY), 1);
  CHECK_NEAR(result[0], 2 * sqrt(2) * sqrt(DBL_MAX), 1e-15);
  CHECK_NEAR(result[1], sqrt(5e-324), 1e-15);
  result = measured(&x->view, measuring_of(0, -INFINITY, INFINITY), 1);
  CHECK(isinf(result[0]) && result[1] == 5e-324);
}

/* ---- Faults ---- */

/* Every fault at the edges of lanes, parts and functions is found, and the first one named. */
TEST(norms_name_the_first_fault) {
  enum { M = 2 * PCF_PART + 3 };
  static const int64_t positions[] = {0,     1,    7, 8, PCF_PART - 1, PCF_PART, 2 * PCF_PART,
                                      M - 2, M - 1};
  struct functions *x = functions_random(&random, PAPER, 60, M, M);
  struct pcf_fault fault;
  double *result = kept(malloc(60 * sizeof *result));
  for (int k = 0; k < 9; k += check_quick() ? 4 : 1) {
    for (int problem = PCF_TIME_MISSING; problem <= PCF_VALUE_INFINITE; problem++) {
      bool of_value = problem >= PCF_VALUE_NAN;
      if (positions[k] == 0 && (problem == PCF_TIME_REPEATED || problem == PCF_TIME_UNSORTED))
        continue;
      double *time = &times_of(x, 31)[positions[k]], *value = &values_of(x, 31)[positions[k]];
      double old_time = *time, old_value = *value, old_later = values_of(x, 50)[3];
      if (problem == PCF_TIME_MISSING) *time = NAN;
      if (problem == PCF_TIME_INFINITE) *time = INFINITY;
      if (problem == PCF_TIME_REPEATED) *time = time[-1];
      if (problem == PCF_TIME_UNSORTED) *time = time[-1] - 1e-3;
      if (problem == PCF_VALUE_NAN) *value = NAN;
      if (problem == PCF_VALUE_INFINITE) *value = -INFINITY;
      values_of(x, 50)[3] = NAN;
      for (int measure = 0; measure < MEASURES; measure++) {
        for (int window = 0; window < 2; window++) {
          struct pcf_measuring measuring =
            measuring_of(measure, window ? 1e6 : -INFINITY, INFINITY);
          struct pcf_error error = {0};
          CHECK(pcf_measure(&x->view, &measuring, 3, NULL, result, NULL, &fault, &error) ==
                PCF_ERROR_ARGUMENT);
          CHECK(fault.function == 31 && fault.position == positions[k]);
          CHECK((int)fault.problem == problem || (!of_value && fault.problem != PCF_VALID));
        }
      }
      *time = old_time;
      *value = old_value;
      values_of(x, 50)[3] = old_later;
    }
  }
  struct pcf_measuring measuring = measuring_of(0, -INFINITY, INFINITY);
  CHECK(pcf_measure(&x->view, &measuring, 3, NULL, result, NULL, &fault, NULL) == PCF_OK);
}

TEST(norms_without_memory) {
  struct functions *x = functions_random(&random, PAPER, 5, 1, 9);
  struct pcf_measuring measuring = measuring_of(0, -INFINITY, INFINITY);
  struct pcf_times_at at = {2, (double[]){0, 1}, NULL, 0};
  struct pcf_fault fault;
  struct pcf_error error = {0};
  double result[10];
  for (long k = 1; k <= 2; k++) {
    pcf_memory_fail_at(k);
    CHECK(pcf_measure(&x->view, &measuring, 2, NULL, result, NULL, &fault, &error) ==
          PCF_ERROR_MEMORY);
  }
  pcf_memory_fail_at(1);
  CHECK(pcf_evaluate(&x->view, &at, 2, NULL, result, &fault, &error) == PCF_ERROR_MEMORY);
  CHECK(error.message[0]);
}

/* ---- Lines ---- */

/* What a line from a to b adds, by its definition. */
static long double line_adds(enum pcf_measure measure, long double a, long double b) {
  switch (measure) {
  case PCF_NORM_L1: return a * b >= 0 ? fabsl(a + b) / 2 : (a * a + b * b) / (2 * fabsl(b - a));
  case PCF_NORM_L2: return (a * a + a * b + b * b) / 3;
  case PCF_NORM_LINF: return fmaxl(fabsl(a), fabsl(b));
  default: return (a + b) / 2;
  }
}

static long double line_measure(enum pcf_measure measure, const double *time,
                                const double *left, const double *value, int64_t n, double from,
                                double to) {
  long double sum = 0;
  for (int64_t k = -1; k < n; k++) {
    long double begin = k < 0 ? from : time[k], end = k + 1 < n ? time[k + 1] : to;
    long double a = k < 0 ? left[0] : value[k], b = k + 1 < n ? left[k + 1] : value[k];
    long double slope = k < 0 || k + 1 == n ? 0 : (b - a) / (end - begin);
    long double first = fmaxl(begin, from), last = fminl(end, to);
    if (k < 0) b = a;
    if (!(first < last)) continue;
    long double adds =
      line_adds(measure, a + slope * (first - begin), b - slope * (end - last));
    sum = measure == PCF_NORM_LINF ? fmaxl(sum, adds) : sum + adds * (last - first);
  }
  return measure == PCF_NORM_L2 ? sqrtl(sum) : sum;
}

/* Lines that jump, cross 0 and are constant, of values of all sizes; windows that cut them, and
 * lie before them. Valgrind has no long double. */
TEST(lines_are_measured_by_their_definition) {
  static const double windows[][2] = {{-3, 5}, {-3, -1}, {2.3, 2.4}, {0.4, 1e6}, {1e6, 2e6}};
  static const int64_t lengths[] = {1, 2, 3, 50, PCF_PART, PCF_PART + 1, 2 * PCF_PART + 9};
  enum { COUNT = sizeof lengths / sizeof lengths[0] };
  const int most = check_quick() ? 100 : 200;
  for (int power = -most; power <= most; power += 100) {
    struct functions *x = functions_of_lengths(&random, UNBOUNDED, COUNT, lengths);
    double *of[COUNT];
    for (int i = 0; i < COUNT; i++) {
      int64_t n = lengths[i];
      double *time = of[i] = zeroed(3 * n, sizeof *time), *left = time + n, *value = left + n;
      for (int64_t k = 0; k < n; k++) {
        time[k] = (k ? time[k - 1] : -0.5) + 0.01 + random_uniform(&random);
        value[k] = pow(10, power) * (random_uniform(&random) - 0.5);
        left[k] = k % 3 == 0 && k ? value[k - 1] : -2 * value[k];
      }
      x->function[i] = time;
    }
    x->view.linear = 1;
    for (int w = 0; w < 5; w++) {
      for (enum pcf_measure m = PCF_NORM_L1; m <= PCF_INTEGRAL; m++) {
        struct pcf_measuring measuring = {m, 1, windows[w][0], windows[w][1]};
        if (m == PCF_NORM_LP) continue;
        double *result = measured(&x->view, measuring, 3);
        double *size = measured(
          &x->view, (struct pcf_measuring){PCF_NORM_L1, 1, windows[w][0], windows[w][1]}, 1);
        for (int i = 0; i < COUNT; i++) {
          int64_t n = lengths[i];
          double want = (double)line_measure(m, of[i], of[i] + n, of[i] + 2 * n, n,
                                             windows[w][0], windows[w][1]);
          double scale = m == PCF_INTEGRAL ? size[i] : fabs(want);
          CHECK(fabs(result[i] - want) <= 1e-14 * scale);
        }
      }
    }
  }
}

/* ---- Evaluation ---- */

/* Checked on the way, many functions or few, at times in one stretch or several. */
TEST(evaluate_finds_the_first_fault) {
  static const int64_t counts[] = {50, 900}, times[] = {5, 2500};
  for (int c = 0; c < 2; c++) {
    for (int t = 0; t < 2; t++) {
      int64_t count = counts[c], n = times[t];
      struct functions *x = functions_random(&random, PAPER, count, 3, 9);
      double *time = kept(malloc((size_t)n * sizeof *time));
      double *result = kept(malloc((size_t)(n * count) * sizeof *result));
      for (int64_t j = 0; j < n; j++) time[j] = 3.0 * (double)j / (double)n;
      struct pcf_times_at at = {n, time, NULL, 0};
      struct pcf_fault fault;
      values_of(x, count - 2)[0] = NAN;
      values_of(x, 45)[2] = INFINITY;
      for (int threads = 1; threads <= 3; threads += 2) {
        CHECK(pcf_evaluate(&x->view, &at, threads, NULL, result, &fault, NULL) ==
              PCF_ERROR_ARGUMENT);
        CHECK(fault.function == 45 && fault.position == 2);
        CHECK(fault.problem == PCF_VALUE_INFINITE);
      }
    }
  }
}

TEST(evaluate_of_nothing) {
  struct functions *x = functions_random(&random, PAPER, 3, 1, 5);
  struct functions *none = functions_new(0, NULL);
  struct pcf_fault fault;
  struct pcf_times_at at = {0, NULL, NULL, 0};
  CHECK(pcf_evaluate(&x->view, &at, 2, NULL, NULL, &fault, NULL) == PCF_OK);
  at = (struct pcf_times_at){1, (double[]){0}, NULL, 0};
  CHECK(pcf_evaluate(&none->view, &at, 2, NULL, NULL, &fault, NULL) == PCF_OK);
  values_of(x, 1)[0] = NAN;
  double result[3];
  CHECK(pcf_evaluate(&x->view, &at, 2, NULL, result, &fault, NULL) == PCF_ERROR_ARGUMENT);
  CHECK(fault.function == 1 && fault.position == 0 && fault.problem == PCF_VALUE_NAN);
}
