#include "algebra/rolling.h"

#include "arithmetic/double-double.h"
#include "base/bits.h"
#include "base/same-time.h"

#include <math.h>

/* An end of the window: how many breakpoints it has passed, and the integral of the function
 * from its first one to the last of these, in which missing values count as 0. */
struct end {
  double lag; /* it is at the time of the window plus this */
  int64_t passed;
  struct pcf_double_double integral;
};

/* `time` and `value`, with `first` before all, are those of a function without the start at −∞;
 * in sums its values are divided by 2^exponent, and times by 2^time_exponent. */
struct walk {
  const double *time, *value;
  double first;
  int64_t count;
  int exponent, time_exponent;
  double width;                 /* of the window */
  struct end leaving, reaching; /* where the window begins, and ends */
  int64_t unknown;              /* the missing values in the window */
};

/* The value of a function that has passed so many breakpoints. */
static double value_after(const struct walk *walk, int64_t passed) {
  return passed > 0 ? walk->value[passed - 1] : walk->first;
}

static double height_after(const struct walk *walk, int64_t passed) {
  return pcf_times_power_of_2(pcf_known(value_after(walk, passed)), -walk->exponent);
}

/* When the window has this end at the next breakpoint. */
static double next_event(const struct walk *walk, const struct end *end) {
  return end->passed < walk->count ? walk->time[end->passed] - end->lag : INFINITY;
}

/* The integral of a height from one time to another, which is a sum, with twice as many digits
 * as a double has. */
static struct pcf_double_double area(const struct walk *walk, double height, double from,
                                     struct pcf_double_double to) {
  int exponent = -walk->time_exponent;
  struct pcf_double_double width = pcf_exact_sum_of(pcf_times_power_of_2(to.high, exponent),
                                                    -pcf_times_power_of_2(from, exponent));
  struct pcf_double_double area = pcf_exact_product(height, width.high);
  area.low += height * (width.low + pcf_times_power_of_2(to.low, exponent));
  return area;
}

static void pass(struct walk *walk, struct end *end) {
  int64_t k = end->passed++;
  if (k == 0) return;
  struct pcf_double_double to = {walk->time[k], 0};
  struct pcf_double_double more = area(walk, height_after(walk, k), walk->time[k - 1], to);
  end->integral = pcf_double_double_sum(end->integral, more);
}

/* Passes all breakpoints up to number `most` that the end has reached at the time of an event,
 * the first of them up to rounding. */
static int64_t pass_all(struct walk *walk, struct end *end, double event, int64_t most) {
  int64_t begin = end->passed;
  int is_near = pcf_is_same_time(next_event(walk, end), event);
  for (; end->passed < most && (is_near || next_event(walk, end) <= event); is_near = 0) {
    if (end == &walk->leaving) walk->unknown -= isnan(value_after(walk, end->passed)) != 0;
    pass(walk, end);
    if (end == &walk->reaching) walk->unknown += isnan(value_after(walk, end->passed)) != 0;
  }
  return end->passed - begin;
}

/* The integral from the first breakpoint to this end of the window, which has just `met` the
 * last breakpoint that it has passed, or is after it. */
static struct pcf_double_double integral_to(const struct walk *walk, const struct end *end,
                                            double event, int met) {
  if (met) return end->integral;
  int64_t k = end->passed;
  double since = walk->time[k > 0 ? k - 1 : 0];
  struct pcf_double_double at = pcf_exact_sum_of(event, end->lag);
  return pcf_double_double_sum(end->integral, area(walk, height_after(walk, k), since, at));
}

/* Where the window lies within one piece, the mean is its value, bit for bit. */
static double mean_at(const struct walk *walk, double event, int leaves, int reaches) {
  int64_t left = walk->leaving.passed, right = walk->reaching.passed;
  if (left == right) return value_after(walk, left);
  if (reaches && left == right - 1) return value_after(walk, left);
  struct pcf_double_double a = integral_to(walk, &walk->leaving, event, leaves);
  struct pcf_double_double b = integral_to(walk, &walk->reaching, event, reaches);
  a.high = -a.high, a.low = -a.low;
  double width = pcf_times_power_of_2(walk->width, -walk->time_exponent);
  return pcf_times_power_of_2(pcf_double_double_sum(b, a).high / width, walk->exponent);
}

/* The exponent of the largest of some magnitudes. */
static int exponent_of(const double *number, int64_t count, double largest) {
  int exponent;
  for (int64_t k = 0; k < count; k++) largest = fmax(largest, fabs(pcf_known(number[k])));
  frexp(largest, &exponent);
  return exponent;
}

static struct walk begin_walk(const struct pcf_rolling *rolling, int64_t i) {
  int64_t m = pcf_breakpoints(rolling->x, i);
  const double *time = pcf_times(rolling->x, i), *value = pcf_values(rolling->x, i);
  int starts = time[0] == -INFINITY;
  struct walk walk = {.time = time + starts,
                      .value = value + starts,
                      .first = starts ? value[0] : 0,
                      .count = m - starts,
                      .width = rolling->before + rolling->after,
                      .leaving = {.lag = -rolling->before},
                      .reaching = {.lag = rolling->after}};
  walk.exponent = exponent_of(walk.value, walk.count, fabs(pcf_known(walk.first)));
  walk.time_exponent = exponent_of(walk.time, walk.count, walk.width);
  walk.unknown = isnan(walk.first) != 0;
  return walk;
}

static double missing_unless(int known, double value) {
  return known ? value + 0.0 : pcf_missing();
}

/* Of two events that are the same up to rounding, that of the end without a lag is exact. */
static double event_of(const struct walk *walk, double leaves, double reaches) {
  if (pcf_is_same_time(leaves, reaches)) return walk->leaving.lag == 0 ? leaves : reaches;
  return leaves < reaches ? leaves : reaches;
}

static int64_t write_rolling(const void *rolling, int64_t i, double *matrix,
                             int64_t breakpoints) {
  struct walk walk = begin_walk(rolling, i);
  struct pcf_written to = pcf_write_to(1, matrix, breakpoints);
  while (walk.leaving.passed < walk.count) {
    double event =
      event_of(&walk, next_event(&walk, &walk.leaving), next_event(&walk, &walk.reaching));
    int known = walk.unknown == 0;
    int reaches = pass_all(&walk, &walk.reaching, event, walk.count) > 0;
    int leaves = pass_all(&walk, &walk.leaving, event, walk.reaching.passed) > 0;
    int known_after = walk.unknown == 0;
    if (!known && !known_after) continue;
    double mean = mean_at(&walk, event, leaves, reaches);
    pcf_write(&to, event, missing_unless(known, mean), missing_unless(known_after, mean));
  }
  double rest = walk.unknown ? pcf_missing() : value_after(&walk, walk.count);
  if (to.count == 0) pcf_write(&to, 0, rest, rest);
  return to.count;
}

struct pcf_unwritten pcf_rolling_means(const struct pcf_rolling *rolling) {
  return (struct pcf_unwritten){write_rolling, rolling, rolling->x->count, 1};
}
