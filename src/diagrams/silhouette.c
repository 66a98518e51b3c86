/* The slope of the sum of all tents changes by the weight of a bar at its birth and its death,
 * and by minus twice that at its middle. The changes are sorted, and slope and value added up
 * from the left, in double-double arithmetic: what has cancelled leaves no trace in a double.
 */
#include "diagrams/silhouette.h"

#include "arithmetic/double-double.h"
#include "base/memory.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

/* Function i is written to first[i] …, with room for all vertices that it can have. A thread
 * has room for the bars of a diagram, and for their changes twice. */
enum { STEPS_PER_BAR = 7 };
struct work {
  const struct pcf_diagrams *x;
  double power;
  int64_t *first; /* count + 1 */
  double *times, *values;
  struct pcf_step *steps;
  double *weight;
  int64_t most; /* bars of a diagram */
  struct pcf_curves *curves;
  struct pcf_arrays arrays; /* but for times and values */
};

static enum pcf_status make_work(struct work *work, int threads, struct pcf_error *error);
static pcf_loop_body build_silhouette;

enum pcf_status pcf_build_silhouettes(const struct pcf_diagrams *x, double power, int threads,
                                      const atomic_int *stop, struct pcf_bar_fault *fault,
                                      struct pcf_curves *curves, struct pcf_error *error) {
  struct work work = {.x = x, .power = power, .curves = curves};
  *fault = (struct pcf_bar_fault){0};
  *curves = (struct pcf_curves){0};
  if (!(power >= 0 && power < INFINITY)) {
    return pcf_fail(error, PCF_ERROR_ARGUMENT, "the power is negative or not finite");
  }
  enum pcf_status status = make_work(&work, threads, error);
  if (!status) {
    status = pcf_parallel_for(threads, x->count, stop, build_silhouette, &work, error);
  }
  if (status == PCF_ERROR_ARGUMENT) pcf_fail_for_bar(x, fault, error);
  pcf_arrays_free(&work.arrays);
  return status ? status : pcf_curves_count(curves, error);
}

static enum pcf_status make_work(struct work *work, int threads, struct pcf_error *error) {
  const struct pcf_diagrams *x = work->x;
  size_t count = (size_t)x->count;
  struct pcf_arrays *arrays = &work->arrays;
  work->first = pcf_array(arrays, count + 1, sizeof *work->first, error);
  if (!work->first) return PCF_ERROR_MEMORY;
  work->first[0] = 0;
  for (size_t i = 0; i < count; i++) {
    int64_t bars = x->diagrams[i].bars;
    work->first[i + 1] = work->first[i] + 3 * bars + 1;
    if (bars > work->most) work->most = bars;
  }
  size_t room = (size_t)work->most * (size_t)(threads > 1 ? threads : 1);
  work->steps = pcf_array(arrays, STEPS_PER_BAR * room, sizeof *work->steps, error);
  work->weight = pcf_array(arrays, room, sizeof *work->weight, error);
  if (arrays->status) return PCF_ERROR_MEMORY;
  enum pcf_status status = pcf_curves_make(work->curves, x->count, NULL, 1, error);
  if (status) return status;
  work->curves->linear = work->curves->sound = 1;
  work->times = pcf_allocate(2 * (size_t)work->first[count], sizeof *work->times, error);
  if (!work->times) return PCF_ERROR_MEMORY;
  work->curves->block[0] = work->times;
  work->values = work->times + work->first[count];
  return PCF_OK;
}

/* ---- A diagram ---- */

/* Times are multiplied by a power of two, so that their differences and products are in range.
 */
struct tents {
  const struct pcf_step *bars; /* births as times, deaths as changes */
  double *weight;              /* at most 1 */
  int64_t count;
  double scale, total; /* the total of the weights */
};

/* Step 3 * k + one of these is what bar k does. */
enum { BIRTH, MIDDLE, DEATH };

static void weigh(struct tents *tents, double power);
static int64_t gather_changes(const struct tents *tents, struct pcf_step *steps);
static int64_t write_vertices(const struct tents *tents, const struct pcf_step *steps,
                              int64_t count, double *times, double *values);

static enum pcf_status build_silhouette(void *work_, int thread, int64_t i,
                                        struct pcf_error *error) {
  struct work *work = work_;
  struct pcf_step *bars = work->steps + thread * STEPS_PER_BAR * work->most;
  int64_t count = pcf_gather_bars(work->x, i, bars);
  if (count < 0) return pcf_fail(error, PCF_ERROR_ARGUMENT, "a bar is not valid");
  struct pcf_step *steps = bars + count, *scratch = steps + 3 * count;
  struct tents tents = {bars, work->weight + thread * work->most, count, 1, 0};
  weigh(&tents, work->power);
  int64_t changes = gather_changes(&tents, steps);
  pcf_sort_steps(steps, scratch, changes);
  double *times = work->times + work->first[i], *values = work->values + work->first[i];
  int64_t vertices = write_vertices(&tents, steps, changes, times, values);
  work->curves->stretch[i] =
    (struct pcf_stretch){.count = vertices, .time = times, .value = values};
  return PCF_OK;
}

/* ---- Weights ---- */

static struct pcf_double_double length_of(const struct tents *tents, int64_t k) {
  const struct pcf_step *bar = &tents->bars[k];
  return pcf_exact_sum_of(bar->change * tents->scale, -bar->time * tents->scale);
}

static struct pcf_double_double product_of(struct pcf_double_double a,
                                           struct pcf_double_double b) {
  struct pcf_double_double product = pcf_exact_product(a.high, b.high);
  return pcf_ordered_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static struct pcf_double_double quotient_of(struct pcf_double_double a,
                                            struct pcf_double_double b) {
  double high = a.high / b.high;
  struct pcf_double_double back = pcf_exact_product(high, b.high);
  double rest = ((a.high - back.high) - back.low) + (a.low - high * b.low);
  return pcf_ordered_sum(high, rest / b.high);
}

/* (a / b)^power, for lengths of which b is no shorter. Errors of the quotient count `power`
 * times, and so do those of the logarithms in a pow() that is not quite exact: the whole part
 * of the power is taken by squares, and pow() has the part below 1. */
static double power_of_ratio(struct pcf_double_double a, struct pcf_double_double b,
                             double power) {
  struct pcf_double_double square = quotient_of(a, b), result = {1, 0};
  double whole = floor(power), part = power - whole;
  if (part > 0) {
    result.high = pow(square.high, part);
    if (square.high > 0) result.low = result.high * (part * (square.low / square.high));
  }
  for (; whole > 0 && result.high > 0; whole = floor(whole / 2)) {
    if (fmod(whole, 2) == 1) result = product_of(result, square);
    square = product_of(square, square);
  }
  return result.high;
}

/* Sets the scale and the weights, relative to that of the longest bar. */
static void weigh(struct tents *tents, double power) {
  struct pcf_double_double longest = {0, 0}, total = {0, 0};
  double largest = 0;
  int exponent;
  for (int64_t k = 0; k < tents->count; k++) {
    largest = fmax(largest, fmax(fabs(tents->bars[k].time), fabs(tents->bars[k].change)));
  }
  frexp(largest, &exponent);
  tents->scale = ldexp(1, exponent < -1000 ? 1000 : -exponent);
  for (int64_t k = 0; k < tents->count; k++) {
    struct pcf_double_double length = length_of(tents, k);
    int longer =
      length.high == longest.high ? length.low > longest.low : length.high > longest.high;
    if (longer) longest = length;
  }
  for (int64_t k = 0; k < tents->count; k++) {
    double weight = power_of_ratio(length_of(tents, k), longest, power);
    tents->weight[k] = weight;
    total = pcf_double_double_sum(total, (struct pcf_double_double){weight, 0});
  }
  tents->total = total.high;
}

/* ---- Adding up ---- */

/* Bars that have no weight, or no middle, change nothing. */
static int64_t gather_changes(const struct tents *tents, struct pcf_step *steps) {
  int64_t count = 0;
  for (int64_t k = 0; k < tents->count; k++) {
    double birth = tents->bars[k].time, death = tents->bars[k].change, code = 3 * (double)k;
    if (tents->weight[k] == 0 || !pcf_has_middle(birth, death)) continue;
    steps[count++] = (struct pcf_step){birth, code + BIRTH};
    steps[count++] = (struct pcf_step){pcf_middle(birth, death), code + MIDDLE};
    steps[count++] = (struct pcf_step){death, code + DEATH};
  }
  return count;
}

/* The sum of the tents at a time, and its slope on the right; how many bars live. */
struct state {
  double time;
  struct pcf_double_double value, slope;
  int64_t living;
};

/* The changes at one time. A middle that rounding has moved is at another time in truth: what
 * the sum misses by that on the left of the time, and on its right. */
struct change {
  struct pcf_double_double slope, births; /* of the slope: all, and that by births alone */
  double size;                            /* the sum of the absolute changes */
  double early, late;
  int64_t born, died;
};

static struct change change_at(const struct tents *tents, const struct pcf_step *steps,
                               int64_t count);
static double advance(struct state *state, const struct tents *tents, double time,
                      const struct change *change);

static int64_t write_vertices(const struct tents *tents, const struct pcf_step *steps,
                              int64_t count, double *times, double *values) {
  const double tiny = 0x1p-50; /* a change by no more is due to the rounding of weights */
  struct state state = {.time = count > 0 ? steps[0].time : 0};
  int64_t vertices = 0;
  for (int64_t k = 0, together; k < count; k += together) {
    double time = steps[k].time;
    for (together = 1; k + together < count && steps[k + together].time == time;) together++;
    struct change change = change_at(tents, steps + k, together);
    times[vertices] = time;
    values[vertices] = advance(&state, tents, time, &change);
    vertices += fabs(change.slope.high) > tiny * change.size;
  }
  if (vertices > 0) return vertices;
  times[0] = values[0] = 0;
  return 1;
}

/* By how much, in scaled time, the middle of a bar comes after its rounded time. */
static double lateness(const struct tents *tents, const struct pcf_step *bar, double time) {
  double scale = tents->scale;
  struct pcf_double_double middle =
    pcf_exact_sum_of(bar->time * scale * 0.5, bar->change * scale * 0.5);
  return (middle.high - time * scale) + middle.low;
}

static struct change change_at(const struct tents *tents, const struct pcf_step *steps,
                               int64_t count) {
  struct change change = {0};
  for (int64_t j = 0; j < count; j++) {
    int64_t code = (int64_t)steps[j].change, bar = code / 3;
    int what = (int)(code % 3);
    struct pcf_double_double weight = {tents->weight[bar], 0}, turn = weight;
    if (what == BIRTH) {
      change.births = pcf_double_double_sum(change.births, weight);
      change.born++;
    } else if (what == DEATH) {
      change.died++;
    } else {
      double missed = 2 * weight.high * lateness(tents, &tents->bars[bar], steps[j].time);
      *(missed < 0 ? &change.early : &change.late) += missed;
      turn.high *= -2;
    }
    change.slope = pcf_double_double_sum(change.slope, turn);
    change.size += fabs(turn.high);
  }
  return change;
}

static struct pcf_double_double plus(struct pcf_double_double a, double b) {
  return pcf_double_double_sum(a, (struct pcf_double_double){b, 0});
}

/* Goes on to a time and returns the value of the mean there. Where all that lived die, the sum
 * starts again from 0. */
static double advance(struct state *state, const struct tents *tents, double time,
                      const struct change *change) {
  struct pcf_double_double step =
    pcf_exact_sum_of(time * tents->scale, -state->time * tents->scale);
  int from_zero = change->died == state->living;
  state->time = time;
  state->living += change->born - change->died;
  if (from_zero) {
    state->value = (struct pcf_double_double){0, 0};
    state->slope = change->births;
    return 0;
  }
  state->value = pcf_double_double_sum(state->value, product_of(state->slope, step));
  state->value = plus(state->value, change->early);
  double value = state->value.high / tents->total / tents->scale;
  state->value = plus(state->value, change->late);
  state->slope = pcf_double_double_sum(state->slope, change->slope);
  return value > 0 ? value : 0;
}
