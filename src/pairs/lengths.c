#include "pairs/lengths.h"

#include "base/memory.h"
#include "pairs/view.h"

#include <math.h>

/* The longest that any function is observed comes to less than 2^62 units, of 64 bits, so that
 * lengths are positive as signed numbers. An overlap below 2^52 is gone through: one of k
 * stretches has an error of less than k · 2^-52, about that of k additions. Of 32 bits it is
 * 2^30 and 2^22, where times are rounded to 24 bits before. */
enum { MOST_BITS = 700 }; /* scaled times are below 2^302 */
static const int longest_bits[2] = {62, 30};
static const int64_t least_units[2] = {(int64_t)1 << 52, (int64_t)1 << 22};

/* ---- The stretches of indicators ---- */

/* The value of an indicator while time goes on: its next change is number `next`. */
struct walk {
  struct pcf_view view;
  double to;
  enum pcf_precision times;
  int64_t next;
  int observed;
};

static struct walk start(const struct pcf_units *units, const struct pcf_collection *x,
                         int64_t i) {
  const struct pcf_integral *integral = &units->pairs->integral;
  struct walk walk = {.view = pcf_view_of(x, i, integral),
                      .to = pcf_narrowed(integral->to, units->times),
                      .times = units->times};
  walk.observed = walk.view.initial != 0;
  return walk;
}

static double first_time(const struct pcf_units *units) {
  return pcf_narrowed(units->pairs->integral.from, units->times);
}

static double next_change(const struct walk *walk) {
  if (walk->next == walk->view.events) return walk->to;
  return pcf_narrowed(pcf_view_time(&walk->view, walk->next), walk->times);
}

static void change(struct walk *walk) {
  if (walk->next == walk->view.events) return;
  walk->observed = pcf_view_value(&walk->view, walk->next++) != 0;
}

/* How long indicator i is 1, but for stretches without an end. */
static double observed_length(const struct pcf_units *units, const struct pcf_collection *x,
                              int64_t i) {
  struct walk walk = start(units, x, i);
  double now = first_time(units), sum = 0;
  for (int64_t k = 0; k <= walk.view.events; k++) {
    double next = next_change(&walk);
    if (walk.observed && isfinite(next - now)) sum += next - now;
    now = next;
    change(&walk);
  }
  return sum;
}

/* How long both indicators are 1. */
static double common_length(const struct pcf_units *units, int64_t row, int64_t column) {
  const struct pcf_request *request = &units->pairs->request;
  struct walk f = start(units, request->x, row);
  struct walk g = start(units, pcf_columns_of(request), column);
  double now = first_time(units), sum = 0;
  for (;;) {
    double f_next = next_change(&f), g_next = next_change(&g);
    double next = f_next < g_next ? f_next : g_next;
    if (f.observed && g.observed) sum += next - now;
    if (f.next == f.view.events && g.next == g.view.events) return sum;
    now = next;
    if (f_next == now) change(&f);
    if (g_next == now) change(&g);
  }
}

/* ---- The unit ---- */

struct measuring {
  const struct pcf_units *units;
  double *longest; /* by threads */
};

static enum pcf_status measure_band(void *measuring_, const struct pcf_collection *x,
                                    int thread, int64_t index, int64_t first, int count,
                                    struct pcf_error *error) {
  const struct measuring *measuring = measuring_;
  double *longest = &measuring->longest[thread];
  (void)index;
  (void)error;
  for (int64_t i = first; i < first + count; i++) {
    *longest = fmax(*longest, observed_length(measuring->units, x, i));
  }
  return PCF_OK;
}

enum pcf_status pcf_units_choose(const struct pcf_cpu_run *run, enum pcf_precision times,
                                 struct pcf_units *units, struct pcf_error *error) {
  const struct pcf_request *request = &run->pairs->request;
  size_t threads = (size_t)run->threads;
  struct measuring measuring = {units, pcf_allocate(threads, sizeof(double), error)};
  *units = (struct pcf_units){.pairs = run->pairs, .times = times};
  if (!measuring.longest) return PCF_ERROR_MEMORY;
  for (size_t t = 0; t < threads; t++) measuring.longest[t] = 0;
  enum pcf_status status = pcf_for_bands(run, request->x, measure_band, &measuring, error);
  if (!status && request->y) {
    status = pcf_for_bands(run, request->y, measure_band, &measuring, error);
  }
  double longest = 0;
  for (size_t t = 0; t < threads; t++) longest = fmax(longest, measuring.longest[t]);
  pcf_free(measuring.longest);
  int exponent;
  frexp(longest, &exponent); /* 0 for 0 */
  units->bits = longest_bits[run->pairs->integral.precision] - exponent;
  if (units->bits > MOST_BITS) units->bits = MOST_BITS;
  units->one = ldexp(1, -2 * run->pairs->integral.value_exponent);
  units->unit = ldexp(units->one, -units->bits);
  return status;
}

/* ldexp() is exact here, or the time is nothing beside the longest length. */
int64_t pcf_units_of(const struct pcf_units *units, double time) {
  double number = rint(ldexp(time, units->bits));
  if (fabs(number) < 0x1p63) return (int64_t)number;
  double rest = fmod(number, 0x1p64); /* exact */
  int64_t magnitude = (int64_t)(uint64_t)fabs(rest);
  return rest < 0 ? pcf_opposite(magnitude) : magnitude;
}

/* ---- Tiles ---- */

void pcf_lengths_sides(const struct pcf_cpu_run *run, int64_t i, int64_t j,
                       struct pcf_tile *tile) {
  tile->lengths.run = run;
  tile->lengths.place = (struct pcf_spot){(int32_t)(i * run->width), (int32_t)(j * run->width)};
}

static double small_length(const struct pcf_units *units, int64_t row, int64_t column) {
  if (!pcf_overlaps_may_meet(&units->pairs->alike->overlaps, row, column)) return 0;
  return common_length(units, row, column);
}

void pcf_units_store(const struct pcf_units *units, const struct pcf_tile *tile,
                     const struct pcf_spot *place, int column, int begin, int end,
                     const void *lengths) {
  const struct pcf_pairs *pairs = units->pairs;
  enum pcf_precision precision = pairs->integral.precision;
  int64_t least = least_units[precision];
  char *to =
    (char *)tile->output + (size_t)(begin + tile->stride * column) * pcf_scalar_size(precision);
  const char *from = (const char *)lengths + (size_t)begin * pcf_units_size(units);
  pcf_to_scalars_kernel *to_scalars =
    pcf_kernels_of(pairs->instructions)->to_scalars[precision];
  int small = to_scalars(from, end - begin, units->unit, least, to);
  for (int k = 0; small && k < end - begin; k++) {
    if (pcf_load_units(units, from, k) >= least) continue;
    double length = small_length(units, place->row + begin + k, place->column + column);
    pcf_store_scalar(to, k, units->one * length, precision);
  }
}
