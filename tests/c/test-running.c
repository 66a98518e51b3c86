/* Integrals up to times, extreme values and slopes. tests/testthat has their definitions; here
 * are what they share with norms, and threads. */
#include "check.h"
#include "collections.h"

#include "algebra/calculus.h"
#include "summaries/extremes.h"
#include "summaries/norms.h"
#include "summaries/running.h"

#include <math.h>
#include <stdlib.h>

enum { COUNT = 40, TIMES = 5 };

static const double times[TIMES] = {-3, 0.2, 1, 1.7, INFINITY};

static double *numbers(int64_t count) {
  return kept(malloc((size_t)count * sizeof(double)));
}

TEST(integrals_up_to_times_are_integrals) {
  const int64_t column[TIMES] = {4, 1, 0, 3, 2};
  for (enum shape shape = PAPER; shape <= SHARED_GRID; shape++) {
    struct functions *x = functions_random(&random, shape, COUNT, 1, 40);
    for (int threads = 1; threads <= 3; threads++) {
      struct pcf_running running = {.x = &x->view,
                                    .from = 0.1,
                                    .time = times,
                                    .column = column,
                                    .count = TIMES,
                                    .result = numbers(COUNT * TIMES)};
      CHECK(pcf_running_integrals(&running, threads, NULL, NULL) == PCF_OK);
      CHECK(!atomic_load(&running.missing));
      for (int t = 0; t < TIMES; t++) {
        struct pcf_measuring measuring = {PCF_INTEGRAL, 1, 0.1, times[t]};
        struct pcf_fault fault;
        double *want = numbers(COUNT);
        for (int i = 0; i < COUNT; i++) want[i] = 0;
        if (times[t] > 0.1) {
          CHECK(pcf_measure(&x->view, &measuring, 1, NULL, want, NULL, &fault, NULL) == PCF_OK);
        }
        for (int i = 0; i < COUNT; i++) {
          double got = running.result[i + column[t] * COUNT];
          CHECK(isinf(want[i]) ? got == want[i] : fabs(got - want[i]) <= 1e-12 * 40);
        }
      }
    }
  }
}

TEST(the_larger_extreme_value_is_the_supremum) {
  for (enum shape shape = PAPER; shape <= PARTIAL; shape++) {
    struct functions *x = functions_random(&random, shape, COUNT, 1, 40);
    double *value = numbers(2 * COUNT), *time = numbers(2 * COUNT), *supremum = numbers(COUNT);
    for (int smallest = 0; smallest < 2; smallest++) {
      struct pcf_extremes extremes = {
        &x->view, 0.1, 1.9, smallest, value + smallest * COUNT, time + smallest * COUNT};
      CHECK(pcf_find_extremes(&extremes, 1 + 2 * smallest, NULL, NULL) == PCF_OK);
    }
    struct pcf_measuring measuring = {PCF_NORM_LINF, INFINITY, 0.1, 1.9};
    struct pcf_fault fault;
    CHECK(pcf_measure(&x->view, &measuring, 1, NULL, supremum, NULL, &fault, NULL) == PCF_OK);
    for (int k = 0; k < 2 * COUNT; k++) {
      int i = k % COUNT;
      if (isnan(value[k])) CHECK(supremum[i] == 0 && isnan(time[k]));
      else CHECK(value[k] == value_at(&x->view, i, time[k]) && value[i] >= value[i + COUNT]);
      if (!isnan(value[k])) CHECK(fmax(value[i], -value[i + COUNT]) == supremum[i]);
    }
  }
}

TEST(slopes_of_few_lines) {
  const int64_t lengths[] = {3, 2};
  double first[] = {0, 2, 6, 0, 3, 1, 0, 3, 1}, second[] = {1, 2, NAN, 4, 2, 2};
  struct functions *x = lines_new(2, lengths);
  for (int k = 0; k < 9; k++) x->function[0][k] = first[k];
  for (int k = 0; k < 6; k++) x->function[1][k] = k == 2 ? pcf_missing() : second[k];
  double one[6], other[6];
  double *const result[] = {one, other};
  for (int threads = 1; threads <= 2; threads++) {
    struct pcf_calculus derivative = {&x->view, result, PCF_NOWHERE};
    CHECK(pcf_derivative_length(&x->view, 0) == 3 && pcf_derivative_length(&x->view, 1) == 3);
    CHECK(pcf_derivative_fill(&derivative, threads, NULL, NULL) == PCF_OK);
    CHECK(one[3] == 1.5 && one[4] == -0.5 && one[5] == 0);
    CHECK(other[0] == -INFINITY && other[1] == 1 && other[2] == 2);
    CHECK(isnan(other[3]) && other[4] == 2 && other[5] == 0);
    CHECK(derivative.fault.item == 1 && derivative.fault.position == 1);
  }
}
