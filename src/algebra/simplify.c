#include "algebra/simplify.h"

#include "base/bits.h"
#include "base/threads.h"
#include "collections/columns.h"

#include <float.h>

/* How many functions of lines a thread takes at once. */
enum { FUNCTIONS_AT_ONCE = 16 };

static pcf_portion_body count_changes, keep_changes;
static pcf_range_body count_lines, keep_lines;

enum pcf_status pcf_simplification_count(struct pcf_simplification *simplification, int threads,
                                         const atomic_int *stop, struct pcf_error *error) {
  const struct pcf_portions *portions = &simplification->portions;
  if (simplification->x->linear) {
    return pcf_for_ranges(threads, portions->items, FUNCTIONS_AT_ONCE, stop, count_lines,
                          simplification, error);
  }
  enum pcf_status status =
    pcf_portions_run(portions, threads, stop, count_changes, simplification, error);
  if (!status) status = pcf_soundness(&simplification->unsound, error);
  if (status) return status;
  pcf_portions_place(portions);
  for (int64_t i = 0; i < portions->items; i++) portions->total[i] += portions->total[i] == 0;
  return PCF_OK;
}

enum pcf_status pcf_simplification_fill(struct pcf_simplification *simplification, int threads,
                                        const atomic_int *stop, struct pcf_error *error) {
  const struct pcf_portions *portions = &simplification->portions;
  if (simplification->x->linear) {
    return pcf_for_ranges(threads, portions->items, FUNCTIONS_AT_ONCE, stop, keep_lines,
                          simplification, error);
  }
  for (int64_t i = 0; i < portions->items; i++) {
    double *result = portions->result[i];
    if (portions->total[i] == 1) result[0] = result[1] = 0; /* in case nothing is kept */
  }
  return pcf_portions_run(portions, threads, stop, keep_changes, simplification, error);
}

/* The value before breakpoint k. */
static double value_before(const double *value, int64_t k) {
  return k > 0 ? value[k - 1] : 0;
}

static void count_changes(void *simplification_, const struct pcf_portion *portion) {
  struct pcf_simplification *simplification = simplification_;
  const double *time = pcf_times(simplification->x, portion->item);
  const double *value = pcf_values(simplification->x, portion->item);
  int64_t k = portion->begin, n = portion->end - k, count = 0;
  int missing = 0;
  if (!pcf_sound_times(time, k, portion->end) ||
      pcf_first_unsound(value + k, n, &missing) < n) {
    atomic_store(&simplification->unsound, 1);
  }
  if (missing) atomic_store(&simplification->missing, 1);
  for (; missing && k < portion->end; k++) {
    count += pcf_is_change(value_before(value, k), value[k]);
  }
  for (; k < portion->end; k++) count += value[k] != value_before(value, k);
  *pcf_place_of(&simplification->portions, portion) = count;
}

/* Adding 0 makes a negative zero positive. */
static void keep_changes(void *simplification_, const struct pcf_portion *portion) {
  struct pcf_simplification *simplification = simplification_;
  const struct pcf_portions *portions = &simplification->portions;
  const double *time = pcf_times(simplification->x, portion->item);
  const double *value = pcf_values(simplification->x, portion->item);
  double *kept_time = portions->result[portion->item];
  double *kept_value = kept_time + portions->total[portion->item];
  int64_t first = *pcf_place_of(portions, portion), n = first;
  int missing = atomic_load(&simplification->missing);
  for (int64_t k = portion->begin; k < portion->end; k++) {
    if (value[k] == value_before(value, k)) continue;
    if (missing && !pcf_is_change(value_before(value, k), value[k])) continue;
    kept_time[n] = time[k] + 0.0;
    kept_value[n++] = value[k] + 0.0;
  }
  if (missing) pcf_unify_missing(kept_value + first, n - first);
}

/* ---- Lines ---- */

/* Does a function continue at breakpoint k, given those that are kept next to it, or -1 at an
 * end? At the ends, where it is constant, at least one breakpoint stays. */
static int goes_on(const struct pcf_section *f, int64_t before, int64_t k, int64_t after) {
  double left = f->left[k], value = f->value[k];
  if (pcf_is_change(left, value) || (before < 0 && after < 0)) return 0;
  if (before < 0) return !pcf_is_change(value, f->left[after]);
  if (after < 0) return !pcf_is_change(f->value[before], left);
  double from = f->value[before], to = f->left[after];
  if (isnan(value)) return isnan(from) && isnan(to);
  double begin = f->time[before], run = f->time[after] - begin; /* no line goes on for ever */
  double rounding = 4 * DBL_EPSILON * (fabs(from) > fabs(to) ? fabs(from) : fabs(to));
  double off = fabs(from + (to - from) * ((f->time[k] - begin) / run) - value);
  return run <= DBL_MAX && off <= rounding;
}

/* Drops breakpoints of those kept at which the function continues; returns how many are left.
 * Of adjacent ones only every other is dropped, so that the lines of the rest do not change. */
static int64_t drop_some(const struct pcf_section *f, int64_t *kept, int64_t count) {
  int64_t n = 0, before = -1;
  int dropped = 0;
  for (int64_t l = 0; l < count; l++) {
    int64_t k = kept[l];
    dropped = !dropped && goes_on(f, before, k, l + 1 < count ? kept[l + 1] : -1);
    if (!dropped) kept[n++] = k;
    before = k;
  }
  return n;
}

static void count_lines(void *simplification_, int64_t first, int64_t end) {
  const struct pcf_simplification *simplification = simplification_;
  for (int64_t i = first; i < end; i++) {
    struct pcf_section f = pcf_section_of(simplification->x, i);
    int64_t *kept = simplification->kept + simplification->x->offsets[i];
    int64_t count = f.breakpoints, n = count;
    for (int64_t k = 0; k < n; k++) kept[k] = k;
    while ((n = drop_some(&f, kept, count)) < count) count = n;
    simplification->portions.total[i] = n;
  }
}

static void keep_lines(void *simplification_, int64_t first, int64_t end) {
  const struct pcf_simplification *simplification = simplification_;
  for (int64_t i = first; i < end; i++) {
    struct pcf_section f = pcf_section_of(simplification->x, i);
    const int64_t *kept = simplification->kept + simplification->x->offsets[i];
    int64_t n = simplification->portions.total[i];
    double *time = simplification->portions.result[i], *left = time + n, *value = left + n;
    for (int64_t l = 0; l < n; l++) {
      time[l] = f.time[kept[l]];
      left[l] = f.left[kept[l]] + 0.0;
      value[l] = f.value[kept[l]] + 0.0;
    }
    if (n == 1 && !pcf_is_change(left[0], value[0])) time[0] = 0;
    pcf_unify_missing(left, 2 * n);
  }
}
