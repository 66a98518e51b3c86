#include "summaries/norms.h"

#include "arithmetic/half-powers.h"
#include "arithmetic/lanes.h"
#include "arrays/partition.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

/* Functions are short and scattered in memory, so that the processor cannot predict what is
 * read next: prefetches so many numbers ahead, and what follows the section. */
enum { AHEAD = 128, SOON = 4 };

/* What is measured next, which is prefetched meanwhile. */
struct next {
  const double *time, *value;
};

struct measurement {
  const struct pcf_collection *x;
  const struct pcf_measuring *measuring;
  int half_powers;
  double *result;
  struct pcf_fault *fault;
  atomic_int missing;
};

static void measure_whole(void *measurement, int64_t first, int64_t last);
static void measure_parts(void *measurement, int64_t i, int64_t first, int64_t last,
                          void *slot);
static void combine_parts(void *measurement, int64_t i, const void *slot);

enum pcf_status pcf_measure(const struct pcf_collection *x,
                            const struct pcf_measuring *measuring, int threads,
                            const atomic_int *stop, double *result, int *missing,
                            struct pcf_fault *fault, struct pcf_error *error) {
  static const struct pcf_reduction reduction = {sizeof(struct pcf_section_part), measure_whole,
                                                 measure_parts, combine_parts};
  struct measurement measurement = {
    .x = x, .measuring = measuring, .result = result, .fault = fault};
  measurement.half_powers = pcf_half_powers(measuring->p);
  *fault = (struct pcf_fault){0};
  enum pcf_status status =
    pcf_reduce_segments(x->offsets, x->count, threads, stop, &reduction, &measurement, error);
  if (!status) status = pcf_fault_status(fault, error);
  if (missing) *missing = atomic_load(&measurement.missing);
  return status;
}

/* ---- Many pieces at once ---- */

struct pieces {
  struct pcf_section_sums sums;
  double step; /* the largest t_k - t_{k+1}: negative where times increase */
};

/* Sums over pieces 0 … n - 1 of n + 1 breakpoints, without the value of the last one;
 * prefetches as many of the next numbers. The sums also show whether the function is sound: it
 * is if all steps are negative and the sum is finite. Otherwise the caller looks for the
 * reason. */
INLINE struct pieces sum_pieces(enum pcf_measure measure, const double *time,
                                const double *value, int64_t n, struct next next) {
  int with_absolute = measure == PCF_INTEGRAL, with_supremum = measure == PCF_NORM_LINF;
  struct pcf_section_sums rest = {0, 0, 0};
  double most_step = -INFINITY;
  int64_t k = 0;
  if (n >= EIGHT) {
    V sum[VECTORS], absolute[VECTORS], supremum[VECTORS], step[VECTORS];
    UNROLL
    for (int l = 0; l < VECTORS; l++) {
      sum[l] = absolute[l] = supremum[l] = v_set1(0);
      step[l] = v_set1(-INFINITY);
    }
    for (; k + EIGHT <= n; k += EIGHT) {
      FETCH(time + k + AHEAD);
      FETCH(value + k + AHEAD);
      FETCH(next.time + k);
      FETCH(next.value + k);
      UNROLL
      for (int l = 0; l < VECTORS; l++) {
        const double *at = time + k + l * LANES;
        V back = v_sub(v_load(at), v_load(at + 1)), y = v_load(value + k + l * LANES);
        V y_absolute = v_abs(y);
        step[l] = v_max(step[l], back);
        if (measure == PCF_NORM_L2) y = v_mul(y, y);
        else if (measure != PCF_INTEGRAL) y = y_absolute;
        sum[l] = v_add(sum[l], v_mul(y, back));
        if (with_absolute) absolute[l] = v_add(absolute[l], v_mul(y_absolute, back));
        if (with_supremum) supremum[l] = v_max(supremum[l], y_absolute);
      }
    }
    rest.sum = sum_of_lanes(sum);
    most_step = most_of_lanes(step);
    if (with_absolute) rest.absolute = sum_of_lanes(absolute);
    if (with_supremum) rest.supremum = most_of_lanes(supremum);
  }
  for (; k < n; k++) {
    double back = time[k] - time[k + 1], y = value[k], y_absolute = fabs(y);
    most_step = most_step > back ? most_step : back;
    if (measure == PCF_NORM_L2) y *= y;
    else if (measure != PCF_INTEGRAL) y = y_absolute;
    rest.sum += y * back;
    if (with_absolute) rest.absolute += y_absolute * back;
    if (with_supremum) rest.supremum = y_absolute > rest.supremum ? y_absolute : rest.supremum;
  }
  rest.sum = -rest.sum;
  rest.absolute = with_absolute ? -rest.absolute : rest.sum;
  return (struct pieces){rest, most_step};
}

/* ---- One section ---- */

static struct pcf_section_part scaled_part(const struct measurement *measurement,
                                           const struct pcf_section *s,
                                           const struct pcf_section_view *view);
static int is_faulty(struct measurement *measurement, int64_t i, const struct pcf_section *s,
                     struct pcf_range *range);
static struct pcf_section_part measure_partial(enum pcf_measure measure,
                                               const struct measurement *measurement,
                                               const struct pcf_section *s);
static struct pcf_section_part measure_lines(enum pcf_measure measure,
                                             struct measurement *measurement, int64_t i,
                                             const struct pcf_section *s);
static struct pcf_section_part measure_view(enum pcf_measure measure,
                                            const struct measurement *measurement,
                                            const struct pcf_section *s,
                                            const struct pcf_section_view *view,
                                            struct pcf_section_sums *sums);

/* Measures the section of function i, or reports that it is not sound. Missing values and times
 * of −∞ show in the sums, as faults do. */
INLINE struct pcf_section_part measure_section(enum pcf_measure measure,
                                               struct measurement *measurement, int64_t i,
                                               const struct pcf_section *s, struct next next) {
  if (s->left) return measure_lines(measure, measurement, i, s);
  int has_last = s->end == s->breakpoints;
  int64_t limit = has_last ? s->end - 1 : s->end;
  const double *time = s->time + s->first, *value = s->value + s->first;
  struct pieces pieces = sum_pieces(measure, time, value, limit - s->first, next);
  struct pcf_section_sums sums = pieces.sums;
  double zero = sums.absolute - sums.absolute + (time[0] - time[0]);
  if (has_last) zero += s->value[limit] - s->value[limit];
  if (!(pieces.step < 0 && zero == 0)) {
    struct pcf_range range = PCF_EMPTY_RANGE;
    if (is_faulty(measurement, i, s, &range)) return pcf_plain_part(0);
    if (range.missing) atomic_store(&measurement->missing, 1);
    if (range.missing || range.endless) return measure_partial(measure, measurement, s);
  }
  struct pcf_section_view view =
    pcf_section_view_of(s, measurement->measuring->from, measurement->measuring->to);
  if (view.first > s->first || view.end < limit) {
    time = s->time + view.first, value = s->value + view.first;
    next = (struct next){time, value};
    sums = sum_pieces(measure, time, value, view.end - view.first, next).sums;
  }
  return measure_view(measure, measurement, s, &view, &sums);
}

/* `sums` are those of the whole pieces of the view. */
INLINE struct pcf_section_part measure_view(enum pcf_measure measure,
                                            const struct measurement *measurement,
                                            const struct pcf_section *s,
                                            const struct pcf_section_view *view,
                                            struct pcf_section_sums *sums) {
  if (!pcf_add_edges(measure, view, sums)) return pcf_plain_part(sums->sum);
  if (measure == PCF_NORM_LINF) return (struct pcf_section_part){sums->supremum, 0, 0};
  if (measure != PCF_NORM_LP && pcf_sums_are_safe(measure, s, view, sums)) {
    return pcf_plain_part(sums->sum);
  }
  return scaled_part(measurement, s, view);
}

INLINE struct pcf_section_part measure_known(enum pcf_measure measure,
                                             const struct measurement *measurement,
                                             const struct pcf_section *s,
                                             const struct pcf_section_view *view) {
  const double *time = s->time + view->first, *value = s->value + view->first;
  struct next next = {time, value};
  struct pcf_section_sums sums =
    sum_pieces(measure, time, value, view->end - view->first, next).sums;
  return measure_view(measure, measurement, s, view, &sums);
}

/* A section of other heights, in which nothing is missing any more. */
static struct pcf_section_part measure_heights(enum pcf_measure measure,
                                               const struct measurement *measurement,
                                               const struct pcf_section *s,
                                               const struct pcf_section_view *view) {
  switch (measure) {
  case PCF_NORM_L1: return measure_known(PCF_NORM_L1, measurement, s, view);
  case PCF_NORM_L2: return measure_known(PCF_NORM_L2, measurement, s, view);
  case PCF_NORM_LP: return measure_known(PCF_NORM_LP, measurement, s, view);
  case PCF_NORM_LINF: return measure_known(PCF_NORM_LINF, measurement, s, view);
  case PCF_INTEGRAL: break;
  }
  return measure_known(PCF_INTEGRAL, measurement, s, view);
}

/* The same section from 0 on, with those heights. */
static struct pcf_section with_heights(const struct pcf_section *s, const double *height) {
  struct pcf_section known = {
    .time = s->time + s->first, .value = height, .end = s->end - s->first};
  known.breakpoints = known.end + (s->end < s->breakpoints);
  return known;
}

/* A section with 0 in the place of missing values, which adds nothing. */
static struct pcf_section_part measure_partial(enum pcf_measure measure,
                                               const struct measurement *measurement,
                                               const struct pcf_section *s) {
  double height[PCF_PART];
  const struct pcf_measuring *measuring = measurement->measuring;
  struct pcf_section known = with_heights(s, height);
  int64_t k = 0;
  do height[k] = pcf_known(s->value[s->first + k]);
  while (++k < known.end);
  struct pcf_section_view view = pcf_section_view_of(&known, measuring->from, measuring->to);
  pcf_cut_endless_piece(&view, &known);
  return measure_heights(measure, measurement, &known, &view);
}

/* A section of a piecewise linear function, as that of a step function that adds as much. */
static struct pcf_section_part measure_lines(enum pcf_measure measure,
                                             struct measurement *measurement, int64_t i,
                                             const struct pcf_section *s) {
  double height[PCF_PART];
  const struct pcf_measuring *measuring = measurement->measuring;
  struct pcf_section known = with_heights(s, height);
  const double *value = s->value + s->first, *left = s->left + s->first;
  struct pcf_range range = PCF_EMPTY_RANGE;
  if (is_faulty(measurement, i, s, &range)) return pcf_plain_part(0);
  if (range.missing) atomic_store(&measurement->missing, 1);
  int64_t lines = known.end < known.breakpoints ? known.end : known.end - 1;
  for (int64_t k = 0; k < lines; k++) {
    height[k] = pcf_known(pcf_height_of_line(measure, value[k], left[k + 1]));
  }
  struct pcf_section_view view = pcf_section_view_of(s, measuring->from, measuring->to);
  pcf_cut_lines(measure, s, measuring->from, measuring->to, &view);
  for (int e = 0; e < view.edges; e++) view.edge[e].value = pcf_known(view.edge[e].value);
  view.first -= s->first;
  view.end -= s->first;
  return measure_heights(measure, measurement, &known, &view);
}

/* Notes the first fault of function i, which is looked for only if the section is not sound.
 * Widens `range` to the section. */
static int is_faulty(struct measurement *measurement, int64_t i, const struct pcf_section *s,
                     struct pcf_range *range) {
  if (pcf_stretch_is_sound(measurement->x, i, s->first, s->end, range)) return 0;
  return pcf_note_functions(measurement->fault, measurement->x, i, i + 1, range);
}

/* ---- Numbers that need scaling, and powers ---- */

static double exponent_of_root(enum pcf_measure measure, double p) {
  return measure == PCF_NORM_L2 ? 2 : measure == PCF_NORM_LP ? p : 1;
}

/* mantissa · 2^exponent, where the exponent is whole and may be far beyond that of a double. */
struct wide {
  double mantissa, exponent;
};

/* (value / unit)^p, for positive numbers and p >= 1. Powers of numbers of about 1 are taken,
 * and those of two are multiplied by p; an extreme p loses as many digits as it must anyway. */
static struct wide wide_power(double value, double unit, double p, int half_powers) {
  static const double most_p = 512; /* 2^-p is a normal number */
  int value_exponent, unit_exponent;
  double ratio = frexp(value, &value_exponent) / frexp(unit, &unit_exponent);
  double twos = value_exponent - unit_exponent;
  if (p > most_p) {
    double power = p * (twos + log2(ratio)), whole = floor(power);
    return (struct wide){isfinite(power) ? exp2(power - whole) : 1, whole};
  }
  double product = p * twos, whole = floor(product), rest = fma(p, twos, -product);
  return (struct wide){pcf_power(ratio, p, half_powers) * exp2(product - whole + rest), whole};
}

/* from < to, both finite or the difference of a sign that overflows. */
static struct wide wide_width(double from, double to) {
  int exponent;
  double width = to - from, half = isinf(width) ? to / 2 - from / 2 : width;
  double mantissa = frexp(half, &exponent);
  return (struct wide){mantissa, exponent + (isinf(width) ? 1 : 0)};
}

/* What piece k adds, relative to the power of the supremum. */
static struct wide wide_piece(const struct measurement *measurement,
                              const struct pcf_section *s, const struct pcf_section_view *view,
                              int64_t k, double supremum) {
  enum pcf_measure measure = measurement->measuring->measure;
  double p = exponent_of_root(measure, measurement->measuring->p);
  struct pcf_piece piece = pcf_piece_of(s, view, k);
  if (piece.value == 0) return (struct wide){0, 0};
  struct wide power = wide_power(fabs(piece.value), supremum, p, pcf_half_powers(p));
  struct wide width = wide_width(piece.from, piece.to);
  if (measure == PCF_INTEGRAL && piece.value < 0) power.mantissa = -power.mantissa;
  return (struct wide){power.mantissa * width.mantissa, power.exponent + width.exponent};
}

/* Sums pieces of extreme heights and widths without loss: a tall and narrow piece may add as
 * much as a low and wide one. */
static struct pcf_section_part wide_part(const struct measurement *measurement,
                                         const struct pcf_section *s,
                                         const struct pcf_section_view *view, double supremum) {
  int64_t end = view->end + view->edges;
  double most = -INFINITY;
  for (int64_t k = view->first; k < end; k++) {
    struct wide x = wide_piece(measurement, s, view, k, supremum);
    if (x.mantissa != 0) most = fmax(most, x.exponent);
  }
  struct pcf_total total = {0, 0};
  for (int64_t k = view->first; k < end; k++) {
    struct wide x = wide_piece(measurement, s, view, k, supremum);
    if (x.mantissa != 0 && x.exponent > most - 2000) {
      pcf_total_add(&total, ldexp(x.mantissa, (int)(x.exponent - most)));
    }
  }
  return (struct pcf_section_part){supremum, pcf_total_of(&total), most};
}

/* Sums values relative to the supremum times widths relative to the widest, so that nothing
 * overflows. Where the sum is so small that what underflowed may matter, wide_part() computes
 * it. */
static struct pcf_section_part scaled_part(const struct measurement *measurement,
                                           const struct pcf_section *s,
                                           const struct pcf_section_view *view) {
  enum pcf_measure measure = measurement->measuring->measure;
  int64_t end = view->end + view->edges;
  double supremum = 0, widest = 0;
  for (int64_t k = view->first; k < end; k++) {
    struct pcf_piece piece = pcf_piece_of(s, view, k);
    double width = piece.to - piece.from, height = fabs(piece.value);
    if (height == 0) continue;
    supremum = height > supremum ? height : supremum;
    widest = width > widest ? width : widest;
  }
  if (supremum == 0) return pcf_plain_part(0);
  int exponent = pcf_width_exponent(widest);
  struct pcf_total total = {0, 0};
  for (int64_t k = view->first; k < end; k++) {
    struct pcf_piece piece = pcf_piece_of(s, view, k);
    if (piece.value == 0) continue;
    double relative = piece.value / supremum;
    if (measure != PCF_INTEGRAL) relative = fabs(relative);
    if (measure == PCF_NORM_L2) relative *= relative;
    if (measure == PCF_NORM_LP) {
      relative = pcf_power(relative, measurement->measuring->p, measurement->half_powers);
    }
    pcf_total_add(&total, relative * pcf_scaled_width(piece.from, piece.to, exponent));
  }
  double sum = pcf_total_of(&total);
  if (!(fabs(sum) >= PCF_LEAST_SCALED_SUM)) return wide_part(measurement, s, view, supremum);
  return (struct pcf_section_part){supremum, sum, exponent};
}

/* ---- Results ---- */

/* The part whose numbers the others are compared with: the one with the largest unit. */
static const struct pcf_section_part *largest_part(const struct pcf_section_part *part,
                                                   int64_t count, double p) {
  const struct pcf_section_part *largest = NULL;
  double most = 0;
  for (int64_t k = 0; k < count; k++) {
    if (part[k].sum == 0) continue;
    double unit = p * log2(part[k].supremum) + log2(fabs(part[k].sum)) + part[k].exponent;
    if (largest && unit <= most) continue;
    largest = &part[k];
    most = unit;
  }
  return largest;
}

/* The sum of a part in the unit of the largest: sum · (supremum / largest)^p · 2^difference. */
static double relative_sum(const struct pcf_section_part *part,
                           const struct pcf_section_part *largest, double p) {
  if (part->supremum == largest->supremum && part->exponent == largest->exponent) {
    return part->sum;
  }
  struct wide unit = wide_power(part->supremum, largest->supremum, p, pcf_half_powers(p));
  double exponent = unit.exponent + part->exponent - largest->exponent;
  return ldexp(part->sum * unit.mantissa, (int)fmax(fmin(exponent, 4000), -4000));
}

/* supremum · sum^(1/p) · 2^(exponent/p), with no step on the way out of range. */
static double root_of(enum pcf_measure measure, double p, double sum,
                      const struct pcf_section_part *unit) {
  if (measure == PCF_NORM_L2) sum = sqrt(sum);
  else if (measure == PCF_NORM_LP) sum = pow(sum, 1 / p);
  if (unit->supremum == 1 && unit->exponent == 0) return sum;
  int supremum_exponent;
  double supremum = frexp(unit->supremum, &supremum_exponent);
  double root = unit->exponent / p, whole = fmax(fmin(floor(root), 4000), -4000);
  return ldexp(supremum * sum * exp2(root - whole), supremum_exponent + (int)whole);
}

static double result_of(enum pcf_measure measure, double p, const struct pcf_section_part *part,
                        int64_t count) {
  if (measure == PCF_NORM_LINF) {
    double supremum = 0;
    for (int64_t k = 0; k < count; k++) supremum = fmax(supremum, part[k].supremum);
    return supremum;
  }
  if (count == 1) return root_of(measure, p, part->sum, part);
  double infinite = 0;
  for (int64_t k = 0; k < count; k++) infinite += isfinite(part[k].sum) ? 0 : part[k].sum;
  if (infinite != 0) return infinite;
  const struct pcf_section_part *largest = largest_part(part, count, p);
  if (!largest) return 0;
  struct pcf_total total = {0, 0};
  for (int64_t k = 0; k < count; k++) {
    if (part[k].sum != 0) pcf_total_add(&total, relative_sum(&part[k], largest, p));
  }
  return root_of(measure, p, pcf_total_of(&total), largest);
}

/* ---- Functions and their parts ---- */

INLINE struct pcf_section_part measure_part(enum pcf_measure measure,
                                            struct measurement *measurement, int64_t i,
                                            int64_t part) {
  const struct pcf_collection *x = measurement->x;
  int64_t breakpoints = pcf_breakpoints(x, i), first = part * PCF_PART, end = first + PCF_PART;
  int is_last = end >= breakpoints;
  if (is_last) end = breakpoints;
  int64_t next = is_last && i + 1 < x->count ? i + 1 : i, next_first = is_last ? 0 : end;
  struct pcf_section s = pcf_section_of(x, i);
  s.first = first;
  s.end = end;
  struct next fetched = {pcf_times(x, next) + next_first, pcf_values(x, next) + next_first};
  return measure_section(measure, measurement, i, &s, fetched);
}

INLINE void measure_functions(enum pcf_measure measure, struct measurement *measurement,
                              int64_t first, int64_t last) {
  enum { MOST_PARTS = PCF_CHUNK / PCF_PART + 2 };
  struct pcf_section_part part[MOST_PARTS];
  double p = exponent_of_root(measure, measurement->measuring->p);
  for (int64_t i = first; i < last; i++) {
    int64_t count = pcf_parts_of(pcf_breakpoints(measurement->x, i));
    if (i + SOON < last) {
      FETCH(pcf_times(measurement->x, i + SOON));
      FETCH(pcf_values(measurement->x, i + SOON));
    }
    for (int64_t k = 0; k < count; k++) part[k] = measure_part(measure, measurement, i, k);
    measurement->result[i] = result_of(measure, p, part, count);
  }
}

static void measure_whole(void *measurement_, int64_t first, int64_t last) {
  struct measurement *measurement = measurement_;
  switch (measurement->measuring->measure) {
  case PCF_NORM_L1: measure_functions(PCF_NORM_L1, measurement, first, last); break;
  case PCF_NORM_L2: measure_functions(PCF_NORM_L2, measurement, first, last); break;
  case PCF_NORM_LP: measure_functions(PCF_NORM_LP, measurement, first, last); break;
  case PCF_NORM_LINF: measure_functions(PCF_NORM_LINF, measurement, first, last); break;
  case PCF_INTEGRAL: measure_functions(PCF_INTEGRAL, measurement, first, last); break;
  }
}

static void measure_parts(void *measurement_, int64_t i, int64_t first, int64_t last,
                          void *slot_) {
  struct measurement *measurement = measurement_;
  struct pcf_section_part *slot = slot_;
  for (int64_t k = first; k < last; k++) {
    switch (measurement->measuring->measure) {
    case PCF_NORM_L1: slot[k] = measure_part(PCF_NORM_L1, measurement, i, k); break;
    case PCF_NORM_L2: slot[k] = measure_part(PCF_NORM_L2, measurement, i, k); break;
    case PCF_NORM_LP: slot[k] = measure_part(PCF_NORM_LP, measurement, i, k); break;
    case PCF_NORM_LINF: slot[k] = measure_part(PCF_NORM_LINF, measurement, i, k); break;
    case PCF_INTEGRAL: slot[k] = measure_part(PCF_INTEGRAL, measurement, i, k); break;
    }
  }
}

static void combine_parts(void *measurement_, int64_t i, const void *slot) {
  struct measurement *measurement = measurement_;
  enum pcf_measure measure = measurement->measuring->measure;
  double p = exponent_of_root(measure, measurement->measuring->p);
  measurement->result[i] =
    result_of(measure, p, slot, pcf_parts_of(pcf_breakpoints(measurement->x, i)));
}

/* ---- Parts that were measured elsewhere ---- */

struct finishing {
  const struct pcf_collection *x;
  const struct pcf_measuring *measuring;
  const struct pcf_measured *measured;
  const atomic_int *stop;
  double *result;
};

static const struct pcf_section_part *parts_of(const struct finishing *finishing, int64_t i,
                                               int64_t *count) {
  *count = pcf_parts_of(pcf_breakpoints(finishing->x, i));
  return *count == 1 ? finishing->measured->whole + i
                     : finishing->measured->slot + pcf_slot_of(finishing->x->offsets, i);
}

static int is_left(const struct pcf_section_part *part, int64_t count) {
  int left = 0;
  for (int64_t k = 0; k < count; k++) left |= pcf_part_is_left(&part[k]) != 0;
  return left;
}

enum { FINISHED_AT_ONCE = 4096 };

/* Measures a function that is left: a collection of its own. */
static enum pcf_status measure_alone(const struct finishing *finishing, int64_t i,
                                     struct pcf_error *error) {
  const struct pcf_collection *x = finishing->x;
  int64_t offsets[] = {0, pcf_breakpoints(x, i)};
  struct pcf_collection alone = {
    .count = 1, .functions = &x->functions[i], .offsets = offsets, .linear = x->linear};
  struct pcf_fault fault;
  return pcf_measure(&alone, finishing->measuring, 1, finishing->stop, &finishing->result[i],
                     NULL, &fault, error);
}

static enum pcf_status finish_functions(void *finishing_, int thread, int64_t index,
                                        struct pcf_error *error) {
  const struct finishing *finishing = finishing_;
  const struct pcf_measuring *measuring = finishing->measuring;
  double p = exponent_of_root(measuring->measure, measuring->p);
  int64_t first = index * FINISHED_AT_ONCE, count, last = first + FINISHED_AT_ONCE;
  if (last > finishing->x->count) last = finishing->x->count;
  for (int64_t i = first; i < last; i++) {
    const struct pcf_section_part *part = parts_of(finishing, i, &count);
    enum pcf_status status = PCF_OK;
    if (is_left(part, count)) status = measure_alone(finishing, i, error);
    else finishing->result[i] = result_of(measuring->measure, p, part, count);
    if (status) return status;
  }
  return PCF_OK;
}

enum pcf_status pcf_measure_rest(const struct pcf_collection *x,
                                 const struct pcf_measuring *measuring,
                                 const struct pcf_measured *measured, int threads,
                                 const atomic_int *stop, double *result,
                                 struct pcf_error *error) {
  struct finishing finishing = {x, measuring, measured, stop, result};
  int64_t chunks = (x->count + FINISHED_AT_ONCE - 1) / FINISHED_AT_ONCE;
  return pcf_parallel_for(threads, chunks, stop, finish_functions, &finishing, error);
}
