/* Devices that run out of memory: blocks are cut smaller, and the run goes on. */
#include "check.h"
#include "runs.h"

#include "testing/device-failing.h"

#include "base/memory.h"

#include <string.h>

enum { TILE = 32, SIDE = 128, N = 150, M = 90 }; /* two halvings lead to single tiles */

/* ---- A double that notes what the pipeline does ---- */

/* It counts how often each pair was handed over to be scattered, turns the order of blocks
 * that were cut smaller round, and can fail for good from then on. */
static struct {
  const struct pcf_backend *inner;
  atomic_int pairs[N * N];
  atomic_int open, misuses, reschedules;
  bool fail_when_cut;
} noted;

static enum pcf_status noting_open(void *shared, int index, int64_t elements, void **device,
                                   struct pcf_error *error) {
  *device = NULL;
  if (noted.fail_when_cut && atomic_load(&noted.reschedules)) {
    return pcf_fail(error, PCF_ERROR_DEVICE, "broken");
  }
  enum pcf_status status = noted.inner->open(shared, index, elements, device, error);
  if (*device) atomic_fetch_add(&noted.open, 1);
  return status;
}

static enum pcf_status noting_wait(void *device, const struct pcf_block *block, int buffer,
                                   struct pcf_finished *finished, struct pcf_error *error) {
  enum pcf_status status = noted.inner->wait(device, block, buffer, finished, error);
  if (status || !finished->data) return status;
  for (int64_t j = block->column; j < block->column + block->columns; j++)
    for (int64_t i = block->row; i < block->row + block->rows; i++)
      atomic_fetch_add(&noted.pairs[i + N * j], 1);
  return status;
}

static void noting_close(void *device) {
  if (device) atomic_fetch_sub(&noted.open, 1);
  noted.inner->close(device);
}

static enum pcf_status noting_reschedule(void *shared, struct pcf_schedule *schedule,
                                         struct pcf_error *error) {
  (void)shared;
  (void)error;
  atomic_fetch_add(&noted.reschedules, 1);
  if (atomic_load(&noted.open)) atomic_fetch_add(&noted.misuses, 1);
  for (int64_t a = 0, b = schedule->count - 1; a < b; a++, b--) {
    struct pcf_block swap = schedule->block[a];
    schedule->block[a] = schedule->block[b];
    schedule->block[b] = swap;
  }
  return PCF_OK;
}

static const struct pcf_backend *noting_backend(const struct pcf_backend *inner) {
  static struct pcf_backend backend;
  backend = *inner;
  backend.open = noting_open;
  backend.wait = noting_wait;
  backend.close = noting_close;
  backend.reschedule = noting_reschedule;
  noted.inner = inner;
  noted.fail_when_cut = false;
  for (int k = 0; k < N * N; k++) atomic_store(&noted.pairs[k], 0);
  atomic_store(&noted.open, 0);
  atomic_store(&noted.misuses, 0);
  atomic_store(&noted.reschedules, 0);
  return &backend;
}

/* Was every pair of the result handed over exactly once, and none above the diagonal that was
 * not part of a block on it? */
static bool each_pair_once(const struct pcf_matrix_sink *sink) {
  int64_t wrong = atomic_load(&noted.open) + atomic_load(&noted.misuses);
  for (int64_t j = 0; j < sink->layout.columns; j++) {
    for (int64_t i = 0; i < sink->layout.rows; i++) {
      int times = atomic_load(&noted.pairs[i + N * j]);
      bool wanted = sink->layout.mode == PCF_LOWER_WITHOUT_DIAGONAL ? i > j
                    : sink->layout.mode == PCF_LOWER_WITH_DIAGONAL  ? i >= j
                                                                    : true;
      wrong += wanted ? times != 1 : times > 1;
    }
  }
  return wrong == 0;
}

/* ---- Runs ---- */

struct setup {
  struct functions *x, *y;
  enum pcf_mode sink;
  struct asked request;
  struct outcome right;
  long steps; /* of a run on all devices without a failure */
};

static const struct {
  const char *kernel;
  enum pcf_mode sink;
} cases[] = {{"sweep", PCF_LOWER_WITHOUT_DIAGONAL},
             {"sweep", PCF_LOWER_WITH_DIAGONAL},
             {"grid", PCF_FULL}};
enum { CASES = sizeof cases / sizeof cases[0], DEVICES = 3, FIRST_OF_A_DEVICE = 3 };

static bool set_up(struct setup *setup, int c) {
  struct random random = {90};
  enum shape shape = strcmp(cases[c].kernel, "grid") == 0 ? SHARED_GRID : PAPER;
  *setup =
    (struct setup){.x = functions_random(&random, shape, N, 3, 5), .sink = cases[c].sink};
  if (setup->sink == PCF_FULL) setup->y = functions_random(&random, shape, M, 3, 5);
  setup->request = request_of(&operations[0], setup->sink, setup->x, setup->y);
  setup->request.pairs.method = cases[c].kernel;
  setup->request.pairs.width = TILE;
  setup->request.settings.block_side = SIDE;
  setup->right = run_request(&setup->request, setup->sink, &pcf_cpu_backend);
  long blocks = (long)setup->right.report.blocks;
  setup->steps = 2 + 2 * (blocks < DEVICES ? blocks : DEVICES) + 3 * blocks;
  return CHECK(setup->right.status == PCF_OK);
}

static const struct pcf_backend *devices_exhausted(int buffers, long k, long times) {
  return pcf_exhausted_backend(deferring_backend(&pcf_cpu_backend, buffers, DEVICES), k, times);
}

/* One device takes its steps in one order, and has all blocks still to do after the first ones.
 * Of several, the others may have done all blocks before one says that its memory ran out. */
static const struct pcf_backend *device_exhausted(int buffers, long k, long times) {
  return pcf_exhausted_backend(deferring_backend(&pcf_cpu_backend, buffers, 1), k, times);
}

/* ---- Going on ---- */

static int64_t halvings_of_run_exhausted_once(const struct setup *setup,
                                              const struct pcf_backend *exhausted) {
  const struct pcf_backend *backend = noting_backend(exhausted);
  struct outcome outcome = run_request(&setup->request, setup->sink, backend);
  int64_t halvings = outcome.report.halvings, blocks = outcome.report.blocks;
  CHECK(outcomes_equal(&outcome, &setup->right));
  CHECK(each_pair_once(&outcome.sink) && deferring_misuses() == 0);
  CHECK(halvings == atomic_load(&noted.reschedules) && halvings <= 1);
  CHECK(blocks >= setup->right.report.blocks);
  CHECK(halvings || blocks == setup->right.report.blocks);
  return halvings;
}

TEST(exhaustion_once_at_every_step) {
  for (int c = 0; c < CASES; c++) {
    struct setup setup;
    REQUIRE(set_up(&setup, c));
    for (int buffers = 1; buffers <= 3; buffers++) {
      int64_t halvings = 0;
      for (long k = FIRST_OF_A_DEVICE; k <= setup.steps + 1; k++) {
        int64_t of_run =
          halvings_of_run_exhausted_once(&setup, devices_exhausted(buffers, k, 1));
        CHECK(of_run == 0 || k <= setup.steps);
        halvings += of_run;
      }
      /* The last steps of a device are those of a block, which is then missing. */
      CHECK(halvings <= setup.steps - FIRST_OF_A_DEVICE + 1);
      for (long k = FIRST_OF_A_DEVICE; k < FIRST_OF_A_DEVICE + 3; k++) {
        CHECK(halvings_of_run_exhausted_once(&setup, device_exhausted(buffers, k, 1)) == 1);
      }
    }
  }
}

/* The first round fails at its first step, and the second one as well. */
TEST(exhaustion_twice_leads_to_single_tiles) {
  for (int c = 0; c < CASES; c++) {
    struct setup setup;
    REQUIRE(set_up(&setup, c));
    const struct pcf_backend *one = deferring_backend(&pcf_cpu_backend, 2, 1);
    const struct pcf_backend *backend = noting_backend(pcf_exhausted_backend(one, 3, 2));
    struct outcome outcome = run_request(&setup.request, setup.sink, backend);
    CHECK(outcomes_equal(&outcome, &setup.right) && each_pair_once(&outcome.sink));
    CHECK(outcome.report.halvings == 2);
    int64_t rows = pcf_band_count(N, TILE), columns = pcf_band_count(M, TILE);
    CHECK(outcome.report.blocks ==
          (setup.sink == PCF_FULL ? rows * columns : rows * (rows + 1) / 2));
  }
}

/* Wherever several steps in a row find no memory, the run comes to a right end, or to the error
 * once no block that is left has more than a tile. */
TEST(exhaustion_several_times_at_every_step) {
  struct setup setup;
  REQUIRE(set_up(&setup, 0));
  for (long times = 2; times <= 4; times++) {
    for (long k = FIRST_OF_A_DEVICE; k <= setup.steps; k++) {
      const struct pcf_backend *backend = noting_backend(devices_exhausted(2, k, times));
      struct outcome outcome = run_request(&setup.request, setup.sink, backend);
      if (outcome.status == PCF_OK) {
        CHECK(outcomes_equal(&outcome, &setup.right) && each_pair_once(&outcome.sink));
      } else {
        CHECK(outcome.status == PCF_ERROR_DEVICE_MEMORY && outcome.report.halvings > 0);
      }
      CHECK(deferring_misuses() == 0);
    }
  }
}

TEST(exhaustion_keeps_progress_going_forward) {
  struct setup setup;
  REQUIRE(set_up(&setup, 0));
  for (long k = FIRST_OF_A_DEVICE; k <= setup.steps; k++) {
    struct pcf_matrix_sink sink = setup.right.sink;
    double done = 0, total = 0, last = 0, first_total = 0;
    SCOPED(pcf_pairs) pairs;
    struct pcf_run *run =
      start_run(&setup.request, &pairs, &sink, devices_exhausted(2, k, 1), NULL);
    REQUIRE(run);
    do {
      pcf_run_progress(run, &done, &total);
      if (first_total == 0) first_total = total;
      CHECK(done >= last && done <= total && total == first_total);
      last = done;
    } while (!pcf_run_wait(run, 0));
    pcf_run_progress(run, &done, &total);
    CHECK(total > 0 && done == total);
    CHECK(pcf_run_finish(run, NULL, NULL) == PCF_OK);
  }
}

/* ---- Giving up ---- */

TEST(exhaustion_for_ever_is_one_error) {
  for (int c = 0; c < CASES; c++) {
    struct setup setup;
    REQUIRE(set_up(&setup, c));
    for (long k = FIRST_OF_A_DEVICE; k <= setup.steps; k++) {
      const struct pcf_backend *backend = noting_backend(devices_exhausted(2, k, 0));
      struct outcome outcome = run_request(&setup.request, setup.sink, backend);
      /* The others may have done all blocks before the last device was opened. */
      if (k > FIRST_OF_A_DEVICE && outcome.status == PCF_OK) {
        CHECK(outcomes_equal(&outcome, &setup.right));
      } else {
        CHECK(outcome.status == PCF_ERROR_DEVICE_MEMORY);
        CHECK(outcome.error.status == PCF_ERROR_DEVICE_MEMORY);
        CHECK(strstr(outcome.error.message, "too little memory") != NULL);
        CHECK(outcome.report.halvings == 2 ||
              (outcome.report.halvings == 1 && k > FIRST_OF_A_DEVICE));
      }
      CHECK(deferring_misuses() == 0 && atomic_load(&noted.open) == 0);
    }
  }
}

TEST(exhaustion_is_final_where_blocks_cannot_be_cut) {
  struct setup setup;
  REQUIRE(set_up(&setup, 0));
  struct functions *few = functions_picked(setup.x, 4, (int64_t[]){0, 1, 2, 3});
  struct asked split = request_of(&operations[0], PCF_LOWER_WITHOUT_DIAGONAL, few, NULL);
  split.pairs.method = "split";
  struct outcome outcome = run_request(&split, PCF_LOWER_WITHOUT_DIAGONAL,
                                       pcf_exhausted_backend(&pcf_cpu_backend, 5, 1));
  CHECK(outcome.status == PCF_ERROR_DEVICE_MEMORY && outcome.error.message[0] != 0);
  CHECK(outcome.report.halvings == 0);
  /* Preparing and scheduling have no blocks yet. */
  for (long k = 1; k < FIRST_OF_A_DEVICE; k++) {
    outcome = run_request(&setup.request, setup.sink, devices_exhausted(2, k, 1));
    CHECK(outcome.status == PCF_ERROR_DEVICE_MEMORY && outcome.report.halvings == 0);
    CHECK(deferring_misuses() == 0);
  }
}

static enum pcf_status no_memory(void *shared, int index, int64_t elements, void **device,
                                 struct pcf_error *error) {
  *device = NULL;
  return pcf_fail(error, PCF_ERROR_DEVICE_MEMORY, "%d elements are too many", (int)elements);
}

/* The CPU's blocks are not cut. */
TEST(exhaustion_is_final_where_the_schedule_says_so) {
  struct setup setup;
  REQUIRE(set_up(&setup, 0));
  struct pcf_backend backend = pcf_cpu_backend;
  backend.open = no_memory;
  struct outcome outcome = run_request(&setup.request, setup.sink, &backend);
  CHECK(outcome.status == PCF_ERROR_DEVICE_MEMORY && outcome.report.halvings == 0);
  CHECK_STRING(outcome.error.message, "16384 elements are too many");
}

/* ---- With other failures ---- */

TEST(exhaustion_then_a_failure) {
  struct setup setup;
  REQUIRE(set_up(&setup, 0));
  const struct pcf_backend *backend = noting_backend(device_exhausted(2, 7, 1));
  noted.fail_when_cut = true;
  struct outcome outcome = run_request(&setup.request, setup.sink, backend);
  CHECK(outcome.status == PCF_ERROR_DEVICE);
  CHECK_STRING(outcome.error.message, "broken");
  CHECK(deferring_misuses() == 0 && atomic_load(&noted.open) == 0);
}

TEST(exhaustion_and_no_host_memory_at_every_allocation) {
  struct setup setup;
  REQUIRE(set_up(&setup, 0));
  setup.request.settings.timeline = 1;
  for (long k = 1;; k++) {
    REQUIRE(k < 10000);
    const struct pcf_backend *backend = device_exhausted(2, 7, 1);
    pcf_memory_fail_at(k);
    struct outcome outcome = run_request(&setup.request, setup.sink, backend);
    bool pending = memory_failure_is_pending(k);
    const struct pcf_timeline *timeline = &outcome.report.timeline;
    if (outcome.status == PCF_OK) {
      CHECK(outcomes_equal(&outcome, &setup.right) && outcome.report.halvings == 1);
      CHECK(timeline->count == outcome.report.blocks);
    } else {
      CHECK(!pending && outcome.status == PCF_ERROR_MEMORY && outcome.error.message[0] != 0);
      CHECK(timeline->span == NULL);
    }
    CHECK(deferring_misuses() == 0);
    if (pending) break;
  }
}

/* The run is stopped while its blocks are cut smaller. */
static _Atomic(struct pcf_run *) running;

static enum pcf_status stopping_reschedule(void *shared, struct pcf_schedule *schedule,
                                           struct pcf_error *error) {
  struct pcf_run *run;
  while (!(run = atomic_load(&running))) {
  }
  pcf_run_stop(run);
  return noting_reschedule(shared, schedule, error);
}

TEST(exhaustion_when_stopped) {
  struct setup setup;
  REQUIRE(set_up(&setup, 0));
  struct pcf_matrix_sink sink = setup.right.sink;
  struct pcf_backend backend = *noting_backend(device_exhausted(2, 7, 1));
  struct pcf_error error = {0};
  backend.reschedule = stopping_reschedule;
  atomic_store(&running, NULL);
  SCOPED(pcf_pairs) pairs;
  struct pcf_run *run = start_run(&setup.request, &pairs, &sink, &backend, &error);
  REQUIRE(run);
  atomic_store(&running, run);
  CHECK(pcf_run_finish(run, NULL, &error) == PCF_ERROR_INTERRUPTED);
  CHECK(deferring_misuses() == 0 && atomic_load(&noted.open) == 0);
}
