#include "check.h"
#include "collections.h"

#include "functions/clock.h"

#include <math.h>

/* A weight of 2 from 0, 0 from 1, 3 from 2 to 4. */
static struct functions *a_weight(void) {
  return functions_of(1, (int64_t[]){4},
                      (const double *[]){(double[]){0, 1, 2, 4, 2, 0, 3, 0}});
}

static void check_reading(double from, double to, double t, double want) {
  struct functions *w = a_weight();
  struct pcf_clock clock;
  CHECK(pcf_clock_make(&clock, &w->view, from, to, NULL) == PCF_OK);
  CHECK(pcf_clock_at(&clock, t) == want);
  pcf_clock_free(&clock);
  functions_free(w);
}

TEST(clock_readings) {
  static const double at[][2] = {{-INFINITY, 0}, {-1, 0},  {0, 0},       {0.5, 1},
                                 {1, 2},         {1.5, 2}, {2, 2},       {3, 5},
                                 {4, 8},         {9, 8},   {INFINITY, 8}};
  for (int k = 0; k < 11; k++) {
    check_reading(-INFINITY, INFINITY, at[k][0], at[k][1]);
    check_reading(0.5, INFINITY, at[k][0], fmax(at[k][1] - 1, 0));
    check_reading(-3, 3, at[k][0], fmin(at[k][1], 5));
  }
}

/* The weight may be there from −∞ on, and for ever. */
TEST(clock_without_ends) {
  struct functions *w =
    functions_of(1, (int64_t[]){1}, (const double *[]){(double[]){-INFINITY, 2}});
  struct pcf_clock clock;
  w->view.partial = 1;
  CHECK(pcf_clock_make(&clock, &w->view, -INFINITY, INFINITY, NULL) == PCF_OK);
  CHECK(clock.from == -INFINITY && clock.to == INFINITY);
  CHECK(pcf_clock_at(&clock, 3) - pcf_clock_at(&clock, -1) == 8);
  pcf_clock_free(&clock);
  CHECK(pcf_clock_make(&clock, &w->view, 5, INFINITY, NULL) == PCF_OK);
  CHECK(clock.from == 0 && clock.to == INFINITY && pcf_clock_at(&clock, 7) == 4);
  pcf_clock_free(&clock);
  functions_free(w);
}

TEST(clock_of_too_much_weight) {
  struct functions *w =
    functions_of(1, (int64_t[]){2}, (const double *[]){(double[]){0, 1e300, 1e300, 0}});
  struct pcf_clock clock;
  CHECK(pcf_clock_make(&clock, &w->view, 0, INFINITY, NULL) == PCF_ERROR_ARGUMENT);
  pcf_clock_free(&clock);
  CHECK(pcf_clock_make(&clock, &w->view, 0, 1, NULL) == PCF_OK && clock.to == 1e300);
  pcf_clock_free(&clock);
  functions_free(w);
}

/* Times between which there is no weight become one, and the last value counts. */
TEST(clock_of_functions) {
  struct functions *w = a_weight();
  const double *literal[] = {(double[]){-INFINITY, 0.5, 1, 1.5, 3, 10, 20, 30, 40, 50},
                             (double[]){7, 1}};
  struct functions *x = functions_of(2, (int64_t[]){5, 1}, literal);
  static const double time[] = {-INFINITY, 1, 2, 5}, value[] = {10, 20, 40, 50};
  double result[2][8];
  double *results[] = {result[0], result[1]};
  int64_t breakpoints[2];
  struct pcf_clock clock;
  x->view.partial = 1;
  CHECK(pcf_clock_make(&clock, &w->view, -INFINITY, INFINITY, NULL) == PCF_OK);
  CHECK(pcf_clock_count(&clock, &x->view, 2, NULL, breakpoints, NULL) == PCF_OK);
  REQUIRE(breakpoints[0] == 4 && breakpoints[1] == 1);
  CHECK(pcf_clock_fill(&clock, &x->view, 2, NULL, breakpoints, results, NULL) == PCF_OK);
  for (int k = 0; k < 4; k++) CHECK(result[0][k] == time[k] && result[0][4 + k] == value[k]);
  CHECK(result[1][0] == 8 && result[1][1] == 1);
  pcf_clock_free(&clock);
  functions_free(x);
  functions_free(w);
}

/* Readings never go back, and what is kept is strictly increasing. */
TEST(clock_keeps_the_order) {
  struct random random = {310};
  for (int round = 0; round < 20; round++) {
    struct functions *w = functions_random(&random, UNBOUNDED, 1, 1, 30);
    struct functions *x = functions_random(&random, UNBOUNDED, 1, 200, 300);
    int64_t m = pcf_breakpoints(&w->view, 0), breakpoints;
    for (int64_t k = 0; k < m; k++) values_of(w, 0)[k] = fabs(values_of(w, 0)[k]) * 0.1;
    struct pcf_clock clock;
    double result[600], *results[] = {result};
    CHECK(pcf_clock_make(&clock, &w->view, round % 2 ? -INFINITY : -1, INFINITY, NULL) ==
          PCF_OK);
    CHECK(pcf_clock_count(&clock, &x->view, 1, NULL, &breakpoints, NULL) == PCF_OK);
    CHECK(pcf_clock_fill(&clock, &x->view, 1, NULL, &breakpoints, results, NULL) == PCF_OK);
    for (int64_t k = 1; k < breakpoints; k++) CHECK(result[k - 1] < result[k]);
    for (int64_t k = 0; k < pcf_breakpoints(&x->view, 0); k++) {
      double t = times_of(x, 0)[k];
      CHECK(pcf_clock_at(&clock, t) <= pcf_clock_at(&clock, nextafter(t, INFINITY)));
    }
    pcf_clock_free(&clock);
    functions_free(x);
    functions_free(w);
  }
}
