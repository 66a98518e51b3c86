/* Takes functions from a collection that is on the device: gathers the breakpoints of the
 * window, scales and rounds them. The work is shared out by breakpoints, however long the
 * functions are. */
#include "cuda-kernels/kernels.h"
#include "cuda-kernels/search.cuh"

static constexpr int THREADS = 256, BREAKPOINTS = 2048;

static __device__ __forceinline__ double value_of(const pcf_cuda_taking &taking, int64_t i,
                                                  double value) {
  value = pcf_scaled(value, taking.exponents ? taking.exponents[i] : taking.value_exponent);
  return taking.missing_is_0 && isnan(value) ? 0 : value;
}

static __device__ __forceinline__ double time_of(const pcf_cuda_taking &taking, int64_t from) {
  return pcf_scaled(taking.from.time[from] - taking.origin, taking.time_exponent);
}

/* The slope of function i from a breakpoint on, as pcf_view_slope() has it; the next breakpoint
 * may lie beyond the window. Factors are powers of two, so that a product may be fused with the
 * difference. */
template <typename T>
static __device__ __forceinline__ double slope_from(const pcf_cuda_taking &taking, int64_t i,
                                                    int64_t from, double time, double value) {
  if (from + 1 == taking.from.offsets[taking.first + i + 1]) return 0;
  double left = value_of(taking, i, taking.from.left[from + 1]);
  double next = time_of(taking, from + 1);
  return pcf_slope(left - value, double(T(next)) - double(T(time)),
                   sizeof(T) == sizeof(double) ? PCF_DOUBLE : PCF_SINGLE_PRECISION);
}

/* The number of breakpoints that a block takes. Its first and its last one limit the functions
 * among which it has to search. */
template <typename T>
static __global__ void __launch_bounds__(THREADS)
  take_kernel(const __grid_constant__ pcf_cuda_taking taking) {
  __shared__ int64_t ends[2];
  int64_t first = int64_t(blockIdx.x) * BREAKPOINTS;
  int64_t end = min(first + BREAKPOINTS, taking.breakpoints);
  if (threadIdx.x % 32 == 0 && threadIdx.x < 64) {
    int64_t e = threadIdx.x ? end - 1 : first;
    ends[threadIdx.x / 32] = segment_with(taking.start, 0, taking.count, e);
  }
  __syncthreads();
  for (int64_t e = first + threadIdx.x; e < end; e += THREADS) {
    int64_t i = segment_with(taking.start, ends[0], ends[1] + 1, e);
    int64_t from = taking.source[i] + (e - taking.start[i]);
    double value = value_of(taking, i, taking.from.value[from]);
    double time = time_of(taking, from);
    static_cast<T *>(taking.time)[e] = T(time);
    T *piece = static_cast<T *>(taking.piece) + (taking.from.left ? 2 * e : e);
    piece[0] = T(value);
    if (!taking.from.left) continue;
    piece[1] = T(slope_from<T>(taking, i, from, time, value));
  }
}

template <typename T>
static cudaError_t launch(const pcf_cuda_taking &taking, cudaStream_t stream) {
  int64_t blocks = (taking.breakpoints + BREAKPOINTS - 1) / BREAKPOINTS;
  if (blocks > 0) take_kernel<T><<<unsigned(blocks), THREADS, 0, stream>>>(taking);
  return cudaGetLastError();
}

extern "C" cudaError_t pcf_cuda_take(enum pcf_precision precision,
                                     const struct pcf_cuda_taking *taking,
                                     cudaStream_t stream) {
  return precision == PCF_DOUBLE ? launch<double>(*taking, stream)
                                 : launch<float>(*taking, stream);
}
