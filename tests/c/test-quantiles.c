/* Quantiles of functions, against sorted values. */
#include "check.h"
#include "collections.h"

#include "algebra/quantiles.h"
#include "algebra/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double probs[] = {0, 0.1, 0.5, 0.77, 1};
enum { PROBS = sizeof probs / sizeof *probs };

/* The quantile of type 7 of some values, of which missing ones count only if not
 * `observed_only`. */
static double sorted_quantile(double *value, int64_t n, double prob, int observed_only) {
  int64_t known = 0;
  for (int64_t i = 0; i < n; i++) {
    if (!isnan(value[i])) value[known++] = value[i];
  }
  if (known == 0 || (known < n && !observed_only)) return pcf_missing();
  qsort(value, (size_t)known, sizeof *value, by_number);
  struct pcf_rank rank = pcf_rank_of(prob, known);
  double next = value[rank.before + (rank.before + 1 < known)];
  return pcf_at_rank(rank, value[rank.before], next);
}

static double quantile_at(const struct pcf_collection *x, double time, double prob,
                          int observed_only) {
  double *value = kept(calloc((size_t)x->count, sizeof *value));
  for (int64_t i = 0; i < x->count; i++) value[i] = value_at(x, i, time);
  return sorted_quantile(value, x->count, prob, observed_only);
}

static bool same_value(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

/* All quantiles, written one after the other: times, then values. */
static double **quantiles_of(const struct pcf_quantiles *wanted, int threads, int64_t *count) {
  struct pcf_curves curves;
  struct pcf_error error = {0};
  double **columns = kept(calloc(PROBS, sizeof *columns));
  enum pcf_status status = pcf_quantiles(wanted, threads, NULL, &curves, &error);
  for (int q = 0; !status && q < PROBS; q++) {
    count[q] = curves.breakpoints[q];
    columns[q] = kept(calloc(3 * (size_t)count[q], sizeof(double)));
  }
  if (!status) status = pcf_curves_write(&curves, columns, threads, NULL, &error);
  CHECK(status == PCF_OK);
  pcf_curves_free(&curves);
  return columns;
}

static void check_steps(const struct functions *x, const double *time, int64_t times,
                        int observed_only) {
  struct pcf_quantiles wanted = {&x->view, probs, PROBS, observed_only, time, times, 0};
  int64_t count[PROBS], again[PROBS];
  double **found = quantiles_of(&wanted, 1, count);
  bool right = true, same = true;
  for (int q = 0; q < PROBS; q++) {
    if (time) right = right && count[q] == times;
    for (int64_t k = 0; k < count[q]; k++) {
      double at = found[q][k];
      right = right && (k == 0 || found[q][k - 1] < at) && (!time || at == time[k]);
      right = right && same_value(found[q][count[q] + k],
                                  quantile_at(&x->view, at, probs[q], observed_only));
    }
  }
  pcf_quantiles_part = 1 << 16;
  double **whole = quantiles_of(&wanted, 3, again);
  for (int q = 0; q < PROBS; q++) {
    same = same && count[q] == again[q] &&
           memcmp(found[q], whole[q], 2 * (size_t)count[q] * sizeof(double)) == 0;
  }
  CHECK(right);
  CHECK(same);
}

TEST(quantiles_of_steps_are_those_of_sorted_values) {
  static const enum shape shapes[] = {INTEGER_TIMES, UNBOUNDED, PARTIAL, SHARED_GRID};
  const double time[] = {-INFINITY, -2, 0, 0.25, 1, 1.5, 2, 7, 100};
  int64_t part = pcf_quantiles_part;
  for (int k = 0; k < 24; k++) {
    int64_t count = random_between(&random, 1, k % 2 ? 8 : 90);
    struct functions *x = functions_random(&random, shapes[k % 4], count, 1, k % 3 ? 40 : 400);
    for (int observed_only = 0; observed_only < 2; observed_only++) {
      pcf_quantiles_part = 8;
      check_steps(x, NULL, 0, observed_only);
      pcf_quantiles_part = 8;
      check_steps(x, time, sizeof time / sizeof *time, observed_only);
    }
  }
  pcf_quantiles_part = part;
}
