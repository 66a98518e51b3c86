/* Depths and variances of functions against their definitions. */
#include "check.h"
#include "collections.h"

#include "base/instructions.h"
#include "base/memory.h"
#include "collections/check.h"
#include "depth/depth.h"
#include "depth/variance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double from = -2, to = 9;

static struct pcf_range range_of(const struct pcf_collection *x) {
  struct pcf_range range = PCF_EMPTY_RANGE;
  struct pcf_fault fault = {0};
  CHECK(pcf_check_collection(x, 1, NULL, &range, &fault, NULL) == PCF_OK);
  return range;
}

/* ---- Depths ---- */

static double *depths_of(const struct pcf_collection *x, enum pcf_depth type,
                         const struct pcf_collection *weight, int threads) {
  struct pcf_range range = range_of(x);
  double *result = kept(calloc((size_t)x->count, sizeof *result));
  struct pcf_depths depths = {x, &range, type, from, to, weight, result, 0, NULL};
  struct pcf_error error = {0};
  CHECK(pcf_depths(&depths, threads, NULL, &error) == PCF_OK);
  return result;
}

/* What function i loses at a time, times the number of functions, and that number. */
static void look(const struct pcf_collection *x, int64_t i, enum pcf_depth type, double time,
                 double *lost, double *observed) {
  double own = value_at(x, i, time), below = 0, above = 0, n = 0;
  for (int64_t j = 0; j < x->count; j++) {
    double other = value_at(x, j, time);
    below += other < own;
    above += other > own;
    n += !isnan(other);
  }
  *observed = isnan(own) || (type == PCF_BAND_DEPTH && n < 2) ? 0 : n;
  *lost = type == PCF_BAND_DEPTH ? (below * (below - 1) + above * (above - 1)) / (n - 1)
                                 : fabs(n / 2 - (n - above));
  if (*observed == 0) *lost = 0;
}

/* All breakpoints in the window, with its ends, in order. */
static double *all_times(const struct pcf_collection *x, const struct pcf_collection *weight,
                         int64_t *count) {
  int64_t most = pcf_total_breakpoints(x) + (weight ? pcf_total_breakpoints(weight) : 0) + 2;
  double *time = kept(calloc((size_t)most, sizeof *time));
  *count = 0;
  for (int64_t i = 0; i < x->count + (weight != NULL); i++) {
    const struct pcf_collection *of = i < x->count ? x : weight;
    int64_t f = i < x->count ? i : 0;
    for (int64_t k = 0; k < pcf_breakpoints(of, f); k++) {
      double t = pcf_times(of, f)[k];
      if (t > from && t < to) time[(*count)++] = t;
    }
  }
  time[(*count)++] = from;
  time[(*count)++] = to;
  qsort(time, (size_t)*count, sizeof *time, by_number);
  return time;
}

static double depth_by_definition(const struct pcf_collection *x, int64_t i,
                                  enum pcf_depth type, const struct pcf_collection *weight) {
  int64_t count;
  double *time = all_times(x, weight, &count);
  long double lost = 0, seen = 0;
  for (int64_t k = 0; k + 1 < count; k++) {
    double loss, observed, height = weight ? value_at(weight, 0, time[k]) : 1;
    look(x, i, type, time[k], &loss, &observed);
    lost += (long double)loss * height * (time[k + 1] - time[k]);
    seen += (long double)observed * height * (time[k + 1] - time[k]);
  }
  let_go(time);
  return seen > 0 ? (double)(1 - lost / seen) : NAN;
}

static void check_depths(const struct pcf_collection *x, const struct pcf_collection *weight) {
  for (int type = 0; type < 2; type++) {
    double *found = depths_of(x, (enum pcf_depth)type, weight, 1);
    double *again = depths_of(x, (enum pcf_depth)type, weight, 3);
    CHECK(memcmp(found, again, (size_t)x->count * sizeof *found) == 0);
    for (int64_t i = 0; i < x->count; i++) {
      double expected = depth_by_definition(x, i, (enum pcf_depth)type, weight);
      CHECK(isnan(expected) ? isnan(found[i]) : fabs(found[i] - expected) < 1e-12);
    }
  }
}

TEST(depths_are_those_of_the_definition) {
  const enum shape shapes[] = {PAPER, INTEGER_TIMES, SHARED_GRID, UNBOUNDED, PARTIAL};
  const double heights[] = {-1, 0, 3, 5, 1, 2.5, 0, 0.5};
  struct functions *w = functions_of(1, (int64_t[]){4}, (const double *[]){heights});
  for (int s = 0; s < 5; s++) {
    struct functions *x = functions_random(&random, shapes[s], check_quick() ? 9 : 40, 1, 12);
    check_depths(&x->view, NULL);
    check_depths(&x->view, &w->view);
  }
  for (int64_t n = 1; n < 4; n++) {
    check_depths(&functions_random(&random, PARTIAL, n, 1, 5)->view, NULL);
  }
}

TEST(depths_have_the_same_bits_on_all_instruction_sets) {
  struct functions *x = functions_random(&random, PAPER, check_quick() ? 70 : 3000, 2, 8);
  enum pcf_instructions available[PCF_INSTRUCTION_SETS];
  int sets = pcf_available_instructions(available);
  for (int type = 0; type < 2; type++) {
    double *first = depths_of(&x->view, (enum pcf_depth)type, NULL, 2);
    for (int k = 1; k < sets; k++) {
      pcf_allow_instructions(available[k]);
      double *found = depths_of(&x->view, (enum pcf_depth)type, NULL, 2);
      CHECK(memcmp(first, found, (size_t)x->view.count * sizeof *found) == 0);
    }
    pcf_allow_instructions(available[0]);
  }
}

/* ---- Without memory, and stopped ---- */

/* The k-th allocation fails (0: none). */
static enum pcf_status try_depths(const struct pcf_collection *x, const atomic_int *stop,
                                  long k) {
  struct pcf_range range = range_of(x);
  double *result = kept(calloc((size_t)x->count, sizeof *result));
  pcf_memory_fail_at(k);
  struct pcf_depths depths = {x, &range, PCF_INTEGRATED_DEPTH, from, to, NULL, result, 0, NULL};
  return pcf_depths(&depths, 2, stop, NULL);
}

static enum pcf_status try_variance(const struct pcf_collection *x, const atomic_int *stop,
                                    long k) {
  struct pcf_range range = range_of(x);
  struct pcf_curves curves;
  struct pcf_variance variance = {x, &range, NULL, 1};
  pcf_memory_fail_at(k);
  enum pcf_status status = pcf_variance(&variance, 2, stop, &curves, NULL);
  pcf_curves_free(&curves);
  return status;
}

static struct functions *three_lines(void) {
  struct functions *x = lines_new(3, (int64_t[]){2, 2, 2});
  for (int64_t i = 0; i < 3; i++) {
    times_of(x, i)[0] = 0, times_of(x, i)[1] = 1;
    lefts_of(x, i)[0] = after_lefts(x, i)[0] = (double)(10 * i);
    lefts_of(x, i)[1] = after_lefts(x, i)[1] = (double)(10 - 7 * i);
  }
  return x;
}

TEST(depths_and_variances_fail_without_memory) {
  struct functions *steps = functions_random(&random, PAPER, 5, 2, 5), *lines = three_lines();
  for (int which = 0; which < 3; which++) {
    enum pcf_status status = PCF_ERROR_MEMORY;
    for (long k = 1; status == PCF_ERROR_MEMORY; k++) {
      status = which == 2 ? try_variance(&steps->view, NULL, k)
                          : try_depths(which ? &lines->view : &steps->view, NULL, k);
      pcf_memory_fail_at(0);
      CHECK(status == PCF_OK || status == PCF_ERROR_MEMORY);
      CHECK(k > 1 || status == PCF_ERROR_MEMORY);
    }
  }
}

TEST(depths_and_variances_can_be_stopped) {
  struct functions *steps = functions_random(&random, PAPER, 5, 2, 5), *lines = three_lines();
  const atomic_int stop = 1;
  CHECK(try_depths(&steps->view, &stop, 0) == PCF_ERROR_INTERRUPTED);
  CHECK(try_depths(&lines->view, &stop, 0) == PCF_ERROR_INTERRUPTED);
  CHECK(try_variance(&steps->view, &stop, 0) == PCF_ERROR_INTERRUPTED);
}
