#include "summaries/windows.h"

#include "arrays/segment-parts.h"
#include "base/bits.h"
#include "base/same-time.h"
#include "base/search.h"
#include "base/threads.h"
#include "summaries/norms.h"

#include <math.h>

enum { WINDOWS_AT_ONCE = 64, FUNCTIONS_AT_ONCE = 64 };

/* How many breakpoints of a function, of which the first k are, are not after a time. */
static int64_t passed_from(const struct pcf_section *f, int64_t k, double time) {
  k = pcf_first_from(f->time, k, f->breakpoints, time);
  return k + (k < f->breakpoints && f->time[k] == time);
}

/* ---- Integrals ---- */

struct integrating {
  const struct pcf_collection *x;
  const struct pcf_windows *windows;
  int64_t blocks; /* of windows, for each function */
  double *integral, *length;
};

/* What a function adds up to in a window. `missing` is how much of it is not observed, `size`
 * the integral of the absolute value. */
struct sums {
  struct pcf_total integral, length;
  double size, missing;
  int is_zero;
};

/* The mean of a function from `begin` to `end`, between which it has no breakpoint, after so
 * many; NaN where it is not observed. */
static double mean_between(const struct pcf_section *f, int64_t passed, double begin,
                           double end) {
  int64_t k = passed - 1, m = f->breakpoints;
  if (!f->left) return k < 0 ? 0 : f->value[k];
  if (k < 0) return f->left[0];
  if (passed == m || isnan(f->value[k])) return f->value[k];
  double first = begin > f->time[k] ? pcf_value_on_line(f, k, begin) : f->value[k];
  double last = end < f->time[passed] ? pcf_value_on_line(f, k, end) : f->left[passed];
  return pcf_height_of_line(PCF_INTEGRAL, first, last);
}

static void add_piece(struct sums *sums, double mean, double width) {
  if (isnan(mean)) {
    sums->missing += width;
    return;
  }
  pcf_total_add(&sums->length, width);
  if (mean == 0) return;
  sums->is_zero = 0;
  sums->size += fabs(mean) * width;
  pcf_total_add(&sums->integral, mean * width);
}

/* Adds the pieces in the window of a function that has passed *passed breakpoints at its start;
 * those at its end are noted. Missing ones within rounding of an end are left out. */
static struct sums sum_window(const struct pcf_section *f, int64_t *passed, double from,
                              double to) {
  struct sums sums = {.is_zero = 1};
  double begin = from;
  for (int64_t k = *passed; begin < to; k++) {
    double end = k < f->breakpoints && f->time[k] < to ? f->time[k] : to;
    double mean = mean_between(f, k, begin, end);
    int at_edge = (begin == from || end == to) && pcf_is_same_time(begin, end);
    if (!isnan(mean) || !at_edge) add_piece(&sums, mean, end - begin);
    begin = end;
    *passed = k;
  }
  if (from < to) *passed = passed_from(f, *passed, to);
  return sums;
}

/* The same integral where products could overflow or vanish. */
static enum pcf_status integrate_extreme(const struct pcf_collection *x, int64_t i, double from,
                                         double to, double *integral, struct pcf_error *error) {
  int64_t offsets[] = {0, pcf_breakpoints(x, i)};
  struct pcf_collection one = {1, x->functions + i, offsets, x->linear, NULL};
  struct pcf_measuring measuring = {PCF_INTEGRAL, 1, from, to};
  struct pcf_fault fault;
  return pcf_measure(&one, &measuring, 1, NULL, integral, NULL, &fault, error);
}

static enum pcf_status integrate_block(void *integrating_, int thread, int64_t index,
                                       struct pcf_error *error) {
  const struct integrating *integrating = integrating_;
  const struct pcf_windows *windows = integrating->windows;
  const struct pcf_collection *x = integrating->x;
  int64_t i = index / integrating->blocks;
  int64_t first = index % integrating->blocks * WINDOWS_AT_ONCE, end = first + WINDOWS_AT_ONCE;
  struct pcf_section f = pcf_section_of(x, i);
  int64_t passed = 0;
  enum pcf_status status = PCF_OK;
  (void)thread;
  for (int64_t j = first; j < end && j < windows->count && !status; j++) {
    double from = windows->from[j], to = windows->to[j];
    int goes_on = j > first && windows->to[j - 1] == from;
    if (!goes_on) passed = passed_from(&f, 0, from);
    struct sums sums = sum_window(&f, &passed, from, to);
    int64_t place = i + x->count * j;
    int moderate = sums.is_zero || (sums.size >= 0x1p-900 && sums.size <= 0x1p900);
    integrating->length[place] = sums.missing > 0 ? pcf_total_of(&sums.length) : to - from;
    integrating->integral[place] = pcf_total_of(&sums.integral);
    if (!moderate)
      status = integrate_extreme(x, i, from, to, &integrating->integral[place], error);
  }
  return status;
}

enum pcf_status pcf_integrate_windows(const struct pcf_collection *x,
                                      const struct pcf_windows *windows, int threads,
                                      const atomic_int *stop, double *integral, double *length,
                                      struct pcf_error *error) {
  int64_t blocks = (windows->count + WINDOWS_AT_ONCE - 1) / WINDOWS_AT_ONCE;
  struct integrating integrating = {x, windows, blocks, integral, length};
  return pcf_parallel_for(threads, x->count * blocks, stop, integrate_block, &integrating,
                          error);
}

/* ---- Values ---- */

struct evaluating {
  const struct pcf_collection *x;
  const int64_t *offsets;
  const double *time;
  int left;
  double *result;
};

static void evaluate_some(void *evaluating_, int64_t first, int64_t end) {
  const struct evaluating *evaluating = evaluating_;
  for (int64_t i = first; i < end; i++) {
    struct pcf_section f = pcf_section_of(evaluating->x, i);
    for (int64_t k = evaluating->offsets[i]; k < evaluating->offsets[i + 1]; k++) {
      double time = evaluating->time[k];
      evaluating->result[k] =
        pcf_value_at(&f, passed_from(&f, 0, time), evaluating->left, time);
    }
  }
}

enum pcf_status pcf_evaluate_each(const struct pcf_collection *x, const int64_t *offsets,
                                  const double *time, int left, int threads,
                                  const atomic_int *stop, double *result,
                                  struct pcf_error *error) {
  struct evaluating evaluating = {x, offsets, time, left, result};
  return pcf_for_ranges(threads, x->count, FUNCTIONS_AT_ONCE, stop, evaluate_some, &evaluating,
                        error);
}

/* ---- What is not observed ---- */

struct pcf_unobserved pcf_find_unobserved(const struct pcf_collection *x, int64_t i,
                                          double from, double to) {
  struct pcf_section f = pcf_section_of(x, i);
  int64_t k = from > -INFINITY ? passed_from(&f, 0, from) : 0, m = f.breakpoints;
  double begin = from;
  while (begin < to) {
    double value = k > 0 ? f.value[k - 1] : f.left ? f.left[0] : 0;
    if (isnan(value))
      while (k < m && isnan(f.value[k])) k++;
    double end = k < m && f.time[k] < to ? f.time[k] : to;
    int at_start = begin == from && (from == -INFINITY || pcf_is_same_time(from, end));
    int at_end = end == to && (to == INFINITY || pcf_is_same_time(begin, to));
    if (isnan(value) && !at_start && !at_end) return (struct pcf_unobserved){begin, end};
    begin = end;
    k++;
  }
  return (struct pcf_unobserved){NAN, NAN};
}
