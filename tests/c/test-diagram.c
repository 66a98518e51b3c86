/* The sorting under functions of persistence diagrams, and what they refuse, without memory or
 * stopped. tests/testthat/test-make-diagrams.R and test-make-tents.R have what they are. */
#include "check.h"
#include "runs.h"

#include "arrays/steps.h"
#include "base/memory.h"
#include "diagrams/diagram.h"
#include "diagrams/landscape.h"
#include "diagrams/silhouette.h"

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
  struct pcf_total sum = {5, 0};
  double times[6], values[6];
  REQUIRE(pcf_add_steps(steps, 6, &sum, times, values) == 4);
  CHECK(times[0] == 0 && times[1] == 1 && times[2] == 2 && times[3] == 3);
  CHECK(values[0] == 7 && values[1] == 7 && values[3] == 8 && sum.sum + sum.error == 8);
  REQUIRE(pcf_drop_flat(times, values, 4, 5) == 3);
  CHECK(times[1] == 2 && values[2] == 8);
  CHECK(pcf_drop_flat(times, values, 3, 7) == 2);
  CHECK(pcf_add_steps(steps, 0, &sum, times, values) == 0);
}

/* ---- Diagrams ---- */

/* The curves of diagrams, and then both kinds of functions of their tents. */
enum { LANDSCAPES = PCF_ACCUMULATED_PERSISTENCE + 1, SILHOUETTES, KINDS };
enum { LEVELS = 4 }; /* of landscapes */

/* Diagrams that own their bars, with room for their curves. */
struct diagrams {
  int64_t count;
  struct pcf_diagram *diagram;
  double **bars,
    **functions; /* of the curves of each, and its landscapes of up to four levels */
  int64_t *room;
  struct pcf_curve_space space;
};

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

static struct diagrams *diagrams_random(struct random *random, int64_t count,
                                        const int64_t *sizes) {
  struct diagrams *x = zeroed(1, sizeof *x);
  int64_t total = count;
  x->diagram = zeroed(count, sizeof *x->diagram);
  x->bars = zeroed(count, sizeof *x->bars);
  x->functions = zeroed(LEVELS * count, sizeof *x->functions);
  x->room = zeroed(count + 1, sizeof *x->room);
  for (int64_t i = 0; i < count; i++) {
    int64_t n = sizes[i];
    double *bars = x->bars[i] = zeroed(3 * n, sizeof *bars);
    fill_bars(random, bars, n);
    x->diagram[i] = (struct pcf_diagram){bars, bars + n, bars + 2 * n, n};
    for (int k = 0; k < LEVELS; k++) {
      x->functions[k * count + i] = zeroed(9 * n + 3, sizeof(double));
    }
    total += 2 * n;
  }
  x->count = count;
  x->space = (struct pcf_curve_space){x->room, zeroed(total, sizeof(double)),
                                      zeroed(total, sizeof(double))};
  return x;
}

static enum pcf_status build_curves(struct diagrams *x, enum pcf_curve curve, int threads,
                                    const atomic_int *stop, struct pcf_bar_fault *fault,
                                    struct pcf_curves *curves, struct pcf_error *error) {
  struct pcf_diagrams all = {
    x->diagram, x->count, {curve, curve == PCF_EULER_CURVE ? NAN : 1, 0, INFINITY}};
  for (int64_t i = 0; i < x->count; i++) {
    x->room[i + 1] = x->room[i] + pcf_curve_room(&x->diagram[i], curve);
  }
  return pcf_build_curves(&all, &x->space, threads, stop, fault, curves, error);
}

static enum pcf_status build_landscapes(struct diagrams *x, const struct pcf_diagrams *tents,
                                        int threads, const atomic_int *stop,
                                        struct pcf_bar_fault *fault, struct pcf_error *error) {
  struct pcf_landscapes landscapes = {tents, LEVELS, NULL};
  enum pcf_status status = pcf_landscapes_count(&landscapes, threads, stop, fault, error);
  if (!status) status = pcf_landscapes_fill(&landscapes, x->functions, threads, stop, error);
  pcf_landscapes_free(&landscapes);
  return status;
}

/* Functions of one kind, of bars of dimension 1; for tents, those that never die end at 700. */
static enum pcf_status build(struct diagrams *x, int kind, int threads, const atomic_int *stop,
                             struct pcf_bar_fault *fault, struct pcf_error *error) {
  struct pcf_diagrams tents = {x->diagram, x->count, {.dimension = 1, .infinite = 700}};
  struct pcf_curves curves;
  if (kind == LANDSCAPES) return build_landscapes(x, &tents, threads, stop, fault, error);
  enum pcf_status status =
    kind == SILHOUETTES
      ? pcf_build_silhouettes(&tents, 1, threads, stop, fault, &curves, error)
      : build_curves(x, (enum pcf_curve)kind, threads, stop, fault, &curves, error);
  if (!status) status = pcf_curves_write(&curves, x->functions, threads, stop, error);
  pcf_curves_free(&curves);
  return status;
}

/* ---- Tests ---- */

TEST(diagram_faults_name_the_first_bar) {
  enum { COUNT = 9 };
  static const int64_t sizes[COUNT] = {0, 1, 2, 3000, 40000, 0, 70000, 17, 200000};
  struct diagrams *x = diagrams_random(&random, COUNT, sizes);
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
    x->bars[i][broken[k].column * sizes[i] + broken[k].bar] = broken[k].value;
    for (int kind = 0; kind < KINDS; kind++) {
      CHECK(build(x, kind, 1 + kind % 4, NULL, &fault, &error) == PCF_ERROR_ARGUMENT);
      CHECK(fault.problem == broken[k].problem && error.message[0]);
      CHECK(fault.diagram == i && fault.bar == broken[k].bar);
    }
  }
}

TEST(diagram_bars_that_never_die_have_no_tent) {
  double death = INFINITY;
  struct pcf_diagram bar = {NULL, (double[]){2}, &death, 1};
  struct pcf_diagrams x = {&bar, 1, {.dimension = NAN, .infinite = INFINITY}};
  struct pcf_curves made;
  struct pcf_bar_fault fault;
  CHECK(pcf_build_silhouettes(&x, 1, 1, NULL, &fault, &made, NULL) == PCF_ERROR_ARGUMENT);
  pcf_curves_free(&made);
  CHECK(fault.problem == PCF_BAR_ENDLESS && fault.diagram == 0 && fault.bar == 0);
  death = 3;
  for (int k = 0; k < 3; k++) {
    double power = k == 0 ? -1 : k == 1 ? INFINITY : NAN;
    struct pcf_error error = {0};
    CHECK(pcf_build_silhouettes(&x, power, 1, NULL, &fault, &made, &error) ==
          PCF_ERROR_ARGUMENT);
    CHECK(!fault.problem && error.message[0]);
  }
}

TEST(diagram_work_fails_without_memory_and_stops_when_asked) {
  enum { COUNT = 8 };
  static const int64_t sizes[COUNT] = {0, 1, 2, 3000, 40000, 0, 70000, 17};
  const atomic_int stop = 1;
  for (int kind = 0; kind < KINDS; kind++) {
    /* Tents of many bars take long. */
    struct diagrams *x = diagrams_random(&random, COUNT - (kind < LANDSCAPES ? 0 : 4), sizes);
    struct pcf_bar_fault fault;
    bool pending = false;
    long k = 1;
    for (; !pending; k++) {
      struct pcf_error error = {0};
      pcf_memory_fail_at(k);
      enum pcf_status status = build(x, kind, 2, NULL, &fault, &error);
      pending = memory_failure_is_pending(k);
      CHECK(status == (pending ? PCF_OK : PCF_ERROR_MEMORY) && !error.message[0] == pending);
    }
    CHECK(k > 4);
    struct pcf_error error = {0};
    CHECK(build(x, kind, 2, &stop, &fault, &error) == PCF_ERROR_INTERRUPTED);
    CHECK(error.message[0]);
  }
}

/* Threads share the diagrams, and the breakpoints of long functions. */
TEST(diagram_functions_do_not_depend_on_threads) {
  enum { COUNT = 5 };
  static const int64_t sizes[COUNT] = {0, 70000, 1, 9000, 3000};
  struct diagrams *x = diagrams_random(&random, COUNT, sizes);
  for (int kind = 0; kind < KINDS; kind++) {
    double *before[LEVELS * COUNT];
    for (int threads = 1; threads <= 4; threads += 3) {
      struct pcf_bar_fault fault;
      REQUIRE(!build(x, kind, threads, NULL, &fault, NULL));
      for (int f = 0; f < LEVELS * COUNT; f++) {
        size_t bytes = (size_t)(9 * sizes[f % COUNT] + 3) * sizeof(double);
        if (threads > 1) CHECK(memcmp(before[f], x->functions[f], bytes) == 0);
        else before[f] = memcpy(kept(malloc(bytes)), x->functions[f], bytes);
        memset(x->functions[f], 0, bytes);
      }
    }
  }
}

TEST(diagram_collections_may_be_empty) {
  struct diagrams *x = diagrams_random(&random, 0, NULL);
  struct pcf_bar_fault fault;
  for (int kind = 0; kind < KINDS; kind++) CHECK(!build(x, kind, 3, NULL, &fault, NULL));
}
