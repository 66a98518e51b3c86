/* SPIKE distances against their definition, by each method, tile and instruction set. */
#include "check.h"
#include "collections.h"
#include "runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SPIKES = 30, TRAINS = 37 };

/* ---- Trains ---- */

/* The counting function of sorted spikes in a recording. */
static int64_t count_spikes(const double *spike, int spikes, double from, double to,
                            double *time, double *value) {
  int64_t m = 0;
  time[m] = -INFINITY, value[m++] = pcf_missing();
  if (!spikes || spike[0] > from) time[m] = from, value[m++] = 0;
  for (int k = 0; k < spikes; k++) {
    if (k > 0 && spike[k] == spike[k - 1]) m--;
    time[m] = spike[k], value[m++] = k + 1;
  }
  time[m] = pcf_next_time(to), value[m++] = pcf_missing();
  return m;
}

/* Trains of which some have no spikes, one, or spikes at both ends; with a `grid`, at times
 * that others have, too. */
static struct functions *random_trains(struct random *random, int64_t count, int grid,
                                       double from, double to) {
  int64_t *lengths = zeroed(count, sizeof *lengths);
  double(*time)[MOST_SPIKES + 5] = zeroed(count, sizeof *time),
                              (*value)[MOST_SPIKES + 5] = zeroed(count, sizeof *value);
  for (int64_t i = 0; i < count; i++) {
    double spike[MOST_SPIKES + 2];
    int spikes = (int)(i < 6 ? i / 2 : random_between(random, 0, MOST_SPIKES));
    for (int k = 0; k < spikes; k++) {
      double at =
        grid ? (double)random_between(random, 0, grid) / grid : random_uniform(random);
      spike[k] = from + at * (to - from);
    }
    if (i % 5 == 0 && spikes > 1) spike[0] = from, spike[1] = to;
    qsort(spike, (size_t)spikes, sizeof *spike, by_number);
    lengths[i] = count_spikes(spike, spikes, from, to, time[i], value[i]);
  }
  struct functions *trains = functions_new(count, lengths);
  for (int64_t i = 0; i < count; i++) {
    memcpy(times_of(trains, i), time[i], (size_t)lengths[i] * sizeof(double));
    memcpy(values_of(trains, i), value[i], (size_t)lengths[i] * sizeof(double));
  }
  return trains;
}

/* ---- The definition ---- */

/* The knots of a train, and whether its first and its last one are auxiliary. */
struct knots {
  int count, early, late;
  long double at[MOST_SPIKES + 4];
};

static struct knots knots_of(const struct pcf_collection *x, int64_t i, double from,
                             double to) {
  struct knots knots = {0};
  double spike[MOST_SPIKES + 2];
  int n = 0;
  for (int64_t k = 1; k < pcf_breakpoints(x, i) - 1; k++) {
    if (pcf_values(x, i)[k] > 0) spike[n++] = pcf_times(x, i)[k];
  }
  if (n == 0 || (n == 1 && spike[0] == from)) {
    knots.count = 2;
    knots.at[0] = from;
    knots.at[1] = to;
    return knots;
  }
  knots.early = spike[0] > from;
  knots.late = spike[n - 1] < to;
  long double first = from, last = to;
  if (n > 1) first = fminl(first, 2 * (long double)spike[0] - spike[1]);
  if (n > 1) last = fmaxl(last, 2 * (long double)spike[n - 1] - spike[n - 2]);
  if (knots.early) knots.at[knots.count++] = first;
  for (int k = 0; k < n; k++) knots.at[knots.count++] = spike[k];
  if (knots.late) knots.at[knots.count++] = last;
  return knots;
}

static long double to_nearest(const struct knots *knots, long double time) {
  long double least = INFINITY;
  for (int k = 0; k < knots->count; k++) least = fminl(least, fabsl(knots->at[k] - time));
  return least;
}

/* The distance of a train from another one at a time, and its interval then. */
static long double distance_at(const struct knots *train, const struct knots *other,
                               long double time, long double *interval) {
  int k = 0;
  while (k + 2 < train->count && train->at[k + 1] <= time) k++;
  long double before = train->at[k], after = train->at[k + 1];
  *interval = after - before;
  long double weight = (time - before) / *interval;
  if (train->early && k == 0) weight = 1;
  if (train->late && k == train->count - 2) weight = 0;
  return (1 - weight) * to_nearest(other, before) + weight * to_nearest(other, after);
}

static int by_size(const void *a_, const void *b_) {
  long double a = *(const long double *)a_, b = *(const long double *)b_;
  return (a > b) - (a < b);
}

/* The mean over the window, from the middles of the stretches between all knots. */
static double spike_oracle(const struct pcf_request *request, int64_t i, int64_t j) {
  struct pcf_recording on = pcf_recording_of(request->x);
  double from = fmax(on.from, request->from), to = fmin(on.to, request->to);
  struct knots f = knots_of(request->x, i, on.from, on.to);
  struct knots g = knots_of(pcf_columns_of(request), j, on.from, on.to);
  long double cut[2 * (MOST_SPIKES + 4)], sum = 0;
  int cuts = f.count + g.count;
  memcpy(cut, f.at, (size_t)f.count * sizeof *cut);
  memcpy(cut + f.count, g.at, (size_t)g.count * sizeof *cut);
  for (int k = 0; k < cuts; k++) cut[k] = fminl(fmaxl(cut[k], from), to);
  qsort(cut, (size_t)cuts, sizeof *cut, by_size);
  for (int k = 1; k < cuts; k++) {
    long double middle = (cut[k] + cut[k - 1]) / 2, of_f, of_g;
    long double a = distance_at(&f, &g, middle, &of_f), b = distance_at(&g, &f, middle, &of_g);
    long double both = of_f + of_g;
    sum += (cut[k] - cut[k - 1]) * 2 * (of_g * a + of_f * b) /
           (both * fmaxl(both, 2 * (long double)request->p));
  }
  return (double)(sum / ((long double)to - from));
}

/* ---- Runs ---- */

static struct asked ask(enum pcf_mode mode, const struct functions *x,
                        const struct functions *y, double scale, double from, double to) {
  struct question question = {PCF_NO_OPERATION, scale, from, to};
  return request_of(&question, mode, x, y);
}

static bool is_exact(const struct asked *asked) {
  int64_t n = asked->pairs.x->count;
  struct outcome outcome = run_request(asked, PCF_FULL, &pcf_cpu_backend);
  if (outcome.status) return false;
  for (int64_t k = 0; k < outcome.length; k++) {
    if (!(fabs(outcome.result[k] - spike_oracle(&asked->pairs, k % n, k / n)) <= 2e-15))
      return false;
  }
  return true;
}

TEST(spike_distances_are_exact) {
  static const double windows[][2] = {
    {-INFINITY, INFINITY}, {-2, 0.5}, {-1.75, -1}, {0, 1}, {0.9, 0.91}};
  static const int grids[] = {0, 24, 6};
  for (int g = 0; g < 3; g++) {
    struct functions *x = random_trains(&random, TRAINS, grids[g], -2, 1);
    struct functions *y = random_trains(&random, 5, grids[g], -2, 1);
    for (int w = 0; w < 5; w++) {
      for (double scale = 0; scale < 2; scale += 0.3) {
        struct asked asked = ask(PCF_FULL, x, y, scale, windows[w][0], windows[w][1]);
        CHECK(is_exact(&asked));
      }
    }
  }
}

TEST(spike_distances_have_no_unit_of_time) {
  struct functions *x = random_trains(&random, TRAINS, 24, 0, 1),
                   *y = random_trains(&random, 3, 24, 0, 1);
  struct asked asked = ask(PCF_FULL, x, y, 0.125, -INFINITY, 0.75);
  struct outcome first = run_request(&asked, PCF_FULL, &pcf_cpu_backend);
  for (int exponent = -900; exponent <= 900; exponent += 300) {
    struct functions *times[] = {x, y};
    for (int k = 0; k < 2; k++) {
      for (int64_t i = 0; i < times[k]->view.count; i++) {
        int64_t m = pcf_breakpoints(&times[k]->view, i);
        for (int64_t b = 1; b < m - 1; b++)
          times_of(times[k], i)[b] = ldexp(times_of(times[k], i)[b], exponent);
        times_of(times[k], i)[m - 1] = pcf_next_time(ldexp(1, exponent));
      }
    }
    asked = ask(PCF_FULL, x, y, ldexp(0.125, exponent), -INFINITY, ldexp(0.75, exponent));
    struct outcome outcome = run_request(&asked, PCF_FULL, &pcf_cpu_backend);
    CHECK(outcomes_equal(&first, &outcome));
    for (int k = 0; k < 2; k++) {
      for (int64_t i = 0; i < times[k]->view.count; i++) {
        int64_t m = pcf_breakpoints(&times[k]->view, i);
        for (int64_t b = 1; b < m - 1; b++)
          times_of(times[k], i)[b] = ldexp(times_of(times[k], i)[b], -exponent);
      }
    }
  }
}

/* Each tile, thread, method and way to ask gives the same bits, and so does the transposed
 * matrix. */
TEST(spike_distances_have_the_same_bits_however_they_are_computed) {
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS];
  int available = pcf_available_instructions(sets);
  struct functions *x = random_trains(&random, 101, 24, 0, 2);
  for (int k = 0; k < 2 * available; k++) {
    struct asked asked = ask(PCF_FULL, x, x, k % 2 ? 0.1 : 0, 0.25, 1.9);
    asked.pairs.instructions = pcf_instructions_name(sets[k / 2]);
    struct outcome first = run_request(&asked, PCF_FULL, &pcf_cpu_backend);
    REQUIRE(first.status == PCF_OK);
    for (int64_t i = 0; i < 101; i++) {
      CHECK(first.result[102 * i] == 0);
      for (int64_t j = 0; j < i; j++)
        CHECK(first.result[i + 101 * j] == first.result[j + 101 * i]);
    }
    asked = ask(PCF_LOWER_WITHOUT_DIAGONAL, x, NULL, asked.pairs.p, 0.25, 1.9);
    asked.pairs.instructions = pcf_instructions_name(sets[k / 2]);
    for (int width = 0; width <= 128; width += 32) {
      if (width == 96) continue;
      asked.pairs.width = width;
      asked.pairs.method = width ? "sweep" : "walk";
      asked.settings.threads = 1 + width / 64;
      struct outcome outcome =
        run_request(&asked, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
      REQUIRE(outcome.status == PCF_OK);
      for (int64_t i = 0; i < 101; i++) {
        for (int64_t j = 0; j < i; j++)
          CHECK(outcome.result[dist_index(101, i, j)] == first.result[i + 101 * j]);
      }
    }
    asked = ask(PCF_PAIRED, x, x, asked.pairs.p, 0.25, 1.9);
    asked.pairs.instructions = pcf_instructions_name(sets[k / 2]);
    struct outcome paired = run_request(&asked, PCF_PAIRED, &pcf_cpu_backend);
    REQUIRE(paired.status == PCF_OK);
    for (int64_t i = 0; i < 101; i++) CHECK(paired.result[i] == 0);
  }
}

TEST(spike_distances_report_what_failed) {
  struct functions *x = random_trains(&random, 9, 0, 0, 1);
  struct asked asked = ask(PCF_LOWER_WITHOUT_DIAGONAL, x, NULL, 0, -INFINITY, INFINITY);
  fail_at_every_allocation(&asked, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend, false);
  asked.pairs.method = "grid";
  struct outcome outcome = run_request(&asked, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
  CHECK(outcome.status == PCF_ERROR_ARGUMENT);
  CHECK_STRING(outcome.error.message, "there is no \"grid\" kernel");
}
