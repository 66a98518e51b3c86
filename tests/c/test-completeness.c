/* Backends whose blocks miss pairs, or have too many: the engine says so, whatever they claim.
 */
#include "check.h"
#include "runs.h"

#include "testing/device-failing.h"

#include <stdio.h>
#include <string.h>

enum { N = 70, SIDE = 32 };

/* How the schedule, or a device, goes wrong. */
enum wrong {
  NOTHING,
  FIRST_MISSING,
  LAST_MISSING,
  ALL_MISSING,
  SMALLER,
  TWICE,
  NO_DATA,
  NO_REASON
};

static struct {
  const struct pcf_backend *inner;
  enum wrong wrong;
  const struct pcf_task *task;
  atomic_int waits;
} careless;

static enum pcf_status careless_prepare(const struct pcf_task *task, void **shared,
                                        int *devices, struct pcf_error *error) {
  careless.task = task;
  return careless.inner->prepare(task, shared, devices, error);
}

/* A matrix that has one row less than the task. */
static enum pcf_status schedule_fewer(struct pcf_schedule *schedule, struct pcf_error *error) {
  const struct pcf_task *task = careless.task;
  struct pcf_items rows = task->rows;
  rows.count--;
  return pcf_schedule_rectangles(schedule, task->mode, &rows, &task->columns, SIDE, SIDE,
                                 error);
}

static enum pcf_status careless_schedule(void *shared, struct pcf_schedule *schedule,
                                         struct pcf_error *error) {
  if (careless.wrong == SMALLER) return schedule_fewer(schedule, error);
  enum pcf_status status = careless.inner->schedule(shared, schedule, error);
  if (status) return status;
  struct pcf_block *block = schedule->block;
  if (careless.wrong == FIRST_MISSING) block[0] = block[--schedule->count];
  if (careless.wrong == LAST_MISSING) schedule->count--;
  if (careless.wrong == ALL_MISSING) schedule->count = 0;
  if (careless.wrong == TWICE) block[schedule->count - 1] = block[0];
  return PCF_OK;
}

/* The third block is done, as it says, but there is nothing to see. */
static enum pcf_status careless_wait(void *device, const struct pcf_block *block, int buffer,
                                     struct pcf_finished *finished, struct pcf_error *error) {
  if (careless.wrong == NO_REASON) return PCF_ERROR_DEVICE_MEMORY;
  enum pcf_status status = careless.inner->wait(device, block, buffer, finished, error);
  if (careless.wrong == NO_DATA && atomic_fetch_add(&careless.waits, 1) == 2) {
    finished->data = NULL;
  }
  return status;
}

static const struct pcf_backend *careless_backend(const struct pcf_backend *inner,
                                                  enum wrong wrong) {
  static struct pcf_backend backend;
  backend = *inner;
  backend.prepare = careless_prepare;
  backend.schedule = careless_schedule;
  backend.wait = careless_wait;
  careless.inner = inner;
  careless.wrong = wrong;
  atomic_store(&careless.waits, 0);
  return &backend;
}

static void check_refused(const struct asked *request, enum pcf_mode sink,
                          const struct pcf_backend *backend, int64_t pairs) {
  char due[80];
  snprintf(due, sizeof due, " pairs instead of %d: ", (int)pairs);
  struct outcome outcome = run_request(request, sink, backend);
  CHECK(outcome.status == PCF_ERROR_DEVICE && outcome.error.status == PCF_ERROR_DEVICE);
  CHECK(strstr(outcome.error.message, "the blocks of device \"cpu\" had ") != NULL);
  CHECK(strstr(outcome.error.message, due) != NULL);
}

/* Every method, in every kind of matrix that it takes. */
TEST(completeness_is_made_sure_of) {
  static const int64_t pairs[] = {N * N, N * (N - 1) / 2, N * (N + 1) / 2, N};
  struct functions *x = functions_random(&random, SHARED_GRID, N, 3, 5);
  for (int kind = PCF_FULL; kind <= PCF_PAIRED; kind++) {
    for (int method = 0; method < METHODS; method++) {
      bool split = strcmp(method_names[method], "split") == 0;
      bool walk = strcmp(method_names[method], "walk") == 0;
      bool two = kind == PCF_FULL || kind == PCF_PAIRED;
      struct asked request = request_of(&operations[0], kind, x, two ? x : NULL);
      request.pairs.method = method_names[method];
      request.settings.threads = 2;
      request.pairs.width = request.settings.block_side = SIDE;
      if (kind == PCF_PAIRED && !walk) continue;
      struct outcome whole =
        run_request(&request, kind, careless_backend(&pcf_cpu_backend, NOTHING));
      CHECK(whole.status == PCF_OK);
      for (int wrong = FIRST_MISSING; wrong <= NO_DATA; wrong++) {
        if ((split || walk) && (wrong == SMALLER || wrong == TWICE)) continue;
        check_refused(&request, kind, careless_backend(&pcf_cpu_backend, wrong), pairs[kind]);
      }
    }
  }
}

/* A device that is out of memory says of what. */
TEST(completeness_without_a_reason) {
  struct functions *x = functions_random(&random, PAPER, N, 3, 5);
  struct asked request = request_of(&operations[0], PCF_FULL, x, NULL);
  struct outcome outcome =
    run_request(&request, PCF_FULL, careless_backend(&pcf_cpu_backend, NO_REASON));
  CHECK(outcome.status == PCF_ERROR_DEVICE);
  CHECK_STRING(outcome.error.message,
               "device \"cpu\" left out blocks without a reason: this is "
               "a bug in pcfdist, please report it");
}

/* One part of many is enough: without it the rectangle is never complete. */
TEST(completeness_of_parts) {
  static const char *const methods[] = {"split", "walk"};
  struct functions *x = functions_random(&random, PAPER, 2, 120000, 130000);
  for (int k = 0; k < 2; k++) {
    struct asked request = request_of(&operations[0], PCF_FULL, x, NULL);
    request.pairs.method = methods[k];
    struct outcome whole = run_request(&request, PCF_FULL, &pcf_cpu_backend);
    CHECK(whole.status == PCF_OK && whole.report.blocks > 4);
    for (int wrong = FIRST_MISSING; wrong <= LAST_MISSING; wrong++) {
      check_refused(&request, PCF_FULL, careless_backend(&pcf_cpu_backend, wrong), 4);
    }
  }
}

/* What was done before the blocks were cut smaller is not forgotten, and not counted twice. One
 * thread, since others may have done all blocks before it says that its memory ran out. */
static enum pcf_status careless_reschedule(void *shared, struct pcf_schedule *schedule,
                                           struct pcf_error *error) {
  if (careless.wrong == LAST_MISSING) schedule->count--;
  return PCF_OK;
}

TEST(completeness_after_blocks_were_cut_smaller) {
  struct functions *x = functions_random(&random, PAPER, 2 * N, 3, 5);
  struct asked request = request_of(&operations[0], PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
  request.pairs.method = "sweep";
  request.pairs.width = SIDE;
  request.settings.block_side = 2 * SIDE;
  request.settings.threads = 1;
  for (int wrong = NOTHING; wrong <= LAST_MISSING; wrong += LAST_MISSING) {
    careless.wrong = wrong;
    for (long k = 3; k <= 10; k++) {
      struct pcf_backend backend = *pcf_exhausted_backend(&pcf_cpu_backend, k, 1);
      backend.reschedule = careless_reschedule;
      struct outcome outcome = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &backend);
      CHECK(outcome.report.halvings == 1);
      CHECK(outcome.status == (wrong ? PCF_ERROR_DEVICE : PCF_OK));
      CHECK(!wrong || strstr(outcome.error.message, " pairs instead of 9730: ") != NULL);
    }
  }
}
