/* The ragged primitives. No thread has a segment of its own: a part of at most PCF_PART numbers
 * has eight lanes, as on the CPU, and elements to move are shared out one by one. Compiled
 * without fused multiplications and additions, which round otherwise. */
#include "cuda/kernels.h"
#include "cuda/parts.cuh"
#include "cuda/search.cuh"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

static constexpr int THREADS = 256, AT_ONCE = 8;

/* ---- Reductions ---- */

static __device__ __forceinline__ double extreme_of(bool most, double a, double b) {
  return (most ? b > a : b < a) ? b : a;
}

struct numbers {
  const double *value;
  __device__ double operator[](int k) const { return value[k]; }
  __device__ bool is_missing(int k) const { return pcf_is_missing(value[k]); }
};

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
template <typename T> static __device__ double which_missing(lanes own, const T &term, int n) {
  bool missing = false;
  for (int k = own.lane; k < n; k += EIGHT) missing |= term.is_missing(k);
  return any_of(own, missing) ? pcf_missing_number() : double(NAN);
}

/* The sum of the lanes, then what is left, one after the other. */
template <typename T> static __device__ double sum_of(lanes own, const T &term, int n) {
  int whole = n / EIGHT * EIGHT, rest = n - whole;
  double sum = 0;
#pragma unroll AT_ONCE
  for (int k = own.lane; k < whole; k += EIGHT) sum += term[k];
  double last = own.lane < rest ? term[whole + own.lane] : 0.0;
  sum = sum_of_lanes(own, sum);
  for (int k = 0; k < rest; k++) sum += __shfl_sync(own.mask, last, k, EIGHT);
  return sum != sum ? which_missing(own, term, n) : sum;
}

static __device__ double extreme_real(lanes own, bool most, numbers value, int n) {
  double extreme = most ? -INFINITY : INFINITY;
  bool nan = false;
#pragma unroll AT_ONCE
  for (int k = own.lane; k < n; k += EIGHT) {
    double x = value[k];
    nan |= x != x;
    extreme = extreme_of(most, extreme, x);
  }
  for (int apart = 1; apart < EIGHT; apart *= 2) {
    extreme = extreme_of(most, extreme, __shfl_xor_sync(own.mask, extreme, apart, EIGHT));
  }
  return any_of(own, nan) ? which_missing(own, value, n) : extreme;
}

static __device__ double reduce_integers(lanes own, pcf_reduce reduce, const int32_t *value,
                                         int n) {
  int64_t sum = 0;
  int32_t largest = INT32_MIN, smallest = INT32_MAX;
#pragma unroll AT_ONCE
  for (int k = own.lane; k < n; k += EIGHT) {
    int32_t x = value[k];
    sum += x;
    largest = max(largest, x);
    smallest = min(smallest, x);
  }
  for (int apart = 1; apart < EIGHT; apart *= 2) {
    sum += __shfl_xor_sync(own.mask, (long long)sum, apart, EIGHT);
    largest = max(largest, __shfl_xor_sync(own.mask, largest, apart, EIGHT));
    smallest = min(smallest, __shfl_xor_sync(own.mask, smallest, apart, EIGHT));
  }
  if (n > 0 && smallest == INT32_MIN) return pcf_missing_number();
  if (reduce == PCF_SUM) return double(sum);
  if (n == 0) return reduce == PCF_MAX ? -INFINITY : INFINITY;
  return reduce == PCF_MAX ? largest : smallest;
}

static __device__ double reduce_part(lanes own, pcf_reduce reduce,
                                     const pcf_cuda_segments &segments, int64_t begin, int n) {
  if (segments.integer) return reduce_integers(own, reduce, segments.integer + begin, n);
  const double *value = segments.real ? segments.real + begin : nullptr;
  if (segments.column) {
    return sum_of(own, products{value, segments.column + begin, segments.vector}, n);
  }
  return reduce == PCF_SUM ? sum_of(own, numbers{value}, n)
                           : extreme_real(own, reduce == PCF_MAX, numbers{value}, n);
}

static __global__ void __launch_bounds__(THREADS)
  reduce_kernel(pcf_reduce reduce, const __grid_constant__ pcf_cuda_segments segments) {
  lanes own = lanes_of_thread();
  int64_t item = (int64_t(blockIdx.x) * THREADS + threadIdx.x) / EIGHT;
  part_of_segment of = part_of_item(segments.offsets, segments.count, segments.total, item);
  if (of.segment < 0) return;
  double reduced = reduce_part(own, reduce, segments, of.begin, int(of.end - of.begin));
  double *slot = segments.slot + pcf_slot_of(segments.offsets, of.segment) + of.part;
  if (own.lane == 0) *(of.cut ? slot : segments.result + of.segment) = reduced;
}

static __global__ void __launch_bounds__(THREADS)
  combine_kernel(pcf_reduce reduce, const __grid_constant__ pcf_cuda_segments segments) {
  int64_t segment = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  if (segment >= segments.count) return;
  int64_t parts = pcf_parts_of(segments.offsets[segment + 1] - segments.offsets[segment]);
  if (parts == 1) return;
  segments.result[segment] =
    pcf_combine_parts(reduce, segments.slot + pcf_slot_of(segments.offsets, segment), parts);
}

extern "C" cudaError_t pcf_cuda_reduce(enum pcf_reduce reduce,
                                       const struct pcf_cuda_segments *segments,
                                       cudaStream_t stream) {
  int64_t items = items_of(segments->count, segments->total);
  reduce_kernel<<<grid_for(items, THREADS / EIGHT), THREADS, 0, stream>>>(reduce, *segments);
  if (segments->total > PCF_PART) {
    combine_kernel<<<grid_for(segments->count, THREADS), THREADS, 0, stream>>>(reduce,
                                                                               *segments);
  }
  return cudaGetLastError();
}

/* ---- Runs of equal keys ---- */

struct run_begins {
  pcf_key type;
  const void *keys;
  __device__ bool operator()(int64_t k) const { return pcf_run_begins(type, keys, k) != 0; }
};

extern "C" cudaError_t pcf_cuda_find_runs(enum pcf_key type, const void *keys, int64_t total,
                                          int64_t *offsets, int64_t *count, void *scratch,
                                          size_t *scratch_bytes, cudaStream_t stream) {
  thrust::counting_iterator<int64_t> all(0);
  return cub::DeviceSelect::If(scratch, *scratch_bytes, all, offsets, count, total,
                               run_begins{type, keys}, stream);
}

/* ---- Intervals ---- */

static constexpr int ELEMENTS = 2048;

/* A block takes so many elements. */
template <typename T>
static __global__ void __launch_bounds__(THREADS)
  move_kernel(const __grid_constant__ pcf_cuda_moving moving) {
  __shared__ int64_t ends[2];
  int64_t first = int64_t(blockIdx.x) * ELEMENTS, end = min(first + ELEMENTS, moving.total);
  segments_of_block(moving.offsets, moving.count, first, end, ends);
  const T *from = static_cast<const T *>(moving.from);
  T *to = static_cast<T *>(moving.to);
  for (int64_t e = first + threadIdx.x; e < end; e += THREADS) {
    int64_t i = segment_with(moving.offsets, ends[0], ends[1] + 1, e);
    int64_t rank = e - moving.offsets[i];
    int64_t source = moving.expand ? i : moving.gather ? moving.gather[i] + rank : e;
    to[moving.scatter ? moving.scatter[i] + rank : e] = from[source];
  }
}

extern "C" cudaError_t pcf_cuda_move_intervals(const struct pcf_cuda_moving *moving,
                                               cudaStream_t stream) {
  unsigned blocks = grid_for(moving->total, ELEMENTS);
  switch (moving->size) {
  case 1: move_kernel<uint8_t><<<blocks, THREADS, 0, stream>>>(*moving); break;
  case 4: move_kernel<uint32_t><<<blocks, THREADS, 0, stream>>>(*moving); break;
  case 8: move_kernel<uint64_t><<<blocks, THREADS, 0, stream>>>(*moving); break;
  case 16: move_kernel<uint4><<<blocks, THREADS, 0, stream>>>(*moving); break;
  default: return cudaErrorInvalidValue;
  }
  return cudaGetLastError();
}
