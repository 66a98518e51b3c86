/* Whatever works on functions ends at once, and says so, when it was asked to stop before. */
#include "check.h"
#include "collections.h"

#include "algebra/calculus.h"
#include "algebra/combine.h"
#include "algebra/inverse.h"
#include "algebra/restriction.h"
#include "algebra/simplify.h"
#include "arrays/intervals.h"
#include "collections/columns.h"
#include "reductions/extrema.h"
#include "reductions/sums.h"
#include "summaries/evaluate.h"
#include "summaries/extremes.h"
#include "summaries/norms.h"
#include "summaries/permutations.h"
#include "summaries/running.h"
#include "summaries/segments.h"

#include <math.h>
#include <string.h>

enum { FUNCTIONS = 50, BREAKPOINTS = 300, ALL = FUNCTIONS * BREAKPOINTS };

static const atomic_int asked = 1;

#define ENDS(call) CHECK((call) == PCF_ERROR_INTERRUPTED)

/* 50 functions of 300 breakpoints each, and results that nothing may be written to. */
struct stopped {
  struct functions *x, *result;
  int64_t lengths[FUNCTIONS], offsets[FUNCTIONS + 1], place[ALL];
  double numbers[ALL];
};

static void set_up(struct stopped *stopped) {
  struct random random = {3};
  stopped->offsets[0] = 0;
  for (int i = 0; i < FUNCTIONS; i++) {
    stopped->lengths[i] = BREAKPOINTS;
    stopped->offsets[i + 1] = stopped->offsets[i] + BREAKPOINTS;
  }
  stopped->x = functions_random(&random, PAPER, FUNCTIONS, BREAKPOINTS, BREAKPOINTS);
  stopped->result = functions_new(FUNCTIONS, stopped->lengths);
  memset(stopped->result->function[0], 0, 2 * BREAKPOINTS * sizeof(double));
  for (int k = 0; k < ALL; k++) stopped->numbers[k] = -7;
}

static void tear_down(struct stopped *stopped) {
  int touched = 0;
  for (int k = 0; k < ALL; k++) touched += stopped->numbers[k] != -7;
  for (int k = 0; k < 2 * BREAKPOINTS; k++) touched += stopped->result->function[0][k] != 0;
  CHECK(touched == 0);
}

TEST(stop_ends_measuring_and_evaluating) {
  struct stopped stopped;
  struct pcf_fault fault;
  const double times[] = {0.5, 1, 2};
  const struct pcf_times_at at = {3, times, NULL, 0};
  set_up(&stopped);
  for (int m = PCF_NORM_L1; m <= PCF_INTEGRAL; m++) {
    struct pcf_measuring measuring = {(enum pcf_measure)m, 2.3, 0, INFINITY};
    ENDS(pcf_measure(&stopped.x->view, &measuring, 2, &asked, stopped.numbers, NULL, &fault,
                     NULL));
    CHECK(!fault.problem);
  }
  for (int threads = 1; threads <= 3; threads++) {
    ENDS(pcf_evaluate(&stopped.x->view, &at, threads, &asked, stopped.numbers, &fault, NULL));
    CHECK(!fault.problem);
    struct pcf_extremes extremes = {&stopped.x->view, 0, 2, 0, stopped.numbers,
                                    stopped.numbers};
    ENDS(pcf_find_extremes(&extremes, threads, &asked, NULL));
    struct pcf_running running = {
      .x = &stopped.x->view, .time = times, .count = 3, .result = stopped.numbers};
    ENDS(pcf_running_integrals(&running, threads, &asked, NULL));
    struct pcf_calculus derivative = {&stopped.x->view, stopped.result->function, PCF_NOWHERE};
    ENDS(pcf_derivative_fill(&derivative, threads, &asked, NULL));
    struct pcf_calculus cumulation = {&stopped.x->view, stopped.result->function, PCF_NOWHERE};
    ENDS(pcf_cumulation_fill(&cumulation, threads, &asked, NULL));
  }
  tear_down(&stopped);
}

TEST(stop_ends_sums_and_extrema) {
  struct stopped stopped;
  struct pcf_range range = {.last = 100, .value = 10, .least = 1e-9};
  int64_t starts[] = {0, FUNCTIONS}, function[FUNCTIONS], small = pcf_sums_small_row;
  const struct pcf_rows rows = {.count = 1, .starts = starts, .function = function};
  struct pcf_curves curves;
  set_up(&stopped);
  for (int i = 0; i < FUNCTIONS; i++) function[i] = i;
  for (int k = 0; k < 2; k++) { /* a short row, and a long one */
    ENDS(pcf_sums(&stopped.x->view, &rows, &range, 2, &asked, &curves, NULL));
    pcf_curves_free(&curves);
    pcf_sums_small_row = 100;
  }
  pcf_sums_small_row = small;
  for (int extremum = PCF_MAXIMUM; extremum <= PCF_MINIMUM; extremum++) {
    enum pcf_extremum which = (enum pcf_extremum)extremum;
    ENDS(pcf_extrema(&stopped.x->view, &rows, which, 2, &asked, &curves, NULL));
    pcf_curves_free(&curves);
  }
  CHECK(pcf_extrema(&stopped.x->view, &rows, PCF_MAXIMUM, 2, NULL, &curves, NULL) == PCF_OK);
  ENDS(pcf_curves_write(&curves, stopped.result->function, 2, &asked, NULL));
  pcf_curves_free(&curves);
  tear_down(&stopped);
}

TEST(stop_ends_making_functions) {
  struct stopped stopped;
  struct pcf_place fault;
  uint8_t steps[ALL];
  set_up(&stopped);
  const struct pcf_collection *x = &stopped.x->view;
  double *const *result = stopped.result->function;
  struct pcf_portions portions = {FUNCTIONS, stopped.offsets, stopped.place, stopped.lengths,
                                  result};
  double two = 2;
  struct pcf_combination combination = {.operation = PCF_ADD,
                                        .left = {.functions = x, .count = FUNCTIONS},
                                        .right = {.numbers = &two, .count = 1},
                                        .count = FUNCTIONS,
                                        .portions = portions,
                                        .steps = steps};
  struct pcf_simplification simplification = {.x = x, .portions = portions};
  struct pcf_restriction restriction = {x, 0, INFINITY, portions};
  ENDS(pcf_combination_count(&combination, 2, &asked, NULL));
  ENDS(pcf_combination_fill(&combination, 2, &asked, NULL));
  ENDS(pcf_simplification_count(&simplification, 2, &asked, NULL));
  ENDS(pcf_simplification_fill(&simplification, 2, &asked, NULL));
  ENDS(pcf_restriction_fill(&restriction, 2, &asked, NULL));
  struct pcf_inversion inversion = {x, 0, portions};
  struct pcf_trends trends;
  const struct pcf_levels levels = {&two, NULL, 1, 0, 0, 0};
  ENDS(pcf_find_trends(x, 2, &asked, &trends, NULL));
  ENDS(pcf_inversion_count(&inversion, 2, &asked, NULL));
  ENDS(pcf_inversion_fill(&inversion, 2, &asked, NULL));
  ENDS(pcf_crossing_times(x, 0, &levels, 2, &asked, stopped.numbers, NULL));
  ENDS(pcf_gather_column(x, PCF_TIMES, stopped.numbers, 2, &asked, NULL));
  ENDS(pcf_replace_column(x, PCF_VALUES, stopped.numbers, result, 2, &asked, &fault, NULL));
  tear_down(&stopped);
}

TEST(stop_ends_permutations) {
  const int label[] = {0, 1, 0};
  const double distance[] = {1, 2, 3};
  const struct pcf_labels labels = {label, 3, 1, 2};
  const struct pcf_moves moves = {3, label, distance, distance, NULL, 0, 0};
  double result[4];
  ENDS(pcf_permuted_sums(&labels, distance, 0, 2, &asked, result, NULL));
  ENDS(pcf_permuted_means(&labels, &moves, 1, 2, &asked, result, NULL));
}

TEST(stop_ends_ragged_work) {
  struct stopped stopped;
  double values[ALL] = {0};
  int64_t before[2] = {0, 0}, offsets[ALL + 1];
  set_up(&stopped);
  struct pcf_numbers numbers = {values, NULL};
  struct pcf_keys keys = {PCF_KEY_REAL, values, ALL};
  double *to = stopped.numbers;
  const int64_t *of = stopped.offsets;
  ENDS(pcf_segment_reduce(PCF_SUM, numbers, of, FUNCTIONS, 2, &asked, to, NULL));
  ENDS(pcf_count_runs(&keys, 2, &asked, before, NULL));
  ENDS(pcf_fill_runs(&keys, before, 2, &asked, offsets, NULL));
  ENDS(pcf_interval_expand(values, 8, of, FUNCTIONS, 2, &asked, to, NULL));
  ENDS(pcf_interval_move(values, NULL, to, NULL, 8, of, FUNCTIONS, 2, &asked, NULL));
  tear_down(&stopped);
}
