#include "base/quantiles.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLE = 16, MARGIN = 3, MANY = 32, ROUNDS = 16, LANES = 4 };

int pcf_ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_of_three(double a, double b, double c) {
  double low = a < b ? a : b, high = a < b ? b : a;
  return c < low ? low : c > high ? high : c;
}

/* Hoare's: parts that hold the k-th number become smaller and smaller. */
static double kth_by_parting(double *number, int64_t count, int64_t k) {
  int64_t low = 0, high = count - 1;
  while (low < high) {
    double pivot = median_of_three(number[low], number[low + (high - low) / 2], number[high]);
    int64_t i = low - 1, j = high + 1;
    for (;;) {
      do i++;
      while (number[i] < pivot);
      do j--;
      while (number[j] > pivot);
      if (i >= j) break;
      double held = number[i];
      number[i] = number[j];
      number[j] = held;
    }
    if (k <= j) high = j;
    else low = j + 1;
  }
  return number[k];
}

/* Sorts a few numbers. */
static void sort_few(double *number, int count) {
  for (int i = 1; i < count; i++) {
    double own = number[i];
    int k = i;
    for (; k > 0 && number[k - 1] > own; k--) number[k] = number[k - 1];
    number[k] = own;
  }
}

/* Two numbers that are likely to have the k-th one between them. */
static void guess_bounds(const double *number, int64_t count, int64_t k, double *low,
                         double *high) {
  double sample[SAMPLE];
  for (int s = 0; s < SAMPLE; s++) sample[s] = number[(2 * s + 1) * count / (2 * SAMPLE)];
  sort_few(sample, SAMPLE);
  int at = (int)((double)k / (double)count * SAMPLE);
  *low = sample[at > MARGIN ? at - MARGIN : 0];
  *high = sample[at + MARGIN < SAMPLE ? at + MARGIN : SAMPLE - 1];
}

/* Keeps the numbers from `low` to `high`; how many they are. */
static int64_t keep_between(double *number, int64_t count, double low, double high) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; i++) {
    double own = number[i];
    number[kept] = own;
    kept += (own >= low) & (own <= high);
  }
  return kept;
}

/* How many numbers are less than `low`, and how many up to `high`. */
static void count_below(const double *number, int64_t count, double low, double high,
                        int64_t *below, int64_t *up_to) {
  int64_t less[LANES] = {0}, no_more[LANES] = {0}, i = 0;
  for (; i + LANES <= count; i += LANES) {
    for (int l = 0; l < LANES; l++) less[l] += number[i + l] < low;
    for (int l = 0; l < LANES; l++) no_more[l] += number[i + l] <= high;
  }
  for (; i < count; i++) {
    less[0] += number[i] < low;
    no_more[0] += number[i] <= high;
  }
  for (int l = 0; l < LANES; l++) {
    *below += less[l];
    *up_to += no_more[l];
  }
}

/* Keeps numbers near the k-th one, by a sample, and that one; returns how many. Without
 * branches that depend on numbers. */
static int64_t keep_near(double *number, int64_t count, int64_t *k) {
  double low, high;
  int64_t below = 0, up_to = 0;
  guess_bounds(number, count, *k, &low, &high);
  count_below(number, count, low, high, &below, &up_to);
  if (*k < below) return keep_between(number, count, -INFINITY, nextafter(low, -INFINITY));
  int between = *k < up_to;
  *k -= between ? below : up_to;
  if (between) return keep_between(number, count, low, high);
  return keep_between(number, count, nextafter(high, INFINITY), INFINITY);
}

double pcf_kth(double *number, int64_t count, int64_t k) {
  double extreme = number[0];
  if (k > 0 && k < count - 1) {
    for (int r = 0; r < ROUNDS && count > MANY; r++) count = keep_near(number, count, &k);
    return kth_by_parting(number, count, k);
  }
  for (int64_t i = 1; i < count; i++) {
    if (k == 0 ? number[i] < extreme : number[i] > extreme) extreme = number[i];
  }
  return extreme;
}

int pcf_quantile_cuts(double *sample, int64_t count, int parts, double after, double *cut) {
  int cuts = 0;
  qsort(sample, (size_t)count, sizeof *sample, pcf_ascending);
  for (int k = 1; k < parts && count > 0; k++) {
    double next = sample[count * k / parts];
    if (next > after) cut[cuts++] = after = next;
  }
  return cuts;
}
