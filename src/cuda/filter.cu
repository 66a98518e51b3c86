/* The filter: of the numbers of a block, those that its sink may want. It reads each number
 * once, mostly still from the cache, and few pass, so that it takes a small part of the time
 * that the numbers took to compute. */
#include "cuda/kernels.h"

static constexpr unsigned ALL_LANES = 0xffffffff;

/* A thread has a row, and reads so many columns of it, some at once. */
static constexpr int THREADS = 128, COLUMNS = 32, AT_ONCE = 8;
static_assert(COLUMNS % AT_ONCE == 0 && PCF_CUDA_MOST_SIDE / COLUMNS <= 65535, "");

/* Appends the numbers of a warp whose bit is set in `passing`, with one atomic addition.
 * Returns whether there was room for all. */
template <typename T>
static __device__ bool append(const pcf_cuda_filter &filter, int row, int column,
                              unsigned passing, const T (&number)[AT_ONCE]) {
  int lane = threadIdx.x % 32, own = __popc(passing), through = own;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    int before = __shfl_up_sync(ALL_LANES, through, step);
    if (lane >= step) through += before;
  }
  unsigned long long first = 0;
  if (lane == 31) first = atomicAdd(filter.count, (unsigned long long)through);
  first = __shfl_sync(ALL_LANES, first, 31);
  unsigned long long at = first + through - own;
#pragma unroll
  for (int k = 0; k < AT_ONCE; k++) {
    if (!(passing >> k & 1)) continue;
    if (at < filter.room) filter.entry[at] = {row, column + k, double(number[k])};
    at++;
  }
  return __shfl_sync(ALL_LANES, at, 31) <= filter.room;
}

/* A warp that finds no room stops: the count tells that entries are missing. */
template <typename T>
static __global__ void __launch_bounds__(THREADS)
  filter_kernel(const __grid_constant__ pcf_cuda_filter filter) {
  int row = int(blockIdx.x) * THREADS + int(threadIdx.x);
  int first = int(blockIdx.y) * COLUMNS, last = min(first + COLUMNS, filter.columns);
  bool inside = row < filter.rows;
  const T *number_of = static_cast<const T *>(filter.numbers) + row;
  const T *column_limit = static_cast<const T *>(filter.column_limit);
  T row_limit = inside ? static_cast<const T *>(filter.row_limit)[row] : T(0);
  T sign = T(filter.sign);
  int end = inside ? int(min(int64_t(last), row + filter.reach)) : first;
  bool room = true;
  for (int column = first; column < last && room; column += AT_ONCE) {
    T number[AT_ONCE];
    unsigned passing = 0;
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
      if (column + k < end) number[k] = number_of[filter.stride * (column + k)];
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
      if (column + k >= end) continue;
      T signed_number = sign * number[k];
      bool passes = signed_number <= row_limit || signed_number <= column_limit[column + k];
      passing |= unsigned(passes) << k;
    }
    if (__any_sync(ALL_LANES, passing)) room = append(filter, row, column, passing, number);
  }
}

template <typename T>
static cudaError_t launch(const pcf_cuda_filter &filter, cudaStream_t stream) {
  dim3 grid(unsigned((filter.rows + THREADS - 1) / THREADS),
            unsigned((filter.columns + COLUMNS - 1) / COLUMNS));
  filter_kernel<T><<<grid, THREADS, 0, stream>>>(filter);
  return cudaGetLastError();
}

extern "C" cudaError_t pcf_cuda_pick(enum pcf_precision precision,
                                     const struct pcf_cuda_filter *filter,
                                     cudaStream_t stream) {
  return precision == PCF_DOUBLE ? launch<double>(*filter, stream)
                                 : launch<float>(*filter, stream);
}
