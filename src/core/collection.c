#include "core/collection.h"

static enum pcf_problem check_times(const double *time, int64_t m, int64_t *position);
static enum pcf_problem check_values(const double *value, int64_t m, int64_t *position);

/* The common case, a sound function, takes one pass without branches per array; only a fault
 * is searched for a second time. */
enum pcf_problem pcf_check_functions(const struct pcf_collection *x, int64_t first,
                                     int64_t last, struct pcf_range *range, int64_t *function,
                                     int64_t *position) {
  for (int64_t i = first; i < last; i++) {
    int64_t m = pcf_breakpoints(x, i);
    enum pcf_problem problem = check_times(pcf_times(x, i), m, position);
    if (!problem) problem = check_values(pcf_values(x, i), m, position);
    if (problem) {
      *function = i;
      return problem;
    }
    range->time =
      fmax(range->time, fmax(fabs(pcf_times(x, i)[0]), fabs(pcf_times(x, i)[m - 1])));
    pcf_widen_range(range, pcf_values(x, i), m);
  }
  return PCF_VALID;
}

/* Sorted times between two finite ends are finite. */
static enum pcf_problem check_times(const double *time, int64_t m, int64_t *position) {
  int sound = isfinite(time[0]) && isfinite(time[m - 1]);
  for (int64_t k = 1; k < m; k++) sound &= time[k - 1] < time[k];
  if (sound) return PCF_VALID;
  for (int64_t k = 0; k < m; k++) {
    *position = k;
    if (isnan(time[k])) return PCF_TIME_MISSING;
    if (isinf(time[k])) return PCF_TIME_INFINITE;
    if (k && time[k] == time[k - 1]) return PCF_TIME_REPEATED;
    if (k && time[k] < time[k - 1]) return PCF_TIME_UNSORTED;
  }
  return PCF_VALID;
}

/* x - x is 0 for finite x, else NaN. */
static enum pcf_problem check_values(const double *value, int64_t m, int64_t *position) {
  double sum0 = 0, sum1 = 0;
  int64_t k = 0;
  for (; k + 1 < m; k += 2) {
    sum0 += value[k] - value[k];
    sum1 += value[k + 1] - value[k + 1];
  }
  for (; k < m; k++) sum0 += value[k] - value[k];
  if (sum0 + sum1 == 0) return PCF_VALID;
  for (k = 0; k < m; k++) {
    *position = k;
    if (isnan(value[k])) return PCF_VALUE_MISSING;
    if (isinf(value[k])) return PCF_VALUE_INFINITE;
  }
  return PCF_VALID;
}

void pcf_widen_range(struct pcf_range *range, const double *value, int64_t m) {
  double most = range->value, least = range->least;
  for (int64_t k = 0; k < m; k++) {
    double magnitude = fabs(value[k]), or_infinity = magnitude == 0 ? INFINITY : magnitude;
    most = magnitude > most ? magnitude : most;
    least = or_infinity < least ? or_infinity : least;
  }
  range->value = most;
  range->least = least;
}
