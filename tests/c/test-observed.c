/* Where functions are first observed differently, and what fails.
 * tests/testthat/test-call-observed.R and test-pairs-long-functions.R have where they are
 * observed. */
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

TEST(observed_difference_is_that_of_the_first_function) {
  int64_t length = 3, lengths[COUNT];
  for (int64_t i = 0; i < COUNT; i++) lengths[i] = length;
  struct functions *x = functions_new(COUNT, lengths);
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
    CHECK(pcf_owned_functions_make(&y, pcf_indicators(&x->view), 1, &never_stop, NULL) ==
          PCF_ERROR_MEMORY);
    pcf_owned_functions_free(&y);
    pcf_memory_fail_at(k);
    CHECK(pcf_find_observed_difference(&x->view, &x->view, 0, 1, 1, &never_stop, &found,
                                       NULL) == PCF_ERROR_MEMORY);
  }
  pcf_memory_fail_at(0);
  CHECK(pcf_find_observed_difference(&x->view, &x->view, 0, 1, 2, &stop, &found, NULL) ==
        PCF_ERROR_INTERRUPTED);
}
