#include "functions/single.h"

#include "cuda/info.h"
#include "cuda/resident.h"
#include "pairs/costs.h"

#include <math.h>

/* ---- The CPU's functions ---- */

typedef enum pcf_status host_function(void *call, int threads, const atomic_int *stop,
                                      struct pcf_error *error);

static enum pcf_status host_norms(void *call_, int threads, const atomic_int *stop,
                                  struct pcf_error *error) {
  struct pcf_norms_call *call = call_;
  return pcf_measure(call->x, &call->measuring, threads, stop, call->result, &call->missing,
                     &call->fault, error);
}

static enum pcf_status host_values(void *call_, int threads, const atomic_int *stop,
                                   struct pcf_error *error) {
  struct pcf_values_call *call = call_;
  return pcf_evaluate(call->x, &call->at, threads, stop, call->result, &call->fault, error);
}

enum pcf_status pcf_host_rows(void *call_, int threads, const atomic_int *stop,
                              struct pcf_error *error) {
  struct pcf_rows_call *call = call_;
  return call->extrema
           ? pcf_extrema(call->x, call->rows, call->extremum, threads, stop, &call->curves,
                         error)
           : pcf_sums(call->x, call->rows, &call->range, threads, stop, &call->curves, error);
}

static enum pcf_status host_products(void *call_, int threads, const atomic_int *stop,
                                     struct pcf_error *error) {
  struct pcf_products_call *call = call_;
  return pcf_sparse_times_vectors(call->matrix, call->vector, call->count, threads, stop,
                                  call->result, error);
}

#define ENTRY(name, thread, least, gpu, host, cuda) [name] = {thread, least, gpu, host},
static const struct {
  double thread, least, gpu;
  host_function *host;
} operations[] = {PCF_SINGLE_OPERATIONS(ENTRY)};
#undef ENTRY

/* ---- Where a call runs ---- */

/* What each device is expected to take, in seconds. */
static double seconds_here(const struct pcf_single *single, double units) {
  double thread = operations[single->operation].thread / single->settings.threads;
  return 1e-9 * units * fmax(thread, operations[single->operation].least);
}

static double seconds_on_gpu(const struct pcf_single *single, const struct pcf_collection *x,
                             double units) {
  double seconds = pcf_cuda_single_call_cost + 1e-9 * units * operations[single->operation].gpu;
  double numbers = (double)pcf_total_breakpoints(x) * pcf_matrix_columns(x->linear);
  seconds += (double)x->count * pcf_cuda_function_cost;
  if (pcf_cuda_is_resident(pcf_resident(x), single->settings.gpus)) return seconds;
  return seconds + numbers * pcf_cuda_number_cost;
}

/* CUDA is not looked for before it is expected to win. */
static int is_faster_on_gpu(const struct pcf_single *single, const struct pcf_collection *x,
                            double units) {
  double here = seconds_here(single, units), most = pcf_cuda_clearly * here;
  if (here < pcf_cuda_single_moment) return 0;
  double gpu = seconds_on_gpu(single, x, units);
  if (gpu >= most) return 0;
  struct pcf_cuda_info info;
  pcf_cuda_describe(&info, single->settings.gpus);
  return !info.problem[0] && gpu + pcf_cuda_starting_cost() < most;
}

void pcf_single_choose(struct pcf_single *single, const struct pcf_collection *x,
                       double units) {
  if (single->choice) single->on_gpu = is_faster_on_gpu(single, x, units);
}

enum pcf_status pcf_single_run(void *single_, const atomic_int *stop, struct pcf_error *error) {
  const struct pcf_single *single = single_;
  if (single->on_gpu) {
    enum pcf_status status = pcf_cuda_single_run(single, stop, error);
    int lacks = status == PCF_ERROR_DEVICE || status == PCF_ERROR_DEVICE_MEMORY;
    if (!lacks || !single->choice) return status;
    if (error) *error = (struct pcf_error){0};
  }
  return operations[single->operation].host(single->call, single->settings.threads, stop,
                                            error);
}
