/* A sparse matrix times a vector. Rows are segments, of which no thread has one of its own: a
 * part of at most PCF_PART entries has eight lanes, as on the CPU. Compiled without fused
 * multiplications and additions, which round otherwise. */
#include "cuda-kernels/kernels.h"
#include "cuda-kernels/parts.cuh"

/* Segments differ in length, and a block lasts as long as its longest: few of them have one. */
static constexpr int THREADS = 256, FEW = 128, WARP = 32, AT_ONCE = 16;

/* Entries of a matrix times what they meet in a vector. */
struct products {
  const double *value; /* NULL: all are 1 */
  const int32_t *column;
  const double *vector;
  __device__ double operator[](int k) const {
    double x = vector[column[k]];
    return value ? value[k] * x : x;
  }
  __device__ bool is_missing(int k) const {
    return (value && pcf_is_missing(value[k])) || pcf_is_missing(vector[column[k]]);
  }
};

/* A result that is NaN, as pcf_which_missing() has it. */
static __device__ double which_missing(lanes own, const products &term, int n) {
  bool missing = false;
  for (int k = own.lane; k < n; k += EIGHT) missing |= term.is_missing(k);
  return any_of(own, missing) ? pcf_missing_number() : double(NAN);
}

/* The sum of the lanes, then what is left, one after the other. Terms are read many at once,
 * and behind the last ones 0 is added. */
static __device__ double sum_of(lanes own, const products &term, int n) {
  int whole = n / EIGHT * EIGHT, rest = n - whole;
  double sum = 0, last = own.lane < rest ? term[whole + own.lane] : 0.0;
  for (int first = own.lane; first < whole; first += AT_ONCE * EIGHT) {
    double next[AT_ONCE];
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      int k = first + u * EIGHT;
      next[u] = k < whole ? term[k] : 0.0;
    }
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) sum += next[u];
  }
  sum = sum_of_lanes(own, sum);
  for (int k = 0; k < rest; k++) sum += __shfl_sync(own.mask, last, k, EIGHT);
  return sum != sum ? which_missing(own, term, n) : sum;
}

static __global__ void __launch_bounds__(FEW)
  multiply_kernel(const __grid_constant__ pcf_cuda_multiplying of) {
  lanes own = lanes_of_thread();
  int64_t item = (int64_t(blockIdx.x) * FEW + threadIdx.x) / EIGHT;
  part_of_segment part = part_of_item(of.offsets, of.rows, of.entries, item);
  if (part.segment < 0) return;
  const double *value = of.value ? of.value + part.begin : nullptr;
  double sum =
    sum_of(own, products{value, of.column + part.begin, of.vector}, int(part.end - part.begin));
  double *slot = of.slot + pcf_slot_of(of.offsets, part.segment) + part.part;
  if (own.lane == 0) *(part.cut ? slot : of.result + part.segment) = sum;
}

/* As pcf_combine_parts() for sums, by a warp: it brings 32 parts while it adds up those before.
 */
static __device__ double sum_parts(const double *part, int64_t count) {
  int lane = threadIdx.x % WARP;
  pcf_total total = {0, 0};
  bool nan = false;
  double next = lane < count ? part[lane] : 0.0;
  for (int64_t k = 0; k < count; k += WARP) {
    double own = next;
    nan |= own != own;
    next = k + WARP + lane < count ? part[k + WARP + lane] : 0.0;
    if (count - k < WARP) {
      for (int l = 0; l < count - k; l++) pcf_total_add(&total, __shfl_sync(~0u, own, l));
      break;
    }
#pragma unroll
    for (int l = 0; l < WARP; l++) pcf_total_add(&total, __shfl_sync(~0u, own, l));
  }
  return __any_sync(~0u, nan) ? pcf_which_missing(part, count) : pcf_total_of(&total);
}

/* Each thread looks at a row; its warp puts those of several parts together. */
static __global__ void __launch_bounds__(THREADS)
  combine_kernel(const __grid_constant__ pcf_cuda_multiplying of) {
  int64_t row = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  bool cut = row < of.rows && of.offsets[row + 1] - of.offsets[row] > PCF_PART;
  for (unsigned left = __ballot_sync(~0u, cut); left; left &= left - 1) {
    int64_t r = row - threadIdx.x % WARP + __ffs(int(left)) - 1;
    int64_t parts = pcf_parts_of(of.offsets[r + 1] - of.offsets[r]);
    double sum = sum_parts(of.slot + pcf_slot_of(of.offsets, r), parts);
    if (threadIdx.x % WARP == 0) of.result[r] = sum;
  }
}

extern "C" cudaError_t pcf_cuda_multiply(const struct pcf_cuda_multiplying *of,
                                         cudaStream_t stream) {
  unsigned blocks = grid_for(items_of(of->rows, of->entries), FEW / EIGHT);
  multiply_kernel<<<blocks, FEW, 0, stream>>>(*of);
  cudaError_t failed = cudaGetLastError();
  if (failed || of->entries <= PCF_PART) return failed;
  combine_kernel<<<grid_for(of->rows, THREADS), THREADS, 0, stream>>>(*of);
  return cudaGetLastError();
}
