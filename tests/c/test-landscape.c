/* Landscapes and silhouettes, against their definitions. */
#include "check.h"
#include "collections.h"

#include "base/memory.h"
#include "diagrams/landscape.h"
#include "diagrams/silhouette.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Diagrams that own their bars, and are freed at the end of the test ---- */

struct diagrams {
  struct pcf_diagrams view;
  struct pcf_diagram *diagram;
};

/* Diagrams without dimensions, of 0 … most bars or exactly -most, all of them 0 until they are
 * filled. */
static struct diagrams *diagrams_new(struct random *random, int64_t count, int64_t most) {
  struct diagrams *x = zeroed(1, sizeof *x);
  x->diagram = zeroed(count, sizeof *x->diagram);
  x->view = (struct pcf_diagrams){x->diagram, count, {.dimension = NAN, .infinite = INFINITY}};
  for (int64_t i = 0; i < count; i++) {
    int64_t n = most < 0 ? -most : random_between(random, 0, most);
    double *bars = zeroed(2 * n, sizeof *bars);
    x->diagram[i] = (struct pcf_diagram){NULL, bars, bars + n, n};
  }
  return x;
}

static double *births_of(const struct diagrams *x, int64_t i) {
  return (double *)x->diagram[i].birth;
}

static double *deaths_of(const struct diagrams *x, int64_t i) {
  return (double *)x->diagram[i].death;
}

/* Whole births below `births` and lengths up to `lengths`: sums and halves are exact. */
static struct diagrams *whole_numbers(struct random *random, int64_t count, int64_t most,
                                      int64_t births, int64_t lengths) {
  struct diagrams *x = diagrams_new(random, count, most);
  for (int64_t i = 0; i < count; i++) {
    for (int64_t k = 0; k < x->diagram[i].bars; k++) {
      births_of(x, i)[k] = (double)random_between(random, 0, births - 1);
      deaths_of(x, i)[k] = births_of(x, i)[k] + (double)random_between(random, 0, lengths);
    }
  }
  return x;
}

/* ---- Definitions ---- */

static double tent(const struct pcf_diagram *x, int64_t k, double t) {
  double up = t - x->birth[k], down = x->death[k] - t, least = up < down ? up : down;
  return least > 0 ? least : 0;
}

static int descending(const void *a_, const void *b_) {
  double a = *(const double *)a_, b = *(const double *)b_;
  return (a < b) - (a > b);
}

/* All tents at a time in descending order, and zeros up to `levels`. */
static double *landscape_at(const struct pcf_diagram *x, int64_t levels, double t) {
  double *tents = calloc((size_t)(x->bars + levels) + 1, sizeof *tents);
  for (int64_t k = 0; k < x->bars; k++) tents[k] = tent(x, k, t);
  qsort(tents, (size_t)x->bars, sizeof *tents, descending);
  return tents;
}

static double silhouette_at(const struct pcf_diagram *x, double power, double t) {
  long double sum = 0, weights = 0, longest = 0;
  for (int64_t k = 0; k < x->bars; k++) longest = fmaxl(longest, x->death[k] - x->birth[k]);
  for (int64_t k = 0; k < x->bars; k++) {
    if (x->death[k] == x->birth[k]) continue;
    long double shorter = (longest - (x->death[k] - x->birth[k])) / longest;
    long double weight = expl(power * log1pl(-shorter));
    sum += weight * tent(x, k, t);
    weights += weight;
  }
  return weights > 0 ? (double)(sum / weights) : 0;
}

static double height_at(const struct pcf_linear_functions *x, int64_t f, double t) {
  int64_t first = x->offsets[f], last = x->offsets[f + 1] - 1, k = first;
  const double *times = x->times, *values = x->values;
  if (t < times[first] || t > times[last]) return 0;
  while (times[k] < t) k++;
  if (times[k] == t) return values[k];
  double slope = (values[k] - values[k - 1]) / (times[k] - times[k - 1]);
  return values[k - 1] + slope * (t - times[k - 1]);
}

/* Strictly increasing times, 0 at both ends and nowhere below. */
static bool is_sound(const struct pcf_linear_functions *x, int64_t f) {
  int64_t first = x->offsets[f], last = x->offsets[f + 1] - 1;
  if (last < first || x->values[first] != 0 || x->values[last] != 0) return false;
  if (first == last) return x->times[first] == 0;
  for (int64_t k = first; k <= last; k++) {
    if (!(x->values[k] >= 0) || !(fabs(x->times[k]) < INFINITY)) return false;
    if (k > first && !(x->times[k - 1] < x->times[k])) return false;
  }
  return true;
}

/* Slopes of -1, 0 and 1, no two of them alike side by side, and none of 0 at the ends. */
static bool is_minimal(const struct pcf_linear_functions *x, int64_t f) {
  int64_t first = x->offsets[f], last = x->offsets[f + 1] - 1;
  double before = 0;
  for (int64_t k = first; k < last; k++) {
    double slope = (x->values[k + 1] - x->values[k]) / (x->times[k + 1] - x->times[k]);
    if (slope == before || (slope != 0 && fabs(slope) != 1)) return false;
    before = slope;
  }
  return first == last || before != 0;
}

/* ---- Building ---- */

static void give_functions_back(void *x) {
  pcf_linear_functions_free(x);
  let_go(x);
}

/* Functions to be built, which are freed at the end of the test. */
static struct pcf_linear_functions *new_functions(void) {
  struct pcf_linear_functions *functions = calloc(1, sizeof *functions);
  check_keep(functions, give_functions_back);
  return functions;
}

/* Landscapes; NULL after an error. */
static struct pcf_linear_functions *landscapes_of(const struct diagrams *x, int64_t *levels,
                                                  int threads) {
  struct pcf_linear_functions *functions = new_functions();
  struct pcf_bar_fault fault;
  enum pcf_status status =
    pcf_build_landscapes(&x->view, levels, threads, NULL, &fault, functions, NULL);
  return CHECK(status == PCF_OK) ? functions : NULL;
}

static struct pcf_linear_functions *silhouettes_of(const struct diagrams *x, double power,
                                                   int threads) {
  struct pcf_linear_functions *functions = new_functions();
  struct pcf_bar_fault fault;
  enum pcf_status status =
    pcf_build_silhouettes(&x->view, power, threads, NULL, &fault, functions, NULL);
  return CHECK(status == PCF_OK) ? functions : NULL;
}

static bool same_functions(const struct pcf_linear_functions *x,
                           const struct pcf_linear_functions *y) {
  size_t offsets = (size_t)x->count + 1, vertices = (size_t)x->offsets[x->count];
  return x->count == y->count && !memcmp(x->offsets, y->offsets, 8 * offsets) &&
         !memcmp(x->times, y->times, 8 * vertices) &&
         !memcmp(x->values, y->values, 8 * vertices);
}

/* Does function f have these vertices, each a time and a value? */
static bool has_vertices(const struct pcf_linear_functions *x, int64_t f, int64_t count,
                         const double (*vertex)[2]) {
  int64_t first = x->offsets[f];
  bool right = x->offsets[f + 1] - first == count;
  for (int64_t k = 0; right && k < count; k++) {
    right = x->times[first + k] == vertex[k][0] && x->values[first + k] == vertex[k][1];
  }
  return right;
}

/* ---- Landscapes ---- */

/* Are all levels of a diagram right at all multiples of 1/4 up to `end`, where all corners are
 * multiples of 1/2? */
static bool landscape_is_right(const struct diagrams *x, int64_t i,
                               const struct pcf_linear_functions *got, int64_t levels,
                               double end) {
  bool right = true;
  for (int64_t k = 0; k < levels; k++) {
    right &= is_sound(got, i * levels + k) && is_minimal(got, i * levels + k);
  }
  for (double t = -1; right && t <= end; t += 0.25) {
    double *want = landscape_at(&x->diagram[i], levels, t);
    for (int64_t k = 0; k < levels; k++) right &= height_at(got, i * levels + k, t) == want[k];
    free(want);
  }
  return right;
}

/* The most levels that are not 0 of one diagram. */
static int64_t most_levels(const struct diagrams *x, double end) {
  int64_t most = 1;
  for (int64_t i = 0; i < x->view.count; i++) {
    for (double t = 0; t < end; t += 0.25) {
      double *tents = landscape_at(&x->diagram[i], 0, t);
      for (int64_t k = most; k < x->diagram[i].bars && tents[k] > 0; k++) most = k + 1;
      free(tents);
    }
  }
  return most;
}

TEST(landscapes_of_tied_bars_are_those_of_the_definition) {
  int wrong = 0;
  for (int64_t round = 0; round < (check_quick() ? 2 : 100); round++) {
    int64_t births = 2 + round % 6, lengths = 2 + round % 5, all = 0, some = 1 + round % 4;
    struct diagrams *x = whole_numbers(&random, 100, 4 + round % 7, births, lengths);
    double end = (double)(births + lengths + 1);
    struct pcf_linear_functions *full = landscapes_of(x, &all, 2);
    struct pcf_linear_functions *cut = landscapes_of(x, &some, 1);
    REQUIRE(full && cut);
    CHECK(all == most_levels(x, end) && some == 1 + round % 4);
    CHECK(full->count == 100 * all && cut->count == 100 * some);
    for (int64_t i = 0; i < 100; i++) {
      wrong += !landscape_is_right(x, i, full, all, end);
      wrong += !landscape_is_right(x, i, cut, some, end);
    }
  }
  CHECK(wrong == 0);
}

TEST(landscapes_of_many_bars_are_those_of_the_definition) {
  const int64_t sizes[] = {-300, -2000};
  for (int c = 0; c < (check_quick() ? 1 : 2); c++) {
    struct diagrams *x = whole_numbers(&random, 2, sizes[c], 60, 40);
    for (int64_t wanted = 0; wanted < 9; wanted += 4) {
      int64_t levels = wanted;
      struct pcf_linear_functions *got = landscapes_of(x, &levels, 1);
      REQUIRE(got);
      for (int64_t i = 0; i < 2; i++) CHECK(landscape_is_right(x, i, got, levels, 101));
    }
  }
}

/* Multiples of the largest power of two that leaves room, and of one below which halves are not
 * numbers. */
TEST(landscapes_keep_their_shape_at_the_ends_of_the_numbers) {
  const double units[] = {0x1p1020, 0x1p-1073}, least = 0x1p-1074;
  CHECK(pcf_middle(least, least) == least && pcf_half_length(-least, least) == least);
  struct diagrams *x = whole_numbers(&random, 50, 12, 9, 20);
  for (int u = 0; u < 2; u++) {
    int64_t levels = 0, scaled_levels = 0;
    struct diagrams *y = diagrams_new(&random, 50, 0);
    for (int64_t i = 0; i < 50; i++) {
      int64_t n = x->diagram[i].bars;
      double *bars = zeroed(2 * n, sizeof *bars);
      y->diagram[i] = (struct pcf_diagram){NULL, bars, bars + n, n};
      for (int64_t k = 0; k < 2 * n; k++) {
        bars[k] = (births_of(x, i)[k] -= u == 0 ? 14 : 0) * units[u];
      }
    }
    struct pcf_linear_functions *got = landscapes_of(x, &levels, 1);
    struct pcf_linear_functions *scaled = landscapes_of(y, &scaled_levels, 1);
    REQUIRE(got && scaled && levels == scaled_levels);
    for (int64_t k = 0; k < got->offsets[got->count]; k++) {
      got->times[k] *= units[u];
      got->values[k] *= units[u];
    }
    CHECK(same_functions(got, scaled));
  }
}

/* Bars whose ends are few numbers apart, or far longer: rounding puts corners at the same
 * time. */
TEST(landscapes_of_almost_equal_bars_are_sound) {
  int wrong = 0, corners = 0, left_out = 0;
  for (int round = 0; round < (check_quick() ? 20 : 200); round++) {
    const double unit = 0x1p-52;
    struct diagrams *x = whole_numbers(&random, 20, 8, 4, 6);
    int64_t levels = 0, whole_levels = 0;
    struct pcf_linear_functions *whole = landscapes_of(x, &whole_levels, 1);
    for (int64_t i = 0; i < 20; i++) {
      for (int64_t k = 0; k < x->diagram[i].bars; k++) {
        double far = k % 2 == 0 && births_of(x, i)[k] < deaths_of(x, i)[k] ? round % 3 : 0;
        births_of(x, i)[k] = 1 + births_of(x, i)[k] * unit;
        deaths_of(x, i)[k] = 1 + far + deaths_of(x, i)[k] * unit * (far > 0 ? 2 : 1);
      }
    }
    struct pcf_linear_functions *got = landscapes_of(x, &levels, 1);
    REQUIRE(got && whole);
    corners += (int)got->offsets[got->count];
    for (int64_t f = 0; f < got->count; f++) {
      wrong += !is_sound(got, f);
      for (int64_t k = got->offsets[f]; k < got->offsets[f + 1]; k++) {
        double *want = landscape_at(&x->diagram[f / levels], levels, got->times[k]);
        wrong += fabs(got->values[k] - want[f % levels]) > unit;
        free(want);
      }
    }
    left_out += levels < whole_levels;
  }
  CHECK(wrong == 0 && corners > 0 && left_out > 0);
}

/* ---- Silhouettes ---- */

static bool silhouette_is_right(const struct pcf_diagram *x, double power,
                                const struct pcf_linear_functions *got, int64_t f, double from,
                                double to, double step, double tolerance) {
  double largest = 0;
  if (!is_sound(got, f)) return false;
  for (double t = from; t <= to; t += step) largest = fmax(largest, silhouette_at(x, power, t));
  for (double t = from; t <= to; t += step) {
    double want = silhouette_at(x, power, t), error = fabs(height_at(got, f, t) - want);
    if (error > tolerance * largest || (want == 0 && error > 0)) return false;
  }
  return true;
}

TEST(silhouettes_of_tied_bars_are_those_of_the_definition) {
  static const double powers[] = {0, 0.5, 1, 2, 3.7, 1000, 1e300};
  int wrong = 0;
  for (int round = 0; round < (check_quick() ? 2 : 70); round++) {
    int64_t births = 2 + round % 10, lengths = 2 + round % 5;
    struct diagrams *x = whole_numbers(&random, 100, 2 + round % 9, births, lengths);
    double power = powers[round % 7], end = (double)(births + lengths + 1);
    struct pcf_linear_functions *got = silhouettes_of(x, power, 2);
    REQUIRE(got && got->count == 100);
    for (int64_t i = 0; i < 100; i++) {
      wrong += !silhouette_is_right(&x->diagram[i], power, got, i, -1, end, 0.25, 5e-15);
    }
  }
  CHECK(wrong == 0);
}

/* Short bars far from 0, or beside much longer ones, whose tents are small again by then. */
TEST(silhouettes_keep_their_digits) {
  struct diagrams *x = whole_numbers(&random, 4, -1000, 400, 60);
  for (int64_t i = 0; i < 4; i++) {
    double offset = i == 1 ? 1e9 : i == 2 ? -1e12 : 0;
    for (int64_t k = 0; k < 1000; k++) {
      births_of(x, i)[k] = offset + births_of(x, i)[k] / 1024;
      deaths_of(x, i)[k] = offset + deaths_of(x, i)[k] / 1024;
      if (i == 3 && k < 500) births_of(x, i)[k] -= 1e3 * (double)(k + 1);
    }
  }
  struct pcf_linear_functions *got = silhouettes_of(x, 1, 1);
  REQUIRE(got);
  for (int64_t i = 0; i < 4; i++) {
    double offset = i == 1 ? 1e9 : i == 2 ? -1e12 : 0, from = i == 3 ? 0.125 : offset - 1;
    CHECK(silhouette_is_right(&x->diagram[i], 1, got, i, from, offset + 0.5, 0x1p-9, 2e-15));
  }
}

/* Where the numbers are 1/512 apart, and half of the middles between two of them. */
TEST(silhouettes_are_right_at_the_times_that_they_have) {
  const double offset = 0x1p43;
  struct diagrams *x = whole_numbers(&random, 100, 8, 20, 20);
  for (int64_t i = 0; i < 100; i++) {
    for (int64_t k = 0; k < x->diagram[i].bars; k++) {
      births_of(x, i)[k] = offset + births_of(x, i)[k] / 512;
      deaths_of(x, i)[k] = offset + deaths_of(x, i)[k] / 512;
    }
  }
  struct pcf_linear_functions *got = silhouettes_of(x, 1, 1);
  REQUIRE(got);
  for (int64_t i = 0; i < 100; i++) {
    CHECK(is_sound(got, i));
    for (int64_t k = got->offsets[i]; k < got->offsets[i + 1]; k++) {
      double want = silhouette_at(&x->diagram[i], 1, got->times[k]);
      CHECK(fabs(got->values[k] - want) <= 1e-15 * want);
    }
  }
}

TEST(silhouettes_of_few_bars_have_these_vertices) {
  static const double bars[][2][3] = {
    {{4, 4, 4}, {4, 4, 4}},           {{1, 3, 3}, {5, 3, 3}},           {{0, 2, 6}, {2, 6, 8}},
    {{0, 1, 1}, {2, 3, 3}}, /* at 1 a middle and two births: nothing changes */
    {{1, 1, 1}, {1 + 0x1p-52, 1, 1}}, {{1, 1, 0}, {1 + 0x1p-52, 1, 2}},
  };
  struct diagrams *x = diagrams_new(&random, 6, -3);
  for (int64_t i = 0; i < 6; i++) {
    memcpy(births_of(x, i), bars[i][0], sizeof bars[i][0]);
    memcpy(deaths_of(x, i), bars[i][1], sizeof bars[i][1]);
  }
  struct pcf_linear_functions *got = silhouettes_of(x, 1, 1);
  REQUIRE(got);
  CHECK(has_vertices(got, 0, 1, (const double[][2]){{0, 0}}));
  CHECK(has_vertices(got, 1, 3, (const double[][2]){{1, 0}, {3, 2}, {5, 0}}));
  CHECK(has_vertices(
    got, 2, 7,
    (const double[][2]){{0, 0}, {1, 0.25}, {2, 0}, {4, 1}, {6, 0}, {7, 0.25}, {8, 0}}));
  double peak = 2.0 / 3;
  CHECK(has_vertices(got, 3, 3, (const double[][2]){{0, 0}, {2, peak}, {3, 0}}));
  CHECK(has_vertices(got, 4, 1, (const double[][2]){{0, 0}}));
  REQUIRE((got = silhouettes_of(x, 0, 1)));
  CHECK(has_vertices(got, 5, 3, (const double[][2]){{0, 0}, {1, 0.5}, {2, 0}}));
  struct pcf_linear_functions none;
  struct pcf_bar_fault fault;
  for (int k = 0; k < 3; k++) {
    double power = k == 0 ? -1 : k == 1 ? INFINITY : NAN;
    struct pcf_error error = {0};
    CHECK(pcf_build_silhouettes(&x->view, power, 1, NULL, &fault, &none, &error) ==
          PCF_ERROR_ARGUMENT);
    CHECK(!fault.problem && error.message[0]);
  }
}

/* The weights are 1, 1/3, 2/3 and 1, of which the last three cancel twice the first but for
 * their rounding errors. */
TEST(silhouettes_have_no_vertex_where_slopes_cancel) {
  static const double birth[] = {0, 3, 3, 3}, death[] = {6, 5, 7, 9},
                      times[] = {0, 4, 5, 6, 7, 9};
  struct diagrams *x = diagrams_new(&random, 1, -4);
  memcpy(births_of(x, 0), birth, sizeof birth);
  memcpy(deaths_of(x, 0), death, sizeof death);
  struct pcf_linear_functions *got = silhouettes_of(x, 1, 1);
  REQUIRE(got && got->offsets[1] == 6);
  for (int k = 0; k < 6; k++) {
    CHECK(got->times[k] == times[k]);
    CHECK_NEAR(got->values[k], silhouette_at(&x->diagram[0], 1, times[k]), 1e-15);
  }
}

TEST(silhouettes_of_large_powers_tell_like_lengths_apart) {
  struct diagrams *x = whole_numbers(&random, 50, 10, 900, 9);
  for (int64_t i = 0; i < 50; i++) {
    for (int64_t k = 0; k < x->diagram[i].bars; k++) deaths_of(x, i)[k] += 1000;
  }
  struct pcf_linear_functions *got = silhouettes_of(x, 1000, 1);
  REQUIRE(got);
  for (int64_t i = 0; i < 50; i++) {
    CHECK(silhouette_is_right(&x->diagram[i], 1000, got, i, -1, 2000, 1, 3e-15));
  }
}

TEST(silhouettes_keep_their_shape_at_the_ends_of_the_numbers) {
  const double units[] = {0x1p1020, 0x1p-1070};
  struct diagrams *x = diagrams_new(&random, 2, -2);
  for (int64_t i = 0; i < 2; i++) {
    births_of(x, i)[0] = -15 * units[i];
    births_of(x, i)[1] = 1 * units[i];
    deaths_of(x, i)[0] = deaths_of(x, i)[1] = 15 * units[i];
  }
  struct pcf_linear_functions *got = silhouettes_of(x, 0, 1);
  REQUIRE(got);
  for (int64_t i = 0; i < 2; i++) {
    int64_t first = got->offsets[i];
    REQUIRE(got->offsets[i + 1] - first == 5);
    CHECK(got->times[first + 1] == 0 && got->values[first + 1] == 7.5 * units[i]);
    CHECK(got->times[first + 2] == units[i] && got->values[first + 2] == 7 * units[i]);
    CHECK(got->times[first + 3] == 8 * units[i] && got->values[first + 3] == 7 * units[i]);
  }
}

/* ---- Both ---- */

/* All levels of landscapes, or silhouettes. */
static enum pcf_status build(const struct diagrams *x, int silhouette, int threads,
                             const atomic_int *stop, struct pcf_bar_fault *fault,
                             struct pcf_linear_functions *functions, struct pcf_error *error) {
  int64_t levels = 0;
  return silhouette
           ? pcf_build_silhouettes(&x->view, 1, threads, stop, fault, functions, error)
           : pcf_build_landscapes(&x->view, &levels, threads, stop, fault, functions, error);
}

TEST(tents_have_the_same_bits_for_any_number_of_threads) {
  struct diagrams *x = diagrams_new(&random, 30, 200);
  for (int64_t i = 0; i < 30; i++) {
    for (int64_t k = 0; k < x->diagram[i].bars; k++) {
      births_of(x, i)[k] = random_uniform(&random);
      deaths_of(x, i)[k] = births_of(x, i)[k] + random_uniform(&random);
    }
  }
  int64_t levels[2] = {0, 0};
  struct pcf_linear_functions *one = landscapes_of(x, &levels[0], 1);
  struct pcf_linear_functions *three = landscapes_of(x, &levels[1], 3);
  REQUIRE(one && three);
  CHECK(levels[0] == levels[1] && same_functions(one, three));
  REQUIRE((one = silhouettes_of(x, 1.5, 1)) && (three = silhouettes_of(x, 1.5, 3)));
  CHECK(same_functions(one, three));
}

/* The bars of one dimension count, with a number in place of infinite deaths. */
TEST(tents_take_the_bars_that_the_rule_names) {
  struct diagrams *x = diagrams_new(&random, 1, -5);
  static const double dimension[] = {1, 0, 1, 1, 1}, birth[] = {-0.0, 0, 2, 9, -0.0};
  static const double death[] = {4, 50, INFINITY, INFINITY, -0.0};
  memcpy(births_of(x, 0), birth, sizeof birth);
  memcpy(deaths_of(x, 0), death, sizeof death);
  x->diagram[0].dimension = dimension;
  x->view.rule.dimension = 1;
  x->view.rule.infinite = 6;
  int64_t levels = 4;
  struct pcf_linear_functions *got = landscapes_of(x, &levels, 1);
  REQUIRE(got && got->count == 4);
  CHECK(has_vertices(got, 0, 5, (const double[][2]){{0, 0}, {2, 2}, {3, 1}, {4, 2}, {6, 0}}));
  CHECK(!signbit(got->times[0]));
  CHECK(has_vertices(got, 1, 3, (const double[][2]){{2, 0}, {3, 1}, {4, 0}}));
  CHECK(has_vertices(got, 2, 1, (const double[][2]){{0, 0}}));
  REQUIRE((got = silhouettes_of(x, 1, 1)));
  CHECK(has_vertices(got, 0, 4, (const double[][2]){{0, 0}, {2, 1}, {4, 1}, {6, 0}}));
  CHECK(!signbit(got->times[0]));
  x->view.rule.infinite = NAN;
  REQUIRE((got = landscapes_of(x, &levels, 1)));
  CHECK(has_vertices(got, 0, 3, (const double[][2]){{0, 0}, {2, 2}, {4, 0}}));
}

TEST(tents_name_the_first_bar_that_breaks_a_rule) {
  struct diagrams *x = whole_numbers(&random, 20, -30, 9, 9);
  static const struct {
    int64_t diagram, bar;
    double birth, death;
    enum pcf_bar_problem problem;
  } broken[] = {
    {19, 29, NAN, 1, PCF_BAR_MISSING},     {18, 3, INFINITY, INFINITY, PCF_BAR_BIRTH_INFINITE},
    {18, 2, 1, INFINITY, PCF_BAR_ENDLESS}, {7, 9, 2, 1, PCF_BAR_REVERSED},
    {7, 8, 1, INFINITY, PCF_BAR_ENDLESS},  {0, 0, 1, NAN, PCF_BAR_MISSING}};
  for (size_t k = 0; k < sizeof broken / sizeof broken[0]; k++) {
    births_of(x, broken[k].diagram)[broken[k].bar] = broken[k].birth;
    deaths_of(x, broken[k].diagram)[broken[k].bar] = broken[k].death;
    for (int silhouette = 0; silhouette < 2; silhouette++) {
      struct pcf_bar_fault fault;
      struct pcf_error error = {0};
      struct pcf_linear_functions none;
      CHECK(build(x, silhouette, 2, NULL, &fault, &none, &error) == PCF_ERROR_ARGUMENT);
      CHECK(fault.problem == broken[k].problem && error.message[0]);
      CHECK(fault.diagram == broken[k].diagram && fault.bar == broken[k].bar);
    }
  }
}

/* Fails at every allocation in turn, and then gets through. */
TEST(tents_without_memory_are_errors) {
  struct diagrams *x = whole_numbers(&random, 20, 30, 9, 9);
  for (int silhouette = 0; silhouette < 2; silhouette++) {
    struct pcf_linear_functions functions;
    struct pcf_bar_fault fault;
    long failures = 0;
    for (long k = 1; k < 100; k++) {
      struct pcf_error error = {0};
      pcf_memory_fail_at(k);
      enum pcf_status status = build(x, silhouette, 2, NULL, &fault, &functions, &error);
      pcf_memory_fail_at(0);
      if (status == PCF_OK) break;
      CHECK(status == PCF_ERROR_MEMORY && error.message[0]);
      failures++;
    }
    CHECK(failures >= 4 && failures < 20);
    pcf_linear_functions_free(&functions);
  }
}

TEST(tents_stop_when_asked) {
  struct diagrams *x = whole_numbers(&random, 20, 30, 9, 9);
  for (int silhouette = 0; silhouette < 2; silhouette++) {
    struct pcf_linear_functions functions;
    struct pcf_bar_fault fault;
    struct pcf_error error = {0};
    atomic_int stop = 1;
    CHECK(build(x, silhouette, 2, &stop, &fault, &functions, &error) == PCF_ERROR_INTERRUPTED);
    CHECK(error.message[0]);
  }
}

TEST(tents_of_no_diagrams_are_no_functions) {
  struct diagrams *x = diagrams_new(&random, 0, 0);
  int64_t levels = 0;
  struct pcf_linear_functions *got = landscapes_of(x, &levels, 3);
  REQUIRE(got && levels == 1 && got->count == 0);
  REQUIRE((got = silhouettes_of(x, 1, 3)) && got->count == 0);
}
