/* Cutting work into portions. */
#include "check.h"
#include "ragged.h"

#include "base/memory.h"

enum { SIZE = PCF_PORTION_ELEMENTS };

/* Which portions were visited. */
struct visits {
  const struct pcf_portions *portions;
  atomic_int *count;
};

static void visit(void *visits_, const struct pcf_portion *portion) {
  struct visits *visits = visits_;
  const struct pcf_portions *portions = visits->portions;
  const int64_t *offsets = portions->offsets + portion->item;
  CHECK(portion->begin % SIZE == 0 && portion->end - portion->begin <= SIZE);
  CHECK(portion->end == offsets[1] - offsets[0] || portion->end == portion->begin + SIZE);
  CHECK(portion->begin < portion->end || offsets[1] == offsets[0]);
  int64_t *place = pcf_place_of(portions, portion);
  REQUIRE(place - portions->place < pcf_portion_numbers(portions));
  atomic_fetch_add(&visits->count[place - portions->place], 1);
  *place = portion->end - portion->begin;
}

static int64_t lengths[] = {1, 0, SIZE - 1, SIZE, SIZE + 1, 3, 5 * SIZE + 7, 0, 300 * SIZE, 2};
enum { ITEMS = sizeof lengths / sizeof lengths[0] };

TEST(portions_visit_every_element_once) {
  for (int threads = 1; threads <= 3; threads++) {
    struct pcf_portions portions = portions_of_lengths(ITEMS, lengths);
    int64_t numbers = pcf_portion_numbers(&portions), totals[ITEMS], count = 0;
    struct visits visits = {&portions, zeroed(numbers, sizeof(atomic_int))};
    CHECK(pcf_portions_run(&portions, threads, &never_stop, visit, &visits, NULL) == PCF_OK);
    for (int64_t s = 0; s < numbers; s++) {
      CHECK(visits.count[s] <= 1);
      count += visits.count[s];
    }
    CHECK(count == 1 + 1 + 1 + 1 + 2 + 1 + 6 + 1 + 300 + 1);
    portions.total = totals;
    pcf_portions_place(&portions);
    for (int i = 0; i < ITEMS; i++) {
      CHECK(totals[i] == lengths[i]);
      for (int64_t begin = 0; begin < lengths[i]; begin += SIZE) {
        CHECK(portions.place[pcf_portion_number(&portions, i, begin)] == begin);
      }
    }
  }
}

TEST(portions_of_nothing) {
  struct pcf_portions portions = portions_of_lengths(0, NULL);
  CHECK(pcf_portion_numbers(&portions) == 0);
  CHECK(pcf_portions_run(&portions, 2, &never_stop, visit, NULL, NULL) == PCF_OK);
}

TEST(portions_stop_and_fail) {
  struct pcf_portions portions = portions_of_lengths(ITEMS, lengths);
  struct visits visits = {&portions,
                          zeroed(pcf_portion_numbers(&portions), sizeof(atomic_int))};
  struct pcf_error error = {0};
  atomic_int stop = 1;
  CHECK(pcf_portions_run(&portions, 2, &stop, visit, &visits, &error) == PCF_ERROR_INTERRUPTED);
  pcf_memory_fail_at(1);
  CHECK(pcf_portions_run(&portions, 2, &never_stop, visit, &visits, &error) ==
        PCF_ERROR_MEMORY);
}

TEST(places_are_ordered) {
  struct pcf_place a = {1, 5}, b = {1, 6}, c = {2, 0};
  CHECK(pcf_place_before(a, b) && pcf_place_before(b, c) && pcf_place_before(a, c));
  CHECK(!pcf_place_before(b, a) && !pcf_place_before(a, a) && !pcf_place_before(c, b));
  CHECK(pcf_place_before(a, PCF_NOWHERE) && !pcf_place_before(PCF_NOWHERE, a));
  CHECK(!pcf_place_before(PCF_NOWHERE, PCF_NOWHERE));
}
