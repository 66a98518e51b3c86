#include "cuda-functions/single.h"

#include "cuda/info.h"
#include "cuda/resident.h"

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

#define ENTRY(name, thread, least, there, host, cuda) [name] = {thread, least, there, host},
static const struct {
  double thread, least, there;
  host_function *host;
} operations[] = {PCF_SINGLE_OPERATIONS(ENTRY)};
#undef ENTRY

/* ---- Where a call runs ---- */

/* Nanoseconds to copy a number of a breakpoint to the device, and of a function; seconds of a
 * call, and how many of them are too few to look for CUDA. */
static const double upload_cost = 0.55, function_cost = 25, call_cost = 2e-3, moment = 0.05;

/* The device must be expected to take less than this share of the time of the CPU, since
 * estimates are rough. */
static const double clearly = 0.8;

static int is_faster_there(const struct pcf_single *single, const struct pcf_collection *x,
                           double units) {
  int threads = single->settings.threads, gpus = single->settings.gpus;
  double each = operations[single->operation].there;
  double here =
    1e-9 * units *
    fmax(operations[single->operation].thread / threads, operations[single->operation].least);
  if (here < moment) return 0;
  double there = 1e-9 * (units * each + (double)x->count * function_cost);
  int stays = pcf_cuda_is_resident(pcf_resident(x), gpus);
  double numbers = (double)pcf_total_breakpoints(x) * pcf_matrix_columns(x->linear);
  if (!stays) there += 1e-9 * numbers * upload_cost;
  if (there + call_cost >= clearly * here) return 0;
  struct pcf_cuda_info info;
  pcf_cuda_describe(&info, gpus);
  if (info.problem[0]) return 0;
  return there + call_cost + pcf_cuda_starting_cost() < clearly * here;
}

void pcf_single_choose(struct pcf_single *single, const struct pcf_collection *x,
                       double units) {
  if (single->choice) single->on_gpu = is_faster_there(single, x, units);
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
