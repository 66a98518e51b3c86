/* The sweep and the split of piecewise linear functions, on the CPU and on a GPU. */
#include "check.h"
#include "fake-cuda.h"
#include "runs.h"

#include "base/memory.h"
#include "cuda/info.h"
#include "integrals/line-stretch.h"
#include "kernels/pair.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40 };

/* ---- Collections ---- */

/* Times are multiples of 1/16, so that many coincide; every fourth value or so jumps, and
 * functions are about `offset`. With `gaps` some stretches are missing. */
static struct functions *lines_random(struct random *random, int64_t count, int64_t least,
                                      int64_t most, double offset, bool gaps) {
  int64_t lengths[MOST] = {0};
  for (int64_t i = 0; i < count; i++) lengths[i] = random_between(random, least, most);
  struct functions *x = lines_new(count, lengths);
  for (int64_t i = 0; i < count; i++) {
    double *time = times_of(x, i), *left = lefts_of(x, i), *value = after_lefts(x, i);
    double t = (double)random_between(random, -8, 8) / 16;
    for (int64_t k = 0; k < lengths[i]; k++, t += (double)random_between(random, 1, 24) / 16) {
      time[k] = t;
      left[k] = offset + (double)random_between(random, -8, 8) / 4;
      value[k] =
        random_between(random, 0, 3) ? left[k] : offset + (double)random_between(random, -8, 8);
      if (k && random_between(random, 0, 5) == 0) left[k] = value[k - 1];
    }
    left[0] = offset;
    if (!offset) value[lengths[i] - 1] = 0;
    for (int64_t k = 1; gaps && k < lengths[i]; k++) {
      if (random_between(random, 0, 3) == 0) value[k - 1] = left[k] = pcf_missing();
    }
  }
  return x;
}

/* A step function as a piecewise linear one. */
static struct functions *as_lines(const struct functions *x) {
  int64_t lengths[MOST];
  for (int64_t i = 0; i < x->view.count; i++) lengths[i] = pcf_breakpoints(&x->view, i);
  struct functions *lines = lines_new(x->view.count, lengths);
  for (int64_t i = 0; i < x->view.count; i++) {
    size_t bytes = (size_t)lengths[i] * sizeof(double);
    memcpy(times_of(lines, i), times_of(x, i), bytes);
    memcpy(after_lefts(lines, i), values_of(x, i), bytes);
    memcpy(lefts_of(lines, i) + 1, values_of(x, i), bytes - sizeof(double));
  }
  return lines;
}

#define ASKED line_operation_count

/* ---- A tile ---- */

/* A tile of all functions of x and y: rectangular, or triangular where they are the same and
 * `triangle` is set. Writes result[i + MOST * j], scaled back. */
static void compute(enum pcf_instructions set, const struct pcf_integral *integral, int width,
                    bool triangle, const struct functions *x, const struct functions *y,
                    double *result) {
  struct pcf_band band[2];
  struct pcf_band_scratch scratch = {0};
  atomic_int never = 0;
  const struct functions *side[] = {x, y};
  void *output = zeroed(MOST * MOST, sizeof(double));
  for (int s = 0; s < 2; s++) {
    const struct pcf_collection *of = &side[s]->view;
    CHECK(!pcf_band_build(&band[s], of, integral, 0, (int)of->count, width, &scratch, NULL));
  }
  size_t bytes = pcf_tile_workspace(width, integral);
  struct pcf_tile tile = {.integral = integral,
                          .from = integral->from,
                          .to = integral->to,
                          .width = width,
                          .triangle = triangle,
                          .workspace = pcf_allocate(bytes, 1, NULL),
                          .output = output,
                          .stride = MOST,
                          .stop = &never,
                          .sweep = {&band[0], &band[triangle ? 0 : 1]}};
  memset(tile.workspace, 0xff, bytes);
  const struct pcf_kernels *kernels = pcf_kernels_of(set);
  CHECK(!kernels->sweep[x->view.linear][integral->precision](&tile));
  for (int64_t j = 0; j < y->view.count; j++) {
    for (int64_t i = 0; i < x->view.count; i++) {
      double got = scalar_at(output, i + MOST * j, integral->precision);
      result[i + MOST * j] = scaled_back(integral, got, &x->view, i, &y->view, j);
    }
  }
  for (int s = 0; s < 2; s++) pcf_band_free(&band[s]);
  pcf_band_scratch_free(&scratch);
  pcf_free(tile.workspace);
}

/* Rectangular and triangular tiles of every kernel against the definition; the same bits in
 * either order and in every width; and 0 for a function with itself. */
static void check_lines(const struct functions *x, const struct functions *y,
                        const struct question *question, const double tolerance[2]) {
  static double result[5][MOST * MOST];
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS];
  int available = pcf_available_instructions(sets);
  int64_t n = x->view.count, m = y->view.count;
  for (int variant = 0; variant < 2 * available; variant++) {
    enum pcf_precision precision = variant % 2;
    enum pcf_instructions set = sets[variant / 2];
    struct pcf_integral integral = integral_for(question, precision, &x->view, &y->view);
    double allowed = tolerance[integral.precision];
    bool inner = question->operation == PCF_INNER;
    compute(set, &integral, 64, false, x, y, result[0]);
    compute(set, &integral, 128, false, x, y, result[1]);
    compute(set, &integral, 64, false, y, x, result[2]);
    compute(set, &integral, 64, true, x, x, result[3]);
    compute(set, &integral, 64, false, x, x, result[4]);
    int wrong = 0, differ = 0;
    for (int64_t j = 0; j < m; j++) {
      for (int64_t i = 0; i < n; i++) {
        struct answer answer = line_oracle(question, &x->view, i, &y->view, j);
        double got = result[0][i + MOST * j];
        wrong += !agrees(got, answer, allowed);
        differ += got != result[1][i + MOST * j] || got != result[2][j + MOST * i];
      }
    }
    for (int64_t j = 0; j < n; j++) {
      for (int64_t i = j; i < n; i++) {
        differ += result[3][i + MOST * j] != result[4][i + MOST * j];
      }
      wrong += !inner && result[3][j + MOST * j] != 0;
    }
    if (CHECK(wrong == 0 && differ == 0)) continue;
    fprintf(stderr, "  %s, operation %d, p = %g, precision %d: %d wrong, %d differ\n",
            pcf_instructions_name(set), question->operation, question->p, precision, wrong,
            differ);
  }
}

static bool has_gaps(const struct functions *x) {
  for (int64_t i = 0; i < x->view.count; i++) {
    for (int64_t k = 0; k < pcf_breakpoints(&x->view, i); k++) {
      if (pcf_is_missing(pcf_values(&x->view, i)[k])) return true;
    }
  }
  return false;
}

static struct outcome on_gpu(const struct question *question, const struct functions *x,
                             const struct functions *y, const char *method,
                             enum pcf_precision precision) {
  static const int widths[] = {0, 32, 64, 128, 256};
  static int turn;
  struct asked request = request_of(question, PCF_FULL, x, y);
  request.settings = (struct pcf_settings){.threads = 1, .gpus = 1};
  request.pairs.missing = has_gaps(x) || has_gaps(y) ? PCF_MISSING_OVERLAP : PCF_MISSING_ERROR;
  request.pairs.method = method;
  request.pairs.precision = precision;
  request.pairs.width = widths[turn++ % 5];
  fake_cuda_reset();
  struct outcome outcome = run_request(&request, PCF_FULL, pcf_cuda_backend());
  CHECK(outcome.status == PCF_OK);
  return outcome;
}

/* The same on a GPU, by each of its methods and in tiles of some width. */
static void check_on_gpu(const struct functions *x, const struct functions *y,
                         const struct question *question, const double tolerance[2]) {
  static const char *const methods[] = {"sweep", "split", "grid"};
  int inner = question->operation == PCF_INNER, grid = inner || question->operation == PCF_L2;
  int64_t n = x->view.count, m = y->view.count;
  for (int variant = 0; variant < (grid ? 6 : 4); variant++) {
    const char *method = methods[variant / 2];
    enum pcf_precision precision = variant % 2;
    struct outcome got = on_gpu(question, x, y, method, precision);
    struct outcome turned = on_gpu(question, y, x, method, precision);
    struct outcome own = on_gpu(question, x, x, method, precision);
    int wrong = 0, differ = 0;
    for (int64_t k = 0; k < n * m; k++) {
      struct answer answer = line_oracle(question, &x->view, k % n, &y->view, k / n);
      bool lost = pcf_is_missing(got.result[k]) && answer.value == 0; /* there is no overlap */
      wrong += !lost && !agrees(got.result[k], answer, tolerance[precision]);
      differ += !lost && got.result[k] != turned.result[k / n + m * (k % n)];
    }
    for (int64_t i = 0; i < n && !inner; i++) {
      wrong += own.result[i + n * i] != 0 && !pcf_is_missing(own.result[i + n * i]);
    }
    if (CHECK(wrong == 0 && differ == 0)) continue;
    fprintf(stderr, "  %s, operation %d, p = %g, precision %d: %d wrong, %d differ\n", method,
            question->operation, question->p, precision, wrong, differ);
  }
}

static const double exact[2] = {1e-13, 3e-6};

/* ---- Means of powers ---- */

/* Ends of stretches: of any sign, near to each other or to their negatives, 0, and tiny. */
static void random_ends(struct random *random, double *a, double *b) {
  double sign = random_between(random, 0, 1) ? 1 : -1;
  *a = 2 * random_uniform(random) - 1;
  switch (random_between(random, 0, 4)) {
  case 0: *b = 2 * random_uniform(random) - 1; break;
  case 1: *b = sign * *a * (1 - exp2(-60 * random_uniform(random))); break;
  case 2: *b = sign * *a; break;
  case 3: *b = 0; break;
  default: *b = *a * exp2(-200 * random_uniform(random)) * sign;
  }
  if (random_between(random, 0, 1)) sign = *a, *a = *b, *b = sign;
}

static double worst_mean(enum pcf_instructions set, double p, struct random *random) {
  struct pcf_range range = PCF_EMPTY_RANGE;
  double a[PCF_MEANS], b[PCF_MEANS], mean[PCF_MEANS], worst = 0;
  struct pcf_integral integral = pcf_integral(PCF_LP, p, 0, 1, PCF_DOUBLE, &range);
  for (int k = 0; k < PCF_MEANS; k++) random_ends(random, &a[k], &b[k]);
  a[3] = b[3] = 0;
  a[5] = NAN;
  pcf_kernels_of(set)->means(&integral, a, b, mean);
  CHECK(mean[3] == 0 && mean[5] == 0);
  for (int k = 0; k < PCF_MEANS; k++) {
    if (k == 3 || k == 5) continue;
    long double want = line_mean_power(a[k], b[k], p);
    struct pcf_line d = {(a[k] + b[k]) / 2, (b[k] - a[k]) / 2};
    double single = pcf_mean_of_powers(d, p, integral.half_powers);
    worst = fmax(worst, (double)(fabsl(mean[k] - want) / want));
    worst = fmax(worst, (double)(fabsl(single - want) / want));
  }
  return worst;
}

TEST(means_of_powers_agree_with_long_double) {
  static const double powers[] = {1.0001, 1.5, 1.7, 2, 2.5, 3, 4, 5, 7.3, 9.7, 31.5, 32, 33.3};
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS];
  int available = pcf_available_instructions(sets);
  for (int e = 0; e < (int)(sizeof powers / sizeof *powers); e++) {
    for (int k = 0; k < available; k++) {
      for (int round = 0; round < (check_quick() ? 5 : 300); round++) {
        double worst = worst_mean(sets[k], powers[e], &random);
        if (CHECK(worst <= tolerance_of(PCF_DOUBLE))) continue;
        fprintf(stderr, "  %s, p = %g: %g\n", pcf_instructions_name(sets[k]), powers[e], worst);
      }
    }
  }
}

/* ---- Tiles ---- */

TEST(lines_are_integrated_in_tiles) {
  for (int round = 0; round < (check_quick() ? 1 : 6); round++) {
    int64_t n = check_quick() ? 5 : round % 2 ? 9 : 35; /* more than a tile, or less */
    struct functions *x = lines_random(&random, n, 1, 12, 0, false);
    struct functions *y = lines_random(&random, n - 2, 1, 3 << round, 0, false);
    for (int k = 0; k < ASKED; k++) {
      check_lines(x, y, &line_operations[k], exact);
      if ((round + k) % 3 == 0) check_on_gpu(x, y, &line_operations[k], exact);
    }
  }
}

/* Also functions that are not 0 at the ends, far from 0, and known in part. */
TEST(lines_are_integrated_in_windows) {
  static const double windows[][2] = {{0, 2}, {-1, 0.5}, {0.25, 90}, {3.5, 3.625}, {-9, -8}};
  for (int w = 0; w < 5; w++) {
    for (int kind = 0; kind < (check_quick() ? 1 : 3); kind++) {
      double offset = kind == 1 ? 1000 : 0;
      int64_t n = check_quick() ? 4 : 21;
      struct functions *x = lines_random(&random, n, 1, 12, offset, kind == 2);
      struct functions *y = lines_random(&random, n, 2, 30, offset, kind == 2);
      for (int k = 0; k < ASKED; k++) {
        struct question question = line_operations[k];
        question.from = windows[w][0];
        question.to = windows[w][1];
        check_lines(x, y, &question, exact);
        if ((w + kind + k) % 3 == 0) check_on_gpu(x, y, &question, exact);
      }
    }
  }
}

/* Slopes in the window are those of lines from far before it to far behind it. */
TEST(lines_that_reach_out_of_windows_are_integrated) {
  static const struct {
    double time[2], line[2], from, to;
  } cases[] = {{{-1e40, 1e40}, {-3, 5}, 1, 2},
               {{0, 1e40}, {0, 1e40}, 0, 1},
               {{-1e220, 1e220}, {-3, 5}, 1e-95, 2e-95},
               {{0, 1e300}, {1, 2}, -INFINITY, 1e-200}};
  for (int c = 0; c < 4; c++) {
    struct functions *x = lines_new(1, (int64_t[]){2}), *y = lines_new(1, (int64_t[]){2});
    for (int k = 0; k < 2; k++) {
      times_of(x, 0)[k] = times_of(y, 0)[k] = cases[c].time[k];
      lefts_of(x, 0)[k] = k ? cases[c].line[1] : 0;
      after_lefts(x, 0)[k] = k ? 0 : cases[c].line[0];
      lefts_of(y, 0)[k] = after_lefts(y, 0)[k] = 0;
    }
    for (int k = 0; k < ASKED; k++) {
      struct question question = line_operations[k];
      question.from = cases[c].from;
      question.to = cases[c].to;
      check_lines(x, y, &question, exact);
      check_on_gpu(x, y, &question, exact);
    }
  }
}

/* Long functions flush their sums, after 1024 events in double precision. */
TEST(long_lines_keep_their_digits) {
  if (check_quick()) return;
  struct functions *x = lines_random(&random, 2, 1, 1300, 0, false);
  struct functions *y = lines_random(&random, 1, 1100, 1300, 0, false);
  for (int k = 0; k < ASKED; k++) {
    check_lines(x, y, &line_operations[k], exact);
    check_on_gpu(x, y, &line_operations[k], exact);
  }
}

/* Step functions give the numbers of their own kernels. */
TEST(steps_as_lines_give_the_same_numbers) {
  static double steps[MOST * MOST], lines[MOST * MOST];
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS];
  int available = pcf_available_instructions(sets);
  struct functions *x = functions_random(&random, INTEGER_TIMES, 20, 1, 40);
  struct functions *y = as_lines(x);
  for (int k = 0; k < ASKED * 2 * available; k++) {
    struct question question = line_operations[k % ASKED];
    enum pcf_instructions set = sets[k / ASKED / 2];
    struct pcf_integral integral = integral_for(&question, k / ASKED % 2, &x->view, NULL);
    compute(set, &integral, 64, false, x, x, steps);
    compute(set, &integral, 64, false, y, y, lines);
    int differ = 0;
    for (int at = 0; at < 20 * MOST; at++) {
      double most = integral.precision == PCF_DOUBLE ? 1e-14 : 3e-6;
      if (at % MOST < 20) differ += fabs(lines[at] - steps[at]) > most * fabs(steps[at]);
    }
    CHECK(differ == 0);
  }
}

/* ---- The split ---- */

TEST(split_lines_agree_with_the_sweep) {
  static const double windows[][2] = {{-INFINITY, INFINITY}, {-0.125, 700}, {90.5, 1200.25}};
  int64_t m = check_quick() ? 2000 : 24000;
  struct functions *x = lines_random(&random, 4, m, m + 500, 0, false);
  for (int k = 0; k < ASKED * 3; k++) {
    for (int precision = 0; precision < 2; precision++) {
      struct question question = line_operations[k / 3];
      question.from = windows[k % 3][0];
      question.to = windows[k % 3][1];
      struct asked request = request_of(&question, PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
      request.pairs.precision = precision;
      request.pairs.method = "split";
      struct outcome split =
        run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
      request.settings.threads = 2;
      struct outcome again =
        run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
      request.pairs.method = "sweep";
      struct outcome sweep =
        run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
      CHECK(outcomes_equal(&split, &again));
      for (int64_t p = 0; p < split.length && !sweep.status; p++) {
        struct answer answer = {sweep.result[p], fabs(sweep.result[p])};
        if (question.operation == PCF_INNER) answer.scale = 1e4;
        CHECK(agrees(split.result[p], answer, precision ? 3e-6 : 1e-13));
      }
    }
  }
}

/* The one-sided limits of a line that is steep beside the window still count. */
TEST(suprema_of_lines_are_found_on_the_narrowest_stretch) {
  static double result[MOST * MOST];
  struct functions *x = lines_new(2, (int64_t[]){3, 1});
  static const double peak[] = {0, 1e-300, 1e305, 0, 1, 0, 0, 0, 0};
  memcpy(x->function[0], peak, sizeof peak);
  struct question question = {PCF_LINF, INFINITY, -INFINITY, INFINITY};
  struct pcf_integral integral = integral_for(&question, PCF_DOUBLE, &x->view, NULL);
  compute(pcf_best_instructions(), &integral, 32, false, x, x, result);
  CHECK_NEAR(result[1], 1, 1e-15);
  CHECK(result[MOST] == result[1] && result[0] == 0);
}

static bool same_numbers(const double *a, const double *b, int64_t count) {
  return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

TEST(walks_that_are_needed_once_are_prepared_then) {
  enum { ROWS = 5 };
  for (int linear = 0; linear < 2; linear++) {
    struct functions *x = functions_random(&random, PAPER, ROWS, 4, 9);
    struct functions *y = functions_random(&random, PAPER, 1, 4, 9);
    if (linear) x = as_lines(x), y = as_lines(y);
    struct question question = {PCF_L1, 1, 0.1, 2};
    struct pcf_integral integral = integral_for(&question, PCF_DOUBLE, &x->view, &y->view);
    SCOPED(pcf_walks) all;
    SCOPED(pcf_walks) once;
    REQUIRE(!pcf_walks_make(&all, &x->view, &y->view, &integral, 0, 1, NULL, NULL));
    REQUIRE(!pcf_walks_make(&once, &x->view, &y->view, &integral, ROWS, 1, NULL, NULL));
    CHECK(all.room == 0 && once.room > 0 && once.columns[0].time);
    double *memory = kept(malloc(once.room * sizeof *memory));
    for (int64_t i = 0; i < ROWS; i++) {
      double *rest = memory;
      CHECK(!once.walk[i].time);
      struct pcf_walk a = all.walk[i], b = pcf_walk_of(&once, &once.walk[i], &rest);
      REQUIRE(a.events == b.events && rest > b.value && rest <= memory + once.room / 2);
      CHECK(same_numbers(a.time - linear, b.time - linear, a.events + linear + 1));
      CHECK(same_numbers(a.value, b.value, a.events + 1));
      CHECK(!linear || same_numbers(a.slope, b.slope, a.events + 1));
    }
  }
}
