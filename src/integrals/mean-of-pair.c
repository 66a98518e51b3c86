#include "integrals/mean-of-pair.h"

#include "integrals/line-stretch.h"

#include <float.h>
#include <limits.h>
#include <math.h>

/* A function while time goes on: so many of its breakpoints are past. */
struct walk {
  const double *time, *value, *left; /* the last is NULL for step functions */
  int64_t past, count;
  double scale; /* of values: a power of two */
};

static struct walk start(const struct pcf_collection *x, int64_t i) {
  const double *left = x->linear ? pcf_lefts(x, i) : NULL;
  return (struct walk){pcf_times(x, i), pcf_values(x, i), left, 0, pcf_breakpoints(x, i), 1};
}

static double value_at(struct walk *walk, double time) {
  while (walk->past < walk->count && walk->time[walk->past] <= time) walk->past++;
  if (walk->past) return walk->value[walk->past - 1] * walk->scale;
  return walk->left ? walk->left[0] * walk->scale : 0;
}

/* The function from `begin`, where it is `value`, to `end`, before its next breakpoint. */
static struct pcf_line line_on(const struct walk *walk, double value, double begin,
                               double end) {
  int64_t k = walk->past - 1;
  if (!walk->left || k < 0 || k + 1 == walk->count) return (struct pcf_line){value, 0};
  double since = walk->time[k], span = walk->time[k + 1] - since;
  double rise = walk->left[k + 1] * walk->scale - walk->value[k] * walk->scale;
  return (struct pcf_line){walk->value[k] * walk->scale +
                             rise * (((begin - since) / 2 + (end - since) / 2) / span),
                           rise * ((end - begin) / 2 / span)};
}

static double next_time(const struct walk *walk) {
  return walk->past < walk->count ? walk->time[walk->past] : INFINITY;
}

/* The length of the overlap, the largest magnitude of the integrand (of its means, where lines
 * take no root), and its integral in multiples of `unit`. If the operation takes a root, the
 * integrand is |a − b|, and its power is integrated. Lengths are in units of 2^exponent, since
 * weighted ones may overflow: none of the stretches is longer than that. */
struct overlap {
  double length, largest, sum;
  int exponent;
};

/* height · (end − begin) as a number below 1 times 2^exponent. */
static double stretch_length(double height, double begin, double end, int *exponent) {
  int of_length, of_height, halved = end - begin > DBL_MAX;
  double length = frexp(halved ? end / 2 - begin / 2 : end - begin, &of_length);
  double weighted = length * frexp(height, &of_height);
  *exponent = of_length + halved + of_height;
  return weighted;
}

/* The mean of |d / unit|^p over a stretch. */
static double mean_of_power(struct pcf_line d, double unit, double p) {
  struct pcf_line scaled = {d.middle / unit, d.half / unit};
  return scaled.half == 0 ? pow(fabs(scaled.middle), p) : pcf_mean_of_powers(scaled, p, 0);
}

/* The unit of values is 0, and that of lengths INT_MIN, while they are not known. */
static struct overlap go_through(enum pcf_operation operation, double root, double from,
                                 double to, const struct pcf_weight *weight, struct walk f,
                                 struct walk g, double unit, int unit_exponent) {
  struct overlap overlap = {0, 0, 0, unit_exponent};
  for (double now = from, next; now < to; now = next) {
    double a = value_at(&f, now), b = value_at(&g, now);
    next = fmin(fmin(next_time(&f), next_time(&g)), to);
    double height = pcf_height_until(weight, next, PCF_DOUBLE);
    if (isnan(a) || isnan(b) || height == 0) continue;
    struct pcf_line line = line_on(&f, a, now, next), other = line_on(&g, b, now, next);
    struct pcf_line d = pcf_line_difference(line, other);
    double combined = root != 1 ? fabs(d.middle) + fabs(d.half)
                      : f.left  ? pcf_combine_lines(operation, line, other)
                                : pcf_combine(operation, a, b);
    int exponent;
    double length = stretch_length(height, now, next, &exponent);
    overlap.largest = fmax(overlap.largest, fabs(combined));
    if (exponent > overlap.exponent) overlap.exponent = exponent;
    if (unit_exponent == INT_MIN) continue;
    length = ldexp(length, exponent - unit_exponent);
    overlap.length += length;
    if (combined == 0) continue;
    overlap.sum += length * (root == 1 ? combined / unit : mean_of_power(d, unit, root));
  }
  return overlap;
}

static double of_pair(int divided, enum pcf_operation operation, double p, double from,
                      double to, const struct pcf_weight *weight,
                      const struct pcf_collection *x, int64_t i, const struct pcf_collection *y,
                      int64_t j) {
  struct walk f = start(x, i), g = start(y, j);
  double root = pcf_root(operation, p);
  struct overlap found = go_through(operation, root, from, to, weight, f, g, 0, INT_MIN);
  if (found.exponent == INT_MIN) return pcf_missing();
  int degree = (int)(pcf_degree(operation, p) / root), shift = 0;
  if (found.largest > DBL_MAX) {
    shift = degree == 2 ? 520 : 2;
    f.scale = g.scale = ldexp(1, -shift);
    found = go_through(operation, root, from, to, weight, f, g, 0, INT_MIN);
  }
  double unit = found.largest;
  if (unit == 0) return 0;
  found = go_through(operation, root, from, to, weight, f, g, unit, found.exponent);
  double mean = divided ? found.sum / found.length : found.sum;
  double factor = divided ? 1 : exp2(found.exponent / root); /* exact but for roots */
  return ldexp(unit * (root == 1 ? mean : pow(mean, 1 / root)) * factor, shift * degree);
}

double pcf_mean_of_pair(enum pcf_operation operation, double p, double from, double to,
                        const struct pcf_weight *weight, const struct pcf_collection *x,
                        int64_t i, const struct pcf_collection *y, int64_t j) {
  return of_pair(1, operation, p, from, to, weight, x, i, y, j);
}

double pcf_integral_of_pair(enum pcf_operation operation, double p, double from, double to,
                            const struct pcf_weight *weight, const struct pcf_collection *x,
                            int64_t i, const struct pcf_collection *y, int64_t j) {
  return of_pair(0, operation, p, from, to, weight, x, i, y, j);
}
