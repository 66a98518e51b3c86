#include "check.h"
#include "collections.h"

#include "base/memory.h"
#include "integrals/view.h"
#include "kernels/grid.h"

#include <math.h>
#include <stdlib.h>

static int64_t list_times(const struct pcf_collection *x, const struct pcf_integral *integral,
                          double *time) {
  int64_t points = 0;
  for (int64_t i = 0; i < x->count; i++) {
    for (int64_t k = 0; k < pcf_breakpoints(x, i); k++) {
      double t = ldexp(pcf_times(x, i)[k] - integral->origin, -integral->time_exponent);
      if (t > integral->from && t < integral->to) time[points++] = t;
    }
  }
  return points;
}

/* The union by sorting. */
static int64_t expected_grid(const struct pcf_collection *x, const struct pcf_collection *y,
                             const struct pcf_integral *integral, double **time) {
  int64_t most = pcf_total_breakpoints(x) + (y ? pcf_total_breakpoints(y) : 0) + 1, points = 0;
  double *all = *time = kept(malloc((size_t)most * sizeof *all));
  if (integral->from > -INFINITY) all[points++] = integral->from;
  points += list_times(x, integral, all + points);
  if (y) points += list_times(y, integral, all + points);
  if (!points) all[points++] = integral->to;
  qsort(all, (size_t)points, sizeof *all, by_number);
  int64_t distinct = 0;
  for (int64_t k = 0; k < points; k++) {
    if (!distinct || all[distinct - 1] != all[k]) all[distinct++] = all[k];
  }
  return distinct;
}

static void check_panel(const struct pcf_grid *grid, const struct pcf_collection *x,
                        const struct pcf_integral *integral, int64_t first, int count,
                        int width) {
  int64_t wrong = 0;
  SCOPED(pcf_panel) panel;
  REQUIRE(!pcf_panel_make(&panel, grid, x, integral, first, count, width, NULL));
  CHECK(panel.count == count && !panel.known && !panel.lengths);
  for (int lane = 0; lane < width; lane++) {
    for (int64_t g = 0; g < grid->points; g++) {
      double want = 0;
      for (int64_t k = 0; lane < count && k < pcf_breakpoints(x, first + lane); k++) {
        double t = pcf_times(x, first + lane)[k] - integral->origin;
        t = ldexp(t, -integral->time_exponent);
        if (t <= grid->time[g]) want = pcf_values(x, first + lane)[k];
      }
      if (lane < count) {
        want = ldexp(want, -pcf_view_of(x, first + lane, integral).value_exponent);
      }
      if (integral->precision == PCF_SINGLE_PRECISION) want = (float)want;
      wrong += scalar_at(panel.values, g * width + lane, integral->precision) != want;
    }
  }
  CHECK(wrong == 0);
}

/* Of a partial form: 0, no bit and no length where a value is missing, a bit and the length of
 * the stretch where it is known. */
static void check_partial_panel(const struct pcf_grid *grid, const struct pcf_collection *x,
                                const struct pcf_integral *integral, int64_t first, int count,
                                int width) {
  size_t cells = (size_t)grid->points * (size_t)width, words = pcf_known_words(width);
  enum pcf_precision precision = integral->precision;
  struct pcf_integral whole = *integral;
  whole.operation = PCF_L1;
  double *lengths = kept(malloc((size_t)grid->points * sizeof *lengths));
  int64_t wrong = 0, missing = 0;
  SCOPED(pcf_panel) plain, panel;
  REQUIRE(!pcf_panel_make(&plain, grid, x, &whole, first, count, width, NULL));
  REQUIRE(!pcf_panel_make(&panel, grid, x, integral, first, count, width, NULL));
  pcf_grid_lengths(grid, integral, 1, lengths);
  for (size_t k = 0; k < cells; k++) {
    double value = scalar_at(plain.values, (int64_t)k, precision);
    double length = scalar_at(lengths, (int64_t)k / width, precision);
    int has = !isnan(value);
    missing += !has;
    wrong += scalar_at(panel.values, (int64_t)k, precision) != (has ? value : 0);
    size_t g = k / (size_t)width, lane = k % (size_t)width;
    wrong += (int)(panel.known[g * words + lane / 64] >> lane % 64 & 1) != has;
    wrong += scalar_at(panel.lengths, (int64_t)k, precision) != (has ? length : 0);
  }
  CHECK(wrong == 0 && panel.complete == (missing == 0) && panel.count == count);
}

static void check_lengths(const struct pcf_grid *grid, const struct pcf_integral *integral) {
  void *lengths = kept(malloc((size_t)grid->points * pcf_scalar_size(integral->precision)));
  bool single = integral->precision == PCF_SINGLE_PRECISION;
  pcf_grid_lengths(grid, integral, 1, lengths);
  for (int64_t g = 0; g < grid->points; g++) {
    double end = g + 1 < grid->points ? grid->time[g + 1] : integral->to;
    double want = isinf(end) ? 0 : end - grid->time[g];
    CHECK(scalar_at(lengths, g, integral->precision) == (single ? (float)want : want));
  }
}

static void check_grid(const struct functions *x, const struct functions *y,
                       const struct pcf_integral *integral) {
  const struct pcf_collection *other = y ? &y->view : NULL;
  double *time;
  int64_t points = expected_grid(&x->view, other, integral, &time), wrong = 0;
  struct pcf_grid grid;
  REQUIRE(!pcf_grid_find(&grid, &x->view, other, integral, points, NULL));
  REQUIRE(grid.points == points);
  for (int64_t g = 0; g < points; g++) wrong += grid.time[g] != time[g];
  CHECK(wrong == 0);
  if (points) {
    check_lengths(&grid, integral);
    check_panel(&grid, &x->view, integral, 0, 7, 8);
    check_panel(&grid, &x->view, integral, 3, (int)x->view.count - 3, 64);
  }
  pcf_grid_free(&grid);
  CHECK(grid.time == NULL && grid.points == 0);
  REQUIRE(!pcf_grid_find(&grid, &x->view, other, integral, points - 1, NULL));
  CHECK(grid.points == 0 && grid.time == NULL); /* gave up */
  REQUIRE(!pcf_grid_find(&grid, &x->view, other, integral, 0, NULL));
  CHECK(grid.points == 0 && grid.time == NULL);
  REQUIRE(!pcf_grid_find(&grid, &x->view, other, integral, points + 10, NULL));
  CHECK(grid.points == points);
  pcf_grid_free(&grid);
}

TEST(grid_is_the_union_of_all_times) {
  static const double windows[][2] = {{-INFINITY, INFINITY}, {0, INFINITY}, {-INFINITY, 0.7},
                                      {-0.3, 1.2},           {1, 4},        {5e5, 6e5}};
  for (int shape = PAPER; shape <= UNBOUNDED; shape++) {
    struct functions *x = functions_random(&random, shape, 20, 1, 30);
    struct functions *y = functions_random(&random, shape, 11, 1, 50);
    for (int w = 0; w < 6; w++) {
      for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
        struct pcf_integral integral = l1_within(windows[w][0], windows[w][1], precision, x, y);
        check_grid(x, NULL, &integral);
        check_grid(x, y, &integral);
      }
    }
  }
}

TEST(panels_of_functions_known_in_part) {
  struct functions *x = functions_random(&random, PARTIAL, 100, 1, 12);
  for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
    struct pcf_integral integral = l1_within(-2, 3, precision, x, NULL);
    pcf_integrate_overlaps(&integral);
    SCOPED(pcf_grid) grid;
    REQUIRE(!pcf_grid_find(&grid, &x->view, NULL, &integral, 10000, NULL));
    REQUIRE(grid.points > 0);
    for (int64_t first = 0; first < 20; first += 5) {
      check_partial_panel(&grid, &x->view, &integral, first, 5, 32);
    }
    check_partial_panel(&grid, &x->view, &integral, 0, 100, 128);
    check_partial_panel(&grid, &x->view, &integral, 7, 1, 64);
  }
}

TEST(grid_of_functions_that_end_before_the_window) {
  struct functions *x = functions_random(&random, SHARED_GRID, 12, 1, 5);
  struct pcf_integral integral = l1_within(100, 200, PCF_DOUBLE, x, NULL);
  struct pcf_grid grid;
  REQUIRE(!pcf_grid_find(&grid, &x->view, NULL, &integral, 1, NULL));
  REQUIRE(grid.points == 1); /* the start of the window alone */
  CHECK(grid.time[0] == 100);
  check_lengths(&grid, &integral);
  check_panel(&grid, &x->view, &integral, 0, 12, 32);
  pcf_grid_free(&grid);
  integral = l1_within(-INFINITY, -5, PCF_DOUBLE, x, NULL);
  REQUIRE(!pcf_grid_find(&grid, &x->view, NULL, &integral, 9, NULL));
  REQUIRE(grid.points == 1); /* nothing happens: the end of the window alone */
  CHECK(grid.time[0] == -5);
  check_lengths(&grid, &integral);
  check_panel(&grid, &x->view, &integral, 0, 12, 32);
  pcf_grid_free(&grid);
}

/* The very same times are recognised without merging; other ones in between must not confuse
 * that. */
TEST(grid_of_equal_and_other_times) {
  const double *literal[] = {(double[]){0, 1, 2, 5, 6, 0}, (double[]){0, 1, 2, 7, 8, 0},
                             (double[]){0.5, 1, 3, 1, 1, 0}, (double[]){-0.0, 1, 2, 1, 1, 0},
                             (double[]){0, 1, 1, 0}};
  struct functions *x = functions_of(5, (int64_t[]){3, 3, 3, 3, 2}, literal);
  struct pcf_integral integral = l1_within(-INFINITY, INFINITY, PCF_DOUBLE, x, NULL);
  SCOPED(pcf_grid) grid;
  REQUIRE(!pcf_grid_find(&grid, &x->view, NULL, &integral, 5, NULL));
  REQUIRE(grid.points == 5);
  const double want[] = {0, 0.5, 1, 2, 3};
  for (int g = 0; g < 5; g++) CHECK(grid.time[g] == want[g]);
  check_panel(&grid, &x->view, &integral, 0, 5, 8);
}

TEST(grid_without_memory_fails) {
  struct functions *x = functions_random(&random, SHARED_GRID, 4, 5, 5);
  struct pcf_integral integral = l1_within(-INFINITY, INFINITY, PCF_DOUBLE, x, NULL);
  struct pcf_error error = {0};
  struct pcf_grid grid;
  pcf_memory_fail_at(1);
  CHECK(pcf_grid_find(&grid, &x->view, NULL, &integral, 5, &error) == PCF_ERROR_MEMORY);
  CHECK(grid.points == 0 && grid.time == NULL && error.message[0]);
}
