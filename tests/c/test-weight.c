/* Weights: their pieces, and runs with them. test-line-pairs.c has functions that are cut. */
#include "check.h"
#include "runs.h"

#include "collections/cutting.h"

#include <math.h>

/* 2 from 0, 0 from 1, 3 from 2 to 4; the breakpoint at 3 changes nothing. */
static struct functions *a_weight(void) {
  return functions_of(1, (int64_t[]){5},
                      (const double *[]){(double[]){0, 1, 2, 3, 4, 2, 0, 3, 3, 0}});
}

/* ---- Pieces ---- */

static void check_pieces(double from, double to, int64_t pieces, const double *end,
                         const double *height) {
  struct functions *w = a_weight();
  struct pcf_weight weight;
  CHECK(pcf_weight_make(&weight, &w->view, from, to, NULL) == PCF_OK);
  if (CHECK(weight.pieces == pieces)) {
    for (int64_t k = 0; k < pieces; k++) {
      CHECK(weight.end[k] == end[k] && weight.height[k] == height[k]);
    }
  }
  pcf_weight_free(&weight);
}

TEST(weights_have_pieces_inside_a_window) {
  static const double all[] = {0, 1, 2, 4, INFINITY}, heights[] = {0, 2, 0, 3, 0};
  check_pieces(-INFINITY, INFINITY, 5, all, heights);
  check_pieces(0, 3, 3, (double[]){1, 2, INFINITY}, heights + 1);
  check_pieces(0, 4, 3, (double[]){1, 2, INFINITY}, heights + 1);
  check_pieces(2.5, 3, 1, (double[]){INFINITY}, heights + 3);
  check_pieces(-2, 0, 1, (double[]){INFINITY}, heights);
}

TEST(weights_are_high_until_their_pieces_end) {
  static const double at[][2] = {{-5, 0}, {0, 0}, {0.5, 2}, {1, 2},       {2, 0},
                                 {3, 3},  {4, 3}, {5, 0},   {INFINITY, 0}};
  struct functions *w = a_weight();
  SCOPED(pcf_weight) weight;
  CHECK(pcf_weight_make(&weight, &w->view, -INFINITY, INFINITY, NULL) == PCF_OK);
  for (int k = 0; k < 9; k++) {
    for (int precision = 0; precision < 2; precision++) {
      CHECK(pcf_height_until(&weight, at[k][0], precision) == at[k][1]);
    }
  }
  CHECK(pcf_height_until(NULL, 3, PCF_DOUBLE) == 1);
  CHECK(pcf_weight_most(&weight) == 3 && pcf_weight_least(&weight) == 2);
  CHECK(pcf_weight_between(&weight, -INFINITY, INFINITY) == 8);
  CHECK(pcf_weight_between(&weight, 0.5, 3) == 4);
  CHECK(pcf_weight_between(&weight, 1, 2) == 0);
}

/* In single precision an end is where a time that is rounded as it is has it. */
TEST(weights_have_pieces_whose_ends_are_rounded) {
  const double *literal[] = {(double[]){0.1, 0.2, 0.3, 1, 2, 4}};
  struct functions *w = functions_of(1, (int64_t[]){3}, literal);
  SCOPED(pcf_weight) weight;
  CHECK(pcf_weight_make(&weight, &w->view, 0, 1, NULL) == PCF_OK);
  for (int k = 0; k < 3; k++) {
    double end = (double)(float)literal[0][k];
    CHECK(pcf_piece_until(&weight, end, PCF_SINGLE_PRECISION) == k);
    CHECK(pcf_piece_until(&weight, nextafter(end, 1), PCF_SINGLE_PRECISION) == k + 1);
    CHECK(pcf_piece_until(&weight, literal[0][k], PCF_DOUBLE) == k);
  }
}

TEST(weights_of_nothing_leave_zeros) {
  struct functions *x = functions_of(1, (int64_t[]){1}, (const double *[]){(double[]){3, 5}});
  struct functions *w = functions_of(1, (int64_t[]){1}, (const double *[]){(double[]){1, 0}});
  SCOPED(pcf_weight) weight;
  SCOPED(pcf_owned_functions) cut;
  CHECK(pcf_weight_make(&weight, &w->view, -INFINITY, INFINITY, NULL) == PCF_OK);
  CHECK(pcf_weight_most(&weight) == 0 && isinf(pcf_weight_least(&weight)));
  struct pcf_cutting cutting = {&weight, &x->view, 0, NULL};
  CHECK(pcf_owned_functions_make(&cut, pcf_cut_functions(&cutting), 1, NULL, NULL) == PCF_OK);
  CHECK(pcf_breakpoints(&cut.view, 0) == 1 && pcf_values(&cut.view, 0)[0] == 0);
}

/* ---- Runs ---- */

/* Steep weights whose largest height comes first, or last; one without an end. */
static struct functions *steep_weight(int which) {
  static const int64_t lengths[] = {40, 40, 4};
  struct functions *w = functions_new(1, &lengths[which]);
  for (int k = 0; k < lengths[which]; k++) {
    times_of(w, 0)[k] = which < 2 ? k * 0.125 : k;
    values_of(w, 0)[k] = which == 0 ? ldexp(1, -3 * k) : which == 1 ? ldexp(1, 3 * k) : 1 + k;
    if (k % 7 == 5) values_of(w, 0)[k] = 0;
  }
  if (which < 2) values_of(w, 0)[39] = 0;
  return w;
}

static void check_runs(const struct asked *like, const struct answer *answers,
                       double tolerance) {
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS];
  int available = pcf_available_instructions(sets);
  for (int m = 0; m < METHODS; m++) {
    for (int k = 0; k < available; k++) {
      struct asked request = *like;
      request.pairs.method = method_names[m];
      request.pairs.instructions = pcf_instructions_name(sets[k]);
      request.settings.threads = 1 + k % 2;
      struct outcome outcome = run_request(&request, PCF_FULL, &pcf_cpu_backend);
      CHECK(outcome_agrees(&outcome, answers, tolerance));
    }
  }
}

/* Single precision gives way to double, unless the weight is even. */
TEST(weighted_runs_are_right_by_every_method) {
  static const enum shape shapes[] = {PAPER, INTEGER_TIMES, SHARED_GRID};
  for (int s = 0; s < 3; s++) {
    struct functions *x = functions_random(&random, shapes[s], 37, 1, 9);
    struct functions *y = functions_random(&random, shapes[s], 34, 1, 9);
    for (int which = 0; which < 3; which++) {
      struct functions *w = steep_weight(which);
      for (int k = 0; k < OPERATIONS; k++) {
        struct asked request = request_of(&operations[k], PCF_FULL, x, y);
        struct answer *answers = weighted_matrix(&operations[k], &x->view, &y->view, &w->view);
        request.pairs.weight = &w->view;
        check_runs(&request, answers, tolerance_of(PCF_DOUBLE));
        request.pairs.precision = PCF_SINGLE_PRECISION;
        check_runs(&request, answers,
                   tolerance_of(which < 2 ? PCF_DOUBLE : PCF_SINGLE_PRECISION));
      }
    }
  }
}

/* Parts of long functions, and sums that are flushed within a piece. */
TEST(weighted_runs_of_long_functions_are_right) {
  struct functions *x = functions_random(&random, PAPER, 3, 3000, 5000);
  for (int which = 0; which < 3; which++) {
    struct functions *w = steep_weight(which);
    for (int k = 0; k < OPERATIONS; k++) {
      if (check_quick() && k > 1) break;
      struct asked request = request_of(&operations[k], PCF_FULL, x, x);
      struct answer *answers = weighted_matrix(&operations[k], &x->view, &x->view, &w->view);
      request.pairs.weight = &w->view;
      check_runs(&request, answers, tolerance_of(PCF_DOUBLE));
    }
  }
}

TEST(weights_of_one_leave_the_bits) {
  struct functions *x = functions_random(&random, INTEGER_TIMES, 40, 1, 9);
  struct functions *w =
    functions_of(1, (int64_t[]){1}, (const double *[]){(double[]){-INFINITY, 1}});
  for (int k = 0; k < OPERATIONS; k++) {
    for (int m = 0; m < METHODS; m++) {
      struct asked request = request_of(&operations[k], PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
      request.pairs.method = method_names[m];
      request.pairs.width = 32;
      struct outcome plain =
        run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
      request.pairs.weight = &w->view;
      struct outcome outcome =
        run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
      CHECK(outcomes_equal(&plain, &outcome));
    }
  }
}

/* Each allocation of a weighted run fails in turn. */
TEST(weighted_runs_without_memory_end) {
  struct functions *x = functions_random(&random, PARTIAL, 9, 1, 9), *w = steep_weight(2);
  struct question question = {PCF_L1, 1, -3, 5};
  struct asked request = request_of(&question, PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
  request.pairs.weight = &w->view;
  request.pairs.missing = PCF_MISSING_MEAN;
  fail_at_every_allocation(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend, false);
}
