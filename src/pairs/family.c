#include "pairs/family.h"

#include "base/memory.h"
#include "pairs/means.h"
#include "pairs/method.h"

#include <float.h>
#include <math.h>
#include <string.h>

static enum pcf_status list_exponents(struct pcf_pairs *pairs, struct pcf_error *error);
static enum pcf_status list_ends(struct pcf_pairs *pairs, struct pcf_error *error);
static void revise(const void *pairs, double *results, int64_t row, int64_t count,
                   int64_t column);
static void release(void *pairs);

/* ---- Checking ---- */

/* The family with such matrices that has the operation; PCF_FAMILIES if there is none. */
static int find_family(int columns, int operation) {
  int family = 0;
  while (family < PCF_FAMILIES &&
         !(pcf_family_of(family).columns == columns && pcf_has_operation(family, operation))) {
    family++;
  }
  return family;
}

static enum pcf_status check_families(struct pcf_pairs *pairs, struct pcf_error *error) {
  const struct pcf_request *request = &pairs->request;
  struct pcf_function_family of_x = pcf_family_of(request->x->linear);
  if (request->y && !request->x->linear != !request->y->linear) {
    return pcf_fail(error, PCF_ERROR_ARGUMENT,
                    "piecewise linear functions and step functions cannot be compared");
  }
  pairs->family = find_family(of_x.columns, request->operation);
  if (pairs->family < PCF_FAMILIES) return PCF_OK;
  return pcf_fail(error, PCF_ERROR_ARGUMENT, "\"%s\" is not defined for %s",
                  pcf_operation_names()[request->operation], of_x.name);
}

enum pcf_status pcf_pairs_check_functions(struct pcf_pairs *pairs, int threads,
                                          const atomic_int *stop, struct pcf_error *error) {
  const struct pcf_request *request = &pairs->request;
  pairs->range = PCF_EMPTY_RANGE;
  enum pcf_status status =
    pcf_check_collection(request->x, threads, stop, &pairs->range, &pairs->fault, error);
  if (status || !request->y) return status;
  status = pcf_check_collection(request->y, threads, stop, &pairs->range, &pairs->fault, error);
  pairs->fault.collection = 1;
  return status;
}

/* Replaces checked functions by those that are cut for the weight. */
static enum pcf_status weigh(struct pcf_pairs *pairs, int threads, const atomic_int *stop,
                             struct pcf_error *error) {
  struct pcf_request *request = &pairs->request;
  struct pcf_weighing *weighing = pcf_allocate(1, sizeof *weighing, error);
  pairs->weighing = weighing;
  if (!weighing) return PCF_ERROR_MEMORY;
  enum pcf_status status =
    pcf_weighing_make(weighing, request->x, request->y, request->weight, request->from,
                      request->to, pairs->range.missing, threads, stop, error);
  if (status) return status;
  request->x = &weighing->x.view;
  if (request->y) request->y = &weighing->y.view;
  return pcf_pairs_check_functions(pairs, threads, stop, error);
}

/* Where the weight is 0 throughout the window all results are 0, and so are means. */
static enum pcf_status find_overlaps(struct pcf_pairs *pairs, int threads,
                                     const atomic_int *stop, struct pcf_error *error) {
  const struct pcf_weight *weight = pairs->weighing ? &pairs->weighing->weight : NULL;
  enum pcf_missing missing = pairs->request.missing;
  if (weight && !(pcf_weight_most(weight) > 0)) missing = PCF_MISSING_OVERLAP;
  return pcf_overlaps_find(&pairs->overlaps, &pairs->request, missing, weight,
                           pairs->range.missing, threads, stop, error);
}

/* Differences of values lose the digits that these have in common; products do not. */
static enum pcf_status find_crowding(struct pcf_pairs *pairs, int threads,
                                     const atomic_int *stop, struct pcf_error *error) {
  const struct pcf_request *request = &pairs->request;
  pairs->crowding = 0;
  if (request->precision == PCF_DOUBLE || request->operation == PCF_INNER) return PCF_OK;
  return pcf_find_crowding(request->x, request->y, request->from, request->to, threads, stop,
                           &pairs->crowding, error);
}

static enum pcf_status check(void *pairs_, int threads, const atomic_int *stop,
                             struct pcf_error *error) {
  struct pcf_pairs *pairs = pairs_;
  const struct pcf_request *request = &pairs->request;
  enum pcf_status status = check_families(pairs, error);
  if (!status) status = pcf_pairs_check_functions(pairs, threads, stop, error);
  if (!status && request->weight) status = weigh(pairs, threads, stop, error);
  if (!status) status = find_crowding(pairs, threads, stop, error);
  return status ? status : find_overlaps(pairs, threads, stop, error);
}

/* ---- Planning ---- */

void pcf_count_pairs(struct pcf_pairs *pairs) {
  const struct pcf_request *request = &pairs->request;
  const struct pcf_collection *x = request->x, *y = pcf_columns_of(request);
  double rows = (double)x->count, columns = (double)y->count;
  double row_breakpoints = (double)pcf_total_breakpoints(x);
  double column_breakpoints = (double)pcf_total_breakpoints(y);
  pairs->pairs = (double)pcf_mode_pairs(request->mode, x->count, y->count, request->pairs);
  /* The pairs of a function, on average: of pairs, the shorter collection is used again. */
  pairs->rectangles = row_breakpoints * (pairs->pairs / fmax(rows, 1)) +
                      column_breakpoints * (pairs->pairs / fmax(columns, 1));
}

static void describe_task(const struct pcf_pairs *pairs, struct pcf_task *task) {
  const struct pcf_request *request = &pairs->request;
  const struct pcf_integral *integral = &pairs->integral;
  task->rows = pcf_items_of(request->x);
  task->columns = pcf_items_of(pcf_columns_of(request));
  task->mode = request->mode;
  task->pairs = request->pairs;
  task->scale = (struct pcf_scale){.precision = integral->precision,
                                   .factor = integral->factor,
                                   .exponent = integral->exponent};
  if (pairs->ends || pcf_overlaps_to_revise(&pairs->overlaps)) {
    task->scale.revise = revise;
    task->scale.context = pairs;
    task->scale.revised_smaller =
      request->missing == PCF_MISSING_MEAN || pairs->overlaps.shortest > 0;
  }
  if (pcf_overlaps_to_compute(&pairs->overlaps)) task->divide = pcf_divide_by_lengths;
  if (!pairs->exponents) return;
  task->scale.row_exponents = pairs->exponents;
  task->scale.column_exponents = pairs->exponents + (request->y ? request->x->count : 0);
}

/* The length of the stretches that all functions have in common, in scaled time and weight. */
static double common_length(const struct pcf_pairs *pairs) {
  const struct pcf_integral *integral = &pairs->integral;
  const struct pcf_stretches *stretches = &pairs->overlaps.stretches;
  double length = 0;
  for (int64_t k = 0; k < stretches->count; k++) {
    const struct pcf_observed *stretch = &stretches->stretch[k];
    double begin = pcf_integral_time(integral, stretch->begin);
    double end = pcf_integral_time(integral, stretch->end);
    length += integral->weight ? pcf_weight_between(integral->weight, begin, end) : end - begin;
  }
  return length;
}

/* Where results are means, divides by the length of overlaps that is the same for all pairs. */
static void average(struct pcf_pairs *pairs) {
  struct pcf_overlaps *overlaps = &pairs->overlaps;
  if (!pcf_overlaps_are_means(overlaps)) return;
  double length = overlaps->alike ? common_length(pairs) : 1;
  overlaps->too_short =
    overlaps->alike && length < pcf_least_overlap(overlaps, &pairs->integral);
  pcf_integral_average(&pairs->integral, length);
}

/* In single precision, lengths of overlaps lose the digits of rounded times. Where all are the
 * same, and short beside their distance from the origin, everything is computed in double
 * precision; where pairs differ, those with short ones are. */
static enum pcf_precision resolved_precision(struct pcf_pairs *pairs) {
  static const double resolved = 0x1p-12;
  struct pcf_overlaps *overlaps = &pairs->overlaps;
  const struct pcf_integral *integral = &pairs->integral;
  int means = pairs->request.missing == PCF_MISSING_MEAN;
  overlaps->shortest = 0;
  if (integral->precision == PCF_DOUBLE || !pairs->range.missing || means) {
    return integral->precision;
  }
  double shortest = resolved * pcf_overlaps_farthest(overlaps, integral->origin);
  if (!overlaps->alike) {
    pcf_overlaps_distrust(overlaps, shortest);
    return PCF_SINGLE_PRECISION;
  }
  return pcf_stretches_length(&overlaps->stretches, NULL) < shortest ? PCF_DOUBLE
                                                                     : PCF_SINGLE_PRECISION;
}

/* Where the largest values are scaled down, in double precision, the smallest must stay normal
 * numbers, and so must their differences unless these are small beside values. Suprema lose two
 * bits at most, of the least numbers that there are. */
static enum pcf_status check_digits(const struct pcf_pairs *pairs, struct pcf_error *error) {
  const struct pcf_integral *integral = &pairs->integral;
  int relative = pcf_degree(integral->operation, integral->p) == 0;
  double least = ldexp(DBL_MIN, integral->value_exponent + (relative ? 0 : DBL_MANT_DIG));
  int scaled = integral->precision == PCF_DOUBLE && integral->value_exponent > 0 &&
               !pcf_is_supremum(integral->operation);
  if (!scaled || pairs->range.least >= least) return PCF_OK;
  return pcf_fail(
    error, PCF_ERROR_ARGUMENT,
    "%s%sdistances would lose digits, since the largest value is %.2g and others are "
    "below %.2g: compute them separately",
    relative ? pcf_operation_names()[integral->operation] : "", relative ? " " : "",
    pairs->range.value, least);
}

/* Where a quarter of the values lies within 2^-10 of each other, single precision has too few
 * digits for their differences. */
static const double most_crowding = 1.0 / 16;

static enum pcf_status plan_integrals(struct pcf_pairs *pairs,
                                      const struct pcf_settings *settings,
                                      struct pcf_error *error) {
  const struct pcf_request *request = &pairs->request;
  struct pcf_weighing *weighing = pairs->weighing;
  enum pcf_precision precision = request->precision;
  enum pcf_status status = PCF_OK;
  if (weighing && !pcf_single_holds_weight(&weighing->weight)) precision = PCF_DOUBLE;
  if (pairs->crowding > most_crowding) precision = PCF_DOUBLE;
  for (;; precision = PCF_DOUBLE) {
    pairs->integral = pcf_integral(request->operation, request->p, request->from, request->to,
                                   precision, &pairs->range);
    if (resolved_precision(pairs) == pairs->integral.precision) break;
  }
  if (request->x->linear) pairs->integral.of_units = 0; /* between 0 and 1 there are others */
  if (weighing) {
    pcf_integral_weigh(&pairs->integral, &weighing->weight, &weighing->scaled);
  }
  if (pairs->range.missing && !pairs->overlaps.alike) pcf_integrate_overlaps(&pairs->integral);
  average(pairs);
  if (!pcf_find_instructions(request->instructions, &pairs->instructions)) {
    return pcf_fail(error, PCF_ERROR_ARGUMENT,
                    "this processor does not support \"%s\" instructions",
                    request->instructions);
  }
  status = check_digits(pairs, error);
  if (!status && pairs->integral.own_exponents) status = list_exponents(pairs, error);
  if (!status) status = list_ends(pairs, error);
  if (status) return status;
  pcf_count_pairs(pairs);
  return pcf_methods_plan(pairs, settings, error);
}

enum pcf_status pcf_pairs_plan(struct pcf_pairs *pairs, pcf_request_planner *plan_request,
                               const struct pcf_settings *settings, struct pcf_task *task,
                               struct pcf_error *error) {
  pairs->wanted = 1;
  enum pcf_status status = plan_request(pairs, settings, error);
  if (!status) describe_task(pairs, task);
  return status;
}

/* A device that chooses by itself has methods of its own. */
enum pcf_status pcf_pairs_arrange(struct pcf_pairs *pairs, pcf_request_planner *plan_request,
                                  const struct pcf_backend *backend, struct pcf_task *task,
                                  int *changed, struct pcf_error *error) {
  struct pcf_pruner *pruner = pairs->pruner;
  if (!pruner) return PCF_OK;
  enum pcf_status status = pruner->arrange(pruner, pairs, backend, task, changed, error);
  if (status || !*changed) return status;
  if (!backend->chooses) pairs->request.method = pairs->method->name;
  release(pairs);
  status = plan_request(pairs, &task->settings, error);
  if (!status) describe_task(pairs, task);
  return status;
}

static enum pcf_status plan(void *pairs, const struct pcf_settings *settings,
                            const atomic_int *stop, struct pcf_task *task,
                            struct pcf_error *error) {
  return pcf_pairs_plan(pairs, plan_integrals, settings, task, error);
}

static enum pcf_status arrange(void *pairs, const struct pcf_backend *backend,
                               struct pcf_task *task, int *changed, struct pcf_error *error) {
  return pcf_pairs_arrange(pairs, plan_integrals, backend, task, changed, error);
}

static enum pcf_status list_exponents(struct pcf_pairs *pairs, struct pcf_error *error) {
  const struct pcf_collection *x = pairs->request.x, *y = pairs->request.y;
  size_t count = (size_t)(x->count + (y ? y->count : 0));
  pairs->exponents = pcf_allocate(count, sizeof *pairs->exponents, error);
  if (!pairs->exponents) return PCF_ERROR_MEMORY;
  for (size_t i = 0; i < count; i++) {
    pairs->exponents[i] = pcf_view_of_both(x, y, (int64_t)i, &pairs->integral).value_exponent;
  }
  return PCF_OK;
}

/* ---- The stretch without a start ---- */

/* The value of a function for ever, or 0 where the window ends. */
static double last_value(const struct pcf_collection *x, int64_t i, double to) {
  return to < INFINITY ? 0 : pcf_values(x, i)[pcf_breakpoints(x, i) - 1];
}

/* Fills `ends` and widens range[0] … range[1] to the initial values that are known. */
static void fill_ends(const struct pcf_collection *x, const struct pcf_pairs *pairs,
                      struct pcf_ends *ends, double range[2]) {
  for (int64_t i = 0; i < x->count; i++) {
    double value = pcf_initial(x, i);
    if (pairs->integral.missing_is_0 && pcf_is_missing(value)) value = 0;
    ends[i] = (struct pcf_ends){value, last_value(x, i, pairs->request.to)};
    if (value < range[0]) range[0] = value;
    if (value > range[1]) range[1] = value;
  }
}

/* Lists the values before the first breakpoints where results depend on them. Kernels begin at
 * some time before all functions change, so that their sums lack the stretch before it. That
 * matters unless the result is a supremum, or the stretch adds nothing to any pair. */
static enum pcf_status list_ends(struct pcf_pairs *pairs, struct pcf_error *error) {
  const struct pcf_request *request = &pairs->request;
  enum pcf_operation operation = pairs->integral.operation;
  const struct pcf_collection *x = request->x, *y = request->y;
  double range[2] = {INFINITY, -INFINITY};
  int counts = pairs->range.endless && request->from == -INFINITY;
  if (!counts || pcf_is_supremum(operation)) return PCF_OK;
  size_t count = (size_t)(x->count + (y ? y->count : 0));
  pairs->ends = pcf_allocate(count, sizeof *pairs->ends, error);
  if (!pairs->ends) return PCF_ERROR_MEMORY;
  fill_ends(x, pairs, pairs->ends, range);
  if (y) fill_ends(y, pairs, pairs->ends + x->count, range);
  int known = range[0] <= range[1], differ = pcf_sign(operation, range[0], range[1]) ||
                                             pcf_sign(operation, range[0], range[0]) ||
                                             pcf_sign(operation, range[1], range[1]);
  if (known && differ) return PCF_OK;
  pcf_free(pairs->ends);
  pairs->ends = NULL;
  return PCF_OK;
}

/* The result of a pair, with the stretch without a start: infinite ones of both signs make it
 * NaN, and nothing else counts beside an infinite one. */
static double with_start(enum pcf_operation operation, struct pcf_ends f, struct pcf_ends g,
                         double result) {
  int first = pcf_sign(operation, f.initial, g.initial);
  int last = pcf_sign(operation, f.last, g.last);
  if (!first) return result;
  return first == -last ? NAN : first * INFINITY;
}

/* Pairs without an overlap have no result. */
static void revise(const void *pairs_, double *results, int64_t row, int64_t count,
                   int64_t column) {
  const struct pcf_pairs *pairs = pairs_;
  pcf_overlaps_revise(&pairs->overlaps, results, row, count, column);
  if (!pairs->ends) return;
  const struct pcf_ends *rows = pairs->ends + row;
  const struct pcf_ends *columns =
    pairs->ends + (pairs->request.y ? pairs->request.x->count : 0);
  for (int64_t k = 0; k < count; k++) {
    results[k] = with_start(pairs->integral.operation, rows[k], columns[column], results[k]);
  }
}

static void release(void *pairs_) {
  struct pcf_pairs *pairs = pairs_;
  pcf_grid_free(&pairs->grid);
  pcf_free(pairs->exponents);
  pcf_free(pairs->ends);
  pairs->exponents = NULL;
  pairs->ends = NULL;
  pcf_means_free(pairs->means);
  pairs->means = NULL;
}

void pcf_pairs_free(struct pcf_pairs *pairs) {
  pcf_overlaps_free(&pairs->overlaps);
  if (!pairs->weighing) return;
  pcf_weighing_free(pairs->weighing);
  pcf_free(pairs->weighing);
  pairs->weighing = NULL;
}

const struct pcf_family pcf_pairs_family = {.name = "piecewise constant or linear functions",
                                            .check = check,
                                            .plan = plan,
                                            .arrange = arrange,
                                            .prepare_divisor = pcf_means_prepare,
                                            .release = release};
