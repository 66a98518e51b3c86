/* The ragged primitives of the CUDA device, and what it does with single functions, as the host
 * calls them: plain loops over what lies in the memory of the fake device. */
#include "fake-cuda.h"

#include "cuda/kernels.h"
#include "summaries/norms.h"
#include "summaries/segments.h"

#include <stdlib.h>
#include <string.h>

struct reducing {
  enum pcf_reduce reduce;
  struct pcf_cuda_segments segments;
};

static void reduce(const void *reducing_) {
  const struct reducing *reducing = reducing_;
  const struct pcf_cuda_segments *segments = &reducing->segments;
  struct pcf_numbers values = {segments->real, segments->integer};
  struct pcf_sparse matrix = {.rows = segments->count,
                              .offsets = segments->offsets,
                              .column = segments->column,
                              .value = segments->real};
  struct pcf_error error;
  memset(segments->slot, 1,
         (size_t)pcf_slot_count(segments->offsets, segments->count) * sizeof(double));
  enum pcf_status status =
    matrix.column ? pcf_sparse_times_vectors(&matrix, segments->vector, 1, 1, NULL,
                                             segments->result, &error)
                  : pcf_segment_reduce(reducing->reduce, values, segments->offsets,
                                       segments->count, 1, NULL, segments->result, &error);
  if (status) abort();
}

cudaError_t pcf_cuda_reduce(enum pcf_reduce which, const struct pcf_cuda_segments *segments,
                            cudaStream_t stream) {
  struct reducing reducing = {which, *segments};
  return fake_cuda_put(stream, reduce, &reducing, sizeof reducing);
}

struct finding {
  enum pcf_key type;
  const void *keys;
  int64_t total, *offsets, *count;
};

static void find_runs(const void *finding_) {
  const struct finding *finding = finding_;
  *finding->count = 0;
  for (int64_t k = 0; k < finding->total; k++) {
    if (!pcf_run_begins(finding->type, finding->keys, k)) continue;
    finding->offsets[(*finding->count)++] = k;
  }
}

cudaError_t pcf_cuda_find_runs(enum pcf_key type, const void *keys, int64_t total,
                               int64_t *offsets, int64_t *count, void *scratch,
                               size_t *scratch_bytes, cudaStream_t stream) {
  struct finding finding = {type, keys, total, offsets, count};
  *scratch_bytes = 256;
  return scratch ? fake_cuda_put(stream, find_runs, &finding, sizeof finding) : cudaSuccess;
}

static void move(const void *moving_) {
  const struct pcf_cuda_moving *moving = moving_;
  size_t size = (size_t)moving->size;
  for (int64_t s = 0; s < moving->count; s++) {
    for (int64_t e = moving->offsets[s]; e < moving->offsets[s + 1]; e++) {
      int64_t rank = e - moving->offsets[s];
      int64_t from = moving->expand ? s : moving->gather ? moving->gather[s] + rank : e;
      int64_t to = moving->scatter ? moving->scatter[s] + rank : e;
      memcpy((char *)moving->to + (size_t)to * size,
             (const char *)moving->from + (size_t)from * size, size);
    }
  }
}

cudaError_t pcf_cuda_move_intervals(const struct pcf_cuda_moving *moving, cudaStream_t stream) {
  return fake_cuda_put(stream, move, moving, sizeof *moving);
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
