/* Functions made from functions on the CUDA device as the host calls it: plain loops over what
 * lies in the memory of the fake device. */
#include "fake-cuda.h"

#include "base/bits.h"
#include "cuda/kernels.h"
#include "functions/within.h"

/* ---- Canonical forms ---- */

struct finding {
  struct pcf_cuda_simplifying all;
  int64_t *changes;
};

static void find_changes(const void *finding_) {
  const struct finding *finding = finding_;
  const struct pcf_cuda_simplifying *all = &finding->all;
  int64_t changes = 0;
  for (int64_t i = 0; i < all->count; i++) {
    double before = 0;
    for (int64_t k = all->offsets[i]; k < all->offsets[i + 1]; k++) {
      if (pcf_is_change(before, all->x.value[k])) all->change[changes++] = (uint32_t)k;
      before = all->x.value[k];
    }
  }
  *finding->changes = changes;
}

cudaError_t pcf_cuda_find_changes(const struct pcf_cuda_simplifying *simplifying,
                                  int64_t *changes, void *scratch, size_t *scratch_bytes,
                                  cudaStream_t stream) {
  struct finding finding = {*simplifying, changes};
  *scratch_bytes = 256;
  return scratch ? fake_cuda_put(stream, find_changes, &finding, sizeof finding) : cudaSuccess;
}

static void keep_changes(const void *simplifying) {
  const struct pcf_cuda_simplifying *all = simplifying;
  int64_t i = 0;
  for (int64_t k = 0; k < all->changes; k++) {
    double value = all->x.value[all->change[k]];
    while (all->offsets[i] <= all->change[k]) all->starts[i++] = k;
    all->time[k] = all->x.time[all->change[k]] + 0.0;
    all->value[k] = isnan(value) ? pcf_missing() : value + 0.0;
  }
  while (i <= all->count) all->starts[i++] = all->changes;
}

cudaError_t pcf_cuda_keep_changes(const struct pcf_cuda_simplifying *simplifying,
                                  cudaStream_t stream) {
  return fake_cuda_put(stream, keep_changes, simplifying, sizeof *simplifying);
}

/* ---- Windows ---- */

static void find_windows(const void *restricting) {
  const struct pcf_cuda_restricting *all = restricting;
  all->starts[0] = 0;
  for (int64_t i = 0; i < all->count; i++) {
    struct pcf_within within =
      pcf_within_window(all->x.time, all->offsets[i], all->offsets[i + 1], all->from, all->to);
    all->source[i] = within.begin - within.starts;
    all->starts[i + 1] = all->starts[i] + pcf_within_length(&within);
  }
}

cudaError_t pcf_cuda_find_windows(const struct pcf_cuda_restricting *restricting, void *scratch,
                                  size_t *scratch_bytes, cudaStream_t stream) {
  *scratch_bytes = 256;
  return scratch ? fake_cuda_put(stream, find_windows, restricting, sizeof *restricting)
                 : cudaSuccess;
}

static void cut_windows(const void *restricting) {
  const struct pcf_cuda_restricting *all = restricting;
  for (int64_t i = 0; i < all->count; i++) {
    int64_t end = all->starts[i + 1] - (all->to < INFINITY), k = all->source[i];
    for (int64_t e = all->starts[i]; e < end; e++, k++) {
      all->time[e] = all->x.time[k] < all->from ? all->from : all->x.time[k];
      all->value[e] = all->x.value[k];
    }
    if (end == all->starts[i + 1]) continue;
    all->time[end] = all->to;
    all->value[end] = 0;
  }
}

cudaError_t pcf_cuda_cut_windows(const struct pcf_cuda_restricting *restricting,
                                 cudaStream_t stream) {
  return fake_cuda_put(stream, cut_windows, restricting, sizeof *restricting);
}
