/* What pairs of piecewise linear functions need beside kernels: functions cut for weights,
 * where they are observed, digests, and what is refused. tests/testthat/test-pairs-lines.R has
 * the distances. */
#include "check.h"
#include "runs.h"

#include "collections/cutting.h"
#include "collections/digest.h"
#include "collections/observed.h"
#include "cuda/info.h"
#include "integrals/line-stretch.h"
#include "pairs/method.h"

#include <math.h>
#include <string.h>

/* From 1 before 0, up from 2 to 4 at 2, unobserved up to 3, and then 5 to 7 at 4 and 6 from
 * there; and one that is not observed before 1. */
static const double *const functions[] = {(double[]){0, 2, 3, 4, 1, 4, NAN, 7, 2, NAN, 5, 6},
                                          (double[]){1, 2, NAN, 3, 1, 0}};
static const int64_t offsets[] = {0, 4, 6};

static struct pcf_collection some_lines(double room[2][12]) {
  static const double *views[2];
  static const size_t bytes[] = {12 * sizeof(double), 6 * sizeof(double)};
  for (int i = 0; i < 2; i++) {
    memcpy(room[i], functions[i], bytes[i]);
    for (size_t k = 0; k < bytes[i] / sizeof(double); k++) {
      if (isnan(room[i][k])) room[i][k] = pcf_missing();
    }
    views[i] = room[i];
  }
  return (struct pcf_collection){
    .count = 2, .functions = views, .offsets = offsets, .linear = 1};
}

static bool same(const double *got, const double *want, int64_t count) {
  for (int64_t k = 0; k < count; k++) {
    if (isnan(want[k]) ? !pcf_is_missing(got[k]) : got[k] != want[k]) return false;
  }
  return true;
}

/* ---- Weights ---- */

static void check_cut(int partial, const double *factor, const int64_t *breakpoints,
                      const double *const *want) {
  double room[2][12], end[] = {-1, 1, 3.5, INFINITY}, height[] = {0, 2, 0, 3};
  struct pcf_collection x = some_lines(room);
  struct pcf_weight weight = {4, end, height, {0}};
  struct pcf_cutting cutting = {&weight, &x, partial, factor};
  SCOPED(pcf_owned_functions) cut;
  CHECK(pcf_owned_functions_make(&cut, pcf_cut_functions(&cutting), 2, NULL, NULL) == PCF_OK);
  CHECK(cut.view.linear);
  for (int64_t i = 0; i < 2; i++) {
    if (!CHECK(pcf_breakpoints(&cut.view, i) == breakpoints[i])) continue;
    CHECK(same(cut.function[i], want[i], 3 * breakpoints[i]));
  }
  struct pcf_range range = PCF_EMPTY_RANGE;
  int64_t function, position;
  CHECK(!pcf_check_functions(&cut.view, 0, 2, &range, &function, &position));
}

TEST(lines_cut_for_weights_have_their_values_at_both_sides) {
  const double *missing[] = {(double[]){-1, 0, 1, 3.5, 4, NAN, 1, 3, NAN, 7, 1, 2, NAN, 6, 6},
                             (double[]){-1, 1, 3.5, NAN, NAN, NAN, NAN, NAN, 0}};
  const double *zeros[] = {(double[]){-1, 0, 1, 3.5, 4, 0, 1, 3, 0, 7, 1, 2, 0, 6, 6},
                           (double[]){-1, 1, 3.5, 0, NAN, 0, NAN, 0, 0}};
  const double *scaled[] = {
    (double[]){-1, 0, 1, 3.5, 4, NAN, 10, 30, NAN, 700, 10, 20, NAN, 600, 600}, missing[1]};
  check_cut(1, NULL, (int64_t[]){5, 3}, missing);
  check_cut(0, NULL, (int64_t[]){5, 3}, zeros);
  check_cut(1, (double[]){0, 10, 0, 100}, (int64_t[]){5, 3}, scaled);
}

TEST(lines_cut_for_no_weight_are_nothing) {
  double room[2][12], end[] = {INFINITY}, height[] = {0};
  struct pcf_collection x = some_lines(room);
  struct pcf_weight weight = {1, end, height, {0}};
  for (int partial = 0; partial < 2; partial++) {
    struct pcf_cutting cutting = {&weight, &x, partial, NULL};
    SCOPED(pcf_owned_functions) cut;
    double nothing = partial ? NAN : 0, want[] = {0, nothing, nothing};
    CHECK(pcf_owned_functions_make(&cut, pcf_cut_functions(&cutting), 1, NULL, NULL) == PCF_OK);
    for (int64_t i = 0; i < 2; i++) {
      CHECK(pcf_breakpoints(&cut.view, i) == 1 && same(cut.function[i], want, 3));
    }
  }
}

/* ---- Where lines are observed ---- */

TEST(lines_are_observed_before_their_first_times_or_not) {
  double room[2][12];
  struct pcf_collection x = some_lines(room);
  SCOPED(pcf_owned_functions) seen;
  CHECK(pcf_owned_functions_make(&seen, pcf_indicators(&x), 1, NULL, NULL) == PCF_OK);
  CHECK(!seen.view.linear && pcf_breakpoints(&seen.view, 0) == 3);
  CHECK(same(seen.function[0], (double[]){-INFINITY, 2, 3, 1, 0, 1}, 6));
  CHECK(pcf_breakpoints(&seen.view, 1) == 1 && same(seen.function[1], (double[]){1, 1}, 2));
  CHECK(isnan(pcf_observed_from(&x, 0, -3)) && isnan(pcf_observed_until(&x, 0, -3)));
  CHECK(pcf_observed_from(&x, 0, 2) == 3 && pcf_observed_until(&x, 0, 3) == 2);
  CHECK(pcf_observed_from(&x, 1, 0) == 1 && pcf_observed_until(&x, 1, 1) == -INFINITY);
  CHECK(isnan(pcf_observed_from(&x, 1, 1)) && isnan(pcf_observed_until(&x, 1, 2)));
  room[1][4] = room[1][3] = pcf_missing();
  CHECK(pcf_observed_from(&x, 1, 0) == 2 && pcf_observed_until(&x, 1, 2) == -INFINITY);
}

static int64_t differs(const struct pcf_collection *x, double from, double to) {
  struct pcf_observed_difference found;
  CHECK(!pcf_find_observed_difference(x, x, from, to, 1, NULL, &found, NULL));
  return found.function;
}

TEST(lines_are_compared_by_where_they_are_observed) {
  double room[2][12];
  struct pcf_collection x = some_lines(room);
  CHECK(differs(&x, -INFINITY, INFINITY) == 1 && differs(&x, 0, 1) == 1);
  CHECK(differs(&x, 1, 2) == -1 && differs(&x, 1, 3) == 1 && differs(&x, 3, INFINITY) == -1);
}

TEST(lines_change_where_they_jump_or_are_not_level) {
  const double *const some[] = {(double[]){0, 1, 2, 9, 0, 0, 2, 2, 0, 0, 2, 2},
                                (double[]){3, 4, 1, 1, 1, 1}, (double[]){5, 0, 3}};
  struct pcf_collection x = {
    .count = 3, .functions = some, .offsets = (int64_t[]){0, 4, 6, 7}, .linear = 1};
  struct pcf_range range = PCF_EMPTY_RANGE;
  int64_t function, position;
  CHECK(!pcf_check_functions(&x, 0, 3, &range, &function, &position));
  CHECK(range.changes.first == 1 && range.changes.last == 5);
  CHECK(range.changes.functions == 1 && range.changes.exponents == 1 &&
        range.changes.least == 1);
}

/* ---- Digests ---- */

TEST(lines_have_digests_of_all_their_numbers) {
  double room[2][12];
  struct pcf_collection x = some_lines(room), steps = x;
  uint64_t one, other;
  x.count = steps.count = 1;
  CHECK(pcf_digest(&x, 1, NULL, &one, NULL) == PCF_OK);
  for (int k = 0; k < 12; k++) {
    double before = room[0][k];
    room[0][k] = 77;
    CHECK(pcf_digest(&x, 1, NULL, &other, NULL) == PCF_OK && other != one);
    room[0][k] = before;
  }
  steps.linear = 0;
  steps.offsets = (int64_t[]){0, 6};
  CHECK(pcf_digest(&steps, 1, NULL, &other, NULL) == PCF_OK && other != one);
}

/* ---- Powers ---- */

static double mean_power(double a, double b, double p) {
  struct pcf_line d = {(a + b) / 2, (b - a) / 2};
  return pcf_mean_of_powers(d, p, pcf_half_powers(p));
}

TEST(lines_have_means_of_powers) {
  CHECK(mean_power(0, 0, 3) == 0 && mean_power(NAN, NAN, 3) == 0);
  CHECK(mean_power(0.5, 0.5, 1.7) == pow(0.5, 1.7));
  CHECK_NEAR(mean_power(-1, 1, 3), 0.25, 1e-15);
  CHECK_NEAR(mean_power(0, -1, 3), 0.25, 1e-15);
  for (int k = 0; k <= 64; k++) { /* (b³ + b²a + ba² + a³) / 4, also where b is near to a */
    double a = 1 - pow(2, -k / 2.0), b = 1, want = (1 + a + a * a + a * a * a) / 4;
    CHECK_NEAR(mean_power(a, b, 3), want, 5e-15);
    CHECK_NEAR(mean_power(-b, -a, 3), want, 5e-15);
  }
}

/* ---- What is refused ---- */

static void check_refused(struct asked asked, const struct pcf_backend *backend,
                          const char *message) {
  struct outcome outcome = run_request(&asked, asked.pairs.mode, backend);
  CHECK(outcome.status == PCF_ERROR_ARGUMENT && strstr(outcome.error.message, message));
  for (int64_t k = 0; k < outcome.length; k++) CHECK(outcome.result[k] == unwritten);
}

static struct asked request_for(const struct pcf_collection *x, const struct pcf_collection *y,
                                enum pcf_operation operation) {
  return (struct asked){.pairs = {.x = x,
                                  .y = y,
                                  .mode = PCF_FULL,
                                  .operation = operation,
                                  .p = 1,
                                  .from = 0,
                                  .to = 5,
                                  .missing = PCF_MISSING_OVERLAP},
                        .settings = {.threads = 1, .gpus = 1}};
}

/* By each method, for single pairs and sums, on a GPU, and where nothing is computed. */
TEST(lines_are_refused_by_operations_that_they_do_not_have) {
  double room[2][12];
  struct pcf_collection x = some_lines(room);
  struct pcf_sums sums = {.columns = 1};
  for (int k = 0; k < PCF_OPERATION_COUNT; k++) {
    if (pcf_has_operation(PCF_LINES, k)) continue;
    const char *name = pcf_operation_names()[k];
    struct asked asked = request_for(&x, &x, (enum pcf_operation)k);
    for (int method = -1; method < PCF_MAX_METHODS; method++) {
      asked.pairs.method = method < 0 ? NULL : pcf_methods[method]->name;
      for (int kind = 0; kind < 4; kind++) {
        asked.pairs.mode = kind == 1 ? PCF_PAIRED : PCF_FULL;
        asked.pairs.sums = kind == 2 ? &sums : NULL;
        check_refused(asked, kind == 3 ? NULL : &pcf_cpu_backend, name);
        if (kind == 0) check_refused(asked, pcf_cuda_backend(), name);
      }
    }
  }
}

TEST(lines_are_not_compared_with_steps) {
  double room[2][12];
  struct pcf_collection x = some_lines(room), steps = x;
  steps.linear = 0;
  steps.offsets = (int64_t[]){0, 6, 9};
  check_refused(request_for(&x, &steps, PCF_L1), &pcf_cpu_backend, "cannot be compared");
}
