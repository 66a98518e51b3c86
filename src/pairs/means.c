#include "pairs/means.h"

#include "base/memory.h"
#include "kernels/pair.h"
#include "pairs/method.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct pcf_means {
  struct pcf_pairs lengths;        /* the inner products of indicators */
  struct pcf_task task;            /* of these */
  struct pcf_owned_functions x, y; /* indicators that are cut for the weight, if there is one */
  struct pcf_walks walks;          /* where pairs are walked along one by one */
  double least;                    /* shorter overlaps have too few digits */
  double requested; /* in scaled time and weight: shorter ones are not wanted; 0 */
  double doubt;     /* the largest error of a length, for each breakpoint of the indicators */
};

/* ---- Preparing ---- */

/* The sweep and the split add up differences of rounded times, the other methods rounded
 * differences. Lengths are added up as the integrals are. */
static enum pcf_precision precision_of(const struct pcf_pairs *pairs, const char *method) {
  int sweeps =
    strcmp(method, pcf_sweep_method.name) == 0 || strcmp(method, pcf_split_method.name) == 0;
  return sweeps ? pairs->integral.precision : PCF_DOUBLE;
}

/* In single precision, lengths of overlaps that are short beside their distance from 0 have too
 * few digits; in both precisions those that vanish beside the unit of time have none. */
double pcf_least_overlap(const struct pcf_overlaps *overlaps,
                         const struct pcf_integral *integral) {
  static const double resolved = 0x1p-14, least_single = 0x1p-80, least_double = 0x1p-600;
  if (integral->precision == PCF_DOUBLE) return least_double;
  double farthest = pcf_overlaps_farthest(overlaps, integral->origin);
  return fmax(pcf_scaled(farthest, integral->time_exponent) * resolved, least_single);
}

/* Takes the indicators that were made for the overlaps, or, with a weight, cuts them where its
 * pieces end. */
static enum pcf_status find_indicators(struct pcf_means *means, const struct pcf_pairs *pairs,
                                       int threads, const atomic_int *stop,
                                       struct pcf_error *error) {
  const struct pcf_overlaps *overlaps = &pairs->overlaps;
  struct pcf_request *request = &means->lengths.request;
  request->x = &overlaps->x.view;
  request->y = pairs->request.y ? &overlaps->y.view : NULL;
  if (!pairs->weighing) return PCF_OK;
  struct pcf_cutting cutting = {.weight = &pairs->weighing->weight, .x = request->x};
  enum pcf_status status =
    pcf_owned_functions_make(&means->x, pcf_cut_functions(&cutting), threads, stop, error);
  request->x = &means->x.view;
  if (status || !request->y) return status;
  cutting.x = request->y;
  request->y = &means->y.view;
  return pcf_owned_functions_make(&means->y, pcf_cut_functions(&cutting), threads, stop, error);
}

/* Asks for the inner products of indicators, in the tiles that the pairs have. */
static void plan_lengths(struct pcf_means *means, const struct pcf_pairs *pairs,
                         const char *method) {
  struct pcf_pairs *lengths = &means->lengths;
  struct pcf_integral *integral = &lengths->integral;
  int sweep = pcf_method_number(&pcf_sweep_method);
  lengths->request.mode = pairs->request.mode;
  lengths->request.pairs = pairs->request.pairs;
  lengths->request.operation = PCF_INNER;
  lengths->request.p = 1;
  *integral = pairs->integral;
  integral->operation = PCF_INNER;
  integral->p = 1;
  integral->half_powers = integral->value_exponent = integral->own_exponents = 0;
  integral->missing_is_0 = 1;
  integral->precision = lengths->request.precision = precision_of(pairs, method);
  lengths->instructions = pairs->instructions;
  lengths->wanted = 1;
  lengths->method = &pcf_sweep_method;
  lengths->estimate[sweep].width = pairs->estimate[pcf_method_number(pairs->method)].width;
  lengths->estimate[sweep].seconds = INFINITY;
  pcf_count_pairs(lengths);
}

/* Lengths are sums of differences of rounded times. */
static void plan_request(struct pcf_means *means, const struct pcf_pairs *pairs) {
  const struct pcf_integral *integral = &means->lengths.integral;
  const struct pcf_overlaps *overlaps = &pairs->overlaps;
  int digits = integral->precision == PCF_DOUBLE ? DBL_MANT_DIG : FLT_MANT_DIG;
  double farthest = pcf_overlaps_farthest(overlaps, integral->origin);
  double height = integral->weight ? pcf_weight_most(integral->weight) : 1;
  means->requested = pcf_scaled(overlaps->least, integral->time_exponent);
  if (integral->weight) {
    means->requested = pcf_scaled(means->requested, integral->weight_exponent);
  }
  farthest = pcf_scaled(farthest, integral->time_exponent);
  means->doubt = ldexp(height * farthest + means->requested, 2 - digits);
}

enum pcf_status pcf_means_prepare(void *pairs_, struct pcf_task *task,
                                  struct pcf_error *error) {
  struct pcf_pairs *pairs = pairs_;
  pcf_means_free(pairs->means); /* of a backend before */
  struct pcf_means *means = pairs->means = pcf_allocate(1, sizeof *means, error);
  if (!means) return PCF_ERROR_MEMORY;
  memset(means, 0, sizeof *means);
  enum pcf_status status =
    find_indicators(means, pairs, task->offer.threads, task->stop, error);
  if (status) return status;
  plan_lengths(means, pairs, task->offer.method);
  means->least = pcf_least_overlap(&pairs->overlaps, &pairs->integral);
  if (pairs->overlaps.least > 0) plan_request(means, pairs);
  means->task = *task;
  means->task.problem = &means->lengths;
  means->task.scale = (struct pcf_scale){.precision = means->lengths.integral.precision};
  means->task.settings.timeline = 0;
  means->task.divide = NULL;
  int single = strcmp(task->offer.method, pcf_walk_method.name) == 0;
  task->divisor = single ? NULL : &means->task;
  if (!single) return PCF_OK;
  const struct pcf_request *request = &means->lengths.request;
  return pcf_walks_make(&means->walks, request->x, request->y, &means->lengths.integral, 0,
                        task->offer.threads, task->stop, error);
}

void pcf_means_free(struct pcf_means *means) {
  if (!means) return;
  pcf_owned_functions_free(&means->x);
  pcf_owned_functions_free(&means->y);
  pcf_walks_free(&means->walks);
  pcf_free(means);
}

/* ---- Dividing ---- */

/* Of a pair that is walked along. NaN when it was stopped. */
static double length_by_walk(const struct pcf_means *means, int64_t row, int64_t column) {
  const struct pcf_pairs *lengths = &means->lengths;
  const struct pcf_walk *f = &means->walks.walk[row], *g = &means->walks.columns[column];
  struct pcf_partial partial;
  const struct pcf_kernels *kernels = pcf_kernels_of(lengths->instructions);
  int stopped =
    pcf_pair_part(&lengths->integral, kernels, f, g, 0, 1, means->task.stop, &partial);
  return stopped ? NAN : pcf_pair_finish(&lengths->integral, f, g, &partial, 1);
}

/* Is an indicator 1 from −∞ on? The sums lack the stretch before all times. */
static int never_begins(const struct pcf_collection *indicators, int64_t i) {
  return pcf_times(indicators, i)[0] == -INFINITY && pcf_values(indicators, i)[0] > 0;
}

/* Is the overlap of a pair, with that length, as long as requested? Where rounding could decide
 * that, its definition does. */
static int is_long_enough(const struct pcf_pairs *pairs, int64_t row, int64_t column,
                          double length) {
  const struct pcf_means *means = pairs->means;
  const struct pcf_request *lengths = &means->lengths.request;
  const struct pcf_collection *x = lengths->x, *y = pcf_columns_of(lengths);
  if (!(pairs->overlaps.least > 0)) return 1;
  int64_t breakpoints = pcf_breakpoints(x, row) + pcf_breakpoints(y, column);
  double doubt = means->doubt * (double)(breakpoints + 2);
  int endless =
    pairs->request.from == -INFINITY && never_begins(x, row) && never_begins(y, column);
  if (length > means->requested + doubt) return 1;
  if (length < means->requested - doubt && !endless) return 0;
  return pcf_overlaps_suffice(&pairs->overlaps, row, column);
}

struct dividing {
  const struct pcf_task *task;
  const struct pcf_finished *finished, *divisors;
};

/* The first row of a block that the mode pairs with a column. */
static int64_t first_row(enum pcf_mode mode, const struct pcf_block *block, int64_t column) {
  int lower = mode == PCF_LOWER_WITHOUT_DIAGONAL || mode == PCF_LOWER_WITH_DIAGONAL;
  int64_t first = column + (mode == PCF_LOWER_WITHOUT_DIAGONAL);
  return lower && block->row < first ? first - block->row : 0;
}

static enum pcf_status divide_some(void *dividing_, int thread, int64_t j,
                                   struct pcf_error *error) {
  const struct dividing *dividing = dividing_;
  const struct pcf_task *task = dividing->task;
  const struct pcf_pairs *pairs = task->problem;
  const struct pcf_means *means = pairs->means;
  const struct pcf_finished *finished = dividing->finished, *divisors = dividing->divisors;
  const struct pcf_block *block = finished->block;
  enum pcf_precision precision = task->scale.precision;
  enum pcf_precision of_lengths = means->task.scale.precision;
  int are_means = pcf_overlaps_are_means(&pairs->overlaps);
  double root = pcf_root(pairs->integral.operation, pairs->integral.p);
  for (int64_t i = first_row(task->mode, block, block->column + j); i < block->rows; i++) {
    int64_t at = i + finished->stride * j;
    double number = pcf_load_scalar(finished->data, at, precision), length;
    if (divisors->data) {
      length = pcf_load_scalar(divisors->data, i + divisors->stride * j, of_lengths);
    } else { /* a block of one pair */
      length = length_by_walk(means, block->row, block->column);
    }
    if (!is_long_enough(pairs, block->row + i, block->column + j, length)) {
      number = NAN;
    } else if (are_means) {
      double divisor = root == 1 ? length : root == 2 ? sqrt(length) : pow(length, 1 / root);
      number = length >= means->least ? number / divisor : INFINITY;
    }
    pcf_store_scalar((void *)finished->data, at, number, precision);
  }
  return PCF_OK;
}

enum pcf_status pcf_divide_by_lengths(const struct pcf_task *task,
                                      const struct pcf_finished *finished,
                                      const struct pcf_finished *divisors,
                                      struct pcf_team *team, struct pcf_error *error) {
  struct dividing dividing = {task, finished, divisors};
  return pcf_team_for(team, finished->block->columns, NULL, divide_some, &dividing, error);
}
