/* The tile kernels of every instruction set that this processor has, a tile at a time. */
#include "check.h"
#include "collections.h"

#include "base/memory.h"
#include "kernels/grid.h"
#include "kernels/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 72 }; /* rows and columns of a tile's output, at most */

static const double sentinel = -54321;

/* One side of a tile. */
struct side {
  struct pcf_band band;
  struct pcf_panel panel;
};

/* The tiles of two collections (the same twice: of one), for one kernel. */
struct bench {
  enum pcf_instructions set;
  bool grid;
  int width;
  struct pcf_integral integral;
  struct pcf_grid points;
  void *lengths;
  const struct pcf_collection *x, *y;
  atomic_int stop;
};

static void open_bench(struct bench *bench, const struct question *question,
                       enum pcf_precision precision) {
  bench->integral = integral_for(question, precision, bench->x, bench->y);
  atomic_init(&bench->stop, 0);
  bench->lengths = NULL;
  bench->points = (struct pcf_grid){0};
  if (!bench->grid) return;
  int64_t limit = pcf_total_breakpoints(bench->x) + pcf_total_breakpoints(bench->y) + 1;
  if (pcf_grid_find(&bench->points, bench->x, bench->y, &bench->integral, limit, NULL)) abort();
  bench->lengths = pcf_allocate((size_t)bench->points.points, sizeof(double), NULL);
  if (bench->points.points)
    pcf_grid_lengths(&bench->points, &bench->integral, 1, bench->lengths);
}

static void close_bench(struct bench *bench) {
  pcf_grid_free(&bench->points);
  pcf_free(bench->lengths);
}

static void open_side(const struct bench *bench, const struct pcf_collection *x, int64_t first,
                      int count, struct side *side) {
  struct pcf_band_scratch scratch = {0};
  memset(side, 0, sizeof *side);
  if (bench->grid) {
    if (pcf_panel_make(&side->panel, &bench->points, x, &bench->integral, first, count,
                       bench->width, NULL))
      abort();
    return;
  }
  if (pcf_band_build(&side->band, x, &bench->integral, first, count, bench->width, &scratch,
                     NULL))
    abort();
  pcf_band_scratch_free(&scratch);
}

static void close_side(struct side *side) {
  pcf_band_free(&side->band);
  pcf_panel_free(&side->panel);
}

/* Computes the tile of rows row … row + rows - 1 of x and likewise columns of y into
 * output[i + ROOM * j], in the integral's precision. Returns what the kernel does. */
static int compute_tile(struct bench *bench, bool triangle, int64_t row, int rows,
                        int64_t column, int columns, void *output) {
  struct side side[2];
  enum pcf_precision precision = bench->integral.precision;
  void *workspace = pcf_allocate(pcf_tile_workspace(bench->width, &bench->integral), 1, NULL);
  open_side(bench, bench->x, row, rows, &side[0]);
  open_side(bench, bench->y, column, columns, &side[1]);
  struct pcf_tile tile = {.integral = &bench->integral,
                          .from = bench->integral.from,
                          .to = bench->integral.to,
                          .width = bench->width,
                          .triangle = triangle,
                          .workspace = workspace,
                          .output = output,
                          .stride = ROOM,
                          .stop = &bench->stop};
  if (bench->grid) {
    tile.grid.rows = &side[0].panel;
    tile.grid.columns = &side[triangle ? 0 : 1].panel;
    tile.grid.lengths = bench->lengths;
    tile.grid.points = bench->points.points;
  } else {
    tile.sweep.rows = &side[0].band;
    tile.sweep.columns = &side[triangle ? 0 : 1].band;
  }
  /* Whatever a workspace held before must not matter. */
  memset(workspace, 0xff, pcf_tile_workspace(bench->width, &bench->integral));
  const struct pcf_kernels *kernels = pcf_kernels_of(bench->set);
  pcf_tile_kernel *const *kernel = bench->grid ? kernels->grid : kernels->sweep[0];
  int stopped = kernel[precision](&tile);
  close_side(&side[0]);
  close_side(&side[1]);
  pcf_free(workspace);
  return stopped;
}

static void *new_output(enum pcf_precision precision) {
  void *output = kept(malloc((size_t)(ROOM * ROOM) * sizeof(double)));
  for (int k = 0; k < ROOM * ROOM; k++) {
    if (precision == PCF_DOUBLE) ((double *)output)[k] = sentinel;
    else ((float *)output)[k] = (float)sentinel;
  }
  return output;
}

/* One tile against the oracle; everything around it stays untouched. */
static void check_tile(struct bench *bench, bool triangle, int64_t row, int rows,
                       int64_t column, int columns, const struct answer *answers,
                       double tolerance) {
  enum pcf_precision precision = bench->integral.precision;
  void *output = new_output(precision);
  int64_t wrong = 0, spilt = 0;
  double worst = 0;
  CHECK(compute_tile(bench, triangle, row, rows, column, columns, output) == 0);
  for (int j = 0; j < ROOM; j++) {
    for (int i = 0; i < ROOM; i++) {
      double got = scalar_at(output, i + ROOM * j, precision);
      if (i >= rows || j >= columns || (triangle && i < j)) {
        spilt += got != sentinel;
        continue;
      }
      struct answer answer = answers[row + i + bench->x->count * (column + j)];
      got = scaled_back(&bench->integral, got, bench->x, row + i, bench->y, column + j);
      wrong += !agrees(got, answer, tolerance);
      if (answer.scale > 0 && isfinite(answer.scale)) {
        worst = fmax(worst, fabs(got - answer.value) / answer.scale);
      }
    }
  }
  CHECK(spilt == 0);
  if (!CHECK(wrong == 0)) {
    const char *kernel = bench->grid ? "grid" : "sweep";
    fprintf(stderr, "  %s %s, operation %d, p = %g, %s, width %d, %d x %d: %d wrong by %g\n",
            pcf_instructions_name(bench->set), kernel, bench->integral.operation,
            bench->integral.p, precision == PCF_DOUBLE ? "double" : "single", bench->width,
            rows, columns, (int)wrong, worst);
  }
  let_go(output);
}

/* All kernels on all tiles of x alone and of x and y. */
static void check_kernels_within(const struct functions *x, const struct functions *y,
                                 const struct question *question, double double_tolerance,
                                 double single_tolerance) {
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS];
  int available = pcf_available_instructions(sets);
  struct answer *own = oracle_matrix(question, &x->view, &x->view);
  struct answer *other = oracle_matrix(question, &x->view, &y->view);
  int n = (int)x->view.count, m = (int)y->view.count;
  for (int k = 0; k < available; k++) {
    for (int grid = 0; grid < 2; grid++) {
      for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
        struct bench bench = {.set = sets[k], .grid = grid, .x = &x->view};
        double tolerance = precision == PCF_DOUBLE ? double_tolerance : single_tolerance;
        bench.width = precision == PCF_DOUBLE ? 32 : 64;
        bench.y = &x->view;
        int row = n < bench.width ? n : bench.width;
        open_bench(&bench, question, precision);
        if (!grid || bench.points.points) {
          check_tile(&bench, true, 0, row, 0, row, own, tolerance);
          if (row < n) {
            check_tile(&bench, true, row, n - row, row, n - row, own, tolerance);
            check_tile(&bench, false, row, n - row, 0, row, own, tolerance);
          }
        }
        close_bench(&bench);
        bench.y = &y->view;
        open_bench(&bench, question, precision);
        if (!grid || bench.points.points) {
          check_tile(&bench, false, 0, row, 0, m, other, tolerance);
          check_tile(&bench, false, n - 1, 1, m - 3, 3, other, tolerance);
        }
        close_bench(&bench);
      }
    }
  }
}

static void check_kernels(const struct functions *x, const struct functions *y,
                          const struct question *question, double single_tolerance) {
  check_kernels_within(x, y, question, tolerance_of(PCF_DOUBLE), single_tolerance);
}

static void check_shape(uint64_t seed, enum shape shape, int64_t least, int64_t most,
                        double single_tolerance) {
  struct random random = {seed};
  int64_t n = check_quick() ? 6 : 37, m = check_quick() ? 4 : 17;
  if (check_quick()) least = least < 15 ? least : 15, most = 20;
  struct functions *x = functions_random(&random, shape, n, least, most);
  struct functions *y = functions_random(&random, shape, m, least, most);
  for (int k = 0; k < OPERATIONS; k++) {
    check_kernels(x, y, &operations[k], single_tolerance);
  }
}

/* The paper's workload has 10 … 999 breakpoints. */
TEST(kernels_on_the_workload_of_the_paper) {
  check_shape(20, PAPER, 10, 150, 1e-5);
  if (check_quick()) return;
  struct functions *x = functions_random(&random, PAPER, 5, 900, 999);
  struct functions *y = functions_random(&random, PAPER, 3, 900, 999);
  for (int k = 0; k < OPERATIONS; k++) check_kernels(x, y, &operations[k], 1e-5);
}

/* Sums of many equal terms, whose rounding errors do not cancel. The grid of the longer ones
 * takes several chunks. */
static void check_series(int64_t points, double double_tolerance) {
  int64_t lengths[] = {points, points, points, points - 7};
  struct functions *x = functions_new(4, lengths);
  for (int64_t i = 0; i < 4; i++) {
    for (int64_t k = 0; k < lengths[i]; k++) {
      times_of(x, i)[k] = (double)(k + 1);
      values_of(x, i)[k] = k + 1 < lengths[i] ? 0.1 * (double)(i + 1) : 0;
    }
  }
  for (int k = 0; k < OPERATIONS; k++) {
    struct question question = operations[k];
    if (points > 20000 && pcf_takes_powers(question.operation)) continue;
    check_kernels_within(x, x, &question, double_tolerance, 3e-6);
  }
}

TEST(kernels_keep_their_digits_over_many_points) {
  for (int64_t points = 100; points <= (check_quick() ? 1000 : 10000); points *= 10) {
    check_series(points, tolerance_of(PCF_DOUBLE));
  }
  if (!check_quick()) check_series(100000, 1e-13);
}

TEST(kernels_on_ties) {
  check_shape(22, INTEGER_TIMES, 1, 40, 1e-5);
}

TEST(kernels_on_a_shared_grid) {
  check_shape(23, SHARED_GRID, 90, 90, 1e-5);
  check_shape(24, SHARED_GRID, 1, 60, 1e-5);
  check_shape(25, SHARED_GRID, 280, 300, 1e-5);
}

/* Negative times, infinite results. Where single precision rounds the values and times first,
 * short functions with close values may be off by more. */
TEST(kernels_on_unbounded_stretches) {
  check_shape(26, UNBOUNDED, 1, 40, 1e-3);
}

/* Missing values: what is left is the integral over the overlaps. */
TEST(kernels_on_functions_known_in_part) {
  static const double windows[][2] = {{-5, 5}, {-1, 0.5}, {-40, INFINITY}, {-9, -8}};
  int64_t n = check_quick() ? 9 : 37, m = check_quick() ? 5 : 17;
  struct functions *x = functions_random(&random, PARTIAL, n, 1, 30);
  struct functions *y = functions_random(&random, PARTIAL, m, 1, 30);
  for (int k = 0; k < OPERATIONS; k++) {
    for (int w = 0; w < 4; w++) {
      struct question question = operations[k];
      question.from = windows[w][0];
      question.to = windows[w][1];
      check_kernels(x, y, &question, 2e-3);
    }
  }
}

/* Where the first function of a side ends unobserved, the others still have their last stretch.
 */
TEST(kernels_add_the_last_stretch_beside_missing_values) {
  const double na = pcf_missing();
  const double *literal[] = {(double[]){0, 1, 1, na}, (double[]){0, 2, 1, 3},
                             (double[]){0, 2, 4, na}, (double[]){0, 1, 2, 5}};
  struct functions *x = functions_of(4, (int64_t[]){2, 2, 2, 2}, literal);
  for (int k = 0; k < OPERATIONS; k++) {
    for (int w = 0; w < 2; w++) {
      struct question question = operations[k];
      question.from = 0;
      question.to = w ? INFINITY : 4;
      check_kernels(x, x, &question, 1e-5);
    }
  }
}

TEST(kernels_in_windows) {
  static const double windows[][2] = {
    {0, 5},    {-2, 3.5}, {-INFINITY, 2},   {1, INFINITY},  {-200, -100},
    {2, 2.25}, {7, 90},   {-INFINITY, -50}, {50, INFINITY}, {2, 3}};
  static const enum shape shapes[] = {INTEGER_TIMES, SHARED_GRID, UNBOUNDED};
  for (int s = 0; s < 3; s++) {
    int64_t n = check_quick() ? 3 : 9;
    struct functions *x = functions_random(&random, shapes[s], n, 1, 30);
    struct functions *y = functions_random(&random, shapes[s], 5, 1, 30);
    for (int k = 0; k < OPERATIONS; k++) {
      for (int w = 0; w < 10; w += check_quick() ? 4 : 1) {
        struct question question = operations[k];
        question.from = windows[w][0];
        question.to = windows[w][1];
        check_kernels(x, y, &question, shapes[s] == UNBOUNDED ? 2e-3 : 1e-5);
      }
    }
  }
}

/* Copies of a function, and functions that differ in their breakpoints but not as functions. */
TEST(kernels_give_zero_for_equal_functions) {
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS];
  int available = pcf_available_instructions(sets);
  const double *literal[] = {(double[]){0, 0.1, 0.7, 3, -4.1, 7},
                             (double[]){0, 0.1, 0.3, 0.7, 3, -4.1, -4.1, 7},
                             (double[]){0, 0.1, 0.7, 3, -4.1, 7},
                             (double[]){-1, 0, 0.1, 0.2, 0.7, 0.8, 0, 3, -4.1, -4.1, 7, 7}};
  struct functions *x = functions_of(4, (int64_t[]){3, 4, 3, 6}, literal);
  for (int k = 0; k < available; k++) {
    for (int o = 0; o < OPERATIONS; o++) {
      if (operations[o].operation == PCF_INNER) continue;
      for (int variant = 0; variant < 8; variant++) {
        struct bench bench = {.set = sets[k], .grid = variant % 2, .width = 32};
        bool triangle = variant / 2 % 2;
        bench.x = bench.y = &x->view;
        open_bench(&bench, &operations[o], variant / 4);
        void *output = new_output(bench.integral.precision);
        CHECK(!compute_tile(&bench, triangle, 0, 4, 0, 4, output));
        for (int j = 0; j < 4; j++) {
          for (int i = triangle ? j + 1 : 0; i < 4; i++) {
            CHECK(scalar_at(output, i + ROOM * j, bench.integral.precision) == 0);
          }
        }
        let_go(output);
        close_bench(&bench);
      }
    }
  }
}

/* ---- Bit for bit ---- */

static double result_of(struct bench *bench, bool triangle, int64_t row, int rows,
                        int64_t column, int columns, int i, int j) {
  void *output = new_output(bench->integral.precision);
  CHECK(!compute_tile(bench, triangle, row, rows, column, columns, output));
  double result = scalar_at(output, i + ROOM * j, bench->integral.precision);
  let_go(output);
  return scaled_back(&bench->integral, result, bench->x, row + i, bench->y, column + j);
}

/* A pair's result is the same in every tile, at every place, in either order. */
static void check_places(struct bench *bench, int64_t n) {
  static const int widths[] = {32, 64, 128, 256};
  int f = 3, g = 1;
  bench->width = 32;
  double alone = result_of(bench, false, f, 1, g, 1, 0, 0);
  for (int w = 0; w < (check_quick() ? 2 : 4); w++) {
    bench->width = widths[w];
    CHECK(result_of(bench, false, g, 1, f, 1, 0, 0) == alone);
    CHECK(result_of(bench, true, 0, (int)n, 0, (int)n, f, g) == alone);
    CHECK(result_of(bench, true, g, f - g + 1, g, f - g + 1, f - g, 0) == alone);
    CHECK(result_of(bench, false, 0, (int)n, 0, (int)n, f, g) == alone);
    CHECK(result_of(bench, false, 0, (int)n, 0, (int)n, g, f) == alone);
    CHECK(result_of(bench, false, 2, 2, 0, (int)n, 1, g) == alone);
    CHECK(result_of(bench, false, 0, 2, 3, (int)n - 3, 1, 0) == alone);
  }
}

static void check_all_places(const struct functions *x, int step) {
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS];
  int available = pcf_available_instructions(sets);
  for (int k = 0; k < available; k++) {
    for (int o = 0; o < OPERATIONS; o += step) {
      for (int variant = 0; variant < 4; variant++) {
        if (check_quick() && (variant + o) % 4) continue;
        struct bench bench = {.set = sets[k], .grid = variant % 2};
        struct question question = operations[o];
        question.to = 2.5;
        bench.x = bench.y = &x->view;
        open_bench(&bench, &question, variant / 2);
        check_places(&bench, x->view.count);
        close_bench(&bench);
      }
    }
  }
}

TEST(kernels_do_not_depend_on_the_tile) {
  for (int shape = PAPER; shape <= PARTIAL; shape++) {
    struct functions *x = functions_random(&random, shape, 31, 5, 25);
    check_all_places(x, 1);
  }
}

/* Long functions flush their sums to wider ones, of which short functions have none. */
TEST(kernels_of_long_functions_do_not_depend_on_the_tile) {
  if (check_quick()) return;
  struct functions *x = functions_random(&random, PAPER, 5, 1500, 2100);
  int64_t lengths[5] = {3, 0, 130, 0, 40};
  for (int64_t i = 0; i < 5; i++) {
    if (!lengths[i]) lengths[i] = pcf_breakpoints(&x->view, i);
  }
  struct functions *mixed = functions_new(5, lengths);
  for (int64_t i = 0; i < 5; i++) {
    size_t bytes = (size_t)lengths[i] * sizeof(double);
    memcpy(times_of(mixed, i), times_of(x, i), bytes);
    memcpy(values_of(mixed, i), values_of(x, i), bytes);
  }
  check_all_places(mixed, 3);
}

/* ---- Extreme magnitudes ---- */

/* |f − g|^p is taken relative to the supremum of a pair: pairs that are minute beside the
 * others of their collection, below the normal numbers of the precision, must keep finite
 * results. */
static void check_minute_differences(enum pcf_precision precision, double minute,
                                     double tolerance) {
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS];
  int available = pcf_available_instructions(sets);
  const double *literal[] = {(double[]){0, 1, 1, 0}, (double[]){0, 0.5, 1, minute, 0, 0},
                             (double[]){0, 0.5, 1, 3 * minute, 0, 0}};
  struct functions *x = functions_of(3, (int64_t[]){2, 3, 3}, literal);
  for (int k = 0; k < available; k++) {
    for (int o = 0; o < OPERATIONS; o++) {
      for (int variant = 0; variant < 4; variant++) {
        struct bench bench = {.set = sets[k], .grid = variant % 2, .width = 32};
        bench.x = bench.y = &x->view;
        open_bench(&bench, &operations[o], precision);
        double got = result_of(&bench, variant / 2, 0, 3, 0, 3, 2, 1);
        struct answer answer = oracle(&operations[o], &x->view, 2, &x->view, 1);
        CHECK(isfinite(got) && agrees(got, answer, tolerance));
        close_bench(&bench);
      }
    }
  }
}

TEST(kernels_of_pairs_with_minute_differences) {
  check_minute_differences(PCF_DOUBLE, 1e-310, 1e-10);
  check_minute_differences(PCF_SINGLE_PRECISION, 1e-40, 1e-3);
}

/* Of the result for functions with times and values of these exponents. */
static double exponent_of_result(const struct question *question, double time, double value) {
  if (pcf_is_supremum(question->operation)) return value;
  return (time + pcf_degree(question->operation, question->p) * value) /
         pcf_root(question->operation, question->p);
}

/* Times and values near the limits of double: nothing overflows on the way. */
TEST(kernels_on_extreme_magnitudes) {
  static const double scales[][2] = {{1e300, 1},  {1e-300, 1},     {1, 1e300},
                                     {1, 1e-300}, {1e150, 1e-300}, {1e-150, 1e300}};
  for (int s = 0; s < 6; s++) {
    struct functions *x = functions_random(&random, PAPER, 3, 5, 20);
    struct functions *y = functions_random(&random, PAPER, 3, 5, 20);
    struct functions *both[] = {x, y};
    for (int c = 0; c < 2; c++) {
      for (int64_t i = 0; i < 3; i++) {
        for (int64_t k = 0; k < pcf_breakpoints(&both[c]->view, i); k++) {
          times_of(both[c], i)[k] *= scales[s][0];
          values_of(both[c], i)[k] *= scales[s][1];
        }
      }
    }
    for (int o = 0; o < OPERATIONS; o++) {
      /* Results beyond double are another matter. */
      double t = log10(scales[s][0]), v = log10(scales[s][1]);
      double result = exponent_of_result(&operations[o], t, v);
      if (fabs(result) < 300) check_kernels(x, y, &operations[o], 1e-4);
    }
  }
}

/* ---- Stopping and choosing ---- */

TEST(kernels_stop_when_asked) {
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS];
  int available = pcf_available_instructions(sets);
  struct functions *x = functions_random(&random, PAPER, 4, 5, 20);
  for (int k = 0; k < available; k++) {
    for (int o = 0; o < OPERATIONS; o++) {
      for (int variant = 0; variant < 8; variant++) {
        struct bench bench = {.set = sets[k], .grid = variant % 2, .width = 32};
        bench.x = bench.y = &x->view;
        open_bench(&bench, &operations[o], variant / 4);
        atomic_store(&bench.stop, 1);
        void *output = new_output(bench.integral.precision);
        CHECK(compute_tile(&bench, variant / 2 % 2, 0, 4, 0, 4, output) == 1);
        let_go(output);
        close_bench(&bench);
      }
    }
  }
}

TEST(instructions_are_found_by_name) {
  const char *least = PCF_HAS_SCALAR ? "scalar" : PCF_HAS_X86 ? "sse2" : "neon";
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS], found = PCF_INSTRUCTION_SETS;
  int available = pcf_available_instructions(sets);
  CHECK(available >= 1 && available <= PCF_INSTRUCTION_SETS);
  CHECK_STRING(pcf_instructions_name(sets[available - 1]), least);
  for (int k = 0; k < available; k++) {
    CHECK(pcf_find_instructions(pcf_instructions_name(sets[k]), &found) && found == sets[k]);
    const struct pcf_kernels *kernels = pcf_kernels_of(sets[k]);
    REQUIRE(kernels);
    for (int precision = 0; precision < 2; precision++) {
      CHECK(kernels->sweep[0][precision] && kernels->sweep[1][precision] &&
            kernels->grid[precision]);
    }
  }
  CHECK(pcf_find_instructions(NULL, &found) && found == sets[0]);
  CHECK(pcf_find_instructions("auto", &found) && found == sets[0]);
  CHECK(!pcf_find_instructions("mmx", &found));
  CHECK(!pcf_find_instructions("", &found));
}

TEST(instructions_better_than_allowed_are_not_found) {
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS], fewer[PCF_INSTRUCTION_SETS], found;
  int available = pcf_available_instructions(sets);
  for (int k = 0; k < available; k++) {
    pcf_allow_instructions(sets[k]);
    CHECK(pcf_available_instructions(fewer) == available - k && fewer[0] == sets[k]);
    CHECK(pcf_find_instructions(NULL, &found) && found == sets[k]);
    CHECK(pcf_best_instructions() == sets[k]);
    CHECK(k == 0 || !pcf_find_instructions(pcf_instructions_name(sets[0]), &found));
  }
  pcf_allow_instructions(sets[0]);
}
