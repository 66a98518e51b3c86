/* Functions on a window: a search for the window in each function, a running total of the
 * lengths, and then threads share the breakpoints of all results, whatever function they belong
 * to. */
#include "cuda/kernels.h"
#include "cuda/parts.cuh"
#include "functions/within.h"

#include <cub/device/device_scan.cuh>

static constexpr int THREADS = 256, ELEMENTS = 2048;

/* Where each result begins to read, and its length. The value of a new first breakpoint is that
 * of the one before the window. */
static __global__ void __launch_bounds__(THREADS)
  windows_kernel(const __grid_constant__ pcf_cuda_restricting all) {
  int64_t i = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  if (i == 0) all.starts[0] = 0;
  if (i >= all.count) return;
  pcf_within within =
    pcf_within_window(all.x.time, all.offsets[i], all.offsets[i + 1], all.from, all.to);
  all.source[i] = within.begin - within.starts;
  all.length[i] = pcf_within_length(&within);
}

/* A block writes so many breakpoints. */
static __global__ void __launch_bounds__(THREADS)
  cut_kernel(const __grid_constant__ pcf_cuda_restricting all) {
  __shared__ int64_t ends[2];
  int64_t first = int64_t(blockIdx.x) * ELEMENTS, end = min(first + ELEMENTS, all.total);
  segments_of_block(all.starts, all.count, first, end, ends);
  bool stops = all.to < INFINITY;
  for (int64_t e = first + threadIdx.x; e < end; e += THREADS) {
    int64_t i = segment_with(all.starts, ends[0], ends[1] + 1, e);
    if (stops && e + 1 == all.starts[i + 1]) {
      all.time[e] = all.to;
      all.value[e] = 0;
      continue;
    }
    int64_t k = all.source[i] + (e - all.starts[i]);
    double time = all.x.time[k];
    all.time[e] = time < all.from ? all.from : time;
    all.value[e] = all.x.value[k];
  }
}

extern "C" cudaError_t pcf_cuda_find_windows(const struct pcf_cuda_restricting *all,
                                             void *scratch, size_t *scratch_bytes,
                                             cudaStream_t stream) {
  if (scratch) {
    windows_kernel<<<grid_for(all->count, THREADS), THREADS, 0, stream>>>(*all);
    cudaError_t code = cudaGetLastError();
    if (code != cudaSuccess) return code;
  }
  return cub::DeviceScan::InclusiveSum(scratch, *scratch_bytes, all->length, all->starts + 1,
                                       all->count, stream);
}

extern "C" cudaError_t pcf_cuda_cut_windows(const struct pcf_cuda_restricting *all,
                                            cudaStream_t stream) {
  cut_kernel<<<grid_for(all->total, ELEMENTS), THREADS, 0, stream>>>(*all);
  return cudaGetLastError();
}
