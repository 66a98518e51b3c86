/* Functions from persistence diagrams, and the sorting under them. */
#include "check.h"
#include "collections.h"

#include "base/memory.h"
#include "collections/steps.h"
#include "diagrams/diagram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Sorting ---- */

/* The shapes that the buckets have to cope with. */
enum spread { EVEN, SKEWED, FEW_VALUES, ONE_FAR_AWAY, HUGE_RANGE, TINY_RANGE, SPREADS };

static double time_of(struct random *random, enum spread spread, int64_t k) {
  double u = random_uniform(random);
  switch (spread) {
  case EVEN: return u - 0.5;
  case SKEWED: return exp(1200 * (u - 0.5));
  case FEW_VALUES: return floor(5 * u);
  case ONE_FAR_AWAY: return k == 3 ? 1e300 : u;
  case HUGE_RANGE: return (2 * u - 1) * 1.7e308;
  case TINY_RANGE: return ldexp(floor(100 * u), -1074);
  case SPREADS: break;
  }
  return 0;
}

/* Are the times ascending, and have the changes (all different) gone with their times? */
static bool sorted_version(const struct pcf_step *got, const struct pcf_step *from,
                           int64_t count) {
  bool right = true;
  char *seen = zeroed(count + 1, 1);
  for (int64_t k = 0; k < count; k++) {
    int64_t source = (int64_t)got[k].change;
    if (k > 0 && got[k].time < got[k - 1].time) right = false;
    if (source < 0 || source >= count || seen[source]++) right = false;
    else if (got[k].time != from[source].time) right = false;
  }
  return right;
}

TEST(steps_are_sorted_whatever_their_spread) {
  static const int64_t counts[] = {0, 1, 2, 24, 25, 33, 500, 1024, 5000, 1 << 16};
  for (int spread = 0; spread < SPREADS; spread++) {
    for (int c = 0; c < (check_quick() ? 8 : 10); c++) {
      int64_t count = counts[c];
      size_t bytes = ((size_t)count + 1) * sizeof(struct pcf_step);
      struct pcf_step *from = kept(malloc(bytes)), *steps = kept(malloc(bytes)),
                      *scratch = kept(malloc(bytes));
      for (int64_t k = 0; k < count; k++) {
        from[k] = (struct pcf_step){time_of(&random, (enum spread)spread, k), (double)k};
      }
      memcpy(steps, from, bytes);
      pcf_sort_steps(steps, scratch, count);
      CHECK(sorted_version(steps, from, count));
    }
  }
}

TEST(steps_add_up) {
  const struct pcf_step steps[] = {{0, 2}, {1, 1}, {1, -1}, {2, 1e16}, {2, 1}, {3, -1e16}};
  struct pcf_sum sum = {5, 0};
  double times[6], values[6];
  REQUIRE(pcf_add_steps(steps, 6, &sum, times, values) == 4);
  CHECK(times[0] == 0 && times[1] == 1 && times[2] == 2 && times[3] == 3);
  CHECK(values[0] == 7 && values[1] == 7 && values[3] == 8 && sum.high + sum.low == 8);
  REQUIRE(pcf_drop_flat(times, values, 4, 5) == 3);
  CHECK(times[1] == 2 && values[2] == 8);
  CHECK(pcf_drop_flat(times, values, 3, 7) == 2);
  CHECK(pcf_add_steps(steps, 0, &sum, times, values) == 0);
}

/* ---- Diagrams ---- */

/* Diagrams that own their bars, with room for their curves. */
struct diagrams {
  struct pcf_diagram_curves curves;
  struct pcf_diagram *diagram;
  double **bars, **functions;
  int64_t *room;
};

static void *allocate(size_t count, size_t size) {
  return zeroed((int64_t)count + 1, size);
}

static void fill_bars(struct random *random, double *bars, int64_t n) {
  for (int64_t k = 0; k < n; k++) {
    double birth = floor(4000 * random_uniform(random)) / 8, length = 0;
    if (random_uniform(random) < 0.9) length = floor(1000 * random_uniform(random)) / 8;
    if (random_uniform(random) < 0.05) length = INFINITY;
    bars[k] = (double)random_between(random, 0, 2);
    bars[n + k] = birth;
    bars[2 * n + k] = birth + length;
  }
}

static void set_curve(struct diagrams *x, enum pcf_curve curve) {
  x->curves.rule =
    (struct pcf_curve_rule){curve, curve == PCF_EULER_CURVE ? NAN : 1, 0, INFINITY};
  for (int64_t i = 0; i < x->curves.count; i++) {
    x->room[i + 1] = x->room[i] + pcf_curve_room(&x->diagram[i], curve);
  }
}

static struct diagrams *diagrams_random(int64_t count, const int64_t *sizes) {
  struct random random = {13};
  struct diagrams *x = allocate(1, sizeof *x);
  int64_t total = count;
  x->diagram = allocate((size_t)count, sizeof *x->diagram);
  x->bars = allocate((size_t)count, sizeof *x->bars);
  x->functions = allocate((size_t)count, sizeof *x->functions);
  x->room = allocate((size_t)count + 1, sizeof *x->room);
  for (int64_t i = 0; i < count; i++) {
    int64_t n = sizes[i];
    double *bars = x->bars[i] = allocate(3 * (size_t)n, sizeof *bars);
    fill_bars(&random, bars, n);
    x->diagram[i] = (struct pcf_diagram){bars, bars + n, bars + 2 * n, n};
    x->functions[i] = allocate(4 * (size_t)n + 2, sizeof(double));
    total += 2 * n;
  }
  x->curves =
    (struct pcf_diagram_curves){.diagrams = x->diagram, .count = count, .room = x->room};
  x->curves.times = allocate((size_t)total, sizeof(double));
  x->curves.values = allocate((size_t)total, sizeof(double));
  x->curves.breakpoints = allocate((size_t)count, sizeof(int64_t));
  return x;
}

static enum pcf_status build(struct diagrams *x, int threads, const atomic_int *stop,
                             struct pcf_bar_fault *fault, struct pcf_error *error) {
  enum pcf_status status = pcf_build_curves(&x->curves, threads, stop, fault, error);
  if (status) return status;
  return pcf_copy_curves(&x->curves, x->functions, threads, stop, error);
}

/* The curve of a diagram at one time, by definition. Births and lengths are whole multiples of
 * 1/8: all sums are exact. */
static double curve_at(const struct diagrams *x, int64_t i, double t) {
  const struct pcf_diagram *d = &x->diagram[i];
  double value = 0;
  for (int64_t k = 0; k < d->bars; k++) {
    double length = d->death[k] - d->birth[k];
    int alive = d->birth[k] <= t && t < d->death[k];
    if (x->curves.rule.curve == PCF_EULER_CURVE) {
      value += alive ? (d->dimension[k] == 1 ? -1 : 1) : 0;
    } else if (d->dimension[k] == 1) {
      switch (x->curves.rule.curve) {
      case PCF_STABLE_RANK: value += t >= 0 && length > t; break;
      case PCF_BETTI_CURVE: value += alive; break;
      default: value += d->birth[k] + length / 2 <= t ? length : 0;
      }
    }
  }
  return value;
}

/* Functions that are sound, without flat breakpoints, and with the right values at some of
 * their breakpoints and just before them. */
static bool function_is_right(const struct diagrams *x, int64_t i) {
  int64_t m = x->curves.breakpoints[i], step = m / 20 + 1;
  const double *times = x->functions[i], *values = times + m;
  for (int64_t k = 1; k < m; k++) {
    if (!(times[k - 1] < times[k]) || values[k - 1] == values[k]) return false;
  }
  for (int64_t k = 0; k < m; k += step) {
    double before = times[k] - 1.0 / 32;
    if (values[k] != curve_at(x, i, times[k])) return false;
    if ((k ? values[k - 1] : 0) != curve_at(x, i, before)) return false;
  }
  return m >= 1;
}

static uint64_t digest(const struct diagrams *x) {
  uint64_t hash = 1;
  for (int64_t i = 0; i < x->curves.count; i++) {
    for (int64_t k = 0; k < 2 * x->curves.breakpoints[i]; k++) {
      uint64_t bits;
      memcpy(&bits, &x->functions[i][k], sizeof bits);
      hash = (hash ^ bits) * UINT64_C(0x100000001b3);
    }
  }
  return hash;
}

enum { SOME = 9 };
static const int64_t some_sizes[SOME] = {0, 1, 2, 3000, 40000, 0, 70000, 17, 200000};

TEST(diagram_curves_are_right_with_any_number_of_threads) {
  struct diagrams *x = diagrams_random(check_quick() ? 4 : SOME, some_sizes);
  for (int curve = PCF_STABLE_RANK; curve <= PCF_ACCUMULATED_PERSISTENCE; curve++) {
    struct pcf_bar_fault fault;
    set_curve(x, (enum pcf_curve)curve);
    CHECK(build(x, 1, NULL, &fault, NULL) == PCF_OK);
    for (int64_t i = 0; i < x->curves.count; i++) CHECK(function_is_right(x, i));
    uint64_t one = digest(x);
    CHECK(build(x, 3, NULL, &fault, NULL) == PCF_OK);
    CHECK(digest(x) == one);
  }
}

TEST(diagram_faults_name_the_first_bar) {
  struct diagrams *x = diagrams_random(SOME, some_sizes);
  struct pcf_bar_fault fault;
  struct pcf_error error = {0};
  static const struct {
    int64_t diagram, bar;
    int column;
    double value;
    enum pcf_bar_problem problem;
  } broken[] = {
    {8, 199999, 1, NAN, PCF_BAR_MISSING},         {8, 65536, 2, NAN, PCF_BAR_MISSING},
    {8, 3, 1, -INFINITY, PCF_BAR_BIRTH_INFINITE}, {7, 16, 0, -1, PCF_BAR_DIMENSION},
    {6, 69999, 2, -1, PCF_BAR_REVERSED},          {4, 5, 0, 0.5, PCF_BAR_DIMENSION},
    {1, 0, 1, INFINITY, PCF_BAR_BIRTH_INFINITE}};
  for (size_t k = 0; k < sizeof broken / sizeof broken[0]; k++) {
    int64_t i = broken[k].diagram;
    x->bars[i][broken[k].column * some_sizes[i] + broken[k].bar] = broken[k].value;
    for (int curve = PCF_STABLE_RANK; curve <= PCF_ACCUMULATED_PERSISTENCE; curve++) {
      set_curve(x, (enum pcf_curve)curve);
      CHECK(build(x, 1 + curve, NULL, &fault, &error) == PCF_ERROR_ARGUMENT);
      CHECK(fault.problem == broken[k].problem);
      CHECK(fault.diagram == i && fault.bar == broken[k].bar);
    }
  }
}

/* Fails at every allocation in turn, and then gets through. */
TEST(diagram_memory_failures_are_errors) {
  struct diagrams *x = diagrams_random(SOME - 1, some_sizes);
  set_curve(x, PCF_EULER_CURVE);
  struct pcf_bar_fault fault;
  CHECK(build(x, 2, NULL, &fault, NULL) == PCF_OK);
  uint64_t right = digest(x);
  long failures = 0;
  for (long k = 1; k < 1000; k++) {
    struct pcf_error error = {0};
    pcf_memory_fail_at(k);
    enum pcf_status status = build(x, 2, NULL, &fault, &error);
    pcf_memory_fail_at(0);
    if (status == PCF_OK) break;
    CHECK(status == PCF_ERROR_MEMORY && error.message[0]);
    failures++;
  }
  CHECK(failures > 4 && failures < 999);
  CHECK(digest(x) == right);
}

TEST(diagram_work_stops_when_asked) {
  struct diagrams *x = diagrams_random(SOME, some_sizes);
  set_curve(x, PCF_BETTI_CURVE);
  struct pcf_bar_fault fault;
  atomic_int stop = 1;
  CHECK(build(x, 2, &stop, &fault, NULL) == PCF_ERROR_INTERRUPTED);
}

TEST(diagram_collections_may_be_empty) {
  struct diagrams *x = diagrams_random(0, some_sizes);
  struct pcf_bar_fault fault;
  CHECK(build(x, 3, NULL, &fault, NULL) == PCF_OK);
}
