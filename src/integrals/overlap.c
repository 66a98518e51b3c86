#include "integrals/overlap.h"

#include "base/memory.h"
#include "base/threads.h"
#include "integrals/mean-of-pair.h"
#include "integrals/request.h"

#include <float.h>
#include <math.h>

static enum pcf_status compare_all(struct pcf_overlaps *overlaps, int threads,
                                   const atomic_int *stop, struct pcf_error *error);
static enum pcf_status list_first(struct pcf_overlaps *overlaps, struct pcf_error *error);
static enum pcf_status list_all(struct pcf_overlaps *overlaps, int threads,
                                const atomic_int *stop, struct pcf_error *error);
static enum pcf_status compare_pairs(struct pcf_overlaps *overlaps, const atomic_int *stop,
                                     struct pcf_error *error);
static enum pcf_status refuse_unbounded(struct pcf_overlaps *overlaps, struct pcf_error *error);
static void require_least(struct pcf_overlaps *overlaps);

int pcf_overlaps_are_means(const struct pcf_overlaps *overlaps) {
  return overlaps->missing == PCF_MISSING_MEAN &&
         !pcf_is_supremum(overlaps->request->operation);
}

enum pcf_status pcf_overlaps_find(struct pcf_overlaps *overlaps,
                                  const struct pcf_request *request, enum pcf_missing missing,
                                  const struct pcf_weight *weight, int partial, int threads,
                                  const atomic_int *stop, struct pcf_error *error) {
  *overlaps = (struct pcf_overlaps){
    .request = request, .missing = missing, .weight = weight, .alike = 1, .certain = 1};
  enum pcf_status status =
    pcf_stretches_of_window(&overlaps->stretches, request->from, request->to, error);
  if (status || pcf_request_is_empty(request)) return status;
  if (partial) {
    status = compare_all(overlaps, threads, stop, error);
    if (status) return status;
    status =
      overlaps->alike ? list_first(overlaps, error) : list_all(overlaps, threads, stop, error);
  }
  if (!status && pcf_overlaps_are_means(overlaps)) status = refuse_unbounded(overlaps, error);
  if (!status && request->least_overlap > 0) require_least(overlaps);
  return status;
}

void pcf_overlaps_free(struct pcf_overlaps *overlaps) {
  pcf_owned_functions_free(&overlaps->x);
  pcf_owned_functions_free(&overlaps->y);
  pcf_stretches_free(&overlaps->stretches);
  pcf_free(overlaps->bits);
  overlaps->bits = NULL;
}

/* ---- Comparing ---- */

static enum pcf_status refuse(struct pcf_overlaps *overlaps, int collection,
                              const struct pcf_observed_difference *of, int64_t other,
                              struct pcf_error *error) {
  overlaps->fault = (struct pcf_overlap_fault){PCF_OVERLAPS_DIFFER, collection, *of, other};
  return pcf_fail(error, PCF_ERROR_ARGUMENT, "the functions are observed at different times");
}

/* Functions of pairs that go together may differ from those of others. */
static enum pcf_status compare_all(struct pcf_overlaps *overlaps, int threads,
                                   const atomic_int *stop, struct pcf_error *error) {
  const struct pcf_request *request = overlaps->request;
  const struct pcf_collection *const sides[] = {request->x, request->y};
  int strict = overlaps->missing == PCF_MISSING_ERROR;
  for (int s = 0; s < 2 && sides[s]; s++) {
    struct pcf_observed_difference found;
    enum pcf_status status = pcf_find_observed_difference(
      sides[s], request->x, request->from, request->to, threads, stop, &found, error);
    if (status) return status;
    if (found.function < 0) continue;
    overlaps->alike = 0;
    if (!strict) return PCF_OK;
    if (request->mode == PCF_PAIRED) return compare_pairs(overlaps, stop, error);
    return refuse(overlaps, s, &found, 0, error);
  }
  return PCF_OK;
}

/* Function i alone. */
static struct pcf_collection one_of(const struct pcf_collection *x, int64_t i) {
  return (struct pcf_collection){
    .count = 1, .functions = x->functions + i, .offsets = x->offsets + i, .linear = x->linear};
}

static enum pcf_status compare_pairs(struct pcf_overlaps *overlaps, const atomic_int *stop,
                                     struct pcf_error *error) {
  const struct pcf_request *request = overlaps->request;
  for (int64_t k = 0; k < request->pairs; k++) {
    struct pcf_collection f = one_of(request->x, k % request->x->count);
    struct pcf_collection g = one_of(request->y, k % request->y->count);
    struct pcf_observed_difference found;
    enum pcf_status status =
      pcf_find_observed_difference(&g, &f, request->from, request->to, 1, stop, &found, error);
    if (status) return status;
    if (found.function < 0) continue;
    found.function = k % request->y->count;
    return refuse(overlaps, 1, &found, k % request->x->count, error);
  }
  return PCF_OK;
}

/* ---- Stretches ---- */

/* Lists the stretches of the first function, which are those of all. */
static enum pcf_status list_first(struct pcf_overlaps *overlaps, struct pcf_error *error) {
  struct pcf_collection first = one_of(overlaps->request->x, 0);
  struct pcf_owned_functions indicators = {0};
  enum pcf_status status =
    pcf_owned_functions_make(&indicators, pcf_indicators(&first), 1, NULL, error);
  if (!status) status = pcf_stretches_narrow(&overlaps->stretches, &indicators.view, 0, error);
  pcf_owned_functions_free(&indicators);
  return status;
}

/* More stretches that functions have in common are not told from none: going through them with
 * every function would take longer than it spares. */
enum { MOST_IN_COMMON = 4 * PCF_CELLS };

/* Is there a stretch that is common to all functions? */
static enum pcf_status narrow_all(struct pcf_overlaps *overlaps, const atomic_int *stop,
                                  struct pcf_error *error) {
  struct pcf_stretches *common = &overlaps->stretches;
  const struct pcf_collection *x = &overlaps->x.view, *y = &overlaps->y.view;
  int64_t count = x->count + (overlaps->request->y ? y->count : 0);
  for (int64_t i = 0; i < count && overlaps->certain; i++) {
    int of_y = i >= x->count;
    if (stop && atomic_load(stop)) return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
    enum pcf_status status =
      pcf_stretches_narrow(common, of_y ? y : x, of_y ? i - x->count : i, error);
    if (status) return status;
    overlaps->certain = common->count > 0 && common->count <= MOST_IN_COMMON;
  }
  return PCF_OK;
}

double pcf_overlaps_farthest(const struct pcf_overlaps *overlaps, double origin) {
  const struct pcf_collection *const sides[] = {
    &overlaps->x.view, overlaps->request->y ? &overlaps->y.view : NULL};
  const struct pcf_stretches *common = &overlaps->stretches;
  double first = INFINITY, last = -INFINITY;
  if (overlaps->alike && common->count > 0) {
    first = common->stretch[0].begin;
    last = common->stretch[common->count - 1].end;
  }
  for (int s = 0; s < 2 && sides[s]; s++) {
    for (int64_t i = 0; i < sides[s]->count; i++) {
      const double *time = pcf_times(sides[s], i);
      int64_t m = pcf_breakpoints(sides[s], i), begin = time[0] == -INFINITY;
      if (begin == m) continue;
      first = fmin(first, time[begin]);
      last = fmax(last, time[m - 1]);
    }
  }
  first = fmax(first, overlaps->request->from);
  last = fmin(last, overlaps->request->to);
  return fmax(fabs(first - origin), fabs(last - origin));
}

/* The bits of indicators, of so many at once. */
enum { MARKED_AT_ONCE = 256 };

static void mark_some(void *overlaps_, int64_t first, int64_t end) {
  const struct pcf_overlaps *overlaps = overlaps_;
  const struct pcf_collection *x = &overlaps->x.view, *y = &overlaps->y.view;
  for (int64_t i = first; i < end; i++) {
    int of_y = i >= x->count;
    overlaps->bits[i] =
      pcf_cell_bits_of(&overlaps->cells, of_y ? y : x, of_y ? i - x->count : i);
  }
}

static enum pcf_status mark_cells(struct pcf_overlaps *overlaps, int threads,
                                  const atomic_int *stop, struct pcf_error *error) {
  const struct pcf_request *request = overlaps->request;
  const struct pcf_collection *x = &overlaps->x.view,
                              *y = request->y ? &overlaps->y.view : NULL;
  int64_t count = x->count + (y ? y->count : 0);
  enum pcf_status status =
    pcf_cells_cut(&overlaps->cells, x, y, request->from, request->to, error);
  if (status) return status;
  overlaps->bits = pcf_allocate((size_t)count, sizeof *overlaps->bits, error);
  if (!overlaps->bits) return PCF_ERROR_MEMORY;
  return pcf_for_ranges(threads, count, MARKED_AT_ONCE, stop, mark_some, overlaps, error);
}

static enum pcf_status list_all(struct pcf_overlaps *overlaps, int threads,
                                const atomic_int *stop, struct pcf_error *error) {
  const struct pcf_request *request = overlaps->request;
  enum pcf_status status =
    pcf_owned_functions_make(&overlaps->x, pcf_indicators(request->x), threads, stop, error);
  if (!status && request->y) {
    status =
      pcf_owned_functions_make(&overlaps->y, pcf_indicators(request->y), threads, stop, error);
  }
  if (!status) status = narrow_all(overlaps, stop, error);
  if (status || overlaps->certain) return status;
  return mark_cells(overlaps, threads, stop, error);
}

/* ---- Unbounded overlaps ---- */

/* Is a function observed for ever, into the past or into the future? */
static int is_endless(const struct pcf_collection *x, int64_t i, int future) {
  const double *value = pcf_values(x, i);
  if (future) return !pcf_is_missing(value[pcf_breakpoints(x, i) - 1]);
  if (x->linear) return !pcf_is_missing(pcf_lefts(x, i)[0]);
  return pcf_times(x, i)[0] > -INFINITY || !pcf_is_missing(value[0]);
}

/* The first function from `i` on that is, or the number of functions. */
static int64_t next_endless(const struct pcf_collection *x, int64_t i, int future) {
  while (i < x->count && !is_endless(x, i, future)) i++;
  return i;
}

/* The first function of x whose overlap with another one is unbounded, or -1. That with itself
 * counts for inner products: the distance of a function from itself is 0 over any stretch. */
static int64_t first_unbounded(const struct pcf_request *request, int future) {
  const struct pcf_collection *x = request->x, *y = request->y;
  int64_t i = next_endless(x, 0, future);
  switch (request->mode) {
  case PCF_PAIRED:
    for (int64_t k = 0; k < request->pairs; k++) {
      if (is_endless(x, k % x->count, future) && is_endless(y, k % y->count, future))
        return k % x->count;
    }
    return -1;
  case PCF_FULL:
    if (y) return i < x->count && next_endless(y, 0, future) < y->count ? i : -1;
    break;
  case PCF_LOWER_WITHOUT_DIAGONAL:
  case PCF_LOWER_WITH_DIAGONAL: break;
  }
  if (request->operation != PCF_INNER) {
    return next_endless(x, i + 1, future) < x->count ? i : -1;
  }
  return i < x->count ? i : -1;
}

static enum pcf_status refuse_unbounded(struct pcf_overlaps *overlaps,
                                        struct pcf_error *error) {
  const struct pcf_request *request = overlaps->request;
  for (int future = 1; future >= 0; future--) {
    if (isfinite(future ? request->to : request->from)) continue;
    int64_t i = first_unbounded(request, future);
    if (i < 0) continue;
    overlaps->fault = (struct pcf_overlap_fault){
      .what = PCF_OVERLAP_UNBOUNDED,
      .of = {.function = i, .from = future ? 0 : -INFINITY, .to = future ? INFINITY : 0}};
    return pcf_fail(error, PCF_ERROR_ARGUMENT, "the overlap of functions is unbounded");
  }
  return PCF_OK;
}

/* ---- Overlaps that are shorter than requested ---- */

/* As short are those that are as long but for rounding: by less than 8 units in the last place
 * of the largest time, or of the length. What functions have in common either suffices, or, if
 * they are alike, is as good as nothing. */
static void require_least(struct pcf_overlaps *overlaps) {
  double least = overlaps->request->least_overlap;
  double height = overlaps->weight ? pcf_weight_most(overlaps->weight) : 1;
  double farthest = height * pcf_overlaps_farthest(overlaps, 0);
  double largest = isfinite(farthest) ? fmax(farthest, least) : least;
  least = fmax(least - 8 * (nextafter(largest, INFINITY) - largest), DBL_MIN);
  int all = pcf_stretches_length(&overlaps->stretches, overlaps->weight) >= least;
  if (overlaps->alike && !all) overlaps->stretches.count = 0;
  if (!overlaps->alike && !(overlaps->certain && all)) overlaps->least = least;
}

int pcf_overlaps_suffice(const struct pcf_overlaps *overlaps, int64_t row, int64_t column) {
  const struct pcf_request *request = overlaps->request;
  const struct pcf_collection *x = &overlaps->x.view, *y = request->y ? &overlaps->y.view : x;
  return pcf_indicators_overlap(request->from, request->to, overlaps->weight, x, row, y, column,
                                overlaps->least) >= overlaps->least;
}

/* ---- Finishing ---- */

int pcf_overlaps_to_compute(const struct pcf_overlaps *overlaps) {
  return !overlaps->alike && (pcf_overlaps_are_means(overlaps) || overlaps->least > 0);
}

int pcf_overlaps_to_revise(const struct pcf_overlaps *overlaps) {
  int means = pcf_overlaps_are_means(overlaps);
  if (!overlaps->alike) {
    return means || overlaps->bits || overlaps->shortest > 0 || overlaps->least > 0;
  }
  return !overlaps->stretches.count || (means && overlaps->too_short);
}

/* ---- Functions that are not alike ---- */

int pcf_overlaps_meet(const struct pcf_overlaps *overlaps, int64_t row, int64_t column) {
  const struct pcf_collection *x = &overlaps->x.view;
  const struct pcf_collection *y = overlaps->request->y ? &overlaps->y.view : x;
  if (overlaps->certain) return 1;
  int64_t other = overlaps->request->y ? x->count + column : column; /* of their bits */
  int told = pcf_bits_meet(overlaps->bits[row], overlaps->bits[other]);
  return told >= 0 ? told : pcf_indicators_meet(&overlaps->cells, x, row, y, column);
}

/* The result of a pair whose overlap is too short, or which has none. */
static double revised(const struct pcf_overlaps *overlaps, int64_t row, int64_t column) {
  const struct pcf_request *request = overlaps->request;
  int meet =
    overlaps->alike ? overlaps->stretches.count > 0 : pcf_overlaps_meet(overlaps, row, column);
  if (!meet) return pcf_missing();
  return pcf_mean_of_pair(request->operation, request->p, request->from, request->to,
                          overlaps->weight, request->x, row, pcf_columns_of(request), column);
}

/* All pairs are long enough if what they have in common is, and most if they have a long cell.
 */
void pcf_overlaps_distrust(struct pcf_overlaps *overlaps, double shortest) {
  int all = overlaps->certain && pcf_stretches_length(&overlaps->stretches, NULL) >= shortest;
  overlaps->shortest = all ? 0 : shortest;
  overlaps->long_cells = 0;
  for (int c = 0; c < overlaps->cells.count; c++) {
    double length = overlaps->cells.bound[c + 1] - overlaps->cells.bound[c];
    overlaps->long_cells |= (uint64_t)(length >= shortest) << c;
  }
}

static int is_short(const struct pcf_overlaps *overlaps, int64_t row, int64_t column) {
  const struct pcf_request *request = overlaps->request;
  const struct pcf_collection *x = &overlaps->x.view;
  const struct pcf_collection *y = request->y ? &overlaps->y.view : x;
  if (overlaps->shortest == 0) return 0;
  if (overlaps->bits) {
    const struct pcf_cell_bits *of_y = overlaps->bits + (request->y ? x->count : 0);
    uint64_t both = overlaps->bits[row].throughout & of_y[column].throughout;
    if (both & overlaps->long_cells) return 0;
  }
  return pcf_indicators_overlap(request->from, request->to, NULL, x, row, y, column,
                                overlaps->shortest) < overlaps->shortest;
}

/* Of functions that are not alike. */
static double revised_integral(const struct pcf_overlaps *overlaps, int64_t row, int64_t column,
                               double result) {
  const struct pcf_request *request = overlaps->request;
  if (!pcf_overlaps_meet(overlaps, row, column)) return pcf_missing();
  if (!is_short(overlaps, row, column)) return result;
  return pcf_integral_of_pair(request->operation, request->p, request->from, request->to,
                              overlaps->weight, request->x, row, pcf_columns_of(request),
                              column);
}

void pcf_overlaps_revise(const struct pcf_overlaps *overlaps, double *results, int64_t row,
                         int64_t count, int64_t column) {
  int integrals = !overlaps->alike && !pcf_overlaps_are_means(overlaps);
  if (!pcf_overlaps_to_revise(overlaps)) return;
  for (int64_t k = 0; k < count; k++) {
    if (overlaps->least > 0 && isnan(results[k])) {
      results[k] = pcf_missing();
    } else if (integrals) {
      results[k] = revised_integral(overlaps, row + k, column, results[k]);
    } else if (overlaps->alike || isinf(results[k])) {
      results[k] = revised(overlaps, row + k, column);
    }
  }
}
