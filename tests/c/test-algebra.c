/* Operations on functions that are long enough for threads to share them: functions that break
 * the rules, and memory that runs out. tests/testthat/test-pairs-long-functions.R has what they
 * give, and test-stop.c how they end. */
#include "check.h"
#include "ragged.h"
#include "runs.h"

#include "algebra/combine.h"
#include "algebra/inverse.h"
#include "algebra/restriction.h"
#include "algebra/simplify.h"
#include "base/memory.h"

#include <math.h>

/* ---- Operations ---- */

/* What an operation gets; the functions that it makes are freed at the end of the test. */
struct call {
  struct functions *x, *y;
  int threads;
};

static struct pcf_portions portions_of(const struct functions *x) {
  int64_t *length = zeroed(x->view.count, sizeof *length);
  for (int64_t i = 0; i < x->view.count; i++) length[i] = pcf_breakpoints(&x->view, i);
  struct pcf_portions portions = portions_of_lengths(x->view.count, length);
  portions.total = zeroed(x->view.count, sizeof *portions.total);
  return portions;
}

/* The functions x[i] and y[i] combined; `result` is set to them, or may be NULL. */
static enum pcf_status combine(const struct call *call, enum pcf_operator operation,
                               struct functions **result) {
  int64_t count = call->x->view.count, *length = zeroed(count, sizeof *length), total = 0;
  struct pcf_combination combination = {.operation = operation,
                                        .left = {&call->x->view, NULL, count},
                                        .right = {&call->y->view, NULL, count},
                                        .count = count};
  for (int64_t i = 0; i < count; i++) {
    total += length[i] = pcf_combination_length(&combination, i);
  }
  combination.portions = portions_of_lengths(count, length);
  combination.portions.total = zeroed(count, sizeof *length);
  combination.steps = zeroed(total, 1);
  enum pcf_status status =
    pcf_combination_count(&combination, call->threads, &never_stop, NULL);
  if (status) return status;
  int linear = pcf_combines_to_lines(&combination);
  struct functions *made =
    (linear ? lines_new : functions_new)(count, combination.portions.total);
  combination.portions.result = made->function;
  if (result) *result = made;
  return pcf_combination_fill(&combination, call->threads, &never_stop, NULL);
}

static enum pcf_status compare(const struct call *call) {
  return combine(call, PCF_LESS, NULL);
}

static enum pcf_status simplify(const struct call *call) {
  struct pcf_simplification simplification = {.x = &call->x->view};
  struct pcf_portions *portions = &simplification.portions;
  *portions = portions_of(call->x);
  enum pcf_status status =
    pcf_simplification_count(&simplification, call->threads, &never_stop, NULL);
  if (status) return status;
  portions->result = functions_new(call->x->view.count, portions->total)->function;
  return pcf_simplification_fill(&simplification, call->threads, &never_stop, NULL);
}

static enum pcf_status restrict_to_window(const struct call *call) {
  struct pcf_restriction restriction = {.x = &call->x->view, .from = 7.5, .to = 12345};
  int64_t count = call->x->view.count, *length = zeroed(count, sizeof *length);
  for (int64_t i = 0; i < count; i++) length[i] = pcf_restriction_length(&restriction, i);
  restriction.portions = portions_of_lengths(count, length);
  restriction.portions.result = functions_new(count, length)->function;
  return pcf_restriction_fill(&restriction, call->threads, &never_stop, NULL);
}

static enum pcf_status invert(const struct call *call) {
  struct pcf_inversion inversion = {.x = &call->x->view};
  struct pcf_portions *portions = &inversion.portions;
  *portions = portions_of(call->x);
  enum pcf_status status = pcf_inversion_count(&inversion, call->threads, &never_stop, NULL);
  if (status) return status;
  struct functions *(*new)(int64_t, const int64_t *) =
    call->x->view.linear ? lines_new : functions_new;
  portions->result = new (call->x->view.count, portions->total)->function;
  return pcf_inversion_fill(&inversion, call->threads, &never_stop, NULL);
}

static enum pcf_status cross(const struct call *call) {
  const double level[] = {-1, 0.5, 2, 1e9};
  const int64_t column[] = {3, 1, 0, 2};
  struct pcf_levels levels = {level, column, 4, .middle = 1};
  double *times = zeroed(4 * call->x->view.count, sizeof *times);
  return pcf_crossing_times(&call->x->view, 0, &levels, call->threads, &never_stop, times,
                            NULL);
}

static enum pcf_status find_trends(const struct call *call) {
  struct pcf_trends trends;
  enum pcf_status status =
    pcf_find_trends(&call->x->view, call->threads, &never_stop, &trends, NULL);
  return status ? status
                : pcf_find_ends(&call->x->view, call->threads, &never_stop, &trends, NULL);
}

/* The first ones find functions that break the rules; the others get sound ones. The last ones
 * take lines, too. */
static enum pcf_status (*const operation[])(const struct call *call) = {
  compare, simplify, restrict_to_window, invert, cross, find_trends};
enum { CHECKING = 2, OF_LINES = 3, COUNT = sizeof operation / sizeof *operation };

/* ---- Functions ---- */

enum { S = PCF_PORTION_ELEMENTS, FUNCTIONS = 6 };
static const int64_t lengths[FUNCTIONS] = {1, S - 1, S, 3 * S + 1, 7, 2};
static const int64_t other_lengths[FUNCTIONS] = {3 * S, 2, S, 2 * S, 9, 1};

/* That never fall and that rise to one height, or of any values; without gaps or with some. */
static struct call call_for(struct random *random, bool rising, double gaps) {
  struct call call = {functions_of_lengths(random, INTEGER_TIMES, FUNCTIONS, lengths),
                      functions_of_lengths(random, UNBOUNDED, FUNCTIONS, other_lengths), 2};
  for (int64_t i = 0; rising && i < FUNCTIONS; i++) {
    for (int64_t k = 0; k < lengths[i]; k++) values_of(call.x, i)[k] = (double)(k / 3);
  }
  if (gaps > 0) forget_values(random, call.x, gaps);
  return call;
}

/* Step functions as lines, which jump at each breakpoint. */
static struct functions *as_jumps(const struct functions *x) {
  struct functions *lines = lines_new(FUNCTIONS, lengths);
  for (int64_t i = 0; i < FUNCTIONS; i++) {
    for (int64_t k = 0; k < lengths[i]; k++) {
      times_of(lines, i)[k] = times_of(x, i)[k];
      lefts_of(lines, i)[k] = k ? values_of(x, i)[k - 1] : 0;
      after_lefts(lines, i)[k] = values_of(x, i)[k];
    }
  }
  return lines;
}

/* ---- Tests ---- */

TEST(algebra_without_memory) {
  for (int o = 0; o < COUNT + COUNT - OF_LINES; o++) {
    struct call call = call_for(&random, true, 0.3);
    bool of_lines = o >= COUNT;
    if (of_lines) call.x = as_jumps(call.x);
    bool pending = false;
    for (long k = 1; !pending; k++) {
      pcf_memory_fail_at(k);
      enum pcf_status status = operation[of_lines ? o - COUNT + OF_LINES : o](&call);
      pending = memory_failure_is_pending(k);
      CHECK(status == (pending ? PCF_OK : PCF_ERROR_MEMORY));
      CHECK(!pending || k > 1);
    }
  }
}

/* Faults of every kind at any place, so also where the search for the cuts stumbles over them:
 * they are found, and nothing is read or written where it should not be. */
TEST(algebra_finds_functions_that_are_not_sound) {
  const double wrong[] = {NAN, INFINITY, -INFINITY, 1e9, -1e9};
  for (int o = 0; o < CHECKING; o++) {
    struct call call = call_for(&random, false, 0);
    for (int round = 0; round < 240; round++) {
      struct functions *bad = round % 2 && o == 0 ? call.y : call.x;
      int64_t i = random_between(&random, 0, FUNCTIONS - 1), m = pcf_breakpoints(&bad->view, i);
      int64_t k = random_between(&random, 0, m - 1);
      if (round % 12 == 11) i = 3, k = S; /* just where a portion begins */
      int kind = round % 6;
      bool in_values = kind < 3 && round % 4 < 2;
      double *at = in_values ? &values_of(bad, i)[k] : &times_of(bad, i)[k], own = *at;
      bool first = k == 0 && kind >= 2, last = k + 1 == m && kind >= 3;
      if (!in_values && (first || last)) continue; /* it may be sound */
      *at = kind < 5 ? wrong[kind] : at[-1];
      call.threads = 1 + round % 3;
      CHECK(operation[o](&call) == PCF_ERROR_ARGUMENT);
      *at = own;
    }
    CHECK(operation[o](&call) == PCF_OK);
    for (int64_t k = 0; k < lengths[3]; k++) { /* not a single time in order */
      times_of(call.x, 3)[k] = (double)-k;
      if (k < other_lengths[3]) times_of(call.y, 3)[k] = k % 3 ? NAN : (double)-k;
    }
    CHECK(operation[o](&call) == PCF_ERROR_ARGUMENT);
  }
}

/* ---- Lines ---- */

/* Values at whole times and at halves, and limits from the left; some are missing. */
static struct functions *random_lines(struct random *random, const int64_t *length) {
  struct functions *x = lines_new(FUNCTIONS, length);
  for (int64_t i = 0; i < FUNCTIONS; i++) {
    double time = (double)random_between(random, -3, 3);
    for (int64_t k = 0; k < length[i]; k++) {
      times_of(x, i)[k] = time += 0.5 * (double)random_between(random, 1, 3);
      lefts_of(x, i)[k] = random_normal(random);
      after_lefts(x, i)[k] = (double)random_between(random, -2, 2);
      if (k > 0 && random_between(random, 0, 9) == 0) {
        after_lefts(x, i)[k - 1] = lefts_of(x, i)[k] = pcf_missing();
      }
    }
  }
  return x;
}

static double line_at(const struct functions *x, int64_t i, double time, int limit) {
  struct pcf_section f = pcf_section_of(&x->view, i);
  int64_t passed = pcf_first_from(f.time, 0, f.breakpoints, nextafter(time, INFINITY));
  return pcf_value_at(&f, passed, limit, time);
}

static int is_near(double a, double b) {
  return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

static int is_combined(const struct call *call, const struct functions *z, int64_t i, int64_t k,
                       enum pcf_operator how) {
  for (int limit = 0; limit < 2; limit++) {
    double time = times_of(z, i)[k], value;
    double a = line_at(call->x, i, time, limit), b = line_at(call->y, i, time, limit);
    pcf_apply((struct pcf_rule){how, 1}, 1, &a, &b, &value);
    if (!is_near((limit ? lefts_of : after_lefts)(z, i)[k], value)) return 0;
  }
  return 1;
}

/* Between two breakpoints the sign of the difference is that in the middle. */
static int is_compared(const struct call *call, const struct functions *z, int64_t i,
                       int64_t k) {
  if (k + 1 == pcf_breakpoints(&z->view, i)) return 1;
  double begin = times_of(z, i)[k], end = times_of(z, i)[k + 1];
  if (isinf(begin)) begin = end - 1;
  double middle = begin + (end - begin) / 2, value = values_of(z, i)[k];
  double gap = line_at(call->x, i, middle, 0) - line_at(call->y, i, middle, 0);
  return fabs(gap) < 1e-9 || (isnan(gap) ? isnan(value) : value == (gap < 0));
}

TEST(algebra_of_lines_is_that_of_their_values) {
  const enum pcf_operator operators[] = {PCF_ADD, PCF_LARGER, PCF_SMALLER_KNOWN, PCF_APART};
  struct call call = {random_lines(&random, lengths), random_lines(&random, other_lengths), 1};
  for (int o = 0; o < 8; o++) {
    struct functions *z;
    call.threads = 1 + o % 3;
    enum pcf_operator how = o % 2 ? PCF_LESS : operators[o / 2];
    CHECK(combine(&call, how, &z) == PCF_OK);
    int wrong = 0;
    for (int64_t i = 0; i < FUNCTIONS; i++) {
      for (int64_t k = 0; k < pcf_breakpoints(&z->view, i); k++) {
        wrong += !(o % 2 ? is_compared(&call, z, i, k) : is_combined(&call, z, i, k, how));
      }
    }
    CHECK(wrong == 0);
  }
}
