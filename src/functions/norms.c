#include "functions/norms.h"

#include "base/lanes.h"
#include "base/memory.h"
#include "base/search.h"
#include "functions/partition.h"
#include "pairs/integral.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Functions are short and lie anywhere, too much for the processor to guess what is needed
 * next: memory is asked for so many numbers ahead, and for what follows the stretch. */
enum { AHEAD = 128, SOON = 4 };

/* The breakpoints first … end - 1 of a function, of which the last one may be among them. Its
 * pieces are [t_k, t_{k+1}), the last one goes on for ever. */
struct stretch {
  const double *time, *value;
  int64_t first, end, breakpoints;
  const double *next_time, *next_value; /* what is measured next, to be fetched meanwhile */
};

/* What a stretch adds: ∫ |f|^p = supremum^p · sum · 2^exponent, where the supremum is 1 unless
 * the numbers ask for scaling. An infinite sum is the result. For PCF_NORM_LINF only the
 * supremum counts. */
struct part {
  double supremum, sum, exponent;
};

struct measurement {
  const struct pcf_collection *x;
  const struct pcf_measuring *measuring;
  int half_powers;
  double *result;
  struct part *slot;
  struct pcf_first_fault fault;
  atomic_int missing;
};

static void measure_whole(void *measurement, int64_t first, int64_t last);
static void measure_parts(void *measurement, int64_t i, int64_t first, int64_t last);
static void combine_parts(void *measurement, int64_t i);

enum pcf_status pcf_measure(const struct pcf_collection *x,
                            const struct pcf_measuring *measuring, int threads,
                            const atomic_int *stop, double *result, int *missing,
                            struct pcf_fault *fault, struct pcf_error *error) {
  static const struct pcf_reduction reduction = {measure_whole, measure_parts, combine_parts};
  struct measurement measurement = {.x = x, .measuring = measuring, .result = result};
  measurement.half_powers = pcf_half_powers(measuring->p);
  size_t slots = (size_t)pcf_slot_count(x->offsets, x->count);
  measurement.slot = pcf_allocate(slots, sizeof *measurement.slot, error);
  if (!measurement.slot) return PCF_ERROR_MEMORY;
  pcf_first_fault_init(&measurement.fault, fault);
  enum pcf_status status =
    pcf_reduce_segments(x->offsets, x->count, threads, stop, &reduction, &measurement, error);
  if (!status) status = pcf_first_fault_status(&measurement.fault, error);
  pcf_first_fault_free(&measurement.fault);
  if (missing) *missing = atomic_load(&measurement.missing);
  pcf_free(measurement.slot);
  return status;
}

/* ---- Many pieces at once ---- */

struct sums {
  double sum;      /* ∫ |f|, ∫ f² or ∫ f */
  double absolute; /* ∫ |f|, for the measures that do not sum it */
  double supremum; /* of |f|, for PCF_NORM_LINF */
  double step;     /* the largest t_k - t_{k+1}: negative where times increase */
};

/* Pieces 0 … n - 1 of n + 1 breakpoints, the last of which is not looked at for its value;
 * meanwhile as many numbers from next_time and next_value on are fetched. The same sums say
 * whether the function is sound: if no step is 0 or more and the sum is finite, all is well.
 * Anything else is looked into afterwards. */
INLINE struct sums sum_pieces(enum pcf_measure measure, const double *time, const double *value,
                              int64_t n, const double *next_time, const double *next_value) {
  int with_absolute = measure == PCF_INTEGRAL, with_supremum = measure == PCF_NORM_LINF;
  struct sums rest = {0, 0, 0, -INFINITY};
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
      FETCH(next_time + k);
      FETCH(next_value + k);
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
    rest.step = most_of_lanes(step);
    if (with_absolute) rest.absolute = sum_of_lanes(absolute);
    if (with_supremum) rest.supremum = most_of_lanes(supremum);
  }
  for (; k < n; k++) {
    double back = time[k] - time[k + 1], y = value[k], y_absolute = fabs(y);
    rest.step = rest.step > back ? rest.step : back;
    if (measure == PCF_NORM_L2) y *= y;
    else if (measure != PCF_INTEGRAL) y = y_absolute;
    rest.sum += y * back;
    if (with_absolute) rest.absolute += y_absolute * back;
    if (with_supremum) rest.supremum = y_absolute > rest.supremum ? y_absolute : rest.supremum;
  }
  return (struct sums){-rest.sum, with_absolute ? -rest.absolute : -rest.sum, rest.supremum,
                       rest.step};
}

/* ---- Windows ---- */

/* What of a stretch is in the window: the whole pieces first … end - 1, and up to two pieces
 * that are cut or have no end. */
struct view {
  int64_t first, end;
  struct {
    double from, to, value;
  } edge[2];
  int edges;
};

static void add_edge(struct view *view, double from, double to, double value) {
  if (!(from < to)) return;
  view->edge[view->edges].from = from;
  view->edge[view->edges].to = to;
  view->edge[view->edges++].value = value;
}

static struct view view_of(const struct stretch *s, double from, double to) {
  int has_last = s->end == s->breakpoints;
  int64_t limit = has_last ? s->end - 1 : s->end; /* time[limit] ends the last whole piece */
  struct view view = {.first = s->first, .end = limit, .edges = 0};
  if (!(s->time[s->first] >= from)) {
    view.first = pcf_first_from(s->time, s->first, limit + 1, from);
    if (view.first > s->first && view.first <= limit) {
      double end = s->time[view.first] < to ? s->time[view.first] : to;
      add_edge(&view, from, end, s->value[view.first - 1]);
    }
  }
  if (!(s->time[limit] <= to)) {
    int64_t after = pcf_first_from(s->time, view.first, limit + 1, to);
    view.end = after > view.first ? after - 1 : view.first;
    if (after > view.first) add_edge(&view, s->time[after - 1], to, s->value[after - 1]);
  } else if (view.first > limit) {
    view.first = limit;
  }
  if (has_last && s->time[limit] < to) {
    add_edge(&view, s->time[limit] > from ? s->time[limit] : from, to, s->value[limit]);
  }
  return view;
}

/* ---- One stretch ---- */

/* Sums in this range have lost nothing to underflow, and many of them can be added up. */
static const double safe_least = 0x1p-900, safe_most = 0x1p900;

static int add_edges(enum pcf_measure measure, const struct view *view, struct sums *sums);
static struct part scaled_part(const struct measurement *measurement, const struct stretch *s,
                               const struct view *view);
static int is_faulty(struct measurement *measurement, int64_t i, const struct stretch *s,
                     struct pcf_range *range);
static struct part measure_partial(enum pcf_measure measure,
                                   const struct measurement *measurement,
                                   const struct stretch *s);
static struct part measure_view(enum pcf_measure measure, const struct measurement *measurement,
                                const struct stretch *s, const struct view *view,
                                struct sums *sums);

/* The squares of the values may have been off by 2^-1074 each, over the whole width. */
INLINE int is_safe(enum pcf_measure measure, const struct stretch *s, const struct view *view,
                   const struct sums *sums) {
  if (!(sums->absolute >= safe_least && sums->absolute <= safe_most)) return 0;
  if (measure != PCF_NORM_L2) return 1;
  int64_t last = s->end < s->breakpoints ? s->end : s->breakpoints - 1;
  double width = s->time[last] - s->time[s->first];
  for (int k = 0; k < view->edges; k++) {
    if (view->edge[k].value != 0) width += view->edge[k].to - view->edge[k].from;
  }
  return sums->absolute >= 0x1p-1000 * width;
}

/* Measures the stretch of function i, or reports that it is not sound. Missing values and times
 * of −∞ show in the sums, as faults do. */
INLINE struct part measure_stretch(enum pcf_measure measure, struct measurement *measurement,
                                   int64_t i, const struct stretch *s) {
  int has_last = s->end == s->breakpoints;
  int64_t limit = has_last ? s->end - 1 : s->end;
  const double *time = s->time + s->first, *value = s->value + s->first;
  struct sums sums =
    sum_pieces(measure, time, value, limit - s->first, s->next_time, s->next_value);
  double zero = sums.absolute - sums.absolute + (time[0] - time[0]);
  if (has_last) zero += s->value[limit] - s->value[limit];
  if (!(sums.step < 0 && zero == 0)) {
    struct pcf_range range = PCF_EMPTY_RANGE;
    if (is_faulty(measurement, i, s, &range)) return (struct part){1, 0, 0};
    if (range.missing) atomic_store(&measurement->missing, 1);
    if (range.missing || range.endless) return measure_partial(measure, measurement, s);
  }
  struct view view = view_of(s, measurement->measuring->from, measurement->measuring->to);
  if (view.first > s->first || view.end < limit) {
    time = s->time + view.first, value = s->value + view.first;
    sums = sum_pieces(measure, time, value, view.end - view.first, time, value);
  }
  return measure_view(measure, measurement, s, &view, &sums);
}

/* `sums` are those of the whole pieces of the view. */
INLINE struct part measure_view(enum pcf_measure measure, const struct measurement *measurement,
                                const struct stretch *s, const struct view *view,
                                struct sums *sums) {
  if (!add_edges(measure, view, sums)) return (struct part){1, sums->sum, 0};
  if (measure == PCF_NORM_LINF) return (struct part){sums->supremum, 0, 0};
  if (measure != PCF_NORM_LP && is_safe(measure, s, view, sums)) {
    return (struct part){1, sums->sum, 0};
  }
  return scaled_part(measurement, s, view);
}

INLINE struct part measure_known(enum pcf_measure measure,
                                 const struct measurement *measurement, const struct stretch *s,
                                 const struct view *view) {
  const double *time = s->time + view->first, *value = s->value + view->first;
  struct sums sums = sum_pieces(measure, time, value, view->end - view->first, time, value);
  return measure_view(measure, measurement, s, view, &sums);
}

/* A stretch with 0 in the place of missing values, which adds nothing. A piece from −∞ on is
 * not like the others: it is an edge of the window. */
static struct part measure_partial(enum pcf_measure measure,
                                   const struct measurement *measurement,
                                   const struct stretch *s) {
  double value[PCF_PART];
  struct stretch known = {.time = s->time + s->first, .value = value, .end = s->end - s->first};
  known.breakpoints = known.end + (s->end < s->breakpoints);
  memcpy(value, s->value + s->first, (size_t)known.end * sizeof *value);
  for (int64_t k = 0; k < known.end; k++) value[k] = isnan(value[k]) ? 0 : value[k];
  struct view view = view_of(&known, measurement->measuring->from, measurement->measuring->to);
  if (view.end > view.first && known.time[view.first] == -INFINITY) {
    view.first++;
    add_edge(&view, -INFINITY, known.time[view.first], value[0]);
  }
  switch (measure) {
  case PCF_NORM_L1: return measure_known(PCF_NORM_L1, measurement, &known, &view);
  case PCF_NORM_L2: return measure_known(PCF_NORM_L2, measurement, &known, &view);
  case PCF_NORM_LP: return measure_known(PCF_NORM_LP, measurement, &known, &view);
  case PCF_NORM_LINF: return measure_known(PCF_NORM_LINF, measurement, &known, &view);
  case PCF_INTEGRAL: break;
  }
  return measure_known(PCF_INTEGRAL, measurement, &known, &view);
}

/* Returns 0 when the sum is infinite: what is 0 adds nothing, however wide it is. */
static int add_edges(enum pcf_measure measure, const struct view *view, struct sums *sums) {
  double infinite = 0;
  for (int k = 0; k < view->edges; k++) {
    double width = view->edge[k].to - view->edge[k].from, y = view->edge[k].value;
    double absolute = fabs(y);
    int unbounded = isinf(view->edge[k].to) || isinf(view->edge[k].from);
    if (y == 0) continue;
    sums->supremum = absolute > sums->supremum ? absolute : sums->supremum;
    if (unbounded && measure != PCF_NORM_LINF) {
      infinite += measure == PCF_INTEGRAL && y < 0 ? -INFINITY : INFINITY;
      continue;
    }
    if (measure == PCF_NORM_L2) absolute = y *= y;
    else if (measure != PCF_INTEGRAL) y = absolute;
    sums->sum += y * width;
    sums->absolute += absolute * width;
  }
  if (infinite == 0) return 1;
  sums->sum = infinite;
  return 0;
}

/* Notes the first fault of function i, if it has one: the stretch tells whether it is worth
 * while to look. Widens `range` to the stretch, or to the function. */
static int is_faulty(struct measurement *measurement, int64_t i, const struct stretch *s,
                     struct pcf_range *range) {
  if (pcf_stretch_is_sound(measurement->x, i, s->first, s->end, range)) return 0;
  return pcf_note_functions(&measurement->fault, measurement->x, i, i + 1, range);
}

/* ---- Numbers that need scaling, and powers ---- */

static double exponent_of_root(enum pcf_measure measure, double p) {
  return measure == PCF_NORM_L2 ? 2 : measure == PCF_NORM_LP ? p : 1;
}

enum { SAFE_EXPONENT = 300 };

/* One piece after the other: the whole ones, then the edges. */
static void piece(const struct stretch *s, const struct view *view, int64_t k, double *from,
                  double *to, double *value) {
  if (k < view->end) {
    *from = s->time[k], *to = s->time[k + 1], *value = s->value[k];
  } else {
    k -= view->end;
    *from = view->edge[k].from, *to = view->edge[k].to, *value = view->edge[k].value;
  }
}

/* The exponent to scale widths with; even, so that its square root is a power of two. */
static int width_exponent(double widest) {
  int exponent;
  if (isinf(widest)) return 1026;
  frexp(widest, &exponent);
  return abs(exponent) <= SAFE_EXPONENT ? 0 : exponent + (exponent & 1);
}

static double scaled_width(double from, double to, int exponent) {
  if (exponent > 0) return ldexp(to, -exponent) - ldexp(from, -exponent);
  return exponent ? ldexp(to - from, -exponent) : to - from;
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
static struct wide wide_piece(const struct measurement *measurement, const struct stretch *s,
                              const struct view *view, int64_t k, double supremum) {
  enum pcf_measure measure = measurement->measuring->measure;
  double from, to, y, p = exponent_of_root(measure, measurement->measuring->p);
  piece(s, view, k, &from, &to, &y);
  if (y == 0) return (struct wide){0, 0};
  struct wide power = wide_power(fabs(y), supremum, p, pcf_half_powers(p));
  struct wide width = wide_width(from, to);
  if (measure == PCF_INTEGRAL && y < 0) power.mantissa = -power.mantissa;
  return (struct wide){power.mantissa * width.mantissa, power.exponent + width.exponent};
}

/* Pieces of extreme heights and widths: what a tall and narrow one adds may be as much as what
 * a low and wide one does, and neither is lost. */
static struct part wide_part(const struct measurement *measurement, const struct stretch *s,
                             const struct view *view, double supremum) {
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
  return (struct part){supremum, pcf_total_of(&total), most};
}

/* Values relative to the supremum and widths relative to the widest: nothing overflows. Where
 * the sum is so small that what vanished may have counted, it is taken again with care. */
static struct part scaled_part(const struct measurement *measurement, const struct stretch *s,
                               const struct view *view) {
  static const double least_sum = 0x1p-600;
  enum pcf_measure measure = measurement->measuring->measure;
  int64_t end = view->end + view->edges;
  double from, to, y, supremum = 0, widest = 0;
  for (int64_t k = view->first; k < end; k++) {
    piece(s, view, k, &from, &to, &y);
    if (y == 0) continue;
    supremum = fabs(y) > supremum ? fabs(y) : supremum;
    widest = to - from > widest ? to - from : widest;
  }
  if (supremum == 0) return (struct part){1, 0, 0};
  int exponent = width_exponent(widest);
  struct pcf_total total = {0, 0};
  for (int64_t k = view->first; k < end; k++) {
    piece(s, view, k, &from, &to, &y);
    if (y == 0) continue;
    double relative = y / supremum;
    if (measure != PCF_INTEGRAL) relative = fabs(relative);
    if (measure == PCF_NORM_L2) relative *= relative;
    if (measure == PCF_NORM_LP) {
      relative = pcf_power(relative, measurement->measuring->p, measurement->half_powers);
    }
    pcf_total_add(&total, relative * scaled_width(from, to, exponent));
  }
  double sum = pcf_total_of(&total);
  if (!(fabs(sum) >= least_sum)) return wide_part(measurement, s, view, supremum);
  return (struct part){supremum, sum, exponent};
}

/* ---- Results ---- */

/* The part whose numbers the others are compared with: the one with the largest unit. */
static const struct part *largest_part(const struct part *part, int64_t count, double p) {
  const struct part *largest = NULL;
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
static double relative_sum(const struct part *part, const struct part *largest, double p) {
  if (part->supremum == largest->supremum && part->exponent == largest->exponent) {
    return part->sum;
  }
  struct wide unit = wide_power(part->supremum, largest->supremum, p, pcf_half_powers(p));
  double exponent = unit.exponent + part->exponent - largest->exponent;
  return ldexp(part->sum * unit.mantissa, (int)fmax(fmin(exponent, 4000), -4000));
}

/* supremum · sum^(1/p) · 2^(exponent/p), with no step on the way out of range. */
static double root_of(enum pcf_measure measure, double p, double sum, const struct part *unit) {
  if (measure == PCF_NORM_L2) sum = sqrt(sum);
  else if (measure == PCF_NORM_LP) sum = pow(sum, 1 / p);
  if (unit->supremum == 1 && unit->exponent == 0) return sum;
  int supremum_exponent;
  double supremum = frexp(unit->supremum, &supremum_exponent);
  double root = unit->exponent / p, whole = fmax(fmin(floor(root), 4000), -4000);
  return ldexp(supremum * sum * exp2(root - whole), supremum_exponent + (int)whole);
}

static double result_of(enum pcf_measure measure, double p, const struct part *part,
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
  const struct part *largest = largest_part(part, count, p);
  if (!largest) return 0;
  struct pcf_total total = {0, 0};
  for (int64_t k = 0; k < count; k++) {
    if (part[k].sum != 0) pcf_total_add(&total, relative_sum(&part[k], largest, p));
  }
  return root_of(measure, p, pcf_total_of(&total), largest);
}

/* ---- Functions and their parts ---- */

INLINE struct part measure_part(enum pcf_measure measure, struct measurement *measurement,
                                int64_t i, int64_t part) {
  const struct pcf_collection *x = measurement->x;
  int64_t breakpoints = pcf_breakpoints(x, i), first = part * PCF_PART, end = first + PCF_PART;
  int is_last = end >= breakpoints;
  if (is_last) end = breakpoints;
  int64_t next = is_last && i + 1 < x->count ? i + 1 : i, next_first = is_last ? 0 : end;
  struct stretch s = {.time = pcf_times(x, i),
                      .value = pcf_values(x, i),
                      .first = first,
                      .end = end,
                      .breakpoints = breakpoints,
                      .next_time = pcf_times(x, next) + next_first,
                      .next_value = pcf_values(x, next) + next_first};
  return measure_stretch(measure, measurement, i, &s);
}

INLINE void measure_functions(enum pcf_measure measure, struct measurement *measurement,
                              int64_t first, int64_t last) {
  enum { MOST_PARTS = PCF_CHUNK / PCF_PART + 2 };
  struct part part[MOST_PARTS];
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

static void measure_parts(void *measurement_, int64_t i, int64_t first, int64_t last) {
  struct measurement *measurement = measurement_;
  struct part *slot = measurement->slot + pcf_slot_of(measurement->x->offsets, i);
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

static void combine_parts(void *measurement_, int64_t i) {
  struct measurement *measurement = measurement_;
  enum pcf_measure measure = measurement->measuring->measure;
  double p = exponent_of_root(measure, measurement->measuring->p);
  const struct part *slot = measurement->slot + pcf_slot_of(measurement->x->offsets, i);
  measurement->result[i] =
    result_of(measure, p, slot, pcf_parts_of(pcf_breakpoints(measurement->x, i)));
}
