#include "base/quantiles.h"

#include <stdlib.h>

int pcf_ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
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
