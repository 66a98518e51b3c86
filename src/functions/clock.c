#include "functions/clock.h"

#include "base/memory.h"
#include "base/threads.h"
#include "functions/parts.h"

#include <math.h>

/* What a thread takes at once. */
enum { FUNCTIONS_PER_ITEM = 64 };

/* ---- The clock ---- */

static void add_knot(struct pcf_clock *clock, double time, double slope) {
  clock->time[clock->knots] = time;
  clock->slope[clock->knots++] = slope;
}

/* The knots are the breakpoints of the weight in the window, and its ends. */
static void place_knots(struct pcf_clock *clock, const struct pcf_collection *weight) {
  const double *time = pcf_times(weight, 0), *value = pcf_values(weight, 0);
  int64_t m = pcf_breakpoints(weight, 0), k = 0;
  double from = clock->window[0], to = clock->window[1], now = 0;
  for (; k < m && time[k] <= from; k++) now = value[k];
  if (from > -INFINITY) add_knot(clock, from, now);
  else clock->before = now;
  for (; k < m && time[k] < to; k++) add_knot(clock, time[k], now = value[k]);
  if (to < INFINITY) add_knot(clock, to, 0);
  if (clock->knots == 0) add_knot(clock, 0, now);
}

/* clock[k + 1] is the sum of all stretches before it, whose rounding errors are put back. */
static void wind(struct pcf_clock *clock) {
  struct pcf_total total = {0, 0};
  clock->clock[0] = 0;
  for (int64_t k = 0; k + 1 < clock->knots; k++) {
    double length = clock->time[k + 1] - clock->time[k];
    if (clock->slope[k] > 0) pcf_total_add(&total, clock->slope[k] * length);
    clock->clock[k + 1] = fmax(clock->clock[k], pcf_total_of(&total));
  }
}

enum pcf_status pcf_clock_make(struct pcf_clock *clock, const struct pcf_collection *weight,
                               double from, double to, struct pcf_error *error) {
  size_t most = (size_t)pcf_breakpoints(weight, 0) + 2;
  *clock = (struct pcf_clock){.window = {from, to}};
  clock->time = pcf_allocate(most, sizeof *clock->time, error);
  clock->clock = pcf_allocate(most, sizeof *clock->clock, error);
  clock->slope = pcf_allocate(most, sizeof *clock->slope, error);
  if (!clock->time || !clock->clock || !clock->slope) return PCF_ERROR_MEMORY;
  place_knots(clock, weight);
  wind(clock);
  clock->from = pcf_clock_at(clock, from);
  clock->to = pcf_clock_at(clock, to);
  int64_t last = clock->knots - 1;
  if (clock->clock[last] < INFINITY && (to == INFINITY || clock->to < INFINITY) &&
      (from == -INFINITY || clock->from > -INFINITY))
    return PCF_OK;
  return pcf_fail(error, PCF_ERROR_ARGUMENT,
                  "the integral of the weight is larger than the largest double");
}

void pcf_clock_free(struct pcf_clock *clock) {
  pcf_free(clock->time);
  pcf_free(clock->clock);
  pcf_free(clock->slope);
}

/* W(t) for t in the window, where k is the last knot at or before t, or -1. */
static double at_knot(const struct pcf_clock *clock, int64_t k, double t) {
  if (k < 0) return clock->before > 0 ? -clock->before * (clock->time[0] - t) : 0;
  if (!(clock->slope[k] > 0)) return clock->clock[k];
  double reading = clock->clock[k] + clock->slope[k] * (t - clock->time[k]);
  if (k + 1 == clock->knots) return reading;
  return reading < clock->clock[k + 1] ? reading : clock->clock[k + 1];
}

/* The last knot of k, k + 1, … that is at or before t. */
static int64_t next_knot(const struct pcf_clock *clock, int64_t k, double t) {
  while (k + 1 < clock->knots && clock->time[k + 1] <= t) k++;
  return k;
}

static double in_window(const struct pcf_clock *clock, double t) {
  return t < clock->window[0] ? clock->window[0] : t > clock->window[1] ? clock->window[1] : t;
}

double pcf_clock_at(const struct pcf_clock *clock, double t) {
  int64_t low = -1, high = clock->knots;
  t = in_window(clock, t);
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    if (clock->time[middle] <= t) low = middle;
    else high = middle;
  }
  return at_knot(clock, low, t);
}

/* ---- Functions on the clock ---- */

/* Writes a function on the clock to `to_time` and `to_value`, or, where these are NULL, only
 * counts its breakpoints. A first time of −∞ stays. */
static int64_t convert(const struct pcf_clock *clock, const struct pcf_collection *x, int64_t i,
                       double *to_time, double *to_value) {
  const double *time = pcf_times(x, i), *value = pcf_values(x, i);
  int64_t m = pcf_breakpoints(x, i), knot = -1, count = 0;
  double last = NAN;
  for (int64_t k = 0; k < m; k++) {
    double t = in_window(clock, time[k]);
    knot = next_knot(clock, knot, t);
    double reading = time[k] > -INFINITY ? at_knot(clock, knot, t) : -INFINITY;
    if (reading != last) count++;
    last = reading;
    if (!to_time) continue;
    to_time[count - 1] = reading;
    to_value[count - 1] = value[k];
  }
  return count;
}

struct converting {
  const struct pcf_clock *clock;
  const struct pcf_collection *x;
  int64_t *counted;
  const int64_t *breakpoints;
  double *const *result;
};

static enum pcf_status convert_some(void *converting_, int thread, int64_t index,
                                    struct pcf_error *error) {
  const struct converting *converting = converting_;
  const struct pcf_collection *x = converting->x;
  int64_t first = index * FUNCTIONS_PER_ITEM, end = first + FUNCTIONS_PER_ITEM;
  (void)thread;
  (void)error;
  for (int64_t i = first; i < end && i < x->count; i++) {
    if (converting->counted) {
      converting->counted[i] = convert(converting->clock, x, i, NULL, NULL);
    } else {
      double *to = converting->result[i];
      convert(converting->clock, x, i, to, to + converting->breakpoints[i]);
    }
  }
  return PCF_OK;
}

static enum pcf_status convert_all(struct converting *converting, int threads,
                                   const atomic_int *stop, struct pcf_error *error) {
  int64_t items = (converting->x->count + FUNCTIONS_PER_ITEM - 1) / FUNCTIONS_PER_ITEM;
  return pcf_parallel_for(threads, items, stop, convert_some, converting, error);
}

enum pcf_status pcf_clock_count(const struct pcf_clock *clock, const struct pcf_collection *x,
                                int threads, const atomic_int *stop, int64_t *breakpoints,
                                struct pcf_error *error) {
  struct converting converting = {.clock = clock, .x = x, .counted = breakpoints};
  return convert_all(&converting, threads, stop, error);
}

enum pcf_status pcf_clock_fill(const struct pcf_clock *clock, const struct pcf_collection *x,
                               int threads, const atomic_int *stop, const int64_t *breakpoints,
                               double *const *result, struct pcf_error *error) {
  struct converting converting = {
    .clock = clock, .x = x, .breakpoints = breakpoints, .result = result};
  return convert_all(&converting, threads, stop, error);
}
