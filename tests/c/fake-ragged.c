/* What the CUDA device does with sparse matrices and single functions, as the host calls it:
 * plain loops over what lies in the memory of the fake device. */
#include "fake-cuda.h"

#include "cuda/kernels.h"
#include "summaries/norms.h"
#include "summaries/segments.h"

#include <stdlib.h>
#include <string.h>

static void multiply(const void *of_) {
  const struct pcf_cuda_multiplying *of = of_;
  struct pcf_sparse matrix = {
    .rows = of->rows, .offsets = of->offsets, .column = of->column, .value = of->value};
  struct pcf_error error;
  memset(of->slot, 1, (size_t)pcf_slot_count(of->offsets, of->rows) * sizeof(double));
  if (pcf_sparse_times_vectors(&matrix, of->vector, 1, 1, NULL, of->result, &error)) abort();
}

cudaError_t pcf_cuda_multiply(const struct pcf_cuda_multiplying *of, cudaStream_t stream) {
  return fake_cuda_put(stream, multiply, of, sizeof *of);
}

/* ---- Single functions ---- */

/* A function that is not cut, as the CPU measures it; all else is left to the host. */
static struct pcf_section_part measure_function(const struct pcf_cuda_measuring *there,
                                                int64_t i) {
  struct pcf_measuring measuring = {there->measure, there->power.p, there->from, there->to};
  int64_t first = there->offsets[i], n = there->offsets[i + 1] - first, offsets[] = {0, n};
  double matrix[2 * PCF_PART], result;
  const double *function = matrix;
  struct pcf_collection one = {1, &function, offsets, 1, NULL};
  struct pcf_fault fault;
  struct pcf_error error;
  if (n > PCF_PART || there->measure == PCF_NORM_L2 || there->measure == PCF_NORM_LP) {
    return pcf_left_part();
  }
  memcpy(matrix, there->x.time + first, (size_t)n * sizeof(double));
  memcpy(matrix + n, there->x.value + first, (size_t)n * sizeof(double));
  if (pcf_measure(&one, &measuring, 1, NULL, &result, NULL, &fault, &error)) abort();
  struct pcf_section_part part = pcf_plain_part(result);
  if (there->measure == PCF_NORM_LINF) part.supremum = result;
  return part;
}

static void measure(const void *there_) {
  const struct pcf_cuda_measuring *there = there_;
  int64_t slots = pcf_slot_count(there->offsets, there->count);
  for (int64_t k = 0; k < slots; k++) there->slot[k] = pcf_left_part();
  for (int64_t i = 0; i < there->count; i++) there->whole[i] = measure_function(there, i);
}

cudaError_t pcf_cuda_measure_parts(const struct pcf_cuda_measuring *measuring,
                                   cudaStream_t stream) {
  return fake_cuda_put(stream, measure, measuring, sizeof *measuring);
}

static double value_at(const struct pcf_cuda_evaluating *there, int64_t i, double at) {
  double value = 0;
  for (int64_t k = there->offsets[i]; k < there->offsets[i + 1]; k++) {
    if (there->x.time[k] <= at) value = there->x.value[k];
  }
  return value;
}

static void evaluate(const void *there_) {
  const struct pcf_cuda_evaluating *there = there_;
  for (int64_t j = 0; j < there->columns; j++) {
    for (int64_t i = 0; i < there->functions; i++) {
      there->output[i + there->functions * j] =
        value_at(there, there->first_function + i, there->at[there->first_column + j]);
    }
  }
}

cudaError_t pcf_cuda_evaluate_there(const struct pcf_cuda_evaluating *evaluating,
                                    cudaStream_t stream) {
  return fake_cuda_put(stream, evaluate, evaluating, sizeof *evaluating);
}
