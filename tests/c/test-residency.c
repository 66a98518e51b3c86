/* Which functions are on a device that has no room for all: segments, orders and slots. */
#include "check.h"
#include "collections.h"

#include "base/memory.h"
#include "base/search.h"
#include "blocks/residency.h"

#include <string.h>

/* ---- Segments ---- */

/* A collection without functions, of which only the lengths are looked at. */
struct lengths {
  struct pcf_items view;
  int64_t offsets[2001];
};

static void add_functions(struct lengths *x, int64_t count, int64_t breakpoints) {
  for (int64_t i = 0; i < count; i++) {
    int64_t n = x->view.count++;
    x->offsets[n + 1] = x->offsets[n] + breakpoints;
  }
  x->view.offsets = x->offsets;
}

static int64_t segment_with(const struct pcf_segments *segments, int64_t item) {
  return pcf_segment_of(segments->first, segments->count, item);
}

/* The most items of a segment. */
static int64_t most_items(const struct pcf_segments *segments) {
  int64_t most = 0;
  for (int64_t s = 0; s < segments->count; s++) {
    int64_t items = segments->first[s + 1] - segments->first[s];
    if (items > most) most = items;
  }
  return most;
}

static int64_t most_units(const struct pcf_segments *segments, const struct lengths *x) {
  int64_t most = 0;
  for (int64_t s = 0; s < segments->count; s++) {
    int64_t units = x->offsets[segments->first[s + 1]] - x->offsets[segments->first[s]];
    if (units > most) most = units;
  }
  return most;
}

TEST(residency_fills_segments_with_whole_runs) {
  struct lengths x = {.view = {.count = 0}};
  struct pcf_segments segments;
  add_functions(&x, 10, 5);
  /* 10 bytes a breakpoint, 4 a function: a run of 2 takes 108. */
  REQUIRE(!pcf_segments_cut(&segments, &x.view, 2, 10, 4, 323, NULL));
  CHECK(segments.count == 3);
  static const int64_t first[] = {0, 4, 8, 10};
  CHECK(memcmp(segments.first, first, sizeof first) == 0);
  CHECK(most_items(&segments) == 4 && most_units(&segments, &x) == 20);
  CHECK(segments.most_bytes == 216);
  pcf_segments_free(&segments);
  CHECK(segments.first == NULL && segments.count == 0);
  REQUIRE(!pcf_segments_cut(&segments, &x.view, 2, 10, 4, 324, NULL)); /* exactly 3 runs */
  CHECK(segments.count == 2 && segments.first[1] == 6);
  pcf_segments_free(&segments);
  REQUIRE(!pcf_segments_cut(&segments, &x.view, 3, 10, 4, 1e9, NULL)); /* all of them */
  CHECK(segments.count == 1 && segments.first[1] == 10 && segments.most_bytes == 540);
  pcf_segments_free(&segments);
  REQUIRE(!pcf_segments_cut(&segments, &x.view, 3, 10, 4, 162, NULL)); /* a shorter last run */
  CHECK(segments.count == 4 && segments.first[3] == 9 && segments.first[4] == 10);
  pcf_segments_free(&segments);
}

TEST(residency_of_nothing) {
  struct lengths x = {.view = {.count = 0}};
  SCOPED(pcf_segments) segments;
  x.view.offsets = x.offsets;
  REQUIRE(!pcf_segments_cut(&segments, &x.view, 64, 8, 8, 100, NULL));
  CHECK(segments.count == 0 && segments.first[0] == 0 && most_items(&segments) == 0 &&
        segments.most_bytes == 0);
}

TEST(residency_says_how_much_a_block_needs) {
  struct lengths x = {.view = {.count = 0}};
  SCOPED(pcf_segments) segments;
  struct pcf_error error = {0};
  add_functions(&x, 100, 1000);
  add_functions(&x, 100, 200000);
  CHECK(pcf_segments_cut(&segments, &x.view, 50, 8, 100, 60e6, &error) ==
        PCF_ERROR_DEVICE_MEMORY);
  CHECK(error.status == PCF_ERROR_DEVICE_MEMORY && segments.first == NULL);
  CHECK_STRING(error.message, "the 50 rows of a block need 80.0 MB of device memory, "
                              "but only 60.0 MB are available");
  REQUIRE(!pcf_segments_cut(&segments, &x.view, 25, 8, 100, 60e6, &error));
  CHECK(segments.count == 4 && segments.first[1] == 125); /* 40.8 MB, then 40 MB each */
}

TEST(residency_limits_the_breakpoints_of_a_segment) {
  struct lengths x = {.view = {.count = 0}};
  struct pcf_segments segments;
  struct pcf_error error = {0};
  add_functions(&x, 4, INT32_MAX / 2);
  REQUIRE(!pcf_segments_cut(&segments, &x.view, 1, 1, 0, 1e18, NULL));
  CHECK(segments.count == 2 && most_units(&segments, &x) == INT32_MAX - 1);
  pcf_segments_free(&segments);
  add_functions(&x, 2, INT32_MAX);
  REQUIRE(!pcf_segments_cut(&segments, &x.view, 1, 1, 0, 1e18, NULL));
  CHECK(segments.count == 4 && most_units(&segments, &x) == INT32_MAX);
  pcf_segments_free(&segments);
  CHECK(pcf_segments_cut(&segments, &x.view, 2, 1, 0, 1e18, &error) == PCF_ERROR_DEVICE_MEMORY);
  CHECK(strstr(error.message, "4294967294 elements") != NULL);
}

/* One function of a million breakpoints among small ones. */
TEST(residency_of_uneven_lengths) {
  struct lengths x = {.view = {.count = 0}};
  SCOPED(pcf_segments) segments;
  add_functions(&x, 700, 10);
  add_functions(&x, 1, 1000000);
  add_functions(&x, 1299, 10);
  /* 8 bytes each; the run with the long function takes 8.005 MB. */
  REQUIRE(!pcf_segments_cut(&segments, &x.view, 64, 8, 0, 8.02e6, NULL));
  int64_t s = segment_with(&segments, 700);
  CHECK(segments.count == 3 && s == 1);
  CHECK(segments.first[1] == 640); /* the runs before it go together, 51,200 bytes … */
  CHECK(segments.first[2] == 832); /* … and three fit with it: 15,360 bytes and the 8 MB */
  CHECK(segments.most_bytes == 8 * (1000000 + 191 * 10));
  CHECK(most_items(&segments) == 2000 - 832);
}

TEST(residency_segments_are_as_few_as_possible) {
  for (int k = 0; k < (check_quick() ? 30 : 500); k++) {
    struct lengths x = {.view = {.count = 0}};
    SCOPED(pcf_segments) segments;
    int64_t side = random_between(&random, 1, 9), n = random_between(&random, 1, 60);
    double breakpoint = random_uniform(&random), function = 3 * random_uniform(&random);
    for (int64_t i = 0; i < n; i++) add_functions(&x, 1, random_between(&random, 1, 40));
    double slot = (double)side * (40 * breakpoint + function) * (1 + random_uniform(&random));
    REQUIRE(!pcf_segments_cut(&segments, &x.view, side, breakpoint, function, slot, NULL));
    REQUIRE(segments.count > 0 && segments.first[0] == 0 &&
            segments.first[segments.count] == n);
    for (int64_t s = 0; s < segments.count; s++) {
      int64_t first = segments.first[s], end = segments.first[s + 1];
      int64_t more = end + side < n ? end + side : n;
      REQUIRE(first < end && first % side == 0);
      double bytes = (double)(x.offsets[end] - x.offsets[first]) * breakpoint +
                     (double)(end - first) * function;
      double with_more = (double)(x.offsets[more] - x.offsets[first]) * breakpoint +
                         (double)(more - first) * function;
      CHECK(bytes <= slot && bytes <= segments.most_bytes);
      CHECK(more == end || with_more > slot);
      for (int64_t i = first; i < end; i++) CHECK(segment_with(&segments, i) == s);
    }
  }
}

/* ---- The order of blocks ---- */

static struct pcf_segments even_segments(int64_t count, int64_t functions) {
  struct pcf_segments segments = {.count = count};
  segments.first = pcf_allocate((size_t)count + 1, sizeof *segments.first, NULL);
  for (int64_t s = 0; s <= count; s++) segments.first[s] = s * functions;
  return segments;
}

/* The loads of one device that takes all blocks. Rows and columns are kinds of their own, or
 * one where they are the same functions prepared in the same way. */
static int64_t count_loads(const struct pcf_schedule *schedule, const struct pcf_segments *cut,
                           int count, bool one_kind) {
  struct pcf_slots slots;
  int64_t loads = 0;
  pcf_slots_init(&slots, count);
  for (int64_t b = 0; b < schedule->count; b++) {
    const struct pcf_block *block = &schedule->block[b];
    int64_t row = segment_with(cut, block->row);
    int64_t column = segment_with(cut, block->column);
    int load, load_column;
    int rows = pcf_slots_take(&slots, 0, row, 0, &load);
    if (!CHECK(rows >= 0 && rows < count)) break;
    int columns = pcf_slots_take(&slots, one_kind ? 0 : 1, column, 1U << rows, &load_column);
    loads += load + load_column;
    if (!CHECK(columns >= 0 && columns < count)) break;
    CHECK((rows == columns) == (one_kind && row == column));
    CHECK(slots.slot[rows].segment == row && slots.slot[columns].segment == column);
  }
  return loads;
}

/* 6 × 6 segments of 4 blocks, with random lengths. */
enum { SEGMENTS = 6, BLOCKS = 4, BLOCK = 2 };

static struct functions *six_segments(struct random *random) {
  int64_t lengths[SEGMENTS * BLOCKS * BLOCK];
  for (int i = 0; i < SEGMENTS * BLOCKS * BLOCK; i++) {
    lengths[i] = random_between(random, 1, 1000);
  }
  return functions_new(SEGMENTS * BLOCKS * BLOCK, lengths);
}

/* Returns how often both segments change from one block to the next; groups must not come back,
 * and within them work must fall. */
static int64_t check_groups(const struct pcf_schedule *schedule,
                            const struct pcf_segments *segments) {
  bool seen[SEGMENTS][SEGMENTS] = {{false}};
  int64_t last_row = -1, last_column = -1, jumps = 0;
  for (int64_t b = 0; b < schedule->count; b++) {
    const struct pcf_block *block = &schedule->block[b];
    int64_t row = segment_with(segments, block->row);
    int64_t column = segment_with(segments, block->column);
    if (row == last_row && column == last_column) {
      CHECK(block[-1].work >= block->work);
      continue;
    }
    CHECK(!seen[row][column]);
    seen[row][column] = true;
    jumps += b > 0 && row != last_row && column != last_column;
    last_row = row;
    last_column = column;
  }
  return jumps;
}

TEST(residency_order_changes_one_segment_at_a_time) {
  struct functions *x = six_segments(&random);
  SCOPED(pcf_segments) segments = even_segments(SEGMENTS, BLOCKS * BLOCK);
  for (int64_t held = 1; held <= SEGMENTS + 1; held++) {
    struct pcf_schedule schedule;
    REQUIRE(!pcf_schedule_rectangles(&schedule, PCF_FULL, items_of(x), items_of(x), BLOCK,
                                     BLOCK, NULL));
    int64_t count = schedule.count;
    REQUIRE(!pcf_schedule_by_segments(&schedule, &segments, &segments, held, NULL));
    CHECK(schedule.count == count);
    CHECK(check_groups(&schedule, &segments) == 0);
    pcf_schedule_free(&schedule);
    enum pcf_mode triangle = PCF_LOWER_WITHOUT_DIAGONAL;
    REQUIRE(!pcf_schedule_rectangles(&schedule, triangle, items_of(x), items_of(x), BLOCK,
                                     BLOCK, NULL));
    REQUIRE(!pcf_schedule_by_segments(&schedule, &segments, &segments, held, NULL));
    CHECK(check_groups(&schedule, &segments) <= (held == 1 ? 3 : SEGMENTS));
    pcf_schedule_free(&schedule);
  }
}

TEST(residency_order_keeps_all_blocks) {
  struct functions *x = six_segments(&random);
  SCOPED(pcf_segments) segments = even_segments(SEGMENTS, BLOCKS * BLOCK);
  SCOPED(pcf_schedule) schedule;
  enum { N = SEGMENTS * BLOCKS };
  int seen[N][N] = {{0}};
  REQUIRE(!pcf_schedule_rectangles(&schedule, PCF_FULL, items_of(x), items_of(x), BLOCK, BLOCK,
                                   NULL));
  REQUIRE(!pcf_schedule_by_segments(&schedule, &segments, &segments, 2, NULL));
  for (int64_t b = 0; b < schedule.count; b++) {
    CHECK(schedule.block[b].rows == BLOCK && schedule.block[b].columns == BLOCK);
    seen[schedule.block[b].row / BLOCK][schedule.block[b].column / BLOCK]++;
  }
  for (int i = 0; i < N * N; i++) CHECK(seen[i / N][i % N] == 1);
}

/* Of 36 pairs of segments, or 21 on and below the diagonal. Without an order, the 576 blocks
 * bring more than one segment each on average. */
TEST(residency_order_saves_loads) {
  struct functions *x = six_segments(&random);
  SCOPED(pcf_segments) segments = even_segments(SEGMENTS, BLOCKS * BLOCK);
  struct pcf_schedule schedule;
  REQUIRE(!pcf_schedule_rectangles(&schedule, PCF_FULL, items_of(x), items_of(x), BLOCK, BLOCK,
                                   NULL));
  CHECK(schedule.count == 576);
  int64_t unordered = count_loads(&schedule, &segments, 3, false);
  CHECK(unordered > 576);
  /* 6 rows; 6 columns each, of which one is still there at every turn. */
  REQUIRE(!pcf_schedule_by_segments(&schedule, &segments, &segments, 1, NULL));
  CHECK(count_loads(&schedule, &segments, 3, false) == 6 + 6 * 6 - 5);
  CHECK(count_loads(&schedule, &segments, 2, false) == 6 + 6 * 6 - 5);
  /* Rows two and three at a time. */
  REQUIRE(!pcf_schedule_by_segments(&schedule, &segments, &segments, 2, NULL));
  CHECK(count_loads(&schedule, &segments, 4, false) == 6 + 3 * 6 - 2);
  REQUIRE(!pcf_schedule_by_segments(&schedule, &segments, &segments, 3, NULL));
  CHECK(count_loads(&schedule, &segments, 5, false) == 6 + 2 * 6 - 1);
  REQUIRE(!pcf_schedule_by_segments(&schedule, &segments, &segments, 6, NULL));
  CHECK(count_loads(&schedule, &segments, 8, false) == 6 + 6);
  pcf_schedule_free(&schedule);
  REQUIRE(!pcf_schedule_rectangles(&schedule, PCF_LOWER_WITH_DIAGONAL, items_of(x), items_of(x),
                                   BLOCK, BLOCK, NULL));
  REQUIRE(!pcf_schedule_by_segments(&schedule, &segments, &segments, 1, NULL));
  int64_t one_kind = count_loads(&schedule, &segments, 3, true);
  CHECK(one_kind < count_loads(&schedule, &segments, 3, false) && one_kind <= 16);
  pcf_schedule_free(&schedule);
}

/* Blocks lie in one segment of rows and one of columns, and so do those they are cut into. */
TEST(residency_segments_hold_whole_blocks) {
  for (int k = 0; k < (check_quick() ? 20 : 200); k++) {
    struct lengths x = {.view = {.count = 0}};
    SCOPED(pcf_segments) segments;
    SCOPED(pcf_schedule) schedule;
    unsigned char done[4000];
    int64_t side = 2 * random_between(&random, 1, 8), n = random_between(&random, 1, 60);
    for (int64_t i = 0; i < n; i++) add_functions(&x, 1, random_between(&random, 1, 40));
    REQUIRE(!pcf_segments_cut(&segments, &x.view, side, 1, 0, (double)side * 60, NULL));
    REQUIRE(!pcf_schedule_rectangles(&schedule, PCF_FULL, &x.view, &x.view, side, side, NULL));
    schedule.tile = schedule.least_side = 2;
    do {
      REQUIRE(!pcf_schedule_by_segments(&schedule, &segments, &segments, 1, NULL));
      for (int64_t b = 0; b < schedule.count; b++) {
        const struct pcf_block *block = &schedule.block[b];
        CHECK(segment_with(&segments, block->row) ==
              segment_with(&segments, block->row + block->rows - 1));
        CHECK(segment_with(&segments, block->column) ==
              segment_with(&segments, block->column + block->columns - 1));
        done[b] = random_between(&random, 0, 1) == 0;
      }
    } while (!pcf_schedule_halve(&schedule, done, PCF_FULL, &x.view, &x.view, NULL));
  }
}

TEST(residency_without_memory_fails) {
  struct lengths x = {.view = {.count = 0}};
  struct pcf_segments segments = even_segments(2, 4);
  struct pcf_schedule schedule;
  struct pcf_error error = {0};
  add_functions(&x, 8, 3);
  REQUIRE(!pcf_schedule_rectangles(&schedule, PCF_FULL, &x.view, &x.view, 2, 2, NULL));
  pcf_memory_fail_at(1);
  CHECK(pcf_schedule_by_segments(&schedule, &segments, &segments, 1, &error) ==
        PCF_ERROR_MEMORY);
  CHECK(error.message[0] != 0 && schedule.count == 16);
  pcf_segments_free(&segments);
  pcf_memory_fail_at(1);
  CHECK(pcf_segments_cut(&segments, &x.view, 2, 1, 1, 100, &error) == PCF_ERROR_MEMORY);
  CHECK(segments.first == NULL);
  pcf_schedule_free(&schedule);
  REQUIRE(!pcf_schedule_by_segments(&schedule, &segments, &segments, 1, NULL)); /* empty */
}

/* ---- Slots ---- */

TEST(residency_slots_give_way_to_the_least_recently_used) {
  struct pcf_slots slots;
  int load;
  pcf_slots_init(&slots, 3);
  for (int s = 0; s < 3; s++) {
    CHECK(pcf_slots_take(&slots, 0, 10 + s, 0, &load) == s && load);
  }
  CHECK(pcf_slots_take(&slots, 0, 10, 0, &load) == 0 && !load);
  CHECK(pcf_slots_take(&slots, 1, 10, 0, &load) == 1 && load); /* another kind */
  CHECK(slots.slot[1].kind == 1 && slots.slot[1].segment == 10);
  CHECK(pcf_slots_take(&slots, 0, 12, 0, &load) == 2 && !load);
  CHECK(pcf_slots_take(&slots, 0, 13, 0, &load) == 0 && load); /* used before slots 1 and 2 */
}

TEST(residency_slots_keep_what_is_pinned) {
  struct pcf_slots slots;
  int load;
  pcf_slots_init(&slots, 3);
  for (int s = 0; s < 3; s++) CHECK(pcf_slots_take(&slots, 0, s, 0, &load) == s && load);
  CHECK(pcf_slots_take(&slots, 0, 3, 1, &load) == 1 && load);
  CHECK(pcf_slots_take(&slots, 0, 4, 1 | 4, &load) == 1 && load);
  CHECK(pcf_slots_take(&slots, 0, 5, 7, &load) == -1 && !load);
  CHECK(pcf_slots_take(&slots, 0, 2, 7, &load) == 2 && !load); /* it is there */
  pcf_slots_forget(&slots, 2);
  CHECK(pcf_slots_take(&slots, 0, 2, 0, &load) == 2 && load); /* an empty slot goes first */
}
