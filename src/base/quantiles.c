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
