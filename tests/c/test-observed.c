/* Where functions are observed. */
#include "check.h"
#include "ragged.h"

#include "base/memory.h"
#include "collections/observed.h"

#include <math.h>

enum { COUNT = 200 };

/* Functions of which some values are missing and some first times are -INFINITY. */
static struct functions *partial_functions(uint64_t seed) {
  struct random random = {seed};
  struct functions *x = functions_random(&random, INTEGER_TIMES, COUNT, 1, 9);
  forget_values(&random, x, 0.4);
  for (int64_t i = 0; i < COUNT; i += 3) times_of(x, i)[0] = -INFINITY;
  return x;
}

static bool observed_at(const struct pcf_collection *x, int64_t i, double time) {
  bool observed = true;
  for (int64_t k = 0; k < pcf_breakpoints(x, i) && pcf_times(x, i)[k] <= time; k++) {
    observed = !pcf_is_missing(pcf_values(x, i)[k]);
  }
  return observed;
}

TEST(observed_by_definition) {
  struct functions *x = partial_functions(1);
  for (int threads = 1; threads <= 3; threads++) {
    SCOPED(pcf_owned_functions) y;
    REQUIRE(pcf_indicators_make(&x->view, threads, &never_stop, &y, NULL) == PCF_OK);
    struct pcf_range range = PCF_EMPTY_RANGE;
    int64_t function, position;
    CHECK(!pcf_check_functions(&y.view, 0, COUNT, &range, &function, &position));
    for (int64_t i = 0; i < COUNT; i++) {
      CHECK(value_at(&y.view, i, -INFINITY) == observed_at(&x->view, i, -INFINITY));
      for (double time = -40; time <= 40; time += 0.5) {
        CHECK(value_at(&y.view, i, time) == observed_at(&x->view, i, time));
      }
      for (int64_t k = 1; k < pcf_breakpoints(&y.view, i); k++) {
        CHECK(pcf_values(&y.view, i)[k] == 1 - pcf_values(&y.view, i)[k - 1]);
      }
    }
  }
}

/* Breakpoints are at whole numbers, so that half a unit before and after a time tells. */
TEST(ends_of_windows_by_definition) {
  enum { FAR = 50 };
  struct functions *x = partial_functions(3);
  for (int64_t i = 0; i < COUNT; i++) {
    for (int time = -FAR + 1; time < FAR; time++) {
      double until = pcf_observed_until(&x->view, i, time), t = time - 0.5;
      while (t > -FAR && !observed_at(&x->view, i, t)) t--;
      CHECK((isnan(until) != 0) == (t == time - 0.5));
      CHECK(isnan(until) || until == (t > -FAR ? t + 0.5 : -INFINITY));
      double from = pcf_observed_from(&x->view, i, time);
      for (t = time + 0.5; t < FAR && !observed_at(&x->view, i, t);) t++;
      CHECK((isnan(from) != 0) == (t == time + 0.5));
      CHECK(isnan(from) || from == (t < FAR ? t - 0.5 : INFINITY));
    }
  }
}

/* Values are looked at 64 at a time. */
TEST(observed_of_long_functions) {
  enum { LONG = 200 };
  int64_t lengths[LONG];
  for (int64_t i = 0; i < LONG; i++) lengths[i] = i + 1;
  struct functions *x = functions_new(LONG, lengths);
  x->view.partial = 1;
  for (int64_t i = 0; i < LONG; i++) {
    for (int64_t k = 0; k <= i; k++) times_of(x, i)[k] = (double)k, values_of(x, i)[k] = 2;
    if (i % 3 == 0) times_of(x, i)[0] = -INFINITY;
  }
  forget_values(&random, x, 0.4);
  SCOPED(pcf_owned_functions) y;
  REQUIRE(pcf_indicators_make(&x->view, 2, &never_stop, &y, NULL) == PCF_OK);
  for (int64_t i = 0; i < LONG; i++) {
    int64_t changes = 0;
    bool now = false;
    for (int64_t k = -1; k <= i; k++) {
      double time = k < 0 ? -INFINITY : (double)k;
      bool then = observed_at(&x->view, i, time);
      CHECK(value_at(&y.view, i, time) == then);
      changes += then != now;
      now = then;
    }
    CHECK(pcf_breakpoints(&y.view, i) == (changes ? changes : 1));
  }
}

TEST(observed_difference_is_that_of_the_first_function) {
  int64_t length = 3, lengths[COUNT];
  for (int64_t i = 0; i < COUNT; i++) lengths[i] = length;
  struct functions *x = functions_new(COUNT, lengths);
  x->view.partial = 1;
  for (int64_t i = 0; i < COUNT; i++) {
    for (int64_t k = 0; k < length; k++) times_of(x, i)[k] = (double)k;
    values_of(x, i)[1] = pcf_missing();
  }
  values_of(x, 150)[1] = values_of(x, 70)[1] = 4;
  times_of(x, 140)[2] = 2.5;
  struct pcf_observed_difference found;
  for (int threads = 1; threads <= 3; threads++) {
    pcf_find_observed_difference(&x->view, &x->view, -INFINITY, INFINITY, threads, &never_stop,
                                 &found, NULL);
    CHECK(found.function == 70 && found.from == 1 && found.to == 2 && found.observed);
    pcf_find_observed_difference(&x->view, &x->view, 2, 9, threads, &never_stop, &found, NULL);
    CHECK(found.function == 140 && found.from == 2 && found.to == 2.5 && !found.observed);
    pcf_find_observed_difference(&x->view, &x->view, 2.5, INFINITY, threads, &never_stop,
                                 &found, NULL);
    CHECK(found.function == -1);
  }
}

TEST(observed_without_memory_and_stopped) {
  struct functions *x = partial_functions(2);
  struct pcf_observed_difference found;
  const atomic_int stop = 1;
  for (long k = 1; k <= 4; k++) {
    struct pcf_owned_functions y;
    pcf_memory_fail_at(k);
    CHECK(pcf_indicators_make(&x->view, 1, &never_stop, &y, NULL) == PCF_ERROR_MEMORY);
    pcf_owned_functions_free(&y);
    pcf_memory_fail_at(k);
    CHECK(pcf_find_observed_difference(&x->view, &x->view, 0, 1, 1, &never_stop, &found,
                                       NULL) == PCF_ERROR_MEMORY);
  }
  pcf_memory_fail_at(0);
  CHECK(pcf_find_observed_difference(&x->view, &x->view, 0, 1, 2, &stop, &found, NULL) ==
        PCF_ERROR_INTERRUPTED);
}
