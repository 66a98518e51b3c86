#include "base/quantiles.h"

#include <stdlib.h>

int pcf_ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_of_three(double a, double b, double c) {
  double low = a < b ? a : b, high = a < b ? b : a;
  return c < low ? low : c > high ? high : c;
}

/* Keeps the numbers that are below one of them, or above it, in their order; how many. */
static int64_t keep_side(double *number, int64_t count, double pivot, int above) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; i++) {
    double own = number[i];
    number[kept] = own;
    kept += above ? own > pivot : own < pivot;
  }
  return kept;
}

/* Parts that hold the k-th number become smaller and smaller, without branches that depend on
 * single numbers. The ends of a part are not looked at first, since numbers often rise, or
 * fall, from both of them to the middle. */
static double kth_by_parting(double *number, int64_t count, int64_t k) {
  for (;;) {
    int64_t below = 0, up_to = 0, aside = count / 6;
    double pivot = median_of_three(number[aside], number[count / 2], number[count - 1 - aside]);
    for (int64_t i = 0; i < count; i++) {
      below += number[i] < pivot;
      up_to += number[i] <= pivot;
    }
    int above = k >= up_to;
    if (k >= below && !above) return pivot;
    if (above) k -= up_to;
    count = keep_side(number, count, pivot, above);
  }
}

double pcf_kth(double *number, int64_t count, int64_t k) {
  double extreme = number[0];
  if (k > 0 && k < count - 1) return kth_by_parting(number, count, k);
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
