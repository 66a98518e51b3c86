/* Statistics of permuted groups: what is left at the end, and memory that fails.
 * tests/testthat/test-stats-permutation-test.R has their definitions. */
#include "check.h"
#include "ragged.h"
#include "runs.h"

#include "base/memory.h"
#include "summaries/permutations.h"

#include <math.h>
#include <string.h>

enum { MEMBERS = 23, TRIES = 37, GROUPS = 3, PAIRS = GROUPS * (GROUPS - 1) / 2 };

static int label[TRIES * MEMBERS];
static double distance[MEMBERS * (MEMBERS - 1) / 2];

static struct pcf_labels some_labels(void) {
  struct random random = {130};
  for (int k = 0; k < TRIES; k++) {
    for (int i = 0; i < MEMBERS; i++) label[i + k * MEMBERS] = i % GROUPS;
    for (int i = MEMBERS - 1; i > 0; i--) {
      int64_t j = random_between(&random, 0, i);
      int *one = &label[i + k * MEMBERS], *other = &label[j + k * MEMBERS], kept = *one;
      *one = *other;
      *other = kept;
    }
  }
  for (size_t k = 0; k < sizeof distance / sizeof *distance; k++) {
    distance[k] = random_uniform(&random);
  }
  return (struct pcf_labels){label, MEMBERS, TRIES, GROUPS};
}

enum { MOVES = 400 };
static int function[MOVES];
static double to[MOVES], width[MOVES];

static struct pcf_moves some_moves(void) {
  struct random random = {131};
  for (int k = 0; k < MOVES; k++) {
    function[k] = (int)random_between(&random, 0, MEMBERS - 1);
    to[k] = random_normal(&random);
    width[k] = k % 5 ? random_uniform(&random) : 0;
  }
  return (struct pcf_moves){.count = MOVES, .function = function, .to = to, .width = width};
}

/* All functions come back to the same value: nothing of their sums is left. */
TEST(permuted_means_end_exactly) {
  struct pcf_labels labels = some_labels();
  struct pcf_moves moves = some_moves();
  for (int k = 0; k < MOVES; k++) {
    function[k] = k % MEMBERS;
    to[k] = k + MEMBERS < MOVES ? to[k] : 0.1;
    width[k] = k + 1 < MOVES ? 0 : 1e10;
  }
  double got[TRIES * PAIRS];
  CHECK(!pcf_permuted_means(&labels, &moves, 1, 2, &never_stop, got, NULL));
  for (int k = 0; k < TRIES * PAIRS; k++) CHECK(fabs(got[k]) < 1e-5);
}

/* A function that adds 1 to the integral at each of its sizes, and one that is 0. */
TEST(permuted_means_of_many_sizes) {
  static const int alone[] = {0, 1};
  struct pcf_labels labels = {alone, 2, 1, 2};
  struct pcf_moves moves = some_moves();
  double got;
  moves.count = 0;
  memset(function, 0, sizeof function);
  for (int k = 0; k < 200; k++) {
    int exponent = k * 373 % 2000 - 1000; /* in no order */
    to[moves.count] = ldexp(1, exponent);
    width[moves.count++] = ldexp(1, -exponent);
  }
  CHECK(!pcf_permuted_means(&labels, &moves, 1, 1, &never_stop, &got, NULL));
  CHECK(got == 200);
}

TEST(permutations_without_memory) {
  struct pcf_labels labels = some_labels();
  struct pcf_moves moves = some_moves();
  double result[TRIES * GROUPS * GROUPS];
  for (int means = 0; means < 2; means++) {
    bool pending = false;
    for (long k = 1; !pending; k++) {
      pcf_memory_fail_at(k);
      enum pcf_status status =
        means ? pcf_permuted_means(&labels, &moves, 3.3, 3, &never_stop, result, NULL)
              : pcf_permuted_sums(&labels, distance, 1, 3, &never_stop, result, NULL);
      pending = memory_failure_is_pending(k);
      CHECK(status == (pending ? PCF_OK : PCF_ERROR_MEMORY));
      CHECK(k > 3 || !pending);
    }
  }
}
