#include "algebra/combine.h"

#include "base/hints.h"
#include "base/scalar.h"
#include "base/search.h"
#include "collections/columns.h"

#include <math.h>
#include <string.h>

/* How many values the operator is applied to at once. */
enum { AT_ONCE = 1024 };

/* One side of a pair. A number has no breakpoints and its value from the start. */
struct side {
  int64_t length;
  const double *time, *value;
  double initial;
};

struct pair {
  struct side f, g;
};

/* A position of the merge: so many breakpoints of f and of g come before it. */
struct position {
  int64_t f, g;
};

/* How the value of the result is computed from two; `missing` says that some may be missing. */
struct rule {
  enum pcf_operator operation;
  int missing;
};

static pcf_portion_body count_portion, fill_portion;
static void apply(struct rule rule, int64_t n, const double *a, const double *b, double *value);

int64_t pcf_combination_length(const struct pcf_combination *combination, int64_t i) {
  const struct pcf_operand *left = &combination->left, *right = &combination->right;
  int64_t length = 0;
  if (left->functions) length += pcf_breakpoints(left->functions, i % left->count);
  if (right->functions) length += pcf_breakpoints(right->functions, i % right->count);
  return length;
}

enum pcf_status pcf_combination_count(struct pcf_combination *combination, int threads,
                                      const atomic_int *stop, struct pcf_error *error) {
  enum pcf_status status =
    pcf_portions_run(&combination->portions, threads, stop, count_portion, combination, error);
  if (!status) status = pcf_soundness(&combination->unsound, error);
  if (!status) pcf_portions_place(&combination->portions);
  return status;
}

enum pcf_status pcf_combination_fill(struct pcf_combination *combination, int threads,
                                     const atomic_int *stop, struct pcf_error *error) {
  combination->fault = PCF_NOWHERE;
  enum pcf_status status =
    pcf_portions_run(&combination->portions, threads, stop, fill_portion, combination, error);
  return status ? status : pcf_soundness(&combination->unsound, error);
}

/* ---- Pairs, and where their merged breakpoints are cut ---- */

static struct side side_of(const struct pcf_operand *operand, int64_t i) {
  i %= operand->count;
  if (!operand->functions) return (struct side){.initial = operand->numbers[i]};
  const struct pcf_collection *x = operand->functions;
  return (struct side){pcf_breakpoints(x, i), pcf_times(x, i), pcf_values(x, i), 0};
}

static struct pair pair_of(const struct pcf_combination *combination, int64_t i) {
  return (struct pair){side_of(&combination->left, i), side_of(&combination->right, i)};
}

/* The position that comes after `behind` breakpoints, or after one more, since breakpoints at
 * the same time are kept together. */
static struct position seek(const struct pair *pair, int64_t behind) {
  const struct side *f = &pair->f, *g = &pair->g;
  int64_t from_f = pcf_merge_path(f->time, f->length, g->time, g->length, behind);
  struct position at = {from_f, behind - from_f};
  if (at.f > 0 && at.g < g->length && f->time[at.f - 1] == g->time[at.g]) at.g++;
  return at;
}

/* Is one side a number? */
static int with_number(const struct pair *pair) {
  return pair->f.length == 0 || pair->g.length == 0;
}

/* Do f and g have the same breakpoints between two positions, and at least one? */
static int side_by_side(const struct pair *pair, struct position at, struct position end) {
  int64_t n = end.f - at.f;
  if (n == 0 || n != end.g - at.g) return 0;
  return memcmp(pair->f.time + at.f, pair->g.time + at.g, (size_t)n * sizeof(double)) == 0;
}

/* ---- Counting ---- */

/* One step takes the next breakpoint of f (1), of g (2), or both (3), whichever comes first.
 * That is computed without a branch, which no processor could predict. */
INLINE uint8_t take_step(const double *f_time, const double *g_time, struct position *at) {
  double s = f_time[at->f], t = g_time[at->g];
  int take_f = s <= t, take_g = t <= s;
  at->f += take_f;
  at->g += take_g;
  return (uint8_t)(take_f + 2 * take_g);
}

/* Stores what each step between two positions takes, and returns the number of steps: one for
 * each breakpoint of the result. */
static int64_t store_steps(const struct pair *pair, struct position at, struct position end,
                           uint8_t *step) {
  const double *f_time = pair->f.time, *g_time = pair->g.time;
  int64_t count = 0, sure; /* so many steps are possible before either side can end */
  while ((sure = pcf_smaller(end.f - at.f, end.g - at.g)) > 0) {
    for (int64_t next = count + sure; count < next; count++) {
      step[count] = take_step(f_time, g_time, &at);
    }
  }
  int64_t rest = end.f - at.f + end.g - at.g;
  memset(step + count, end.f > at.f ? 1 : 2, (size_t)rest);
  return count + rest;
}

/* Are the times between two positions sound? Where times are not sorted, the positions may be
 * in the wrong order, too. Checked before the walks rely on it. */
static int sound_times(const struct pair *pair, struct position at, struct position end) {
  return at.f <= end.f && at.g <= end.g && pcf_sound_times(pair->f.time, at.f, end.f) &&
         pcf_sound_times(pair->g.time, at.g, end.g);
}

static void count_portion(void *combination_, const struct pcf_portion *portion) {
  struct pcf_combination *combination = combination_;
  struct pair pair = pair_of(combination, portion->item);
  struct position at = seek(&pair, portion->begin), end = seek(&pair, portion->end);
  uint8_t *step =
    combination->steps + combination->portions.offsets[portion->item] + portion->begin;
  int64_t *place = pcf_place_of(&combination->portions, portion);
  if (!sound_times(&pair, at, end)) atomic_store(&combination->unsound, 1);
  else if (side_by_side(&pair, at, end)) *place = end.f - at.f;
  else if (with_number(&pair)) *place = portion->end - portion->begin;
  else *place = store_steps(&pair, at, end, step);
}

/* ---- Filling ---- */

/* The value of a side after its first `behind` breakpoints. */
static double value_after(const struct side *side, int64_t behind) {
  return behind > 0 ? side->value[behind - 1] : side->initial;
}

/* Takes n steps again: stores the time and the values of both sides after each. */
static void take_steps(const struct pair *pair, struct position *at, const uint8_t *step,
                       int64_t n, double *time, double *a, double *b) {
  const double *f_time = pair->f.time, *g_time = pair->g.time;
  const double *f_value = pair->f.value - 1, *g_value = pair->g.value - 1;
  int64_t i = at->f, j = at->g, k = 0;
  for (; k < n && (i == 0 || j == 0); k++) { /* one of them has not begun */
    i += step[k] & 1;
    j += step[k] >> 1;
    time[k] = step[k] & 1 ? f_time[i - 1] : g_time[j - 1];
    a[k] = value_after(&pair->f, i);
    b[k] = value_after(&pair->g, j);
  }
  for (; k < n; k++) {
    i += step[k] & 1;
    j += step[k] >> 1;
    double s = f_time[i - 1], t = g_time[j - 1];
    time[k] = s > t ? s : t;
    a[k] = f_value[i];
    b[k] = g_value[j];
  }
  *at = (struct position){i, j};
}

static void fill_merged(struct rule rule, const struct pair *pair, struct position at,
                        const uint8_t *step, int64_t n, double *time, double *value) {
  double a[AT_ONCE], b[AT_ONCE];
  for (int64_t k = 0; k < n; k += AT_ONCE) {
    int64_t size = pcf_smaller(AT_ONCE, n - k);
    take_steps(pair, &at, step + k, size, time + k, a, b);
    apply(rule, size, a, b, value + k);
  }
}

static void fill_side_by_side(struct rule rule, const struct pair *pair, struct position at,
                              int64_t n, double *time, double *value) {
  memcpy(time, pair->f.time + at.f, (size_t)n * sizeof(double));
  apply(rule, n, pair->f.value + at.f, pair->g.value + at.g, value);
}

static void fill_with_number(struct rule rule, const struct pair *pair, int64_t begin,
                             int64_t n, double *time, double *value) {
  int left = pair->f.length > 0; /* is the function on the left? */
  const struct side *f = left ? &pair->f : &pair->g;
  double constant[AT_ONCE], number = left ? pair->g.initial : pair->f.initial;
  for (int64_t k = 0; k < pcf_smaller(AT_ONCE, n); k++) constant[k] = number;
  memcpy(time, f->time + begin, (size_t)n * sizeof(double));
  for (int64_t k = 0; k < n; k += AT_ONCE) {
    const double *values = f->value + begin + k;
    apply(rule, pcf_smaller(AT_ONCE, n - k), left ? values : constant, left ? constant : values,
          value + k);
  }
}

/* Are all values sound? Sets `missing` where one is missing, also the one before `begin`. */
static int sound_values(const struct side *side, int64_t begin, int64_t end, int *missing) {
  *missing |= begin > 0 && pcf_is_missing(side->value[begin - 1]);
  int64_t n = end - begin;
  return n == 0 || pcf_first_unsound(side->value + begin, n, missing) == n;
}

/* The number of breakpoints of the result that come from a portion. */
static int64_t size_of(const struct pcf_portions *portions, const struct pcf_portion *portion) {
  const int64_t *place = pcf_place_of(portions, portion);
  int64_t end = portions->offsets[portion->item] + portion->end;
  int last = end == portions->offsets[portion->item + 1];
  return (last ? portions->total[portion->item] : place[1]) - place[0];
}

static void fill_portion(void *combination_, const struct pcf_portion *portion) {
  struct pcf_combination *combination = combination_;
  const struct pcf_portions *portions = &combination->portions;
  struct rule rule = {combination->operation, 0};
  struct pair pair = pair_of(combination, portion->item);
  struct position at = seek(&pair, portion->begin), end = seek(&pair, portion->end);
  const uint8_t *step = combination->steps + portions->offsets[portion->item] + portion->begin;
  int64_t place = *pcf_place_of(portions, portion), n = size_of(portions, portion);
  double *time = portions->result[portion->item] + place;
  double *value = time + portions->total[portion->item];
  if (!sound_values(&pair.f, at.f, end.f, &rule.missing) ||
      !sound_values(&pair.g, at.g, end.g, &rule.missing)) {
    atomic_store(&combination->unsound, 1);
  }
  if (side_by_side(&pair, at, end)) fill_side_by_side(rule, &pair, at, n, time, value);
  else if (with_number(&pair)) fill_with_number(rule, &pair, portion->begin, n, time, value);
  else fill_merged(rule, &pair, at, step, n, time, value);
  int64_t wrong = pcf_first_unsound(value, n, &rule.missing);
  struct pcf_place fault = {portion->item, place + wrong};
  if (wrong < n) pcf_note_place(&combination->fault, fault);
}

/* ---- Operators ---- */

/* The value where at least one of two is missing. */
static double over_missing(enum pcf_operator operation, double a, double b) {
  double left = isnan(a) ? pcf_missing() : a, right = isnan(b) ? pcf_missing() : b;
  switch (operation) {
  case PCF_AND: return a == 0 || b == 0 ? 0 : pcf_missing();
  case PCF_OR: return fabs(a) > 0 || fabs(b) > 0 ? 1 : pcf_missing();
  case PCF_FIRST: return left;
  case PCF_SECOND: return right;
  default: return pcf_missing();
  }
}

static void apply_to_numbers(enum pcf_operator operation, int64_t n, const double *a,
                             const double *b, double *value);

static void apply(struct rule rule, int64_t n, const double *a, const double *b,
                  double *value) {
  apply_to_numbers(rule.operation, n, a, b, value);
  if (!rule.missing) return;
  for (int64_t k = 0; k < n; k++) {
    if (isnan(a[k]) || isnan(b[k])) value[k] = over_missing(rule.operation, a[k], b[k]);
  }
}

static void apply_to_numbers(enum pcf_operator operation, int64_t n, const double *a,
                             const double *b, double *value) {
#define FOR_ALL(expression)                                \
  for (int64_t k = 0; k < n; k++) value[k] = (expression); \
  break
  switch (operation) {
  case PCF_ADD: FOR_ALL(a[k] + b[k]);
  case PCF_SUBTRACT: FOR_ALL(a[k] - b[k]);
  case PCF_MULTIPLY: FOR_ALL(a[k] * b[k]);
  case PCF_DIVIDE: FOR_ALL(a[k] / b[k]);
  case PCF_LESS: FOR_ALL(a[k] < b[k]);
  case PCF_LESS_EQUAL: FOR_ALL(a[k] <= b[k]);
  case PCF_GREATER: FOR_ALL(a[k] > b[k]);
  case PCF_GREATER_EQUAL: FOR_ALL(a[k] >= b[k]);
  case PCF_AND: FOR_ALL(a[k] != 0 && b[k] != 0);
  case PCF_OR: FOR_ALL(a[k] != 0 || b[k] != 0);
  case PCF_FIRST: FOR_ALL(a[k]);
  case PCF_SECOND: FOR_ALL(b[k]);
  }
#undef FOR_ALL
}
