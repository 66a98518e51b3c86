#include "reductions/summing.h"

#include "base/hints.h"
#include "reductions/careful-lines.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where `narrow`, a constant, is set, sums of values have three limbs and sums of slopes four,
 * in registers. Sums wrap around: that of values at time 0 may be too large for its limbs,
 * those at other times are not. */

/* ---- The form of the numbers ---- */

/* Where care is taken, values are cut so many bits below the last one of the smallest. */
enum { SPARE_BITS = 256 };

/* Sums are narrow where magnitudes are far from the limits of double. */
static int is_moderate(int exponent) {
  return abs(exponent) <= 700;
}

/* Times are exact beside an origin that is within a factor of two of all of them. */
static double origin_of(const struct pcf_range *range) {
  double first = fabs(range->first), last = fabs(range->last);
  int near = first <= 2 * last && last <= 2 * first;
  return near && range->first * range->last > 0 ? range->first : 0;
}

static int limbs_for(int bits) {
  return (bits + 63) / 64;
}

void pcf_line_form(struct pcf_summing *summing, const struct pcf_rows *rows, int64_t r,
                   const struct pcf_range *range, int care) {
  int64_t first = rows->starts[r], terms = rows->starts[r + 1] - first;
  struct pcf_range weights = PCF_EMPTY_RANGE;
  summing->origin = origin_of(range);
  double span = pcf_range_time_from(range, summing->origin);
  summing->reach = span > 0 ? ilogb(span) + 1 : 0;
  int below = summing->reach + PCF_REACH_BITS; /* the unit of slopes is below that of values */
  summing->fixed = (struct pcf_fixed){PCF_LINE_UNIT, PCF_LINE_LIMBS};
  summing->slopes = (struct pcf_fixed){PCF_LINE_UNIT - below, PCF_SLOPE_LIMBS};
  if (rows->weight) pcf_widen_range(&weights, rows->weight + first, terms);
  else weights.value = weights.least = 1;
  if (terms == 0 || range->value == 0) return;
  int largest = ilogb(range->value) + ilogb(weights.value), more = 0;
  int unit = ilogb(range->least) + ilogb(weights.least) - 52;
  for (int64_t n = 1; n < terms; n *= 2) more++;
  int carries = more + 6;
  /* Slopes may be below the least double; rounding the products makes a rise up to three times
   * as large. */
  int steepest = ilogb(fmax(range->slope, DBL_MIN)) + ilogb(weights.value) + 3;
  int narrow =
    !care && unit - largest >= PCF_LINE_UNIT && more < 32 &&
    limbs_for(steepest - largest - summing->slopes.unit + carries) <= PCF_SLOPE_LIMBS &&
    is_moderate(largest) && is_moderate(summing->reach) && is_moderate(ilogb(range->value)) &&
    is_moderate(ilogb(weights.value));
  if (narrow) {
    summing->shift = -largest;
    summing->scale = ldexp(1, summing->shift);
    summing->steepest = steepest - largest - summing->slopes.unit;
    return;
  }
  unit -= SPARE_BITS + more;
  int limbs = limbs_for(largest - unit + carries);
  summing->fixed.unit = unit;
  summing->fixed.limbs = limbs > PCF_LINE_LIMBS ? limbs : PCF_LINE_LIMBS + 1;
  summing->slopes.unit = unit - below;
  int of_slopes = limbs_for(steepest - summing->slopes.unit + carries);
  if (of_slopes > PCF_SLOPE_LIMBS) summing->slopes.limbs = of_slopes;
}

/* The function of an entry of the row. */
struct entry {
  const double *time, *left, *value;
  int64_t last;
  double weight;
  int missing;
};

INLINE struct entry entry_of(const struct pcf_summing *summing, uint64_t entry, int narrow) {
  int64_t f = summing->function[entry], m = pcf_breakpoints(summing->x, f);
  const double *time = pcf_times(summing->x, f);
  double weight = summing->weight ? summing->weight[entry] : 1;
  if (narrow) weight *= summing->scale;
  return (struct entry){time, time + m, time + 2 * m, m - 1, weight, summing->missing};
}

INLINE double narrow_product(const struct entry *entry, double value) {
  return entry->weight * (entry->missing && isnan(value) ? 0 : value);
}

static struct pcf_scaled wide_product(const struct entry *entry, double value) {
  return pcf_scaled_product(entry->weight, entry->missing && isnan(value) ? 0 : value);
}

/* The line from breakpoint k on, or, where that is -1, before all. */
INLINE void narrow_line(const struct pcf_summing *summing, const struct entry *entry, int64_t k,
                        struct pcf_line_term *line) {
  double from = narrow_product(entry, k < 0 ? entry->left[0] : entry->value[k]);
  struct pcf_exact_slope slope = {{0, 0, 0}, 1};
  double begin = 0;
  if (k >= 0 && k < entry->last) {
    double to = narrow_product(entry, entry->left[k + 1]);
    begin = entry->time[k];
    if (to != from) {
      slope = pcf_exact_slope_of(pcf_exact_sum_of(to, -from),
                                 pcf_exact_sum_of(entry->time[k + 1], -begin));
    }
  }
  pcf_set_line(line, from, &slope, begin - summing->origin, summing->reach);
}

static struct pcf_careful_line careful_line(const struct pcf_summing *summing,
                                            const struct entry *entry, int64_t k) {
  struct pcf_scaled from = wide_product(entry, k < 0 ? entry->left[0] : entry->value[k]);
  if (k < 0 || k == entry->last) return pcf_careful_line_of(summing, from, from, 0, 1);
  struct pcf_scaled to = wide_product(entry, entry->left[k + 1]);
  return pcf_careful_line_of(summing, from, to, entry->time[k], entry->time[k + 1]);
}

/* Adds a line to a sum, or takes it away. */
INLINE void add_line(uint64_t *sum, const struct pcf_line_term *line, int negative) {
  uint64_t *slopes = sum + PCF_LINE_LIMBS, *inexact = slopes + PCF_SLOPE_LIMBS;
  if (negative) {
    pcf_limbs_subtract(sum, line->value, PCF_LINE_LIMBS);
    pcf_limbs_subtract(slopes, line->slope, PCF_SLOPE_LIMBS);
    *inexact -= line->inexact;
  } else {
    pcf_limbs_add(sum, line->value, PCF_LINE_LIMBS);
    pcf_limbs_add(slopes, line->slope, PCF_SLOPE_LIMBS);
    *inexact += line->inexact;
  }
}

/* ---- Sums ---- */

void pcf_begin_line_sum(const struct pcf_summing *summing, uint64_t *sum) {
  int narrow = pcf_is_narrow(summing);
  for (int64_t e = 0; e < summing->entries; e++) {
    struct entry entry = entry_of(summing, (uint64_t)e, narrow);
    if (narrow) {
      struct pcf_line_term line;
      narrow_line(summing, &entry, -1, &line);
      add_line(sum, &line, 0);
    } else {
      struct pcf_careful_line line = careful_line(summing, &entry, -1);
      pcf_careful_add_line(summing, sum, &line, 0);
    }
  }
}

void pcf_join_line_sum(const struct pcf_summing *summing, uint64_t *sum, const uint64_t *more) {
  if (!pcf_is_narrow(summing)) {
    pcf_careful_join(summing, sum, more);
    return;
  }
  pcf_limbs_add(sum, more, PCF_LINE_LIMBS);
  pcf_limbs_add(sum + PCF_LINE_LIMBS, more + PCF_LINE_LIMBS, PCF_SLOPE_LIMBS);
  sum[PCF_LINE_LIMBS + PCF_SLOPE_LIMBS] += more[PCF_LINE_LIMBS + PCF_SLOPE_LIMBS];
}

void pcf_add_line_totals(const struct pcf_summing *summing, const struct pcf_event *event,
                         const uint16_t *bucket, int64_t n, uint64_t *total) {
  size_t length = pcf_sum_length(summing);
  int64_t first = (int64_t)event[0].change[1];
  int narrow = pcf_is_narrow(summing);
  struct entry entry = entry_of(summing, event[0].change[0], narrow);
  struct pcf_line_term line[2];
  struct pcf_careful_line careful;
  if (narrow) narrow_line(summing, &entry, first - 1, &line[1]);
  else careful = careful_line(summing, &entry, first - 1);
  for (int64_t k = 0; k < n; k++) {
    uint64_t *sum = total + length * bucket[k];
    if (narrow) {
      add_line(sum, &line[1 - k % 2], 1);
      narrow_line(summing, &entry, first + k, &line[k % 2]);
      add_line(sum, &line[k % 2], 0);
    } else {
      pcf_careful_add_line(summing, sum, &careful, 1);
      careful = careful_line(summing, &entry, first + k);
      pcf_careful_add_line(summing, sum, &careful, 0);
    }
  }
}

/* ---- Points ---- */

/* Sums at a time: that of the lines that go on, and those of left limits, values and lines that
 * begin there, and the slopes of all that end or begin. Where they are narrow, `changing`
 * counts those that are inexact; `bends` and `error` are set for the end of the time. */
struct sums {
  uint64_t lines[PCF_MAX_SUM], new_lines[PCF_MAX_SUM];
  struct pcf_careful_values lefts, rights;
  uint64_t error[PCF_MAX_LIMBS], change[PCF_SLOPE_LIMBS], old_residue;
  int64_t changing;
};

static const uint64_t zero[PCF_MAX_SUM];

INLINE void copy(uint64_t *to, const uint64_t *from, int numbers) {
  memcpy(to, from, (size_t)numbers * sizeof *to);
}

INLINE int limbs_of_values(const struct pcf_summing *summing, int narrow) {
  return narrow ? PCF_LINE_LIMBS : summing->fixed.limbs;
}

INLINE int length_of_sum(const struct pcf_summing *summing, int narrow) {
  return narrow ? PCF_LINE_LIMBS + PCF_SLOPE_LIMBS + 1 : (int)pcf_sum_length(summing);
}

INLINE void begin_time(const struct pcf_summing *summing, struct sums *sums, int narrow) {
  int limbs = limbs_of_values(summing, narrow);
  copy(sums->lefts.limbs, zero, limbs);
  copy(sums->rights.limbs, zero, limbs);
  copy(sums->new_lines, zero, length_of_sum(summing, narrow));
  if (narrow) {
    copy(sums->change, zero, PCF_SLOPE_LIMBS);
    sums->changing = 0;
  } else {
    copy(sums->error, zero, limbs);
    sums->lefts.residue = sums->rights.residue = 0;
    sums->old_residue = pcf_careful_slopes(summing, sums->lines);
  }
}

INLINE void add_narrow_event(const struct pcf_summing *summing, struct sums *sums,
                             const struct entry *entry, int64_t k) {
  struct pcf_line_term before, after;
  double left = narrow_product(entry, entry->left[k]);
  double right = narrow_product(entry, entry->value[k]);
  narrow_line(summing, entry, k - 1, &before);
  narrow_line(summing, entry, k, &after);
  add_line(sums->lines, &before, 1);
  add_line(sums->new_lines, &after, 0);
  pcf_limbs_add_double(sums->lefts.limbs, left, PCF_LINE_UNIT, 0, PCF_LINE_LIMBS);
  pcf_limbs_add_double(sums->rights.limbs, right, PCF_LINE_UNIT, 0, PCF_LINE_LIMBS);
  pcf_limbs_subtract(sums->change, before.slope, PCF_SLOPE_LIMBS);
  pcf_limbs_add(sums->change, after.slope, PCF_SLOPE_LIMBS);
  sums->changing += before.inexact + after.inexact;
}

INLINE void add_event(const struct pcf_summing *summing, struct sums *sums,
                      const struct pcf_event *event, int narrow) {
  struct entry entry = entry_of(summing, event->change[0], narrow);
  int64_t k = (int64_t)event->change[1];
  if (narrow) {
    add_narrow_event(summing, sums, &entry, k);
    return;
  }
  struct pcf_careful_line before = careful_line(summing, &entry, k - 1);
  struct pcf_careful_line after = careful_line(summing, &entry, k);
  pcf_careful_add_line(summing, sums->lines, &before, 1);
  pcf_careful_add_line(summing, sums->new_lines, &after, 0);
  pcf_careful_add_value(summing, &sums->lefts, wide_product(&entry, entry.left[k]));
  pcf_careful_add_value(summing, &sums->rights, after.value);
}

/* Adds the lines that go on to both sides, and then those that begin; returns whether slopes
 * change. */
INLINE int go_on(const struct pcf_summing *summing, struct sums *sums, double time, int *unsure,
                 int narrow) {
  if (!narrow) {
    struct pcf_careful_values others = pcf_careful_at(summing, sums->lines, time, sums->error);
    pcf_careful_add_values(summing, &sums->lefts, &others);
    pcf_careful_add_values(summing, &sums->rights, &others);
    pcf_careful_join(summing, sums->lines, sums->new_lines);
    return sums->old_residue != pcf_careful_slopes(summing, sums->lines);
  }
  const uint64_t *slopes = sums->lines + PCF_LINE_LIMBS;
  uint64_t others[PCF_LINE_LIMBS];
  copy(others, sums->lines, PCF_LINE_LIMBS);
  int cut = pcf_add_rise(others, slopes, time, summing->reach);
  sums->error[0] = pcf_line_error((int64_t)slopes[PCF_SLOPE_LIMBS], cut);
  pcf_limbs_add(sums->lefts.limbs, others, PCF_LINE_LIMBS);
  pcf_limbs_add(sums->rights.limbs, others, PCF_LINE_LIMBS);
  pcf_join_line_sum(summing, sums->lines, sums->new_lines);
  return pcf_line_bends(sums->change, sums->changing, summing->steepest, unsure);
}

INLINE double quotient_of(const struct pcf_summing *summing,
                          const struct pcf_dividing *dividing, const struct sums *sums,
                          const struct pcf_careful_values *values, int *unsure, int narrow) {
  double quotient;
  if (dividing->none) return pcf_missing();
  if (!narrow) return pcf_careful_quotient(summing, values, sums->error, &dividing->divisor);
  if (!pcf_line_quotient(values->limbs, sums->error[0], &dividing->divisor, &quotient)) {
    *unsure = 1;
  }
  return quotient;
}

/* Appends the point at a time, unless the sum goes on in a line there. */
INLINE void end_time(const struct pcf_summing *summing, struct pcf_dividing *dividing,
                     uint64_t key, struct sums *sums, struct pcf_points *points, int narrow) {
  struct pcf_line_point point = {.time = pcf_time_of(key)};
  int limbs = limbs_of_values(summing, narrow), none = dividing->none;
  int jumps = memcmp(sums->lefts.limbs, sums->rights.limbs, (size_t)limbs * sizeof *zero) != 0;
  int bends = go_on(summing, sums, point.time - summing->origin, &points->unsure, narrow);
  int64_t behind = dividing->behind;
  point.left =
    quotient_of(summing, dividing, sums, &sums->lefts, &points->unsure, narrow) + 0.0;
  if (dividing->count) pcf_divide_at(dividing, key);
  int changes = none && dividing->none ? 0 : behind != dividing->behind;
  if (points->started && !changes && !jumps && !bends) return;
  point.value = point.left;
  if (jumps || changes) {
    point.value =
      quotient_of(summing, dividing, sums, &sums->rights, &points->unsure, narrow) + 0.0;
  }
  points->infinite |= isinf(point.left) || isinf(point.value);
  ((struct pcf_line_point *)(void *)points->point)[points->count++] = point;
  points->started = 1;
}

/* Functions are all over memory: those of later events are prefetched. */
enum { AHEAD = 32 };

INLINE void fetch_entry(const struct pcf_summing *summing, const struct pcf_event *event) {
  int64_t f = summing->function[event->change[0]];
  FETCH(&summing->x->functions[f]);
  FETCH(&summing->x->offsets[f]);
}

INLINE void fetch_lines(const struct pcf_summing *summing, const struct pcf_event *event) {
  int64_t f = summing->function[event->change[0]], k = (int64_t)event->change[1];
  FETCH(pcf_times(summing->x, f) + k);
  FETCH(pcf_lefts(summing->x, f) + k);
  FETCH(pcf_values(summing->x, f) + k);
}

INLINE void sum_line_events(const struct pcf_summing *summing, struct pcf_dividing *dividing,
                            const struct pcf_event *event, int64_t n, uint64_t *sum,
                            struct pcf_points *points, int narrow) {
  struct sums sums;
  copy(sums.lines, sum, length_of_sum(summing, narrow));
  if (dividing->count && n) pcf_divide_before(dividing, event[0].key);
  begin_time(summing, &sums, narrow);
  for (int64_t k = 0; k < n; k++) {
    if (k + AHEAD < n) fetch_entry(summing, &event[k + AHEAD]);
    if (k + AHEAD / 2 < n) fetch_lines(summing, &event[k + AHEAD / 2]);
    add_event(summing, &sums, &event[k], narrow);
    if (k + 1 < n && event[k + 1].key == event[k].key) continue;
    end_time(summing, dividing, event[k].key, &sums, points, narrow);
    begin_time(summing, &sums, narrow);
  }
}

void pcf_sum_line_events(const struct pcf_summing *summing, struct pcf_dividing *dividing,
                         const struct pcf_event *event, int64_t n, uint64_t *sum,
                         struct pcf_points *points) {
  if (pcf_is_narrow(summing)) sum_line_events(summing, dividing, event, n, sum, points, 1);
  else sum_line_events(summing, dividing, event, n, sum, points, 0);
}
