/* Exact sums of functions, and their extrema. Events are sorted by time, their changes are
 * added up as integers of two limbs, which no order of additions changes, and where the sum
 * differs it is divided and rounded as the CPU does. Compiled without fused multiplications and
 * additions, which round otherwise. The sums run on over all rows: each row takes what was
 * before it off again. Where functions that are not observed change the divisor, what they
 * count is added up likewise. For extrema, the pieces of functions are put into a tree over the
 * sorted events. */
#include "cuda-kernels/kernels.h"
#include "cuda-kernels/scan.cuh"
#include "cuda-kernels/search.cuh"
#include "cuda-kernels/sort.cuh"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

static __device__ __forceinline__ int64_t row_of(const pcf_cuda_sums &sums, int64_t event) {
  return segment_with(sums.row_start, 0, sums.rows, event);
}

/* ---- Sorting ---- */

/* The breakpoint of an event, and its entry. */
static __device__ __forceinline__ int64_t breakpoint_of(const pcf_cuda_sums &sums,
                                                        int64_t event, int64_t *entry) {
  *entry = segment_with(sums.ends, 0, sums.entries, event);
  return sums.x.offsets[sums.function[*entry]] + (event - sums.ends[*entry]);
}

struct time_key {
  pcf_cuda_sums sums;
  __device__ uint64_t operator()(int64_t event) const {
    int64_t entry;
    return pcf_key_of(sums.x.time[breakpoint_of(sums, event, &entry)]);
  }
};

struct row_key {
  pcf_cuda_sums sums;
  __device__ uint64_t operator()(int64_t event) const { return uint64_t(row_of(sums, event)); }
};

extern "C" cudaError_t pcf_cuda_sort_events(const struct pcf_cuda_sums *sums, void *scratch,
                                            size_t *scratch_bytes, const uint32_t **sorted,
                                            cudaStream_t stream) {
  int row_bits = bits_of(sums->rows - 1); /* 0 for a single row */
  return sort_numbers(sums->events, time_key{*sums}, 64, row_key{*sums}, row_bits, scratch,
                      scratch_bytes, sorted, stream);
}

/* ---- Sums ---- */

static __device__ __forceinline__ pcf_narrow term(const pcf_cuda_sums &sums, int64_t breakpoint,
                                                  int64_t entry, int unit) {
  double value = pcf_known(sums.x.value[breakpoint]);
  return pcf_narrow_of(sums.weight ? sums.weight[entry] * value : value, unit);
}

static __device__ __forceinline__ pcf_narrow counts(const pcf_cuda_sums &sums,
                                                    int64_t breakpoint, int64_t entry,
                                                    int unit) {
  if (!isnan(sums.x.value[breakpoint])) return {0, 0};
  return pcf_narrow_of(sums.counted ? sums.counted[entry] : 1, unit);
}

/* By how much an event changes the sum of its row, and the sum of what is missing. */
struct changes {
  double time;
  pcf_narrow sum, missing;
};

static __device__ changes changes_at(const pcf_cuda_sums &sums, int64_t event) {
  int64_t entry, k = breakpoint_of(sums, event, &entry), row = row_of(sums, event);
  bool first = event == sums.ends[entry];
  int unit = sums.unit[row];
  changes change = {sums.x.time[k] + 0.0, term(sums, k, entry, unit), {0, 0}};
  if (!first) {
    change.sum = pcf_narrow_difference(change.sum, term(sums, k - 1, entry, unit));
  }
  if (!sums.counting) return change;
  unit = sums.counting[row].unit;
  change.missing = counts(sums, k, entry, unit);
  if (!first) {
    change.missing = pcf_narrow_difference(change.missing, counts(sums, k - 1, entry, unit));
  }
  return change;
}

/* Computes the change at each event, and the total of each chunk; the totals of what is missing
 * come after the others. */
static __global__ void __launch_bounds__(THREADS)
  changes_kernel(const __grid_constant__ pcf_cuda_sums sums, const uint32_t *sorted,
                 double *time, pcf_narrow *sum, pcf_narrow *missing, pcf_narrow *total) {
  __shared__ pcf_narrow at[THREADS];
  pcf_narrow of_sum = {0, 0}, of_missing = {0, 0};
  for (int round = 0; round < ROUNDS; round++) {
    int64_t p = int64_t(blockIdx.x) * CHUNK + round * THREADS + threadIdx.x;
    if (p >= sums.events) break;
    changes change = changes_at(sums, sorted[p]);
    time[p] = change.time;
    sum[p] = change.sum;
    of_sum = pcf_narrow_sum(of_sum, change.sum);
    if (!missing) continue;
    missing[p] = change.missing;
    of_missing = pcf_narrow_sum(of_missing, change.missing);
  }
  add_block(of_sum, at, &total[blockIdx.x]);
  if (missing) add_block(of_missing, at, &total[gridDim.x + blockIdx.x]);
}

int64_t pcf_cuda_totals(int64_t events) {
  return (events + CHUNK - 1) / CHUNK;
}

extern "C" cudaError_t pcf_cuda_sum_events(const struct pcf_cuda_sums *sums,
                                           const uint32_t *sorted, struct pcf_narrow *total,
                                           double *time, struct pcf_narrow *sum,
                                           struct pcf_narrow *missing, cudaStream_t stream) {
  unsigned blocks = grid_for(sums->events, CHUNK);
  changes_kernel<<<blocks, THREADS, 0, stream>>>(*sums, sorted, time, sum, missing, total);
  add_up(sums->events, total, sum, stream);
  if (missing) add_up(sums->events, total + blocks, missing, stream);
  return cudaGetLastError();
}

/* ---- Extrema ---- */

static __global__ void __launch_bounds__(THREADS)
  places_kernel(const __grid_constant__ pcf_cuda_sums sums, const uint32_t *sorted,
                uint32_t *place, double *time) {
  int64_t p = int64_t(blockIdx.x) * THREADS + threadIdx.x, entry;
  if (p >= sums.events) return;
  place[sorted[p]] = uint32_t(p);
  time[p] = sums.x.time[breakpoint_of(sums, sorted[p], &entry)] + 0.0;
}

static __device__ __forceinline__ void raise(unsigned long long *node, uint64_t key) {
  if (__ldcg(node) < key) atomicMax(node, key);
}

/* Raises what is best at the sorted events from … to - 1. */
static __device__ void raise_stretch(const pcf_cuda_extrema &extrema, int64_t events,
                                     int64_t from, int64_t to, double value) {
  uint64_t key = pcf_key_of(isnan(value) ? extrema.missing : extrema.sign * value);
  for (from += events, to += events; from < to; from /= 2, to /= 2) {
    if (from & 1) raise(&extrema.best[from++], key);
    if (to & 1) raise(&extrema.best[--to], key);
  }
}

/* The piece that begins at each event, and that before the first of a function, which is 0. */
static __global__ void __launch_bounds__(THREADS)
  pieces_kernel(const __grid_constant__ pcf_cuda_sums sums,
                const __grid_constant__ pcf_cuda_extrema extrema) {
  int64_t event = int64_t(blockIdx.x) * THREADS + threadIdx.x, entry;
  if (event >= sums.events) return;
  int64_t breakpoint = breakpoint_of(sums, event, &entry), row = row_of(sums, event);
  int64_t from = extrema.place[event], to = sums.row_start[row + 1];
  if (event + 1 < sums.ends[entry + 1]) to = extrema.place[event + 1];
  raise_stretch(extrema, sums.events, from, to, sums.x.value[breakpoint]);
  if (event > sums.ends[entry]) return;
  raise_stretch(extrema, sums.events, sums.row_start[row], from, 0);
}

extern "C" cudaError_t pcf_cuda_find_extrema(const struct pcf_cuda_sums *sums,
                                             const struct pcf_cuda_extrema *extrema,
                                             const uint32_t *sorted, double *time,
                                             cudaStream_t stream) {
  unsigned blocks = grid_for(sums->events, THREADS);
  places_kernel<<<blocks, THREADS, 0, stream>>>(*sums, sorted, extrema->place, time);
  cudaError_t code = cudaGetLastError();
  if (code != cudaSuccess) return code;
  pieces_kernel<<<blocks, THREADS, 0, stream>>>(*sums, *extrema);
  return cudaGetLastError();
}

/* ---- Points ---- */

/* Is an event the last of its row, or of its time there? */
struct is_end {
  pcf_cuda_sums sums;
  const double *time;
  __device__ bool operator()(uint32_t p) const {
    if (p + 1 == sums.events || time[p] != time[p + 1]) return true;
    return sums.row_start[row_of(sums, p) + 1] == p + 1;
  }
};

/* Does the value change there, or begin? */
struct is_kept {
  pcf_cuda_sums sums;
  const uint32_t *end;
  const double *value;
  __device__ bool operator()(uint32_t j) const {
    if (j == 0 || pcf_is_change(value[j - 1], value[j])) return true;
    return sums.row_start[row_of(sums, end[j])] > end[j - 1];
  }
};

/* Has that been found out before? */
struct is_marked {
  const unsigned char *mark;
  __device__ bool operator()(uint32_t j) const { return mark[j]; }
};

/* The sum of the changes of a row, whose events begin at `start`, up to event p. */
static __device__ __forceinline__ pcf_narrow sum_at(const pcf_narrow *sum, int64_t start,
                                                    int64_t p) {
  return start > 0 ? pcf_narrow_difference(sum[p], sum[start - 1]) : sum[p];
}

/* Sets the divisor of a row where `missing` is what its missing functions count; returns false
 * where the result is missing. */
static __device__ bool divides(const pcf_cuda_sums &sums, int64_t row, pcf_narrow missing,
                               pcf_divisor *divisor) {
  if (!sums.observed_only) return missing.low == 0 && missing.high == 0;
  pcf_cuda_counting counting = sums.counting[row];
  pcf_narrow observed = pcf_narrow_difference(counting.all, missing);
  pcf_fixed fixed = {counting.unit, PCF_NARROW_LIMBS};
  double weight = pcf_narrow_quotient(observed, &fixed, &counting.one);
  if (weight == 0) return false;
  *divisor = pcf_divisor_of(weight, counting.shift);
  return true;
}

static __global__ void __launch_bounds__(THREADS)
  values_kernel(const __grid_constant__ pcf_cuda_sums sums,
                const __grid_constant__ pcf_cuda_points points) {
  int64_t j = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  if (j >= points.ends) return;
  int64_t p = points.end[j], row = row_of(sums, p), start = sums.row_start[row];
  pcf_fixed fixed = {sums.unit[row], PCF_NARROW_LIMBS};
  pcf_narrow sum = sum_at(points.sum, start, p);
  pcf_divisor divisor = sums.divisor[row];
  double value = pcf_missing();
  if (!sums.counting || divides(sums, row, sum_at(points.missing, start, p), &divisor)) {
    value = pcf_narrow_quotient(sum, &fixed, &divisor);
  }
  points.value[j] = value;
  if (isinf(value)) points.doubts->infinite = 1;
}

/* The extremum of all stretches that contain an end. */
static __global__ void __launch_bounds__(THREADS)
  extrema_kernel(int64_t events, const __grid_constant__ pcf_cuda_extrema extrema,
                 const __grid_constant__ pcf_cuda_points points) {
  int64_t j = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  if (j >= points.ends) return;
  unsigned long long best = 0;
  for (int64_t node = events + points.end[j]; node > 0; node /= 2) {
    best = max(best, extrema.best[node]);
  }
  double value = extrema.sign * pcf_time_of(best);
  points.value[j] = isinf(value) ? pcf_missing() : value;
}

static __global__ void __launch_bounds__(THREADS)
  points_kernel(const __grid_constant__ pcf_cuda_points points) {
  int64_t k = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  if (k >= points.points) return;
  uint32_t j = points.kept[k];
  points.point_time[k] = points.time[points.end[j]];
  if (points.left) points.point_left[k] = points.left[j];
  points.point_value[k] = isnan(points.value[j]) ? pcf_missing() : points.value[j] + 0.0;
}

/* The first point of each row: that of the first end which is not before its events. */
static __global__ void __launch_bounds__(THREADS)
  rows_kernel(const __grid_constant__ pcf_cuda_sums sums,
              const __grid_constant__ pcf_cuda_points points) {
  int64_t row = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  if (row > sums.rows) return;
  points.row_first[row] = first_from(points.points, sums.row_start[row],
                                     [&](int64_t k) { return points.end[points.kept[k]]; });
}

extern "C" cudaError_t pcf_cuda_find_ends(const struct pcf_cuda_sums *sums,
                                          const struct pcf_cuda_points *points, int64_t *count,
                                          void *scratch, size_t *scratch_bytes,
                                          cudaStream_t stream) {
  thrust::counting_iterator<uint32_t> all(0);
  return cub::DeviceSelect::If(scratch, *scratch_bytes, all, points->end, count, sums->events,
                               is_end{*sums, points->time}, stream);
}

extern "C" cudaError_t pcf_cuda_find_values(const struct pcf_cuda_sums *sums,
                                            const struct pcf_cuda_extrema *extrema,
                                            const struct pcf_cuda_points *points,
                                            cudaStream_t stream) {
  unsigned grid = grid_for(points->ends, THREADS);
  if (extrema) extrema_kernel<<<grid, THREADS, 0, stream>>>(sums->events, *extrema, *points);
  else values_kernel<<<grid, THREADS, 0, stream>>>(*sums, *points);
  return cudaGetLastError();
}

extern "C" cudaError_t pcf_cuda_find_kept(const struct pcf_cuda_sums *sums,
                                          const struct pcf_cuda_points *points, int64_t *count,
                                          void *scratch, size_t *scratch_bytes,
                                          cudaStream_t stream) {
  thrust::counting_iterator<uint32_t> all(0);
  if (points->changes) {
    return cub::DeviceSelect::If(scratch, *scratch_bytes, all, points->kept, count,
                                 points->ends, is_marked{points->changes}, stream);
  }
  return cub::DeviceSelect::If(scratch, *scratch_bytes, all, points->kept, count, points->ends,
                               is_kept{*sums, points->end, points->value}, stream);
}

extern "C" cudaError_t pcf_cuda_write_points(const struct pcf_cuda_sums *sums,
                                             const struct pcf_cuda_points *points,
                                             cudaStream_t stream) {
  points_kernel<<<grid_for(points->points, THREADS), THREADS, 0, stream>>>(*points);
  rows_kernel<<<grid_for(sums->rows + 1, THREADS), THREADS, 0, stream>>>(*sums, *points);
  return cudaGetLastError();
}
