/* Inverses of monotone functions, and the times at which they reach levels. */
#include "check.h"
#include "ragged.h"

#include "algebra/inverse.h"

#include <math.h>

enum { S = PCF_PORTION_ELEMENTS, COUNT = 7 };
static int64_t lengths[COUNT] = {1, S - 1, S, 3 * S + 1, 9, 2, 40};

/* Functions that never fall, or never rise, some flat in parts and some with gaps. */
static struct functions *monotone_functions(int falling, uint64_t seed) {
  struct random random = {seed};
  struct functions *x = functions_of_lengths(&random, INTEGER_TIMES, COUNT, lengths);
  x->view.partial = 1;
  for (int64_t i = 0; i < COUNT; i++) {
    double value = falling ? 3 : -2;
    for (int64_t k = 0; k < lengths[i]; k++) {
      int64_t rise = random_between(&random, 0, 2);
      value += falling ? -(double)rise : (double)rise;
      values_of(x, i)[k] = random_uniform(&random) < 0.2 ? pcf_missing() : value;
    }
    if (i % 3 == 1) times_of(x, i)[0] = -INFINITY;
  }
  for (int64_t k = S - 5; k < 2 * S + 5; k++) values_of(x, 3)[k] = pcf_missing();
  return x;
}

static struct functions *inverted(const struct functions *x, int falling, int threads,
                                  enum pcf_status *status) {
  struct pcf_inversion inversion = {.x = &x->view, .falling = falling};
  int64_t breakpoints[COUNT];
  struct functions *y = NULL;
  inversion.portions = portions_of_lengths(COUNT, lengths);
  *status = pcf_inversion_count(&inversion, threads, &never_stop, breakpoints, NULL);
  if (!*status) {
    y = functions_new(COUNT, breakpoints);
    *status =
      pcf_inversion_fill(&inversion, threads, &never_stop, breakpoints, y->function, NULL);
  }
  return y;
}

static bool reaches(double value, double level, int falling) {
  return falling ? value <= level : value >= level;
}

/* By definition: the first time at which a level is reached. */
static double crossing(const struct functions *x, int64_t i, double level, int falling) {
  const double *time = times_of(x, i), *value = values_of(x, i);
  int64_t first = 0, k = 0, m = lengths[i];
  while (first < m && isnan(value[first])) first++;
  if (first == m) return NAN;
  int away = falling ? value[first] > 0 : value[first] < 0;
  if (!away && time[0] > -INFINITY && reaches(0, level, falling)) return -INFINITY;
  while (k < m && (isnan(value[k]) || !reaches(value[k], level, falling))) k++;
  return k == m || (k > 0 && isnan(value[k - 1])) ? NAN : time[k];
}

static bool same_number(double a, double b) {
  return a == b || (pcf_is_missing(a) && isnan(b));
}

TEST(crossing_times_by_definition) {
  enum { LEVELS = 60 };
  double level[LEVELS];
  int64_t column[LEVELS];
  double *result = zeroed((int64_t)COUNT * LEVELS, sizeof *result);
  for (int l = 0; l < LEVELS; l++) {
    level[l] = (l - 30) * 0.5 * (l % 7);
    column[l] = LEVELS - 1 - l;
  }
  for (int l = 1; l < LEVELS; l++) level[l] = fmax(level[l], level[l - 1]);
  struct pcf_levels levels = {level, column, LEVELS, 0, 0};
  for (int round = 0; round < 8; round++) {
    int falling = round % 2;
    struct functions *x = monotone_functions(falling, 70 + (uint64_t)round);
    enum pcf_status status =
      pcf_crossing_times(&x->view, falling, &levels, 1 + round % 3, &never_stop, result, NULL);
    CHECK(status == PCF_OK);
    for (int l = 0; l < LEVELS; l++) {
      for (int i = 0; i < COUNT; i++) {
        double want = crossing(x, i, level[l], falling);
        CHECK(same_number(result[i + column[l] * COUNT], want));
      }
    }
  }
}

TEST(crossing_times_in_the_middle_of_what_is_flat) {
  double next = nextafter(9, INFINITY);
  const double numbers[] = {0, 2, 4, 5, 9, next, 8, 3, 3, 1, 1, pcf_missing()};
  const double *function = numbers;
  const int64_t offsets[] = {0, 6};
  struct pcf_collection x = {1, &function, offsets, .partial = 1};
  const double level[] = {1, 2, 3, 8};
  double result[4];
  struct pcf_levels levels = {level, NULL, 4, 0, 1};
  CHECK(pcf_crossing_times(&x, 1, &levels, 1, &never_stop, result, NULL) == PCF_OK);
  CHECK(result[0] == 7 && result[1] == 5 && result[2] == 3.5 && result[3] == 0);
}

/* The value of a function of the result at a level, from the left or the right. */
static double value_beside(const struct functions *y, int64_t i, double level, int from_left) {
  const double *time = times_of(y, i);
  int64_t m = pcf_breakpoints(&y->view, i), k = 0;
  while (k < m && (from_left ? time[k] < level : time[k] <= level)) k++;
  return k > 0 ? values_of(y, i)[k - 1] : 0;
}

/* Between its ends an inverse is the time at which the level is reached. */
TEST(inverse_agrees_with_crossing_times) {
  for (int round = 0; round < (check_quick() ? 2 : 6); round++) {
    int falling = round % 2;
    enum pcf_status status;
    struct functions *x = monotone_functions(falling, 90 + (uint64_t)round);
    struct functions *y = inverted(x, falling, 1 + round % 3, &status);
    REQUIRE(status == PCF_OK);
    for (int i = 0; i < COUNT; i++) {
      int64_t m = pcf_breakpoints(&y->view, i);
      const double *level = times_of(y, i);
      CHECK(level[0] == -INFINITY && pcf_is_missing(values_of(y, i)[0]));
      CHECK(pcf_is_missing(values_of(y, i)[m - 1]));
      for (int64_t k = 2; k < m; k++) {
        double middle = (level[k - 1] + level[k]) / 2, end = level[falling ? k - 1 : k];
        CHECK(level[k] > level[k - 1]);
        CHECK(same_number(value_beside(y, i, middle, 0), crossing(x, i, middle, falling)));
        CHECK(same_number(value_beside(y, i, end, !falling), crossing(x, i, end, falling)));
      }
    }
  }
}

TEST(ends_are_those_of_what_is_observed) {
  for (int threads = 1; threads <= 3; threads++) {
    struct functions *x = monotone_functions(0, 110);
    struct pcf_trends trends;
    for (int i = 0; i < COUNT; i++) {
      for (int64_t k = 0; k < lengths[i]; k++) values_of(x, i)[k] = k % 5 == 2 ? 9 : 4;
      values_of(x, i)[lengths[i] - 1] = 4;
    }
    CHECK(!pcf_find_ends(&x->view, threads, &never_stop, &trends, NULL));
    CHECK(trends.rise.item == -1 && trends.fall.item == -1);
    values_of(x, 4)[0] = pcf_missing();
    values_of(x, 4)[7] = 5;
    values_of(x, 4)[8] = pcf_missing();
    values_of(x, 5)[1] = values_of(x, 6)[39] = 3;
    values_of(x, 3)[0] = values_of(x, 3)[3 * S] = pcf_missing();
    CHECK(!pcf_find_ends(&x->view, threads, &never_stop, &trends, NULL));
    CHECK(trends.rise.item == 4 && trends.rise.position == 7);
    CHECK(trends.fall.item == 5 && trends.fall.position == 1);
  }
}

static struct pcf_trends trends_of(const struct functions *x, int threads) {
  struct pcf_trends trends;
  CHECK(!pcf_find_trends(&x->view, threads, &never_stop, &trends, NULL));
  return trends;
}

TEST(trends_are_the_first_changes) {
  for (int threads = 1; threads <= 3; threads++) {
    struct functions *x = monotone_functions(0, 110);
    for (int64_t k = 0; k < lengths[1]; k++) values_of(x, 1)[k] = 4;
    for (int64_t k = 0; k < S; k++) values_of(x, 2)[k] = 4;
    struct pcf_trends trends = trends_of(x, threads);
    CHECK(trends.fall.item == -1 && trends.rise.item == 3);
    for (int64_t k = 2 * S + 5; k <= 3 * S; k++) values_of(x, 3)[k] = -100;
    values_of(x, 4)[8] = -1000;
    trends = trends_of(x, threads); /* over the gap */
    CHECK(trends.fall.item == 3 && trends.fall.position == 2 * S + 5);
    values_of(x, 2)[S - 1] = 3;
    CHECK(trends_of(x, threads).fall.item == 2);
  }
}
