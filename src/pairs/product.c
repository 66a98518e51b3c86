#include "pairs/product.h"

#include "base/memory.h"
#include "base/threads.h"
#include "pairs/slabs.h"

#include <stdlib.h>
#include <string.h>

/* Slabs are summed by threads as they come, and their sums added to the result one after the
 * other, so that it does not depend on who was faster. */

struct worker {
  struct pcf_slab_reader *reader;
  void *state;
  double *sums; /* laid out as the result */
};

struct run {
  const struct pcf_product *product;
  const struct pcf_slab_kernel *kernel;
  const struct pcf_weight *weight; /* in scaled time, or NULL */
  struct pcf_slabs slabs;
  struct worker *worker;
  const atomic_int *stop;
  double *result;
  /* Whose turn it is to add, and whether nobody is to wait any more: */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int64_t turn;
  int failed;
};

static const struct pcf_collection *vectors_of(const struct pcf_product *product) {
  return product->y ? product->y : product->x;
}

static size_t result_length(const struct pcf_product *product) {
  return (size_t)product->x->count * (size_t)product->columns;
}

/* ---- A slab ---- */

static enum pcf_status equip(const struct run *run, struct worker *worker,
                             struct pcf_error *error) {
  if (worker->sums) return PCF_OK;
  worker->reader = pcf_slab_reader_new(&run->slabs, error);
  worker->state = run->kernel->new_state(error);
  if (!worker->reader || !worker->state) return PCF_ERROR_MEMORY;
  worker->sums = pcf_allocate(result_length(run->product), sizeof *worker->sums, error);
  return worker->sums ? PCF_OK : PCF_ERROR_MEMORY;
}

static enum pcf_status sum_slab(const struct run *run, struct worker *worker, int64_t s,
                                struct pcf_error *error) {
  const struct pcf_product *product = run->product;
  int64_t rows = product->x->count, entries = vectors_of(product)->count;
  struct pcf_slab slab;
  struct pcf_slab_sums sums = {.rows = rows, .others = product->y ? entries : 0};
  enum pcf_status status = equip(run, worker, error);
  if (!status) status = pcf_slab_read(worker->reader, s, &slab, error);
  if (!status) status = run->kernel->begin(worker->state, &sums, &slab, error);
  if (status) return status;
  memset(worker->sums, 0, result_length(product) * sizeof *worker->sums);
  for (int64_t c = 0; c < product->columns && !status; c++) {
    double *result = worker->sums + c * rows;
    sums.b = product->b + c * entries;
    status = run->kernel->add(worker->state, &sums, &slab, run->stop, result, error);
  }
  return status;
}

/* ---- In turn ---- */

/* Whoever has the turn adds, and passes it on; a failure passes it to all. A slab lies in one
 * piece of the weight. */
static void add_in_turn(struct run *run, const struct worker *worker, int64_t s, int failed) {
  pthread_mutex_lock(&run->lock);
  while (!failed && !run->failed && run->turn != s) {
    pthread_cond_wait(&run->changed, &run->lock);
  }
  failed = run->failed |= failed;
  pthread_mutex_unlock(&run->lock);
  double height = pcf_height_until(run->weight, run->slabs.bound[s + 1], PCF_DOUBLE);
  size_t length = failed || height == 0 ? 0 : result_length(run->product);
  for (size_t k = 0; k < length; k++) run->result[k] += height * worker->sums[k];
  pthread_mutex_lock(&run->lock);
  if (!failed) run->turn++;
  pthread_cond_broadcast(&run->changed);
  pthread_mutex_unlock(&run->lock);
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
  pthread_mutex_init(&run->lock, NULL);
  pthread_cond_init(&run->changed, NULL);
  enum pcf_status status =
    pcf_parallel_for(threads, run->slabs.count, run->stop, do_slab, run, error);
  pthread_cond_destroy(&run->changed);
  pthread_mutex_destroy(&run->lock);
  for (int t = 0; t < threads; t++) {
    pcf_slab_reader_free(run->worker[t].reader);
    run->kernel->free_state(run->worker[t].state);
    pcf_free(run->worker[t].sums);
  }
  pcf_free(run->worker);
  return status;
}

/* ---- Windows without an end ---- */

/* The weights of the functions that end with a value: how many are above 0, and below. */
struct ending {
  double value;
  int64_t above, below;
};

static int by_value(const void *a, const void *b) {
  double x = ((const struct ending *)a)->value, y = ((const struct ending *)b)->value;
  return (x > y) - (x < y);
}

/* Endings of the functions with weights, one for each value, ascending; returns their number.
 */
static int64_t list_endings(const struct run *run, const double *b, struct ending *ending) {
  const struct pcf_product *product = run->product;
  int64_t entries = vectors_of(product)->count, count = 0, kept = 0;
  const struct pcf_view *view = run->slabs.view + (product->y ? product->x->count : 0);
  for (int64_t j = 0; j < entries; j++) {
    if (b[j] == 0) continue;
    ending[count++] = (struct ending){pcf_last_value(&view[j]), b[j] > 0, b[j] < 0};
  }
  qsort(ending, (size_t)count, sizeof *ending, by_value);
  for (int64_t k = 0; k < count; k++) {
    if (kept > 0 && ending[kept - 1].value == ending[k].value) {
      ending[kept - 1].above += ending[k].above;
      ending[kept - 1].below += ending[k].below;
    } else {
      ending[kept++] = ending[k];
    }
  }
  return kept;
}

/* Of all endings, without those of the value: for L1 pairs that end alike add nothing. */
static struct ending others_than(const struct ending *ending, int64_t count, struct ending all,
                                 double value) {
  int64_t low = 0, high = count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (ending[middle].value < value) low = middle + 1;
    else high = middle;
  }
  if (low < count && ending[low].value == value) {
    all.above -= ending[low].above;
    all.below -= ending[low].below;
  }
  return all;
}

/* For inner products: how many products with that value are above 0, and below. */
static struct ending products_with(const struct ending *ending, int64_t count, double value) {
  struct ending products = {0};
  for (int64_t k = 0; k < count; k++) {
    int sign = pcf_sign(PCF_INNER, ending[k].value, value);
    if (sign > 0) products.above += ending[k].above, products.below += ending[k].below;
    if (sign < 0) products.above += ending[k].below, products.below += ending[k].above;
  }
  return products;
}

static double infinite_part(struct ending pairs) {
  if (pairs.above && pairs.below) return NAN;
  return pairs.above ? INFINITY : pairs.below ? -INFINITY : 0;
}

static void add_endings(const struct run *run, const double *b, struct ending *ending,
                        double *result) {
  int64_t count = list_endings(run, b, ending);
  struct ending all = {0}, with[3];
  for (int64_t k = 0; k < count; k++) {
    all.above += ending[k].above;
    all.below += ending[k].below;
  }
  for (int sign = -1; sign <= 1; sign++) with[sign + 1] = products_with(ending, count, sign);
  for (int64_t i = 0; i < run->product->x->count; i++) {
    double value = pcf_last_value(&run->slabs.view[i]);
    struct ending pairs = run->product->operation == PCF_INNER
                            ? with[PCF_SIGN(value) + 1]
                            : others_than(ending, count, all, value);
    result[i] += infinite_part(pairs);
  }
}

static enum pcf_status add_tails(const struct run *run, struct pcf_error *error) {
  const struct pcf_product *product = run->product;
  size_t entries = (size_t)vectors_of(product)->count;
  if (product->to < INFINITY) return PCF_OK;
  struct ending *ending = pcf_allocate(entries, sizeof *ending, error);
  if (!ending) return PCF_ERROR_MEMORY;
  for (int64_t c = 0; c < product->columns; c++) {
    add_endings(run, product->b + c * (int64_t)entries, ending,
                run->result + c * product->x->count);
  }
  pcf_free(ending);
  return PCF_OK;
}

/* ---- The product ---- */

static void scale_back(const struct run *run, const struct pcf_integral *integral) {
  int degree = (int)pcf_degree(run->product->operation, 1);
  int exponent =
    integral->time_exponent + integral->weight_exponent + degree * integral->value_exponent;
  if (exponent == 0) return;
  size_t length = result_length(run->product);
  for (size_t k = 0; k < length; k++) run->result[k] = ldexp(run->result[k], exponent);
}

enum pcf_status pcf_product(const struct pcf_product *product, int threads,
                            const atomic_int *stop, double *result, struct pcf_error *error) {
  struct pcf_integral integral =
    pcf_integral(PCF_L1, 1, product->from, product->to, PCF_DOUBLE, &product->range);
  struct pcf_weighing *weighing = product->weighing;
  if (weighing) pcf_integral_weigh(&integral, &weighing->weight, &weighing->scaled);
  struct run run = {
    .product = product, .weight = integral.weight, .stop = stop, .result = result};
  run.kernel = product->operation == PCF_INNER ? &pcf_inner_slab_kernel : &pcf_l1_slab_kernel;
  memset(result, 0, result_length(product) * sizeof *result);
  if (product->y && product->y->count == 0) return PCF_OK;
  enum pcf_status status = pcf_slabs_make(&run.slabs, product->x, product->y, &integral, error);
  if (!status) status = do_slabs(&run, threads, error);
  if (!status) scale_back(&run, &integral);
  if (!status) status = add_tails(&run, error);
  pcf_slabs_free(&run.slabs);
  return status;
}
