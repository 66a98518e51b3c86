/* Whole runs over functions that are known in part: what is found of their overlaps, and how
 * results are finished by it. */
#include "check.h"
#include "runs.h"

#include "base/memory.h"
#include "integrals/mean-of-pair.h"
#include "testing/device-failing.h"

#include <math.h>
#include <stdlib.h>

/* The length of the overlap of two functions, from the definition. */
static double overlap_of(const struct pcf_collection *x, int64_t i,
                         const struct pcf_collection *y, int64_t j, double from, double to) {
  const struct pcf_collection *side[] = {x, y};
  const int64_t function[] = {i, j};
  double now = from, sum = 0;
  while (now < to) {
    double next = to;
    int both = 1;
    for (int s = 0; s < 2; s++) {
      const double *time = pcf_times(side[s], function[s]);
      const double *value = pcf_values(side[s], function[s]);
      int64_t m = pcf_breakpoints(side[s], function[s]), k = 0;
      while (k < m && time[k] <= now) k++;
      if (k < m) next = fmin(next, time[k]);
      if (k > 0 && pcf_is_missing(value[k - 1])) both = 0;
    }
    if (both) sum += next - now;
    now = next;
  }
  return sum;
}

static struct answer expected(const struct question *question, enum pcf_missing missing,
                              double least, const struct functions *x, int64_t i,
                              const struct functions *y, int64_t j) {
  struct answer answer = oracle(question, &x->view, i, &y->view, j);
  double length = overlap_of(&x->view, i, &y->view, j, question->from, question->to);
  double divisor = 1;
  if (missing == PCF_MISSING_MEAN && !pcf_is_supremum(question->operation)) {
    divisor = pow(length, 1 / pcf_root(question->operation, question->p));
  }
  if (!(length > 0 && length >= least)) return (struct answer){pcf_missing(), 0};
  return (struct answer){answer.value / divisor, answer.scale / divisor};
}

static void check_outcome(const struct outcome *outcome, const struct question *question,
                          enum pcf_missing missing, double least, const struct functions *x,
                          const struct functions *y) {
  int64_t wrong = 0, unobserved = 0, n = x->view.count;
  enum pcf_mode kind = outcome->sink.layout.mode;
  for (int64_t j = 0; j < y->view.count; j++) {
    for (int64_t i = 0; i < n; i++) {
      if (kind == PCF_LOWER_WITHOUT_DIAGONAL && i <= j) continue;
      struct answer answer = expected(question, missing, least, x, i, y, j);
      double got =
        outcome->result[kind == PCF_LOWER_WITHOUT_DIAGONAL ? dist_index(n, i, j) : i + n * j];
      if (isnan(answer.value)) {
        unobserved++;
        wrong += !pcf_is_missing(got);
      } else {
        wrong += !agrees(got, answer, 1e-12);
      }
    }
  }
  CHECK(wrong == 0 && unobserved > 0);
}

/* All operations, methods and sinks, on one and on several threads. */
TEST(overlaps_of_random_functions) {
  struct functions *x = functions_random(&random, PARTIAL, 19, 1, 20);
  struct functions *y = functions_random(&random, PARTIAL, 9, 1, 20);
  for (int k = 0; k < OPERATIONS; k++) {
    for (int variant = 0; variant < 4 * METHODS; variant++) {
      if (check_quick() && (k + variant) % 3) continue;
      enum pcf_missing missing = variant % 2 ? PCF_MISSING_MEAN : PCF_MISSING_OVERLAP;
      enum pcf_mode kind = variant / 2 % 2 ? PCF_FULL : PCF_LOWER_WITH_DIAGONAL;
      struct question question = operations[k];
      question.from = variant % 2 ? -4 : -INFINITY;
      question.to = 3;
      if (kind == PCF_LOWER_WITH_DIAGONAL && question.operation != PCF_INNER)
        kind = PCF_LOWER_WITHOUT_DIAGONAL;
      const struct functions *other = kind == PCF_FULL ? y : NULL;
      struct asked request = request_of(&question, kind, x, other);
      request.pairs.missing = missing;
      request.pairs.least_overlap = variant % 3 ? 0 : 1.5;
      request.pairs.method = method_names[variant / 4];
      struct outcome one = run_request(&request, kind, &pcf_cpu_backend);
      CHECK(one.status == PCF_OK && one.pairs.overlaps.bits);
      check_outcome(&one, &question, missing, request.pairs.least_overlap, x,
                    other ? other : x);
      request.settings.threads = 3;
      struct outcome more = run_request(&request, kind, &pcf_cpu_backend);
      CHECK(outcomes_equal(&one, &more));
    }
  }
}

/* So far from 0 that times have 12 binary digits behind the point. */
TEST(means_at_times_far_from_0) {
  for (int variant = 0; variant < 2 * METHODS; variant++) {
    double by = variant % 2 ? 0x1p40 : -0x1p40, factor = 1024;
    struct functions *x = functions_random(&random, PARTIAL, 19, 1, 20);
    functions_move(x, factor, by);
    for (int k = 0; k < OPERATIONS; k++) {
      struct question question = operations[k];
      question.from = by - 4 * factor;
      question.to = by + 3 * factor;
      struct asked request = request_of(&question, PCF_LOWER_WITH_DIAGONAL, x, NULL);
      request.pairs.mode = PCF_LOWER_WITH_DIAGONAL;
      request.pairs.missing = PCF_MISSING_MEAN;
      request.pairs.method = method_names[variant / 2];
      struct outcome outcome = run_request(&request, PCF_LOWER_WITH_DIAGONAL, &pcf_cpu_backend);
      CHECK(outcome.status == PCF_OK);
      check_outcome(&outcome, &question, PCF_MISSING_MEAN, 0, x, x);
    }
  }
}

/* In single precision times are counted from an origin, and so is how far an overlap is. */
TEST(means_at_one_time_far_from_0_are_not_computed_anew) {
  const double na = pcf_missing(), last = 1e9 + 600;
  const double *literal[] = {(double[]){-INFINITY, 1e9, 1e9 + 200, last, na, 1, 2, na},
                             (double[]){-INFINITY, 1e9, 1e9 + 300, last, na, 3, 5, na}};
  struct functions *x = functions_of(2, (int64_t[]){4, 4}, literal);
  for (int k = 0; k < 2; k++) {
    struct question question = {PCF_L1, 1, 1e9, k ? last : 1e9 + 1e-3};
    struct asked request = request_of(&question, PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
    request.pairs.missing = PCF_MISSING_MEAN;
    request.pairs.precision = PCF_SINGLE_PRECISION;
    struct outcome outcome =
      run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
    CHECK(outcome.status == PCF_OK && !pcf_overlaps_to_revise(&outcome.pairs.overlaps));
    CHECK(fabs(outcome.result[0] - (k ? 14.0 / 6 : 2)) < 1e-6);
  }
}

static struct asked request_for_means(const struct functions *x, const char *method) {
  struct question question = {PCF_L1, 1, -4, 3};
  struct asked request = request_of(&question, PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
  request.pairs.missing = PCF_MISSING_MEAN;
  request.pairs.method = method;
  return request;
}

/* Whatever the width of tiles, the side of blocks, and the number of buffers and of devices. */
TEST(means_are_the_same_in_all_blocks) {
  struct functions *x = functions_random(&random, PARTIAL, 150, 1, 12);
  for (int m = 0; m < 2; m++) {
    struct asked request = request_for_means(x, method_names[m]);
    struct outcome whole = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
    CHECK(whole.status == PCF_OK);
    for (int variant = 0; variant < 8; variant++) {
      request.pairs.width = variant & 1 ? 32 : 128;
      request.settings.block_side = variant & 2 ? 32 : 0;
      request.settings.threads = variant & 4 ? 3 : 1;
      const struct pcf_backend *deferring =
        deferring_backend(&pcf_cpu_backend, 1 + variant % 3, variant & 4 ? 2 : 0);
      struct outcome outcome = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, deferring);
      CHECK(outcomes_equal(&whole, &outcome));
      CHECK(deferring_misuses() == 0);
    }
  }
}

/* At any step, for good or for want of memory. */
TEST(means_fail_cleanly_or_go_on_with_smaller_blocks) {
  struct functions *x = functions_random(&random, PARTIAL, 150, 1, 6);
  struct asked request = request_for_means(x, "sweep");
  request.pairs.width = 32;
  request.settings.block_side = 128;
  struct outcome whole = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
  enum pcf_status status = PCF_ERROR_DEVICE;
  for (long k = 1; status; k++) {
    struct outcome failed = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL,
                                        pcf_failing_backend(&pcf_cpu_backend, k));
    status = failed.status;
    CHECK(status == PCF_OK || status == PCF_ERROR_DEVICE);
    CHECK(k > 5 || status); /* preparing and opening, both twice, and scheduling */
    if (!status) CHECK(outcomes_equal(&whole, &failed));
    struct outcome smaller = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL,
                                         pcf_exhausted_backend(&pcf_cpu_backend, k, 1));
    if (k > 3) CHECK(outcomes_equal(&whole, &smaller));
  }
}

/* ---- Functions that are observed on one stretch at most ---- */

/* From 0 to 2; from 1 on; never in a window from 0 on; throughout. */
static struct functions *four_functions(void) {
  const double na = pcf_missing();
  const double *literal[] = {(double[]){-INFINITY, 0, 2, na, 1, na},
                             (double[]){-INFINITY, 1, na, 4}, (double[]){-INFINITY, -1, na, na},
                             (double[]){0, 1, 7, 9}};
  struct functions *x = functions_of(4, (int64_t[]){3, 2, 2, 2}, literal);
  return x;
}

TEST(means_over_single_stretches) {
  struct functions *x = four_functions();
  for (int k = 0; k < OPERATIONS; k++) {
    for (int dense = 0; dense < 2; dense++) {
      struct question question = operations[k];
      question.from = 0;
      question.to = 5;
      enum pcf_mode kind = dense ? PCF_FULL : PCF_LOWER_WITH_DIAGONAL;
      if (!dense && question.operation != PCF_INNER) kind = PCF_LOWER_WITHOUT_DIAGONAL;
      struct asked request = request_of(&question, kind, x, dense ? x : NULL);
      request.pairs.missing = PCF_MISSING_MEAN;
      struct outcome outcome = run_request(&request, kind, &pcf_cpu_backend);
      check_outcome(&outcome, &question, PCF_MISSING_MEAN, 0, x, x);
    }
  }
}

/* ---- One pair ---- */

TEST(means_of_pairs_by_definition) {
  struct functions *x = functions_random(&random, PARTIAL, 20, 1, 9);
  int64_t wrong = 0, none = 0;
  for (int k = 0; k < OPERATIONS; k++) {
    struct question question = operations[k];
    if (pcf_is_supremum(question.operation)) continue;
    question.from = -4;
    question.to = 3;
    for (int64_t i = 0; i < 20; i++) {
      for (int64_t j = 0; j < 20; j++) {
        struct answer want = expected(&question, PCF_MISSING_MEAN, 0, x, i, x, j);
        double got = pcf_mean_of_pair(question.operation, question.p, -4, 3, NULL, &x->view, i,
                                      &x->view, j);
        none += isnan(want.value) != 0;
        wrong += isnan(want.value) ? !pcf_is_missing(got) : !agrees(got, want, 1e-12);
      }
    }
  }
  CHECK(wrong == 0 && none > 0);
}

/* An overlap that is nothing in single precision has the mean of its values. */
TEST(means_over_overlaps_that_single_precision_does_not_resolve) {
  const double na = pcf_missing(), late = 1000 + 1e-6;
  const double *literal[] = {(double[]){0, 1, 1000, late, 5, na, 3, na},
                             (double[]){-INFINITY, 1000, late, 1200, 1300, na, 8, na, 2, na}};
  struct functions *x = functions_of(2, (int64_t[]){4, 5}, literal);
  for (int method = 0; method < METHODS; method++) {
    struct asked request = request_for_means(x, method_names[method]);
    request.pairs.from = 0;
    request.pairs.to = 2000;
    request.pairs.precision = PCF_SINGLE_PRECISION;
    struct outcome outcome =
      run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
    CHECK(outcome.report.scale.precision == PCF_SINGLE_PRECISION);
    CHECK_NEAR(outcome.result[0], 5, 1e-6);
  }
}

/* The mean of the only pair of two functions is `mean`, by every method. */
static void check_only_mean(const int64_t *lengths, const double *const *literal, double from,
                            enum pcf_precision precision, double mean) {
  struct functions *x = functions_of(2, lengths, literal);
  for (int method = 0; method < METHODS; method++) {
    struct asked request = request_for_means(x, method_names[method]);
    request.pairs.from = from;
    request.pairs.to = INFINITY;
    request.pairs.precision = precision;
    struct outcome outcome =
      run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
    REQUIRE(outcome.status == PCF_OK);
    CHECK_NEAR(outcome.result[0], mean, 1e-6);
  }
}

/* Functions that are observed on one stretch each, or alike, and others. */
TEST(means_over_short_overlaps) {
  const double na = pcf_missing(), late = 1 + 1e-9;
  const double *one_each[] = {(double[]){0, late, 1, na},
                              (double[]){-INFINITY, 1, 5, na, 3, na}};
  const double *alike[] = {(double[]){-INFINITY, 1, late, na, 1, na},
                           (double[]){-INFINITY, 1, late, na, 3, na}};
  const double *far[] = {
    (double[]){-INFINITY, 1e-300, 2e-300, 1, 2, na, 1, na, 4, na},
    (double[]){-INFINITY, 1.5e-300, 3e-300, 1e300, 2e300, na, 5, na, 2, na}};
  const double *one_far[] = {(double[]){-INFINITY, 1e-300, 2e-300, na, 1, na},
                             (double[]){-INFINITY, 1.5e-300, 2e300, na, 5, na}};
  check_only_mean((int64_t[]){2, 3}, one_each, 0, PCF_SINGLE_PRECISION, 2);
  check_only_mean((int64_t[]){3, 3}, alike, -INFINITY, PCF_SINGLE_PRECISION, 2);
  check_only_mean((int64_t[]){5, 5}, far, -INFINITY, PCF_DOUBLE, 4);
  check_only_mean((int64_t[]){3, 3}, one_far, -INFINITY, PCF_DOUBLE, 4);
}

/* ---- Findings ---- */

static struct pcf_overlaps find(const struct functions *x, const struct functions *y,
                                enum pcf_mode mode, enum pcf_missing missing, double from,
                                double to, enum pcf_status want) {
  static struct pcf_request request; /* lives as long as the overlaps */
  request = (struct pcf_request){.x = &x->view,
                                 .y = y ? &y->view : NULL,
                                 .mode = mode,
                                 .pairs = 2,
                                 .operation = PCF_L1,
                                 .p = 1,
                                 .from = from,
                                 .to = to};
  struct pcf_overlaps overlaps;
  CHECK(pcf_overlaps_find(&overlaps, &request, missing, NULL, 1, 1, NULL, NULL) == want);
  return overlaps;
}

static double length_of(const struct pcf_stretches *stretches) {
  double length = 0;
  for (int64_t k = 0; k < stretches->count; k++) {
    length += stretches->stretch[k].end - stretches->stretch[k].begin;
  }
  return length;
}

static int have_overlap(const struct pcf_overlaps *overlaps, int64_t row, int64_t column) {
  double result = 0;
  pcf_overlaps_revise(overlaps, &result, row, 1, column);
  CHECK(pcf_overlaps_meet(overlaps, row, column) == !pcf_is_missing(result));
  return !pcf_is_missing(result);
}

/* Two functions known up to 3 and from 4 on, and up to 2. */
static struct functions *two_functions(void) {
  const double na = pcf_missing();
  const double *literal[] = {(double[]){0, 3, 4, 1, na, 2}, (double[]){0, 2, 1, na}};
  struct functions *x = functions_of(2, (int64_t[]){3, 2}, literal);
  return x;
}

TEST(overlaps_that_are_alike_in_a_window) {
  struct functions *x = two_functions();
  enum pcf_mode mode = PCF_LOWER_WITHOUT_DIAGONAL;
  struct pcf_overlaps found = find(x, NULL, mode, PCF_MISSING_ERROR, 0, 2, PCF_OK);
  CHECK(found.alike && length_of(&found.stretches) == 2);
  CHECK(!pcf_overlaps_to_compute(&found));
  pcf_overlaps_free(&found);
  found = find(x, NULL, mode, PCF_MISSING_ERROR, 3, 4, PCF_OK);
  CHECK(found.alike && found.stretches.count == 0);
  double results[2] = {0, 5};
  pcf_overlaps_revise(&found, results, 0, 2, 0);
  CHECK(pcf_is_missing(results[0]) && pcf_is_missing(results[1]));
  pcf_overlaps_free(&found);
  found = find(x, NULL, mode, PCF_MISSING_MEAN, -2, 2, PCF_OK);
  CHECK(found.alike && length_of(&found.stretches) == 4);
  CHECK(pcf_overlaps_are_means(&found) && !pcf_overlaps_to_revise(&found));
  pcf_overlaps_free(&found);
}

TEST(overlaps_that_differ_are_faults_or_computed) {
  struct functions *x = two_functions();
  enum pcf_mode mode = PCF_LOWER_WITHOUT_DIAGONAL;
  struct pcf_overlaps found = find(x, NULL, mode, PCF_MISSING_ERROR, 0, 9, PCF_ERROR_ARGUMENT);
  CHECK(found.fault.what == PCF_OVERLAPS_DIFFER && found.fault.collection == 0);
  CHECK(found.fault.of.function == 1 && found.fault.of.from == 2 && found.fault.of.to == 3);
  CHECK(!found.fault.of.observed);
  pcf_overlaps_free(&found);
  found = find(x, NULL, mode, PCF_MISSING_OVERLAP, 0, 9, PCF_OK);
  CHECK(!found.alike && found.certain && !pcf_overlaps_to_compute(&found));
  pcf_overlaps_free(&found);
  found = find(x, NULL, mode, PCF_MISSING_MEAN, 0, 9, PCF_OK);
  CHECK(!found.alike && found.certain && pcf_overlaps_to_compute(&found));
  pcf_overlaps_free(&found);
  found = find(x, NULL, mode, PCF_MISSING_OVERLAP, 2, 9, PCF_OK);
  CHECK(!found.certain && !pcf_overlaps_to_compute(&found));
  CHECK(!have_overlap(&found, 0, 1) && have_overlap(&found, 0, 0));
  CHECK(!have_overlap(&found, 1, 1));
  pcf_overlaps_free(&found);
}

/* Whether many stretches are common to all functions is left open. */
TEST(overlaps_of_many_stretches) {
  enum { GAPS = 600 };
  struct functions *x = functions_new(2, (int64_t[]){2 * GAPS, 2 * GAPS - 1});
  for (int64_t i = 0; i < 2; i++) {
    for (int64_t k = 0; k < pcf_breakpoints(&x->view, i); k++) {
      times_of(x, i)[k] = (double)k;
      values_of(x, i)[k] = k % 2 ? pcf_missing() : 1;
    }
  }
  enum pcf_mode mode = PCF_LOWER_WITHOUT_DIAGONAL;
  struct pcf_overlaps found = find(x, NULL, mode, PCF_MISSING_OVERLAP, 0, 2 * GAPS, PCF_OK);
  CHECK(!found.alike && !found.certain && have_overlap(&found, 0, 1));
  pcf_overlaps_free(&found);
  found = find(x, NULL, mode, PCF_MISSING_OVERLAP, 2 * GAPS - 10, 2 * GAPS, PCF_OK);
  CHECK(!found.alike && found.certain);
  pcf_overlaps_free(&found);
}

/* Pairs that go together need to be alike only with each other. */
TEST(overlaps_of_paired_functions) {
  struct functions *x = two_functions();
  struct functions *turned = functions_picked(x, 2, (int64_t[]){1, 0});
  struct pcf_overlaps found = find(x, x, PCF_PAIRED, PCF_MISSING_ERROR, 0, 9, PCF_OK);
  CHECK(!found.alike);
  pcf_overlaps_free(&found);
  found = find(x, turned, PCF_PAIRED, PCF_MISSING_ERROR, 0, 9, PCF_ERROR_ARGUMENT);
  CHECK(found.fault.collection == 1 && found.fault.of.function == 0);
  pcf_overlaps_free(&found);
}

TEST(overlaps_without_end_have_no_mean) {
  struct functions *x = two_functions();
  struct functions *thrice = functions_picked(x, 3, (int64_t[]){1, 0, 0});
  enum pcf_mode mode = PCF_LOWER_WITHOUT_DIAGONAL;
  struct pcf_overlaps found = find(x, NULL, mode, PCF_MISSING_MEAN, 0, INFINITY, PCF_OK);
  pcf_overlaps_free(&found);
  found = find(thrice, NULL, mode, PCF_MISSING_MEAN, 0, INFINITY, PCF_ERROR_ARGUMENT);
  CHECK(found.fault.what == PCF_OVERLAP_UNBOUNDED && found.fault.of.function == 1);
  CHECK(found.fault.of.to == INFINITY);
  pcf_overlaps_free(&found);
  found = find(x, NULL, mode, PCF_MISSING_MEAN, -INFINITY, 9, PCF_ERROR_ARGUMENT);
  CHECK(found.fault.of.function == 0 && found.fault.of.from == -INFINITY);
  pcf_overlaps_free(&found);
  mode = PCF_LOWER_WITH_DIAGONAL;
  found = find(x, NULL, mode, PCF_MISSING_MEAN, 0, INFINITY, PCF_OK); /* 0 from itself */
  struct pcf_request inner = *found.request;
  inner.operation = PCF_INNER;
  pcf_overlaps_free(&found);
  CHECK(pcf_overlaps_find(&found, &inner, found.missing, NULL, 1, 1, NULL, NULL) ==
        PCF_ERROR_ARGUMENT);
  pcf_overlaps_free(&found);
  found = find(x, NULL, PCF_FULL, PCF_MISSING_MEAN, 0, INFINITY, PCF_OK);
  pcf_overlaps_free(&found);
  found = find(x, x, PCF_FULL, PCF_MISSING_MEAN, 0, INFINITY, PCF_ERROR_ARGUMENT);
  pcf_overlaps_free(&found);
}

/* ---- Without memory ---- */

TEST(overlaps_fail_cleanly_without_memory) {
  struct functions *x = functions_random(&random, PARTIAL, 9, 1, 9);
  struct asked request = request_of(&operations[0], PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
  request.pairs.missing = PCF_MISSING_OVERLAP;
  fail_at_every_allocation(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend, false);
  for (int method = 0; method < METHODS; method++) {
    struct asked means = request_for_means(x, method_names[method]);
    fail_at_every_allocation(&means, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend, false);
  }
}

/* ---- Cells ---- */

/* Whether two functions overlap, whatever the cells tell of them. */
TEST(overlaps_of_pairs_are_found) {
  struct functions *x = functions_random(&random, PARTIAL, 150, 1, 40);
  struct functions *y = functions_random(&random, PARTIAL, 20, 1, 4);
  int64_t wrong = 0, without = 0;
  for (int window = 0; window < 3; window++) {
    double from = window ? 0.25 * window : -INFINITY, to = window ? from + 0.25 : INFINITY;
    SCOPED(pcf_overlaps) found = find(x, y, PCF_FULL, PCF_MISSING_OVERLAP, from, to, PCF_OK);
    REQUIRE(found.bits && found.cells.count > 1);
    for (int64_t i = 0; i < x->view.count; i++) {
      for (int64_t j = 0; j < y->view.count; j++) {
        int want = overlap_of(&x->view, i, &y->view, j, from > -INFINITY ? from : -1e9, to) > 0;
        wrong += have_overlap(&found, i, j) != want;
        without += !want;
      }
    }
  }
  CHECK(wrong == 0 && without > 0);
}

/* There are cells however few changes each function has. */
TEST(cells_of_many_short_functions) {
  struct functions *x = functions_random(&random, PARTIAL, 20000, 1, 3);
  struct pcf_overlaps found =
    find(x, NULL, PCF_LOWER_WITHOUT_DIAGONAL, PCF_MISSING_OVERLAP, -2, 2, PCF_OK);
  CHECK(found.cells.count > PCF_CELLS / 2);
  pcf_overlaps_free(&found);
}
