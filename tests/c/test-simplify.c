/* Canonical forms and windows. */
#include "check.h"
#include "ragged.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { S = PCF_PORTION_ELEMENTS, COUNT = 6 };
static int64_t lengths[COUNT] = {1, S - 1, S, 3 * S + 1, 7, 2};

static struct functions *some_functions(void) {
  struct random random = {60};
  struct functions *x = functions_of_lengths(&random, INTEGER_TIMES, COUNT, lengths);
  for (int64_t k = 0; k < lengths[3]; k++) {
    if (k > S - 100 && k < 2 * S + 100) values_of(x, 3)[k] = 2; /* over all of a portion */
  }
  memset(values_of(x, 4), 0, 7 * sizeof(double));
  return x;
}

/* Is function i of y that of x without the breakpoints that change nothing? */
static bool right(const struct functions *x, const struct functions *y, int64_t i) {
  double last = 0;
  int64_t n = 0, m = pcf_breakpoints(&y->view, i);
  for (int64_t k = 0; k < lengths[i]; k++) {
    double value = values_of(x, i)[k];
    if (value == last || (isnan(value) && isnan(last))) continue;
    if (n == m || times_of(y, i)[n] != times_of(x, i)[k]) return false;
    double kept = values_of(y, i)[n++];
    if (pcf_is_missing(value) ? !pcf_is_missing(kept) : kept != value) return false;
    last = value;
  }
  if (n > 0) return n == m;
  return m == 1 && times_of(y, i)[0] == 0 && values_of(y, i)[0] == 0;
}

TEST(simplify_by_definition) {
  for (int threads = 1; threads <= 3; threads++) {
    enum pcf_status status;
    struct functions *x = some_functions(), *y = simplified(x, threads, &status);
    REQUIRE(status == PCF_OK);
    for (int i = 0; i < COUNT; i++) CHECK(right(x, y, i));
    CHECK(pcf_breakpoints(&y->view, 4) == 1);
  }
}

TEST(simplify_merges_missing_neighbours) {
  for (int threads = 1; threads <= 3; threads++) {
    enum pcf_status status;
    struct functions *x = some_functions();
    forget_values(&random, x, 0.5);
    for (int64_t k = S - 100; k < 2 * S + 100; k++) values_of(x, 3)[k] = pcf_missing();
    struct functions *y = simplified(x, threads, &status);
    REQUIRE(status == PCF_OK);
    for (int i = 0; i < COUNT; i++) CHECK(right(x, y, i));
  }
}

TEST(simplify_leaves_no_negative_zeros) {
  const double f[] = {-0.0, 1, 3, -0.0};
  struct functions *x = some_functions();
  memcpy(x->function[5], f, sizeof f);
  enum pcf_status status;
  struct functions *y = simplified(x, 1, &status);
  CHECK(!signbit(times_of(y, 5)[0]) && !signbit(values_of(y, 5)[1]));
}

TEST(simplify_finds_functions_that_are_not_sound) {
  const double wrong[] = {NAN, INFINITY, -INFINITY};
  struct functions *x = some_functions();
  for (int round = 0; round < 24; round++) {
    int64_t i = round % 4, k = round % 3 ? lengths[i] - 1 : 0;
    double *at = round % 2 ? &times_of(x, i)[k] : &values_of(x, i)[k], own = *at;
    enum pcf_status status;
    *at = round % 2 && k > 0 && round % 5 == 0 ? at[-1] : wrong[round % 3];
    struct functions *y = simplified(x, 2, &status);
    CHECK(status == PCF_ERROR_ARGUMENT);
    CHECK(!y);
    *at = own;
  }
  enum pcf_status status;
  times_of(x, 3)[S] = times_of(x, 3)[S - 1]; /* just where a portion begins */
  CHECK(!simplified(x, 2, &status));
  CHECK(status == PCF_ERROR_ARGUMENT);
}

TEST(simplify_without_memory) {
  struct functions *x = some_functions();
  for (long k = 1; k <= 2; k++) {
    enum pcf_status status;
    pcf_memory_fail_at(k);
    simplified(x, 2, &status);
    CHECK(status == PCF_ERROR_MEMORY);
  }
}

/* ---- Windows ---- */

/* The result by definition, in `times` and `values`; returns its length. */
static int64_t expected(const struct functions *x, int64_t i, double from, double to,
                        double *times, double *values) {
  int64_t n = 0;
  for (int64_t k = 0; k < lengths[i]; k++) {
    double time = times_of(x, i)[k];
    if (time >= to) break;
    if (time < from) n = 0;
    times[n] = time < from ? from : time;
    if (n == 1 && times[0] == time) n = 0; /* a breakpoint at `from` itself */
    times[n] = time < from ? from : time;
    values[n++] = values_of(x, i)[k];
  }
  if (to < INFINITY) {
    times[n] = to;
    values[n++] = 0;
  }
  return n;
}

static bool right_window(const struct functions *x, const struct functions *y, int64_t i,
                         double from, double to) {
  double *times = zeroed(lengths[i] + 2, sizeof *times);
  double *values = zeroed(lengths[i] + 2, sizeof *values);
  int64_t n = expected(x, i, from, to, times, values);
  bool right = n == pcf_breakpoints(&y->view, i) &&
               memcmp(times, times_of(y, i), (size_t)n * sizeof *times) == 0 &&
               memcmp(values, values_of(y, i), (size_t)n * sizeof *values) == 0;
  return right;
}

TEST(restrict_by_definition) {
  const double cuts[] = {-INFINITY, -100, -3, -1.5, 0, 2, 2.5, 7, 5000, 12345.5, 1e6, INFINITY};
  enum { CUTS = sizeof cuts / sizeof cuts[0] };
  struct functions *x = some_functions();
  for (int a = 0; a < CUTS; a++) {
    for (int b = a + 1; b < CUTS; b++) {
      enum pcf_status status;
      struct functions *y = restricted(x, cuts[a], cuts[b], 1 + b % 3, &status);
      CHECK(status == PCF_OK);
      for (int i = 0; i < COUNT; i++) CHECK(right_window(x, y, i, cuts[a], cuts[b]));
    }
  }
}

TEST(restrict_without_memory) {
  struct functions *x = some_functions();
  enum pcf_status status;
  pcf_memory_fail_at(1);
  restricted(x, 0, 1, 2, &status);
  pcf_memory_fail_at(0);
  CHECK(status == PCF_ERROR_MEMORY);
}
