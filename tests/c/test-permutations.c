/* Statistics of permuted groups. */
#include "check.h"
#include "ragged.h"

#include "base/memory.h"
#include "summaries/permutations.h"

#include <math.h>

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

/* The sum for two groups by definition. */
static double sum_by_definition(const int *of, int g, int h, int squared) {
  double sum = 0;
  const double *d = distance;
  for (int i = 0; i < MEMBERS; i++) {
    for (int j = i + 1; j < MEMBERS; j++, d++) {
      int counts = (of[i] == g && of[j] == h) || (of[i] == h && of[j] == g);
      if (counts) sum += squared ? *d * *d : *d;
    }
  }
  return sum;
}

TEST(permuted_sums_by_definition) {
  struct pcf_labels labels = some_labels();
  double sums[TRIES * GROUPS * GROUPS];
  for (int round = 0; round < 6; round++) {
    int squared = round % 2;
    CHECK(
      !pcf_permuted_sums(&labels, distance, squared, 1 + round / 2, &never_stop, sums, NULL));
    for (int k = 0; k < TRIES; k++) {
      for (int c = 0; c < GROUPS * GROUPS; c++) {
        double want = sum_by_definition(label + k * MEMBERS, c % GROUPS, c / GROUPS, squared);
        CHECK_NEAR(sums[c + k * GROUPS * GROUPS], want, 1e-14);
      }
    }
  }
}

enum { MOVES = 400 };
static int function[MOVES];
static double from[MOVES], to[MOVES], width[MOVES];

static struct pcf_moves some_moves(double scale) {
  struct random random = {131};
  double now[MEMBERS] = {0};
  for (int k = 0; k < MOVES; k++) {
    function[k] = (int)random_between(&random, 0, MEMBERS - 1);
    from[k] = now[function[k]];
    to[k] = now[function[k]] = random_normal(&random) * scale;
    width[k] = k % 5 ? random_uniform(&random) : 0;
  }
  return (struct pcf_moves){
    .count = MOVES, .function = function, .from = from, .to = to, .width = width};
}

/* The distance of the means of two groups by definition. */
static double distance_by_definition(const int *of, int g, int h, double p, double scale) {
  double now[MEMBERS] = {0}, total = 0;
  for (int k = 0; k < MOVES; k++) {
    double sum[GROUPS] = {0}, size[GROUPS] = {0};
    now[function[k]] = to[k] / scale;
    for (int i = 0; i < MEMBERS; i++) {
      sum[of[i]] += now[i];
      size[of[i]]++;
    }
    double d = fabs(sum[g] / size[g] - sum[h] / size[h]);
    if (p == INFINITY) total = width[k] > 0 ? fmax(total, d) : total;
    else total += width[k] * pow(d, p);
  }
  return scale * (p == INFINITY ? total : pow(total, 1 / p));
}

TEST(permuted_means_by_definition) {
  const double exponents[] = {1, 2, 3.3, INFINITY}, scales[] = {1, 1e-300, 1e300};
  struct pcf_labels labels = some_labels();
  double got[TRIES * PAIRS];
  for (int round = 0; round < 12; round++) {
    double p = exponents[round % 4], scale = scales[round / 4];
    struct pcf_moves moves = some_moves(scale);
    CHECK(!pcf_permuted_means(&labels, &moves, p, 1 + round % 3, &never_stop, got, NULL));
    for (int k = 0; k < TRIES; k++) {
      for (int h = 1, pair = 0; h < GROUPS; h++) {
        for (int g = 0; g < h; g++, pair++) {
          double want = distance_by_definition(label + k * MEMBERS, g, h, p, scale);
          CHECK_NEAR(got[pair + k * PAIRS], want, 1e-13);
        }
      }
    }
  }
}

/* All functions come back to the same value: nothing of their sums is left. */
TEST(permuted_means_end_exactly) {
  struct pcf_labels labels = some_labels();
  struct pcf_moves moves = some_moves(1);
  for (int k = 0; k < MOVES; k++) {
    function[k] = k % MEMBERS;
    from[k] = k >= MEMBERS ? to[k - MEMBERS] : 0;
    to[k] = k + MEMBERS < MOVES ? to[k] : 0.1;
    width[k] = k + 1 < MOVES ? 0 : 1e10;
  }
  double got[TRIES * PAIRS];
  CHECK(!pcf_permuted_means(&labels, &moves, 1, 2, &never_stop, got, NULL));
  for (int k = 0; k < TRIES * PAIRS; k++) CHECK(fabs(got[k]) < 1e-5);
}

TEST(permutations_without_memory) {
  struct pcf_labels labels = some_labels();
  struct pcf_moves moves = some_moves(1);
  double result[TRIES * GROUPS * GROUPS];
  for (long k = 1; k <= 3; k++) {
    pcf_memory_fail_at(k);
    CHECK(pcf_permuted_sums(&labels, distance, 0, 1, &never_stop, result, NULL) ==
          PCF_ERROR_MEMORY);
    pcf_memory_fail_at(k);
    CHECK(pcf_permuted_means(&labels, &moves, 1, 1, &never_stop, result, NULL) ==
          PCF_ERROR_MEMORY);
  }
}
