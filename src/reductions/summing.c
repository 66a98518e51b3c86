#include "reductions/summing.h"

#include "base/hints.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- The form of the numbers ---- */

static void take_exponents_apart(struct pcf_summing *summing, const struct pcf_collection *x,
                                 const struct pcf_rows *rows, int64_t r);

/* Products of weights and values lie between those of the least and of the largest magnitudes,
 * also after rounding. */
struct pcf_summing pcf_summing_of(const struct pcf_collection *x, const struct pcf_rows *rows,
                                  int64_t r, const struct pcf_range *range, int care) {
  int64_t first = rows->starts[r], terms = rows->starts[r + 1] - first;
  struct pcf_summing summing = {.missing = rows->missing,
                                .x = x,
                                .function = rows->function + first,
                                .weight = rows->weight ? rows->weight + first : NULL,
                                .entries = terms};
  double least = range->least, most = range->value;
  if (x->linear) {
    pcf_line_form(&summing, rows, r, range, care);
    return summing;
  }
  if (rows->weight && terms && most > 0) {
    struct pcf_range weights = PCF_EMPTY_RANGE;
    pcf_widen_range(&weights, rows->weight + first, terms);
    int room = ilogb(most) > 60 ? 1020 - ilogb(most) : 960;
    summing.shift = room - ilogb(weights.value);
    double least_weight = ldexp(weights.least, summing.shift);
    least *= least_weight;
    most *= ldexp(weights.value, summing.shift);
    if (least < 0x1p-1022 || least_weight < 0x1p-1022) {
      take_exponents_apart(&summing, x, rows, r);
      return summing;
    }
  }
  summing.fixed = pcf_fixed_for(least, most, terms);
  return summing;
}

/* Where no shift of the weights keeps all products from underflow, since a tiny weight may
 * belong to a huge function: adds up exponents separately. The largest product is then about
 * 2^1020. */
static void take_exponents_apart(struct pcf_summing *summing, const struct pcf_collection *x,
                                 const struct pcf_rows *rows, int64_t r) {
  int64_t first = rows->starts[r], last = rows->starts[r + 1];
  int most = INT_MIN;
  for (int64_t e = first; e < last; e++) {
    struct pcf_range own = PCF_EMPTY_RANGE;
    int64_t f = rows->function[e];
    pcf_widen_range(&own, pcf_values(x, f), pcf_breakpoints(x, f));
    if (own.value == 0) continue;
    int exponent = ilogb(rows->weight[e]) + ilogb(own.value);
    most = exponent > most ? exponent : most;
  }
  summing->apart = most > INT_MIN;
  summing->shift = summing->apart ? 1020 - most : 0;
  summing->fixed = pcf_fixed_for(0x1p-1074, summing->apart ? 0x1p1021 : 0, last - first);
}

struct pcf_dividing pcf_summing_divisor(const struct pcf_summing *summing,
                                        const struct pcf_rows *rows, int64_t r,
                                        const struct pcf_collection *divisors) {
  struct pcf_dividing dividing = {.shift = summing->shift, .none = divisors != NULL};
  dividing.divisor = pcf_divisor_of(rows->divisor ? rows->divisor[r] : 1, summing->shift);
  if (!divisors) return dividing;
  dividing.count = pcf_breakpoints(divisors, r);
  dividing.time = pcf_times(divisors, r);
  dividing.steps = pcf_values(divisors, r);
  return dividing;
}

static void divide_from(struct pcf_dividing *dividing, int64_t behind) {
  if (behind == dividing->behind) return;
  dividing->behind = behind;
  double divisor = behind > 0 ? dividing->steps[behind - 1] : 0;
  dividing->none = divisor == 0;
  if (divisor != 0) dividing->divisor = pcf_divisor_of(divisor, dividing->shift);
}

void pcf_divide_at(struct pcf_dividing *dividing, uint64_t key) {
  int64_t behind = dividing->behind;
  while (behind < dividing->count && pcf_key_of(dividing->time[behind]) <= key) behind++;
  divide_from(dividing, behind);
}

void pcf_divide_before(struct pcf_dividing *dividing, uint64_t key) {
  divide_from(dividing, pcf_first_from(dividing->time, 0, dividing->count, pcf_time_of(key)));
}

/* ---- Events ---- */

static inline double known(double value, int missing) {
  return missing ? pcf_known(value) : value;
}

INLINE void make_narrow_events(const struct pcf_summing *summing,
                               const struct pcf_row_stretch *stretch, int64_t first, int64_t n,
                               int missing, struct pcf_event *event) {
  const double *time = stretch->time + first, *value = stretch->value + first;
  double weight = summing->shift ? ldexp(stretch->weight, summing->shift) : stretch->weight;
  double before = first > 0 ? weight * known(value[-1], missing) : 0;
  int unit = summing->fixed.unit;
  struct pcf_narrow last = pcf_narrow_of(before, unit);
  for (int64_t k = 0; k < n; k++) {
    struct pcf_narrow next = pcf_narrow_of(weight * known(value[k], missing), unit);
    struct pcf_narrow change = pcf_narrow_difference(next, last);
    event[k] = (struct pcf_event){pcf_key_of(time[k]), {change.low, change.high}};
    last = next;
  }
}

/* The product, rounded once; the shift is that of the weight unless exponents are apart. */
static double wide_product(const struct pcf_summing *summing, double weight, double value) {
  int of_weight, of_value;
  value = known(value, summing->missing);
  if (!summing->apart) return weight * value;
  double product = frexp(weight, &of_weight) * frexp(value, &of_value);
  return ldexp(product, of_weight + of_value + summing->shift);
}

static void make_wide_events(const struct pcf_summing *summing,
                             const struct pcf_row_stretch *stretch, int64_t first, int64_t n,
                             struct pcf_event *event) {
  const double *time = stretch->time + first, *value = stretch->value + first;
  double weight = summing->apart ? stretch->weight : ldexp(stretch->weight, summing->shift);
  double before = first > 0 ? wide_product(summing, weight, value[-1]) : 0;
  for (int64_t k = 0; k < n; k++) {
    double after = wide_product(summing, weight, value[k]);
    event[k] = (struct pcf_event){pcf_key_of(time[k]),
                                  {pcf_bits_of_double(before), pcf_bits_of_double(after)}};
    before = after;
  }
}

static void make_line_events(const struct pcf_row_stretch *stretch, int64_t first, int64_t n,
                             struct pcf_event *event) {
  for (int64_t k = 0; k < n; k++) {
    event[k] = (struct pcf_event){pcf_key_of(stretch->time[first + k]),
                                  {(uint64_t)stretch->entry, (uint64_t)(first + k)}};
  }
}

void pcf_make_events(const struct pcf_summing *summing, const struct pcf_row_stretch *stretch,
                     int64_t first, int64_t n, struct pcf_event *event) {
  if (summing->x->linear) make_line_events(stretch, first, n, event);
  else if (!pcf_is_narrow(summing)) make_wide_events(summing, stretch, first, n, event);
  else if (summing->missing) make_narrow_events(summing, stretch, first, n, 1, event);
  else make_narrow_events(summing, stretch, first, n, 0, event);
}

static struct pcf_narrow narrow_at(const uint64_t *limbs) {
  return (struct pcf_narrow){limbs[0], limbs[1]};
}

static void add_change(const struct pcf_fixed *fixed, uint64_t *sum, const uint64_t *change) {
  pcf_wide_add(fixed, sum, pcf_double_of(change[0]), 1);
  pcf_wide_add(fixed, sum, pcf_double_of(change[1]), 0);
}

void pcf_begin_sum(const struct pcf_summing *summing, uint64_t *sum) {
  memset(sum, 0, pcf_sum_length(summing) * sizeof *sum);
  if (summing->x->linear) pcf_begin_line_sum(summing, sum);
}

void pcf_join_sum(const struct pcf_summing *summing, uint64_t *sum, const uint64_t *more) {
  if (summing->x->linear) pcf_join_line_sum(summing, sum, more);
  else pcf_wide_sum(&summing->fixed, sum, more);
}

void pcf_add_to_totals(const struct pcf_summing *summing, const struct pcf_event *event,
                       const uint16_t *bucket, int64_t n, uint64_t *total) {
  if (summing->x->linear) {
    pcf_add_line_totals(summing, event, bucket, n, total);
    return;
  }
  if (pcf_is_narrow(summing)) {
    for (int64_t k = 0; k < n; k++) {
      uint64_t *of = total + 2 * (size_t)bucket[k];
      struct pcf_narrow sum = pcf_narrow_sum(narrow_at(of), narrow_at(event[k].change));
      of[0] = sum.low;
      of[1] = sum.high;
    }
    return;
  }
  for (int64_t k = 0; k < n; k++) {
    size_t at = (size_t)summing->fixed.limbs * bucket[k];
    add_change(&summing->fixed, total + at, event[k].change);
  }
}

/* ---- Points ---- */

double pcf_sum_value(const struct pcf_summing *summing, const struct pcf_dividing *dividing,
                     const uint64_t *sum) {
  const struct pcf_divisor *divisor = &dividing->divisor;
  if (dividing->none) return pcf_missing();
  return pcf_is_narrow(summing) ? pcf_narrow_quotient(narrow_at(sum), &summing->fixed, divisor)
                                : pcf_wide_quotient(sum, &summing->fixed, divisor);
}

void pcf_append_point(struct pcf_points *points, double time, double value) {
  if (points->started && value == points->last) return;
  if (points->started && isnan(value) && isnan(points->last)) return;
  points->infinite |= isinf(value) != 0;
  points->point[points->count++] = (struct pcf_point){time, value + 0.0};
  points->last = value;
  points->started = 1;
}

INLINE void sum_events(const struct pcf_summing *summing, struct pcf_dividing *dividing,
                       int changing, const struct pcf_event *event, int64_t n, uint64_t *sum,
                       struct pcf_points *points) {
  const struct pcf_divisor *divisor = &dividing->divisor;
  struct pcf_narrow narrow = narrow_at(sum);
  int is_wide = !pcf_is_narrow(summing);
  for (int64_t k = 0; k < n; k++) {
    if (is_wide) add_change(&summing->fixed, sum, event[k].change);
    else narrow = pcf_narrow_sum(narrow, narrow_at(event[k].change));
    if (k + 1 < n && event[k + 1].key == event[k].key) continue;
    if (changing) pcf_divide_at(dividing, event[k].key);
    double value;
    if (changing && dividing->none) value = pcf_missing();
    else if (is_wide) value = pcf_wide_quotient(sum, &summing->fixed, divisor);
    else value = pcf_narrow_quotient(narrow, &summing->fixed, divisor);
    pcf_append_point(points, pcf_time_of(event[k].key), value);
  }
  if (is_wide) return;
  sum[0] = narrow.low;
  sum[1] = narrow.high;
}

void pcf_sum_events(const struct pcf_summing *summing, struct pcf_dividing *dividing,
                    const struct pcf_event *event, int64_t n, uint64_t *sum,
                    struct pcf_points *points) {
  if (summing->x->linear) pcf_sum_line_events(summing, dividing, event, n, sum, points);
  else if (dividing->count) sum_events(summing, dividing, 1, event, n, sum, points);
  else sum_events(summing, dividing, 0, event, n, sum, points);
}
