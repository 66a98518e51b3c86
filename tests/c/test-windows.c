/* Integrals over many windows, functions on windows of their own, and rolling means, compared
 * with those of single windows; and what fails. tests/testthat/test-core-own-windows.R,
 * test-pairs-bins.R and test-algebra-rolling-mean.R have what they mean. */
#include "check.h"
#include "ragged.h"

#include "algebra/own-windows.h"
#include "algebra/rolling.h"
#include "base/memory.h"
#include "summaries/norms.h"
#include "summaries/windows.h"

#include <math.h>

enum { COUNT = 60, WINDOWS = 150 };

/* The integral of function i over a window. */
static double integral_of(const struct pcf_collection *x, int64_t i, double from, double to) {
  int64_t offsets[] = {0, pcf_breakpoints(x, i)};
  struct pcf_collection one = {1, x->functions + i, offsets, x->linear, NULL};
  struct pcf_measuring measuring = {PCF_INTEGRAL, 1, from, to};
  struct pcf_fault fault;
  double integral = 0;
  if (!(from < to)) return 0;
  CHECK(!pcf_measure(&one, &measuring, 1, NULL, &integral, NULL, &fault, NULL));
  return integral;
}

/* Windows of which some begin where the one before ends, and some are empty. */
static struct pcf_windows random_windows(struct random *random) {
  double *from = zeroed(WINDOWS, sizeof *from), *to = zeroed(WINDOWS, sizeof *to);
  for (int j = 0; j < WINDOWS; j++) {
    from[j] = j % 3 ? to[j - 1] : (double)random_between(random, -6, 8) / 2;
    to[j] = from[j] + (double)random_between(random, 0, 9) / 2;
  }
  return (struct pcf_windows){WINDOWS, from, to};
}

static struct functions *partial_functions(struct random *random) {
  return functions_random(random, PARTIAL, COUNT, 1, 30);
}

static double *room(void) {
  return zeroed(COUNT * WINDOWS, sizeof(double));
}

TEST(windows_have_the_integrals_of_single_ones) {
  struct functions *x = partial_functions(&random);
  struct pcf_windows windows = random_windows(&random);
  double *integral = room(), *length = room(), *other = room(), *other_length = room();
  CHECK(!pcf_integrate_windows(&x->view, &windows, 1, &never_stop, integral, length, NULL));
  CHECK(!pcf_integrate_windows(&x->view, &windows, 3, &never_stop, other, other_length, NULL));
  for (int64_t i = 0; i < COUNT; i++) {
    for (int64_t j = 0; j < WINDOWS; j++) {
      int64_t k = i + COUNT * j;
      double from = windows.from[j], to = windows.to[j];
      CHECK_NEAR(1e3 + integral[k], 1e3 + integral_of(&x->view, i, from, to), 1e-14);
      CHECK(integral[k] == other[k] && length[k] == other_length[k]);
      CHECK(length[k] >= 0 && length[k] <= to - from);
    }
  }
}

TEST(functions_on_own_windows_have_the_same_integrals) {
  struct functions *x = partial_functions(&random);
  double *from = room(), *to = room();
  for (int64_t i = 0; i < COUNT; i++) {
    from[i] = i % 7 ? random_normal(&random) * 3 : -INFINITY;
    to[i] = i % 5 ? fmax(from[i], -9) + 4 * random_uniform(&random) : INFINITY;
    if (i % 11 == 0) to[i] = from[i] = 1;
  }
  for (int missing = 0; missing < 2; missing++) {
    SCOPED(pcf_owned_functions) y = {0};
    struct pcf_own_windows windows = {&x->view, from, to, missing ? pcf_missing() : 0};
    CHECK(!pcf_owned_functions_make(&y, pcf_restrict_each(&windows), 2, &never_stop, NULL));
    for (int64_t i = 0; i < COUNT; i++) {
      double begin = fmax(from[i], -60), end = fmin(to[i], 60);
      double got = integral_of(&y.view, i, -60, 60);
      CHECK_NEAR(1e3 + got, 1e3 + integral_of(&x->view, i, begin, end), 1e-14);
    }
  }
}

TEST(rolling_means_are_integrals_of_windows) {
  struct functions *x = functions_random(&random, UNBOUNDED, COUNT, 1, 30);
  for (int align = 0; align < 3; align++) {
    SCOPED(pcf_owned_functions) y = {.view.linear = 1};
    struct pcf_rolling rolling = {&x->view, 0.5 * align, 1 - 0.5 * align};
    CHECK(!pcf_owned_functions_make(&y, pcf_rolling_means(&rolling), 2, &never_stop, NULL));
    for (int64_t i = 0; i < COUNT; i++) {
      for (int64_t k = 0; k < pcf_breakpoints(&y.view, i); k++) {
        double at = pcf_times(&y.view, i)[k], value = pcf_values(&y.view, i)[k];
        double mean = integral_of(&x->view, i, at - rolling.before, at + rolling.after);
        CHECK_NEAR(1e3 + value, 1e3 + mean, 1e-13);
        CHECK(value == pcf_lefts(&y.view, i)[k]);
      }
    }
  }
}

TEST(windows_are_observed_up_to_rounding) {
  const double steps[] = {0, 1, 2, 4, 5, NAN, 3, NAN, 2, NAN};
  const int64_t length = 5;
  const double *literal[] = {steps};
  struct functions *x = functions_of(1, &length, literal);
  for (int k = 0; k < 5; k += 2) values_of(x, 0)[k] = pcf_missing();
  struct pcf_unobserved found = pcf_find_unobserved(&x->view, 0, 1, 5);
  CHECK(found.from == 2 && found.to == 4);
  CHECK(isnan(pcf_find_unobserved(&x->view, 0, 1, 2).from));
  CHECK(isnan(pcf_find_unobserved(&x->view, 0, 1 - 1e-16, 2 + 4e-16).from));
  CHECK(pcf_find_unobserved(&x->view, 0, 0.9, 2).to == 1);
  CHECK(isnan(pcf_find_unobserved(&x->view, 0, 4, INFINITY).from));
  CHECK(pcf_find_unobserved(&x->view, 0, -INFINITY, 2).from == 0);
}

TEST(windows_without_memory_and_stopped) {
  struct functions *x = partial_functions(&random);
  struct pcf_windows windows = random_windows(&random);
  double *integral = room(), *length = room(), time[COUNT] = {0}, value[COUNT];
  const atomic_int stop = 1;
  int64_t offsets[COUNT + 1];
  for (int64_t i = 0; i <= COUNT; i++) offsets[i] = i;
  CHECK(pcf_integrate_windows(&x->view, &windows, 2, &stop, integral, length, NULL) ==
        PCF_ERROR_INTERRUPTED);
  CHECK(pcf_evaluate_each(&x->view, offsets, time, 0, 2, &stop, value, NULL) ==
        PCF_ERROR_INTERRUPTED);
  CHECK(!pcf_evaluate_each(&x->view, offsets, time, 0, 2, &never_stop, value, NULL));
  for (int64_t i = 0; i < COUNT; i++) {
    double wanted = value_at(&x->view, i, 0);
    CHECK(value[i] == wanted || (isnan(value[i]) && isnan(wanted)));
  }
  pcf_memory_fail_at(1);
  CHECK(pcf_integrate_windows(&x->view, &windows, 2, &never_stop, integral, length, NULL) ==
        PCF_ERROR_MEMORY);
  pcf_memory_fail_at(0);
}
