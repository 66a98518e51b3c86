#include "algebra/combine.h"

#include "algebra/aligned.h"
#include "algebra/line-values.h"
#include "base/scalar.h"
#include "collections/columns.h"

#include <math.h>
#include <string.h>

/* How many values the operator is applied to at once. */
enum { AT_ONCE = 1024 };

/* What counting adds to a step after whose breakpoint lines cross. */
enum { CROSSES = 4 };

static pcf_portion_body count_portion, fill_portion, count_lines, fill_lines;
static struct pcf_merge_side side_of(const struct pcf_operand *operand, int64_t i, int lines);

int64_t pcf_combination_length(const struct pcf_combination *combination, int64_t i) {
  int lines = pcf_combines_lines(combination);
  return side_of(&combination->left, i, lines).length +
         side_of(&combination->right, i, lines).length;
}

enum pcf_status pcf_combination_count(struct pcf_combination *combination, int threads,
                                      const atomic_int *stop, struct pcf_error *error) {
  pcf_portion_body *body = pcf_combines_lines(combination) ? count_lines : count_portion;
  enum pcf_status status =
    pcf_portions_run(&combination->portions, threads, stop, body, combination, error);
  if (!status) status = pcf_soundness(&combination->unsound, error);
  if (!status) pcf_portions_place(&combination->portions);
  return status;
}

enum pcf_status pcf_combination_fill(struct pcf_combination *combination, int threads,
                                     const atomic_int *stop, struct pcf_error *error) {
  pcf_portion_body *body = pcf_combines_lines(combination) ? fill_lines : fill_portion;
  combination->fault = combination->steep = PCF_NOWHERE;
  combination->left_fault = combination->bend = PCF_NOWHERE;
  enum pcf_status status =
    pcf_portions_run(&combination->portions, threads, stop, body, combination, error);
  if (combination->fault.item < 0) combination->fault = combination->steep;
  if (combination->left_fault.item >= 0) combination->fault = combination->left_fault;
  if (combination->bend.item >= 0) combination->fault = combination->bend;
  return status ? status : pcf_soundness(&combination->unsound, error);
}

/* ---- Pairs ---- */

/* As a side of lines, a step function that begins at −∞ begins with its second breakpoint. */
static struct pcf_merge_side side_of(const struct pcf_operand *operand, int64_t i, int lines) {
  const struct pcf_collection *x = operand->functions;
  i %= operand->count;
  if (!x) return (struct pcf_merge_side){.initial = operand->numbers[i], .is_number = 1};
  struct pcf_merge_side side = {
    .length = pcf_breakpoints(x, i), .time = pcf_times(x, i), .value = pcf_values(x, i)};
  if (x->linear) side.left = pcf_lefts(x, i);
  if (x->linear) side.initial = side.left[0];
  else if (lines && side.time[0] == -INFINITY) {
    side.initial = side.value[0];
    side.length--, side.time++, side.value++;
  }
  return side;
}

static struct pcf_merge pair_of(const struct pcf_combination *combination, int64_t i) {
  int lines = pcf_combines_lines(combination);
  return (struct pcf_merge){side_of(&combination->left, i, lines),
                            side_of(&combination->right, i, lines)};
}

static uint8_t *steps_of(const struct pcf_combination *combination,
                         const struct pcf_portion *portion) {
  return combination->steps + combination->portions.offsets[portion->item] + portion->begin;
}

/* ---- Counting ---- */

static void count_portion(void *combination_, const struct pcf_portion *portion) {
  struct pcf_combination *combination = combination_;
  struct pcf_merge pair = pair_of(combination, portion->item);
  struct pcf_passed at = pcf_seek(&pair, portion->begin), end = pcf_seek(&pair, portion->end);
  int64_t *place = pcf_place_of(&combination->portions, portion);
  if (!pcf_sound_merge(&pair, at, end)) atomic_store(&combination->unsound, 1);
  else if (pcf_side_by_side(&pair, at, end)) *place = end.f - at.f;
  else if (pcf_with_constant(&pair)) *place = portion->end - portion->begin;
  else *place = pcf_store_steps(&pair, at, end, steps_of(combination, portion));
}

/* ---- Filling ---- */

/* Takes n steps again: stores the time and the values of both sides after each. */
static void take_steps(const struct pcf_merge *pair, struct pcf_passed *at, const uint8_t *step,
                       int64_t n, double *time, double *a, double *b) {
  const double *f_time = pair->f.time, *g_time = pair->g.time;
  const double *f_value = pair->f.value - 1, *g_value = pair->g.value - 1;
  int64_t i = at->f, j = at->g, k = 0;
  for (; k < n && (i == 0 || j == 0); k++) { /* one of them has not begun */
    i += step[k] & 1;
    j += step[k] >> 1;
    time[k] = step[k] & 1 ? f_time[i - 1] : g_time[j - 1];
    a[k] = pcf_value_after(&pair->f, i);
    b[k] = pcf_value_after(&pair->g, j);
  }
  for (; k < n; k++) {
    i += step[k] & 1;
    j += step[k] >> 1;
    double s = f_time[i - 1], t = g_time[j - 1];
    time[k] = s > t ? s : t;
    a[k] = f_value[i];
    b[k] = g_value[j];
  }
  *at = (struct pcf_passed){i, j};
}

static void fill_merged(struct pcf_rule rule, const struct pcf_merge *pair,
                        struct pcf_passed at, const uint8_t *step, int64_t n, double *time,
                        double *value) {
  double a[AT_ONCE], b[AT_ONCE];
  for (int64_t k = 0; k < n; k += AT_ONCE) {
    int64_t size = pcf_smaller(AT_ONCE, n - k);
    take_steps(pair, &at, step + k, size, time + k, a, b);
    pcf_apply(rule, size, a, b, value + k);
  }
}

static void fill_side_by_side(struct pcf_rule rule, const struct pcf_merge *pair,
                              struct pcf_passed at, int64_t n, double *time, double *value) {
  memcpy(time, pair->f.time + at.f, (size_t)n * sizeof(double));
  pcf_apply(rule, n, pair->f.value + at.f, pair->g.value + at.g, value);
}

static void fill_with_number(struct pcf_rule rule, const struct pcf_merge *pair, int64_t begin,
                             int64_t n, double *time, double *value) {
  int left = pair->f.length > 0; /* is the function on the left? */
  const struct pcf_merge_side *f = left ? &pair->f : &pair->g;
  double constant[AT_ONCE], number = left ? pair->g.initial : pair->f.initial;
  for (int64_t k = 0; k < pcf_smaller(AT_ONCE, n); k++) constant[k] = number;
  memcpy(time, f->time + begin, (size_t)n * sizeof(double));
  for (int64_t k = 0; k < n; k += AT_ONCE) {
    const double *values = f->value + begin + k;
    pcf_apply(rule, pcf_smaller(AT_ONCE, n - k), left ? values : constant,
              left ? constant : values, value + k);
  }
}

/* Are all values sound? Sets `missing` where one is missing, also the one before `begin`. */
static int sound_values(const struct pcf_merge_side *side, int64_t begin, int64_t end,
                        int *missing) {
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
  struct pcf_rule rule = {combination->operation, 0};
  struct pcf_merge pair = pair_of(combination, portion->item);
  struct pcf_passed at = pcf_seek(&pair, portion->begin), end = pcf_seek(&pair, portion->end);
  const uint8_t *step = steps_of(combination, portion);
  int64_t place = *pcf_place_of(portions, portion), n = size_of(portions, portion);
  double *time = portions->result[portion->item] + place;
  double *value = time + portions->total[portion->item];
  if (!sound_values(&pair.f, at.f, end.f, &rule.missing) ||
      !sound_values(&pair.g, at.g, end.g, &rule.missing)) {
    atomic_store(&combination->unsound, 1);
  }
  if (pcf_side_by_side(&pair, at, end)) fill_side_by_side(rule, &pair, at, n, time, value);
  else if (pcf_with_constant(&pair))
    fill_with_number(rule, &pair, portion->begin, n, time, value);
  else fill_merged(rule, &pair, at, step, n, time, value);
  int64_t wrong = pcf_first_unsound(value, n, &rule.missing);
  struct pcf_place fault = {portion->item, place + wrong};
  if (wrong < n) pcf_note_place(&combination->fault, fault);
}

/* ---- Lines ---- */

/* The value of a comparison before the first breakpoint, 0 if both functions are. */
static double start_of(struct pcf_rule rule, const struct pcf_aligned *both) {
  double start = 0;
  if (!pcf_begin_at_zero(both)) pcf_apply(rule, 1, both->f.left, both->g.left, &start);
  return start;
}

/* Notes where lines cross; returns how many breakpoints that adds. */
static int64_t note_crossings(struct pcf_rule rule, const struct pcf_merge *pair,
                              struct pcf_passed at, struct pcf_passed end, uint8_t *step) {
  struct pcf_aligned both;
  int64_t count = 0;
  while (at.f < end.f || at.g < end.g) {
    pcf_align(pair, &at, end, step, &both);
    if (both.begins && pcf_compares(rule.operation)) count += start_of(rule, &both) != 0;
    for (int64_t k = 0; k < both.count; k++) {
      int crosses = pcf_crosses_after(&both, k);
      step[k] |= (uint8_t)(crosses * CROSSES);
      count += crosses;
    }
    step += both.count;
  }
  return count;
}

static void count_lines(void *combination_, const struct pcf_portion *portion) {
  struct pcf_combination *combination = combination_;
  struct pcf_rule rule = {combination->operation, 1};
  struct pcf_merge pair = pair_of(combination, portion->item);
  struct pcf_passed at = pcf_seek(&pair, portion->begin), end = pcf_seek(&pair, portion->end);
  uint8_t *step = steps_of(combination, portion);
  int64_t count = pcf_store_steps(&pair, at, end, step);
  if (pcf_compares(rule.operation) || pcf_bends(rule.operation)) {
    count += note_crossings(rule, &pair, at, end, step);
  }
  *pcf_place_of(&combination->portions, portion) = count;
}

/* Where the next breakpoints of a result go. */
struct output {
  double *time, *left, *value;
};

/* What follows takes the breakpoints of `both`, and returns how many the result has. */

static int64_t write_compared(struct pcf_rule rule, const struct pcf_aligned *both,
                              const uint8_t *step, struct output to) {
  static const double zero[2 * PCF_ALIGNED + 1] = {0};
  double gap[2 * PCF_ALIGNED];
  double start = both->begins ? start_of(rule, both) : 0;
  int64_t begin = start != 0, n = 0;
  if (begin) to.time[0] = -INFINITY, to.value[0] = start;
  to.time += begin, to.value += begin;
  for (int64_t k = 0; k < both->count; k++) {
    struct pcf_gap own = pcf_gap_after(both, k);
    to.time[n] = both->time[k];
    gap[n++] = step[k] & CROSSES ? own.from : own.from + own.to;
    if (!(step[k] & CROSSES)) continue;
    to.time[n] = pcf_crossing_time(both, k, own);
    gap[n++] = own.to;
  }
  pcf_apply(rule, n, gap, zero, to.value);
  return begin + n;
}

static void apply_to_lines(struct pcf_rule rule, const struct pcf_aligned *both, double *left,
                           double *value) {
  pcf_apply(rule, both->count, both->f.left, both->g.left, left);
  pcf_apply(rule, both->count, both->f.value, both->g.value, value);
  if (pcf_begin_at_zero(both)) left[0] = 0;
}

static int64_t write_combined(struct pcf_rule rule, const struct pcf_aligned *both,
                              struct output to) {
  memcpy(to.time, both->time, (size_t)both->count * sizeof(double));
  apply_to_lines(rule, both, to.left, to.value);
  return both->count;
}

/* Sets the values of a result where lines cross: those of the side that changes less, so that
 * clipped values do not pass the level at which they are. */
static void set_levels(const struct pcf_aligned *both, struct pcf_line_places *crossings,
                       struct output to) {
  const struct pcf_aligned_side *const sides[] = {&both->f, &both->g};
  for (int s = 0; s < 2; s++) {
    struct pcf_polyline lines = {both->time, sides[s]->value, sides[s]->left};
    struct pcf_line_places own;
    own.count = 0;
    for (int64_t l = 0; l < crossings->count; l++) {
      int32_t k = crossings->line[l];
      double f_rise = both->f.left[k + 1] - both->f.value[k];
      double g_rise = both->g.left[k + 1] - both->g.value[k];
      own.line[own.count] = k;
      own.place[own.count] = crossings->place[l];
      own.count += (fabs(f_rise) < fabs(g_rise)) == (s == 0);
    }
    pcf_set_line_values(lines, &own, to.time, to.left, to.value);
  }
}

static int64_t write_bent(struct pcf_rule rule, const struct pcf_aligned *both,
                          const uint8_t *step, struct output to) {
  double left[PCF_ALIGNED], value[PCF_ALIGNED];
  struct pcf_line_places crossings;
  int64_t n = crossings.count = 0;
  apply_to_lines(rule, both, left, value);
  for (int64_t k = 0; k < both->count; k++) {
    to.time[n] = both->time[k], to.left[n] = left[k], to.value[n++] = value[k];
    if (!(step[k] & CROSSES)) continue;
    crossings.line[crossings.count] = (int32_t)k;
    crossings.place[crossings.count++] = (int32_t)n;
    to.time[n] = pcf_crossing_time(both, k, pcf_gap_after(both, k));
    to.left[n] = to.value[n] = 0;
    n++;
  }
  if (rule.operation != PCF_APART) set_levels(both, &crossings, to);
  return n;
}

/* The first breakpoint from which on a product or quotient is not linear, or the count: a
 * product is where one factor is constant, a quotient where the divisor is. */
static int64_t first_bend(enum pcf_operator operation, const struct pcf_aligned *both) {
  int64_t k = 0;
  if (operation != PCF_MULTIPLY && operation != PCF_DIVIDE) return both->count;
  for (; k < both->count; k++) {
    if (!pcf_slopes_after(&both->g, k)) continue;
    if (operation == PCF_DIVIDE || pcf_slopes_after(&both->f, k)) break;
  }
  return k;
}

/* The first of n breakpoints of a result from which on a line is too steep, or n. */
static int64_t first_steep(struct pcf_rule rule, const struct pcf_aligned *both, int64_t n,
                           struct output to) {
  int64_t last = both->count, steep = n;
  double left;
  pcf_apply(rule, 1, both->f.left + last, both->g.left + last, &left);
  for (int64_t k = n - 1; k >= 0; k--) {
    double end = k + 1 < n ? to.time[k + 1] : both->time[last];
    double slope = pcf_slope_between(to.time[k], end, to.value[k], left);
    if (!isnan(slope) && !pcf_slope_is_finite(slope)) steep = k;
    left = to.left[k];
  }
  return steep;
}

static void note(struct pcf_place *fault, int64_t item, int64_t place, int64_t wrong,
                 int64_t count) {
  if (wrong < count) pcf_note_place(fault, (struct pcf_place){item, place + wrong});
}

static void fill_lines(void *combination_, const struct pcf_portion *portion) {
  struct pcf_combination *combination = combination_;
  const struct pcf_portions *portions = &combination->portions;
  struct pcf_rule rule = {combination->operation, 1};
  struct pcf_merge pair = pair_of(combination, portion->item);
  struct pcf_passed at = pcf_seek(&pair, portion->begin), end = pcf_seek(&pair, portion->end);
  const uint8_t *step = steps_of(combination, portion);
  int64_t item = portion->item, place = *pcf_place_of(portions, portion), n;
  int64_t total = portions->total[item];
  struct pcf_aligned both;
  for (; at.f < end.f || at.g < end.g; step += both.count, place += n) {
    double *time = portions->result[item] + place;
    int compares = pcf_compares(rule.operation), missing;
    struct output to = {time, time + total, compares ? time + total : time + 2 * total};
    pcf_align(&pair, &at, end, step, &both);
    if (compares) n = write_compared(rule, &both, step, to);
    else if (pcf_bends(rule.operation)) n = write_bent(rule, &both, step, to);
    else n = write_combined(rule, &both, to);
    if (compares) continue;
    int64_t bend = first_bend(rule.operation, &both);
    note(&combination->bend, item, place, bend, both.count);
    if (bend < both.count) to.left[bend] = to.value[bend] = pcf_missing();
    note(&combination->left_fault, item, place, pcf_first_unsound(to.left, n, &missing), n);
    note(&combination->fault, item, place, pcf_first_unsound(to.value, n, &missing), n);
    note(&combination->steep, item, place, first_steep(rule, &both, n, to), n);
  }
}
