/* Inner products of piecewise linear functions, as of steps (products/product-inner.c): the sum
 * over all g of b(g) ∫ f·g is ∫ f·F with F the weighted sum of all g, which is piecewise
 * linear. F goes along with the events, with its area and moment, ∫ F and ∫ (t − begin) F,
 * since the slab began. A line of f adds value in the middle · area + slope · moment about the
 * middle. Moments far from the beginning cancel there, so that they are kept in double-double
 * arithmetic. */
#include "arithmetic/double-double.h"
#include "products/events.h"
#include "products/slabs.h"
#include "products/squares.h"

enum { EVENTS_PER_STOP_CHECK = 1 << 14 };

typedef struct pcf_double_double exact;

/* The line that a function is on: through (since, value); area and moment at that time. */
struct line {
  double since, value, slope;
  exact area, moment;
};

/* F at the time `last`, divided by `unit`, a power of two near the largest number of b. */
struct running {
  double unit, begin, last;
  exact value, slope, area, moment;
};

static exact plus(exact a, double b) {
  return pcf_double_double_sum(a, (exact){b, 0});
}

static exact minus(exact a, exact b) {
  return pcf_double_double_sum(a, (exact){-b.high, -b.low});
}

static double rounded(exact a) {
  return a.high + a.low;
}

/* (to - from) · a */
static exact times_distance(double from, double to, exact a) {
  exact distance = pcf_exact_sum_of(to, -from);
  exact product = pcf_exact_product(distance.high, a.high);
  return plus(product, distance.high * a.low + distance.low * a.high);
}

static void go_to(struct running *running, double time) {
  double width = time - running->last, slope = rounded(running->slope);
  double area = width * (rounded(running->value) + slope * width / 2);
  exact moment = times_distance(running->begin, running->last, (exact){area, 0});
  moment = plus(moment, area * width / 2 + slope * width * width * width / 12);
  running->area = plus(running->area, area);
  running->moment = pcf_double_double_sum(running->moment, moment);
  running->value = plus(running->value, slope * width);
  running->last = time;
}

/* ∫ f·F over the line that ends now. */
static double product_with(const struct running *running, const struct line *line) {
  double half = (running->last - line->since) / 2;
  exact area = minus(running->area, line->area);
  exact before = times_distance(running->begin, line->since, area);
  double moment = rounded(minus(minus(running->moment, line->moment), before));
  double about_middle = moment - half * rounded(area);
  return (line->value + half * line->slope) * rounded(area) + line->slope * about_middle;
}

/* A function of weight b goes over to another line. */
static void turn(struct running *running, double b, struct line *line, double value,
                 double slope) {
  double end = line->value + (running->last - line->since) * line->slope;
  running->value = plus(plus(running->value, b * value), -b * end);
  running->slope = plus(plus(running->slope, b * slope), -b * line->slope);
}

static struct line line_from(const struct running *running, double value, double slope) {
  return (struct line){running->last, value, slope, running->area, running->moment};
}

static double weight_of(const struct pcf_slab_sums *sums, int64_t function,
                        const struct running *running) {
  return sums->b[pcf_entry_of(sums, function)] / running->unit;
}

static struct running start(const struct pcf_slab_sums *sums, const struct pcf_slab *slab,
                            struct line *line) {
  int64_t functions = sums->rows + sums->others, first = sums->others ? sums->rows : 0;
  double most = 0;
  for (int64_t f = first; f < functions; f++) {
    most = fmax(most, fabs(sums->b[pcf_entry_of(sums, f)]));
  }
  struct running running = {
    .unit = most > 0 ? ldexp(1, ilogb(most)) : 1, .begin = slab->begin, .last = slab->begin};
  for (int64_t f = 0; f < functions; f++) {
    line[f] = line_from(&running, slab->value[f] - slab->center, slab->slope[f]);
    if (f < first) continue;
    double b = weight_of(sums, f, &running);
    running.value = plus(running.value, b * line[f].value);
    running.slope = plus(running.slope, b * line[f].slope);
  }
  return running;
}

static enum pcf_status add(void *line_, const struct pcf_slab_sums *sums,
                           const struct pcf_slab *slab, const atomic_int *stop, double *result,
                           struct pcf_error *error) {
  struct line *line = line_;
  int64_t first = sums->others ? sums->rows : 0;
  struct running running = start(sums, slab, line);
  for (int64_t k = 0; k < slab->events; k++) {
    const struct pcf_event *event = &slab->event[k];
    int64_t f = (int64_t)event->change[0];
    if (k % EVENTS_PER_STOP_CHECK == 0 && stop && atomic_load(stop)) {
      return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
    }
    double value = pcf_slab_value(slab, event) - slab->center;
    double slope = pcf_slab_slope(slab, event);
    go_to(&running, pcf_time_of(event->key));
    if (f < sums->rows) result[f] += running.unit * product_with(&running, &line[f]);
    if (f >= first) turn(&running, weight_of(sums, f, &running), &line[f], value, slope);
    line[f] = line_from(&running, value, slope);
  }
  go_to(&running, slab->end);
  for (int64_t f = 0; f < sums->rows; f++) {
    result[f] += running.unit * product_with(&running, &line[f]);
  }
  return PCF_OK;
}

/* The state is the line of each function. */
const struct pcf_slab_kernel pcf_lines_slab_kernel = {.each = sizeof(struct line), .add = add};

union state {
  struct line line;
  struct pcf_square square;
};

const struct pcf_slab_kernel pcf_l2_lines_slab_kernel = {
  .each = sizeof(union state), .begin = pcf_center_slab, .add = add};
