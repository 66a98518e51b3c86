/* Runs that fail, at every step where they can, and runs that are stopped. */
#include "check.h"
#include "runs.h"

#include "testing/device-failing.h"

#include "base/memory.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* A small case of every kernel, in every kind of sink. */
struct small_case {
  const char *kernel;
  enum pcf_mode sink;
  enum shape shape;
  int64_t n, m; /* m = 0: one collection */
};

static const struct small_case cases[] = {{"sweep", PCF_LOWER_WITHOUT_DIAGONAL, PAPER, 70, 0},
                                          {"sweep", PCF_FULL, PAPER, 40, 50},
                                          {"grid", PCF_LOWER_WITH_DIAGONAL, SHARED_GRID, 70, 0},
                                          {"grid", PCF_FULL, SHARED_GRID, 40, 50},
                                          {"split", PCF_LOWER_WITHOUT_DIAGONAL, PAPER, 4, 0},
                                          {"walk", PCF_PAIRED, PAPER, 5, 5}};
enum { CASES = sizeof cases / sizeof cases[0] };

struct setup {
  struct functions *x, *y;
  struct asked request;
  struct outcome right;
};

static bool set_up(struct setup *setup, const struct small_case *from) {
  struct random random = {80};
  *setup = (struct setup){.x = functions_random(&random, from->shape, from->n, 5, 9)};
  if (from->m) setup->y = functions_random(&random, from->shape, from->m, 5, 9);
  setup->request = request_of(&operations[0], from->sink, setup->x, setup->y);
  setup->request.pairs.method = from->kernel;
  setup->request.pairs.width = strcmp(from->kernel, "walk") == 0 ? 0 : 32;
  setup->request.settings.block_side = strcmp(from->kernel, "walk") == 0 ? 0 : 32;
  setup->request.settings.threads = 2;
  setup->right = run_request(&setup->request, from->sink, &pcf_cpu_backend);
  return CHECK(setup->right.status == PCF_OK);
}

/* ---- Devices that fail ---- */

/* Fails at step 1, 2, … until a run gets through; returns how many steps there were. */
static long fail_at_every_step(struct setup *setup, enum pcf_mode sink,
                               const struct pcf_backend *backend) {
  for (long k = 1; k < 10000; k++) {
    struct outcome outcome =
      run_request(&setup->request, sink, pcf_failing_backend(backend, k));
    bool through = outcome.status == PCF_OK;
    if (through) {
      CHECK(outcomes_equal(&outcome, &setup->right));
    } else {
      CHECK(outcome.status == PCF_ERROR_DEVICE);
      CHECK(outcome.error.status == PCF_ERROR_DEVICE);
      CHECK(outcome.error.message[0] != 0);
    }
    if (through) return k - 1;
  }
  return -1;
}

static void check_clean_run(struct setup *setup, enum pcf_mode sink,
                            const struct pcf_backend *backend) {
  struct outcome clean = run_request(&setup->request, sink, pcf_failing_backend(backend, 0));
  CHECK(outcomes_equal(&clean, &setup->right));
}

TEST(faults_of_a_device_at_every_step) {
  for (int c = 0; c < CASES; c++) {
    struct setup setup;
    REQUIRE(set_up(&setup, &cases[c]));
    long workers = offer_of(&setup.right)->threads, blocks = (long)setup.right.report.blocks;
    if (workers > blocks) workers = blocks;
    long steps = fail_at_every_step(&setup, cases[c].sink, &pcf_cpu_backend);
    CHECK(steps == 2 + 2 * workers + 3 * blocks);
    check_clean_run(&setup, cases[c].sink, &pcf_cpu_backend);
  }
}

/* Several devices at once, with blocks in flight in several buffers. */
TEST(faults_of_many_devices_at_every_step) {
  for (int c = 0; c < CASES; c++) {
    struct setup setup;
    REQUIRE(set_up(&setup, &cases[c]));
    for (int buffers = 1; buffers <= 3; buffers++) {
      const struct pcf_backend *backend = deferring_backend(&pcf_cpu_backend, buffers, 3);
      long steps = fail_at_every_step(&setup, cases[c].sink, backend);
      long blocks = (long)setup.right.report.blocks;
      CHECK(steps == 2 + 2 * (blocks < 3 ? blocks : 3) + 3 * blocks);
      check_clean_run(&setup, cases[c].sink, backend);
      CHECK(deferring_misuses() == 0);
    }
  }
}

/* ---- Memory that runs out ---- */

TEST(faults_of_memory_at_every_allocation) {
  for (int c = 0; c < CASES; c++) {
    struct setup setup;
    REQUIRE(set_up(&setup, &cases[c]));
    fail_at_every_allocation(&setup.request, cases[c].sink, &pcf_cpu_backend, true);
    fail_at_every_allocation(&setup.request, cases[c].sink,
                             deferring_backend(&pcf_cpu_backend, 2, 3), true);
    CHECK(deferring_misuses() == 0);
    setup.request.pairs.method = NULL;
    setup.request.pairs.width = 0;
    fail_at_every_allocation(&setup.request, cases[c].sink, &pcf_cpu_backend, true);
  }
}

/* ---- Functions that are not sound ---- */

TEST(faults_name_the_function) {
  struct setup setup;
  REQUIRE(set_up(&setup, &cases[1]));
  for (int in_y = 0; in_y < 2; in_y++) {
    struct functions *faulty = in_y ? setup.y : setup.x;
    double *value = &values_of(faulty, 31)[3], before = *value;
    *value = NAN;
    for (int with_backend = 0; with_backend < 2; with_backend++) {
      struct outcome outcome =
        run_request(&setup.request, PCF_FULL, with_backend ? &pcf_cpu_backend : NULL);
      const struct pcf_fault *fault = &outcome.pairs.fault;
      CHECK(outcome.status == PCF_ERROR_ARGUMENT);
      CHECK(outcome.error.message[0] != 0);
      CHECK(fault->problem == PCF_VALUE_NAN && fault->collection == in_y);
      CHECK(fault->function == 31 && fault->position == 3);
      for (int64_t k = 0; k < outcome.length; k++) CHECK(outcome.result[k] == unwritten);
    }
    *value = before;
  }
}

TEST(faults_of_requests_are_not_those_of_functions) {
  struct setup setup;
  REQUIRE(set_up(&setup, &cases[0]));
  setup.request.pairs.instructions = "mmx";
  struct outcome outcome =
    run_request(&setup.request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
  CHECK(outcome.status == PCF_ERROR_ARGUMENT);
  CHECK(outcome.pairs.fault.problem == PCF_VALID);
}

/* ---- Runs that are stopped ---- */

/* The CPU, but launch number `stop_at` asks the run to stop. */
static struct {
  _Atomic(struct pcf_run *) run;
  atomic_long launches;
  long stop_at;
} stopping;

static enum pcf_status stopping_launch(void *device, const struct pcf_block *block, int buffer,
                                       struct pcf_error *error) {
  struct pcf_run *run;
  while (!(run = atomic_load(&stopping.run))) sched_yield();
  if (atomic_fetch_add(&stopping.launches, 1) + 1 == stopping.stop_at) pcf_run_stop(run);
  return pcf_cpu_backend.launch(device, block, buffer, error);
}

static enum pcf_status run_and_stop(struct setup *setup, const struct pcf_backend *backend,
                                    long stop_at, struct pcf_error *error) {
  struct pcf_matrix_sink sink = setup->right.sink;
  sink.result = kept(malloc((size_t)setup->right.length * sizeof *sink.result));
  atomic_store(&stopping.run, NULL);
  atomic_store(&stopping.launches, 0);
  stopping.stop_at = stop_at;
  SCOPED(pcf_pairs) pairs;
  struct pcf_run *run = start_run(&setup->request, &pairs, &sink, backend, error);
  atomic_store(&stopping.run, run);
  while (!pcf_run_wait(run, 1)) {
  }
  enum pcf_status status = pcf_run_finish(run, NULL, error);
  return status;
}

TEST(faults_when_stopped_at_every_launch) {
  struct pcf_backend backend = pcf_cpu_backend;
  backend.launch = stopping_launch;
  for (int c = 0; c < CASES; c++) {
    struct setup setup;
    REQUIRE(set_up(&setup, &cases[c]));
    for (long k = 1; k <= setup.right.report.blocks + 1; k++) {
      bool stops = k <= setup.right.report.blocks;
      for (int buffers = 0; buffers <= 2; buffers += 2) {
        struct pcf_error error = {0};
        const struct pcf_backend *used =
          buffers ? deferring_backend(&backend, buffers, 3) : &backend;
        enum pcf_status status = run_and_stop(&setup, used, k, &error);
        CHECK(status == (stops ? PCF_ERROR_INTERRUPTED : PCF_OK));
        CHECK((error.message[0] != 0) == stops);
        CHECK(!buffers || deferring_misuses() == 0);
      }
    }
    check_clean_run(&setup, cases[c].sink, &pcf_cpu_backend);
  }
}

/* Wherever the run is by then: either it is over, or it ends. */
TEST(faults_when_stopped_at_once) {
  for (int c = 0; c < CASES; c++) {
    struct setup setup;
    REQUIRE(set_up(&setup, &cases[c]));
    struct outcome outcome = run_request(&setup.request, cases[c].sink, &pcf_cpu_backend);
    SCOPED(pcf_pairs) pairs;
    struct pcf_run *run =
      start_run(&setup.request, &pairs, &outcome.sink, &pcf_cpu_backend, &outcome.error);
    REQUIRE(run);
    pcf_run_stop(run);
    outcome.status = pcf_run_finish(run, &outcome.report, &outcome.error);
    CHECK(outcome.status == PCF_ERROR_INTERRUPTED || outcomes_equal(&outcome, &setup.right));
  }
}
