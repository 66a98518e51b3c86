#include "pairs/mean-of-pair.h"

#include <math.h>

/* A function while time goes on: so many of its breakpoints are past. */
struct walk {
  const double *time, *value;
  int64_t past, count;
};

static struct walk start(const struct pcf_collection *x, int64_t i) {
  return (struct walk){pcf_times(x, i), pcf_values(x, i), 0, pcf_breakpoints(x, i)};
}

static double value_at(struct walk *walk, double time) {
  while (walk->past < walk->count && walk->time[walk->past] <= time) walk->past++;
  return walk->past ? walk->value[walk->past - 1] : 0;
}

static double next_time(const struct walk *walk) {
  return walk->past < walk->count ? walk->time[walk->past] : INFINITY;
}

/* The length of the overlap, the largest magnitude of the integrand, and its integral in
 * multiples of `unit`. If the operation takes a root, the integrand is |a − b|, and its power
 * is integrated. */
struct overlap {
  double length, largest, sum;
};

/* Where the unit of values does not matter, large ones do not make it overflow. */
static double combine(enum pcf_operation operation, double a, double b) {
  double combined = pcf_combine(operation, a, b);
  int overflows = isinf(combined) && pcf_degree(operation, 1) == 0;
  return overflows ? pcf_combine(operation, a / 4, b / 4) : combined;
}

static struct overlap go_through(enum pcf_operation operation, double root, double from,
                                 double to, const struct pcf_weight *weight, struct walk f,
                                 struct walk g, double unit) {
  struct overlap overlap = {0, 0, 0};
  for (double now = from, next; now < to; now = next) {
    double a = value_at(&f, now), b = value_at(&g, now);
    next = fmin(fmin(next_time(&f), next_time(&g)), to);
    double height = pcf_height_until(weight, next, PCF_DOUBLE);
    if (isnan(a) || isnan(b) || height == 0) continue;
    double combined = root == 1 ? combine(operation, a, b) : fabs(a - b);
    double length = height * (next - now);
    overlap.length += length;
    overlap.largest = fmax(overlap.largest, fabs(combined));
    if (combined == 0 || unit == 0) continue;
    overlap.sum += length * (root == 1 ? combined / unit : pow(combined / unit, root));
  }
  return overlap;
}

double pcf_mean_of_pair(enum pcf_operation operation, double p, double from, double to,
                        const struct pcf_weight *weight, const struct pcf_collection *x,
                        int64_t i, const struct pcf_collection *y, int64_t j) {
  struct walk f = start(x, i), g = start(y, j);
  double root = pcf_root(operation, p);
  struct overlap found = go_through(operation, root, from, to, weight, f, g, 0);
  if (!(found.length > 0)) return pcf_missing();
  double unit = found.largest;
  if (unit == 0) return 0;
  found = go_through(operation, root, from, to, weight, f, g, unit);
  return unit *
         (root == 1 ? found.sum / found.length : pow(found.sum / found.length, 1 / root));
}
