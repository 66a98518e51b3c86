/* Values of functions at times: a warp looks for 32 times in a function, each lane by a search
 * of its own, and a block writes its tile of functions and times column by column. */
#include "cuda-kernels/kernels.h"
#include "cuda-kernels/search.cuh"

static constexpr int SIDE = 32, WARPS = 8;

/* The value from the last breakpoint on that is not after `at`, or the limit there from the
 * left: as the CPU has them, but compiled without fused additions. */
static __device__ double value_at(const pcf_cuda_evaluating &evaluating, int64_t i, double at) {
  const pcf_cuda_packed &x = evaluating.x;
  int64_t start = x.offsets[i], end = x.offsets[i + 1];
  int64_t after = segment_with(x.time, start - 1, end, at) + 1, breakpoints = end - start;
  const double *left = x.left ? x.left + start : nullptr;
  pcf_section f = {x.time + start, x.value + start, left, 0, breakpoints, breakpoints};
  return pcf_value_at(&f, after - start, evaluating.left, at);
}

static __global__ void __launch_bounds__(SIDE *WARPS)
  evaluate_kernel(const __grid_constant__ pcf_cuda_evaluating evaluating) {
  __shared__ double tile[SIDE][SIDE + 1];
  int64_t bands = (evaluating.functions + SIDE - 1) / SIDE;
  int64_t function = blockIdx.x % bands * SIDE, column = blockIdx.x / bands * SIDE;
  int functions = int(min(evaluating.functions - function, int64_t(SIDE)));
  int columns = int(min(evaluating.columns - column, int64_t(SIDE)));
  int lane = threadIdx.x % SIDE, warp = threadIdx.x / SIDE;
  if (lane < columns) {
    double at = evaluating.at[evaluating.first_column + column + lane];
    for (int f = warp; f < functions; f += WARPS) {
      tile[lane][f] = value_at(evaluating, evaluating.first_function + function + f, at);
    }
  }
  __syncthreads();
  if (lane >= functions) return;
  for (int c = warp; c < columns; c += WARPS) {
    evaluating.output[function + lane + evaluating.functions * (column + c)] = tile[c][lane];
  }
}

extern "C" cudaError_t pcf_cuda_evaluate_on_device(const struct pcf_cuda_evaluating *evaluating,
                                                   cudaStream_t stream) {
  int64_t bands = (evaluating->functions + SIDE - 1) / SIDE;
  int64_t blocks = bands * ((evaluating->columns + SIDE - 1) / SIDE);
  evaluate_kernel<<<unsigned(blocks), SIDE * WARPS, 0, stream>>>(*evaluating);
  return cudaGetLastError();
}
