#include "check.h"
#include "collections.h"

#include "collections/check.h"

#include <math.h>
#include <string.h>

/* Three functions of four breakpoints, of which the middle one is spoilt. */
static struct functions *three_functions(void) {
  static const double sound[] = {0, 1, 2, 3, 5, -6, 7, 0};
  const double *literal[] = {sound, sound, sound};
  return functions_of(3, (int64_t[]){4, 4, 4}, literal);
}

static enum pcf_problem check_spoilt(int k, double number, int64_t *position) {
  struct functions *x = three_functions();
  struct pcf_range range = PCF_EMPTY_RANGE;
  int64_t function = -1;
  x->function[1][k] = number;
  enum pcf_problem problem = pcf_check_functions(&x->view, 0, 3, &range, &function, position);
  CHECK(function == (problem ? 1 : -1));
  return problem;
}

TEST(collection_that_is_sound) {
  struct functions *x = three_functions();
  struct pcf_range range = PCF_EMPTY_RANGE;
  int64_t function = -1, position = -1;
  values_of(x, 2)[1] = -8;
  times_of(x, 0)[0] = -4;
  CHECK(pcf_check_functions(&x->view, 0, 3, &range, &function, &position) == PCF_VALID);
  CHECK(function == -1 && position == -1);
  CHECK(pcf_range_time_from(&range, 0) == 4 && range.value == 8 && range.least == 5);
  CHECK(range.first == -4 && range.last == times_of(x, 2)[3]);
  CHECK(pcf_total_breakpoints(&x->view) == 12);
  CHECK(pcf_breakpoints(&x->view, 2) == 4);
  range = (struct pcf_range){
    .first = -9, .last = 100, .value = 3, .least = 0.5}; /* is only ever widened */
  CHECK(pcf_check_functions(&x->view, 1, 2, &range, &function, &position) == PCF_VALID);
  CHECK(pcf_range_time_from(&range, 0) == 100 && range.value == 7 && range.least == 0.5);
}

/* The problem of a function of m breakpoints, literal[0 … 2m), in a partial collection. */
static enum pcf_problem check_partial(int64_t m, const double *literal, struct pcf_range *range,
                                      int64_t *position) {
  struct functions *x = functions_of(1, &m, &literal);
  int64_t function = -1;
  x->view.partial = 1;
  *range = PCF_EMPTY_RANGE;
  *position = -1;
  enum pcf_problem problem = pcf_check_functions(&x->view, 0, 1, range, &function, position);
  return problem;
}

TEST(collection_that_is_partial) {
  double missing = pcf_missing();
  struct pcf_range range;
  int64_t at;
  double gap[] = {0, 1, 2, 5, missing, -7};
  CHECK(check_partial(3, gap, &range, &at) == PCF_VALID);
  CHECK(pcf_range_time_from(&range, 0) == 2 && range.value == 7 && range.least == 5);
  CHECK(range.missing && !range.endless);
  double endless[] = {-INFINITY, -3, 2, missing, missing, -7};
  CHECK(check_partial(3, endless, &range, &at) == PCF_VALID);
  CHECK(pcf_range_time_from(&range, 0) == 3 && range.value == 7 && range.missing &&
        range.endless);
  CHECK(range.first == -3 && range.last == 2);
  double constant[] = {-INFINITY, 4};
  CHECK(check_partial(1, constant, &range, &at) == PCF_VALID);
  CHECK(pcf_range_time_from(&range, 0) == 0 && range.value == 4 && !range.missing &&
        range.endless);
  CHECK(range.first == INFINITY && range.last == -INFINITY);
  double one[] = {3, -4};
  CHECK(check_partial(1, one, &range, &at) == PCF_VALID);
  CHECK(pcf_range_time_from(&range, 0) == 3 && range.value == 4 && range.least == 4);
  double nowhere[] = {-INFINITY, missing};
  CHECK(check_partial(1, nowhere, &range, &at) == PCF_VALID);
  CHECK(range.value == 0 && range.least == INFINITY && range.missing);
  CHECK(pcf_is_missing(missing) && pcf_is_missing(missing + 1) && !pcf_is_missing(NAN));
}

TEST(collection_that_is_partial_and_wrong) {
  const double na = pcf_missing();
  const struct {
    double function[4];
    enum pcf_problem problem;
  } cases[] = {{{0, 1, na, NAN}, PCF_VALUE_NAN},
               {{0, 1, na, -INFINITY}, PCF_VALUE_INFINITE},
               {{-INFINITY, -INFINITY, 1, 2}, PCF_TIME_INFINITE},
               {{0, -INFINITY, 1, 2}, PCF_TIME_INFINITE},
               {{0, INFINITY, 1, 2}, PCF_TIME_INFINITE}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct pcf_range range;
    int64_t at;
    CHECK(check_partial(2, cases[k].function, &range, &at) == cases[k].problem && at == 1);
  }
  struct pcf_range range;
  int64_t at;
  CHECK(check_partial(1, (double[]){INFINITY, 1}, &range, &at) == PCF_TIME_INFINITE && at == 0);
}

/* Wherever a value is missing, or wrong beside one that is missing. R's own NA is a signalling
 * NaN, until something is computed with it. */
TEST(collection_that_is_partial_anywhere) {
  enum { M = 21 };
  const double wrong[] = {NAN, -NAN, INFINITY, -INFINITY};
  const double missing[] = {pcf_double_of(0x7ff00000000007a2), pcf_missing(), -pcf_missing(),
                            pcf_missing() + 1};
  double function[2 * M];
  struct pcf_range range;
  int64_t at;
  for (int64_t k = 0; k < M; k++) {
    for (int n = 0; n < M; n++) function[n] = n, function[M + n] = -(n + 1);
    function[M + k] = missing[k % 4];
    CHECK(check_partial(M, function, &range, &at) == PCF_VALID && range.missing);
    CHECK(range.value == (k == M - 1 ? M - 1 : M) && range.least == (k == 0 ? 2 : 1));
    for (int w = 0; w < 4; w++) {
      function[M + (k + 7) % M] = wrong[w];
      enum pcf_problem want = w < 2 ? PCF_VALUE_NAN : PCF_VALUE_INFINITE;
      CHECK(check_partial(M, function, &range, &at) == want && at == (k + 7) % M);
    }
    function[M + (k + 7) % M] = 0;
    CHECK(check_partial(M, function, &range, &at) == PCF_VALID && range.least >= 1);
    function[M + k] = 3;
    CHECK(check_partial(M, function, &range, &at) == PCF_VALID && !range.missing);
  }
}

/* Whatever stretch of a long function a value is missing in. */
TEST(collection_that_is_partial_on_threads) {
  enum { COUNT = 3 };
  int64_t lengths[COUNT] = {70000, 5, 90000};
  atomic_int stop = 0;
  struct pcf_error error;
  struct functions *x = functions_new(COUNT, lengths);
  for (int64_t i = 0; i < COUNT; i++) {
    for (int64_t k = 0; k < lengths[i]; k++) times_of(x, i)[k] = values_of(x, i)[k] = (double)k;
  }
  values_of(x, 2)[60000] = pcf_missing();
  times_of(x, 1)[0] = -INFINITY;
  for (int partial = 0; partial < 2; partial++) {
    struct pcf_range range = PCF_EMPTY_RANGE;
    struct pcf_fault fault;
    x->view.partial = partial;
    enum pcf_status status = pcf_check_collection(&x->view, 2, &stop, &range, &fault, &error);
    CHECK(status == (partial ? PCF_OK : PCF_ERROR_ARGUMENT));
    if (!partial) CHECK(fault.problem == PCF_TIME_INFINITE && fault.function == 1);
    if (partial) CHECK(range.missing && range.endless && range.value == 89999);
  }
}

/* What is not the same at every position. */
TEST(collection_problems_of_times_and_values) {
  int64_t at = -1;
  CHECK(check_spoilt(0, 1, &at) == PCF_TIME_REPEATED && at == 1);
  CHECK(check_spoilt(3, -9, &at) == PCF_TIME_UNSORTED && at == 3);
  CHECK(check_spoilt(1, -0.0, &at) == PCF_TIME_REPEATED && at == 1); /* -0 is 0 */
  CHECK(check_spoilt(0, -0.0, &at) == PCF_VALID);
  CHECK(check_spoilt(4, 1.7e308, &at) == PCF_VALID);
  CHECK(check_spoilt(4, -5e-324, &at) == PCF_VALID);
}

static enum pcf_problem problem_of(const struct functions *x, struct pcf_range *range,
                                   int64_t *position) {
  int64_t function = -1;
  enum pcf_problem problem =
    pcf_check_functions(&x->view, 0, x->view.count, range, &function, position);
  CHECK(function == (problem ? 1 : -1));
  return problem;
}

/* The second of three functions of one breakpoint, of as many as vectors hold and a few more or
 * less: each of them spoilt in turn. Times come first. */
TEST(collection_faults_at_every_position) {
  for (int64_t m = 1; m <= 26; m++) {
    struct functions *x = functions_random(&random, PAPER, 3, m, m);
    struct pcf_range range = PCF_EMPTY_RANGE, sound = PCF_EMPTY_RANGE;
    int64_t position;
    CHECK(problem_of(x, &sound, &position) == PCF_VALID);
    for (int64_t k = 0; k < m; k++) {
      double *time = &times_of(x, 1)[k], *value = &values_of(x, 1)[k];
      double old_time = *time, old_value = *value;
      const struct {
        double number;
        enum pcf_problem problem;
      } of_times[] = {{NAN, PCF_TIME_MISSING},
                      {INFINITY, PCF_TIME_INFINITE},
                      {-INFINITY, PCF_TIME_INFINITE},
                      {k ? time[-1] : NAN, k ? PCF_TIME_REPEATED : PCF_TIME_MISSING},
                      {k ? time[-1] - 1 : NAN, k ? PCF_TIME_UNSORTED : PCF_TIME_MISSING}},
        of_values[] = {{NAN, PCF_VALUE_MISSING},
                       {INFINITY, PCF_VALUE_INFINITE},
                       {-INFINITY, PCF_VALUE_INFINITE}};
      for (int v = 0; v < 3; v++) {
        *value = of_values[v].number;
        CHECK(problem_of(x, &range, &position) == of_values[v].problem && position == k);
        for (int t = 0; t < 5; t++) {
          *time = of_times[t].number;
          CHECK(problem_of(x, &range, &position) == of_times[t].problem && position == k);
        }
        *time = old_time;
      }
      range = sound;
      *value = k % 2 ? 1e300 : -1e-300;
      CHECK(problem_of(x, &range, &position) == PCF_VALID);
      CHECK(k % 2 ? range.value == 1e300 : range.least == 1e-300);
      *value = old_value;
      if (m == 1) continue; /* all values are 0 */
      CHECK(k % 2 ? range.least == sound.least : range.value == sound.value);
    }
  }
}

/* A difference of times may be too large for a number. */
TEST(collection_times_far_apart) {
  struct functions *x = functions_random(&random, PAPER, 1, 20, 20);
  struct pcf_range range = PCF_EMPTY_RANGE;
  int64_t function, position;
  for (int k = 0; k < 20; k++)
    times_of(x, 0)[k] = k < 9 ? -1.7e308 + 1e300 * k : 1e308 + 1e300 * k;
  CHECK(pcf_check_functions(&x->view, 0, 1, &range, &function, &position) == PCF_VALID);
  CHECK(pcf_range_time_from(&range, 0) == 1.7e308);
}

static int changes_are(const struct pcf_change_times *changes, double first, double last,
                       int64_t functions, int64_t exponents) {
  return changes->first == first && changes->last == last && changes->functions == functions &&
         changes->exponents == exponents;
}

static struct pcf_change_times changes_of(const struct functions *x) {
  struct pcf_range range = PCF_EMPTY_RANGE;
  struct pcf_fault fault;
  CHECK(pcf_check_collection(&x->view, 1, NULL, &range, &fault, NULL) == PCF_OK);
  return range.changes;
}

TEST(collection_tells_when_functions_change) {
  const double na = pcf_missing();
  const double *literal[] = {
    (double[]){1, 2, 3, 9, 0, 1, 0, 0}, /* changes at 2 and 3 */
    (double[]){-5, 0},
    (double[]){4, 5, 2, 2},
    (double[]){-INFINITY, -3, 7, 20, 1, 1, na, na},
    (double[]){-INFINITY, 6, na, 3},
    (double[]){0, 8, na, 0},
  };
  struct functions *x = functions_of(6, (int64_t[]){4, 1, 2, 4, 2, 2}, literal);
  x->view.partial = 1;
  struct pcf_change_times all = changes_of(x);
  CHECK(changes_are(&all, 0, 8, 2, 1 + 4));
  x->view.count = 3;
  x->view.partial = 0;
  struct pcf_change_times some = changes_of(x);
  CHECK(changes_are(&some, 2, 4, 1, 1));
  values_of(x, 0)[1] = values_of(x, 2)[0] = values_of(x, 2)[1] = 0;
  struct pcf_change_times none = changes_of(x);
  CHECK(changes_are(&none, INFINITY, -INFINITY, 0, 0));
  x->view.count = 6; /* all are freed */
}

/* Opposite infinities and missing values must not cancel in a check of sums. */
TEST(collection_faults_do_not_cancel) {
  struct functions *x = three_functions();
  struct pcf_range range = PCF_EMPTY_RANGE;
  int64_t function, position;
  values_of(x, 1)[1] = INFINITY;
  values_of(x, 1)[2] = -INFINITY;
  CHECK(pcf_check_functions(&x->view, 0, 3, &range, &function, &position) ==
        PCF_VALUE_INFINITE);
  CHECK(function == 1 && position == 1);
}

/* Enough breakpoints for several threads. */
TEST(collection_names_the_lowest_faulty_function) {
  struct functions *x = functions_random(&random, PAPER, 2100, 50, 60);
  struct pcf_range whole = PCF_EMPTY_RANGE;
  REQUIRE(pcf_total_breakpoints(&x->view) > 100000);
  for (int threads = 1; threads <= 4; threads++) {
    struct pcf_fault fault = {0};
    struct pcf_range range = PCF_EMPTY_RANGE;
    CHECK(pcf_check_collection(&x->view, threads, NULL, &range, &fault, NULL) == PCF_OK);
    CHECK(fault.problem == PCF_VALID);
    if (threads == 1) whole = range;
    CHECK(pcf_range_time_from(&range, 0) == pcf_range_time_from(&whole, 0) &&
          range.value == whole.value);
    CHECK(range.least == whole.least);
    CHECK(range.changes.functions == 2100 && whole.changes.functions == 2100);
    CHECK(range.changes.exponents == whole.changes.exponents);
  }
  CHECK(pcf_range_time_from(&whole, 0) > 1 && whole.value > 1);
  values_of(x, 2099)[7] = NAN;
  times_of(x, 1500)[9] = INFINITY;
  values_of(x, 700)[11] = INFINITY;
  times_of(x, 701)[0] = NAN;
  for (int threads = 1; threads <= 4; threads++) {
    for (int again = 0; again < 5; again++) {
      struct pcf_fault fault = {0};
      struct pcf_range range = PCF_EMPTY_RANGE;
      struct pcf_error error = {0};
      CHECK(pcf_check_collection(&x->view, threads, NULL, &range, &fault, &error) ==
            PCF_ERROR_ARGUMENT);
      CHECK(error.status == PCF_ERROR_ARGUMENT && error.message[0]);
      CHECK(fault.problem == PCF_VALUE_INFINITE);
      CHECK(fault.function == 700 && fault.position == 11);
    }
  }
}

/* A function that several threads check: faults on both sides of where it is cut. */
TEST(collection_check_of_a_long_function) {
  const int64_t lengths[] = {5, 140001, 3}, cut = 1 << 15;
  struct functions *x = functions_random(&random, PAPER, 3, 140001, 140001);
  struct functions *mixed = functions_new(3, lengths);
  for (int i = 0; i < 3; i++) {
    memcpy(times_of(mixed, i), times_of(x, i), (size_t)lengths[i] * sizeof(double));
    memcpy(values_of(mixed, i), values_of(x, i), (size_t)lengths[i] * sizeof(double));
  }
  struct pcf_range whole = PCF_EMPTY_RANGE, range = PCF_EMPTY_RANGE;
  struct pcf_fault fault;
  int64_t function, position;
  CHECK(pcf_check_functions(&mixed->view, 0, 3, &whole, &function, &position) == PCF_VALID);
  CHECK(pcf_check_collection(&mixed->view, 3, NULL, &range, &fault, NULL) == PCF_OK);
  CHECK(pcf_range_time_from(&range, 0) == pcf_range_time_from(&whole, 0) &&
        range.value == whole.value && range.least == whole.least);
  CHECK(whole.changes.last == whole.last);
  CHECK(changes_are(&range.changes, whole.changes.first, whole.changes.last, 3,
                    whole.changes.exponents));
  for (int64_t k = cut - 8; k < cut + 3; k++) {
    double *time = &times_of(mixed, 1)[k], old = *time;
    *time = time[-1];
    CHECK(pcf_check_collection(&mixed->view, 3, NULL, &range, &fault, NULL) ==
          PCF_ERROR_ARGUMENT);
    CHECK(fault.problem == PCF_TIME_REPEATED && fault.function == 1 && fault.position == k);
    *time = old;
  }
  values_of(mixed, 1)[7] = NAN; /* times come first, wherever they are */
  times_of(mixed, 1)[140000] = NAN;
  CHECK(pcf_check_collection(&mixed->view, 3, NULL, &range, &fault, NULL) ==
        PCF_ERROR_ARGUMENT);
  CHECK(fault.problem == PCF_TIME_MISSING && fault.function == 1 && fault.position == 140000);
}

TEST(collection_check_can_be_stopped) {
  struct functions *x = three_functions();
  struct pcf_fault fault = {0};
  struct pcf_range range = PCF_EMPTY_RANGE;
  atomic_int stop = 1;
  CHECK(pcf_check_collection(&x->view, 1, &stop, &range, &fault, NULL) ==
        PCF_ERROR_INTERRUPTED);
}
