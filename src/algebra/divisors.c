#include "algebra/divisors.h"

#include "algebra/sums.h"
#include "base/memory.h"
#include "collections/observed.h"

/* The divisors are sums themselves: those of the indicators of where functions are observed,
 * with the weights of the functions, or without to count them. */
static enum pcf_status sum_indicators(const struct pcf_collection *indicators,
                                      const struct pcf_rows *rows, const double *weight,
                                      int threads, const atomic_int *stop,
                                      struct pcf_divisors *sums, struct pcf_error *error);
static void keep_where_all_are(const struct pcf_rows *rows, struct pcf_divisors *counts);
static enum pcf_status check_weights(const struct pcf_divisors *weights,
                                     const struct pcf_divisors *counts, int64_t rows,
                                     struct pcf_error *error);

static int any_negative(const struct pcf_rows *rows) {
  int negative = 0;
  for (int64_t e = 0; rows->weight && e < rows->starts[rows->count]; e++) {
    negative |= rows->weight[e] < 0;
  }
  return negative;
}

enum pcf_status pcf_divisors_make(const struct pcf_collection *x, const struct pcf_rows *rows,
                                  int threads, const atomic_int *stop,
                                  struct pcf_divisors *divisors, struct pcf_error *error) {
  struct pcf_owned_functions indicators;
  struct pcf_divisors counts = {0};
  const double *weight = rows->observed_only ? rows->weight : NULL;
  *divisors = (struct pcf_divisors){0};
  enum pcf_status status = pcf_indicators_make(x, threads, stop, &indicators, error);
  const struct pcf_collection *view = &indicators.view;
  if (!status) status = sum_indicators(view, rows, weight, threads, stop, divisors, error);
  if (!status && !rows->observed_only) keep_where_all_are(rows, divisors);
  if (!status && rows->observed_only && any_negative(rows)) {
    status = sum_indicators(view, rows, NULL, threads, stop, &counts, error);
    if (!status) status = check_weights(divisors, &counts, rows->count, error);
  }
  pcf_divisors_free(&counts);
  pcf_owned_functions_free(&indicators);
  return status;
}

void pcf_divisors_free(struct pcf_divisors *divisors) {
  pcf_free(divisors->steps);
  pcf_free(divisors->column);
  pcf_free(divisors->number);
  *divisors = (struct pcf_divisors){0};
}

/* ---- Sums of indicators ---- */

/* Room for the points of all rows: times, then divisors, of each. */
static enum pcf_status make_room(const struct pcf_curves *curves, struct pcf_divisors *sums,
                                 struct pcf_error *error) {
  size_t rows = (size_t)curves->count, total = 0;
  for (size_t r = 0; r < rows; r++) total += (size_t)curves->breakpoints[r];
  sums->steps = pcf_allocate(rows, sizeof *sums->steps, error);
  sums->column = pcf_allocate(rows, sizeof *sums->column, error);
  sums->number = pcf_allocate(2 * total, sizeof *sums->number, error);
  if (!sums->steps || !sums->column || !sums->number) return PCF_ERROR_MEMORY;
  double *at = sums->number;
  for (size_t r = 0; r < rows; r++) {
    int64_t n = curves->breakpoints[r];
    sums->column[r] = at;
    sums->steps[r] = (struct pcf_divisor_steps){n, at, at + n};
    at += 2 * n;
  }
  return PCF_OK;
}

static enum pcf_status sum_indicators(const struct pcf_collection *indicators,
                                      const struct pcf_rows *rows, const double *weight,
                                      int threads, const atomic_int *stop,
                                      struct pcf_divisors *sums, struct pcf_error *error) {
  struct pcf_rows counting = *rows;
  struct pcf_range range = {.value = 1, .least = 1, .endless = 1};
  struct pcf_curves curves;
  counting.missing = 0;
  counting.divisor = NULL;
  counting.weight = weight;
  enum pcf_status status =
    pcf_sums(indicators, &counting, &range, threads, stop, &curves, error);
  if (!status) status = make_room(&curves, sums, error);
  if (!status) status = pcf_curves_write(&curves, sums->column, threads, stop, error);
  pcf_curves_free(&curves);
  return status;
}

static void keep_where_all_are(const struct pcf_rows *rows, struct pcf_divisors *counts) {
  for (int64_t r = 0; r < rows->count; r++) {
    int64_t n = counts->steps[r].count;
    double *count = counts->column[r] + n, divisor = rows->divisor ? rows->divisor[r] : 1;
    double all = (double)(rows->starts[r + 1] - rows->starts[r]);
    for (int64_t k = 0; k < n; k++) count[k] = count[k] == all ? divisor : 0;
  }
}

/* ---- Weights that add up to 0 ---- */

/* Whether any function counts between two times. */
static int any_between(const struct pcf_divisor_steps *counts, int64_t *at, double from,
                       double to) {
  while (*at < counts->count && counts->time[*at] <= from) ++*at;
  if (*at > 0 && counts->divisor[*at - 1] > 0) return 1;
  for (; *at < counts->count && counts->time[*at] < to; ++*at) {
    if (counts->divisor[*at] > 0) return 1;
  }
  return 0;
}

static enum pcf_status check_weights(const struct pcf_divisors *weights,
                                     const struct pcf_divisors *counts, int64_t rows,
                                     struct pcf_error *error) {
  for (int64_t r = 0; r < rows; r++) {
    const struct pcf_divisor_steps *steps = &weights->steps[r];
    int64_t at = 0;
    for (int64_t k = 0; k < steps->count; k++) {
      double end = k + 1 < steps->count ? steps->time[k + 1] : INFINITY;
      if (steps->divisor[k] != 0 || !any_between(&counts->steps[r], &at, steps->time[k], end)) {
        continue;
      }
      return pcf_fail(error, PCF_ERROR_ARGUMENT,
                      "The weights of the functions that are observed from the time %.15g on "
                      "add up to 0: there is no such mean.",
                      steps->time[k]);
    }
  }
  return PCF_OK;
}
