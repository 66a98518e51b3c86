/* Inner products of short functions with long ones, by looking them up. */
#include "check.h"
#include "runs.h"

#include "pairs/method.h"

#include <math.h>
#include <string.h>

static const struct question inner = {PCF_INNER, 2, -INFINITY, INFINITY};

static struct asked asked_of(const struct question *question, const struct functions *x,
                             const struct functions *y) {
  struct asked asked = request_of(question, PCF_FULL, x, y);
  asked.pairs.method = "lookup";
  return asked;
}

/* As asked, and with blocks of one tile on three threads: the same bits. */
static void check_lookup(const struct question *question, const struct functions *x,
                         const struct functions *y) {
  struct answer *answers = oracle_matrix(question, &x->view, &y->view);
  struct asked asked = asked_of(question, x, y);
  struct outcome one = run_request(&asked, PCF_FULL, &pcf_cpu_backend);
  asked.settings.threads = 3;
  asked.settings.block_side = 32;
  struct outcome three = run_request(&asked, PCF_FULL, &pcf_cpu_backend);
  CHECK(one.status == PCF_OK && outcome_agrees(&one, answers, tolerance_of(PCF_DOUBLE)));
  CHECK(outcomes_equal(&one, &three));
}

TEST(lookup_gives_the_right_results) {
  static const double windows[][2] = {
    {-INFINITY, INFINITY}, {0.5, 6}, {-INFINITY, 2}, {0.25, INFINITY}, {7, 8}};
  for (int shape = PAPER; shape <= UNBOUNDED; shape++) {
    for (int trial = 0; trial < (check_quick() ? 2 : 8); trial++) {
      struct functions *low = functions_random(&random, shape, 40, 1, 9);
      struct functions *tall =
        functions_random(&random, shape, 1 + trial % 3, 1, trial % 2 ? 300 : 6);
      for (int w = 0; w < 5; w++) {
        struct question question = inner;
        question.from = windows[w][0];
        question.to = windows[w][1];
        check_lookup(&question, low, tall);
        check_lookup(&question, tall, low);
      }
    }
  }
}

/* Every function has an exponent of its own, and pieces are far shorter than stretches. */
TEST(lookup_of_all_magnitudes) {
  struct functions *low = functions_random(&random, PAPER, 20, 2, 5);
  struct functions *tall = functions_random(&random, PAPER, 2, 200, 300);
  for (int64_t i = 0; i < 20; i++) {
    int64_t m = pcf_breakpoints(&low->view, i);
    double *time = times_of(low, i), *value = values_of(low, i);
    for (int64_t k = 0; k < m; k++) value[k] = ldexp(value[k], i % 2 ? 200 : -200);
    if (i % 3 == 0) time[1] = time[0] + ldexp(time[1] - time[0], -40);
  }
  check_lookup(&inner, low, tall);
  for (int64_t k = 0; k < pcf_breakpoints(&tall->view, 1); k++) {
    values_of(tall, 1)[k] = ldexp(values_of(tall, 1)[k], 450);
  }
  check_lookup(&inner, low, tall);
}

/* What a long function was before a short one begins costs no digits. */
TEST(lookup_after_large_values) {
  struct functions *low = functions_random(&random, INTEGER_TIMES, 20, 2, 5);
  struct functions *tall = functions_random(&random, INTEGER_TIMES, 2, 200, 300);
  for (int64_t i = 0; i < 20; i++) {
    for (int64_t k = 0; k < pcf_breakpoints(&low->view, i); k++) times_of(low, i)[k] += 5;
  }
  for (int64_t i = 0; i < 2; i++) {
    for (int64_t k = 0; times_of(tall, i)[k] < 4; k++) {
      values_of(tall, i)[k] *= i ? 0x1p60 : 0x1p130;
    }
  }
  check_lookup(&inner, low, tall);
}

/* Times after the first of each function, with most of them in one part of the guide. */
static void cluster_times(struct functions *x, double near, double gap) {
  for (int64_t i = 0; i < x->view.count; i++) {
    for (int64_t k = 1; k < pcf_breakpoints(&x->view, i); k++) {
      double *time = &times_of(x, i)[k];
      *time = *time * near + (*time > 1.5 ? gap : 0);
    }
  }
}

TEST(lookup_among_clustered_times) {
  static const double clusters[][2] = {{1, 0x1p30}, {0x1p-30, 1}, {0x1p-500, 0}, {0x1p500, 0}};
  for (int c = 0; c < 4; c++) {
    struct functions *low = functions_random(&random, PAPER, 30, 2, 9);
    struct functions *tall = functions_random(&random, PAPER, 2, 200, 300);
    cluster_times(low, clusters[c][0], clusters[c][1]);
    cluster_times(tall, clusters[c][0], clusters[c][1]);
    check_lookup(&inner, low, tall);
  }
}

static struct outcome run_as(const char *method, enum pcf_operation operation,
                             enum pcf_precision precision, const struct functions *x,
                             const struct functions *y) {
  struct question question = inner;
  question.operation = operation;
  struct asked asked = request_of(&question, y ? PCF_FULL : PCF_LOWER_WITH_DIAGONAL, x, y);
  asked.pairs.method = method;
  asked.pairs.precision = precision;
  return run_request(&asked, y ? PCF_FULL : PCF_LOWER_WITH_DIAGONAL, &pcf_cpu_backend);
}

static bool takes_lookup(const struct functions *x, const struct functions *y) {
  struct outcome outcome = run_as(NULL, PCF_INNER, PCF_DOUBLE, x, y);
  bool takes = outcome.status == PCF_OK && strcmp(offer_of(&outcome)->method, "lookup") == 0;
  return takes;
}

static void check_impossible(enum pcf_operation operation, enum pcf_precision precision,
                             const struct functions *x, const struct functions *y) {
  struct outcome outcome = run_as("lookup", operation, precision, x, y);
  CHECK(outcome.status == PCF_ERROR_ARGUMENT);
  CHECK(strstr(outcome.error.message, "\"lookup\", a kernel that this call cannot use") !=
        NULL);
}

TEST(lookup_is_for_few_long_functions) {
  struct functions *low = functions_random(&random, PAPER, 200, 10, 20);
  struct functions *tall = functions_random(&random, PAPER, 2, 20000, 20000);
  struct functions *others = functions_random(&random, PAPER, 40, 10, 60);
  CHECK(takes_lookup(low, tall) && takes_lookup(tall, low));
  CHECK(!takes_lookup(low, others) && !takes_lookup(others, low));
  check_impossible(PCF_L2, PCF_DOUBLE, low, tall);
  check_impossible(PCF_INNER, PCF_SINGLE_PRECISION, low, tall);
  check_impossible(PCF_INNER, PCF_DOUBLE, low, NULL);
}

TEST(lookup_at_every_allocation) {
  struct functions *low = functions_random(&random, PAPER, 40, 1, 9);
  struct functions *tall = functions_random(&random, PAPER, 2, 100, 200);
  struct asked asked = asked_of(&inner, low, tall);
  fail_at_every_allocation(&asked, PCF_FULL, &pcf_cpu_backend, false);
}
