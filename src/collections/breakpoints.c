#include "collections/breakpoints.h"

#include <math.h>
#include <string.h>

void pcf_add_breakpoint(struct pcf_output *output, double time, double value) {
  output->times[output->count] = time;
  output->values[output->count++] = value;
}

void pcf_write_steps(struct pcf_output *output, const struct pcf_step *steps, int64_t count,
                     int both_ways, struct pcf_total *sum) {
  double *times = output->times + output->count, *values = output->values + output->count;
  double before = sum->sum + sum->error;
  int64_t written = pcf_add_steps(steps, count, sum, times, values);
  if (both_ways) written = pcf_drop_flat(times, values, written, before);
  output->count += written;
}

/* Writes every time, in the place of the previous one where the two are equal. */
void pcf_write_falls(struct pcf_output *output, const double *down, int64_t downs,
                     double start) {
  double *times = output->times + output->count, *values = output->values + output->count;
  double before = -INFINITY;
  int64_t last = -1;
  for (int64_t k = 0; k < downs; k++) {
    last += down[k] != before;
    times[last] = before = down[k];
    values[last] = start - (double)(k + 1);
  }
  output->count += last + 1;
}

/* ---- Counts ---- */

static inline int merge_counts(const struct pcf_counts *x, int any_negative,
                               double *restrict times, double *restrict values);
static int64_t drop_ties(double *times, double *values, int64_t count);

void pcf_write_counts(struct pcf_output *output, const struct pcf_counts *counts) {
  double *times = output->times, *values = output->values;
  output->count = counts->ups + counts->downs;
  int any_negative = counts->up[0] < 0 || counts->down[0] < 0;
  int ties = any_negative ? merge_counts(counts, 1, times, values)
                          : merge_counts(counts, 0, times, values);
  if (ties) {
    output->count = drop_ties(times, values, output->count);
    output->count = pcf_drop_flat(times, values, output->count, 0);
  }
}

static inline int64_t bits_at(const double *time) {
  int64_t bits;
  memcpy(&bits, time, sizeof bits);
  return bits;
}

/* Compares times, none of them -0, by their bits, which is faster. */
static inline int is_less(int64_t a, int64_t b, int any_negative) {
  if (!any_negative) return a < b;
  return (a ^ (int64_t)((uint64_t)(a >> 63) >> 1)) < (b ^ (int64_t)((uint64_t)(b >> 63) >> 1));
}

/* Without a branch, which no processor could predict. */
static inline int64_t choose(int first, int64_t a, int64_t b) {
  return b ^ ((a ^ b) & -(int64_t)first);
}

/* Merges all times, and the counts at them, from both ends to the middle: one end works while
 * the other waits for what it compares. Of equal times those down come first. `u` and `v` are
 * how many times up are before the two ends. Returns whether there are equal times. */
static inline __attribute__((always_inline)) int merge_counts(const struct pcf_counts *x,
                                                              int any_negative,
                                                              double *restrict times,
                                                              double *restrict values) {
  int64_t total = x->ups + x->downs, u = 0, v = x->ups, before = -1, after = -1;
  int ties = 0;
  for (int64_t k = 0, back = total - 1; k <= back; k++, back--) {
    int64_t a = bits_at(x->up + u), b = bits_at(x->down + (k - u));
    int64_t c = bits_at(x->up + (v - 1)), d = bits_at(x->down + (back - v));
    int goes_up = is_less(a, b, any_negative), went_up = !is_less(c, d, any_negative);
    int64_t first = choose(goes_up, a, b), last = choose(went_up, c, d);
    memcpy(times + k, &first, sizeof first);
    memcpy(times + back, &last, sizeof last);
    ties |= (first == before) | (last == after);
    before = first;
    after = last;
    u += goes_up;
    values[k] = (double)(2 * u - k - 1);
    values[back] = (double)(2 * v - back - 1);
    v -= went_up;
  }
  return ties | (total % 2 == 0 && before == after);
}

/* Drops all but the last of the breakpoints at one time; returns how many are left. */
static int64_t drop_ties(double *times, double *values, int64_t count) {
  int64_t kept = 0;
  for (int64_t k = 0; k < count; k++) {
    times[kept] = times[k];
    values[kept] = values[k];
    kept += k + 1 == count || times[k] != times[k + 1];
  }
  return kept;
}
