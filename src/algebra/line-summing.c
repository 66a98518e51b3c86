#include "algebra/summing.h"

#include "algebra/line-terms.h"
#include "base/hints.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where `narrow`, a constant, is set, sums of values have two limbs and sums of slopes three,
 * in registers. Sums wrap around: that of values at time 0 may be too large for its limbs,
 * those at other times are not. */
enum { NARROW_SLOPE_LIMBS = PCF_NARROW_LIMBS + 1 };

/* ---- The form of the numbers ---- */

/* Values are cut so many bits below the last one of the smallest. */
enum { SPARE_BITS = 8 };

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
                   const struct pcf_range *range) {
  int64_t first = rows->starts[r], terms = rows->starts[r + 1] - first;
  struct pcf_range weights = PCF_EMPTY_RANGE;
  summing->origin = origin_of(range);
  summing->fixed.limbs = PCF_NARROW_LIMBS;
  summing->slopes.limbs = NARROW_SLOPE_LIMBS;
  if (rows->weight) pcf_widen_range(&weights, rows->weight + first, terms);
  else weights.value = weights.least = 1;
  if (terms == 0 || range->value == 0) return;
  double span = pcf_range_time_from(range, summing->origin);
  int reach = span > 0 ? ilogb(span) + 1 : 0; /* times are below 2^reach */
  int largest = ilogb(range->value) + ilogb(weights.value);
  int unit = ilogb(range->least) + ilogb(weights.least) - 52 - SPARE_BITS;
  int slope_unit = unit - reach - 2, carries = 6;
  for (int64_t n = 1; n < terms; n *= 2) carries++;
  int limbs = limbs_for(largest - unit + carries);
  /* Slopes may be below the least double; rounding the products makes a rise up to three times
   * as large. */
  int steepest = ilogb(fmax(range->slope, DBL_MIN)) + ilogb(weights.value) + 2;
  int slope_limbs = limbs_for(steepest - slope_unit + carries);
  int narrow = limbs <= PCF_NARROW_LIMBS && slope_limbs <= NARROW_SLOPE_LIMBS &&
               is_moderate(largest) && is_moderate(reach) && is_moderate(ilogb(range->value)) &&
               is_moderate(ilogb(weights.value));
  if (narrow) {
    summing->shift = -largest;
    summing->scale = ldexp(1, summing->shift);
  } else {
    summing->fixed.limbs = limbs > PCF_NARROW_LIMBS ? limbs : PCF_NARROW_LIMBS + 1;
    if (slope_limbs > NARROW_SLOPE_LIMBS) summing->slopes.limbs = slope_limbs;
  }
  summing->fixed.unit = unit + summing->shift;
  summing->slopes.unit = slope_unit + summing->shift;
}

/* ---- Whole numbers ---- */

/* Adds x · 2^shift, cut to a whole number, or subtracts it. */
static void add_shifted(uint64_t *sum, int limbs, struct pcf_narrow x, int shift,
                        int negative) {
  if (shift < 0) {
    x = pcf_narrow_shift(x, shift);
    shift = 0;
  }
  int within = shift % 64;
  struct pcf_narrow low = pcf_narrow_shift(x, within);
  uint64_t part[] = {low.low, low.high, within ? x.high >> (64 - within) : 0}, carry = 0;
  for (int k = 0, at = shift / 64; at < limbs && (k < 3 || carry); k++, at++) {
    uint64_t more = k < 3 ? part[k] : 0, old = sum[at];
    sum[at] = negative ? old - more - carry : old + more + carry;
    carry = negative ? old < more || (old == more && carry)
                     : sum[at] < old || (sum[at] == old && carry);
  }
}

INLINE void add_narrow(uint64_t *sum, struct pcf_narrow x, int negative) {
  uint64_t sign = negative ? UINT64_MAX : 0, low = x.low ^ sign, first = sum[0] + low;
  uint64_t carry = first < low;
  sum[0] = first + (sign & 1);
  sum[1] += (x.high ^ sign) + carry + (sum[0] < first);
}

/* Adds a number of three limbs, or subtracts it. */
INLINE void add_three(uint64_t *sum, struct pcf_three x, int negative) {
  uint64_t sign = negative ? UINT64_MAX : 0;
  x.low ^= sign, x.middle ^= sign, x.high ^= sign;
  uint64_t first = sum[0] + x.low, second = sum[1] + x.middle;
  uint64_t carry = first < x.low, next = second < x.middle;
  sum[0] = first + (sign & 1);
  carry += sum[0] < first;
  sum[1] = second + carry;
  sum[2] += x.high + next + (sum[1] < second);
}

INLINE void add_sum(const struct pcf_fixed *fixed, uint64_t *sum, const uint64_t *more,
                    int narrow) {
  if (narrow) add_narrow(sum, (struct pcf_narrow){more[0], more[1]}, 0);
  else pcf_wide_sum(fixed, sum, more);
}

INLINE void add_slopes(const struct pcf_fixed *fixed, uint64_t *sum, const uint64_t *more,
                       int narrow) {
  if (narrow) add_three(sum, (struct pcf_three){more[0], more[1], more[2]}, 0);
  else pcf_wide_sum(fixed, sum, more);
}

/* ---- Lines ---- */

/* x · 2^exponent; of narrow sums the exponent is 0. */
struct scaled {
  double x;
  int exponent;
};

static struct scaled scaled_of(double x, int exponent) {
  int own;
  x = frexp(x, &own);
  return (struct scaled){x, own + exponent};
}

/* A product with a weight, rounded once. */
INLINE struct scaled weighted(double weight, double value, int missing, int narrow) {
  if (missing && isnan(value)) value = 0;
  if (narrow) return (struct scaled){weight * value, 0};
  struct scaled a = scaled_of(weight, 0), b = scaled_of(value, a.exponent);
  return scaled_of(a.x * b.x, b.exponent);
}

static struct scaled wide_slope(struct scaled from, struct scaled to, double begin,
                                double end) {
  int exponent = from.exponent > to.exponent ? from.exponent : to.exponent;
  if (from.x == 0) exponent = to.exponent;
  if (to.x == 0) exponent = from.exponent;
  double rise = ldexp(to.x, to.exponent - exponent) - ldexp(from.x, from.exponent - exponent);
  struct scaled width =
    isfinite(end - begin) ? scaled_of(end - begin, 0) : scaled_of(end / 2 - begin / 2, 1);
  return scaled_of(rise / width.x, exponent - width.exponent);
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

/* A line through (time, value); its slope is mantissa · 2^exponent, a multiple of the unit. */
struct line {
  double time;
  struct scaled value;
  uint64_t mantissa;
  int exponent, falls;
};

/* The line from breakpoint k on, or, where that is -1, before all. */
INLINE struct line line_from(const struct pcf_summing *summing, const struct entry *entry,
                             int64_t k, int narrow) {
  double start = k < 0 ? entry->left[0] : entry->value[k];
  struct line line = {.value = weighted(entry->weight, start, entry->missing, narrow)};
  if (k < 0 || k == entry->last) return line;
  struct scaled to = weighted(entry->weight, entry->left[k + 1], entry->missing, narrow);
  double begin = entry->time[k], end = entry->time[k + 1];
  struct scaled slope = narrow ? (struct scaled){(to.x - line.value.x) / (end - begin), 0}
                               : wide_slope(line.value, to, begin, end);
  line.time = begin - summing->origin;
  struct pcf_line_term term;
  pcf_set_slope(&term, slope.x, summing->slopes.unit - slope.exponent);
  line.mantissa = term.mantissa;
  line.exponent = term.exponent + slope.exponent;
  line.falls = term.falls;
  return line;
}

INLINE void add_value(const struct pcf_fixed *fixed, uint64_t *sum, struct scaled value,
                      int negative, int narrow) {
  if (narrow) {
    add_narrow(sum, pcf_narrow_of(value.x, fixed->unit), negative);
    return;
  }
  int exponent;
  struct pcf_narrow mantissa = {pcf_mantissa(value.x, &exponent), 0};
  add_shifted(sum, fixed->limbs, mantissa, exponent + value.exponent - fixed->unit,
              (value.x < 0) != negative);
}

/* Adds a line to the sum of values at time 0 and to that of slopes, or takes it away. */
INLINE void add_line(const struct pcf_summing *summing, uint64_t *values, uint64_t *slopes,
                     const struct line *line, int negative, int narrow) {
  const struct pcf_fixed *fixed = &summing->fixed;
  int exponent, below = line->falls != negative;
  add_value(fixed, values, line->value, negative, narrow);
  if (line->mantissa == 0) return;
  uint64_t mantissa = pcf_mantissa(line->time, &exponent);
  struct pcf_narrow product = pcf_narrow_product(line->mantissa, mantissa);
  int shift = line->exponent + exponent - fixed->unit, minus = below == (line->time < 0);
  int slope_shift = line->exponent - summing->slopes.unit;
  if (narrow) {
    add_narrow(values, pcf_narrow_shift(product, shift), minus);
    add_three(slopes, pcf_three_of(line->mantissa, slope_shift), below);
  } else {
    struct pcf_narrow slope = {line->mantissa, 0};
    add_shifted(values, fixed->limbs, product, shift, minus);
    add_shifted(slopes, summing->slopes.limbs, slope, slope_shift, below);
  }
}

/* ---- Sums ---- */

void pcf_begin_line_sum(const struct pcf_summing *summing, uint64_t *sum) {
  int narrow = pcf_is_narrow(summing);
  for (int64_t e = 0; e < summing->entries; e++) {
    struct entry entry = entry_of(summing, (uint64_t)e, narrow);
    struct line line = line_from(summing, &entry, -1, narrow);
    add_value(&summing->fixed, sum, line.value, 0, narrow);
  }
}

INLINE void add_totals(const struct pcf_summing *summing, const struct pcf_event *event,
                       const uint16_t *bucket, int64_t n, uint64_t *total, int narrow) {
  size_t length = pcf_sum_length(summing);
  int limbs = narrow ? PCF_NARROW_LIMBS : summing->fixed.limbs;
  int64_t first = (int64_t)event[0].change[1];
  struct entry entry = entry_of(summing, event[0].change[0], narrow);
  struct line before = line_from(summing, &entry, first - 1, narrow);
  for (int64_t k = 0; k < n; k++) {
    uint64_t *values = total + length * bucket[k];
    struct line after = line_from(summing, &entry, first + k, narrow);
    add_line(summing, values, values + limbs, &before, 1, narrow);
    add_line(summing, values, values + limbs, &after, 0, narrow);
    before = after;
  }
}

void pcf_add_line_totals(const struct pcf_summing *summing, const struct pcf_event *event,
                         const uint16_t *bucket, int64_t n, uint64_t *total) {
  if (pcf_is_narrow(summing)) add_totals(summing, event, bucket, n, total, 1);
  else add_totals(summing, event, bucket, n, total, 0);
}

/* ---- Points ---- */

/* Sums at a time: those of the lines that go on, and of left limits, values and lines that
 * begin there. */
struct sums {
  uint64_t values[PCF_MAX_LIMBS], slopes[PCF_MAX_LIMBS], old_slopes[PCF_MAX_LIMBS];
  uint64_t lefts[PCF_MAX_LIMBS], rights[PCF_MAX_LIMBS];
  uint64_t new_values[PCF_MAX_LIMBS], new_slopes[PCF_MAX_LIMBS];
};

static const uint64_t zero[PCF_MAX_LIMBS];

/* `slopes` says that the numbers are sums of slopes. */
INLINE void copy(uint64_t *to, const uint64_t *from, int limbs, int slopes, int narrow) {
  to[0] = from[0];
  to[1] = from[1];
  if (narrow && slopes) to[2] = from[2];
  if (!narrow) memcpy(to, from, (size_t)limbs * sizeof *to);
}

INLINE int differ(const uint64_t *a, const uint64_t *b, int limbs, int slopes, int narrow) {
  if (narrow) return a[0] != b[0] || a[1] != b[1] || (slopes && a[2] != b[2]);
  return memcmp(a, b, (size_t)limbs * sizeof *a) != 0;
}

INLINE void begin_time(const struct pcf_summing *summing, struct sums *sums, int narrow) {
  int limbs = summing->fixed.limbs, of_slopes = summing->slopes.limbs;
  copy(sums->lefts, zero, limbs, 0, narrow);
  copy(sums->rights, zero, limbs, 0, narrow);
  copy(sums->new_values, zero, limbs, 0, narrow);
  copy(sums->new_slopes, zero, of_slopes, 1, narrow);
  copy(sums->old_slopes, sums->slopes, of_slopes, 1, narrow);
}

INLINE void add_event(const struct pcf_summing *summing, struct sums *sums,
                      const struct pcf_event *event, int narrow) {
  struct entry entry = entry_of(summing, event->change[0], narrow);
  int64_t k = (int64_t)event->change[1];
  struct line before = line_from(summing, &entry, k - 1, narrow);
  struct line after = line_from(summing, &entry, k, narrow);
  struct scaled left = weighted(entry.weight, entry.left[k], entry.missing, narrow);
  add_line(summing, sums->values, sums->slopes, &before, 1, narrow);
  add_value(&summing->fixed, sums->lefts, left, 0, narrow);
  add_value(&summing->fixed, sums->rights, after.value, 0, narrow);
  add_line(summing, sums->new_values, sums->new_slopes, &after, 0, narrow);
}

/* Adds what the slopes come to at a time, cut to a whole number. */
INLINE void add_rise(const struct pcf_summing *summing, uint64_t *sum, const uint64_t *slopes,
                     double time, int narrow) {
  if (narrow) {
    struct pcf_three of = {slopes[0], slopes[1], slopes[2]};
    add_narrow(sum, pcf_rise(of, time, summing->slopes.unit, summing->fixed.unit), 0);
    return;
  }
  int exponent, limbs = summing->slopes.limbs;
  uint64_t mantissa = pcf_mantissa(time, &exponent);
  uint64_t sign = slopes[limbs - 1] >> 63 ? UINT64_MAX : 0, carry = sign & 1;
  int shift = exponent + summing->slopes.unit - summing->fixed.unit;
  int below = (sign != 0) != (time < 0);
  for (int k = 0; k < limbs; k++, shift += 64) {
    uint64_t magnitude = (slopes[k] ^ sign) + carry;
    carry = carry && magnitude == 0;
    struct pcf_narrow product = pcf_narrow_product(magnitude, mantissa);
    add_shifted(sum, summing->fixed.limbs, product, shift, below);
  }
}

INLINE double quotient_of(const struct pcf_summing *summing,
                          const struct pcf_dividing *dividing, const uint64_t *sum,
                          int narrow) {
  if (dividing->none) return pcf_missing();
  if (!narrow) return pcf_wide_quotient(sum, &summing->fixed, &dividing->divisor);
  return pcf_narrow_quotient((struct pcf_narrow){sum[0], sum[1]}, &summing->fixed,
                             &dividing->divisor);
}

/* Appends the point at a time, unless the sum goes on in a line there. */
INLINE void end_time(const struct pcf_summing *summing, struct pcf_dividing *dividing,
                     uint64_t key, struct sums *sums, struct pcf_points *points, int narrow) {
  const struct pcf_fixed *fixed = &summing->fixed, *of_slopes = &summing->slopes;
  struct pcf_line_point point = {.time = pcf_time_of(key)};
  int jumps = differ(sums->lefts, sums->rights, fixed->limbs, 0, narrow);
  int none = dividing->none;
  int64_t behind = dividing->behind;
  uint64_t others[PCF_MAX_LIMBS];
  copy(others, sums->values, fixed->limbs, 0, narrow);
  add_rise(summing, others, sums->slopes, point.time - summing->origin, narrow);
  add_sum(fixed, sums->values, sums->new_values, narrow);
  add_slopes(of_slopes, sums->slopes, sums->new_slopes, narrow);
  add_sum(fixed, sums->lefts, others, narrow);
  point.left = quotient_of(summing, dividing, sums->lefts, narrow) + 0.0;
  if (dividing->count) pcf_divide_at(dividing, key);
  int changes = none && dividing->none ? 0 : behind != dividing->behind;
  int bends = differ(sums->slopes, sums->old_slopes, of_slopes->limbs, 1, narrow);
  if (points->started && !changes && !jumps && !bends) return;
  point.value = point.left;
  if (jumps || changes) {
    add_sum(fixed, sums->rights, others, narrow);
    point.value = quotient_of(summing, dividing, sums->rights, narrow) + 0.0;
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
  int limbs = summing->fixed.limbs;
  struct sums sums;
  copy(sums.values, sum, limbs, 0, narrow);
  copy(sums.slopes, sum + limbs, summing->slopes.limbs, 1, narrow);
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
