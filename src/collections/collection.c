#include "collections/collection.h"

#include "arithmetic/lanes.h"

#include <float.h>

/* Functions are short and scattered in memory, so that the processor cannot predict what is
 * read next: prefetches so many numbers ahead, and the function that follows. */
enum { AHEAD = 128 };

static int times_are_sound(const double *time, int64_t m, const double *next);
static int widen_over_missing(struct pcf_range *range, const double *value, int64_t m,
                              const double *next);
static int widen_to_slopes(struct pcf_range *range, const struct pcf_collection *x, int64_t i,
                           int64_t first, int64_t last);
static enum pcf_problem fault_of_times(const double *time, int64_t m, int endless,
                                       int64_t *position);
static enum pcf_problem fault_of_values(const double *value, int64_t m, int64_t *position);
static enum pcf_problem fault_of_lines(const struct pcf_collection *x, int64_t i,
                                       int64_t *position);
static void widen_to_times(struct pcf_range *range, const double *time, int64_t m);
static void add_changes(struct pcf_range *range, const struct pcf_collection *x, int64_t i);
static void add_span(struct pcf_change_times *changes, double first, double last);

int pcf_stretch_is_sound(const struct pcf_collection *x, int64_t i, int64_t first, int64_t last,
                         struct pcf_range *range) {
  int64_t m = pcf_breakpoints(x, i), next = i + 1 < x->count ? i + 1 : i;
  int64_t times = last < m ? last - first + 1 : last - first;
  const double *time = pcf_times(x, i) + first, *value = pcf_values(x, i) + first;
  int endless = !x->linear && first == 0 && time[0] == -INFINITY;
  int64_t unused;
  /* Sound times whose difference overflows are looked at once more. */
  if (times > endless &&
      !times_are_sound(time + endless, times - endless, pcf_times(x, next)) &&
      fault_of_times(time, times, endless, &unused))
    return 0;
  if (!widen_over_missing(range, value, last - first, pcf_values(x, next))) return 0;
  if (x->linear && !(widen_over_missing(range, pcf_lefts(x, i) + first, last - first, value) &&
                     widen_to_slopes(range, x, i, first, last)))
    return 0;
  widen_to_times(range, time, last - first);
  if (first == 0) add_changes(range, x, i);
  return 1;
}

/* A sound function, the common case, takes one pass without branches over each array; only
 * where there is a fault a second pass looks for it. */
enum pcf_problem pcf_check_functions(const struct pcf_collection *x, int64_t first,
                                     int64_t last, struct pcf_range *range, int64_t *function,
                                     int64_t *position) {
  for (int64_t i = first; i < last; i++) {
    int64_t m = pcf_breakpoints(x, i);
    if (pcf_stretch_is_sound(x, i, 0, m, range)) continue;
    *function = i;
    enum pcf_problem problem = fault_of_times(pcf_times(x, i), m, !x->linear, position);
    if (!problem) problem = fault_of_values(pcf_values(x, i), m, position);
    return problem || !x->linear ? problem : fault_of_lines(x, i, position);
  }
  return PCF_VALID;
}

/* ---- Many numbers at once ---- */

/* Do the times increase, and are they finite? They do and are if all differences to the next
 * time are finite and less than 0; the ends are looked at for functions of one breakpoint.
 * Sound times whose difference overflows do not pass. Prefetches as many numbers from `next`
 * on. */
static int times_are_sound(const double *time, int64_t m, const double *next) {
  double most = -INFINITY, zero = (time[0] - time[0]) + (time[m - 1] - time[m - 1]);
  int64_t k = 0, steps = m - 1;
  if (steps >= EIGHT) {
    V back[VECTORS], zeros[VECTORS];
    UNROLL
    for (int l = 0; l < VECTORS; l++) back[l] = v_set1(-INFINITY), zeros[l] = v_set1(0);
    for (; k + EIGHT <= steps; k += EIGHT) {
      FETCH(time + k + AHEAD);
      FETCH(next + k);
      UNROLL
      for (int l = 0; l < VECTORS; l++) {
        const double *at = time + k + l * LANES;
        V step = v_sub(v_load(at), v_load(at + 1));
        back[l] = v_max(back[l], step);
        zeros[l] = v_add(zeros[l], v_sub(step, step));
      }
    }
    most = most_of_lanes(back);
    zero += sum_of_lanes(zeros);
  }
  for (; k < steps; k++) {
    double step = time[k] - time[k + 1];
    most = step > most ? step : most;
    zero += step - step;
  }
  return most < 0 && zero == 0;
}

/* Widens the range and returns whether all values are finite or, if `partial`, missing: these
 * are skipped. In complete functions x - x is 0 for all finite values, else NaN. In partial
 * ones the lower half of a number, compared as the digits of a number from 1 on, distinguishes
 * missing values from other NaN and from infinite ones. `partial` is to be a constant, so that
 * one of these is compiled. Prefetches as many numbers from `next` on. */
INLINE int widen_by_values(struct pcf_range *range, const double *value, int64_t m,
                           const double *next, int partial) {
  double most = range->value, least = range->least, zero = 0;
  int missing = 0, wrong = 0;
  int64_t k = 0;
  if (m >= EIGHT) {
    const V none = v_set1(0), infinite = v_set1(INFINITY), one = v_set1(1);
    const V mark = v_or(one, v_and(v_set1(pcf_missing()), v_bits(UINT32_MAX)));
    V high[VECTORS], low[VECTORS], zeros[VECTORS], some[VECTORS], others[VECTORS];
    UNROLL
    for (int l = 0; l < VECTORS; l++) {
      high[l] = v_set1(most), low[l] = v_set1(least);
      zeros[l] = some[l] = others[l] = none;
    }
    for (; k + EIGHT <= m; k += EIGHT) {
      FETCH(value + k + AHEAD);
      FETCH(next + k);
      UNROLL
      for (int l = 0; l < VECTORS; l++) {
        V y = v_load(value + k + l * LANES), magnitude = v_abs(y);
        high[l] = v_max(magnitude, high[l]); /* drops a first operand that is missing */
        low[l] = v_min(low[l], v_select(v_greater(magnitude, none), magnitude, infinite));
        if (!partial) zeros[l] = v_add(zeros[l], v_sub(y, y));
        if (!partial) continue;
        MASK finite = v_greater(infinite, magnitude);
        V other = v_abs(v_sub(v_or(one, v_and(y, v_bits(UINT32_MAX))), mark));
        some[l] = v_max(some[l], v_select(finite, none, one));
        others[l] = v_max(others[l], v_select(finite, none, other));
      }
    }
    most = most_of_lanes(high);
    least = least_of_lanes(low);
    zero = sum_of_lanes(zeros);
    missing = most_of_lanes(some) > 0;
    wrong = most_of_lanes(others) > 0;
  }
  for (; k < m; k++) {
    double magnitude = fabs(value[k]), or_infinity = magnitude > 0 ? magnitude : INFINITY;
    most = magnitude > most ? magnitude : most;
    least = or_infinity < least ? or_infinity : least;
    zero += value[k] - value[k];
    missing |= isnan(value[k]) != 0;
    wrong |= !(magnitude < INFINITY) & !pcf_is_missing(value[k]);
  }
  if (partial ? wrong : zero != 0) return 0;
  range->value = most;
  range->least = least;
  range->missing |= partial && missing;
  return 1;
}

static int widen_over_missing(struct pcf_range *range, const double *value, int64_t m,
                              const double *next) {
  return widen_by_values(range, value, m, next, 1);
}

void pcf_widen_range(struct pcf_range *range, const double *value, int64_t m) {
  if (!widen_by_values(range, value, m, value, 0)) widen_over_missing(range, value, m, value);
}

/* Widens the range to sound times: only the first finite one and the last one count. */
static void widen_to_times(struct pcf_range *range, const double *time, int64_t m) {
  int endless = time[0] == -INFINITY;
  range->endless |= endless;
  if (m == endless) return;
  range->first = fmin(range->first, time[endless]);
  range->last = fmax(range->last, time[m - 1]);
}

/* Does the function change at breakpoint k, whose time is not −∞? A piecewise linear one, with
 * left limits, does so where it jumps, and on a line that is not level. */
static int changes_at(const double *time, const double *left, const double *value, int64_t k) {
  if (left && pcf_is_change(left[k], value[k])) return 1;
  if (k > 0) return pcf_is_change(value[k - 1], left ? left[k] : value[k]);
  return !left && time[0] > -INFINITY && value[0] != 0;
}

/* Looks for the first and the last change from both ends, since most functions change at their
 * first and last breakpoints. The difference of the times may overflow. */
static void add_changes(struct pcf_range *range, const struct pcf_collection *x, int64_t i) {
  const double *time = pcf_times(x, i), *value = pcf_values(x, i);
  const double *left = x->linear ? pcf_lefts(x, i) : NULL;
  int64_t m = pcf_breakpoints(x, i), first = 0, last = m - 1;
  range->endless |= left && left[0] != 0;
  while (first < m && !changes_at(time, left, value, first)) first++;
  if (first == m) return;
  while (!changes_at(time, left, value, last)) last--;
  /* A line that ends at the first change begins before. */
  if (left && first > 0 && pcf_is_change(value[first - 1], left[first])) first--;
  add_span(&range->changes, time[first], time[last]);
}

static void add_span(struct pcf_change_times *changes, double first, double last) {
  int exponent;
  changes->first = fmin(changes->first, first);
  changes->last = fmax(changes->last, last);
  if (first == last) return;
  frexp(fmin(last - first, DBL_MAX), &exponent);
  changes->functions++;
  changes->exponents += exponent;
  if (exponent < changes->least) changes->least = exponent;
}

/* ---- Slopes ---- */

/* Widens the range by the lines from breakpoints first … last - 1 on, up to the last one that
 * ends, and returns whether their slopes are sound. */
static int widen_to_slopes(struct pcf_range *range, const struct pcf_collection *x, int64_t i,
                           int64_t first, int64_t last) {
  const double *time = pcf_times(x, i), *left = pcf_lefts(x, i), *value = pcf_values(x, i);
  int64_t lines = pcf_breakpoints(x, i) - 1, end = last < lines ? last : lines;
  int sound = 1;
  double steepest = range->slope;
  for (int64_t k = first; k < end; k++) {
    int missing = isnan(value[k]) && isnan(left[k + 1]);
    double slope = pcf_slope_between(time[k], time[k + 1], value[k], left[k + 1]);
    steepest = slope > steepest ? slope : steepest;
    sound &= missing | pcf_slope_is_finite(slope);
  }
  range->slope = steepest;
  return sound;
}

/* ---- Faults ---- */

/* `endless` says whether the first time may be −∞. */
static enum pcf_problem fault_of_times(const double *time, int64_t m, int endless,
                                       int64_t *position) {
  for (int64_t k = 0; k < m; k++) {
    *position = k;
    if (isnan(time[k])) return PCF_TIME_MISSING;
    if (isinf(time[k]) && !(endless && k == 0 && time[k] < 0)) return PCF_TIME_INFINITE;
    if (k && time[k] == time[k - 1]) return PCF_TIME_REPEATED;
    if (k && time[k] < time[k - 1]) return PCF_TIME_UNSORTED;
  }
  return PCF_VALID;
}

static enum pcf_problem fault_of_values(const double *value, int64_t m, int64_t *position) {
  for (int64_t k = 0; k < m; k++) {
    *position = k;
    if (isnan(value[k]) && !pcf_is_missing(value[k])) return PCF_VALUE_NAN;
    if (isinf(value[k])) return PCF_VALUE_INFINITE;
  }
  return PCF_VALID;
}

static enum pcf_problem fault_of_lines(const struct pcf_collection *x, int64_t i,
                                       int64_t *position) {
  const double *time = pcf_times(x, i), *left = pcf_lefts(x, i), *value = pcf_values(x, i);
  int64_t m = pcf_breakpoints(x, i);
  enum pcf_problem problem = fault_of_values(left, m, position);
  if (problem) return problem == PCF_VALUE_NAN ? PCF_LEFT_NAN : PCF_LEFT_INFINITE;
  for (int64_t k = 1; k < m; k++) {
    *position = k;
    if (!isnan(value[k - 1]) != !isnan(left[k])) return PCF_HALF_MISSING;
    if (isnan(left[k])) continue;
    double slope = pcf_slope_between(time[k - 1], time[k], value[k - 1], left[k]);
    if (!pcf_slope_is_finite(slope)) return PCF_SLOPE_INFINITE;
  }
  return PCF_VALID;
}
