/* Functions combined pair by pair. */
#include "check.h"
#include "ragged.h"

#include "algebra/combine.h"
#include "base/memory.h"

#include <math.h>

enum { OPERATORS = PCF_SECOND + 1 };

/* The operators by definition. */
static double applied(enum pcf_operator operation, double a, double b) {
  bool known_left = !isnan(a), known_right = !isnan(b);
  if (operation == PCF_AND && ((known_left && a == 0) || (known_right && b == 0))) return 0;
  if (operation == PCF_OR && ((known_left && a != 0) || (known_right && b != 0))) return 1;
  if (operation == PCF_FIRST) return a;
  if (operation == PCF_SECOND) return b;
  if (!known_left || !known_right) return pcf_missing();
  switch (operation) {
  case PCF_ADD: return a + b;
  case PCF_SUBTRACT: return a - b;
  case PCF_MULTIPLY: return a * b;
  case PCF_DIVIDE: return a / b;
  case PCF_LESS: return a < b ? 1 : 0;
  case PCF_LESS_EQUAL: return a <= b ? 1 : 0;
  case PCF_GREATER: return a > b ? 1 : 0;
  case PCF_GREATER_EQUAL: return a >= b ? 1 : 0;
  case PCF_AND: return a != 0 && b != 0 ? 1 : 0;
  case PCF_OR: return a != 0 || b != 0 ? 1 : 0;
  case PCF_FIRST: return a;
  case PCF_SECOND: break;
  }
  return b;
}

/* The next time after `time` at which x or y (NULL: none) has a breakpoint; ∞ at the end. */
static double next_time(const struct functions *x, int64_t i, double time) {
  if (!x) return INFINITY;
  for (int64_t k = 0; k < pcf_breakpoints(&x->view, i); k++) {
    if (times_of(x, i)[k] > time) return times_of(x, i)[k];
  }
  return INFINITY;
}

/* One case: x with y, or, where one is NULL, with numbers. */
struct trial {
  struct functions *x, *y;
  const double *numbers;
  int64_t x_count, y_count, count;
  int threads;
};

struct outcome {
  struct functions *results;
  enum pcf_status status;
  struct pcf_place fault;
};

static struct pcf_operand operand_of(const struct functions *x, const double *numbers,
                                     int64_t count) {
  return (struct pcf_operand){x ? &x->view : NULL, x ? NULL : numbers, count};
}

static struct outcome combine(const struct trial *trial, enum pcf_operator operation) {
  struct outcome outcome = {.fault = PCF_NOWHERE};
  struct pcf_combination combination = {.operation = operation, .count = trial->count};
  combination.left = operand_of(trial->x, trial->numbers, trial->x_count);
  combination.right = operand_of(trial->y, trial->numbers, trial->y_count);
  int64_t *length = zeroed(trial->count, sizeof *length);
  int64_t total = 0;
  int64_t *breakpoints = zeroed(trial->count, sizeof *breakpoints);
  for (int64_t i = 0; i < trial->count; i++) {
    length[i] = pcf_combination_length(&combination, i);
    total += length[i];
  }
  combination.portions = portions_of_lengths(trial->count, length);
  combination.steps = zeroed(total, 1);
  struct pcf_error error = {0};
  outcome.status =
    pcf_combination_count(&combination, trial->threads, &never_stop, breakpoints, &error);
  if (!outcome.status) {
    outcome.results = functions_new(trial->count, breakpoints);
    outcome.status =
      pcf_combination_fill(&combination, trial->threads, &never_stop, breakpoints,
                           outcome.results->function, &outcome.fault, &error);
  }
  return outcome;
}

/* Is result i what it should be by definition? Slow: every value is looked up. */
static bool right(const struct trial *trial, enum pcf_operator operation,
                  const struct functions *results, int64_t i) {
  int64_t f = i % trial->x_count, g = i % trial->y_count, k = 0;
  for (double time = -INFINITY;; k++) {
    time = fmin(next_time(trial->x, f, time), next_time(trial->y, g, time));
    if (time == INFINITY) return k == pcf_breakpoints(&results->view, i);
    if (k == pcf_breakpoints(&results->view, i) || times_of(results, i)[k] != time)
      return false;
    double a = trial->x ? value_at(&trial->x->view, f, time) : trial->numbers[f];
    double b = trial->y ? value_at(&trial->y->view, g, time) : trial->numbers[g];
    double expected = applied(operation, a, b), value = values_of(results, i)[k];
    if (pcf_is_missing(value) != pcf_is_missing(expected)) return false;
    if (!(value == expected || (isnan(value) && isnan(expected)))) return false;
  }
}

static void check_trial(struct trial *trial) {
  for (int operation = 0; operation < OPERATORS; operation++) {
    trial->threads = 1;
    struct outcome one = combine(trial, (enum pcf_operator)operation);
    CHECK(one.status == PCF_OK);
    for (int64_t i = 0; i < trial->count; i++) {
      if (!CHECK(right(trial, (enum pcf_operator)operation, one.results, i))) break;
    }
    trial->threads = 3;
    struct outcome three = combine(trial, (enum pcf_operator)operation);
    for (int64_t i = 0; i < trial->count; i++) {
      CHECK(same_function(one.results, three.results, i) || operation == PCF_DIVIDE);
    }
    CHECK(one.fault.item == three.fault.item && one.fault.position == three.fault.position);
  }
}

TEST(combine_all_operators_by_definition) {
  const enum shape shapes[] = {PAPER, INTEGER_TIMES, SHARED_GRID, UNBOUNDED};
  for (int s = 0; s < 4; s++) {
    struct functions *x = functions_random(&random, shapes[s], 30, 1, 40);
    struct functions *y = functions_random(&random, shapes[(s + 1) % 4], 30, 1, 40);
    struct functions *z = functions_random(&random, shapes[s], 5, 1, 3);
    check_trial(&(struct trial){.x = x, .y = y, .x_count = 30, .y_count = 30, .count = 30});
    check_trial(&(struct trial){.x = x, .y = x, .x_count = 30, .y_count = 30, .count = 30});
    check_trial(&(struct trial){.x = z, .y = y, .x_count = 5, .y_count = 30, .count = 30});
    check_trial(&(struct trial){.x = x, .y = z, .x_count = 30, .y_count = 5, .count = 30});
  }
}

TEST(combine_functions_with_gaps) {
  const double numbers[] = {2, 0, -1.5};
  const int64_t lengths[] = {3 * PCF_PORTION_ELEMENTS, 1, 5000, 12};
  struct functions *x = functions_random(&random, INTEGER_TIMES, 30, 1, 20);
  struct functions *y = functions_random(&random, SHARED_GRID, 30, 1, 20);
  struct functions *z = functions_of_lengths(&random, UNBOUNDED, 4, lengths);
  forget_values(&random, x, 0.3);
  forget_values(&random, z, 0.01);
  check_trial(&(struct trial){.x = x, .y = y, .x_count = 30, .y_count = 30, .count = 30});
  check_trial(&(struct trial){.x = y, .y = x, .x_count = 30, .y_count = 30, .count = 30});
  check_trial(
    &(struct trial){.x = x, .numbers = numbers, .x_count = 30, .y_count = 3, .count = 30});
  struct trial trial = {.x = z, .y = x, .x_count = 4, .y_count = 30, .count = 4, .threads = 3};
  struct outcome outcome = combine(&trial, PCF_ADD);
  CHECK(outcome.fault.item == -1);
  for (int64_t k = 0; k < pcf_breakpoints(&outcome.results->view, 0); k += 97) {
    double time = times_of(outcome.results, 0)[k];
    double expected =
      applied(PCF_ADD, value_at(&z->view, 0, time), value_at(&x->view, 0, time));
    double value = values_of(outcome.results, 0)[k];
    CHECK(pcf_is_missing(expected) ? pcf_is_missing(value) : value == expected);
  }
}

/* What is missing from before a portion on is missing in it, though none of its values is. */
TEST(combine_with_a_gap_from_before_a_portion) {
  const int64_t lengths[] = {3 * PCF_PORTION_ELEMENTS}, two[] = {2};
  const double end[] = {-1e9, -1e8, 1, pcf_missing()};
  const double *literal[] = {end};
  struct functions *x = functions_of_lengths(&random, UNBOUNDED, 1, lengths);
  struct functions *y = functions_of(1, two, literal);
  for (int turned = 0; turned < 2; turned++) {
    struct trial trial = {
      .x = turned ? y : x, .y = turned ? x : y, .x_count = 1, .y_count = 1, .count = 1};
    trial.threads = 2;
    struct outcome outcome = combine(&trial, PCF_LESS);
    int64_t n = pcf_breakpoints(&outcome.results->view, 0), missing = 0;
    for (int64_t k = 0; k < n; k++) missing += pcf_is_missing(values_of(outcome.results, 0)[k]);
    CHECK(n == lengths[0] + 2 && missing == n - 1);
  }
}

TEST(combine_with_numbers) {
  const double numbers[] = {2, 0, -1.5};
  struct functions *x = functions_random(&random, UNBOUNDED, 30, 1, 40);
  check_trial(
    &(struct trial){.x = x, .numbers = numbers, .x_count = 30, .y_count = 3, .count = 30});
  check_trial(
    &(struct trial){.y = x, .numbers = numbers, .x_count = 3, .y_count = 30, .count = 30});
  check_trial(
    &(struct trial){.x = x, .numbers = numbers, .x_count = 30, .y_count = 30, .count = 0});
}

/* Lengths about those of a portion and of a chunk, and one side that ends or begins long
 * before the other. */
TEST(combine_long_functions) {
  if (check_quick()) return;
  enum { S = PCF_PORTION_ELEMENTS, PAIRS = 7 };
  const int64_t f[PAIRS] = {S, S / 2, S / 2 + 1, 1, 1500, S - 1, 2};
  const int64_t g[PAIRS] = {1, S / 2, S / 2, S + 9, 1500, 3, S};
  for (int s = 0; s < 2; s++) {
    struct functions *x =
      functions_of_lengths(&random, s ? UNBOUNDED : INTEGER_TIMES, PAIRS, f);
    struct functions *y =
      functions_of_lengths(&random, s ? UNBOUNDED : INTEGER_TIMES, PAIRS, g);
    struct trial trial = {.x = x, .y = y, .x_count = PAIRS, .y_count = PAIRS, .count = PAIRS};
    for (int threads = 1; threads <= 2; threads++) {
      trial.threads = threads;
      struct outcome outcome = combine(&trial, PCF_SUBTRACT);
      for (int i = 0; i < PAIRS; i++) CHECK(right(&trial, PCF_SUBTRACT, outcome.results, i));
    }
  }
}

/* Ties at every cut: both sides have the same times, or every second one. */
TEST(combine_ties_across_portions) {
  if (check_quick()) return;
  enum { M = 2 * PCF_PORTION_ELEMENTS + 5 };
  for (int step = 1; step <= 3; step++) {
    const int64_t lengths[] = {M};
    struct functions *x = functions_new(1, lengths), *y = functions_new(1, lengths);
    for (int64_t k = 0; k < M; k++) {
      times_of(x, 0)[k] = (double)k;
      times_of(y, 0)[k] = (double)(step * k);
      values_of(x, 0)[k] = (double)(k + 1);
      values_of(y, 0)[k] = (double)(k % 7);
    }
    struct trial trial = {x, y, NULL, 1, 1, 1, 2};
    struct outcome outcome = combine(&trial, PCF_ADD);
    int64_t expected = M + (step - 1) * (int64_t)M / step, k = 0;
    if (step > 1) expected = M + M - ((M - 1) / step + 1);
    CHECK(pcf_breakpoints(&outcome.results->view, 0) == expected);
    for (; k < M; k++) {
      CHECK(times_of(outcome.results, 0)[k] == (double)k);
      CHECK(values_of(outcome.results, 0)[k] == (double)(k + 1 + k / step % 7));
    }
    for (; k < expected; k++) {
      int64_t behind = (M - 1) / step + 1 + k - M;
      CHECK(times_of(outcome.results, 0)[k] == (double)(step * behind));
      CHECK(values_of(outcome.results, 0)[k] == (double)(M + behind % 7));
    }
  }
}

TEST(combine_names_the_first_fault) {
  const double one[] = {0, 1, 2, 1, 2, 3}, two[] = {0, 2, 4, 1, 0, 0};
  const int64_t lengths[] = {3, 3, 3};
  struct functions *x = functions_of(3, lengths, (const double *const[]){one, one, one});
  struct functions *y = functions_of(3, lengths, (const double *const[]){one, two, two});
  struct trial trial = {x, y, NULL, 3, 3, 3, 2};
  struct outcome outcome = combine(&trial, PCF_DIVIDE);
  CHECK(outcome.status == PCF_OK);
  CHECK(outcome.fault.item == 1 && outcome.fault.position == 2);
  CHECK(values_of(outcome.results, 2)[2] == INFINITY);
  outcome = combine(&trial, PCF_ADD);
  CHECK(outcome.fault.item == -1);
}

TEST(combine_without_memory) {
  struct functions *x = functions_random(&random, PAPER, 4, 1, 9);
  struct trial trial = {x, x, NULL, 4, 4, 4, 2};
  for (long k = 1; k <= 2; k++) {
    pcf_memory_fail_at(k);
    struct outcome outcome = combine(&trial, PCF_ADD);
    CHECK(outcome.status == PCF_ERROR_MEMORY);
  }
  pcf_memory_fail_at(3);
  struct outcome outcome = combine(&trial, PCF_ADD);
  CHECK(outcome.status == PCF_OK);
  pcf_memory_fail_at(0);
}

/* Faults of every kind at any place, so also where the search for the cuts stumbles over them:
 * they are found, and nothing is read or written where it should not be. */
TEST(combine_finds_functions_that_are_not_sound) {
  enum { M = 3 * PCF_PORTION_ELEMENTS };
  const int64_t f_lengths[] = {5, M, 9}, g_lengths[] = {4, 2 * M, M};
  const double wrong[] = {NAN, INFINITY, -INFINITY, 1e9, -1e9};
  struct functions *x = functions_of_lengths(&random, INTEGER_TIMES, 3, f_lengths);
  struct functions *y = functions_of_lengths(&random, INTEGER_TIMES, 3, g_lengths);
  struct trial trial = {x, y, NULL, 3, 3, 3, 2};
  for (int round = 0; round < 200; round++) {
    struct functions *bad = round % 2 ? x : y;
    int64_t i = random_between(&random, 0, 2), m = pcf_breakpoints(&bad->view, i);
    int64_t k = random_between(&random, 1, m - 2);
    int kind = round % 6, in_values = kind < 3 && round % 4 < 2;
    double *at = in_values ? &values_of(bad, i)[k] : &times_of(bad, i)[k], own = *at;
    *at = kind < 5 ? wrong[kind] : at[-1];
    trial.threads = 1 + round % 3;
    struct outcome outcome = combine(&trial, PCF_LESS);
    CHECK(outcome.status == PCF_ERROR_ARGUMENT);
    *at = own;
  }
  for (int64_t k = 0; k < M; k++) { /* not a single time in order */
    times_of(x, 1)[k] = (double)-k;
    times_of(y, 1)[k] = k % 3 ? NAN : (double)-k;
  }
  struct outcome outcome = combine(&trial, PCF_LESS);
  CHECK(outcome.status == PCF_ERROR_ARGUMENT);
}
