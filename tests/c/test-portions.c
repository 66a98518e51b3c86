/* Cutting work into portions. */
#include "check.h"
#include "ragged.h"

#include "base/memory.h"

enum { SIZE = PCF_PORTION_ELEMENTS };

/* Which elements of each item were visited, and in which portions. */
struct visits {
  const struct pcf_portions *portions;
  int64_t *portion_visits, *elements; /* of portions, of items */
  int fail_at;
};

static enum pcf_status visit(void *visits_, const struct pcf_portion *portion,
                             struct pcf_error *error) {
  struct visits *visits = visits_;
  const struct pcf_portions *portions = visits->portions;
  int64_t begin = (portion->number - portions->first[portion->item]) * SIZE;
  if (visits->fail_at == portion->number) return pcf_fail(error, PCF_ERROR_SYSTEM, "asked");
  CHECK(portion->begin == begin);
  CHECK(portion->end - begin <= SIZE);
  CHECK(portion->end == portions->length[portion->item] || portion->end == begin + SIZE);
  visits->portion_visits[portion->number]++;
  portions->place[portion->number] = portion->end - portion->begin;
  return PCF_OK;
}

static int64_t lengths[] = {1, 0, SIZE - 1, SIZE, SIZE + 1, 3, 5 * SIZE + 7, 0, 300 * SIZE, 2};
enum { ITEMS = sizeof lengths / sizeof lengths[0] };

TEST(portions_visit_every_element_once) {
  for (int threads = 1; threads <= 3; threads++) {
    struct pcf_portions portions = portions_of_lengths(ITEMS, lengths);
    int64_t count = portions.first[ITEMS], totals[ITEMS];
    CHECK(count == 1 + 1 + 1 + 1 + 2 + 1 + 6 + 1 + 300 + 1);
    struct visits visits = {.portions = &portions, .fail_at = -1};
    visits.portion_visits = zeroed(count, sizeof(int64_t));
    CHECK(pcf_portions_run(&portions, threads, &never_stop, visit, &visits, NULL) == PCF_OK);
    for (int64_t s = 0; s < count; s++) CHECK(visits.portion_visits[s] == 1);
    pcf_portions_place(&portions, totals);
    for (int i = 0; i < ITEMS; i++) {
      CHECK(totals[i] == lengths[i]);
      for (int64_t s = portions.first[i]; s < portions.first[i + 1]; s++) {
        CHECK(portions.place[s] == (s - portions.first[i]) * SIZE);
      }
    }
  }
}

TEST(portions_of_nothing) {
  struct pcf_portions portions = portions_of_lengths(0, NULL);
  CHECK(portions.first[0] == 0);
  CHECK(pcf_portions_run(&portions, 2, &never_stop, visit, NULL, NULL) == PCF_OK);
}

TEST(portions_stop_and_fail) {
  struct pcf_portions portions = portions_of_lengths(ITEMS, lengths);
  struct visits visits = {.portions = &portions, .fail_at = 200};
  struct pcf_error error = {0};
  atomic_int stop = 1;
  visits.portion_visits = zeroed(portions.first[ITEMS], sizeof(int64_t));
  CHECK(pcf_portions_run(&portions, 2, &never_stop, visit, &visits, &error) ==
        PCF_ERROR_SYSTEM);
  CHECK_STRING(error.message, "asked");
  CHECK(pcf_portions_run(&portions, 2, &stop, visit, &visits, &error) == PCF_ERROR_INTERRUPTED);
  pcf_memory_fail_at(1);
  CHECK(pcf_portions_run(&portions, 2, &never_stop, visit, &visits, &error) ==
        PCF_ERROR_MEMORY);
  pcf_memory_fail_at(0);
}

TEST(places_are_ordered) {
  struct pcf_place a = {1, 5}, b = {1, 6}, c = {2, 0};
  CHECK(pcf_place_before(a, b) && pcf_place_before(b, c) && pcf_place_before(a, c));
  CHECK(!pcf_place_before(b, a) && !pcf_place_before(a, a) && !pcf_place_before(c, b));
  CHECK(pcf_place_before(a, PCF_NOWHERE) && !pcf_place_before(PCF_NOWHERE, a));
  CHECK(!pcf_place_before(PCF_NOWHERE, PCF_NOWHERE));
}
