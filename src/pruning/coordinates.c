#include "pruning/coordinates.h"

#include "base/memory.h"
#include "base/quantiles.h"
#include "integrals/view.h"

#include <float.h>
#include <math.h>

/* Why a bound holds. Let f and g be two functions as the engine has them, in scaled times and
 * values, and a_s(f) = weight[s] ∫ f over stretch s.
 *
 * 1. ‖f − g‖ >= ‖a(f) − a(g)‖: over a stretch of the length l, ∫ |f − g|^p is at least
 *    l^(1 − p) |∫ (f − g)|^p, and weight = l^(1/p − 1), to a few roundings; so it is where the
 *    integrals and l are weighted. What the stretches leave out of the window, or have the
 * weight 0, only adds to the distance.
 * 2. The sum of n pieces of a function, each a difference, a product and an addition, is off by
 *    at most (n + 4) u Σ |pieces|, u = 2^-53, or by 2^-1074 for a piece that underflows. A
 * point is the sum less the center, which both functions have, rounded to single precision. All
 * of this is the function's slack; a sum of absolute errors is at least their norm.
 * 3. Cutting coordinates off at ±largest brings no two points further apart.
 * 4. In single precision the engine rounds times and values, unless its method does not. By
 *    Minkowski's inequality, that takes a function away from itself by at most
 *    Σ |jump| |change of its time|^(1/p) + 2^-24 sup |f| (window)^(1/p): slack, too. So are the
 *    jumps of a weight, sup |f| |change of its time|^(1/p), where f itself need not jump.
 * 5. The engine's own sums have terms of one sign, so that their errors are relative: `error`.
 *    What underflows in them is less than `least` stands for. */

enum { SAMPLED_FUNCTIONS = 2048, SAMPLED_TIMES = 1 << 14, CENTERED_FUNCTIONS = 256 };

/* From this exponent on, powers of most differences vanish beside that of the largest. */
static const double most_powers = 16;

static const double unit_in_last = 0x1p-53, single_unit = 0x1p-24;

static int choose_metric(struct pcf_coordinates *coordinates);
static void find_errors(struct pcf_coordinates *coordinates,
                        const struct pcf_compared *compared);
static enum pcf_status find_stretches(struct pcf_coordinates *coordinates,
                                      const struct pcf_compared *compared,
                                      struct pcf_error *error);
static enum pcf_status find_center(struct pcf_coordinates *coordinates,
                                   const struct pcf_compared *compared,
                                   struct pcf_error *error);

enum pcf_status pcf_coordinates_find(struct pcf_coordinates *coordinates,
                                     const struct pcf_compared *compared,
                                     struct pcf_error *error) {
  *coordinates = (struct pcf_coordinates){.integral = *compared->integral};
  if (compared->range.missing || !choose_metric(coordinates)) return PCF_OK;
  find_errors(coordinates, compared);
  enum pcf_status status = find_stretches(coordinates, compared, error);
  if (status || !coordinates->stretches) return status;
  return find_center(coordinates, compared, error);
}

/* Returns 0 where the operation is not a norm. For large powers only the largest difference
 * counts. */
static int choose_metric(struct pcf_coordinates *coordinates) {
  const struct pcf_integral *integral = &coordinates->integral;
  struct pcf_metric *metric = &coordinates->metric;
  metric->operation = integral->operation;
  if (integral->operation == PCF_LP) {
    if (integral->p == 2) metric->operation = PCF_L2;
    if (integral->p > most_powers) metric->operation = PCF_LINF;
    metric->half_powers = integral->half_powers;
    metric->power = pcf_exponent(integral->p, 1);
  }
  return pcf_is_norm(integral->operation);
}

/* ---- What the engine makes of a distance ---- */

/* The p of the norm; ∞ of a supremum. */
static double norm_of(const struct pcf_integral *integral) {
  if (pcf_is_supremum(integral->operation)) return INFINITY;
  return pcf_root(integral->operation, integral->p);
}

/* Of the weight, and at least 1. */
static double largest_height(const struct pcf_integral *integral) {
  return integral->weight ? fmax(1, pcf_weight_most(integral->weight)) : 1;
}

/* The engine adds up in chunks of at most 1024 terms, and these chunks in double precision:
 * 2^12 + terms / 64 roundings are more than enough, of which 2^10 are in its own precision. A
 * term or power that underflows is off by less than the smallest normal number, times a length
 * or a squared value. */
static void find_errors(struct pcf_coordinates *coordinates,
                        const struct pcf_compared *compared) {
  const struct pcf_integral *integral = &coordinates->integral;
  const struct pcf_range *range = &compared->range;
  int single = integral->precision != PCF_DOUBLE;
  double terms = (double)pcf_total_breakpoints(compared->x);
  if (compared->y) terms += (double)pcf_total_breakpoints(compared->y);
  coordinates->error = 4 * unit_in_last * (0x1p12 + terms / 64);
  if (single) coordinates->error += single_unit * 0x1p11;
  double value = 2 * ldexp(range->value, -integral->value_exponent), longest = 0;
  const double end[] = {
    integral->from, integral->to,
    ldexp(pcf_range_time_from(range, integral->origin), -integral->time_exponent)};
  for (int k = 0; k < 3; k++) longest = fmax(longest, isinf(end[k]) ? 0 : fabs(end[k]));
  double smallest = single ? (double)FLT_MIN : DBL_MIN;
  double lost = 8 * (terms + 1) * smallest * (1 + 2 * longest) * largest_height(integral);
  double enough = 0x1p30 * lost;
  if (pcf_is_supremum(integral->operation)) coordinates->least = smallest;
  else if (pcf_takes_powers(integral->operation))
    coordinates->least = value * pow(enough, 1 / integral->p);
  else coordinates->least = pow(enough * (1 + value) * (1 + value), 1 / norm_of(integral));
}

double pcf_gap_limit(const struct pcf_coordinates *coordinates, double limit) {
  static const double small = 0x1p-900;
  const struct pcf_integral *integral = &coordinates->integral;
  double more = 1 + coordinates->error + 0x1p-40, gap = limit * coordinates->scale * more;
  if (!(coordinates->scale > small && limit > small && gap > small)) {
    /* What is scaled back to a subnormal number is off by half of the smallest one. */
    gap = ldexp((limit + 0x1p-1073) / integral->factor, -integral->exponent);
    gap = ldexp(gap * more, -coordinates->exponent);
  }
  return gap > coordinates->least ? gap : coordinates->least;
}

double pcf_likely_limit(const struct pcf_coordinates *coordinates, double distance,
                        double slack) {
  static const double roundings = 1e-3;
  double more = slack / coordinates->scale;
  return more < INFINITY ? distance * (1 + roundings) + more : INFINITY;
}

/* ---- Stretches ---- */

struct sample {
  int64_t count;
  double *time;
  double least, most;
};

static void take_time(struct sample *sample, double time) {
  sample->time[sample->count++] = time;
  sample->least = fmin(sample->least, time);
  sample->most = fmax(sample->most, time);
}

/* Number n of `most` functions of a collection, from everywhere, where it has more. Every k-th
 * one would be of a single group where k groups take turns. */
static int64_t sampled(const struct pcf_collection *x, int64_t most, int64_t n) {
  static const double golden = 0.6180339887498949;
  double place = ((double)n + 0.5) * golden;
  return x->count <= most ? n : (int64_t)((place - floor(place)) * (double)x->count);
}

/* Some times of some functions, other ones of each. */
static void sample_times(const struct pcf_coordinates *coordinates,
                         const struct pcf_collection *x, struct sample *sample) {
  static const double silver = 0.4142135623730951;
  int64_t functions = pcf_smaller(x->count, SAMPLED_FUNCTIONS);
  int64_t of_each = SAMPLED_TIMES / (functions + 1);
  for (int64_t n = 0; n < functions; n++) {
    int64_t i = sampled(x, SAMPLED_FUNCTIONS, n);
    struct pcf_view view = pcf_view_of(x, i, &coordinates->integral);
    double offset = (double)n * silver - floor((double)n * silver);
    int64_t times = view.events < of_each ? view.events : of_each;
    for (int64_t k = 0; k < times; k++) {
      double at = ((double)k + offset) * (double)view.events / (double)times;
      take_time(sample, pcf_view_time(&view, (int64_t)at));
    }
    if (view.events == 0) continue;
    sample->least = fmin(sample->least, pcf_view_time(&view, 0));
    sample->most = fmax(sample->most, pcf_view_time(&view, view.events - 1));
  }
}

/* Edges that are too close to the next one would lose digits to underflow. */
static void set_edges(struct pcf_coordinates *coordinates, const struct sample *sample,
                      double from, double to) {
  double closest = fmax((to - from) * 0x1p-200, 0x1p-500);
  double *edge = coordinates->edge;
  if (!(to - from > closest)) return;
  int cuts =
    pcf_quantile_cuts(sample->time, sample->count, PCF_MOST_COORDINATES, from, edge + 1);
  int count = 0;
  edge[0] = from;
  for (int k = 1; k <= cuts; k++) {
    if (edge[k] - edge[count] > closest && to - edge[k] > closest) edge[++count] = edge[k];
  }
  edge[++count] = to;
  coordinates->stretches = count;
  coordinates->metric.coordinates =
    (count + PCF_COORDINATES_AT_ONCE - 1) / PCF_COORDINATES_AT_ONCE * PCF_COORDINATES_AT_ONCE;
}

/* Stretches of little weight would lose digits to underflow. */
static void set_weights(struct pcf_coordinates *coordinates) {
  static const double little = 0x1p-500;
  const struct pcf_integral *integral = &coordinates->integral;
  const double *edge = coordinates->edge;
  double p = norm_of(integral);
  int weighted = integral->weight && p < INFINITY;
  for (int s = 0; s < coordinates->stretches; s++) {
    double length = edge[s + 1] - edge[s];
    if (weighted) length = pcf_weight_between(integral->weight, edge[s], edge[s + 1]);
    coordinates->weight[s] = p == 1 ? 1 : pow(length, 1 / p - 1);
    if (weighted && length < little) coordinates->weight[s] = 0;
  }
}

/* The stretches are between quantiles of the times, and all in the finite part of the window
 * that has breakpoints. */
static enum pcf_status find_stretches(struct pcf_coordinates *coordinates,
                                      const struct pcf_compared *compared,
                                      struct pcf_error *error) {
  const struct pcf_integral *integral = &coordinates->integral;
  struct sample sample = {.least = INFINITY, .most = -INFINITY};
  sample.time = pcf_allocate(2 * (size_t)SAMPLED_TIMES, sizeof *sample.time, error);
  if (!sample.time) return PCF_ERROR_MEMORY;
  sample_times(coordinates, compared->x, &sample);
  if (compared->y) sample_times(coordinates, compared->y, &sample);
  double from = integral->from > -INFINITY ? integral->from : sample.least;
  double to = integral->to < INFINITY ? integral->to : sample.most;
  set_edges(coordinates, &sample, from, to);
  set_weights(coordinates);
  pcf_free(sample.time);
  return PCF_OK;
}

/* ---- Points ---- */

/* Of each stretch the integrals of a function and of its absolute values; and its supremum. */
struct integrals {
  double sum[PCF_MOST_COORDINATES], absolute[PCF_MOST_COORDINATES], supremum;
};

/* From `begin` to `end`, in one piece of the weight. A supremum has none. */
static double length_of(const struct pcf_integral *integral, double begin, double end) {
  if (!integral->weight || pcf_is_supremum(integral->operation)) return end - begin;
  return (end - begin) * pcf_height_until(integral->weight, end, PCF_DOUBLE);
}

static void integrate(const struct pcf_coordinates *coordinates, const struct pcf_view *view,
                      struct integrals *integrals) {
  const struct pcf_integral *integral = &coordinates->integral;
  const double *edge = coordinates->edge;
  double now = view->initial, at = edge[0];
  int64_t k = 0;
  while (k < view->events && pcf_view_time(view, k) <= at) now = pcf_view_value(view, k++);
  integrals->supremum = fabs(now);
  for (int s = 0; s < coordinates->stretches; s++) {
    double sum = 0, absolute = 0, time;
    while (k < view->events && (time = pcf_view_time(view, k)) < edge[s + 1]) {
      double length = length_of(integral, at, time);
      sum += now * length;
      absolute += fabs(now) * length;
      at = time;
      now = pcf_view_value(view, k++);
      integrals->supremum = fmax(integrals->supremum, fabs(now));
    }
    double rest = length_of(integral, at, edge[s + 1]);
    integrals->sum[s] = sum + now * rest;
    integrals->absolute[s] = absolute + fabs(now) * rest;
    at = edge[s + 1];
  }
}

/* |jump| |change of its time|^(1/p) */
static double moved(double jump, double time, double p) {
  double change = isinf(time) ? 0 : fabs(time - pcf_narrowed(time, PCF_SINGLE_PRECISION));
  if (change == 0 || jump == 0) return 0;
  return fabs(jump) * (p == 1 ? change : p == 2 ? sqrt(change) : pow(change, 1 / p));
}

/* How far single precision may take a function from itself. */
static double rounding_of(const struct pcf_coordinates *coordinates,
                          const struct pcf_view *view, double supremum) {
  const struct pcf_integral *integral = &coordinates->integral;
  if (integral->precision == PCF_DOUBLE) return 0;
  double p = norm_of(integral), now = view->initial;
  int weighted = integral->weight && p < INFINITY;
  double sum = moved(now, integral->from, p);
  double window = coordinates->edge[coordinates->stretches] - coordinates->edge[0];
  for (int64_t k = 0; k < view->events; k++) {
    double next = pcf_view_value(view, k);
    sum += moved(next - now, pcf_view_time(view, k), p);
    now = next;
  }
  sum += moved(now, integral->to, p);
  for (int64_t k = 0; weighted && k < integral->weight->pieces; k++) {
    sum += moved(supremum, integral->weight->end[k], p);
  }
  sum += (single_unit * supremum + 0x1p-149) * pow(window, 1 / p);
  return integral->weight ? sum * pow(largest_height(integral), 1 / p) : sum;
}

/* The coordinates before they are centered; returns the slack, in scaled values. */
static double raw_coordinates(const struct pcf_coordinates *coordinates,
                              const struct pcf_collection *x, int64_t i, double *coordinate) {
  struct pcf_view view = pcf_view_of(x, i, &coordinates->integral);
  struct integrals integrals;
  double absolute = 0, weights = 0, pieces = (double)view.events + 8;
  integrate(coordinates, &view, &integrals);
  for (int s = 0; s < coordinates->stretches; s++) {
    coordinate[s] = coordinates->weight[s] * integrals.sum[s];
    absolute += coordinates->weight[s] * integrals.absolute[s];
    weights += coordinates->weight[s];
  }
  return 2 * pieces * (unit_in_last * absolute + 0x1p-1074 * weights) +
         rounding_of(coordinates, &view, integrals.supremum);
}

double pcf_coordinates_of(const struct pcf_coordinates *coordinates,
                          const struct pcf_collection *x, int64_t i, float *point) {
  double coordinate[PCF_MOST_COORDINATES], rounding = 0, largest = coordinates->largest;
  double slack = raw_coordinates(coordinates, x, i, coordinate);
  for (int s = 0; s < coordinates->stretches; s++) {
    double centered = pcf_scaled(coordinate[s] - coordinates->center[s], coordinates->exponent);
    centered = centered < largest ? centered : largest;
    point[s] = (float)(centered > -largest ? centered : -largest);
    rounding += fabs((double)point[s]);
  }
  for (int s = coordinates->stretches; s < coordinates->metric.coordinates; s++) point[s] = 0;
  return ldexp(slack, -coordinates->exponent) + 2 * single_unit * rounding + 0x1p-140;
}

/* ---- Center and unit ---- */

/* The mean of some functions of both collections, and their largest distance from it as the
 * unit, into which scaled values are brought. Powers are those of numbers up to 1, so they are
 * of differences of what is up to 1/2. */
static enum pcf_status find_center(struct pcf_coordinates *coordinates,
                                   const struct pcf_compared *compared,
                                   struct pcf_error *error) {
  const struct pcf_collection *both[] = {compared->x, compared->y};
  int powers = coordinates->metric.operation == PCF_LP, exponent = 0, functions = 0;
  double(*some)[PCF_MOST_COORDINATES] =
    pcf_allocate(2 * (size_t)CENTERED_FUNCTIONS, sizeof *some, error);
  double most = 0;
  if (!some) return PCF_ERROR_MEMORY;
  for (int c = 0; c < 2; c++) {
    int64_t count = both[c] ? pcf_smaller(both[c]->count, CENTERED_FUNCTIONS) : 0;
    for (int64_t n = 0; n < count; n++) {
      raw_coordinates(coordinates, both[c], sampled(both[c], CENTERED_FUNCTIONS, n),
                      some[functions++]);
    }
  }
  for (int s = 0; s < coordinates->stretches; s++) {
    double sum = 0;
    for (int k = 0; k < functions; k++) sum += some[k][s];
    coordinates->center[s] = sum / functions;
    for (int k = 0; k < functions; k++) {
      most = fmax(most, fabs(some[k][s] - coordinates->center[s]));
    }
  }
  pcf_free(some);
  frexp(most, &exponent);
  coordinates->exponent = exponent + (powers ? 3 : 0);
  coordinates->largest = powers ? 0.5 : 0x1p20;
  coordinates->least = ldexp(coordinates->least, -coordinates->exponent);
  coordinates->scale = ldexp(1 / coordinates->integral.factor,
                             -coordinates->integral.exponent - coordinates->exponent);
  if (most == 0) coordinates->stretches = 0;
  return PCF_OK;
}
