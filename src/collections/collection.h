/* Collections of piecewise constant or piecewise linear functions, as the caller holds them. */
#pragma once

#include "base/bits.h"
#include "collections/family.h"
#include "collections/section.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>

struct pcf_known;

/* A collection of `count` functions. Function i has m = offsets[i + 1] - offsets[i] >= 1
 * breakpoints and is stored as a two-column matrix in column-major order: functions[i][0 … m)
 * are its times, strictly increasing and finite, functions[i][m … 2m) its finite values. The
 * function is 0 before its first time, right-continuous, and keeps its last value for ever.
 *
 * The first time of a function may also be −∞, which gives the value before the second one, and
 * a value may be pcf_missing(): there the function is not observed.
 *
 * The functions of a linear collection are piecewise linear, and three-column matrices: the
 * second column, functions[i][m … 2m), has the left limits at the times, and the third the
 * values. From time k to time k + 1 the function is the straight line from value[k] to
 * left[k + 1], of a finite slope; before the first time it is left[0], and after the last
 * value[m - 1]. No time is −∞. value[k] and left[k + 1] may both be missing, as may left[0] and
 * value[m - 1].
 *
 * A collection is a view: it owns nothing. */
struct pcf_collection {
  int64_t count;
  const double *const *functions;
  const int64_t *offsets;        /* count + 1 running totals of the breakpoints, from 0 */
  int linear;                    /* their family: PCF_STEPS or PCF_LINES */
  const struct pcf_known *known; /* see pcf_known_of(); NULL */
};

static inline int64_t pcf_breakpoints(const struct pcf_collection *x, int64_t i) {
  return x->offsets[i + 1] - x->offsets[i];
}

static inline int64_t pcf_total_breakpoints(const struct pcf_collection *x) {
  return x->offsets[x->count];
}

static inline const double *pcf_times(const struct pcf_collection *x, int64_t i) {
  return x->functions[i];
}

/* The columns of the matrices of step functions, or of piecewise linear ones. */
static inline int pcf_matrix_columns(int linear) {
  return pcf_family_of(linear).columns;
}

static inline const double *pcf_values(const struct pcf_collection *x, int64_t i) {
  return x->functions[i] + (pcf_matrix_columns(x->linear) - 1) * pcf_breakpoints(x, i);
}

/* The left limits at the times of a piecewise linear function. */
static inline const double *pcf_lefts(const struct pcf_collection *x, int64_t i) {
  return x->functions[i] + pcf_breakpoints(x, i);
}

/* The value of function i from −∞ on. */
static inline double pcf_initial(const struct pcf_collection *x, int64_t i) {
  if (x->linear) return pcf_lefts(x, i)[0];
  return pcf_times(x, i)[0] == -INFINITY ? pcf_values(x, i)[0] : 0;
}

/* All of function i. */
static inline struct pcf_section pcf_section_of(const struct pcf_collection *x, int64_t i) {
  int64_t m = pcf_breakpoints(x, i);
  const double *left = x->linear ? pcf_lefts(x, i) : NULL;
  return (struct pcf_section){pcf_times(x, i), pcf_values(x, i), left, 0, m, m};
}

enum pcf_problem {
  PCF_VALID = 0,
  PCF_TIME_MISSING, /* NA or NaN */
  PCF_TIME_INFINITE,
  PCF_TIME_UNSORTED,
  PCF_TIME_REPEATED,
  PCF_VALUE_NAN,
  PCF_VALUE_INFINITE,
  /* Of piecewise linear functions: */
  PCF_LEFT_NAN,
  PCF_LEFT_INFINITE,
  PCF_HALF_MISSING,   /* either value[k - 1] or left[k] is missing, and the other is not */
  PCF_SLOPE_INFINITE, /* from value[k - 1] to left[k] */
};

/* When functions change: breakpoints that repeat the value before them do not count, nor do
 * first ones with the value 0, nor first times of −∞. Piecewise linear functions change at the
 * ends of lines that are not level, too. */
struct pcf_change_times {
  double first, last; /* all times are between these; ∞ and −∞ if there are none */
  int64_t functions;  /* how many change more than once */
  int64_t exponents;  /* the sum of the exponents of what each of these spans, as of frexp() */
  int least;          /* the smallest of these exponents */
};

#define PCF_NO_CHANGES \
  ((struct pcf_change_times){.first = INFINITY, .last = -INFINITY, .least = INT_MAX})

/* The extreme magnitudes of a collection, found while it is checked. */
struct pcf_range {
  double first, last; /* the finite times are between these; ∞ and −∞ if there are none */
  double value;       /* the largest absolute value, 0 if there is none */
  double least;       /* the smallest that is not 0, ∞ if there is none */
  double slope;       /* the steepest of piecewise linear functions, 0 if there is none */
  int missing;        /* is a value missing? */
  int endless;        /* is a first time −∞, or the value before the first time not 0? */
  struct pcf_change_times changes;
};

#define PCF_EMPTY_RANGE \
  ((struct pcf_range){  \
    .first = INFINITY, .last = -INFINITY, .least = INFINITY, .changes = PCF_NO_CHANGES})

/* The largest distance of a finite time from `origin`, 0 if there is none. */
static inline double pcf_range_time_from(const struct pcf_range *range, double origin) {
  if (range->first > range->last) return 0;
  return fmax(fabs(range->first - origin), fabs(range->last - origin));
}

/* What is known of functions that were checked before and cannot have changed since: their
 * range, and the number under which they are resident on devices (cuda/resident.h), or 0. It
 * holds for exactly these functions, in their order. */
struct pcf_known {
  const double *const *functions;
  int64_t count;
  struct pcf_range range;
  int64_t resident;
};

/* What is known of a collection, or NULL: also for a copy of it that has other functions, fewer
 * of them, or another order. */
static inline const struct pcf_known *pcf_known_of(const struct pcf_collection *x) {
  const struct pcf_known *known = x->known;
  return known && known->functions == x->functions && known->count == x->count ? known : NULL;
}

static inline int64_t pcf_resident(const struct pcf_collection *x) {
  const struct pcf_known *known = pcf_known_of(x);
  return known ? known->resident : 0;
}

/* Widens a range to another one. */
static inline void pcf_join_range(struct pcf_range *range, const struct pcf_range *other) {
  range->first = fmin(range->first, other->first);
  range->last = fmax(range->last, other->last);
  range->value = fmax(range->value, other->value);
  range->least = fmin(range->least, other->least);
  range->slope = fmax(range->slope, other->slope);
  range->missing |= other->missing;
  range->endless |= other->endless;
  range->changes.first = fmin(range->changes.first, other->changes.first);
  range->changes.last = fmax(range->changes.last, other->changes.last);
  range->changes.functions += other->changes.functions;
  range->changes.exponents += other->changes.exponents;
  if (other->changes.least < range->changes.least) range->changes.least = other->changes.least;
}

/* Checks functions first … last - 1 and widens `range`. At the first fault it stores the
 * function and the position (both from 0) and says what is wrong. */
enum pcf_problem pcf_check_functions(const struct pcf_collection *x, int64_t first,
                                     int64_t last, struct pcf_range *range, int64_t *function,
                                     int64_t *position);

/* Checks breakpoints first … last - 1 of function i, and that the one after them is later, and
 * widens `range`. Returns 0 for those that are not sound. */
int pcf_stretch_is_sound(const struct pcf_collection *x, int64_t i, int64_t first, int64_t last,
                         struct pcf_range *range);

/* The size of the slope of a line from `value` to `left`. It is infinite where the time from
 * `begin` to `end` overflows, and NaN where values are missing. */
static inline double pcf_slope_between(double begin, double end, double value, double left) {
  double run = end - begin, slope = fabs((left - value) / run);
  return run <= DBL_MAX ? slope : slope + INFINITY;
}

/* Twice a slope must not overflow either. */
static inline int pcf_slope_is_finite(double slope) {
  return slope <= DBL_MAX / 2;
}

/* Widens `range` to m values, of which some may be missing. */
void pcf_widen_range(struct pcf_range *range, const double *value, int64_t m);
