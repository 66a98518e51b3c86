#include "pairs/lengths.h"

#include "base/double-double.h"
#include "base/memory.h"
#include "base/threads.h"
#include "pairs/view.h"

#include <math.h>
#include <string.h>

/* The longest that any function is observed comes to less than 2^62 units, so that lengths are
 * positive as signed numbers. One of k stretches has an error of less than k units: beyond 2^52
 * that is about the error of k additions. */
enum { LONGEST_BITS = 62, LEAST_BITS = 52, MOST_BITS = 700 }; /* times are below 2^302 */

/* ---- Units ---- */

/* A whole number modulo 2^64. */
static int64_t wrapped(double number) {
  number = rint(number);
  if (fabs(number) < 0x1p63) return (int64_t)number;
  double rest = fmod(number, 0x1p64); /* exact */
  uint64_t magnitude = (uint64_t)fabs(rest);
  return (int64_t)(rest < 0 ? 0 - magnitude : magnitude);
}

static int64_t sum_of(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t difference_of(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* From where the weight of a piece is counted: where it begins or, of the first one, ends. */
static double start_of_piece(const struct pcf_lengths *lengths, int64_t piece) {
  double start = lengths->weight->end[piece ? piece - 1 : 0];
  return isfinite(start) ? pcf_narrowed(start, lengths->integral.precision) : 0;
}

/* The weight of a piece up to a time. Twice the digits of a double keep the error below a unit.
 */
static int64_t weight_in_piece(const struct pcf_lengths *lengths, int64_t piece, double time) {
  double height = lengths->weight->height[piece];
  struct pcf_double_double length = pcf_exact_sum_of(time, -start_of_piece(lengths, piece));
  struct pcf_double_double weight = pcf_exact_product(length.high, height);
  double low = weight.low + length.low * height;
  return sum_of(wrapped(ldexp(weight.high, lengths->bits)), wrapped(ldexp(low, lengths->bits)));
}

/* A time in units, or the weight up to it; 0 for an infinite one, which no overlap has as an
 * end. ldexp() is exact here, or the time is nothing beside the longest length. */
static int64_t units_of(const struct pcf_lengths *lengths, double time) {
  if (!isfinite(time)) return 0;
  if (!lengths->weight) return wrapped(ldexp(time, lengths->bits));
  int64_t piece = pcf_piece_until(lengths->weight, time, lengths->integral.precision);
  return sum_of(lengths->before[piece], weight_in_piece(lengths, piece, time));
}

static enum pcf_status add_up_weight(struct pcf_lengths *lengths, struct pcf_error *error) {
  const struct pcf_weight *weight = lengths->weight;
  if (!weight) return PCF_OK;
  int64_t *before = lengths->before =
    pcf_allocate((size_t)weight->pieces, sizeof *before, error);
  if (!before) return PCF_ERROR_MEMORY;
  before[0] = 0;
  for (int64_t k = 0; k + 1 < weight->pieces; k++) {
    double end = pcf_narrowed(weight->end[k], lengths->integral.precision);
    before[k + 1] = sum_of(before[k], weight_in_piece(lengths, k, end));
  }
  return PCF_OK;
}

/* ---- The stretches of an indicator ---- */

/* The value of an indicator while time goes on: its next change is number `next`. */
struct walk {
  struct pcf_view view;
  double from, to;
  enum pcf_precision precision;
  int64_t next;
  int observed;
};

static struct walk start(const struct pcf_lengths *lengths, const struct pcf_collection *x,
                         int64_t i) {
  const struct pcf_integral *integral = &lengths->integral;
  enum pcf_precision precision = integral->precision;
  struct pcf_view view = pcf_view_of(x, i, integral);
  return (struct walk){.view = view,
                       .from = pcf_narrowed(integral->from, precision),
                       .to = pcf_narrowed(integral->to, precision),
                       .precision = precision,
                       .observed = view.initial != 0};
}

static double next_change(const struct walk *walk) {
  if (walk->next == walk->view.events) return walk->to;
  return pcf_narrowed(pcf_view_time(&walk->view, walk->next), walk->precision);
}

static int has_ended(const struct walk *walk) {
  return walk->next == walk->view.events;
}

static void change(struct walk *walk) {
  if (!has_ended(walk)) walk->observed = pcf_view_value(&walk->view, walk->next++) != 0;
}

/* How long indicator i is 1, but for stretches without an end; and the time that is farthest
 * from 0 of those at which it changes. */
static double observed_length(const struct pcf_lengths *lengths, const struct pcf_collection *x,
                              int64_t i, double *farthest) {
  struct walk walk = start(lengths, x, i);
  double now = walk.from, sum = 0;
  for (int64_t k = 0; k <= walk.view.events; k++) {
    double next = next_change(&walk);
    if (isfinite(next)) *farthest = fmax(*farthest, fabs(next));
    if (walk.observed && isfinite(next - now)) {
      sum += lengths->weight ? pcf_weight_between(lengths->weight, now, next) : next - now;
    }
    now = next;
    change(&walk);
  }
  return sum;
}

int64_t pcf_length_of_pair(const struct pcf_lengths *lengths, int64_t row, int64_t column) {
  struct walk f = start(lengths, lengths->x, row), g = start(lengths, lengths->y, column);
  double now = f.from;
  int64_t sum = 0;
  for (;;) {
    double f_next = next_change(&f), g_next = next_change(&g), next = fmin(f_next, g_next);
    if (f.observed && g.observed && next > now) {
      int64_t length = difference_of(units_of(lengths, next), units_of(lengths, now));
      sum = sum_of(sum, length);
    }
    if (has_ended(&f) && has_ended(&g)) return sum;
    now = next;
    if (f_next == now) change(&f);
    if (g_next == now) change(&g);
  }
}

/* ---- Bands ---- */

enum { WIDTH = PCF_OBSERVED_WIDTH };

/* What there is to do for a band of x. */
typedef enum pcf_status band_work(struct pcf_lengths *lengths, const struct pcf_collection *x,
                                  int64_t band, int thread, void *context,
                                  struct pcf_error *error);

struct going_over {
  struct pcf_lengths *lengths;
  const struct pcf_collection *x;
  band_work *work;
  void *context;
};

static enum pcf_status work_on_band(void *over_, int thread, int64_t index,
                                    struct pcf_error *error) {
  const struct going_over *over = over_;
  return over->work(over->lengths, over->x, index, thread, over->context, error);
}

static int64_t bands_of(const struct pcf_collection *x) {
  return pcf_band_count(x->count, WIDTH);
}

static enum pcf_status go_over_bands(struct pcf_lengths *lengths,
                                     const struct pcf_collection *x, band_work *work,
                                     void *context, int threads, const atomic_int *stop,
                                     struct pcf_error *error) {
  struct going_over over = {lengths, x, work, context};
  return pcf_parallel_for(threads, bands_of(x), stop, work_on_band, &over, error);
}

static int count_of(const struct pcf_collection *x, int64_t band) {
  int64_t rest = x->count - band * WIDTH;
  return (int)(rest < WIDTH ? rest : WIDTH);
}

/* The longest of all lengths, and the farthest time, as a thread has found them. */
struct measured {
  double longest, farthest;
};

static enum pcf_status measure_band(struct pcf_lengths *lengths, const struct pcf_collection *x,
                                    int64_t band, int thread, void *measured_,
                                    struct pcf_error *error) {
  struct measured *measured = (struct measured *)measured_ + thread;
  (void)error;
  for (int k = 0; k < count_of(x, band); k++) {
    double length = observed_length(lengths, x, band * WIDTH + k, &measured->farthest);
    measured->longest = fmax(measured->longest, length);
  }
  return PCF_OK;
}

/* In single precision, overlaps that are short beside their distance from 0 have too few
 * digits. */
static void choose_unit(struct pcf_lengths *lengths, struct measured most) {
  static const double resolved = 0x1p-14;
  const struct pcf_integral *integral = &lengths->integral;
  int exponent;
  frexp(most.longest, &exponent); /* 0 for 0 */
  int bits = LONGEST_BITS - exponent;
  lengths->bits = bits < MOST_BITS ? bits : MOST_BITS;
  lengths->unit = ldexp(1, integral->time_exponent + integral->weight_exponent - lengths->bits);
  lengths->least = (int64_t)1 << LEAST_BITS;
  if (integral->precision != PCF_DOUBLE) {
    double least = ldexp(most.farthest * resolved, lengths->bits);
    if (least > (double)lengths->least) {
      lengths->least = least < 0x1p62 ? (int64_t)least : INT64_MAX;
    }
  }
  if (!isnormal(lengths->unit)) lengths->least = INT64_MAX;
}

static enum pcf_status measure(struct pcf_lengths *lengths, int threads, const atomic_int *stop,
                               struct pcf_error *error) {
  size_t bytes = (size_t)threads * sizeof(struct measured);
  struct measured *measured = pcf_allocate(bytes, 1, error), most = {0, 0};
  if (!measured) return PCF_ERROR_MEMORY;
  memset(measured, 0, bytes);
  enum pcf_status status =
    go_over_bands(lengths, lengths->x, measure_band, measured, threads, stop, error);
  if (!status && lengths->y != lengths->x) {
    status = go_over_bands(lengths, lengths->y, measure_band, measured, threads, stop, error);
  }
  for (int t = 0; t < threads; t++) {
    most.longest = fmax(most.longest, measured[t].longest);
    most.farthest = fmax(most.farthest, measured[t].farthest);
  }
  pcf_free(measured);
  choose_unit(lengths, most);
  return status;
}

/* All that are observed at the end of the window end there. */
static void list_changes(const struct pcf_lengths *lengths, const struct pcf_band *events,
                         struct pcf_observed_band *band) {
  const struct pcf_integral *integral = &lengths->integral;
  enum pcf_precision precision = integral->precision;
  int64_t start = units_of(lengths, pcf_narrowed(integral->from, precision));
  double to = pcf_narrowed(integral->to, precision);
  int64_t observed[WIDTH];
  for (int k = 0; k < WIDTH; k++) {
    observed[k] = -(pcf_load_scalar(events->initial, k, precision) != 0);
    band->going[k] = observed[k];
    band->held[k] = observed[k] & difference_of(0, start);
  }
  for (int64_t e = 0; e < events->events; e++) {
    int lane = events->function[e] & (PCF_FLUSH - 1);
    int64_t then = -(pcf_load_scalar(events->value, e, precision) != 0);
    if (then == observed[lane]) continue; /* a stretch that is nothing in this precision */
    double time = pcf_load_scalar(events->time, e, precision);
    observed[lane] = then;
    band->change[band->changes++] =
      (struct pcf_observed_change){time, units_of(lengths, time), lane, then != 0};
  }
  for (int k = 0; k < WIDTH; k++) {
    if (!observed[k]) continue;
    band->change[band->changes++] =
      (struct pcf_observed_change){to, units_of(lengths, to), k, 0};
  }
}

/* Puts the changes of each function together, which are at numbered times. */
static void list_edges(struct pcf_observed_band *band) {
  int64_t next[WIDTH];
  for (int k = 0; k <= WIDTH; k++) band->first[k] = 0;
  for (int64_t e = 0; e < band->changes; e++) band->first[band->change[e].lane + 1]++;
  for (int k = 0; k < WIDTH; k++) band->first[k + 1] += band->first[k];
  memcpy(next, band->first, sizeof next);
  for (int64_t e = 0; e < band->changes; e++) {
    const struct pcf_observed_change *change = &band->change[e];
    if (!band->times || change->time > band->time[band->times - 1]) {
      band->units[band->times] = change->units;
      band->time[band->times++] = change->time;
    }
    band->edge[next[change->lane]++] =
      (struct pcf_observed_edge){(int32_t)band->times - 1, change->begins};
  }
}

static enum pcf_status fill_band(const struct pcf_lengths *lengths,
                                 const struct pcf_band *events, struct pcf_observed_band *band,
                                 struct pcf_error *error) {
  size_t most = (size_t)(events->events + WIDTH);
  band->count = events->count;
  band->change = pcf_allocate(most, sizeof *band->change, error);
  band->time = pcf_allocate(most, sizeof *band->time, error);
  band->units = pcf_allocate(most, sizeof *band->units, error);
  band->edge = pcf_allocate(most, sizeof *band->edge, error);
  if (!band->change || !band->time || !band->units || !band->edge) return PCF_ERROR_MEMORY;
  list_changes(lengths, events, band);
  list_edges(band);
  return PCF_OK;
}

static enum pcf_status build_band(struct pcf_lengths *lengths, const struct pcf_collection *x,
                                  int64_t index, int thread, void *bands,
                                  struct pcf_error *error) {
  struct pcf_observed_band *band = (struct pcf_observed_band *)bands + index;
  struct pcf_band_scratch scratch = {0};
  struct pcf_band events;
  (void)thread;
  enum pcf_status status = pcf_band_build(&events, x, &lengths->integral, index * WIDTH,
                                          count_of(x, index), WIDTH, &scratch, error);
  if (!status) status = fill_band(lengths, &events, band, error);
  pcf_band_free(&events);
  pcf_band_scratch_free(&scratch);
  return status;
}

static enum pcf_status build_bands(struct pcf_lengths *lengths, const struct pcf_collection *x,
                                   struct pcf_observed_band **bands, int threads,
                                   const atomic_int *stop, struct pcf_error *error) {
  size_t bytes = (size_t)bands_of(x) * sizeof **bands;
  *bands = pcf_allocate(bytes, 1, error);
  if (!*bands) return PCF_ERROR_MEMORY;
  memset(*bands, 0, bytes);
  return go_over_bands(lengths, x, build_band, *bands, threads, stop, error);
}

/* Indicators are seen as inner products see functions; that they are 1 or 0 is all that is
 * read of their values. */
enum pcf_status pcf_lengths_make(struct pcf_lengths *lengths, const struct pcf_collection *x,
                                 const struct pcf_collection *y,
                                 const struct pcf_integral *integral, int threads,
                                 const atomic_int *stop, struct pcf_error *error) {
  *lengths = (struct pcf_lengths){
    .x = x, .y = y ? y : x, .integral = *integral, .weight = integral->weight};
  lengths->integral.operation = PCF_INNER;
  lengths->integral.value_exponent = lengths->integral.own_exponents = 0;
  lengths->integral.weight = NULL;
  enum pcf_status status = measure(lengths, threads, stop, error);
  if (!status) status = add_up_weight(lengths, error);
  if (!status) status = build_bands(lengths, x, &lengths->rows, threads, stop, error);
  lengths->columns = lengths->rows;
  if (status || !y) return status;
  return build_bands(lengths, y, &lengths->columns, threads, stop, error);
}

static void free_bands(struct pcf_observed_band *bands, const struct pcf_collection *x) {
  for (int64_t b = 0; bands && b < bands_of(x); b++) {
    pcf_free(bands[b].change);
    pcf_free(bands[b].time);
    pcf_free(bands[b].units);
    pcf_free(bands[b].edge);
  }
  pcf_free(bands);
}

void pcf_lengths_free(struct pcf_lengths *lengths) {
  if (lengths->columns != lengths->rows) free_bands(lengths->columns, lengths->y);
  free_bands(lengths->rows, lengths->x);
  pcf_free(lengths->before);
  *lengths = (struct pcf_lengths){0};
}
