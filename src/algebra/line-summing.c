#include "algebra/line-summing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

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

void pcf_line_form(struct pcf_summing *summing, const struct pcf_rows *rows, int64_t r,
                   const struct pcf_range *range) {
  int64_t first = rows->starts[r], terms = rows->starts[r + 1] - first;
  struct pcf_range weights = PCF_EMPTY_RANGE;
  summing->origin = origin_of(range);
  summing->fixed.limbs = PCF_NARROW_LIMBS;
  if (rows->weight) pcf_widen_range(&weights, rows->weight + first, terms);
  else weights.value = weights.least = 1;
  if (terms == 0 || range->value == 0) return;
  double span = pcf_range_time_from(range, summing->origin);
  int reach = span > 0 ? ilogb(span) + 1 : 0; /* times are below 2^reach */
  int largest = ilogb(range->value) + ilogb(weights.value), most = largest + 2;
  /* Rounding the products makes a rise up to three times as large. */
  int steepest =
    range->slope > 0 ? ilogb(range->slope) + ilogb(weights.value) + 4 : most - reach;
  if (steepest + reach > most) most = steepest + reach;
  int unit = ilogb(range->least) + ilogb(weights.least) - 52 - SPARE_BITS;
  int bits = most - unit + 6; /* two more for slopes, the sign, and sums of both */
  for (int64_t n = 1; n < terms; n *= 2) bits++;
  int limbs = (bits + 63) / 64;
  summing->shift = -largest;
  int narrow = limbs <= PCF_NARROW_LIMBS && is_moderate(largest) && is_moderate(reach) &&
               is_moderate(ilogb(range->value)) && is_moderate(ilogb(weights.value));
  if (!narrow) summing->shift = 0;
  if (limbs < PCF_NARROW_LIMBS + !narrow) limbs = PCF_NARROW_LIMBS + !narrow;
  summing->scale = ldexp(1, summing->shift);
  summing->fixed = (struct pcf_fixed){unit + summing->shift, limbs};
  summing->slope_unit = summing->fixed.unit - reach - 2;
}

/* ---- Adding ---- */

/* Where `narrow`, a constant, sums are of two limbs, which stay in registers, and all shifts
 * lead to numbers that these hold. */

/* Adds x · 2^shift, cut to a whole number, or subtracts it. */
INLINE void add_shifted(uint64_t *sum, int limbs, int narrow, struct pcf_narrow x, int shift,
                        int negative) {
  if ((x.low | x.high) == 0) return;
  if (shift < 0) {
    x = pcf_narrow_right(x, -shift);
    shift = 0;
  }
  if (narrow) {
    struct pcf_narrow old = {sum[0], sum[1]};
    x = pcf_narrow_left(x, shift);
    old = negative ? pcf_narrow_difference(old, x) : pcf_narrow_sum(old, x);
    sum[0] = old.low;
    sum[1] = old.high;
    return;
  }
  struct pcf_narrow low = pcf_narrow_left(x, shift % 64);
  uint64_t part[] = {low.low, low.high, shift % 64 ? x.high >> (64 - shift % 64) : 0};
  uint64_t carry = 0;
  for (int k = 0, at = shift / 64; at < limbs && (k < 3 || carry); k++, at++) {
    uint64_t more = k < 3 ? part[k] : 0, old = sum[at];
    sum[at] = negative ? old - more - carry : old + more + carry;
    carry = negative ? old < more || (old == more && carry)
                     : sum[at] < old || (sum[at] == old && carry);
  }
}

INLINE void add_sum(const struct pcf_fixed *fixed, uint64_t *sum, const uint64_t *more,
                    int narrow) {
  if (!narrow) {
    pcf_wide_sum(fixed, sum, more);
    return;
  }
  struct pcf_narrow both =
    pcf_narrow_sum((struct pcf_narrow){sum[0], sum[1]}, (struct pcf_narrow){more[0], more[1]});
  sum[0] = both.low;
  sum[1] = both.high;
}

INLINE void copy(uint64_t *to, const uint64_t *from, int limbs, int narrow) {
  to[0] = from[0];
  to[1] = from[1];
  if (!narrow) memcpy(to, from, (size_t)limbs * sizeof *to);
}

INLINE int differ(const uint64_t *a, const uint64_t *b, int limbs, int narrow) {
  if (narrow) return a[0] != b[0] || a[1] != b[1];
  return memcmp(a, b, (size_t)limbs * sizeof *a) != 0;
}

/* Adds number · mantissa · 2^shift. */
INLINE void add_multiple(uint64_t *sum, const uint64_t *number, int limbs, int narrow,
                         uint64_t mantissa, int shift, int negative) {
  uint64_t sign = number[limbs - 1] >> 63 ? UINT64_MAX : 0, carry = sign & 1;
  int below = (sign != 0) != negative;
  for (int k = 0; k < (narrow ? PCF_NARROW_LIMBS : limbs); k++) {
    uint64_t magnitude = (number[k] ^ sign) + carry;
    carry = carry && magnitude == 0;
    struct pcf_narrow product = pcf_narrow_product(magnitude, mantissa);
    add_shifted(sum, limbs, narrow, product, shift + 64 * k, below);
  }
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

/* A line through (time, value), cut: the slope is mantissa · 2^exponent. */
struct line {
  double time;
  struct scaled value;
  uint64_t mantissa;
  int exponent, falls;
};

INLINE struct line line_of(const struct pcf_summing *summing, struct scaled from,
                           struct scaled to, double begin, double end, int narrow) {
  struct line line = {.time = begin - summing->origin, .value = from};
  struct scaled slope = narrow ? (struct scaled){(to.x - from.x) / (end - begin), 0}
                               : wide_slope(from, to, begin, end);
  line.mantissa = pcf_mantissa(slope.x, &line.exponent);
  line.exponent += slope.exponent;
  line.falls = slope.x < 0;
  int below = summing->slope_unit - line.exponent;
  if (below > 0) {
    line.mantissa = below < 64 ? line.mantissa >> below : 0;
    line.exponent = summing->slope_unit;
  }
  return line;
}

INLINE void add_value(const struct pcf_fixed *fixed, uint64_t *sum, struct scaled value,
                      int negative, int narrow) {
  int exponent;
  uint64_t mantissa = pcf_mantissa(value.x, &exponent);
  add_shifted(sum, fixed->limbs, narrow, (struct pcf_narrow){mantissa, 0},
              exponent + value.exponent - fixed->unit, (value.x < 0) != negative);
}

/* Adds a line to the sum of values at time 0 and to that of slopes, or takes it away. */
INLINE void add_line(const struct pcf_summing *summing, uint64_t *values, uint64_t *slopes,
                     const struct line *line, int negative, int narrow) {
  int exponent, limbs = summing->fixed.limbs;
  add_value(&summing->fixed, values, line->value, negative, narrow);
  if (line->mantissa == 0) return;
  uint64_t mantissa = pcf_mantissa(line->time, &exponent);
  struct pcf_narrow product = pcf_narrow_product(line->mantissa, mantissa);
  int below = line->falls != negative;
  add_shifted(values, limbs, narrow, product, line->exponent + exponent - summing->fixed.unit,
              below == (line->time < 0));
  add_shifted(slopes, limbs, narrow, (struct pcf_narrow){line->mantissa, 0},
              line->exponent - summing->slope_unit, below);
}

/* What happens at breakpoint k of an entry: the line before it ends with a left limit, and one
 * begins with a value. */
struct turn {
  struct line before, after;
  struct scaled left;
};

INLINE struct turn turn_at(const struct pcf_summing *summing, uint64_t entry, uint64_t at,
                           int narrow) {
  const struct pcf_collection *x = summing->x;
  int64_t f = summing->function[entry], k = (int64_t)at, m = pcf_breakpoints(x, f);
  const double *time = pcf_times(x, f), *left = time + m, *value = left + m;
  double weight =
    (summing->weight ? summing->weight[entry] : 1) * (narrow ? summing->scale : 1);
  int missing = summing->missing;
  struct scaled ends = weighted(weight, left[k], missing, narrow);
  struct scaled begins = weighted(weight, value[k], missing, narrow);
  struct turn turn = {.left = ends};
  turn.before = turn.after = (struct line){.value = begins};
  if (k == 0) turn.before.value = ends;
  else
    turn.before = line_of(summing, weighted(weight, value[k - 1], missing, narrow), ends,
                          time[k - 1], time[k], narrow);
  if (k + 1 < m)
    turn.after = line_of(summing, begins, weighted(weight, left[k + 1], missing, narrow),
                         time[k], time[k + 1], narrow);
  return turn;
}

/* ---- Sums ---- */

static int is_narrow(const struct pcf_summing *summing) {
  return summing->fixed.limbs == PCF_NARROW_LIMBS;
}

void pcf_begin_line_sum(const struct pcf_summing *summing, uint64_t *sum) {
  int narrow = is_narrow(summing);
  for (int64_t e = 0; e < summing->entries; e++) {
    struct turn first = turn_at(summing, (uint64_t)e, 0, narrow);
    add_value(&summing->fixed, sum, first.left, 0, narrow);
  }
}

INLINE void add_totals(const struct pcf_summing *summing, const struct pcf_event *event,
                       const uint16_t *bucket, int64_t n, uint64_t *total, int narrow) {
  int limbs = narrow ? PCF_NARROW_LIMBS : summing->fixed.limbs;
  for (int64_t k = 0; k < n; k++) {
    uint64_t *values = total + 2 * (size_t)limbs * bucket[k], *slopes = values + limbs;
    struct turn turn = turn_at(summing, event[k].change[0], event[k].change[1], narrow);
    add_line(summing, values, slopes, &turn.before, 1, narrow);
    add_line(summing, values, slopes, &turn.after, 0, narrow);
  }
}

void pcf_add_line_totals(const struct pcf_summing *summing, const struct pcf_event *event,
                         const uint16_t *bucket, int64_t n, uint64_t *total) {
  if (is_narrow(summing)) add_totals(summing, event, bucket, n, total, 1);
  else add_totals(summing, event, bucket, n, total, 0);
}

/* ---- Points ---- */

INLINE double quotient_of(const struct pcf_summing *summing,
                          const struct pcf_dividing *dividing, const uint64_t *sum,
                          int narrow) {
  if (dividing->none) return pcf_missing();
  if (!narrow) return pcf_wide_quotient(sum, &summing->fixed, &dividing->divisor);
  return pcf_narrow_quotient((struct pcf_narrow){sum[0], sum[1]}, &summing->fixed,
                             &dividing->divisor);
}

/* Sums at a time: those of the lines that go on, and of left limits, values and lines that
 * begin there. */
struct sums {
  uint64_t values[PCF_MAX_LIMBS], slopes[PCF_MAX_LIMBS], old_slopes[PCF_MAX_LIMBS];
  uint64_t lefts[PCF_MAX_LIMBS], rights[PCF_MAX_LIMBS];
  uint64_t new_values[PCF_MAX_LIMBS], new_slopes[PCF_MAX_LIMBS];
};

static const uint64_t zero[PCF_MAX_LIMBS];

INLINE void begin_time(struct sums *sums, int limbs, int narrow) {
  copy(sums->old_slopes, sums->slopes, limbs, narrow);
  copy(sums->lefts, zero, limbs, narrow);
  copy(sums->rights, zero, limbs, narrow);
  copy(sums->new_values, zero, limbs, narrow);
  copy(sums->new_slopes, zero, limbs, narrow);
}

INLINE void add_turn(const struct pcf_summing *summing, struct sums *sums,
                     const struct turn *turn, int narrow) {
  add_line(summing, sums->values, sums->slopes, &turn->before, 1, narrow);
  add_value(&summing->fixed, sums->lefts, turn->left, 0, narrow);
  add_value(&summing->fixed, sums->rights, turn->after.value, 0, narrow);
  add_line(summing, sums->new_values, sums->new_slopes, &turn->after, 0, narrow);
}

/* Appends the point at a time, unless the sum goes on in a line there. */
INLINE void end_time(const struct pcf_summing *summing, struct pcf_dividing *dividing,
                     uint64_t key, struct sums *sums, int limbs, struct pcf_points *points,
                     int narrow) {
  const struct pcf_fixed *fixed = &summing->fixed;
  struct pcf_line_point point = {.time = pcf_time_of(key)};
  double time = point.time - summing->origin;
  int exponent, bends = differ(sums->lefts, sums->rights, limbs, narrow);
  uint64_t mantissa = pcf_mantissa(time, &exponent), others[PCF_MAX_LIMBS];
  copy(others, sums->values, limbs, narrow);
  add_multiple(others, sums->slopes, limbs, narrow, mantissa,
               exponent + summing->slope_unit - fixed->unit, time < 0);
  add_sum(fixed, sums->lefts, others, narrow);
  add_sum(fixed, sums->rights, others, narrow);
  add_sum(fixed, sums->values, sums->new_values, narrow);
  add_sum(fixed, sums->slopes, sums->new_slopes, narrow);
  bends |= differ(sums->slopes, sums->old_slopes, limbs, narrow);
  int none = dividing->none;
  int64_t behind = dividing->behind;
  point.left = quotient_of(summing, dividing, sums->lefts, narrow) + 0.0;
  if (dividing->steps) pcf_divide_at(dividing, key);
  point.value = quotient_of(summing, dividing, sums->rights, narrow) + 0.0;
  bends = none && dividing->none ? 0 : bends || behind != dividing->behind;
  if (points->started && !bends) return;
  points->infinite |= isinf(point.left) || isinf(point.value);
  ((struct pcf_line_point *)(void *)points->point)[points->count++] = point;
  points->started = 1;
}

INLINE void sum_line_events(const struct pcf_summing *summing, struct pcf_dividing *dividing,
                            const struct pcf_event *event, int64_t n, uint64_t *sum,
                            struct pcf_points *points, int narrow) {
  int limbs = narrow ? PCF_NARROW_LIMBS : summing->fixed.limbs;
  struct sums sums;
  copy(sums.values, sum, limbs, narrow);
  copy(sums.slopes, sum + limbs, limbs, narrow);
  if (dividing->steps && n) pcf_divide_before(dividing, event[0].key);
  for (int64_t k = 0; k < n; k++) {
    if (k == 0 || event[k].key != event[k - 1].key) begin_time(&sums, limbs, narrow);
    struct turn turn = turn_at(summing, event[k].change[0], event[k].change[1], narrow);
    add_turn(summing, &sums, &turn, narrow);
    if (k + 1 < n && event[k + 1].key == event[k].key) continue;
    end_time(summing, dividing, event[k].key, &sums, limbs, points, narrow);
  }
}

void pcf_sum_line_events(const struct pcf_summing *summing, struct pcf_dividing *dividing,
                         const struct pcf_event *event, int64_t n, uint64_t *sum,
                         struct pcf_points *points) {
  if (is_narrow(summing)) sum_line_events(summing, dividing, event, n, sum, points, 1);
  else sum_line_events(summing, dividing, event, n, sum, points, 0);
}
