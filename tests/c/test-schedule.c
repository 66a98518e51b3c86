#include "check.h"
#include "collections.h"

#include "base/memory.h"
#include "blocks/schedule.h"

#include <stdlib.h>
#include <string.h>

static int64_t side_of(int64_t elements, int64_t splits, int64_t least, int64_t rows,
                       int64_t columns) {
  struct pcf_block_limits limits = {elements, splits, least};
  return pcf_block_side(&limits, rows, columns);
}

TEST(schedule_block_side) {
  CHECK(side_of(900, 1, 0, 100, 100) == 30);
  CHECK(side_of(900, 9, 0, 100, 100) == 10);
  CHECK(side_of(899, 9, 0, 100, 100) == 9);   /* √99.9 */
  CHECK(side_of(1000, 3, 0, 100, 100) == 18); /* √333.3 */
  CHECK(side_of(900, 9, 20, 100, 100) == 20);
  CHECK(side_of(900, 9, 200, 100, 100) == 30);    /* never larger than the budget … */
  CHECK(side_of(40000, 9, 200, 100, 100) == 100); /* … and than the matrix … */
  CHECK(side_of(40000, 9, 200, 7, 50) == 50);     /* … in its larger dimension */
  CHECK(side_of(40000, 9, 200, 50, 7) == 50);
  CHECK(side_of(0, 1, 200, 100, 100) == 1);
  CHECK(side_of(1000000, 1, 0, 9, 9) == 9);
  CHECK(side_of(3, 32, 0, 100, 100) == 1);
  CHECK(side_of(0, 1, 0, 100, 100) == 1);
  CHECK(side_of(900, 1, 0, 0, 0) == 1);
  /* 80 GB of single precision halved, for 8 GPUs of 108 and of 132 processors. */
  CHECK(side_of(INT64_C(8000000000), 32 * 8, 332, 500000, 500000) == 5590);
  CHECK(side_of(INT64_C(20000000), 32 * 8, 332, 500000, 500000) == 332);
  CHECK(side_of(INT64_C(20000000), 32 * 8, 367, 500000, 500000) == 367);
  CHECK(side_of(INT64_MAX, 1, 0, INT64_MAX, 1) >= INT64_C(3037000499));
}

/* 0.8 · 80 GB / 2, in scalars of 4 and of 8 bytes, then the block side on 1 and on 8 GPUs. */
TEST(schedule_budget_of_a_device) {
  CHECK(pcf_max_output_elements(80e9, 4) == INT64_C(8000000000));
  CHECK(pcf_max_output_elements(80e9, 8) == INT64_C(4000000000));
  CHECK(pcf_max_output_elements(99, 4) == 9); /* 9.9 */
  CHECK(pcf_max_output_elements(0, 8) == 0);
  CHECK(pcf_min_block_side(108) == 332);
  CHECK(pcf_min_block_side(132) == 367);
  CHECK(pcf_min_block_side(1) == 32);
  for (int gpus = 1; gpus <= 8; gpus *= 8) {
    int64_t elements = pcf_max_output_elements(80e9, 8);
    int64_t side = side_of(elements, 32 * gpus, pcf_min_block_side(132), 500000, 500000);
    CHECK(side == (gpus == 1 ? 11180 : 3952));
  }
  /* 1 MB is free: the budget of 100,000 numbers goes before the least side. */
  CHECK(side_of(pcf_max_output_elements(1e6, 4), 32, pcf_min_block_side(132), 5000, 5000) ==
        316);
}

TEST(schedule_halved_sides) {
  CHECK(pcf_halved_side(512, 64, 64) == 256);
  CHECK(pcf_halved_side(192, 64, 64) == 128); /* whole tiles */
  CHECK(pcf_halved_side(128, 64, 1) == 64);
  CHECK(pcf_halved_side(64, 64, 1) == 0);
  CHECK(pcf_halved_side(512, 64, 300) == 320); /* never below the least side … */
  CHECK(pcf_halved_side(320, 64, 300) == 0);   /* … and always smaller than before */
  CHECK(pcf_halved_side(512, 64, 600) == 0);
  CHECK(pcf_halved_side(100, 64, 64) == 64); /* a matrix of less than two tiles */
  CHECK(pcf_halved_side(7, 1, 1) == 4);
  CHECK(pcf_halved_side(1, 1, 1) == 0);
  CHECK(pcf_halved_side(512, 64, 0) == 0); /* not to be cut */
  CHECK(pcf_halved_side(512, 0, 64) == 0);
  CHECK(pcf_halved_side(0, 64, 64) == 0);
  CHECK(pcf_halved_side(INT64_MAX, 1, 1) == INT64_C(4611686018427387904));
}

TEST(schedule_band_count) {
  CHECK(pcf_band_count(10, 3) == 4);
  CHECK(pcf_band_count(8, 4) == 2);
  CHECK(pcf_band_count(3, 5) == 1);
  CHECK(pcf_band_count(0, 5) == 0);
  CHECK(pcf_band_count(INT64_MAX, 1) == INT64_MAX);
  CHECK(pcf_band_count(INT64_MAX, INT64_MAX) == 1);
}

/* `count` functions of `m` breakpoints each; for schedules their contents do not matter. */
static struct functions *equal_functions(int64_t count, int64_t m) {
  int64_t lengths[100];
  for (int64_t i = 0; i < count; i++) lengths[i] = m;
  return functions_new(count, lengths);
}

static const struct pcf_block *block_at(const struct pcf_schedule *schedule, int64_t row,
                                        int64_t column) {
  for (int64_t b = 0; b < schedule->count; b++) {
    const struct pcf_block *block = &schedule->block[b];
    if (block->row == row && block->column == column) return block;
  }
  return NULL;
}

TEST(schedule_cuts_ten_by_three) {
  struct functions *x = equal_functions(10, 2), *y = equal_functions(1, 2);
  struct pcf_schedule schedule;
  REQUIRE(!pcf_schedule_rectangles(&schedule, PCF_FULL, items_of(x), items_of(y), 3, 3, NULL));
  CHECK(schedule.count == 4);
  for (int64_t row = 0; row < 10; row += 3) {
    const struct pcf_block *block = block_at(&schedule, row, 0);
    REQUIRE(block);
    CHECK(block->rows == (row == 9 ? 1 : 3));
    CHECK(block->columns == 1);
  }
  pcf_schedule_free(&schedule);
  REQUIRE(!pcf_schedule_rectangles(&schedule, PCF_FULL, items_of(y), items_of(x), 4, 4, NULL));
  CHECK(schedule.count == 3);
  CHECK(block_at(&schedule, 0, 8)->columns == 2);
  pcf_schedule_free(&schedule);
  CHECK(schedule.block == NULL && schedule.count == 0);
}

TEST(schedule_drops_what_lies_above_the_diagonal) {
  struct functions *x = equal_functions(9, 5);
  struct pcf_schedule schedule;
  for (int mode = PCF_LOWER_WITHOUT_DIAGONAL; mode <= PCF_LOWER_WITH_DIAGONAL; mode++) {
    REQUIRE(!pcf_schedule_rectangles(&schedule, mode, items_of(x), items_of(x), 3, 3, NULL));
    CHECK(schedule.count == 6);
    for (int64_t row = 0; row < 9; row += 3) {
      for (int64_t column = 0; column < 9; column += 3) {
        CHECK((block_at(&schedule, row, column) != NULL) == (row >= column));
      }
    }
    pcf_schedule_free(&schedule);
  }
  REQUIRE(!pcf_schedule_rectangles(&schedule, PCF_FULL, items_of(x), items_of(x), 3, 3, NULL));
  CHECK(schedule.count == 9);
  pcf_schedule_free(&schedule);
}

TEST(schedule_of_two_by_three) {
  struct functions *x = equal_functions(2, 4), *y = equal_functions(3, 4);
  SCOPED(pcf_schedule) schedule;
  REQUIRE(!pcf_schedule_rectangles(&schedule, PCF_FULL, items_of(x), items_of(y), 2, 2, NULL));
  REQUIRE(schedule.count == 2);
  const struct pcf_block *a = &schedule.block[0], *b = &schedule.block[1];
  CHECK(a->row == 0 && a->column == 0 && a->rows == 2 && a->columns == 2);
  CHECK(b->row == 0 && b->column == 2 && b->rows == 2 && b->columns == 1);
  CHECK(a->work == 2 * 8 + 2 * 8);
  CHECK(b->work == 1 * 8 + 2 * 4);
  CHECK(schedule.work == a->work + b->work);
}

/* A small block of long functions comes before a large one of short functions. */
TEST(schedule_puts_work_before_area) {
  int64_t lengths[] = {1, 1, 1, 1, 1, 1, 500};
  struct functions *x = functions_new(7, lengths);
  SCOPED(pcf_schedule) schedule;
  REQUIRE(!pcf_schedule_rectangles(&schedule, PCF_LOWER_WITHOUT_DIAGONAL, items_of(x),
                                   items_of(x), 3, 3, NULL));
  REQUIRE(schedule.count == 6);
  for (int b = 0; b < 3; b++) CHECK(schedule.block[b].row == 6);
  CHECK(schedule.block[0].column == 0); /* 3 × 500 … */
  CHECK(schedule.block[1].column == 3); /* … and as much: in the order of the matrix */
  CHECK(schedule.block[2].column == 6);
  CHECK(schedule.block[3].row == 3 && schedule.block[3].column == 0);
  for (int b = 1; b < 6; b++) CHECK(schedule.block[b - 1].work >= schedule.block[b].work);
}

static bool wanted(enum pcf_mode mode, int64_t i, int64_t j) {
  if (mode == PCF_LOWER_WITHOUT_DIAGONAL) return i > j;
  return mode == PCF_LOWER_WITH_DIAGONAL ? i >= j : true;
}

/* Every wanted pair in one block, no block without a wanted pair but those on the diagonal,
 * nothing outside the matrix. */
static void check_cover(const struct pcf_schedule *schedule, enum pcf_mode mode, int64_t n,
                        int64_t m, int64_t side) {
  int64_t covered[40 * 40] = {0}, wrong = 0;
  double work = 0;
  for (int64_t b = 0; b < schedule->count; b++) {
    const struct pcf_block *block = &schedule->block[b];
    REQUIRE(block->row >= 0 && block->row + block->rows <= n);
    REQUIRE(block->column >= 0 && block->column + block->columns <= m);
    CHECK(block->rows > 0 && block->rows <= side);
    CHECK(block->columns > 0 && block->columns <= side);
    CHECK(block->parts == 1 && block->part == 0);
    if (b) CHECK(schedule->block[b - 1].work >= block->work);
    work += block->work;
    for (int64_t i = block->row; i < block->row + block->rows; i++) {
      for (int64_t j = block->column; j < block->column + block->columns; j++) {
        covered[i + n * j]++;
      }
    }
  }
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < m; j++) {
      int64_t times = covered[i + n * j];
      wrong += wanted(mode, i, j) ? times != 1 : times > 1;
      if (i / side < j / side && mode != PCF_FULL) wrong += times != 0;
    }
  }
  CHECK(wrong == 0);
  CHECK_NEAR(schedule->work, work, 1e-12);
}

/* Blocks that are taller, or wider, than others. */
static void check_rectangles(struct random *random, enum pcf_mode mode,
                             const struct functions *x, const struct functions *y) {
  int64_t rows = random_between(random, 1, 45), columns = random_between(random, 1, 45);
  struct pcf_schedule schedule;
  REQUIRE(
    !pcf_schedule_rectangles(&schedule, mode, items_of(x), items_of(y), rows, columns, NULL));
  for (int64_t b = 0; b < schedule.count; b++) {
    CHECK(schedule.block[b].rows <= rows && schedule.block[b].columns <= columns);
  }
  CHECK(schedule.side == (rows > columns ? rows : columns));
  check_cover(&schedule, mode, x->view.count, y->view.count, 100);
  pcf_schedule_free(&schedule);
}

TEST(schedule_covers_every_wanted_pair_once) {
  int cases = check_quick() ? 30 : 1000;
  for (int k = 0; k < cases; k++) {
    int64_t n = random_between(&random, 0, 39), m = random_between(&random, 0, 39);
    int64_t side = random_between(&random, 1, 45), lengths[80];
    enum pcf_mode mode = (enum pcf_mode)random_between(&random, 0, 2);
    bool two = mode == PCF_FULL && random_between(&random, 0, 2);
    for (int i = 0; i < 80; i++) lengths[i] = random_between(&random, 1, 20);
    struct functions *x = functions_new(n, lengths), *y = functions_new(m, lengths + 40);
    struct pcf_schedule schedule, again;
    REQUIRE(!pcf_schedule_rectangles(&schedule, mode, items_of(x), items_of(two ? y : x), side,
                                     side, NULL));
    check_cover(&schedule, mode, n, two ? m : n, side);
    REQUIRE(!pcf_schedule_rectangles(&again, mode, items_of(x), items_of(two ? y : x), side,
                                     side, NULL));
    REQUIRE(again.count == schedule.count);
    for (int64_t b = 0; b < schedule.count; b++) {
      CHECK(schedule.block[b].row == again.block[b].row);
      CHECK(schedule.block[b].column == again.block[b].column);
    }
    pcf_schedule_free(&schedule);
    pcf_schedule_free(&again);
    check_rectangles(&random, mode, x, two ? y : x);
  }
}

/* ---- Blocks cut smaller ---- */

TEST(schedule_halves_what_is_not_done) {
  struct functions *x = equal_functions(10, 2);
  SCOPED(pcf_schedule) schedule;
  REQUIRE(!pcf_schedule_rectangles(&schedule, PCF_LOWER_WITHOUT_DIAGONAL, items_of(x),
                                   items_of(x), 8, 8, NULL));
  CHECK(schedule.side == 8 && schedule.least_side == 0 && schedule.count == 3);
  unsigned char done[6] = {0};
  struct pcf_error error = {0};
  enum pcf_mode mode = PCF_LOWER_WITHOUT_DIAGONAL;
  CHECK(pcf_schedule_halve(&schedule, done, mode, items_of(x), items_of(x), &error) ==
        PCF_ERROR_DEVICE_MEMORY);
  CHECK(schedule.count == 3 && schedule.side == 8 && error.message[0] == 0);
  schedule.tile = 2;
  schedule.least_side = 2;
  for (int64_t b = 0; b < 3; b++) done[b] = schedule.block[b].column == 8;
  double work = schedule.work;
  REQUIRE(!pcf_schedule_halve(&schedule, done, mode, items_of(x), items_of(x), NULL));
  CHECK(schedule.side == 4 && schedule.tile == 2 && schedule.least_side == 2);
  CHECK(schedule.count == 5);
  CHECK(schedule.work == work - 2 * 2 * 2); /* the block of 2 × 2 on the diagonal */
  CHECK(!block_at(&schedule, 0, 4) && !block_at(&schedule, 8, 8));
  const struct pcf_block *low = block_at(&schedule, 8, 4);
  REQUIRE(low);
  CHECK(low->rows == 2 && low->columns == 4 && low->work == 2 * 8 + 4 * 4);
}

/* The sides of the blocks count, not the one that was asked for; done ones do too, since the
 * device had room to find for them. */
TEST(schedule_halves_the_sides_of_blocks) {
  struct functions *x = equal_functions(10, 2);
  SCOPED(pcf_schedule) schedule;
  unsigned char done[9] = {0};
  REQUIRE(
    !pcf_schedule_rectangles(&schedule, PCF_FULL, items_of(x), items_of(x), 64, 64, NULL));
  schedule.tile = schedule.least_side = 2;
  REQUIRE(!pcf_schedule_halve(&schedule, done, PCF_FULL, items_of(x), items_of(x), NULL));
  CHECK(schedule.side == 8 && schedule.count == 4); /* 64, 32, 16, 8 */
  for (int64_t b = 0; b < 4; b++) done[b] = schedule.block[b].work > 2 * 2 * 4;
  REQUIRE(!pcf_schedule_halve(&schedule, done, PCF_FULL, items_of(x), items_of(x), NULL));
  CHECK(schedule.side == 4 && schedule.count == 1); /* the corner of 2 × 2 */
  CHECK(schedule.block[0].row == 8 && schedule.block[0].rows == 2);
  done[0] = 0;
  CHECK(pcf_schedule_halve(&schedule, done, PCF_FULL, items_of(x), items_of(x), NULL) ==
        PCF_ERROR_DEVICE_MEMORY);
}

/* How often each pair is covered by the blocks that are (not) done. */
static void count_pairs(const struct pcf_schedule *schedule, const unsigned char *done,
                        int which, int64_t n, int64_t *covered) {
  for (int64_t b = 0; b < schedule->count; b++) {
    const struct pcf_block *block = &schedule->block[b];
    if (done[b] != which) continue;
    for (int64_t j = block->column; j < block->column + block->columns; j++) {
      for (int64_t i = block->row; i < block->row + block->rows; i++) covered[i + n * j]++;
    }
  }
}

/* Halves again and again, with some more blocks done each time. */
static void halve_to_the_end(struct random *random, struct pcf_schedule *schedule,
                             enum pcf_mode mode, const struct functions *x,
                             const struct functions *y) {
  unsigned char done[40 * 40];
  int64_t n = x->view.count, m = y ? y->view.count : n, covered[40 * 40] = {0};
  double all = schedule->work, work_done = 0;
  for (;;) {
    int64_t side = schedule->side, missing = 0;
    for (int64_t b = 0; b < schedule->count; b++) {
      done[b] = random_between(random, 0, 2) == 0;
      missing += !done[b];
      if (done[b]) work_done += schedule->block[b].work;
    }
    count_pairs(schedule, done, 1, n, covered);
    enum pcf_status status =
      pcf_schedule_halve(schedule, done, mode, items_of(x), items_of(y ? y : x), NULL);
    if (status) {
      CHECK(status == PCF_ERROR_DEVICE_MEMORY);
      count_pairs(schedule, done, 0, n, covered);
      break;
    }
    CHECK(schedule->side < side && schedule->side >= schedule->least_side);
    CHECK(schedule->count <= 4 * missing && schedule->count < 40 * 40);
    CHECK_NEAR(work_done + schedule->work, all, 1e-12);
    for (int64_t b = 0; b < schedule->count; b++) {
      const struct pcf_block *block = &schedule->block[b];
      CHECK(block->rows <= schedule->side && block->columns <= schedule->side);
      CHECK(block->row % schedule->tile == 0 && block->column % schedule->tile == 0);
      if (b) CHECK(schedule->block[b - 1].work >= block->work);
    }
  }
  int64_t wrong = 0;
  for (int64_t j = 0; j < m; j++) {
    for (int64_t i = 0; i < n; i++) {
      int64_t times = covered[i + n * j];
      wrong += wanted(mode, i, j) ? times != 1 : times > 1;
    }
  }
  CHECK(wrong == 0);
}

TEST(schedule_halved_still_covers_every_wanted_pair_once) {
  int cases = check_quick() ? 30 : 1000;
  for (int k = 0; k < cases; k++) {
    int64_t n = random_between(&random, 1, 39), m = random_between(&random, 1, 39);
    int64_t tile = random_between(&random, 1, 8), side = tile * random_between(&random, 1, 7);
    enum pcf_mode mode = (enum pcf_mode)random_between(&random, 0, 2);
    bool two = mode == PCF_FULL && random_between(&random, 0, 1);
    int64_t lengths[80];
    for (int i = 0; i < 80; i++) lengths[i] = random_between(&random, 1, 20);
    struct functions *x = functions_new(n, lengths);
    struct functions *y = two ? functions_new(m, lengths + 40) : NULL;
    SCOPED(pcf_schedule) schedule;
    REQUIRE(!pcf_schedule_rectangles(&schedule, mode, items_of(x), items_of(two ? y : x), side,
                                     side, NULL));
    schedule.tile = tile;
    schedule.least_side = random_between(&random, 1, 2 * tile);
    halve_to_the_end(&random, &schedule, mode, x, y);
  }
}

/* ---- Parts of pairs ---- */

/* A test's rule for the number of parts: it also sees to it that the right pairs are asked
 * for. */
static int parts_of(const void *context, const struct pcf_block *block) {
  const int64_t *shape = context, row = block->row, column = block->column;
  CHECK(row >= 0 && row < shape[0] && column >= 0 && column < shape[1]);
  return 1 + (int)((3 * row + column) % 4);
}

static void check_parts(const struct pcf_schedule *schedule, enum pcf_mode mode,
                        const int64_t shape[2], int64_t pairs) {
  int64_t outer = mode == PCF_PAIRED ? pairs : shape[0];
  int64_t inner = mode == PCF_PAIRED ? 1 : shape[1], slot = 0, blocks = 0;
  int seen[30 * 30][4] = {{0}};
  for (int64_t b = 0; b < schedule->count; b++) {
    const struct pcf_block *block = &schedule->block[b];
    REQUIRE(block->slot >= 0 && block->slot < schedule->slots && block->slot < 900);
    REQUIRE(block->part >= 0 && block->part < block->parts);
    CHECK(block->rows == 1 && block->columns == 1);
    if (b) CHECK(schedule->block[b - 1].work >= block->work);
    seen[block->slot][block->part]++;
  }
  /* Slots count the wanted pairs, row by row. */
  for (int64_t i = 0; i < outer; i++) {
    for (int64_t j = 0; j < inner; j++) {
      if (!wanted(mode, i, j)) continue;
      int64_t row = mode == PCF_PAIRED ? i % shape[0] : i;
      int64_t column = mode == PCF_PAIRED ? i % shape[1] : j;
      int parts = parts_of(shape, &(struct pcf_block){.row = row, .column = column});
      for (int part = 0; part < 4; part++) CHECK(seen[slot][part] == (part < parts));
      for (int64_t b = 0; b < schedule->count; b++) {
        const struct pcf_block *block = &schedule->block[b];
        if (block->slot != slot) continue;
        CHECK(block->row == row && block->column == column && block->parts == parts);
        CHECK(block->first == blocks);
      }
      blocks += parts;
      slot++;
    }
  }
  CHECK(schedule->slots == slot);
  CHECK(schedule->count == blocks);
}

TEST(schedule_parts_cover_every_pair) {
  int cases = check_quick() ? 10 : 200;
  for (int k = 0; k < cases; k++) {
    int64_t shape[2] = {random_between(&random, 1, 12), random_between(&random, 1, 12)};
    int64_t lengths[24], pairs = shape[0] > shape[1] ? shape[0] : shape[1];
    enum pcf_mode mode = (enum pcf_mode)random_between(&random, 0, 3);
    bool two = mode == PCF_FULL || mode == PCF_PAIRED;
    for (int i = 0; i < 24; i++) lengths[i] = random_between(&random, 1, 20);
    struct functions *x = functions_new(shape[0], lengths);
    struct functions *y = functions_new(shape[1], lengths + 12);
    SCOPED(pcf_schedule) schedule;
    if (!two) shape[1] = shape[0];
    REQUIRE(!pcf_schedule_parts(&schedule, mode, items_of(x), items_of(two ? y : x), 1, pairs,
                                parts_of, shape, NULL));
    check_parts(&schedule, mode, shape, pairs);
  }
}

TEST(schedule_without_memory_fails) {
  struct functions *x = equal_functions(9, 2);
  struct pcf_schedule schedule;
  struct pcf_error error = {0};
  int64_t shape[2] = {9, 9};
  pcf_memory_fail_at(1);
  CHECK(pcf_schedule_rectangles(&schedule, PCF_FULL, items_of(x), items_of(x), 2, 2, &error) ==
        PCF_ERROR_MEMORY);
  CHECK(error.message[0] != 0);
  pcf_schedule_free(&schedule);
  REQUIRE(!pcf_schedule_rectangles(&schedule, PCF_FULL, items_of(x), items_of(x), 2, 2, NULL));
  schedule.tile = schedule.least_side = 1;
  unsigned char done[25] = {0};
  pcf_memory_fail_at(1);
  error.message[0] = 0;
  CHECK(pcf_schedule_halve(&schedule, done, PCF_FULL, items_of(x), items_of(x), &error) ==
        PCF_ERROR_MEMORY);
  CHECK(schedule.count == 25 && schedule.side == 2 && error.message[0] != 0);
  pcf_schedule_free(&schedule);
  pcf_memory_fail_at(1);
  CHECK(pcf_schedule_parts(&schedule, PCF_FULL, items_of(x), items_of(x), 1, 0, parts_of, shape,
                           &error) == PCF_ERROR_MEMORY);
  pcf_schedule_free(&schedule);
}

/* ---- Owners ---- */

/* All blocks once; those of an owner are together, of pairs of its part, and as they were. */
TEST(schedule_gives_each_worker_its_part_of_a_triangle) {
  enum { N = 103, SIDE = 10, BANDS = 11 };
  struct pcf_items items = {N, zeroed(N + 1, sizeof(int64_t))};
  for (int workers = 1; workers <= 13; workers += 3) {
    struct pcf_schedule schedule;
    CHECK(pcf_schedule_rectangles(&schedule, PCF_LOWER_WITHOUT_DIAGONAL, &items, &items, SIDE,
                                  SIDE, NULL) == PCF_OK);
    CHECK(pcf_schedule_order(&schedule, PCF_NEAR_FIRST, PCF_LOWER_WITHOUT_DIAGONAL, NULL) ==
          PCF_OK);
    CHECK(pcf_schedule_own(&schedule, workers, N, NULL) == PCF_OK);
    bool there[BANDS][BANDS] = {{false}};
    CHECK(schedule.count == BANDS * (BANDS + 1) / 2 && schedule.owners == workers);
    int64_t owned = 0;
    for (int64_t b = 0; b < schedule.count; b++) {
      const struct pcf_block *block = &schedule.block[b], *before = block - 1;
      int64_t row = block->row / SIDE, column = block->column / SIDE;
      CHECK(!there[row][column]);
      there[row][column] = true;
      bool together = row * workers / BANDS == column * workers / BANDS;
      CHECK(block->owner == (together ? 1 + row * workers / BANDS : 0));
      owned += together;
      if (b == 0) continue;
      bool same = block->owner == before->owner;
      CHECK(same ? block->row - block->column >= before->row - before->column
                 : before->owner && (!block->owner || block->owner > before->owner));
    }
    CHECK(workers == 1 ? owned == schedule.count : owned < schedule.count);
    pcf_schedule_free(&schedule);
  }
}
