/* Resident collections, over a fake of CUDA: what runs read there, what goes up
 * again, and what is freed when. */
#include "check.h"
#include "fake-cuda.h"
#include "runs.h"

#include "base/memory.h"
#include "cuda/info.h"
#include "cuda/resident.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

static struct asked request_on(const struct question *question, const char *method, int gpus,
                               const struct functions *x, const struct functions *y) {
  struct asked request = request_of(question, y ? PCF_FULL : PCF_LOWER_WITHOUT_DIAGONAL, x, y);
  request.settings.gpus = gpus;
  request.settings.threads = 3;
  request.pairs.method = method;
  return request;
}

static struct outcome run(const struct asked *request) {
  return run_request(request, request->pairs.y ? PCF_FULL : PCF_LOWER_WITHOUT_DIAGONAL,
                     pcf_cuda_backend());
}

static double resident_memory(int gpu) {
  struct pcf_cuda_info info;
  pcf_cuda_describe(&info, 0);
  return info.gpu[gpu].resident_memory;
}

/* ---- Results ---- */

/* The same bits as without, twice: as the collection was brought up, and from what the first
 * run has left. */
static void check_same(struct functions *x, struct functions *y, struct asked request) {
  for (int precision = 0; precision < 2; precision++) {
    request.pairs.precision = precision;
    fake_cuda_reset();
    struct outcome want = run(&request);
    REQUIRE(want.status == PCF_OK);
    for (int who = y ? 1 : 3; who <= 3; who++) {
      if (who & 1) REQUIRE(!make_resident(x, request.settings.gpus, NULL));
      if (y && who & 2) REQUIRE(!make_resident(y, request.settings.gpus, NULL));
      for (int call = 0; call < 2; call++) {
        struct outcome got = run(&request);
        CHECK(outcomes_equal(&got, &want));
      }
      drop_resident(x);
      if (y) drop_resident(y);
    }
    CHECK(resident_memory(0) == 0);
  }
}

TEST(resident_gives_the_same_for_all_methods_windows_and_precisions) {
  static const char *const methods[] = {"sweep", "grid", "split"};
  static const double windows[][2] = {
    {-INFINITY, INFINITY}, {0.5, 1.5}, {-1, 0.25}, {-9, -8}, {0.1, INFINITY}};
  struct functions *x = functions_random(&random, PAPER, 70, 1, 20);
  struct functions *y = functions_random(&random, PAPER, 40, 1, 30);
  for (int m = 0; m < 3; m++) {
    for (size_t w = 0; w < sizeof windows / sizeof windows[0]; w += check_quick() ? 3 : 1) {
      struct question question = {w % 2 ? PCF_INNER : PCF_L1, w % 2 ? 2 : 1, windows[w][0],
                                  windows[w][1]};
      check_same(x, NULL, request_on(&question, methods[m], 1, x, NULL));
      check_same(x, y, request_on(&question, methods[m], 2, x, y));
    }
  }
}

/* A run as if nothing stayed. */
static struct outcome run_afresh(struct functions *x, const struct asked *request) {
  const struct pcf_known *known = x->view.known;
  x->view.known = NULL;
  struct outcome outcome = run(request);
  x->view.known = known;
  return outcome;
}

/* One question after the other, and each one twice; bands stay as well. */
TEST(resident_answers_many_questions_without_going_up_again) {
  static const double windows[][2] = {
    {-INFINITY, INFINITY}, {0.5, 1.5}, {0.5, 2.5}, {-1, 0.25}};
  struct functions *x = functions_random(&random, PAPER, 70, 30, 60);
  REQUIRE(!make_resident(x, 1, NULL));
  double breakpoints = (double)pcf_total_breakpoints(&x->view);
  for (int k = 0; k < 32; k++) {
    struct question question = {k / 2 % 2 ? PCF_INNER : PCF_L1, 1, windows[k / 4 % 4][0],
                                windows[k / 4 % 4][1]};
    struct asked request = request_on(&question, "sweep", 1, x, NULL);
    request.pairs.precision = k / 16;
    long before = fake_cuda.uploaded;
    struct outcome got = run(&request), want;
    long uploaded = fake_cuda.uploaded - before;
    CHECK((double)uploaded < (k % 2 ? 100 : breakpoints));
    want = run_afresh(x, &request);
    CHECK(outcomes_equal(&got, &want));
    CHECK(fake_cuda.uploaded - before > 3 * uploaded);
  }
  drop_resident(x);
  CHECK(resident_memory(0) == 0);
}

/* From their origins on, these windows of large times are the same one. */
TEST(resident_knows_the_origin_of_times) {
  struct functions *x = functions_random(&random, PAPER, 70, 30, 60);
  functions_move(x, 1000, 1 << 20);
  check_same(x, NULL, request_on(&operations[0], "sweep", 1, x, NULL));
  fake_cuda_reset();
  REQUIRE(!make_resident(x, 1, NULL));
  for (int k = 0; k < 4; k++) {
    struct question question = {PCF_L1, 1, (1 << 20) + 128 * k, (1 << 20) + 128 * (k + 1)};
    struct asked request = request_on(&question, "sweep", 1, x, NULL);
    request.pairs.precision = PCF_SINGLE_PRECISION;
    struct outcome got = run(&request), want = run_afresh(x, &request);
    CHECK(outcomes_equal(&got, &want));
  }
}

TEST(resident_reads_functions_known_in_part) {
  struct functions *x = functions_random(&random, PARTIAL, 70, 1, 12);
  struct functions *y = functions_random(&random, PARTIAL, 40, 1, 12);
  struct question question = {PCF_L1, 1, -2, 2};
  struct asked request = request_on(&question, "sweep", 1, x, y);
  request.pairs.missing = PCF_MISSING_OVERLAP;
  struct outcome want = run(&request);
  REQUIRE(!make_resident(x, 1, NULL) && !make_resident(y, 1, NULL));
  for (int call = 0; call < 2; call++) {
    struct outcome got = run(&request);
    CHECK(outcomes_equal(&got, &want));
  }
}

/* For inner products of values of very different magnitudes every function has an exponent of
 * its own. */
TEST(resident_scales_values_of_any_magnitude) {
  static const double scales[] = {1e-320, 1e-300, 1e-30, 1, 1e30, 1e300};
  for (int operation = 0; operation < 2; operation++) {
    for (int k = 0; k < 7; k++) {
      struct functions *x = functions_random(&random, PAPER, 48, 3, 20);
      for (int64_t i = 0; i < 48; i++) {
        for (int64_t e = 0; e < pcf_breakpoints(&x->view, i); e++) {
          values_of(x, i)[e] *= scales[k < 6 ? k : 2 + i % 4];
        }
      }
      struct question question = {operation ? PCF_INNER : PCF_L1, 1, -INFINITY, INFINITY};
      check_same(x, NULL, request_on(&question, "sweep", 1, x, NULL));
    }
  }
}

/* ---- What is freed when ---- */

TEST(resident_takes_the_memory_that_it_needs_until_it_is_let_go) {
  struct functions *x = functions_random(&random, PAPER, 100, 10, 50);
  double bytes = 16.0 * (double)pcf_total_breakpoints(&x->view);
  REQUIRE(!make_resident(x, 2, NULL));
  CHECK(pcf_cuda_is_resident(pcf_resident(&x->view), 1) &&
        pcf_cuda_is_resident(pcf_resident(&x->view), 2));
  CHECK(!pcf_cuda_is_resident(pcf_resident(&x->view) + 1, 1) && !pcf_cuda_is_resident(0, 1));
  for (int g = 0; g < 2; g++) {
    CHECK(resident_memory(g) >= bytes && resident_memory(g) < 1.1 * bytes + 4096);
  }
  CHECK(resident_memory(2) == 0);
  pcf_cuda_release();
  CHECK(resident_memory(0) >= bytes && fake_cuda.pinned == 0);
  CHECK(pcf_cuda_drop_resident(pcf_resident(&x->view)) >= 2 * bytes);
  CHECK(pcf_cuda_drop_resident(pcf_resident(&x->view)) == 0 &&
        !pcf_cuda_is_resident(pcf_resident(&x->view), 1));
  CHECK(fake_cuda.bytes[0] == 0 && fake_cuda.bytes[1] == 0);
}

TEST(resident_is_for_empty_collections_too) {
  struct functions *x = functions_random(&random, PAPER, 0, 1, 2);
  REQUIRE(!make_resident(x, 1, NULL));
  CHECK(pcf_cuda_is_resident(pcf_resident(&x->view), 1));
  CHECK(pcf_cuda_drop_resident(pcf_resident(&x->view)) > 0 && fake_cuda.bytes[0] == 0);
}

/* A run that wants nearly all memory gets it, and those of what stayed go on from the host. */
TEST(resident_gives_way_where_room_is_wanted) {
  struct functions *x = functions_random(&random, PAPER, 100, 10, 40);
  struct functions *y = functions_random(&random, PAPER, 150, 50, 100);
  struct question question = {PCF_L1, 1, -INFINITY, INFINITY};
  struct asked of_x = request_on(&question, "sweep", 1, x, NULL);
  struct asked of_y = request_on(&question, "sweep", 1, y, NULL);
  struct outcome want_x = run(&of_x);
  fake_cuda_reset();
  struct outcome want_y = run(&of_y);
  double needed = (double)fake_cuda.bytes[0];
  fake_cuda_reset();
  REQUIRE(!make_resident(x, 1, NULL));
  pcf_cuda_provocation.memory = needed + 1e4;
  for (int call = 0; call < 3; call++) {
    struct outcome got = run(&of_x);
    CHECK(outcomes_equal(&got, &want_x));
    CHECK(!pcf_cuda_is_resident(pcf_resident(&x->view), 1) == (call > 0));
    got = run(&of_y);
    CHECK(outcomes_equal(&got, &want_y));
    CHECK(!pcf_cuda_is_resident(pcf_resident(&x->view), 1));
  }
}

TEST(resident_counts_towards_the_limit_of_memory) {
  struct functions *x = functions_random(&random, PAPER, 150, 50, 100);
  struct question question = {PCF_L1, 1, -INFINITY, INFINITY};
  struct asked request = request_on(&question, "sweep", 1, x, NULL);
  request.settings.block_side = 64;
  struct outcome want = run(&request);
  for (double limit = 2e6; limit < 1e7; limit *= 2) {
    fake_cuda_reset();
    REQUIRE(!make_resident(x, 1, NULL));
    request.settings.gpu_memory = limit;
    for (int call = 0; call < 2; call++) {
      struct outcome got = run(&request);
      CHECK(outcomes_equal(&got, &want));
      CHECK((double)fake_cuda.bytes[0] <= limit);
    }
    drop_resident(x);
  }
  struct pcf_settings settings = {.threads = 1, .gpus = 1, .gpu_memory = 1e5};
  struct pcf_error error = {0};
  int64_t number = 1;
  CHECK(pcf_cuda_make_resident(&x->view, &settings, NULL, &number, &error) ==
        PCF_ERROR_DEVICE_MEMORY);
  CHECK(strstr(error.message, "that may be used are free") && number == 0);
}

/* Bands stay within the limit of what is kept. */
TEST(resident_keeps_no_more_bands_than_it_may) {
  struct functions *x = functions_random(&random, PAPER, 40, 10, 50);
  REQUIRE(!make_resident(x, 1, NULL));
  double alone = resident_memory(0);
  for (int k = 0; k < 24; k++) {
    struct question question = {PCF_L1, 1, -INFINITY, 1 + 0.125 * k};
    struct asked request = request_on(&question, "sweep", 1, x, NULL);
    pcf_cuda_limit_idle(k < 12 ? 40e3 : 0);
    struct outcome got = run(&request), want = run_afresh(x, &request);
    CHECK(outcomes_equal(&got, &want));
    CHECK(resident_memory(0) <= alone + 40e3);
  }
  fake_cuda_reset();
  for (int k = 0; k < 24; k++) {
    struct question question = {PCF_L1, 1, -INFINITY, 5 + 0.125 * k};
    struct asked request = request_on(&question, "sweep", 1, x, NULL);
    CHECK(!run(&request).status);
  }
  CHECK(resident_memory(0) > alone && resident_memory(0) < 20 * alone);
  drop_resident(x);
  CHECK(resident_memory(0) == 0);
}

/* ---- Faults ---- */

/* Whatever call of CUDA fails, nothing is lost, and the next run works. */
TEST(resident_leaves_nothing_behind_after_failures) {
  struct functions *x = functions_random(&random, PAPER, 48, 5, 12);
  struct question question = {PCF_L1, 1, -INFINITY, INFINITY};
  struct asked request = request_on(&question, "sweep", 2, x, NULL);
  static const cudaError_t failures[] = {cudaErrorUnknown, cudaErrorMemoryAllocation};
  request.settings.block_side = 32;
  struct outcome want = run(&request);
  for (int f = 0; f < 2; f++) {
    int works = 0;
    for (long k = 1; !works && k < 2000; k += check_quick() ? 5 : 1) {
      fake_cuda_reset();
      CHECK(fake_cuda_held() == 0);
      fake_cuda.calls = 0;
      fake_cuda.failure = failures[f];
      fake_cuda.fail_at = k;
      struct pcf_error error = {0};
      enum pcf_status status = make_resident(x, 2, &error);
      CHECK(!status == (pcf_resident(&x->view) > 0) && !status == (error.message[0] == '\0'));
      struct outcome got = run(&request);
      works = fake_cuda.calls < k;
      fake_cuda.fail_at = 0;
      if (!got.status) CHECK(outcomes_equal(&got, &want));
      got = run(&request);
      CHECK(outcomes_equal(&got, &want));
      drop_resident(x);
    }
    CHECK(works);
  }
}

TEST(resident_ends_early_when_it_is_stopped) {
  struct functions *x = functions_random(&random, PAPER, 10, 40000, 50000);
  struct pcf_settings settings = {.threads = 2, .gpus = 1};
  atomic_int stop = 1;
  int64_t number = 1;
  CHECK(pcf_cuda_make_resident(&x->view, &settings, &stop, &number, NULL) ==
        PCF_ERROR_INTERRUPTED);
  CHECK(number == 0 && resident_memory(0) == 0);
}

/* Functions that were checked are not checked again. */
TEST(resident_is_checked_once) {
  struct functions *x = functions_random(&random, PARTIAL, 40, 2, 20);
  struct pcf_known known = {
    .functions = x->view.functions, .count = 40, .range = PCF_EMPTY_RANGE};
  struct pcf_range *range = &known.range, again = PCF_EMPTY_RANGE;
  struct pcf_fault fault;
  REQUIRE(!pcf_check_collection(&x->view, 1, NULL, range, &fault, NULL));
  x->view.known = &known;
  times_of(x, 3)[0] = NAN;
  CHECK(!pcf_check_collection(&x->view, 1, NULL, &again, &fault, NULL));
  CHECK(again.value == range->value && again.least == range->least &&
        pcf_range_time_from(&again, 0) == pcf_range_time_from(range, 0));
  CHECK(again.missing && again.endless);
}

/* A copy of a collection with other functions, fewer of them, or in another order. */
TEST(resident_knows_no_changed_copy) {
  struct functions *x = functions_random(&random, PAPER, 60, 5, 20);
  struct functions *y = functions_random(&random, PAPER, 60, 5, 20);
  struct question question = {PCF_L1, 1, -INFINITY, INFINITY};
  struct asked request = request_on(&question, "sweep", 1, x, NULL);
  REQUIRE(!make_resident(x, 1, NULL));
  struct outcome of_x = run(&request), of_y;
  struct pcf_collection copy = x->view, fewer = x->view;
  copy.functions = y->view.functions;
  copy.offsets = y->view.offsets;
  fewer.count = 30;
  CHECK(pcf_resident(&x->view) && !pcf_resident(&copy) && !pcf_resident(&fewer));
  y->view.known = x->view.known;
  request.pairs.x = &y->view;
  of_y = run(&request);
  y->view.known = NULL;
  struct outcome want = run(&request);
  CHECK(outcomes_equal(&of_y, &want) && !outcomes_equal(&of_x, &of_y));
}

#ifndef _WIN32
/* The child neither uses nor frees what its parent has. */
TEST(resident_is_the_parents_after_a_fork) {
  struct functions *x = functions_random(&random, PAPER, 50, 5, 10);
  REQUIRE(!make_resident(x, 1, NULL));
  long held = fake_cuda_held();
  pid_t child = fork();
  if (child == 0) {
    int64_t number = pcf_resident(&x->view), own = 1;
    struct pcf_settings settings = {.threads = 1, .gpus = 1};
    struct pcf_error error = {0};
    int gone = !pcf_cuda_is_resident(number, 1) && pcf_cuda_drop_resident(number) == 0;
    int told =
      pcf_cuda_make_resident(&x->view, &settings, NULL, &own, &error) == PCF_ERROR_DEVICE &&
      strstr(error.message, "forked") && own == 0;
    _exit(gone && told && fake_cuda_held() == held ? 7 : 1);
  }
  int status = 0;
  REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  CHECK(pcf_cuda_is_resident(pcf_resident(&x->view), 1));
}
#endif
