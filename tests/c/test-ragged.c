/* The ragged primitives: partitions, segmented reductions, runs of keys, intervals. */
#include "check.h"
#include "collections.h"

#include "base/memory.h"
#include "base/search.h"
#include "collections/intervals.h"
#include "collections/partition.h"
#include "summaries/segments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Partitions ---- */

static void running_totals(const int64_t *counts, int64_t n, int64_t *offsets) {
  offsets[0] = 0;
  for (int64_t k = 0; k < n; k++) offsets[k + 1] = offsets[k] + counts[k];
}

/* Where a search for what an element belongs to could go wrong by one. */
TEST(ragged_segment_of_an_element) {
  static const int64_t offsets[] = {0, 957, 1008, 2000, 2312};
  CHECK(pcf_segment_of(offsets, 4, 0) == 0);
  CHECK(pcf_segment_of(offsets, 4, 956) == 0);
  CHECK(pcf_segment_of(offsets, 4, 957) == 1);
  CHECK(pcf_segment_of(offsets, 4, 1000) == 1);
  CHECK(pcf_segment_of(offsets, 4, 2000) == 3);
  CHECK(pcf_segment_of(offsets, 4, 2311) == 3);
}

/* Kinds of lengths: one segment, all empty, all of one element, about the size of parts and of
 * chunks, and one long segment among many short ones. */
enum { KINDS = 8 };

static int64_t *lengths_of_kind(struct random *random, int kind, int64_t *count) {
  static const int64_t counts[KINDS] = {1, 300000, 300000, 60, 9, 20000, 100000, 0};
  *count = counts[kind];
  int64_t *lengths = kept(malloc((size_t)(*count + 1) * sizeof *lengths));
  for (int64_t s = 0; s < *count; s++) {
    switch (kind) {
    case 0: lengths[s] = 5 * PCF_CHUNK + 3; break;
    case 1: lengths[s] = 0; break;
    case 2: lengths[s] = 1; break;
    case 3:
      lengths[s] = PCF_PART * random_between(random, 0, 3) + random_between(random, 0, 2) - 1;
      break;
    case 4: lengths[s] = PCF_CHUNK + random_between(random, -2, 2); break;
    case 5: lengths[s] = random_between(random, 0, 40); break;
    case 6: lengths[s] = s == 777 ? 3 * PCF_CHUNK : random_between(random, 0, 3); break;
    }
    if (lengths[s] < 0) lengths[s] = 0;
  }
  return lengths;
}

static int64_t *offsets_of_kind(int kind, int64_t *count) {
  struct random random = {(uint64_t)kind + 1};
  int64_t *lengths = lengths_of_kind(&random, kind, count);
  int64_t *offsets = kept(malloc((size_t)(*count + 1) * sizeof *offsets));
  running_totals(lengths, *count, offsets);
  return offsets;
}

/* Chunks follow one another, are of about the same cost, and cut segments at whole parts. */
TEST(ragged_chunks_cover_everything_evenly) {
  for (int kind = 0; kind < KINDS; kind++) {
    int64_t count, *offsets = offsets_of_kind(kind, &count);
    int64_t chunks = pcf_chunk_count(offsets, count);
    for (int64_t part = 1; part <= PCF_PART; part += PCF_PART - 1) {
      struct pcf_cut before = {0, 0};
      for (int64_t k = 0; k < chunks; k++) {
        struct pcf_cut cut = pcf_chunk_begin(offsets, count, k, part);
        CHECK(cut.segment >= before.segment && cut.element >= before.element);
        CHECK(cut.segment - before.segment + cut.element - before.element <= PCF_CHUNK + part);
        if (cut.segment < count) {
          int64_t rank = cut.element - offsets[cut.segment];
          CHECK(rank % part == 0 && rank >= 0);
          CHECK(rank == 0 || cut.element < offsets[cut.segment + 1]);
        } else {
          CHECK(cut.segment == count && cut.element == offsets[count]);
        }
        before = cut;
      }
      CHECK(count - before.segment + offsets[count] - before.element <= PCF_CHUNK + part);
    }
    struct pcf_cut first = pcf_chunk_begin(offsets, count, 0, 1);
    CHECK(first.element == 0);
  }
}

/* ---- Reductions against plain loops ---- */

static double plain(enum pcf_reduce reduce, const double *value, int64_t n) {
  long double sum = 0;
  double least = INFINITY, most = -INFINITY;
  for (int64_t k = 0; k < n; k++) {
    sum += value[k];
    least = fmin(least, value[k]);
    most = fmax(most, value[k]);
  }
  return reduce == PCF_SUM ? (double)sum : reduce == PCF_MIN ? least : most;
}

static double magnitude(const double *value, int64_t n) {
  double sum = 0;
  for (int64_t k = 0; k < n; k++) sum += fabs(value[k]);
  return sum;
}

TEST(ragged_reductions_agree_with_loops) {
  for (int kind = 0; kind < KINDS; kind++) {
    int64_t count, *offsets = offsets_of_kind(kind, &count), n = offsets[count];
    double *value = kept(malloc((size_t)(n + 1) * sizeof *value));
    double *result = kept(malloc((size_t)(count + 1) * sizeof *result));
    double *again = kept(malloc((size_t)(count + 1) * sizeof *again));
    for (int64_t k = 0; k < n; k++) value[k] = random_normal(&random);
    for (int op = PCF_SUM; op <= PCF_MAX; op++) {
      struct pcf_numbers numbers = {value, NULL};
      CHECK(!pcf_segment_reduce(op, numbers, offsets, count, 1, NULL, result, NULL));
      for (int64_t s = 0; s < count; s++) {
        int64_t m = offsets[s + 1] - offsets[s];
        double want = plain(op, value + offsets[s], m);
        if (op == PCF_SUM)
          CHECK(fabs(result[s] - want) <= 1e-14 * magnitude(value + offsets[s], m));
        else CHECK(result[s] == want);
      }
      CHECK(!pcf_segment_reduce(op, numbers, offsets, count, 3, NULL, again, NULL));
      CHECK(memcmp(result, again, (size_t)count * sizeof *result) == 0);
    }
  }
}

/* What a segment gives does not depend on where it lies. */
TEST(ragged_reductions_depend_on_the_segment_alone) {
  enum { LONG = 3 * PCF_CHUNK + 1234, SHIFT = 98765 };
  double *value = kept(malloc((LONG + SHIFT) * sizeof *value)), alone, moved_sum[2];
  for (int64_t k = 0; k < LONG + SHIFT; k++) value[k] = random_normal(&random);
  struct pcf_numbers whole = {value + SHIFT, NULL}, with_others = {value, NULL};
  CHECK(!pcf_segment_reduce(PCF_SUM, whole, (int64_t[]){0, LONG}, 1, 2, NULL, &alone, NULL));
  CHECK(!pcf_segment_reduce(PCF_SUM, with_others, (int64_t[]){0, SHIFT, SHIFT + LONG}, 2, 2,
                            NULL, moved_sum, NULL));
  CHECK(moved_sum[1] == alone);
}

static bool is_na(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return isnan(x) && (uint32_t)bits == 1954;
}

TEST(ragged_missing_values) {
  enum { N = 40000 };
  static double value[N];
  static int32_t integer[N];
  uint64_t na = 0x7ff00000000007a2u;
  int64_t offsets[] = {0, 10, 20, 30, N - 5, N};
  double result[5];
  static double reals[N];
  for (int k = 0; k < N; k++) reals[k] = value[k] = integer[k] = k % 7 - 3;
  memcpy(&value[12], &na, sizeof na);
  value[14] = NAN;
  value[25] = NAN;
  value[N - 100] = NAN;
  value[N - 3] = INFINITY;
  integer[12] = integer[N - 100] = INT32_MIN;
  for (int op = PCF_SUM; op <= PCF_MAX; op++) {
    CHECK(!pcf_segment_reduce(op, (struct pcf_numbers){value, NULL}, offsets, 5, 2, NULL,
                              result, NULL));
    CHECK(isfinite(result[0]) && is_na(result[1]));
    CHECK(isnan(result[2]) && !is_na(result[2]));
    CHECK(isnan(result[3]) && !is_na(result[3]));
    CHECK(result[4] == (op == PCF_MIN ? plain(PCF_MIN, value + N - 5, 5) : INFINITY));
    CHECK(!pcf_segment_reduce(op, (struct pcf_numbers){NULL, integer}, offsets, 5, 2, NULL,
                              result, NULL));
    CHECK(isfinite(result[0]) && is_na(result[1]) && is_na(result[3]));
    CHECK(result[2] == plain(op, reals + 20, 10));
  }
}

TEST(ragged_sums_of_integers_do_not_overflow) {
  enum { N = 100000 };
  int32_t *value = kept(malloc(N * sizeof *value));
  double result;
  for (int k = 0; k < N; k++) value[k] = INT32_MAX - k % 2;
  struct pcf_numbers numbers = {NULL, value};
  CHECK(!pcf_segment_reduce(PCF_SUM, numbers, (int64_t[]){0, N}, 1, 1, NULL, &result, NULL));
  CHECK(result == (double)N * INT32_MAX - N / 2);
}

/* ---- Runs ---- */

TEST(ragged_runs_over_many_chunks) {
  enum { N = 3 * PCF_CHUNK + 17 };
  double *key = kept(malloc(N * sizeof *key));
  int64_t runs = 0;
  for (int64_t k = 0; k < N; k++) {
    int fresh = k == 0 || random_between(&random, 0, 9999) == 0 || k % PCF_CHUNK == 0;
    key[k] = fresh ? (double)++runs : key[k - 1];
  }
  struct pcf_keys keys = {PCF_KEY_REAL, key, N};
  int64_t before[5], *offsets = kept(malloc((size_t)(runs + 1) * sizeof *offsets));
  REQUIRE(pcf_run_chunks(&keys) == 4);
  CHECK(pcf_count_runs(&keys, 3, NULL, before, NULL) == PCF_OK);
  REQUIRE(before[4] == runs);
  CHECK(pcf_fill_runs(&keys, before, 3, NULL, offsets, NULL) == PCF_OK);
  CHECK(offsets[0] == 0 && offsets[runs] == N);
  for (int64_t r = 0; r < runs; r++) {
    CHECK(key[offsets[r]] == (double)r + 1 && key[offsets[r + 1] - 1] == (double)r + 1);
  }
}

TEST(ragged_keys_of_all_types) {
  double real[] = {1, 1, NAN, -NAN, 0, -0.0, 2};
  double pair[] = {1, 2, 1, 2, 1, 3, NAN, 0, NAN, 0};
  unsigned char byte[] = {1, 1, 2};
  int32_t integer[] = {1, 1, 2, 3, 5, 5, 5, 8};
  const struct {
    struct pcf_keys keys;
    int64_t runs;
  } cases[] = {{{PCF_KEY_REAL, real, 7}, 4},
               {{PCF_KEY_COMPLEX, pair, 5}, 3},
               {{PCF_KEY_BYTE, byte, 3}, 2},
               {{PCF_KEY_INTEGER, integer, 8}, 5},
               {{PCF_KEY_INTEGER, integer, 0}, 0}};
  for (int c = 0; c < 5; c++) {
    int64_t before[2] = {0}, offsets[9];
    CHECK(pcf_count_runs(&cases[c].keys, 1, NULL, before, NULL) == PCF_OK);
    CHECK(before[pcf_run_chunks(&cases[c].keys)] == cases[c].runs);
    CHECK(pcf_fill_runs(&cases[c].keys, before, 1, NULL, offsets, NULL) == PCF_OK);
    CHECK(offsets[cases[c].runs] == cases[c].keys.count);
  }
}

/* ---- Intervals ---- */

TEST(ragged_intervals_of_all_kinds_and_sizes) {
  static const size_t sizes[] = {1, 2, 4, 8, 16};
  for (int kind = 0; kind < KINDS; kind++) {
    int64_t count, *offsets = offsets_of_kind(kind, &count), n = offsets[count];
    for (int z = 0; z < 5; z++) {
      size_t size = sizes[z];
      unsigned char *value = kept(malloc((size_t)(count + 1) * size));
      unsigned char *to = kept(malloc((size_t)(n + 1) * size)),
                    *back = kept(malloc((size_t)(n + 1) * size));
      int64_t *scatter = kept(malloc((size_t)(count + 1) * sizeof *scatter));
      for (int64_t k = 0; k < count * (int64_t)size; k++)
        value[k] = (unsigned char)(k * 37 % 251);
      CHECK(!pcf_interval_expand(value, size, offsets, count, 3, NULL, to, NULL));
      bool right = true;
      for (int64_t s = 0; s < count; s++) {
        for (int64_t k = offsets[s]; k < offsets[s + 1]; k++) {
          right &= memcmp(to + (size_t)k * size, value + (size_t)s * size, size) == 0;
        }
        scatter[s] = n - offsets[s + 1]; /* the intervals in the opposite order */
      }
      CHECK(right);
      CHECK(!pcf_interval_move(to, NULL, back, scatter, size, offsets, count, 3, NULL, NULL));
      memset(to, 0, (size_t)n * size);
      CHECK(!pcf_interval_move(back, scatter, to, NULL, size, offsets, count, 2, NULL, NULL));
      for (int64_t s = 0; s < count; s++) {
        for (int64_t k = offsets[s]; k < offsets[s + 1]; k++) {
          right &= memcmp(to + (size_t)k * size, value + (size_t)s * size, size) == 0;
        }
      }
      CHECK(right);
    }
  }
}

/* ---- Faults ---- */

TEST(ragged_without_memory) {
  double values[] = {1, 2, 3}, result[2];
  int64_t offsets[] = {0, 1, 3}, before[2];
  struct pcf_numbers numbers = {values, NULL};
  struct pcf_keys keys = {PCF_KEY_REAL, values, 3};
  struct pcf_error error = {0};
  for (long k = 1; k <= 2; k++) {
    pcf_memory_fail_at(k);
    CHECK(pcf_segment_reduce(PCF_SUM, numbers, offsets, 2, 2, NULL, result, &error) ==
          PCF_ERROR_MEMORY);
    CHECK(error.status == PCF_ERROR_MEMORY && error.message[0]);
  }
  pcf_memory_fail_at(1);
  CHECK(pcf_count_runs(&keys, 2, NULL, before, &error) == PCF_ERROR_MEMORY);
  pcf_memory_fail_at(1);
  CHECK(pcf_interval_expand(values, 8, offsets, 2, 2, NULL, result, &error) ==
        PCF_ERROR_MEMORY);
}
