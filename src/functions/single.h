/* Operations on single functions: a list of what each costs and which functions compute it, on
 * the CPU and on a device; and how a call is run on one of these. */
#pragma once

#include "blocks/device.h"
#include "reductions/extrema.h"
#include "reductions/sums.h"
#include "summaries/evaluate.h"
#include "summaries/norms.h"
#include "summaries/segments.h"

/* The list: name; what a unit of work takes in nanoseconds, by one thread, by any number of
 * them at least, and on a device, where what comes back counts; the functions of the CPU
 * (functions/single.c) and of CUDA (cuda-functions/session.h), which take the struct of
 * the call. A unit is a breakpoint or, for values, a number of the result. An operation without
 * costs runs on a device only on request. What all calls pay is in pairs/costs.h.
 *
 * Measured by bench/stay-functions.R on one H200 with 16 cores, of which 2 and 16 had the
 * work. */
#define PCF_SINGLE_OPERATIONS(ENTRY)                                                \
  ENTRY(PCF_NORMS, 2.3, 0.35, 0.15, host_norms, pcf_cuda_norms)                     \
  ENTRY(PCF_POWER_NORMS, 10, 0.7, 0.15, host_norms, pcf_cuda_norms) /* general p */ \
  ENTRY(PCF_FUNCTION_VALUES, 6.3, 0.55, 0.8, host_values, pcf_cuda_values)          \
  ENTRY(PCF_FUNCTION_SUMS, 100, 6, 2.1, pcf_host_rows, pcf_cuda_rows)               \
  ENTRY(PCF_LINE_SUMS, 250, 15, 5.25, pcf_host_rows, pcf_cuda_rows)                 \
  ENTRY(PCF_FUNCTION_EXTREMA, 70, 3.2, 0.8, pcf_host_rows, pcf_cuda_rows)           \
  ENTRY(PCF_SPARSE_PRODUCTS, 0, 0, 0, host_products, pcf_cuda_products)

#define PCF_ENTRY_NAME(name, thread, least, gpu, host, cuda) name,
enum pcf_single_operation { PCF_SINGLE_OPERATIONS(PCF_ENTRY_NAME) };
#undef PCF_ENTRY_NAME

/* ---- Calls: what each operation takes and gives, the same on the CPU and on a device ---- */

/* Norms and integrals, as pcf_measure() has them: bit for bit, but for PCF_NORM_LP, which are
 * within 1e-14 of each other, relatively. */
struct pcf_norms_call {
  const struct pcf_collection *x;
  struct pcf_measuring measuring;
  double *result;
  int missing;
  struct pcf_fault fault;
};

/* Values at times, as pcf_evaluate() has them. */
struct pcf_values_call {
  const struct pcf_collection *x;
  struct pcf_times_at at;
  double *result;
  struct pcf_fault fault;
};

/* Sums, as of pcf_sums(), and extrema, as of pcf_extrema(). What a device computes stays there
 * until the curves are written. A device leaves rare cases to the CPU: sums of values or
 * weights of very different magnitudes, means of what is observed with negative weights, and
 * 2^31 breakpoints and more. */
struct pcf_rows_call {
  const struct pcf_collection *x;
  const struct pcf_rows *rows;
  struct pcf_range range; /* for sums */
  int extrema;            /* are these wanted, and no sums? */
  enum pcf_extremum extremum;
  struct pcf_curves curves; /* to be freed, whatever the status */
};

/* What the CPU does for struct pcf_rows_call. */
enum pcf_status pcf_host_rows(void *call, int threads, const atomic_int *stop,
                              struct pcf_error *error);

/* A sparse matrix times vectors, as pcf_sparse_times_vectors() has it. */
struct pcf_products_call {
  const struct pcf_sparse *matrix;
  const double *vector;
  int64_t count;
  double *result;
};

/* ---- Where a call runs ---- */

/* A call, with the threads and devices that it may have. Where the user leaves the `choice`, it
 * runs on the CPU until pcf_single_choose() finds the first device faster. */
struct pcf_single {
  enum pcf_single_operation operation;
  void *call;
  int on_gpu, choice;
  struct pcf_settings settings;
};

/* Chooses the device where it is expected to take clearly less time for so many units of work
 * on a collection. That includes the time to copy the collection there, unless it is resident,
 * and to start CUDA the first time. CUDA is not looked for where the CPU takes only a
 * moment. */
void pcf_single_choose(struct pcf_single *single, const struct pcf_collection *x, double units);

/* Runs a call, struct pcf_single. Where a device fails or has too little memory, the CPU takes
 * the call if the device was chosen here; if the user asked for it, the status is
 * PCF_ERROR_DEVICE or PCF_ERROR_DEVICE_MEMORY. */
enum pcf_status pcf_single_run(void *single, const atomic_int *stop, struct pcf_error *error);

/* The same on the first device that is wanted, whatever is chosen (cuda-functions/session.c).
 */
enum pcf_status pcf_cuda_single_run(const struct pcf_single *single, const atomic_int *stop,
                                    struct pcf_error *error);
