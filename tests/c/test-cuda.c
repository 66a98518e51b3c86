/* The host's side of the CUDA device, over a fake of CUDA: what goes up and comes back, what
 * stays between calls, and what is left after failures. */
#include "check.h"
#include "fake-cuda.h"
#include "runs.h"

#include "base/memory.h"
#include "cuda/info.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

static const struct question l1 = {PCF_L1, 1, -INFINITY, INFINITY};

static struct asked cuda_request(const struct functions *x, const struct functions *y) {
  struct asked request = request_of(&l1, y ? PCF_FULL : PCF_LOWER_WITHOUT_DIAGONAL, x, y);
  request.settings.gpus = 1;
  request.settings.threads = 3;
  request.pairs.method = "sweep";
  return request;
}

static struct outcome run_on(const struct asked *request, const struct pcf_backend *backend) {
  return run_request(request, request->pairs.y ? PCF_FULL : PCF_LOWER_WITHOUT_DIAGONAL,
                     backend);
}

static struct outcome run(const struct asked *request) {
  return run_on(request, pcf_cuda_backend());
}

static struct outcome run_on_cpu(struct asked request) {
  request.settings.block_side = 0;
  request.settings.gpu_memory = 0;
  return run_on(&request, &pcf_cpu_backend);
}

static void check_agreement(const struct outcome *got, const struct outcome *want,
                            double relative) {
  REQUIRE(got->status == PCF_OK && want->status == PCF_OK);
  for (int64_t k = 0; k < want->length; k++) {
    if (!CHECK_NEAR(got->result[k], want->result[k], relative)) return;
  }
}

/* ---- Results ---- */

static void check_precision(struct asked request, enum pcf_precision precision,
                            double relative) {
  struct outcome cpu = run_on_cpu(request);
  request.pairs.precision = precision;
  struct outcome cuda = run(&request);
  CHECK_STRING(device_of(&cuda), "cuda");
  check_agreement(&cuda, &cpu, relative);
}

static void check_against_cpu(struct asked request, double single) {
  check_precision(request, PCF_DOUBLE, 1e-12);
  check_precision(request, PCF_SINGLE_PRECISION, single);
}

/* The first of these tests by name: what devices have told is remembered. */
TEST(cuda_again_asks_a_device_that_did_not_tell_what_it_is) {
  struct pcf_cuda_info info;
  fake_cuda.failure = cudaErrorUnknown;
  fake_cuda.fail_at = atomic_load(&fake_cuda.calls) + 2;
  pcf_cuda_describe(&info, 1);
  REQUIRE(strstr(info.problem, "device 1 does not report its properties") && info.count == 1);
  fake_cuda.fail_at = 0;
  pcf_cuda_describe(&info, 2);
  CHECK_STRING(info.problem, "");
  CHECK(info.count == FAKE_DEVICES);
  CHECK_STRING(info.gpu[1].name, "fake 1");
}

TEST(cuda_brings_up_functions_of_all_lengths) {
  struct functions *x = functions_random(&random, PAPER, 100, 1, 30);
  struct functions *y = functions_random(&random, PAPER, 40, 1, 150);
  for (int gpus = 1; gpus <= 2; gpus++) {
    struct asked request = cuda_request(x, NULL);
    request.settings.gpus = gpus;
    request.settings.block_side = gpus == 1 ? 0 : 64;
    fake_cuda_reset();
    check_against_cpu(request, 1e-5);
    request.pairs.y = &y->view;
    request.pairs.mode = PCF_FULL;
    check_against_cpu(request, 1e-5);
    request.pairs.method = "split";
    request.pairs.to = 1.5;
    check_against_cpu(request, 1e-5);
  }
}

TEST(cuda_takes_large_times_from_an_origin) {
  static const char *const methods[] = {"sweep", "grid", "split"};
  struct functions *x = functions_random(&random, PAPER, 60, 5, 30);
  functions_move(x, 1e6, 1.7e9);
  for (int m = 0; m < 3; m++) {
    struct asked request = cuda_request(x, NULL);
    request.pairs.method = methods[m];
    fake_cuda_reset();
    check_against_cpu(request, 1e-5);
    request.pairs.from = 1.7e9 + 5e5;
    request.pairs.to = 1.7e9 + 1.5e6;
    check_against_cpu(request, 1e-5);
  }
}

/* Results and what is missing are those of the CPU, in a window without a start too. */
static void check_partial(const struct functions *x, const struct functions *y,
                          enum pcf_operation operation, const char *method,
                          enum pcf_missing missing, double least) {
  struct question question = {operation, 1, missing == PCF_MISSING_MEAN ? -2 : -INFINITY, 2};
  struct asked request = request_of(&question, PCF_FULL, x, y);
  request.settings.threads = 2;
  request.settings.gpus = 1;
  request.pairs.missing = missing;
  request.pairs.least_overlap = least;
  request.pairs.method = method;
  struct outcome cpu = run_on_cpu(request), cuda = run(&request);
  REQUIRE(!cpu.status && !cuda.status);
  CHECK_STRING(device_of(&cuda), "cuda");
  int64_t unobserved = 0, wrong = 0;
  for (int64_t k = 0; k < cpu.length; k++) {
    double got = cuda.result[k], want = cpu.result[k];
    unobserved += pcf_is_missing(want);
    if (pcf_is_missing(want)) wrong += !pcf_is_missing(got);
    else wrong += isinf(want) ? got != want : !(fabs(got - want) <= 1e-12 * fabs(want) + 1e-14);
  }
  CHECK(wrong == 0 && unobserved > 0);
}

TEST(cuda_brings_up_functions_known_in_part) {
  static const char *const methods[] = {"sweep", "grid", "split"};
  struct functions *x = functions_random(&random, PARTIAL, 70, 1, 12);
  struct functions *y = functions_random(&random, PARTIAL, 40, 1, 12);
  for (int m = 0; m < 3; m++) {
    for (int missing = PCF_MISSING_OVERLAP; missing <= PCF_MISSING_MEAN; missing++) {
      for (int least = 0; least < 3; least += 2) {
        check_partial(x, y, PCF_L1, methods[m], missing, least);
        check_partial(x, y, PCF_INNER, methods[m], missing, least);
        check_partial(x, y, PCF_LINF, methods[m], missing, least);
      }
    }
  }
}

/* Functions that are observed on the same stretches: a missing value is 0. */
TEST(cuda_brings_up_functions_known_on_the_same_stretches) {
  struct functions *x = functions_random(&random, SHARED_GRID, 40, 9, 9);
  for (int64_t i = 0; i < 40; i++) values_of(x, i)[0] = values_of(x, i)[8] = pcf_missing();
  struct asked request = cuda_request(x, NULL);
  fake_cuda_reset();
  check_against_cpu(request, 1e-5);
}

/* Longer than what goes up at once, and than what a thread takes at a time. */
TEST(cuda_brings_up_long_functions_in_parts) {
  int64_t most = check_quick() ? 100000 : 380000;
  struct functions *x = functions_random(&random, PAPER, 2, most - 20000, most);
  struct asked request = cuda_request(x, NULL);
  fake_cuda_reset();
  check_precision(request, PCF_SINGLE_PRECISION, 1e-4);
  request.pairs.method = "split";
  request.pairs.from = 0.25;
  check_precision(request, PCF_DOUBLE, 1e-12);
}

TEST(cuda_scales_values_of_any_magnitude) {
  random.state = 82;
  static const double scales[] = {1e-320, 1e-300, 1e-30, 1e30, 1e300};
  for (int k = 0; k < 5; k++) {
    struct functions *x = functions_random(&random, PAPER, 40, 3, 20);
    for (int64_t i = 0; i < 40; i++) {
      for (int64_t e = 0; e < pcf_breakpoints(&x->view, i); e++)
        values_of(x, i)[e] *= scales[k];
    }
    fake_cuda_reset();
    check_against_cpu(cuda_request(x, NULL), 1e-5);
  }
}

TEST(cuda_expands_functions_on_a_grid) {
  struct functions *x = functions_random(&random, SHARED_GRID, 200, 20, 50);
  for (int64_t i = 0; i < 200; i++) values_of(x, i)[pcf_breakpoints(&x->view, i) - 1] = 0;
  struct asked request = cuda_request(x, NULL);
  request.pairs.method = "grid";
  fake_cuda_reset();
  check_against_cpu(request, 1e-5);
  request.settings.block_side = 128;
  request.settings.gpus = 2;
  check_against_cpu(request, 1e-5);
}

TEST(cuda_finds_nothing_in_a_window_before_all_functions) {
  struct functions *x = functions_random(&random, PAPER, 40, 3, 20);
  struct functions *y = functions_random(&random, PAPER, 30, 3, 20);
  static const char *const methods[] = {"sweep", "grid", "split"};
  for (int k = 0; k < 3; k++) {
    struct asked request = cuda_request(x, y);
    request.pairs.method = methods[k];
    request.pairs.to = -1;
    fake_cuda_reset();
    check_against_cpu(request, 0);
  }
}

TEST(cuda_streams_what_does_not_fit) {
  struct functions *x = functions_random(&random, PAPER, 500, 50, 150);
  struct asked request = cuda_request(x, NULL);
  request.settings.block_side = 64;
  struct outcome whole = run(&request);
  fake_cuda_reset();
  request.settings.gpu_memory = 4e6;
  struct outcome streamed = run(&request);
  CHECK(outcomes_equal(&whole, &streamed));
  CHECK(fake_cuda.bytes[0] <= 4000000);
}

static struct asked request_for_means(const struct functions *x) {
  struct asked request = cuda_request(x, NULL);
  request.pairs.missing = PCF_MISSING_MEAN;
  request.pairs.from = -4;
  request.pairs.to = 3;
  request.settings.block_side = 64;
  return request;
}

/* Half of it is for the lengths that results are divided by. */
TEST(cuda_means_use_as_much_memory_as_they_may) {
  struct functions *x = functions_random(&random, PARTIAL, 500, 100, 150);
  struct asked request = request_for_means(x);
  request.settings.gpu_memory = 6e6;
  struct outcome outcome = run(&request);
  CHECK(outcome.status == PCF_OK);
  CHECK(outcome.report.halvings == 0);
  CHECK(fake_cuda.bytes[0] > 3000000 && fake_cuda.bytes[0] <= 6000000);
}

/* Whatever the blocks, the number of devices, and the memory that they may use. */
TEST(cuda_means_are_the_same_in_all_blocks) {
  static const char *const methods[] = {"sweep", "grid", "split"};
  struct functions *x = functions_random(&random, PARTIAL, 260, 5, 10);
  for (int m = 0; m < 6; m++) {
    struct asked request = request_for_means(x);
    request.pairs.method = methods[m % 3];
    request.pairs.precision = m < 3 ? PCF_DOUBLE : PCF_SINGLE_PRECISION;
    fake_cuda_reset();
    struct outcome cut = run(&request);
    CHECK(cut.status == PCF_OK && cut.report.blocks > 4);
    for (int variant = 0; variant < 3; variant++) {
      request.settings.block_side = variant == 0 ? 0 : 128;
      request.settings.gpus = variant == 1 ? 2 : 1;
      request.settings.gpu_memory = variant == 2 && m % 3 != 1 ? 1.5e6 : 0;
      fake_cuda_reset();
      struct outcome other = run(&request);
      CHECK(outcomes_equal(&cut, &other));
    }
  }
}

/* The side is rounded up to whole tiles, doubled, but not for ever. */
TEST(cuda_takes_a_side_beyond_all_numbers) {
  struct functions *x = functions_random(&random, PAPER, 100, 5, 10);
  struct asked request = cuda_request(x, NULL);
  request.settings.block_side = INT64_MAX;
  struct outcome outcome = run(&request);
  CHECK(outcome.status == PCF_OK && outcome.report.blocks == 1);
}

/* ---- What stays ---- */

TEST(cuda_allocates_nothing_in_the_second_call) {
  struct functions *x = functions_random(&random, PAPER, 150, 10, 40);
  struct asked request = cuda_request(x, NULL);
  request.settings.gpus = 1; /* which of two gets a block is a matter of chance */
  request.settings.block_side = 64;
  struct outcome first = run(&request);
  long allocations = fake_cuda.allocations, held = fake_cuda_held();
  CHECK(fake_cuda.streams > 0 && fake_cuda.pinned > 0 && fake_cuda.bytes[0] > 0);
  for (int call = 0; call < 2; call++) {
    struct outcome again = run(&request);
    CHECK(outcomes_equal(&first, &again));
  }
  CHECK(fake_cuda.allocations == allocations && fake_cuda_held() == held);
  request.settings.gpus = 2;
  struct outcome of_two = run(&request);
  CHECK(outcomes_equal(&first, &of_two));
  struct pcf_cuda_info info;
  pcf_cuda_describe(&info, 2);
  CHECK(info.gpu[0].idle_memory == (double)fake_cuda.bytes[0]);
  double device_bytes = (double)(fake_cuda.bytes[0] + fake_cuda.bytes[1]);
  CHECK(pcf_cuda_release() == device_bytes);
  CHECK(fake_cuda_held() == 0);
  CHECK(pcf_cuda_release() == 0);
}

/* The pinned memory of six blocks, and of their divisors, is no more than what stays. */
TEST(cuda_keeps_pinned_memory_of_the_largest_blocks_of_means) {
  struct functions *x = functions_random(&random, PARTIAL, 2100, 1, 2);
  struct asked request = request_for_means(x);
  request.settings.block_side = 0;
  fake_cuda.capacity = (size_t)1 << 36;
  struct outcome outcome = run(&request);
  CHECK(outcome.status == PCF_OK && outcome.report.blocks == 6);
  CHECK(fake_cuda.pinned >= 2L * 6 * 1024 * 1024 * (long)sizeof(double));
}

TEST(cuda_keeps_no_more_than_it_may) {
  struct functions *x = functions_random(&random, PAPER, 300, 10, 40);
  struct asked request = cuda_request(x, NULL);
  pcf_cuda_limit_idle(0);
  struct outcome outcome = run(&request);
  CHECK(outcome.status == PCF_OK && fake_cuda.bytes[0] == 0 && fake_cuda.pinned == 0);
  pcf_cuda_limit_idle(100000);
  outcome = run(&request);
  CHECK(outcome.status == PCF_OK && fake_cuda.bytes[0] <= 100000);
}

/* A call that needs all the memory gets what an earlier one left. */
TEST(cuda_gives_up_what_is_kept_when_memory_is_wanted) {
  struct functions *small = functions_random(&random, PAPER, 100, 10, 40);
  struct functions *large = functions_random(&random, PAPER, 400, 10, 40);
  struct asked request = cuda_request(large, NULL);
  struct outcome outcome = run(&request);
  size_t needed = (size_t)fake_cuda.bytes[0];
  fake_cuda_reset();
  request = cuda_request(small, NULL);
  outcome = run(&request);
  CHECK(fake_cuda.bytes[0] > 0);
  fake_cuda.capacity = needed * 5 / 2; /* of which a half is for functions */
  request = cuda_request(large, NULL);
  outcome = run(&request);
  CHECK(outcome.status == PCF_OK && outcome.report.halvings == 0);
}

/* ---- Faults ---- */

/* Whatever call of CUDA fails, everything is given back, and the next run works. */
static void fail_everywhere(struct asked request, cudaError_t failure) {
  fake_cuda_reset();
  struct outcome expected = run(&request);
  int works = 0;
  for (long k = 1; !works && k < 2000; k++) {
    fake_cuda_reset();
    CHECK(fake_cuda_held() == 0);
    fake_cuda.calls = 0;
    fake_cuda.failure = failure;
    fake_cuda.fail_at = k;
    struct outcome outcome = run(&request);
    works = fake_cuda.calls < k;
    fake_cuda.fail_at = 0;
    if (outcome.status) {
      CHECK(outcome.status == PCF_ERROR_DEVICE || outcome.status == PCF_ERROR_DEVICE_MEMORY ||
            outcome.status == PCF_ERROR_MEMORY);
      CHECK(outcome.error.message[0] != '\0');
    } else {
      CHECK(outcomes_equal(&outcome, &expected));
    }
    if (k % 16) continue;
    outcome = run(&request);
    CHECK(outcomes_equal(&outcome, &expected));
  }
  CHECK(works);
}

TEST(cuda_gives_everything_back_after_a_failure) {
  struct functions *x = functions_random(&random, PAPER, 70, 5, 12);
  struct asked request = cuda_request(x, NULL);
  request.settings.block_side = 64;
  fail_everywhere(request, cudaErrorUnknown);
  fail_everywhere(request, cudaErrorMemoryAllocation);
  struct functions *partial = functions_random(&random, PARTIAL, 70, 5, 12);
  struct asked means = request_for_means(partial);
  fail_everywhere(means, cudaErrorUnknown);
  fail_everywhere(means, cudaErrorMemoryAllocation);
  request.settings.timeline = 1;
  request.settings.gpus = 2;
  fail_everywhere(request, cudaErrorUnknown);
}

TEST(cuda_says_which_failures_only_a_new_session_mends) {
  struct functions *x = functions_random(&random, PAPER, 100, 5, 12);
  struct asked request = cuda_request(x, NULL);
  run(&request);
  for (int final = 0; final < 2; final++) {
    int said = 0, computing = 0;
    for (long k = 1; k < 60; k++) {
      fake_cuda_reset();
      fake_cuda.calls = 0;
      fake_cuda.failure = final ? cudaErrorLaunchFailure : cudaErrorUnknown;
      fake_cuda.fail_at = k;
      struct outcome outcome = run(&request);
      computing += outcome.status && strstr(outcome.error.message, " failed on CUDA device ");
      said += outcome.status &&
              strstr(outcome.error.message, "; GPUs can only be used again in a new session");
    }
    fake_cuda_reset();
    CHECK(computing > 0 && (final ? said >= computing : said == 0));
  }
}

TEST(cuda_without_memory_tells_how_much_there_is) {
  struct functions *x = functions_random(&random, PAPER, 150, 5, 20);
  struct asked request = cuda_request(x, NULL);
  request.settings.gpu_memory = 1e4;
  struct outcome outcome = run(&request);
  CHECK(outcome.status == PCF_ERROR_DEVICE_MEMORY);
  CHECK(strstr(outcome.error.message, "need ") &&
        strstr(outcome.error.message, " bytes are available"));
  CHECK(!strchr(outcome.error.message, '-'));
  request.settings.gpu_memory = 0;
  pcf_cuda_provocation.memory = 1e4;
  outcome = run(&request);
  CHECK(outcome.status == PCF_ERROR_DEVICE_MEMORY);
  CHECK(strstr(outcome.error.message, "that may be used are free"));
  CHECK(!strchr(outcome.error.message, '-'));
}

/* Of the host, too. */
TEST(cuda_gives_everything_back_without_memory) {
  struct functions *x = functions_random(&random, SHARED_GRID, 60, 5, 20);
  struct functions *y = functions_random(&random, SHARED_GRID, 50, 5, 20);
  static const char *const methods[] = {"sweep", "grid", "split"};
  for (int k = 0; k < 3; k++) {
    struct asked request = cuda_request(x, y);
    request.pairs.method = methods[k];
    fake_cuda_reset();
    struct outcome expected = run(&request);
    int works = 0;
    for (long n = 1; !works && n < 200; n++) {
      pcf_memory_fail_at(n);
      struct outcome outcome = run(&request);
      works = memory_failure_is_pending(n);
      if (works) CHECK(outcomes_equal(&outcome, &expected));
      else CHECK(outcome.status == PCF_ERROR_MEMORY);
    }
    CHECK(works);
    fake_cuda_reset();
    CHECK(fake_cuda_held() == 0);
  }
}

/* ---- Which method ---- */

static void check_method(struct functions *x, const char *asked, const char *want) {
  struct asked request = cuda_request(x, NULL);
  request.pairs.method = asked;
  request.other = pcf_cuda_backend();
  fake_cuda_reset();
  struct outcome planned = run_on(&request, NULL);
  REQUIRE(planned.status == PCF_OK);
  if (want) CHECK_STRING(planned.report.offer[1].method, want);
  else CHECK(!planned.report.offer[1].method);
}

TEST(cuda_offers_the_cheapest_method_or_the_one_asked_for) {
  struct functions *few = functions_random(&random, PAPER, 4, 5000, 5000);
  struct functions *many = functions_random(&random, PAPER, 300, 10, 20);
  struct functions *shared = functions_random(&random, SHARED_GRID, 300, 20, 20);
  check_method(few, NULL, "split");
  check_method(few, "sweep", "sweep");
  check_method(many, NULL, "sweep");
  check_method(many, "split", "split");
  check_method(many, "walk", NULL);
  check_method(shared, NULL, "grid");
}

/* ---- Which GPUs ---- */

TEST(cuda_uses_as_many_gpus_as_wanted_and_no_more) {
  struct functions *x = functions_random(&random, PAPER, 100, 5, 10);
  struct asked request = cuda_request(x, NULL);
  struct pcf_cuda_info info;
  int device = -1;
  fake_cuda_reset();
  for (int d = 0; d < FAKE_DEVICES; d++) fake_cuda.used[d] = 0;
  pcf_cuda_describe(&info, 1);
  CHECK(info.count == FAKE_DEVICES && info.wanted == 1 && !info.problem[0]);
  CHECK(isnan(info.gpu[0].free_memory) && info.gpu[0].has_code && !info.gpu[2].has_code);
  CHECK(!fake_cuda.used[0] && !fake_cuda.used[1] && !fake_cuda.used[2]);
  REQUIRE(!pcf_cuda_measure(&info, NULL));
  CHECK(info.gpu[0].free_memory == (double)(1 << 30) && isnan(info.gpu[1].free_memory));
  struct outcome outcome = run(&request);
  CHECK(outcome.status == PCF_OK && fake_cuda.used[0] && !fake_cuda.used[1]);
  pcf_cuda_describe(&info, 2);
  cudaSetDevice(1);
  REQUIRE(!pcf_cuda_measure(&info, NULL));
  cudaGetDevice(&device);
  CHECK(device == 1);
  pcf_cuda_release();
  cudaGetDevice(&device);
  CHECK(device == 1);
  cudaSetDevice(0);
  CHECK(!fake_cuda.used[2]);
  pcf_cuda_describe(&info, 0);
  CHECK(strstr(info.problem, "no code for fake 2 (compute capability 7.0)"));
}

TEST(cuda_that_cannot_start_is_an_error_or_left_to_the_cpu) {
  struct functions *x = functions_random(&random, PAPER, 3000, 60, 100);
  struct asked request = cuda_request(x, NULL);
  pcf_cuda_provocation.start = 1;
  struct outcome only = run(&request);
  CHECK(only.status == PCF_ERROR_DEVICE_MEMORY);
  CHECK_STRING(only.error.message,
               "CUDA device 0 (fake 0) has no memory left to start CUDA on it");
  /* The request takes the CPU long enough for CUDA to be considered; it is only planned. */
  request.settings.threads = 1;
  request.other = pcf_cuda_backend();
  struct outcome planned = run_on(&request, NULL);
  REQUIRE(planned.status == PCF_OK);
  CHECK_STRING(device_of(&planned), "cpu");
  CHECK(isinf(planned.report.offer[1].seconds));
  CHECK_STRING(planned.report.offer[1].problem.message, only.error.message);
  fake_cuda_reset();
  planned = run_on(&request, NULL);
  REQUIRE(planned.status == PCF_OK);
  CHECK_STRING(planned.report.offer[1].problem.message, "");
  CHECK(isfinite(planned.report.offer[1].seconds));
  fake_cuda.broken = 1;
  planned = run_on(&request, NULL);
  REQUIRE(planned.status == PCF_OK);
  CHECK_STRING(device_of(&planned), "cpu");
  CHECK(strstr(planned.report.offer[1].problem.message, "again in a new session"));
  fake_cuda_reset();
}

#ifndef _WIN32
/* The child neither uses nor frees what its parent has. */
TEST(cuda_stays_with_the_parent_after_a_fork) {
  struct functions *x = functions_random(&random, PAPER, 100, 5, 10);
  struct asked request = cuda_request(x, NULL);
  CHECK(run(&request).status == PCF_OK);
  long held = fake_cuda_held();
  CHECK(held > 0);
  pid_t child = fork();
  if (child == 0) {
    struct pcf_cuda_info info;
    pcf_cuda_describe(&info, 1);
    int told = strstr(info.problem, "forked") != NULL;
    _exit(told && pcf_cuda_release() == 0 && fake_cuda_held() == held ? 7 : 1);
  }
  int status = 0;
  REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  CHECK(pcf_cuda_release() > 0 && fake_cuda_held() == 0);
}
#endif
