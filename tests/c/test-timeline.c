/* Timelines: every block once, with times in order. */
#include "check.h"
#include "runs.h"

#include "testing/device-failing.h"

#include "base/memory.h"
#include "base/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The list of spans ---- */

TEST(timeline_keeps_what_is_marked) {
  struct pcf_timeline timeline = {0};
  REQUIRE(!pcf_timeline_reserve(&timeline, 4, NULL));
  for (int k = 0; k < 4; k++) timeline.span[k] = (struct pcf_span){.row = k, .launched = -k};
  pcf_timeline_keep(&timeline, 4, (const unsigned char[]){1, 0, 0, 1});
  CHECK(timeline.count == 2);
  REQUIRE(!pcf_timeline_reserve(&timeline, 2, NULL));
  timeline.span[2] = (struct pcf_span){.row = 4, .launched = -1};
  timeline.span[3] = (struct pcf_span){.row = 5, .launched = -2};
  pcf_timeline_keep(&timeline, 2, (const unsigned char[]){0, 1});
  CHECK(timeline.count == 3);
  pcf_timeline_sort(&timeline);
  CHECK(timeline.span[0].row == 3 && timeline.span[1].row == 5 && timeline.span[2].row == 0);
  struct pcf_error error = {0};
  pcf_memory_fail_at(1);
  CHECK(pcf_timeline_reserve(&timeline, 1, &error) == PCF_ERROR_MEMORY && error.message[0]);
  CHECK(timeline.count == 3 && timeline.span[1].row == 5);
  pcf_timeline_free(&timeline);
  CHECK(timeline.count == 0 && timeline.span == NULL);
  pcf_timeline_sort(&timeline);
  pcf_timeline_free(&timeline);
}

/* ---- Of runs ---- */

static bool in_order(const struct pcf_span *span) {
  return 0 <= span->launched && span->launched <= span->begun &&
         span->begun <= span->computed && span->computed <= span->copied &&
         span->copied <= span->scatter_begun && span->scatter_begun <= span->scattered;
}

/* Each pair of x and y once, blocks of 32, on one of so many devices, within `seconds`. */
static void check_spans(const struct pcf_timeline *timeline, int64_t n, int64_t m, int devices,
                        double seconds) {
  int *covered = zeroed(n * m, sizeof *covered);
  int64_t wrong = 0;
  for (int64_t k = 0; k < timeline->count; k++) {
    const struct pcf_span *span = &timeline->span[k];
    REQUIRE(span->row >= 0 && span->row + span->rows <= n);
    REQUIRE(span->column >= 0 && span->column + span->columns <= m);
    CHECK(span->rows <= 32 && span->columns <= 32);
    CHECK(span->device >= 0 && span->device < devices);
    CHECK(in_order(span) && span->scattered <= seconds);
    if (k) CHECK(span[-1].launched <= span->launched);
    for (int64_t j = span->column; j < span->column + span->columns; j++) {
      for (int64_t i = span->row; i < span->row + span->rows; i++) covered[i + n * j]++;
    }
  }
  for (int64_t k = 0; k < n * m; k++) wrong += covered[k] != 1;
  CHECK(wrong == 0);
}

static struct asked request_in_blocks(const struct functions *x, const struct functions *y) {
  struct asked request = request_of(&operations[0], PCF_FULL, x, y);
  request.pairs.method = "sweep";
  request.pairs.width = request.settings.block_side = 32;
  request.settings.timeline = 1;
  return request;
}

TEST(timeline_has_each_block_once) {
  struct functions *x = functions_random(&random, PAPER, 150, 3, 5);
  struct functions *y = functions_random(&random, PAPER, 70, 3, 5);
  struct asked request = request_in_blocks(x, y);
  for (int devices = 1; devices <= 3; devices++) {
    for (int buffers = 1; buffers <= 3; buffers++) {
      double start = pcf_seconds();
      struct outcome outcome =
        run_request(&request, PCF_FULL, deferring_backend(&pcf_cpu_backend, buffers, devices));
      CHECK(outcome.status == PCF_OK && deferring_misuses() == 0);
      CHECK(outcome.report.timeline.count == 15 && outcome.report.blocks == 15);
      check_spans(&outcome.report.timeline, 150, 70, devices, pcf_seconds() - start);
    }
  }
}

TEST(timeline_of_blocks_that_were_cut_smaller) {
  struct functions *x = functions_random(&random, PAPER, 150, 3, 5);
  struct asked request = request_in_blocks(x, NULL);
  request.settings.block_side = 64;
  for (long k = 3; k < 40; k++) {
    double start = pcf_seconds();
    const struct pcf_backend *backend = deferring_backend(&pcf_cpu_backend, 2, 2);
    struct outcome outcome =
      run_request(&request, PCF_FULL, pcf_exhausted_backend(backend, k, 1));
    REQUIRE(outcome.status == PCF_OK);
    int64_t area = 0, blocks = outcome.report.timeline.count;
    double seconds = pcf_seconds() - start;
    CHECK(blocks == outcome.report.blocks);
    for (int64_t b = 0; b < blocks; b++) {
      const struct pcf_span *span = &outcome.report.timeline.span[b];
      CHECK(in_order(span) && span->scattered <= seconds);
      area += span->rows * span->columns;
    }
    CHECK(area == 150 * 150);
    if (k == 3) check_spans(&outcome.report.timeline, 150, 150, 2, seconds);
  }
}

static enum pcf_status wait_without_times(void *device, const struct pcf_block *block,
                                          int buffer, struct pcf_finished *finished,
                                          struct pcf_error *error) {
  struct pcf_finished timed = *finished;
  enum pcf_status status = pcf_cpu_backend.wait(device, block, buffer, &timed, error);
  finished->data = timed.data;
  finished->stride = timed.stride;
  return status;
}

TEST(timeline_of_a_device_that_does_not_know) {
  struct functions *x = functions_random(&random, PAPER, 70, 3, 5);
  struct asked request = request_in_blocks(x, NULL);
  struct pcf_backend backend = pcf_cpu_backend;
  backend.wait = wait_without_times;
  struct outcome outcome = run_request(&request, PCF_FULL, &backend);
  REQUIRE(outcome.status == PCF_OK && outcome.report.timeline.count == 9);
  for (int k = 0; k < 9; k++) {
    const struct pcf_span *span = &outcome.report.timeline.span[k];
    CHECK(isnan(span->begun) && isnan(span->computed) && isnan(span->copied));
    CHECK(0 <= span->launched && span->launched <= span->scatter_begun);
    CHECK(span->scatter_begun <= span->scattered);
  }
}

static atomic_int times_told;

static enum pcf_status count_times(void *device, const struct pcf_block *block, int buffer,
                                   struct pcf_finished *finished, struct pcf_error *error) {
  enum pcf_status status = pcf_cpu_backend.wait(device, block, buffer, finished, error);
  atomic_fetch_add(&times_told, !isnan(finished->begun));
  return status;
}

TEST(timeline_only_when_asked_for_and_after_success) {
  struct functions *x = functions_random(&random, PAPER, 70, 3, 5);
  struct asked request = request_in_blocks(x, NULL);
  struct pcf_backend backend = pcf_cpu_backend;
  backend.wait = count_times;
  for (int asked = 0; asked < 2; asked++) {
    request.settings.timeline = asked;
    atomic_store(&times_told, 0);
    struct outcome outcome = run_request(&request, PCF_FULL, &backend);
    CHECK(outcome.report.timeline.count == 9 * asked);
    CHECK((outcome.report.timeline.span != NULL) == asked);
    CHECK(atomic_load(&times_told) == 9 * asked);
  }
  for (long k = 1; k < 32; k++) {
    struct outcome outcome =
      run_request(&request, PCF_FULL, pcf_failing_backend(&pcf_cpu_backend, k));
    CHECK(outcome.status == PCF_ERROR_DEVICE);
    CHECK(outcome.report.timeline.span == NULL && outcome.report.timeline.count == 0);
  }
  double *result = kept(malloc(70 * 70 * sizeof *result));
  struct pcf_matrix_sink sink = pcf_matrix_sink(PCF_FULL, 70, 70, result);
  SCOPED(pcf_pairs) pairs;
  struct pcf_run *run = start_run(&request, &pairs, &sink, &pcf_cpu_backend, NULL);
  REQUIRE(run);
  CHECK(pcf_run_finish(run, NULL, NULL) == PCF_OK); /* and nothing leaks */
}

TEST(timeline_of_parts) {
  struct functions *x = functions_random(&random, PAPER, 2, 70000, 80000);
  struct asked request = request_of(&operations[0], PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
  request.settings.timeline = 1;
  request.settings.threads = 3;
  struct outcome outcome = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
  REQUIRE(outcome.status == PCF_OK && strcmp(offer_of(&outcome)->method, "walk") == 0);
  CHECK(outcome.report.blocks > 1 && outcome.report.timeline.count == outcome.report.blocks);
  for (int64_t k = 0; k < outcome.report.timeline.count; k++) {
    const struct pcf_span *span = &outcome.report.timeline.span[k];
    CHECK(span->row == 1 && span->column == 0 && span->rows == 1 && span->columns == 1);
    CHECK(in_order(span));
  }
}
