/* Whole runs: right results in every kind of sink, and the same bits however they are cut. */
#include "check.h"
#include "runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Right results ---- */

static void check_run(const struct asked *request, enum pcf_mode sink,
                      const struct pcf_backend *backend, const struct answer *answers,
                      double tolerance) {
  struct outcome outcome = run_request(request, sink, backend);
  if (!CHECK(outcome.status == PCF_OK)) fprintf(stderr, "  %s\n", outcome.error.message);
  if (!CHECK(outcome_agrees(&outcome, answers, tolerance))) {
    fprintf(stderr, "  kernel %s, sink %d, operation %d, p = %g, precision %d\n",
            request->pairs.method ? request->pairs.method : "auto", sink,
            request->pairs.operation, request->pairs.p, request->pairs.precision);
  }
}

/* Every kernel, precision and sink. */
static void check_runs(const struct functions *x, const struct functions *y,
                       const struct question *question, double single_tolerance) {
  struct answer *own = oracle_matrix(question, &x->view, &x->view);
  struct answer *other = oracle_matrix(question, &x->view, &y->view);
  for (int method = -1; method < METHODS; method++) {
    for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
      double tolerance = precision == PCF_DOUBLE ? tolerance_of(PCF_DOUBLE) : single_tolerance;
      for (int sink = PCF_FULL; sink <= PCF_LOWER_WITH_DIAGONAL; sink++) {
        bool dense = sink == PCF_FULL;
        struct asked request = request_of(question, sink, x, dense ? y : NULL);
        request.pairs.method = method_names[method];
        request.pairs.precision = precision;
        request.settings.threads = 1 + sink;
        request.settings.block_side = sink == PCF_LOWER_WITH_DIAGONAL ? 32 : 0;
        check_run(&request, sink, &pcf_cpu_backend, dense ? other : own, tolerance);
        check_run(&request, sink, deferring_backend(&pcf_cpu_backend, 2, 2),
                  dense ? other : own, tolerance);
        CHECK(deferring_misuses() == 0);
      }
    }
  }
}

TEST(pipeline_gives_the_right_results) {
  static const double windows[][2] = {{-INFINITY, INFINITY}, {0.5, 6}};
  for (int shape = PAPER; shape <= UNBOUNDED; shape++) {
    int64_t n = check_quick() ? 5 : 40;
    struct functions *x = functions_random(&random, shape, n, 5, 25);
    struct functions *y = functions_random(&random, shape, n - 3, 5, 25);
    for (int k = 0; k < OPERATIONS; k++) {
      for (int w = 0; w < 2; w++) {
        struct question question = operations[k];
        question.from = windows[w][0];
        question.to = windows[w][1];
        check_runs(x, y, &question, shape == UNBOUNDED ? 1e-3 : 2e-5);
      }
    }
  }
}

TEST(pipeline_pairs_recycle_the_shorter_side) {
  static const int64_t counts[][2] = {{12, 12}, {12, 4}, {3, 12}, {1, 7}, {1, 1}};
  for (int c = 0; c < 5; c++) {
    struct functions *x = functions_random(&random, UNBOUNDED, counts[c][0], 1, 30);
    struct functions *y = functions_random(&random, UNBOUNDED, counts[c][1], 1, 30);
    for (int k = 0; k < OPERATIONS; k++) {
      struct asked request = request_of(&operations[k], PCF_PAIRED, x, y);
      request.settings.threads = 3;
      struct outcome outcome = run_request(&request, PCF_PAIRED, &pcf_cpu_backend);
      REQUIRE(outcome.status == PCF_OK);
      CHECK(strcmp(offer_of(&outcome)->method, "walk") == 0);
      for (int64_t pair = 0; pair < outcome.length; pair++) {
        struct answer answer =
          oracle(&operations[k], &x->view, pair % counts[c][0], &y->view, pair % counts[c][1]);
        CHECK(agrees(outcome.result[pair], answer, tolerance_of(PCF_DOUBLE)));
      }
    }
  }
}

/* Long functions: pairs in several parts, on several threads and devices. */
TEST(pipeline_cuts_long_pairs_into_parts) {
  if (check_quick()) return;
  struct functions *x = functions_random(&random, PAPER, 3, 70000, 100000);
  for (int k = 0; k < OPERATIONS; k++) {
    if (operations[k].operation == PCF_LP && operations[k].p != 1.5) continue;
    struct answer *answers = oracle_matrix(&operations[k], &x->view, &x->view);
    struct asked request = request_of(&operations[k], PCF_FULL, x, NULL);
    request.pairs.method = "walk";
    struct outcome first = run_request(&request, PCF_FULL, &pcf_cpu_backend);
    CHECK(first.report.blocks > 9);
    CHECK(outcome_agrees(&first, answers, 1e-12));
    for (int threads = 2; threads <= 4; threads++) {
      request.settings.threads = threads;
      struct outcome again = run_request(&request, PCF_FULL, &pcf_cpu_backend);
      CHECK(offer_of(&again)->threads == threads);
      CHECK(outcomes_equal(&first, &again));
      again =
        run_request(&request, PCF_FULL, deferring_backend(&pcf_cpu_backend, threads, threads));
      CHECK(outcomes_equal(&first, &again) && deferring_misuses() == 0);
    }
  }
}

TEST(pipeline_of_nothing_and_of_one) {
  struct functions *none = functions_new(0, NULL);
  struct functions *one =
    functions_of(1, (int64_t[]){2}, (const double *[]){(double[]){0, 2, 3, 0}});
  const struct functions *pairs[][2] = {{none, NULL}, {none, none}, {none, one},
                                        {one, none},  {one, NULL},  {one, one}};
  for (int c = 0; c < 6; c++) {
    for (int sink = PCF_FULL; sink <= PCF_LOWER_WITH_DIAGONAL; sink++) {
      for (int k = 0; k < OPERATIONS; k++) {
        if (pairs[c][1] && sink != PCF_FULL) continue;
        struct asked request = request_of(&operations[k], sink, pairs[c][0], pairs[c][1]);
        request.settings.threads = 2;
        struct outcome outcome = run_request(&request, sink, &pcf_cpu_backend);
        CHECK(outcome.status == PCF_OK);
        double want = operations[k].operation == PCF_INNER ? 18 : 0;
        if (outcome.length) CHECK(outcome.result[0] == want);
        CHECK(outcome.result[outcome.length] == unwritten);
      }
    }
  }
}

/* Every function has a magnitude of its own. */
TEST(pipeline_of_values_of_very_different_magnitudes) {
  int64_t n = check_quick() ? 5 : 40;
  struct functions *x = functions_random(&random, INTEGER_TIMES, n, 5, 25);
  struct functions *y = functions_random(&random, INTEGER_TIMES, n - 1, 5, 25);
  struct functions *both[] = {x, y};
  for (int c = 0; c < 2; c++) {
    for (int64_t i = 0; i < both[c]->view.count; i++) {
      double magnitude = pow(10, (double)random_between(&random, -140, 140));
      for (int64_t k = 0; k < pcf_breakpoints(&both[c]->view, i); k++) {
        values_of(both[c], i)[k] *= magnitude;
      }
    }
  }
  for (int o = 0; o < OPERATIONS; o++) {
    struct answer *own = oracle_matrix(&operations[o], &x->view, &x->view);
    struct answer *other = oracle_matrix(&operations[o], &x->view, &y->view);
    for (int method = 0; method < METHODS; method++) {
      for (int sink = PCF_FULL; sink <= PCF_LOWER_WITH_DIAGONAL; sink++) {
        bool dense = sink == PCF_FULL;
        struct asked request = request_of(&operations[o], sink, x, dense ? y : NULL);
        request.pairs.method = method_names[method];
        check_run(&request, sink, &pcf_cpu_backend, dense ? other : own,
                  tolerance_of(PCF_DOUBLE));
      }
    }
  }
}

/* ---- The same bits ---- */

/* The collection cut, threaded, buffered and spread over devices at random. */
static void check_cuts(struct random *random, struct asked request, enum pcf_mode sink) {
  struct outcome first = run_request(&request, sink, &pcf_cpu_backend);
  REQUIRE(first.status == PCF_OK);
  for (int again = 0; again < (check_quick() ? 1 : 6); again++) {
    const struct pcf_backend *backend = &pcf_cpu_backend;
    request.settings.threads = (int)random_between(random, 1, 4);
    request.pairs.width = 32 << random_between(random, 0, 3);
    request.settings.block_side =
      (int64_t[]){0, 1, 32, 50, 100, 1000}[random_between(random, 0, 5)];
    bool deferred = random_between(random, 0, 2) > 0;
    if (deferred) {
      backend = deferring_backend(backend, (int)random_between(random, 1, PCF_MAX_BUFFERS),
                                  (int)random_between(random, 0, 4));
    }
    struct outcome outcome = run_request(&request, sink, backend);
    if (!CHECK(outcomes_equal(&first, &outcome))) {
      fprintf(stderr, "  kernel %s, sink %d, operation %d, precision %d, backend %s\n",
              request.pairs.method ? request.pairs.method : "auto", sink,
              request.pairs.operation, request.pairs.precision, backend->name);
    }
    CHECK(!deferred || deferring_misuses() == 0);
  }
}

TEST(pipeline_results_do_not_depend_on_the_cut) {
  for (int shape = PAPER; shape <= UNBOUNDED; shape++) {
    int64_t n = check_quick() ? 9 : 70;
    struct functions *x = functions_random(&random, shape, n, 1, 25);
    struct functions *y = functions_random(&random, shape, n / 2, 1, 25);
    for (int method = 0; method < METHODS; method++) {
      for (int k = 0; k < OPERATIONS; k++) {
        if (check_quick() && k % 3) continue;
        for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
          enum pcf_mode sink = (enum pcf_mode)random_between(&random, 0, 2);
          struct asked request =
            request_of(&operations[k], sink, x, sink == PCF_FULL ? y : NULL);
          request.pairs.method = method_names[method];
          request.pairs.precision = precision;
          check_cuts(&random, request, sink);
        }
      }
    }
  }
}

/* Enough work for real threads in all phases. */
TEST(pipeline_results_do_not_depend_on_threads) {
  int64_t n = check_quick() ? 60 : 400;
  struct functions *x = functions_random(&random, PAPER, n, 50, 100);
  struct functions *shared = functions_random(&random, SHARED_GRID, n, 100, 100);
  for (int method = 0; method < METHODS; method++) {
    const struct functions *data = strcmp(method_names[method], "grid") == 0 ? shared : x;
    struct asked request = request_of(&operations[0], PCF_LOWER_WITHOUT_DIAGONAL, data, NULL);
    request.pairs.method = method_names[method];
    struct outcome first = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
    for (int threads = 2; threads <= 4; threads++) {
      request.settings.threads = threads;
      struct outcome outcome =
        run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
      CHECK(check_quick() || offer_of(&outcome)->threads == threads);
      CHECK(outcomes_equal(&first, &outcome));
    }
  }
}

/* A block so large that its worker, the only one, writes it from several threads. */
TEST(pipeline_scatters_large_blocks_from_several_threads) {
  if (check_quick()) return;
  struct functions *x = functions_random(&random, INTEGER_TIMES, 1100, 1, 9);
  for (int sink = PCF_FULL; sink <= PCF_LOWER_WITH_DIAGONAL; sink++) {
    struct asked request = request_of(&operations[0], sink, x, NULL);
    request.pairs.method = "sweep";
    struct outcome first = run_request(&request, sink, &pcf_cpu_backend);
    request.settings.threads = 4;
    request.settings.block_side = 2000;
    struct outcome outcome =
      run_request(&request, sink, deferring_backend(&pcf_cpu_backend, 2, 1));
    CHECK(outcome.report.blocks == 1 && offer_of(&outcome)->threads == 4);
    CHECK(outcomes_equal(&first, &outcome) && deferring_misuses() == 0);
    request.settings.block_side =
      1024; /* and goes on with smaller blocks, in the same buffer */
    outcome = run_request(&request, sink, deferring_backend(&pcf_cpu_backend, 1, 1));
    CHECK(outcome.report.blocks > 2 && outcome.report.halvings == 0);
    CHECK(outcomes_equal(&first, &outcome) && deferring_misuses() == 0);
  }
}

/* The sweep and the split kernel see the two functions of a pair and nothing else; for the grid
 * the union of all times must be the same. */
TEST(pipeline_results_do_not_depend_on_the_company) {
  int64_t n = check_quick() ? 8 : 50, order[50];
  for (int64_t i = 0; i < n; i++) order[i] = i;
  for (int64_t i = n - 1; i > 0; i--) {
    int64_t j = random_between(&random, 0, i), swap = order[i];
    order[i] = order[j];
    order[j] = swap;
  }
  for (int shape = PAPER; shape <= UNBOUNDED; shape++) {
    struct functions *x = functions_random(&random, shape, n, 1, 30);
    struct functions *shuffled = functions_picked(x, n, order);
    struct functions *some = functions_picked(x, 3, order);
    for (int method = 0; method < METHODS; method++) {
      for (int k = 0; k < OPERATIONS; k++) {
        struct question question = operations[k];
        question.to = 2.25;
        enum pcf_mode dense = PCF_FULL;
        struct asked request = request_of(&question, dense, x, NULL);
        request.pairs.method = method_names[method];
        struct outcome whole = run_request(&request, dense, &pcf_cpu_backend);
        request.pairs.x = &shuffled->view;
        struct outcome other = run_request(&request, dense, &pcf_cpu_backend);
        request.pairs.y = &some->view;
        struct outcome picked = run_request(&request, dense, &pcf_cpu_backend);
        REQUIRE(!whole.status && !other.status && !picked.status);
        int64_t wrong = 0;
        for (int64_t j = 0; j < n; j++) {
          for (int64_t i = 0; i < n; i++) {
            double want = whole.result[order[i] + n * order[j]];
            wrong += other.result[i + n * j] != want;
            wrong += whole.result[i + n * j] != whole.result[j + n * i];
            if (j < 3) wrong += picked.result[i + n * j] != want;
          }
        }
        CHECK(wrong == 0);
      }
    }
  }
}

/* How the window is cut into parts shows in the last digits, so nothing but the functions may
 * decide on it. */
TEST(pipeline_parts_of_the_window_depend_on_the_functions_alone) {
  struct functions *x = functions_random(&random, PAPER, 70, 6000, 9000);
  for (int k = 0; k < (check_quick() ? 1 : OPERATIONS); k += 3) {
    struct asked request = request_of(&operations[k], PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
    request.pairs.method = "split";
    struct outcome first = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
    CHECK(first.status == PCF_OK && first.report.blocks > 4);
    for (int way = 0; way < 6; way++) {
      request.settings.threads = (int[]){1, 8, 64}[way % 3];
      request.pairs.width = (int[]){0, 32, 64, 128, 256}[way % 5];
      struct outcome other =
        run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
      CHECK(outcomes_equal(&first, &other));
    }
  }
}

/* ---- What a run tells ---- */

TEST(pipeline_checks_and_plans_without_a_backend) {
  struct functions *x = functions_random(&random, PAPER, 20, 5, 9);
  struct asked request = request_of(&operations[0], PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
  request.pairs.method = "sweep";
  struct outcome outcome = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, NULL);
  CHECK(outcome.status == PCF_OK);
  CHECK(strcmp(offer_of(&outcome)->method, "sweep") == 0 && outcome.report.blocks == 0);
  CHECK(outcome.pairs.pairs == 190);
  for (int64_t k = 0; k < outcome.length; k++) CHECK(outcome.result[k] == unwritten);
  SCOPED(pcf_pairs) pairs;
  struct pcf_run *run = start_run(&request, &pairs, NULL, NULL, NULL);
  REQUIRE(run);
  CHECK(pcf_run_finish(run, NULL, NULL) == PCF_OK);
}

TEST(pipeline_reports_progress_and_phases) {
  struct functions *x = functions_random(&random, PAPER, 100, 5, 30);
  struct asked request = request_of(&operations[0], PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
  double result[4950], done, total;
  struct pcf_matrix_sink sink = pcf_matrix_sink(PCF_LOWER_WITHOUT_DIAGONAL, 100, 100, result);
  struct pcf_report report;
  request.pairs.method = "sweep";
  request.settings.block_side = 32;
  request.pairs.width = 32;
  SCOPED(pcf_pairs) pairs;
  struct pcf_run *run = start_run(&request, &pairs, &sink, &pcf_cpu_backend, NULL);
  REQUIRE(run);
  do {
    pcf_run_progress(run, &done, &total);
    CHECK(done >= 0 && done <= total);
  } while (!pcf_run_wait(run, 0.01));
  pcf_run_progress(run, &done, &total);
  CHECK(total > 0 && done == total);
  CHECK(pcf_run_finish(run, &report, NULL) == PCF_OK);
  CHECK(report.blocks == 10);
  for (int phase = 0; phase < PCF_PHASE_COUNT; phase++) CHECK(report.seconds[phase] >= 0);
}

/* Each third of a pair has a fraction of a rectangle. */
TEST(pipeline_progress_of_parts_comes_to_the_end) {
  struct functions *x = functions_random(&random, PAPER, 2, 65537, 65537);
  struct asked request = request_of(&operations[0], PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
  double result[1], done, total;
  struct pcf_matrix_sink sink = pcf_matrix_sink(PCF_LOWER_WITHOUT_DIAGONAL, 2, 2, result);
  struct pcf_report report;
  request.pairs.method = "walk";
  SCOPED(pcf_pairs) pairs;
  struct pcf_run *run = start_run(&request, &pairs, &sink, &pcf_cpu_backend, NULL);
  REQUIRE(run);
  while (!pcf_run_wait(run, 0.01)) {
  }
  pcf_run_progress(run, &done, &total);
  CHECK(pcf_run_finish(run, &report, NULL) == PCF_OK);
  CHECK(2 * 65537 % report.blocks != 0);
  CHECK(total == 2 * 65537 && done == total);
}

/* ---- A sink that comes late ---- */

static struct pcf_run *start_without_result(const struct asked *request, int threads,
                                            struct pcf_pairs *pairs,
                                            struct pcf_matrix_sink *sink) {
  struct pcf_job job = {.family = &pcf_pairs_family,
                        .problem = pairs,
                        .settings = {.threads = threads, .block_side = 32},
                        .backends = 1,
                        .backend = {&pcf_cpu_backend},
                        .sink = &sink->sink,
                        .sink_comes_later = 1};
  *pairs = (struct pcf_pairs){.request = request->pairs};
  *sink = sink_for(request, PCF_LOWER_WITHOUT_DIAGONAL, NULL);
  return pcf_run_start(&job, NULL);
}

TEST(pipeline_waits_with_its_first_write_until_the_sink_is_ready) {
  struct functions *x = functions_random(&random, PAPER, 80, 5, 25);
  struct asked request = request_of(&operations[0], PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
  struct outcome expected = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
  double result[80 * 79 / 2], done, total;
  struct pcf_matrix_sink sink;
  for (int threads = 1; threads <= 4; threads += 3) {
    SCOPED(pcf_pairs) pairs;
    struct pcf_run *run = start_without_result(&request, threads, &pairs, &sink);
    REQUIRE(run);
    CHECK(!pcf_run_wait(run, 0.02));
    pcf_run_progress(run, &done, &total);
    CHECK(done == 0);
    sink.result = result;
    pcf_run_let_write(run);
    CHECK(pcf_run_finish(run, NULL, NULL) == PCF_OK);
    CHECK(memcmp(result, expected.result, sizeof result) == 0);
  }
}

TEST(pipeline_ends_when_it_is_stopped_before_the_sink_is_ready) {
  struct functions *x = functions_random(&random, PAPER, 80, 5, 25);
  struct asked request = request_of(&operations[0], PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
  struct pcf_matrix_sink sink;
  for (int threads = 1; threads <= 4; threads += 3) {
    SCOPED(pcf_pairs) pairs;
    struct pcf_run *run = start_without_result(&request, threads, &pairs, &sink);
    REQUIRE(run);
    CHECK(!pcf_run_wait(run, 0.02));
    pcf_run_stop(run);
    CHECK(pcf_run_finish(run, NULL, NULL) == PCF_ERROR_INTERRUPTED);
  }
}

/* ---- Which device ---- */

static double expected_seconds; /* of the double below */

static void expect_seconds(const void *pairs, const struct pcf_settings *settings,
                           double others, struct pcf_offer *offer) {
  pcf_cpu_backend.offer(pairs, settings, others, offer);
  offer->seconds = expected_seconds;
}

/* The CPU under another name. */
static const struct pcf_backend *other_backend(double seconds) {
  static struct pcf_backend backend;
  backend = pcf_cpu_backend;
  backend.name = "other";
  backend.offer = expect_seconds;
  expected_seconds = seconds;
  return &backend;
}

static int launches; /* that are still to work */

static enum pcf_status launch_without_memory(void *device, const struct pcf_block *block,
                                             int buffer, struct pcf_error *error) {
  if (launches-- > 0) return pcf_cpu_backend.launch(device, block, buffer, error);
  return pcf_fail(error, PCF_ERROR_DEVICE_MEMORY, "no memory for a block");
}

static enum pcf_status open_broken(void *shared, int index, int64_t elements, void **device,
                                   struct pcf_error *error) {
  *device = NULL;
  return pcf_fail(error, PCF_ERROR_DEVICE, "device %d is broken", index);
}

static void close_nothing(void *device) {
  if (device) pcf_cpu_backend.close(device);
}

TEST(pipeline_leaves_to_the_cpu_what_the_other_device_has_no_memory_for) {
  struct functions *x = functions_random(&random, PAPER, 40, 5, 25);
  struct asked request = request_of(&operations[0], PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
  struct outcome cpu = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
  struct pcf_backend other = *other_backend(0);
  other.open = open_without_memory;
  other.close = close_nothing;
  request.other = &other;
  for (int timeline = 0; timeline < 2; timeline++) {
    request.settings.timeline = timeline;
    struct outcome outcome =
      run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
    CHECK(outcome.status == PCF_OK && outcomes_equal(&cpu, &outcome));
    CHECK_STRING(device_of(&outcome), "cpu");
    CHECK_STRING(outcome.report.offer[1].problem.message, "no memory on device 0");
    CHECK(offer_of(&outcome)->how == offer_of(&cpu)->how);
    CHECK(offer_of(&outcome)->threads == offer_of(&cpu)->threads);
    CHECK(outcome.report.blocks == cpu.report.blocks);
    if (timeline) CHECK(outcome.report.timeline.count == outcome.report.blocks);
  }
  request.settings.timeline = 0;
  request.other = NULL;
  struct outcome only = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &other);
  CHECK(only.status == PCF_ERROR_DEVICE_MEMORY);
  CHECK_STRING(only.error.message, "no memory on device 0");
}

/* Other failures are not hidden, nor is one in the middle. */
TEST(pipeline_does_not_compute_anew_what_failed_otherwise) {
  struct functions *x = functions_random(&random, PAPER, 80, 5, 25);
  struct asked request = request_of(&operations[0], PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
  request.settings.threads = 1;
  request.settings.block_side = 32;
  request.pairs.method = "sweep";
  request.pairs.width = 32; /* for every instruction set: several blocks */
  struct pcf_backend other = *other_backend(0);
  request.other = &other;
  other.open = open_broken;
  other.close = close_nothing;
  struct outcome broken = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
  CHECK(broken.status == PCF_ERROR_DEVICE);
  CHECK_STRING(broken.error.message, "device 0 is broken");
  other = *other_backend(0);
  other.launch = launch_without_memory;
  launches = 2;
  struct outcome late = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
  CHECK(late.status == PCF_ERROR_DEVICE_MEMORY);
}

TEST(pipeline_uses_the_other_device_when_it_expects_to_be_faster_or_must) {
  struct functions *x = functions_random(&random, PAPER, 40, 5, 25);
  struct asked request = request_of(&operations[0], PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
  struct outcome cpu = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
  CHECK_STRING(device_of(&cpu), "cpu");
  for (int only = 0; only < 2; only++) {
    for (int fast = 0; fast < 2; fast++) {
      const struct pcf_backend *other = other_backend(fast ? 0 : INFINITY);
      request.other = only ? NULL : other;
      struct outcome outcome =
        run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, only ? other : &pcf_cpu_backend);
      CHECK_STRING(device_of(&outcome), only || fast ? "other" : "cpu");
      CHECK(outcomes_equal(&cpu, &outcome));
      CHECK(outcome.status == PCF_OK);
    }
  }
}

static enum pcf_status prepare_no_devices(const struct pcf_task *task, void **shared,
                                          int *devices, struct pcf_error *error) {
  enum pcf_status status = pcf_cpu_backend.prepare(task, shared, devices, error);
  *devices = 0;
  return status;
}

TEST(pipeline_without_devices_is_an_error) {
  struct functions *x = functions_random(&random, PAPER, 10, 5, 25);
  struct asked request = request_of(&operations[0], PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
  struct pcf_backend backend = pcf_cpu_backend;
  backend.prepare = prepare_no_devices;
  struct outcome outcome = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &backend);
  CHECK(outcome.status == PCF_ERROR_DEVICE && outcome.error.message[0]);
}

static void offer_nothing(const void *problem, const struct pcf_settings *settings,
                          double others, struct pcf_offer *offer) {}

TEST(pipeline_that_no_backend_can_compute_is_an_error) {
  struct functions *x = functions_random(&random, PAPER, 3, 5, 9);
  struct asked request = request_of(&operations[0], PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
  struct pcf_backend backend = pcf_cpu_backend;
  backend.offer = offer_nothing;
  struct outcome outcome = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &backend);
  CHECK(outcome.status == PCF_ERROR_ARGUMENT);
  CHECK(strstr(outcome.error.message, "no device can compute these"));
}
