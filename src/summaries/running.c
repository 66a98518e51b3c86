#include "summaries/running.h"

#include "base/threads.h"
#include "collections/pieces.h"

enum { FUNCTIONS_AT_ONCE = 16 };

/* What the pieces so far add up to: finite parts with the rest that rounding leaves, and
 * infinite ones. */
struct total {
  struct pcf_double_double finite;
  double infinite;
};

static pcf_range_body integrate_some;

enum pcf_status pcf_running_integrals(struct pcf_running *running, int threads,
                                      const atomic_int *stop, struct pcf_error *error) {
  return pcf_for_ranges(threads, running->x->count, FUNCTIONS_AT_ONCE, stop, integrate_some,
                        running, error);
}

/* ---- Lines that fall by factors ---- */

static int falls_by_factors(const struct pcf_running *running, struct pcf_straight line) {
  return running->falls_by_factors && line.value > line.left && line.left > 0;
}

/* The logarithm of value / left, without a loss of digits where both are close. */
static double log_of_fall(struct pcf_straight line) {
  double share = (line.value - line.left) / line.left;
  return share <= DBL_MAX ? log1p(share) : log(line.value) - log(line.left);
}

/* Counted from the nearer end. */
static double value_of_fall(struct pcf_straight line, double at) {
  double run = line.to - line.from, fall = log_of_fall(line);
  double passed = (at - line.from) / run, ahead = (line.to - at) / run;
  return passed < ahead ? line.value * exp(-fall * passed) : line.left * exp(fall * ahead);
}

static double integral_of_fall(struct pcf_straight line, double from, double to) {
  if (line.from < from) {
    line.value = value_of_fall(line, from); /* the rest of the line falls at the same rate */
    line.from = from;
  }
  if (line.to > to) {
    line.left = value_of_fall(line, to);
    line.to = to;
  }
  double mean =
    line.value > line.left ? (line.value - line.left) / log_of_fall(line) : line.left;
  return mean * (line.to - line.from);
}

/* ---- Integrals ---- */

/* Of a whole piece from one time to another, which it reaches. */
static double integral_between(const struct pcf_running *running, struct pcf_straight line,
                               double from, double to) {
  if (falls_by_factors(running, line)) return integral_of_fall(line, from, to);
  line = pcf_cut_line(line, from, to);
  double mean = line.value == line.left ? line.value : 0.5 * line.value + 0.5 * line.left;
  return mean == 0 ? 0 : mean * (line.to - line.from);
}

static struct total plus(struct total total, double part) {
  if (isinf(part)) total.infinite += part;
  else total.finite = pcf_double_double_sum(total.finite, (struct pcf_double_double){part, 0});
  return total;
}

static double sum_of(struct total total) {
  if (total.infinite != 0) return total.infinite;
  return isinf(total.finite.high) ? total.finite.high : total.finite.high + total.finite.low;
}

static void store(const struct pcf_running *running, int64_t i, int64_t t, double integral) {
  int64_t column = running->column ? running->column[t] : t;
  running->result[i + column * running->x->count] = integral;
}

static void integrate(struct pcf_running *running, int64_t i) {
  struct pcf_section f = pcf_section_of(running->x, i);
  struct total total = {{0, 0}, 0};
  int64_t t = 0;
  int unknown = 0;
  while (t < running->count && !(running->time[t] > running->from)) store(running, i, t++, 0);
  for (int64_t k = pcf_first_line(&f, running->from); t < running->count; k++) {
    struct pcf_straight line = pcf_line_from(&f, k);
    double from = line.from > running->from ? line.from : running->from;
    int missing = isnan(line.value) != 0;
    if (missing) atomic_store_explicit(&running->missing, 1, memory_order_relaxed);
    unknown |= missing && running->known;
    for (; t < running->count && running->time[t] <= line.to; t++) {
      double to = running->time[t];
      struct total here =
        missing ? total : plus(total, integral_between(running, line, from, to));
      store(running, i, t, unknown ? pcf_missing() : sum_of(here));
    }
    if (!missing) total = plus(total, integral_between(running, line, from, line.to));
  }
}

static void integrate_some(void *running, int64_t first, int64_t end) {
  for (int64_t i = first; i < end; i++) integrate(running, i);
}
