/* The ragged primitives. No thread has a segment of its own: a part of at most PCF_PART numbers
 * has eight lanes, as on the CPU, and elements to move are shared out one by one. Compiled
 * without fused multiplications and additions, which round otherwise. */
#include "cuda/kernels.h"
#include "cuda/parts.cuh"
#include "cuda/search.cuh"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

/* Segments differ in length, and a block lasts as long as its longest: few of them have one. */
static constexpr int THREADS = 256, FEW = 128, WARP = 32, AT_ONCE = 16;

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

/* The sum of the lanes, then what is left, one after the other. Terms are read many at once,
 * and behind the last ones 0 is added. */
template <typename T> static __device__ double sum_of(lanes own, const T &term, int n) {
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

/* Kernels of their own, since each takes registers for what it does alone. */
enum kind { SUMS, PRODUCTS, OTHERS };

template <int KIND>
static __device__ double reduce_part(lanes own, pcf_reduce reduce,
                                     const pcf_cuda_segments &segments, int64_t begin, int n) {
  const double *value = segments.real ? segments.real + begin : nullptr;
  if (KIND == SUMS) return sum_of(own, numbers{value}, n);
  if (KIND == PRODUCTS) {
    return sum_of(own, products{value, segments.column + begin, segments.vector}, n);
  }
  if (segments.integer) return reduce_integers(own, reduce, segments.integer + begin, n);
  return extreme_real(own, reduce == PCF_MAX, numbers{value}, n);
}

template <int KIND>
static __global__ void __launch_bounds__(FEW)
  reduce_kernel(pcf_reduce reduce, const __grid_constant__ pcf_cuda_segments segments) {
  lanes own = lanes_of_thread();
  int64_t item = (int64_t(blockIdx.x) * FEW + threadIdx.x) / EIGHT;
  part_of_segment of = part_of_item(segments.offsets, segments.count, segments.total, item);
  if (of.segment < 0) return;
  double reduced = reduce_part<KIND>(own, reduce, segments, of.begin, int(of.end - of.begin));
  double *slot = segments.slot + pcf_slot_of(segments.offsets, of.segment) + of.part;
  if (own.lane == 0) *(of.cut ? slot : segments.result + of.segment) = reduced;
}

template <int KIND>
static void reduce_parts(pcf_reduce reduce, const pcf_cuda_segments &segments,
                         cudaStream_t stream) {
  int64_t items = items_of(segments.count, segments.total);
  reduce_kernel<KIND><<<grid_for(items, FEW / EIGHT), FEW, 0, stream>>>(reduce, segments);
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

/* Each thread looks at a segment; its warp puts those of several parts together. */
static __global__ void __launch_bounds__(THREADS)
  combine_kernel(pcf_reduce reduce, const __grid_constant__ pcf_cuda_segments segments) {
  int64_t segment = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  const int64_t *offsets = segments.offsets;
  bool cut = segment < segments.count && offsets[segment + 1] - offsets[segment] > PCF_PART;
  for (unsigned left = __ballot_sync(~0u, cut); left; left &= left - 1) {
    int64_t s = segment - threadIdx.x % WARP + __ffs(int(left)) - 1;
    int64_t parts = pcf_parts_of(offsets[s + 1] - offsets[s]);
    const double *part = segments.slot + pcf_slot_of(offsets, s);
    double reduced =
      reduce == PCF_SUM ? sum_parts(part, parts) : pcf_combine_parts(reduce, part, parts);
    if (threadIdx.x % WARP == 0) segments.result[s] = reduced;
  }
}

extern "C" cudaError_t pcf_cuda_reduce(enum pcf_reduce reduce,
                                       const struct pcf_cuda_segments *segments,
                                       cudaStream_t stream) {
  if (segments->column) reduce_parts<PRODUCTS>(reduce, *segments, stream);
  else if (segments->real && reduce == PCF_SUM) reduce_parts<SUMS>(reduce, *segments, stream);
  else reduce_parts<OTHERS>(reduce, *segments, stream);
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
