/* The events: sums over the pairs of each function without looking at pairs. For L1 distances
 * and inner products of functions that are known throughout, in double precision; of piecewise
 * linear ones inner products alone. */
#include "products/events.h"

#include "arrays/segment-parts.h"
#include "base/memory.h"
#include "base/quantiles.h"
#include "base/threads.h"
#include "base/turns.h"
#include "pairs/costs.h"
#include "pairs/method.h"
#include "products/slabs.h"

#include <stdlib.h>
#include <string.h>

/* ---- Costs ---- */

/* There is nothing to win where pairs are few, and sums over pairs have fewer rounding errors.
 */
static const double few_pairs = 10000;

static int are_few(const struct pcf_request *request) {
  return (double)request->x->count * (double)pcf_columns_of(request)->count <= few_pairs;
}

static int can_be_used(const struct pcf_pairs *pairs) {
  const struct pcf_request *request = &pairs->request;
  enum pcf_operation operation = request->operation;
  return request->sums && request->precision == PCF_DOUBLE && !pairs->range.missing &&
         pairs->overlaps.stretches.count > 0 && !pairs->range.endless &&
         (!are_few(request) || request->method) &&
         ((operation == PCF_L1 && !request->x->linear) || operation == PCF_L2 ||
          operation == PCF_INNER);
}

/* The events of both sides, of which there are as many again where these are the same. */
static struct pcf_estimate estimate(const struct pcf_pairs *pairs, int width, int threads) {
  const struct pcf_request *request = &pairs->request;
  if (!can_be_used(pairs)) return (struct pcf_estimate){INFINITY, 0};
  const double *cost = request->operation == PCF_L1 ? pcf_l1_event_cost : pcf_inner_event_cost;
  double events = pcf_request_breakpoints(request) / (request->y ? 2 : 1);
  double each = 1e-9 * (cost[0] + cost[1] / threads);
  if (request->x->linear) each *= pcf_line_event_cost;
  double further = request->operation == PCF_L1 ? pcf_l1_column_cost
                   : request->x->linear         ? pcf_line_column_cost
                                                : pcf_inner_column_cost;
  double columns = 1 + further * (double)(request->sums->columns - 1);
  return (struct pcf_estimate){events * columns * each, 0};
}

/* ---- A slab ---- */

/* Threads sum slabs as they come, and add the sums to the result in the order of the slabs, so
 * that it does not depend on which thread is faster. */

struct worker {
  struct pcf_slab_reader reader;
  void *state;
  double *sums; /* laid out as the result */
  double *size;
  struct pcf_arrays arrays; /* all of these */
};

struct run {
  const struct pcf_request *request;
  const struct pcf_slab_kernel *kernel;
  int64_t rows, entries, columns;  /* of the result; functions with numbers of b; of both */
  const struct pcf_weight *weight; /* in scaled time, or NULL */
  struct pcf_slabs slabs;
  struct worker *worker;
  const atomic_int *stop;
  double *result, *size; /* of the request */
  struct pcf_turns turns;
};

static size_t result_length(const struct run *run) {
  return (size_t)run->rows * (size_t)run->columns;
}

static enum pcf_status equip(const struct run *run, struct worker *worker,
                             struct pcf_error *error) {
  if (worker->sums) return worker->arrays.status;
  size_t bytes = run->kernel->state + run->kernel->each * (size_t)run->slabs.functions;
  enum pcf_status status = pcf_slab_reader_make(&worker->reader, &run->slabs, error);
  if (status) return status;
  struct pcf_arrays *arrays = &worker->arrays;
  worker->state = pcf_zeros(arrays, 1, bytes, error);
  worker->size = pcf_array(arrays, (size_t)run->slabs.functions, sizeof *worker->size, error);
  worker->sums = pcf_array(arrays, result_length(run), sizeof *worker->sums, error);
  return arrays->status;
}

static enum pcf_status sum_slab(const struct run *run, struct worker *worker, int64_t s,
                                struct pcf_error *error) {
  const struct pcf_request *request = run->request;
  struct pcf_slab slab;
  struct pcf_slab_sums sums = {.rows = run->rows, .others = request->y ? run->entries : 0};
  enum pcf_status status = equip(run, worker, error);
  sums.size = worker->size;
  if (!status) status = pcf_slab_read(&worker->reader, s, &slab, error);
  if (!status) pcf_slab_leave_out_ends(&slab);
  if (!status && run->kernel->begin) {
    status = run->kernel->begin(worker->state, &sums, &slab, error);
  }
  if (status) return status;
  memset(worker->sums, 0, result_length(run) * sizeof *worker->sums);
  for (int64_t c = 0; c < run->columns && !status; c++) {
    sums.b = request->sums->b + c * run->entries;
    status = run->kernel->add(worker->state, &sums, &slab, run->stop,
                              worker->sums + c * run->rows, error);
  }
  return status;
}

/* ---- In turn ---- */

static void add_times(double height, const double *x, size_t length, double *to) {
  for (size_t k = 0; k < length; k++) to[k] += height * x[k];
}

/* Adds the sums of a slab when it is its turn. A slab lies in one piece of the weight. */
static void add_in_turn(struct run *run, const struct worker *worker, int64_t s, int failed) {
  if (!pcf_turn_wait(&run->turns, s, failed)) return;
  double height = pcf_height_until(run->weight, run->slabs.bound[s + 1], PCF_DOUBLE);
  if (height != 0) {
    add_times(height, worker->sums, result_length(run), run->result);
    if (run->size) add_times(height, worker->size, (size_t)run->slabs.functions, run->size);
  }
  pcf_turn_pass(&run->turns);
}

static enum pcf_status do_slab(void *run_, int thread, int64_t s, struct pcf_error *error) {
  struct run *run = run_;
  struct worker *worker = &run->worker[thread];
  enum pcf_status status = sum_slab(run, worker, s, error);
  add_in_turn(run, worker, s, status != PCF_OK);
  return status;
}

static enum pcf_status do_slabs(struct run *run, int threads, struct pcf_error *error) {
  if (threads > run->slabs.count) threads = run->slabs.count > 0 ? (int)run->slabs.count : 1;
  run->worker = pcf_allocate((size_t)threads, sizeof *run->worker, error);
  if (!run->worker) return PCF_ERROR_MEMORY;
  for (int t = 0; t < threads; t++) run->worker[t] = (struct worker){0};
  pcf_turns_init(&run->turns);
  enum pcf_status status =
    pcf_parallel_for(threads, run->slabs.count, run->stop, do_slab, run, error);
  pcf_turns_destroy(&run->turns);
  for (int t = 0; t < threads; t++) {
    pcf_slab_reader_free(&run->worker[t].reader);
    if (run->worker[t].state && run->kernel->release) {
      run->kernel->release(run->worker[t].state);
    }
    pcf_arrays_free(&run->worker[t].arrays);
  }
  pcf_free(run->worker);
  return status;
}

/* ---- Windows without an end ---- */

/* How many numbers of b are above 0, and below, of functions that end with a value; for inner
 * products, with one of that sign. */
struct ending {
  double value; /* comes first: endings are compared as numbers */
  int64_t above, below;
};

static double ending_of(const struct run *run, int64_t function) {
  double value = pcf_last_value(&run->slabs.view[function]);
  return run->request->operation == PCF_INNER ? PCF_SIGN(value) : value;
}

/* Endings of the functions with numbers of b, one for each value, ascending; returns how many
 * there are. */
static int64_t list_endings(const struct run *run, const double *b, struct ending *ending) {
  int64_t first = run->request->y ? run->rows : 0, count = 0, kept = 0;
  for (int64_t j = 0; j < run->entries; j++) {
    if (b[j] != 0) {
      ending[count++] = (struct ending){ending_of(run, first + j), b[j] > 0, b[j] < 0};
    }
  }
  qsort(ending, (size_t)count, sizeof *ending, pcf_ascending);
  for (int64_t k = 0; k < count; k++) {
    if (kept == 0 || ending[kept - 1].value < ending[k].value) {
      ending[kept++] = ending[k];
    } else {
      ending[kept - 1].above += ending[k].above;
      ending[kept - 1].below += ending[k].below;
    }
  }
  return kept;
}

/* The pairs of a function that ends with a value: those at a distance add nothing if they end
 * alike.
 * `all` is of all endings. */
static struct ending infinite_pairs(const struct run *run, const struct ending *ending,
                                    int64_t count, struct ending all, double value) {
  struct ending pairs = {.value = value};
  const struct ending *own =
    bsearch(&pairs, ending, (size_t)count, sizeof *ending, pcf_ascending);
  if (run->request->operation != PCF_INNER) {
    if (own) all.above -= own->above, all.below -= own->below;
    return all;
  }
  for (int64_t k = 0; k < count; k++) {
    double sign = ending[k].value * value;
    if (sign > 0) pairs.above += ending[k].above, pairs.below += ending[k].below;
    if (sign < 0) pairs.above += ending[k].below, pairs.below += ending[k].above;
  }
  return pairs;
}

static void add_endings(const struct run *run, const double *b, struct ending *ending,
                        double *result) {
  int64_t count = list_endings(run, b, ending);
  struct ending all = {0};
  for (int64_t k = 0; k < count; k++) {
    all.above += ending[k].above;
    all.below += ending[k].below;
  }
  for (int64_t i = 0; i < run->rows; i++) {
    struct ending pairs = infinite_pairs(run, ending, count, all, ending_of(run, i));
    if (pairs.above && pairs.below) result[i] = NAN;
    else if (pairs.above || pairs.below) result[i] += pairs.above ? INFINITY : -INFINITY;
  }
}

static enum pcf_status add_tails(const struct run *run, struct pcf_error *error) {
  if (run->request->to < INFINITY) return PCF_OK;
  struct ending *ending = pcf_allocate((size_t)run->entries, sizeof *ending, error);
  if (!ending) return PCF_ERROR_MEMORY;
  for (int64_t c = 0; c < run->columns; c++) {
    add_endings(run, run->request->sums->b + c * run->entries, ending,
                run->result + c * run->rows);
  }
  pcf_free(ending);
  return PCF_OK;
}

/* ---- The sums ---- */

static const struct pcf_slab_kernel *kernel_of(const struct pcf_request *request) {
  int linear = request->x->linear;
  switch (request->operation) {
  case PCF_L1: return &pcf_l1_slab_kernel;
  case PCF_L2: return linear ? &pcf_l2_lines_slab_kernel : &pcf_l2_slab_kernel;
  default: return linear ? &pcf_lines_slab_kernel : &pcf_inner_slab_kernel;
  }
}

/* Squared distances, from what the inner products sum to and the sizes. */
static void complete_squares(const struct run *run) {
  const double *size_of_b = run->size + (run->request->y ? run->rows : 0);
  for (int64_t c = 0; c < run->columns; c++) {
    const double *b = run->request->sums->b + c * run->entries;
    double *result = run->result + c * run->rows;
    struct pcf_total sum = {0}, of_sizes = {0};
    for (int64_t j = 0; j < run->entries; j++) {
      pcf_total_add(&sum, b[j]);
      pcf_total_add(&of_sizes, b[j] * size_of_b[j]);
    }
    for (int64_t i = 0; i < run->rows; i++) {
      result[i] = pcf_total_of(&sum) * run->size[i] + pcf_total_of(&of_sizes) - 2 * result[i];
    }
  }
}

static void scale_all(double *x, size_t length, int exponent) {
  for (size_t k = 0; k < length; k++) x[k] = ldexp(x[k], exponent);
}

static void scale_back(const struct run *run, const struct pcf_integral *integral) {
  int degree = (int)pcf_degree(run->request->operation == PCF_L1 ? PCF_L1 : PCF_INNER, 1);
  int exponent =
    integral->time_exponent + integral->weight_exponent + degree * integral->value_exponent;
  if (exponent == 0) return;
  scale_all(run->result, result_length(run), exponent);
  if (run->size) scale_all(run->size, (size_t)run->slabs.functions, exponent);
}

static enum pcf_status at_once(const struct pcf_task *task, struct pcf_error *error) {
  const struct pcf_pairs *pairs = task->problem;
  const struct pcf_request *request = &pairs->request;
  struct pcf_weighing *weighing = pairs->weighing;
  struct pcf_integral integral =
    pcf_integral(PCF_L1, 1, request->from, request->to, PCF_DOUBLE, &pairs->range);
  if (weighing) pcf_integral_weigh(&integral, &weighing->weight, &weighing->scaled);
  struct run run = {.request = request,
                    .kernel = kernel_of(request),
                    .rows = request->x->count,
                    .entries = pcf_columns_of(request)->count,
                    .columns = request->sums->columns,
                    .weight = integral.weight,
                    .stop = task->stop,
                    .result = request->sums->result,
                    .size = request->operation == PCF_INNER ? NULL : request->sums->size};
  memset(run.result, 0, result_length(&run) * sizeof *run.result);
  enum pcf_status status =
    pcf_slabs_make(&run.slabs, request->x, request->y, &integral, &pairs->range, 0, error);
  if (!status) status = do_slabs(&run, task->offer.threads, error);
  if (!status && request->operation == PCF_L2) complete_squares(&run);
  if (!status) scale_back(&run, &integral);
  if (!status) status = add_tails(&run, error);
  pcf_slabs_free(&run.slabs);
  return status;
}

const struct pcf_method pcf_events_method = {
  .name = "events", .estimate = estimate, .at_once = at_once};
