#include "check.h"
#include "collections.h"
#include "runs.h"

#include "sinks/matrix.h"

#include <math.h>
#include <stdlib.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <sys/mman.h>
#endif

/* Not a number of any block. */
static const double untouched = -12345;

static const struct pcf_scale plain = {.precision = PCF_DOUBLE, .factor = 1};

static struct pcf_matrix_sink sink_of(enum pcf_mode kind, int64_t rows, int64_t columns,
                                      double *result) {
  return pcf_matrix_sink(kind, rows, columns, result);
}

/* Writes a block as the sink of a run with that scale; every other block with a team. */
static void write_scaled(const struct pcf_matrix_sink *matrix, const struct pcf_scale *scale,
                         const struct pcf_block *block, const void *data, int64_t stride) {
  static int blocks;
  struct pcf_matrix_sink own = *matrix;
  struct pcf_finished finished = {.block = block, .data = data, .stride = stride};
  struct pcf_team *team = blocks++ % 2 ? pcf_team_start(3, NULL) : NULL;
  CHECK(pcf_sink_begin(&own.sink, PCF_FULL, scale, 1, NULL) == PCF_OK);
  CHECK(pcf_sink_consume(&own.sink, 0, &finished, team, NULL) == PCF_OK);
  pcf_team_end(team);
  CHECK(pcf_sink_finish(&own.sink, NULL) == PCF_OK);
}

/* The number that stands for the pair (i, j). */
static double encoded(int64_t i, int64_t j) {
  return (double)(1000 * i + j);
}

static bool stores(enum pcf_mode kind, int64_t i, int64_t j) {
  if (kind == PCF_LOWER_WITHOUT_DIAGONAL) return i > j;
  return kind == PCF_LOWER_WITH_DIAGONAL ? i >= j : true;
}

/* A block's buffer: NaN wherever the sink must not look. */
static void *block_data(const struct pcf_block *block, enum pcf_mode kind,
                        enum pcf_precision precision, int64_t stride) {
  size_t elements = (size_t)(stride * block->columns);
  double *wide = kept(malloc(elements * sizeof *wide));
  float *single = kept(malloc(elements * sizeof *single));
  for (size_t k = 0; k < elements; k++) {
    int64_t i = (int64_t)k % stride, j = block->column + (int64_t)k / stride;
    bool read = i < block->rows && stores(kind, block->row + i, j);
    wide[k] = read ? encoded(block->row + i, j) : NAN;
    single[k] = (float)wide[k];
  }
  return precision == PCF_DOUBLE ? (void *)wide : (void *)single;
}

/* A result with a guard on each side. */
enum { GUARD = 16 };

static double *new_result(int64_t length) {
  double *memory = kept(malloc((size_t)(length + 2 * GUARD) * sizeof *memory));
  for (int64_t k = 0; k < length + 2 * GUARD; k++) memory[k] = untouched;
  return memory + GUARD;
}

static bool guards_hold(const double *result, int64_t length) {
  bool hold = true;
  for (int64_t k = 1; k <= GUARD; k++) {
    hold = hold && result[-k] == untouched && result[length + k - 1] == untouched;
  }
  return hold;
}

TEST(sink_dist_index_is_the_order_of_r) {
  for (int64_t n = 0; n < 40; n++) {
    int64_t next = 0;
    for (int64_t j = 0; j < n; j++) {
      for (int64_t i = j + 1; i < n; i++) CHECK(dist_index(n, i, j) == next++);
    }
    struct pcf_matrix_sink sink = sink_of(PCF_LOWER_WITHOUT_DIAGONAL, n, n, NULL);
    CHECK(pcf_layout_length(&sink.layout) == next);
  }
}

TEST(sink_indices_are_long) {
  int64_t n = 70000;
  struct pcf_matrix_sink sink = sink_of(PCF_LOWER_WITHOUT_DIAGONAL, n, n, NULL);
  CHECK(pcf_layout_length(&sink.layout) == INT64_C(2449965000));
  CHECK(dist_index(n, n - 1, n - 2) == INT64_C(2449964999));
  CHECK(dist_index(n, 1, 0) == 0);
  CHECK(dist_index(n, n - 1, 0) == n - 2);
  sink.layout.mode = PCF_FULL;
  CHECK(pcf_layout_length(&sink.layout) == INT64_C(4900000000));
  sink = sink_of(PCF_LOWER_WITHOUT_DIAGONAL, 3000000000, 3000000000, NULL);
  CHECK(pcf_layout_length(&sink.layout) == INT64_C(4499999998500000000));
  CHECK(dist_index(3000000000, 2999999999, 2999999998) == INT64_C(4499999998499999999));
}

static int64_t position_of(const struct pcf_matrix_sink *sink, int64_t i, int64_t j) {
  return sink->layout.mode == PCF_LOWER_WITHOUT_DIAGONAL ? dist_index(sink->layout.rows, i, j)
                                                         : i + sink->layout.rows * j;
}

static void leave(const void *context, double *results, int64_t row, int64_t count,
                  int64_t column) {}

/* Writes one block into an untouched result; what it changed is counted in `written`. Blocks of
 * an odd number of columns are revised, though nothing changes. */
static void write_block(const struct pcf_matrix_sink *sink, const struct pcf_block *block,
                        enum pcf_precision precision, int64_t stride, int *written) {
  int64_t length = pcf_layout_length(&sink->layout);
  struct pcf_scale scale = plain;
  struct pcf_matrix_sink own = *sink;
  void *data = block_data(block, sink->layout.mode, precision, stride);
  scale.precision = precision;
  if (block->columns % 2) scale.revise = leave;
  own.result = new_result(length);
  write_scaled(&own, &scale, block, data, stride);
  for (int64_t k = 0; k < length; k++) written[k] += own.result[k] != untouched;
  CHECK(guards_hold(own.result, length));
  int64_t wrong = 0;
  for (int64_t j = block->column; j < block->column + block->columns; j++) {
    for (int64_t i = block->row; i < block->row + block->rows; i++) {
      if (!stores(sink->layout.mode, i, j)) continue;
      wrong += own.result[position_of(sink, i, j)] != encoded(i, j);
      if (sink->layout.mode == PCF_LOWER_WITH_DIAGONAL) {
        wrong += own.result[position_of(sink, j, i)] != encoded(i, j);
      }
    }
  }
  CHECK(wrong == 0);
}

/* All blocks of a schedule write every element of the result, each one of them once: none
 * writes what it has not computed. */
static void check_sink(enum pcf_mode kind, int64_t rows, int64_t columns, int64_t side,
                       enum pcf_precision precision, int64_t padding) {
  int64_t lengths[100];
  for (int k = 0; k < 100; k++) lengths[k] = 1 + k % 5;
  struct functions *x = functions_new(rows, lengths), *y = functions_new(columns, lengths);
  struct pcf_matrix_sink sink = sink_of(kind, rows, columns, NULL);
  struct pcf_schedule schedule;
  int64_t length = pcf_layout_length(&sink.layout), wrong = 0;
  int *written = zeroed(length + 1, sizeof *written);
  REQUIRE(!pcf_schedule_rectangles(&schedule, kind, items_of(x),
                                   items_of(kind == PCF_FULL ? y : x), side, side, NULL));
  for (int64_t b = 0; b < schedule.count; b++) {
    write_block(&sink, &schedule.block[b], precision, schedule.block[b].rows + padding,
                written);
  }
  for (int64_t k = 0; k < length; k++) wrong += written[k] != 1;
  CHECK(wrong == 0);
  pcf_schedule_free(&schedule);
}

TEST(sink_writes_every_element_once) {
  int64_t most = check_quick() ? 40 : 76;
  for (int kind = PCF_FULL; kind <= PCF_LOWER_WITH_DIAGONAL; kind++) {
    for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
      for (int64_t n = 0; n <= most; n = 2 * n + 1) {
        for (int64_t side = 1; side <= n + 1; side = 2 * side + 1) {
          check_sink(kind, n, kind == PCF_FULL ? n / 2 + 3 : n, side, precision, 0);
        }
      }
      check_sink(kind, most, most, 40, precision, 5); /* larger than a square of the mirror */
    }
  }
}

TEST(sink_writes_pairs_to_their_slots) {
  double *result = new_result(5);
  struct pcf_matrix_sink sink = sink_of(PCF_PAIRED, 5, 1, result);
  struct pcf_scale single = plain;
  single.precision = PCF_SINGLE_PRECISION;
  for (int64_t slot = 4; slot >= 0; slot--) {
    struct pcf_block block = {.row = 9, .column = 7, .rows = 1, .columns = 1, .slot = slot};
    double wide[2] = {(double)slot + 0.5, NAN};
    float narrow[2] = {(float)slot + 0.5f, NAN};
    const void *data = slot % 2 ? (const void *)wide : (const void *)narrow;
    write_scaled(&sink, slot % 2 ? &plain : &single, &block, data, 1);
    for (int64_t k = 0; k < 5; k++) {
      CHECK(result[k] == (k >= slot ? (double)k + 0.5 : untouched));
    }
  }
  CHECK(guards_hold(result, 5));
}

TEST(sink_scales_results_back) {
  double wide[4] = {3, INFINITY, -INFINITY, 1.5}, result[4];
  float single[4] = {3, INFINITY, -INFINITY, 1.5f};
  struct pcf_matrix_sink sink = sink_of(PCF_FULL, 4, 1, result);
  struct pcf_block block = {.rows = 4, .columns = 1, .parts = 1};
  struct pcf_scale scale = {.factor = 1, .exponent = 700};
  write_scaled(&sink, &scale, &block, wide, 4);
  CHECK(result[0] == ldexp(3, 700));
  CHECK(result[1] == INFINITY && result[2] == -INFINITY);
  scale = (struct pcf_scale){.factor = 1.25, .exponent = -3};
  write_scaled(&sink, &scale, &block, wide, 4);
  CHECK(result[0] == 3.75 / 8 && result[3] == 1.875 / 8);
  scale.precision = PCF_SINGLE_PRECISION;
  scale.exponent = 200; /* beyond single precision */
  write_scaled(&sink, &scale, &block, single, 4);
  CHECK(result[0] == ldexp(3.75, 200) && result[3] == ldexp(1.875, 200));
  CHECK(result[1] == INFINITY && result[2] == -INFINITY);
  /* A factor of both that has few digits, or is no double. */
  wide[0] = 0x1p60;
  scale = (struct pcf_scale){.factor = 0x1.5555555555555p-100, .exponent = -960};
  write_scaled(&sink, &scale, &block, wide, 4);
  CHECK(result[0] == 0x1.5555555555555p-1000);
  wide[0] = 0x1p-60;
  scale = (struct pcf_scale){.factor = 0x1.5555555555555p100, .exponent = 960};
  write_scaled(&sink, &scale, &block, wide, 4);
  CHECK(result[0] == 0x1.5555555555555p1000);
}

/* Where every function has an exponent of its own, those of both count. */
TEST(sink_scales_results_back_by_functions) {
  const int rows[] = {0, 500, -500, 7}, columns[] = {1, -1, 100, 0};
  struct pcf_scale scale = {.factor = 1, .exponent = 3};
  for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
    for (int kind = PCF_FULL; kind <= PCF_LOWER_WITH_DIAGONAL; kind++) {
      double result[16], wide[] = {1, 1, 1, 1};
      float single[] = {1, 1, 1, 1};
      struct pcf_matrix_sink sink = sink_of(kind, 4, 4, result);
      struct pcf_block block = {.row = 2, .column = 0, .rows = 2, .columns = 2, .parts = 1};
      scale.row_exponents = rows;
      scale.column_exponents = kind == PCF_FULL ? columns : rows;
      scale.precision = precision;
      write_scaled(&sink, &scale, &block,
                   precision == PCF_DOUBLE ? (const void *)wide : (const void *)single, 2);
      for (int j = 0; j < 2; j++) {
        for (int i = 2; i < 4; i++) {
          double want = ldexp(1, 3 + rows[i] + scale.column_exponents[j]);
          int64_t at = kind == PCF_LOWER_WITHOUT_DIAGONAL ? dist_index(4, i, j) : i + 4 * j;
          CHECK(result[at] == want);
          if (kind == PCF_LOWER_WITH_DIAGONAL) CHECK(result[j + 4 * i] == want);
        }
      }
    }
  }
}

/* A stand-in for results of many gigabytes: address space of which few pages are used. */
#ifdef _WIN32
static double *sparse_result(size_t bytes) {
  return VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

static void free_sparse_result(double *result, size_t bytes) {
  (void)bytes;
  VirtualFree(result, 0, MEM_RELEASE);
}
#else
static double *sparse_result(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static void free_sparse_result(double *result, size_t bytes) {
  munmap(result, bytes);
}
#endif

static void write_encoded(const struct pcf_matrix_sink *sink, int64_t row, int64_t column,
                          int64_t rows, int64_t columns) {
  struct pcf_block block = {
    .row = row, .column = column, .rows = rows, .columns = columns, .parts = 1};
  void *data = block_data(&block, sink->layout.mode, PCF_DOUBLE, rows);
  write_scaled(sink, &plain, &block, data, rows);
}

TEST(sink_writes_far_out_in_a_dist) {
  int64_t n = 70000, length = n * (n - 1) / 2;
  double *result = sparse_result((size_t)length * sizeof *result);
  if (!result) return;
  struct pcf_matrix_sink sink = sink_of(PCF_LOWER_WITHOUT_DIAGONAL, n, n, result);
  write_encoded(&sink, n - 3, n - 3, 3, 3);
  CHECK(result[INT64_C(2449964999)] == encoded(n - 1, n - 2));
  CHECK(result[INT64_C(2449964998)] == encoded(n - 1, n - 3));
  CHECK(result[INT64_C(2449964997)] == encoded(n - 2, n - 3));
  CHECK(result[INT64_C(2449964996)] == 0);
  write_encoded(&sink, n - 2, 65000, 2, 2);
  CHECK(result[INT64_C(2437472498)] == encoded(n - 1, 65000));
  CHECK(result[INT64_C(2437472497)] == encoded(n - 2, 65000));
  CHECK(result[INT64_C(2437472499)] == 0);
  CHECK(result[INT64_C(2437477496)] == encoded(n - 1, 65001));
  free_sparse_result(result, (size_t)length * sizeof *result);
}

TEST(sink_writes_far_out_in_a_matrix) {
  int64_t n = 50000;
  size_t bytes = (size_t)(n * n) * sizeof(double);
  double *result = sparse_result(bytes);
  if (!result) return;
  struct pcf_matrix_sink sink = sink_of(PCF_LOWER_WITH_DIAGONAL, n, n, result);
  write_encoded(&sink, n - 2, n - 2, 2, 2);
  CHECK(result[INT64_C(2499999999)] == encoded(n - 1, n - 1));
  CHECK(result[INT64_C(2499999998)] == encoded(n - 1, n - 2));
  CHECK(result[INT64_C(2499949999)] == encoded(n - 1, n - 2));
  CHECK(result[INT64_C(2499949998)] == encoded(n - 2, n - 2));
  write_encoded(&sink, n - 1, 2, 1, 1);
  CHECK(result[INT64_C(2499950002)] == encoded(n - 1, 2)); /* the mirror image */
  CHECK(result[INT64_C(149999)] == encoded(n - 1, 2));
  sink.layout.mode = PCF_FULL;
  write_encoded(&sink, 7, n - 3, 2, 1);
  CHECK(result[INT64_C(2499850007)] == encoded(7, n - 3));
  CHECK(result[INT64_C(2499850008)] == encoded(8, n - 3));
  CHECK(result[INT64_C(2499850009)] == 0);
  free_sparse_result(result, bytes);
}

TEST(sink_streams_into_large_results) {
  const struct pcf_scale single = {.precision = PCF_SINGLE_PRECISION, .factor = 1};
  static const enum pcf_mode kinds[] = {PCF_LOWER_WITHOUT_DIAGONAL, PCF_FULL,
                                        PCF_LOWER_WITH_DIAGONAL};
  int64_t n = 10007;
  size_t bytes = (size_t)(n * n) * sizeof(double);
  for (int k = 0; k < 6; k++) {
    enum pcf_mode kind = kinds[k / 2];
    double *result = sparse_result(bytes);
    if (!result) return;
    struct pcf_matrix_sink sink = sink_of(kind, n, n, result);
    for (int64_t rows = 1; rows < 40; rows += 19) {
      struct pcf_block block = {
        .row = 9001, .column = 100, .rows = rows, .columns = 3, .parts = 1};
      void *data = block_data(&block, kind, k % 2 ? PCF_SINGLE_PRECISION : PCF_DOUBLE, rows);
      write_scaled(&sink, k % 2 ? &single : &plain, &block, data, rows);
    }
    int wrong = 0;
    for (int64_t j = 100; j < 103; j++) {
      for (int64_t i = 9000; i < 9042; i++) {
        double want = i > 9000 && i < 9040 ? encoded(i, j) : 0;
        if (k % 2) want = (float)want;
        int64_t at = kind == PCF_LOWER_WITHOUT_DIAGONAL ? dist_index(n, i, j) : i + n * j;
        wrong += result[at] != want;
        if (kind == PCF_LOWER_WITH_DIAGONAL) wrong += result[j + n * i] != want;
      }
    }
    CHECK(wrong == 0);
    free_sparse_result(result, bytes);
  }
}
