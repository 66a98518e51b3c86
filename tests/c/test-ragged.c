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

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof(array)[0]))

/* ---- Worked examples ---- */

static const int64_t csr_offsets[] = {0, 9, 19, 25, 71, 87, 97, 100};
static const int32_t csr_values[100] = {
  1, 5, 5, 1, 2, 5, 1, 1, 4, 4, 5, 3, 4, 4, 4, 2, 2, 4, 2, 5, 5, 1, 5, 1, 4,
  5, 1, 4, 2, 2, 2, 3, 3, 1, 4, 2, 4, 2, 1, 2, 5, 1, 2, 2, 3, 1, 2, 5, 4, 1,
  2, 5, 4, 2, 4, 1, 3, 2, 4, 4, 4, 4, 4, 3, 4, 4, 1, 5, 1, 1, 3, 2, 3, 1, 4,
  1, 1, 4, 4, 4, 3, 5, 5, 3, 2, 1, 5, 5, 4, 5, 4, 2, 2, 3, 5, 5, 1, 4, 1, 5};

TEST(ragged_segments_of_the_demonstration) {
  static const double sums[] = {25, 34, 21, 129, 48, 36, 10};
  double reals[100], result[7];
  for (int k = 0; k < 100; k++) reals[k] = csr_values[k];
  struct pcf_numbers numbers[] = {{reals, NULL}, {NULL, csr_values}};
  for (int type = 0; type < 2; type++) {
    CHECK(!pcf_segment_reduce(PCF_SUM, numbers[type], csr_offsets, 7, 2, NULL, result, NULL));
    for (int s = 0; s < 7; s++) CHECK(result[s] == sums[s]);
  }
}

/* The irregular rows whose sums are drawn beside them. */
static const int8_t rows[][20] = {{5, 4, -1},
                                  {5, -1},
                                  {0, 0, 4, 2, 5, -1},
                                  {1, 3, 1, 5, 1, 2, -1},
                                  {0, 3, 0, 2, 3, 4, 4, 3, -1},
                                  {2, 5, 5, 0, 5, 0, 3, 4, 5, 1, 1, 0, 5, 3, 2, 3, 3, -1},
                                  {3, 1, 5, 4, 5, -1},
                                  {4, 3, 3, 1, 5, -1},
                                  {1, 4, -1},
                                  {5, 2, 0, 0, 4, 4, 2, 4, 4, 2, 3, 2, 3, 4, 2, 0, 3, -1},
                                  {2, 3, 5, 0, 4, 0, 2, 4, 2, 5, 4, 0, 3, 2, -1},
                                  {5, 4, 2, 0, -1},
                                  {5, 3, 5, 1, 0, 0, 0, 3, 2, 5, -1},
                                  {5, 5, 2, 4, 0, 3, 5, -1},
                                  {3, 0, 4, 0, 5, 0, 5, 5, 3, 4, 5, 4, 2, 4, -1},
                                  {4, 4, -1},
                                  {3, 5, 1, 3, 1, 5, 3, 3, 5, 5, 1, -1},
                                  {5, 0, 2, 4, 2, 4, 3, 2, 0, 5, 0, 5, 4, 5, 0, 5, 2, 3, 1, -1},
                                  {2, 2, -1},
                                  {2, 2, 4, 0, 3, 0, 3, 0, 4, 1, 0, 5, -1}};
static const double row_sums[] = {9,  5,  11, 13, 19, 47, 18, 16, 5, 44,
                                  36, 11, 24, 24, 44, 8,  35, 52, 4, 24};

/* As segments, and as the products of a sparse matrix and a vector. */
TEST(ragged_rows_of_the_figure) {
  double values[200], result[20], vector[] = {1, 2};
  int64_t offsets[21] = {0}, n = 0;
  int32_t column[200];
  for (int r = 0; r < 20; r++) {
    for (int k = 0; rows[r][k] >= 0; k++) {
      column[n] = (int32_t)(n % 2);
      values[n] = (double)rows[r][k] / (n % 2 ? 2 : 1);
      n++;
    }
    offsets[r + 1] = n;
  }
  struct pcf_sparse matrix = {20, 2, offsets, column, values};
  CHECK(pcf_sparse_times_vectors(&matrix, vector, 1, 2, NULL, result, NULL) == PCF_OK);
  for (int r = 0; r < 20; r++) CHECK(result[r] == row_sums[r]);
  matrix.value = NULL;
  double ones[] = {1, 1};
  CHECK(pcf_sparse_times_vectors(&matrix, ones, 1, 2, NULL, result, NULL) == PCF_OK);
  for (int r = 0; r < 20; r++) CHECK(result[r] == (double)(offsets[r + 1] - offsets[r]));
  for (int64_t k = 0; k < n; k++) values[k] *= vector[column[k]];
  struct pcf_numbers numbers = {values, NULL};
  CHECK(!pcf_segment_reduce(PCF_SUM, numbers, offsets, 20, 2, NULL, result, NULL));
  for (int r = 0; r < 20; r++) CHECK(result[r] == row_sums[r]);
}

TEST(ragged_runs_of_the_demonstration) {
  static const int64_t lengths[] = {3, 3, 29, 8, 2, 11, 13, 1, 30};
  static const int32_t values[] = {2, 4, 2, 4, 1, 5, 3, 2, 4, 4, 2, 5, 2, 2, 5, 3, 3, 5, 3, 3,
                                   2, 2, 1, 4, 4, 2, 1, 4, 1, 3, 1, 3, 2, 4, 2, 5, 1, 2, 1, 5,
                                   4, 4, 1, 5, 4, 1, 5, 2, 3, 4, 1, 2, 4, 2, 5, 4, 3, 4, 5, 3,
                                   3, 4, 2, 1, 1, 2, 3, 3, 2, 2, 2, 4, 1, 5, 5, 2, 2, 4, 3, 1,
                                   3, 5, 4, 1, 2, 3, 2, 2, 5, 5, 1, 3, 3, 3, 4, 5, 5, 2, 4, 3};
  static const double sums[] = {8, 10, 82, 23, 9, 33, 36, 2, 94};
  int32_t key[100];
  int64_t before[2], offsets[10], n = 0;
  for (int r = 0; r < 9; r++) {
    for (int64_t k = 0; k < lengths[r]; k++) key[n++] = r;
  }
  REQUIRE(n == 100);
  struct pcf_keys keys = {PCF_KEY_INTEGER, key, 100};
  CHECK(pcf_run_chunks(&keys) == 1);
  CHECK(pcf_count_runs(&keys, 2, NULL, before, NULL) == PCF_OK);
  REQUIRE(before[1] == 9);
  CHECK(pcf_fill_runs(&keys, before, 2, NULL, offsets, NULL) == PCF_OK);
  double result[9];
  struct pcf_numbers numbers = {NULL, values};
  CHECK(!pcf_segment_reduce(PCF_SUM, numbers, offsets, 9, 2, NULL, result, NULL));
  for (int r = 0; r < 9; r++) CHECK(key[offsets[r]] == r && result[r] == sums[r]);
}

static const int64_t expand_counts[] = {2, 5,  7, 16, 0,  1, 0, 0, 14, 10,
                                        3, 14, 2, 1,  11, 2, 1, 0, 5,  6};
static const int32_t fibonacci[] = {1,  1,   2,   3,   5,   8,   13,   21,   34,   55,
                                    89, 144, 233, 377, 610, 987, 1597, 2584, 4181, 6765};

static int64_t running_totals(const int64_t *counts, int64_t n, int64_t *offsets) {
  offsets[0] = 0;
  for (int64_t k = 0; k < n; k++) offsets[k + 1] = offsets[k] + counts[k];
  return offsets[n];
}

TEST(ragged_expand_of_the_demonstration) {
  static const int64_t sources[] = {
    0,  0,  1,  1,  1,  1,  1,  2,  2,  2,  2,  2,  2,  2,  3,  3,  3,  3,  3,  3,
    3,  3,  3,  3,  3,  3,  3,  3,  3,  3,  5,  8,  8,  8,  8,  8,  8,  8,  8,  8,
    8,  8,  8,  8,  8,  9,  9,  9,  9,  9,  9,  9,  9,  9,  9,  10, 10, 10, 11, 11,
    11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 12, 12, 13, 14, 14, 14, 14, 14,
    14, 14, 14, 14, 14, 14, 15, 15, 16, 18, 18, 18, 18, 18, 19, 19, 19, 19, 19, 19};
  int64_t offsets[21];
  int32_t to[100];
  REQUIRE(running_totals(expand_counts, 20, offsets) == 100);
  CHECK(pcf_interval_expand(fibonacci, 4, offsets, 20, 2, NULL, to, NULL) == PCF_OK);
  for (int64_t k = 0; k < 100; k++) {
    CHECK(to[k] == fibonacci[sources[k]]);
    CHECK(pcf_segment_of(offsets, 20, k) == sources[k]);
  }
}

TEST(ragged_small_expand) {
  static const int64_t counts[] = {1, 2, 1, 0, 4, 2, 3, 0, 2};
  static const int64_t indices[] = {0, 1, 3, 4, 4, 8, 10, 13, 13};
  static const double values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  static const double want[] = {0, 1, 1, 2, 4, 4, 4, 4, 5, 5, 6, 6, 6, 8, 8};
  int64_t offsets[10];
  double to[15];
  REQUIRE(running_totals(counts, 9, offsets) == 15);
  for (int k = 0; k < 9; k++) CHECK(offsets[k] == indices[k]);
  CHECK(pcf_interval_expand(values, 8, offsets, 9, 1, NULL, to, NULL) == PCF_OK);
  for (int k = 0; k < 15; k++) CHECK(to[k] == want[k]);
}

static const int64_t move_counts[] = {3, 9, 1, 9, 8, 5, 10, 2, 5, 2,
                                      8, 6, 5, 2, 4, 0, 8,  2, 5, 6};
static const int64_t move_gather[] = {75, 86, 17, 2, 67, 24, 37, 11, 95, 35,
                                      52, 18, 47, 0, 13, 75, 78, 60, 62, 29};
static const int64_t move_scatter[] = {10, 80, 99, 27, 41, 71, 15, 0,  36, 13,
                                       89, 49, 66, 97, 76, 76, 2,  25, 61, 55};
static const int32_t moved[100] = {
  11, 12, 78, 79, 80, 81, 82, 83, 84, 85, 75, 76, 77, 35, 36, 37, 38, 39, 40, 41,
  42, 43, 44, 45, 46, 60, 61, 2,  3,  4,  5,  6,  7,  8,  9,  10, 95, 96, 97, 98,
  99, 67, 68, 69, 70, 71, 72, 73, 74, 18, 19, 20, 21, 22, 23, 29, 30, 31, 32, 33,
  34, 62, 63, 64, 65, 66, 47, 48, 49, 50, 51, 24, 25, 26, 27, 28, 13, 14, 15, 16,
  86, 87, 88, 89, 90, 91, 92, 93, 94, 52, 53, 54, 55, 56, 57, 58, 59, 0,  1,  17};

TEST(ragged_move_of_the_demonstration) {
  static const int64_t totals[] = {0,  3,  12, 13, 22, 30, 35, 45, 47, 52, 54,
                                   62, 68, 73, 75, 79, 79, 87, 89, 94, 100};
  int64_t offsets[21];
  int32_t from[100], to[100], gathered[100];
  running_totals(move_counts, 20, offsets);
  for (int k = 0; k <= 20; k++) CHECK(offsets[k] == totals[k]);
  for (int k = 0; k < 100; k++) from[k] = k;
  CHECK(!pcf_interval_move(from, move_gather, to, move_scatter, 4, offsets, 20, 2, NULL, NULL));
  CHECK(memcmp(to, moved, sizeof to) == 0);
  /* First together, then apart: the same. */
  memset(to, 0, sizeof to);
  CHECK(!pcf_interval_move(from, move_gather, gathered, NULL, 4, offsets, 20, 1, NULL, NULL));
  for (int s = 0; s < 20; s++) {
    if (move_counts[s]) CHECK(gathered[offsets[s]] == move_gather[s]);
  }
  CHECK(!pcf_interval_move(gathered, NULL, to, move_scatter, 4, offsets, 20, 1, NULL, NULL));
  CHECK(memcmp(to, moved, sizeof to) == 0);
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

/* ---- Partitions ---- */

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
  const struct {
    struct pcf_keys keys;
    int64_t runs;
  } cases[] = {{{PCF_KEY_REAL, real, 7}, 4},
               {{PCF_KEY_COMPLEX, pair, 5}, 3},
               {{PCF_KEY_BYTE, byte, 3}, 2},
               {{PCF_KEY_INTEGER, fibonacci, 20}, 19},
               {{PCF_KEY_INTEGER, fibonacci, 0}, 0}};
  for (int c = 0; c < 5; c++) {
    int64_t before[2] = {0}, offsets[21];
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

TEST(ragged_failures_and_stops) {
  double values[] = {1, 2, 3}, result[2];
  int64_t offsets[] = {0, 1, 3}, before[2];
  struct pcf_numbers numbers = {values, NULL};
  struct pcf_keys keys = {PCF_KEY_REAL, values, 3};
  struct pcf_error error = {0};
  atomic_int stop = 1;
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
  pcf_memory_fail_at(0);
  CHECK(pcf_segment_reduce(PCF_SUM, numbers, offsets, 2, 2, &stop, result, &error) ==
        PCF_ERROR_INTERRUPTED);
  CHECK(pcf_interval_expand(values, 8, offsets, 2, 2, &stop, result, &error) ==
        PCF_ERROR_INTERRUPTED);
}
