/* Sections of functions: which pieces of one lie in a window, and what these add to a norm or
 * an integral. Read by both the C and the CUDA compiler. */
#pragma once

#include "arithmetic/double-double.h"
#include "base/host-device.h"
#include "base/search.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

enum pcf_measure {
  PCF_NORM_L1,   /* ∫ |f| */
  PCF_NORM_L2,   /* √ ∫ f² */
  PCF_NORM_LP,   /* (∫ |f|^p)^(1/p), any real p >= 1 */
  PCF_NORM_LINF, /* sup |f| over stretches of positive width */
  PCF_INTEGRAL   /* ∫ f */
};

/* The breakpoints first … end - 1 of a function, of which the last one may be among them. Its
 * pieces are [t_k, t_{k+1}), the last one goes on for ever. Of a piecewise linear function
 * there are left limits, too; of a step function these are NULL. */
struct pcf_section {
  const double *time, *value, *left;
  int64_t first, end, breakpoints;
};

/* Sums over the whole pieces of a section. */
struct pcf_section_sums {
  double sum;      /* ∫ |f|, ∫ f² or ∫ f */
  double absolute; /* ∫ |f|, for the measures that do not sum it */
  double supremum; /* of |f|, for PCF_NORM_LINF */
};

/* What a section adds: ∫ |f|^p = supremum^p · sum · 2^exponent, where the supremum is 1 unless
 * the numbers ask for scaling. An infinite sum is the result. For PCF_NORM_LINF only the
 * supremum counts. */
struct pcf_section_part {
  double supremum, sum, exponent;
};

PCF_HOST_DEVICE struct pcf_section_part pcf_plain_part(double sum) {
  struct pcf_section_part part = {1, sum, 0};
  return part;
}

/* A part that a device leaves to the host, since it has numbers of extreme magnitudes. */
PCF_HOST_DEVICE struct pcf_section_part pcf_left_part(void) {
  struct pcf_section_part part = {1, 0, NAN};
  return part;
}

PCF_HOST_DEVICE int pcf_part_is_left(const struct pcf_section_part *part) {
  return isnan(part->exponent);
}

/* ---- Windows ---- */

struct pcf_piece {
  double from, to, value;
};

/* What of a section is in the window: the whole pieces first … end - 1, and up to two pieces
 * that are cut or have no end. */
struct pcf_section_view {
  int64_t first, end;
  struct pcf_piece edge[2];
  int edges;
};

PCF_HOST_DEVICE void pcf_add_edge(struct pcf_section_view *view, double from, double to,
                                  double value) {
  if (!(from < to)) return;
  struct pcf_piece edge = {from, to, value};
  view->edge[view->edges++] = edge;
}

PCF_HOST_DEVICE struct pcf_section_view pcf_section_view_of(const struct pcf_section *s,
                                                            double from, double to) {
  int has_last = s->end == s->breakpoints;
  int64_t limit = has_last ? s->end - 1 : s->end; /* time[limit] ends the last whole piece */
  struct pcf_section_view view;
  view.first = s->first;
  view.end = limit;
  view.edges = 0;
  if (!(s->time[s->first] >= from)) {
    view.first = pcf_first_from(s->time, s->first, limit + 1, from);
    if (view.first > s->first && view.first <= limit) {
      double end = s->time[view.first] < to ? s->time[view.first] : to;
      pcf_add_edge(&view, from, end, s->value[view.first - 1]);
    }
  }
  if (!(s->time[limit] <= to)) {
    int64_t after = pcf_first_from(s->time, view.first, limit + 1, to);
    view.end = after > view.first ? after - 1 : view.first;
    if (after > view.first) pcf_add_edge(&view, s->time[after - 1], to, s->value[after - 1]);
  } else if (view.first > limit) {
    view.first = limit;
  }
  if (has_last && s->time[limit] < to) {
    pcf_add_edge(&view, s->time[limit] > from ? s->time[limit] : from, to, s->value[limit]);
  }
  return view;
}

/* One piece after the other, from view->first on: the whole ones, then the edges. */
PCF_HOST_DEVICE struct pcf_piece pcf_piece_of(const struct pcf_section *s,
                                              const struct pcf_section_view *view, int64_t k) {
  if (k >= view->end) return view->edge[k - view->end];
  struct pcf_piece piece = {s->time[k], s->time[k + 1], s->value[k]};
  return piece;
}

/* Makes a piece from −∞ on an edge, since its width is infinite. */
PCF_HOST_DEVICE void pcf_cut_endless_piece(struct pcf_section_view *view,
                                           const struct pcf_section *s) {
  if (!(view->end > view->first && s->time[view->first] == -INFINITY)) return;
  view->first++;
  pcf_add_edge(view, -INFINITY, s->time[view->first], s->value[view->first - 1]);
}

/* Adds the edges to the sums. Returns 0 when the sum is infinite: what is 0 adds nothing,
 * however wide it is. */
PCF_HOST_DEVICE int pcf_add_edges(enum pcf_measure measure, const struct pcf_section_view *view,
                                  struct pcf_section_sums *sums) {
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

/* ---- Lines ---- */

/* The height of a constant piece that adds to a measure, other than PCF_NORM_LP, as much as one
 * of the same width that is a straight line, from `value` to `left`; of a constant one its
 * value. Where |f| falls to 0 and rises again, its mean is (h + m²/h) / 2, m being the value in
 * the middle and h half of the rise. */
PCF_HOST_DEVICE double pcf_height_of_line(enum pcf_measure measure, double value, double left) {
  if (value == left) return measure == PCF_INTEGRAL ? value : fabs(value);
  double signed_middle = 0.5 * value + 0.5 * left, middle = fabs(signed_middle);
  double half = fabs(0.5 * left - 0.5 * value), larger = half > middle ? half : middle;
  if (measure == PCF_INTEGRAL) return signed_middle;
  if (measure == PCF_NORM_LINF) return fabs(value) > fabs(left) ? fabs(value) : fabs(left);
  if (larger == 0 || isnan(signed_middle)) return larger + signed_middle;
  if (measure == PCF_NORM_L1) return 0.5 * larger + 0.5 * (middle * (middle / larger));
  double square = middle * middle + half * half * (1.0 / 3);
  if (square > 0x1p-900 && square < 0x1p900) return sqrt(square);
  middle /= larger;
  half /= larger;
  return larger * sqrt(middle * middle + half * half * (1.0 / 3));
}

/* A straight line from a value at one time to another value at a later one. */
struct pcf_straight {
  double from, to, value, left;
};

/* The value of a line that changes its sign, near to which digits would cancel: the mean of the
 * values at its ends, weighted by the times to the other end. NaN for extreme magnitudes. */
PCF_HOST_DEVICE double pcf_value_near_zero(struct pcf_straight line, double at) {
  struct pcf_double_double passed = pcf_exact_sum_of(at, -line.from);
  struct pcf_double_double ahead = pcf_exact_sum_of(line.to, -at);
  struct pcf_double_double a = pcf_exact_product(line.value, ahead.high);
  struct pcf_double_double b = pcf_exact_product(line.left, passed.high);
  double larger = fabs(a.high) > fabs(b.high) ? fabs(a.high) : fabs(b.high);
  a.low += line.value * ahead.low;
  b.low += line.left * passed.low;
  if (!(larger > 0x1p-800 && larger < 0x1p900)) return NAN;
  return pcf_double_double_sum(a, b).high / (line.to - line.from);
}

/* The same for values of extreme magnitudes, which are scaled. NaN for extreme times. */
PCF_HOST_DEVICE double pcf_scaled_value_near_zero(struct pcf_straight line, double at) {
  int exponent;
  frexp(fabs(line.value) > fabs(line.left) ? line.value : line.left, &exponent);
  line.value = ldexp(line.value, -exponent);
  line.left = ldexp(line.left, -exponent);
  return ldexp(pcf_value_near_zero(line, at), exponent);
}

/* The value at a time between the ends: counted from the nearer one, since the value at the
 * other may be much larger. */
PCF_HOST_DEVICE double pcf_value_between(struct pcf_straight line, double at) {
  double passed = at - line.from, ahead = line.to - at;
  double run = line.to - line.from, rise = line.left - line.value;
  if ((line.value < 0 && line.left > 0) || (line.value > 0 && line.left < 0)) {
    double value = pcf_value_near_zero(line, at);
    if (isnan(value)) value = pcf_scaled_value_near_zero(line, at);
    if (!isnan(value)) return value;
  }
  return passed < ahead ? line.value + rise * (passed / run) : line.left - rise * (ahead / run);
}

PCF_HOST_DEVICE struct pcf_double_double pcf_rough_value_between(struct pcf_straight line,
                                                                 double at) {
  double run = line.to - line.from, rise = line.left - line.value;
  double passed = (at - line.from) / run, ahead = (line.to - at) / run;
  struct pcf_double_double value = {line.value + rise * passed, 0};
  if (passed >= ahead) value.high = line.left - rise * ahead;
  return value;
}

/* The same to about 100 bits, for results that are to be rounded once; but as it is rounded
 * where numbers are too large for exact products. */
PCF_HOST_DEVICE struct pcf_double_double pcf_exact_value_between(struct pcf_straight line,
                                                                 double at) {
  const double most = 1e290;
  struct pcf_double_double rise = pcf_exact_sum_of(line.left, -line.value);
  struct pcf_double_double run = pcf_exact_sum_of(line.to, -line.from);
  struct pcf_double_double passed = pcf_exact_sum_of(at, -line.from);
  double share = passed.high / run.high;
  struct pcf_double_double product = pcf_exact_product(share, run.high);
  struct pcf_double_double part = pcf_exact_product(share, rise.high);
  double rest = (passed.high - product.high) - product.low + passed.low - share * run.low;
  struct pcf_double_double sum = pcf_exact_sum_of(line.value, part.high);
  sum.low += part.low + share * rise.low + rest / run.high * rise.high;
  struct pcf_double_double value = pcf_ordered_sum(sum.high, sum.low);
  int moderate = fabs(line.value) <= most && fabs(line.left) <= most &&
                 fabs(line.from) <= most && fabs(line.to) <= most;
  return moderate && fabs(value.high) <= DBL_MAX ? value : pcf_rough_value_between(line, at);
}

/* The value at a time within piece k, but for the last one. */
PCF_HOST_DEVICE double pcf_value_on_line(const struct pcf_section *s, int64_t k, double at) {
  struct pcf_straight line = {s->time[k], s->time[k + 1], s->value[k], s->left[k + 1]};
  return pcf_value_between(line, at);
}

/* The value of a function at a time that is not before the first `passed` of all breakpoints,
 * and before the next one; with `limit` the limit there from the left. */
PCF_HOST_DEVICE double pcf_value_at(const struct pcf_section *f, int64_t passed, int limit,
                                    double at) {
  int64_t k = passed - 1;
  int here = k >= 0 && at == f->time[k]; /* is it the time of the last of these? */
  if (f->left) {
    if (passed == 0 || (here && limit)) return f->left[here ? k : 0];
    if (here || passed == f->breakpoints || isnan(f->value[k])) return f->value[k];
    return pcf_value_on_line(f, k, at);
  }
  if (here && limit) k--;
  if (k >= 0) return f->value[k];
  return limit && !(f->time[0] > -INFINITY) ? f->value[0] : 0;
}

/* Gives the edges of a piecewise linear function the heights of what is left of their lines,
 * and adds what comes before its first breakpoint. */
PCF_HOST_DEVICE void pcf_cut_lines(enum pcf_measure measure, const struct pcf_section *s,
                                   double from, double to, struct pcf_section_view *view) {
  for (int e = 0; e < view->edges; e++) {
    double begin = view->edge[e].from, end = view->edge[e].to;
    int64_t k = pcf_first_from(s->time, s->first, s->end, begin);
    k -= k == s->end || s->time[k] > begin;
    if (k + 1 == s->breakpoints) continue;
    double last = end < s->time[k + 1] ? pcf_value_on_line(s, k, end) : s->left[k + 1];
    view->edge[e].value = pcf_height_of_line(measure, pcf_value_on_line(s, k, begin), last);
  }
  if (s->first == 0) {
    pcf_add_edge(view, from, to < s->time[0] ? to : s->time[0], s->left[0]);
  }
}

/* ---- Magnitudes ---- */

/* Are the sums in a range in which they have lost nothing to underflow, and in which many of
 * them can be added up? The squares of the values may have been off by 2^-1074 each, over the
 * whole width. */
PCF_HOST_DEVICE int pcf_sums_are_safe(enum pcf_measure measure, const struct pcf_section *s,
                                      const struct pcf_section_view *view,
                                      const struct pcf_section_sums *sums) {
  if (!(sums->absolute >= 0x1p-900 && sums->absolute <= 0x1p900)) return 0;
  if (measure != PCF_NORM_L2) return 1;
  int64_t last = s->end < s->breakpoints ? s->end : s->breakpoints - 1;
  double width = s->time[last] - s->time[s->first];
  for (int k = 0; k < view->edges; k++) {
    if (view->edge[k].value != 0) width += view->edge[k].to - view->edge[k].from;
  }
  return sums->absolute >= 0x1p-1000 * width;
}

/* A sum of relative values and widths that is smaller may have lost what vanished. */
#define PCF_LEAST_SCALED_SUM 0x1p-600

/* The exponent to scale widths with; even, so that its square root is a power of two. */
PCF_HOST_DEVICE int pcf_width_exponent(double widest) {
  int exponent;
  if (isinf(widest)) return 1026;
  frexp(widest, &exponent);
  return exponent >= -300 && exponent <= 300 ? 0 : exponent + (exponent & 1);
}

PCF_HOST_DEVICE double pcf_scaled_width(double from, double to, int exponent) {
  if (exponent > 0) return ldexp(to, -exponent) - ldexp(from, -exponent);
  return exponent ? ldexp(to - from, -exponent) : to - from;
}
