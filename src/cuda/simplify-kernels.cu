/* Canonical forms: the breakpoints at which a value changes are selected, and their functions
 * found by where they begin among them. */
#include "base/bits.h"
#include "cuda/kernels.h"
#include "cuda/parts.cuh"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

static constexpr int THREADS = 256;

/* Does the value change at a breakpoint? Which function it belongs to is looked for only where
 * the value before and 0, which the first one of a function follows, do not agree on that. */
struct changes_at {
  pcf_cuda_simplifying all;
  __device__ bool operator()(uint32_t k) const {
    double value = all.x.value[k];
    bool from_zero = pcf_is_change(0, value);
    if (k == 0) return from_zero;
    bool from_last = pcf_is_change(all.x.value[k - 1], value);
    if (from_last == from_zero) return from_zero;
    bool first = all.offsets[segment_with(all.offsets, 0, all.count, k)] == k;
    return first ? from_zero : from_last;
  }
};

/* Adding 0 makes a negative zero positive. */
static __global__ void __launch_bounds__(THREADS)
  keep_kernel(const __grid_constant__ pcf_cuda_simplifying all) {
  int64_t k = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  if (k >= all.changes) return;
  double value = all.x.value[all.change[k]];
  all.time[k] = all.x.time[all.change[k]] + 0.0;
  all.value[k] = isnan(value) ? pcf_missing() : value + 0.0;
}

/* The first change that is not before a function's first breakpoint. */
static __global__ void __launch_bounds__(THREADS)
  starts_kernel(const __grid_constant__ pcf_cuda_simplifying all) {
  int64_t i = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  if (i > all.count) return;
  all.starts[i] =
    first_from(all.changes, all.offsets[i], [&](int64_t k) { return all.change[k]; });
}

extern "C" cudaError_t pcf_cuda_find_changes(const struct pcf_cuda_simplifying *all,
                                             int64_t *changes, void *scratch,
                                             size_t *scratch_bytes, cudaStream_t stream) {
  thrust::counting_iterator<uint32_t> every(0);
  return cub::DeviceSelect::If(scratch, *scratch_bytes, every, all->change, changes, all->total,
                               changes_at{*all}, stream);
}

extern "C" cudaError_t pcf_cuda_keep_changes(const struct pcf_cuda_simplifying *all,
                                             cudaStream_t stream) {
  if (all->changes > 0) {
    keep_kernel<<<grid_for(all->changes, THREADS), THREADS, 0, stream>>>(*all);
  }
  starts_kernel<<<grid_for(all->count + 1, THREADS), THREADS, 0, stream>>>(*all);
  return cudaGetLastError();
}
