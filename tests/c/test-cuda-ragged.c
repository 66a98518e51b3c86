/* The ragged primitives on a device, over a fake of CUDA: what goes up and comes back, and what
 * is left after failures. */
#include "check.h"
#include "fake-cuda.h"
#include "ragged.h"

#include "base/memory.h"
#include "collections/intervals.h"
#include "cuda/info.h"
#include "cuda/ragged.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct pcf_settings one_gpu = {.threads = 3, .gpus = 1};

/* Offsets of segments of 0 … most elements, the first of them long. */
static int64_t *offsets_of(struct random *random, int64_t count, int64_t most, int64_t first) {
  int64_t *offsets = malloc((size_t)(count + 1) * sizeof *offsets);
  offsets[0] = 0;
  for (int64_t s = 0; s < count; s++) {
    offsets[s + 1] = offsets[s] + (s ? random_between(random, 0, most) : first);
  }
  return offsets;
}

/* ---- Reductions ---- */

/* The first so many ways of reducing segments, of six. */
static void check_reductions_in(int ways, struct random *random, int64_t count, int64_t most,
                                int64_t first) {
  int64_t *offsets = offsets_of(random, count, most, first), total = offsets[count];
  double *real = zeroed(total + 1, sizeof *real);
  int32_t *integer = zeroed(total + 1, sizeof *integer);
  double *want = zeroed(count + 1, sizeof *want), *got = zeroed(count + 1, sizeof *got);
  for (int64_t k = 0; k < total; k++) {
    real[k] = random_normal(random);
    integer[k] = (int32_t)random_between(random, -1000, 1000);
  }
  for (int k = 0; k < ways; k++) {
    enum pcf_reduce reduce = (enum pcf_reduce)(k / 2);
    struct pcf_numbers values = {k % 2 ? NULL : real, k % 2 ? integer : NULL};
    CHECK(!pcf_segment_reduce(reduce, values, offsets, count, 2, NULL, want, NULL));
    CHECK(!pcf_cuda_segment_reduce(reduce, values, offsets, count, &one_gpu, NULL, got, NULL));
    CHECK(memcmp(got, want, (size_t)count * sizeof *got) == 0);
  }
  free(offsets), free(real), free(integer), free(want), free(got);
}

static void check_reductions(struct random *random, int64_t count, int64_t most,
                             int64_t first) {
  check_reductions_in(6, random, count, most, first);
}

TEST(cuda_ragged_reduces_segments_of_all_lengths) {
  struct random random = {31};
  fake_cuda_reset();
  fake_cuda.complete = 1;
  check_reductions(&random, 0, 0, 0);
  check_reductions(&random, 1, 0, 0);
  check_reductions(&random, 1, 0, 5);
  check_reductions(&random, 1000, 0, 0);
  check_reductions(&random, 1000, 20, 30000);
  if (check_quick()) return;
  check_reductions_in(1, &random, 40, 1000, 9 << 18); /* more than goes up, or back, at once */
  check_reductions_in(1, &random, 1100000, 1, 3);
}

static void check_runs(enum pcf_key type, const void *key, const double *values, int64_t n) {
  struct pcf_keys keys = {type, key, n};
  int64_t *before = zeroed(pcf_run_chunks(&keys) + 1, sizeof *before);
  CHECK(!pcf_count_runs(&keys, 1, NULL, before, NULL));
  int64_t runs = before[pcf_run_chunks(&keys)], count = -1, *offsets;
  int64_t *want_offsets = zeroed(runs + 1, sizeof *want_offsets);
  double *want = zeroed(runs + 1, sizeof *want), *got;
  struct pcf_numbers numbers = {values, NULL};
  CHECK(!pcf_fill_runs(&keys, before, 1, NULL, want_offsets, NULL));
  CHECK(!pcf_segment_reduce(PCF_SUM, numbers, want_offsets, runs, 1, NULL, want, NULL));
  REQUIRE(!pcf_cuda_reduce_by_key(PCF_SUM, &keys, numbers, &one_gpu, NULL, &count, &offsets,
                                  &got, NULL));
  CHECK(count == runs);
  CHECK(memcmp(offsets, want_offsets, (size_t)(runs + 1) * sizeof *offsets) == 0);
  CHECK(memcmp(got, want, (size_t)runs * sizeof *got) == 0);
  pcf_free(offsets), pcf_free(got);
  free(before), free(want_offsets), free(want);
}

TEST(cuda_ragged_reduces_runs_of_all_types) {
  struct random random = {32};
  enum { N = 5000 };
  static int32_t integer[N];
  static double real[2 * N], values[N];
  static unsigned char byte[N];
  fake_cuda_reset();
  for (int64_t k = 0; k < N; k++) {
    integer[k] = (int32_t)random_between(&random, 0, 2);
    real[2 * k] = random_uniform(&random) < 0.2 ? NAN : (double)random_between(&random, 0, 1);
    real[2 * k + 1] = (double)random_between(&random, 0, 1);
    byte[k] = (unsigned char)(random_uniform(&random) < 0.9);
    values[k] = random_normal(&random);
  }
  for (int64_t n = 1; n <= N; n = n * 7 + 3) {
    check_runs(PCF_KEY_INTEGER, integer, values, n);
    check_runs(PCF_KEY_REAL, real, values, n);
    check_runs(PCF_KEY_COMPLEX, real, values, n);
    check_runs(PCF_KEY_BYTE, byte, values, n);
  }
  CHECK(pcf_cuda_release() > 0 && fake_cuda_held() == 0);
}

/* ---- Intervals ---- */

/* Every kind of move of elements of a size, against the CPU's. */
static void check_moves(struct random *random, int64_t count, size_t size) {
  int64_t *offsets = offsets_of(random, count, 9, 3000), total = offsets[count];
  int64_t *gather = zeroed(count, sizeof *gather), *scatter = zeroed(count, sizeof *scatter);
  int64_t source = 2 * total + count + 10, length = total + 2 * count;
  unsigned char *from = zeroed(source, size), *want = zeroed(length, size);
  unsigned char *got = zeroed(length, size);
  for (int64_t b = 0; b < source * (int64_t)size; b++) from[b] = (unsigned char)(b * 7 % 251);
  for (int64_t s = 0; s < count; s++) {
    int64_t own = offsets[s + 1] - offsets[s];
    gather[s] = random_between(random, 0, source - own - 1);
    scatter[count - 1 - s] = total - offsets[count - s] + 2 * s;
  }
  for (int kind = 0; kind < 5; kind++) {
    struct pcf_cuda_intervals intervals = {.from = from,
                                           .to = got,
                                           .source = kind == 4 ? count : source,
                                           .length = kind & 2 ? length : total,
                                           .expand = kind == 4,
                                           .gather = kind < 4 && kind & 1 ? gather : NULL,
                                           .scatter = kind < 4 && kind & 2 ? scatter : NULL,
                                           .offsets = offsets,
                                           .count = count,
                                           .size = size};
    memset(want, 99, (size_t)length * size);
    memset(got, 99, (size_t)length * size);
    if (kind == 4) {
      CHECK(!pcf_interval_expand(from, size, offsets, count, 1, NULL, want, NULL));
    } else {
      CHECK(!pcf_interval_move(from, intervals.gather, want, intervals.scatter, size, offsets,
                               count, 1, NULL, NULL));
    }
    CHECK(!pcf_cuda_move(&intervals, &one_gpu, NULL, NULL));
    CHECK(memcmp(got, want, (size_t)length * size) == 0);
  }
  free(offsets), free(gather), free(scatter), free(from), free(want), free(got);
}

TEST(cuda_ragged_moves_intervals_of_all_kinds_and_sizes) {
  static const size_t sizes[] = {1, 4, 8, 16};
  struct random random = {33};
  fake_cuda_reset();
  for (int k = 0; k < 4; k++) {
    check_moves(&random, 1, sizes[k]);
    check_moves(&random, 3000, sizes[k]);
  }
  check_moves(&random, 400000, 8);
}

/* ---- Failures ---- */

TEST(cuda_ragged_gives_everything_back_after_a_failure) {
  struct random random = {34};
  int64_t *offsets = offsets_of(&random, 50, 20, 9000), total = offsets[50];
  double *values = zeroed(total, sizeof *values), result[50];
  int32_t *key = zeroed(total, sizeof *key);
  struct pcf_keys keys = {PCF_KEY_INTEGER, key, total};
  struct pcf_numbers numbers = {values, NULL};
  double *moved = zeroed(total, sizeof *moved);
  struct pcf_cuda_intervals intervals = {.from = values,
                                         .to = moved,
                                         .source = total,
                                         .length = total,
                                         .offsets = offsets,
                                         .count = 50,
                                         .size = 8};
  int works = 0;
  for (int64_t k = 0; k < total; k++) key[k] = (int32_t)(k / 100);
  for (long k = 1; !works && k < 500; k++) {
    for (int which = 0; which < 6; which++) {
      int64_t count, *runs = NULL;
      double *sums = NULL;
      struct pcf_error error = {0};
      enum pcf_status status;
      fake_cuda_reset();
      CHECK(fake_cuda_held() == 0);
      fake_cuda.calls = 0;
      fake_cuda.failure = which % 2 ? cudaErrorMemoryAllocation : cudaErrorUnknown;
      fake_cuda.fail_at = k;
      if (which < 2) {
        status = pcf_cuda_segment_reduce(PCF_SUM, numbers, offsets, 50, &one_gpu, NULL, result,
                                         &error);
      } else if (which < 4) {
        status = pcf_cuda_reduce_by_key(PCF_SUM, &keys, numbers, &one_gpu, NULL, &count, &runs,
                                        &sums, &error);
        CHECK(!status == (runs != NULL) && !status == (sums != NULL));
      } else {
        status = pcf_cuda_move(&intervals, &one_gpu, NULL, &error);
      }
      works = fake_cuda.calls < k;
      CHECK(!status == (error.message[0] == '\0'));
      CHECK(!works || !status);
      pcf_free(runs), pcf_free(sums);
    }
  }
  CHECK(works);
  fake_cuda_reset();
  CHECK(fake_cuda_held() == 0);
  free(offsets), free(values), free(key), free(moved);
}

TEST(cuda_ragged_ends_early_when_it_is_stopped) {
  enum { N = 1 << 20 };
  static double values[N];
  int64_t offsets[] = {0, N};
  atomic_int stop = 1;
  double result;
  fake_cuda_reset();
  CHECK(pcf_cuda_segment_reduce(PCF_SUM, (struct pcf_numbers){values, NULL}, offsets, 1,
                                &one_gpu, &stop, &result, NULL) == PCF_ERROR_INTERRUPTED);
  fake_cuda_reset();
  CHECK(fake_cuda_held() == 0);
}
