/* Exact sums of piecewise linear functions, with the CPU's bits (algebra/summing.h): sums
 * of the lines' values at time 0, two limbs, and of their slopes, three. At each of its events
 * a function ends one line and begins another. A sum right before and right after a time is
 * what the lines that go on there come to, and the left limits and values of those that do not:
 * all from running sums over the sorted events, so that it does not matter how many have one
 * time. Compiled without fused multiplications and additions. */
#include "algebra/line-terms.h"
#include "cuda/kernels.h"
#include "cuda/scan.cuh"
#include "cuda/search.cuh"

static __device__ __forceinline__ pcf_cuda_lines plus(const pcf_cuda_lines &a,
                                                      const pcf_cuda_lines &b) {
  return {plus(a.values, b.values), plus(a.lefts, b.lefts), plus(a.rights, b.rights),
          pcf_three_sum(a.slopes, b.slopes), pcf_three_sum(a.ended, b.ended)};
}
static __device__ __forceinline__ pcf_cuda_lines minus(const pcf_cuda_lines &a,
                                                       const pcf_cuda_lines &b) {
  return {minus(a.values, b.values), minus(a.lefts, b.lefts), minus(a.rights, b.rights),
          pcf_three_difference(a.slopes, b.slopes), pcf_three_difference(a.ended, b.ended)};
}

/* ---- Events ---- */

/* A function with its weight; its breakpoints are those from `first` to `last`. */
struct entry {
  pcf_cuda_packed x;
  int64_t first, last;
  double weight;
};

static __device__ __forceinline__ entry entry_at(const pcf_cuda_sums &sums, int64_t e) {
  int64_t first = sums.x.offsets[sums.function[e]];
  return {sums.x, first, first + sums.ends[e + 1] - sums.ends[e] - 1, sums.weight[e]};
}

static __device__ __forceinline__ double weighted(const entry &of, double value) {
  return of.weight * pcf_known(value);
}

/* The line from breakpoint k on, or before the first one. */
static __device__ pcf_line_term line_from(const entry &of, int64_t k, double origin, int unit) {
  double value = weighted(of, k < of.first ? of.x.left[of.first] : of.x.value[k]);
  pcf_line_term line = {0, value, 0, 0, 0};
  if (k < of.first || k == of.last) return line;
  double begin = of.x.time[k], rise = weighted(of, of.x.left[k + 1]) - value;
  line.time = begin - origin;
  pcf_set_slope(&line, rise / (of.x.time[k + 1] - begin), unit);
  return line;
}

/* What an event changes in the sums of its row. */
static __device__ pcf_cuda_lines change_at(const pcf_cuda_sums &sums, int64_t event,
                                           double *time) {
  int64_t e = segment_with(sums.ends, 0, sums.entries, event);
  int64_t row = segment_with(sums.row_start, 0, sums.rows, event);
  int unit = sums.unit[row], slope_unit = sums.slope_unit[row];
  entry of = entry_at(sums, e);
  int64_t k = of.first + (event - sums.ends[e]);
  pcf_line_term old = line_from(of, k - 1, sums.origin, slope_unit);
  pcf_line_term next = line_from(of, k, sums.origin, slope_unit);
  pcf_narrow ended = pcf_start_of_line(&old, unit);
  pcf_three slope = pcf_slope_of_line(&old, slope_unit);
  *time = of.x.time[k] + 0.0;
  return {minus(pcf_start_of_line(&next, unit), ended),
          minus(pcf_narrow_of(weighted(of, of.x.left[k]), unit), ended),
          minus(pcf_narrow_of(next.value, unit), ended),
          pcf_three_difference(pcf_slope_of_line(&next, slope_unit), slope), slope};
}

static __global__ void __launch_bounds__(THREADS)
  line_changes_kernel(const __grid_constant__ pcf_cuda_sums sums, const uint32_t *sorted,
                      double *time, pcf_cuda_lines *sum, pcf_cuda_lines *total) {
  __shared__ pcf_cuda_lines at[THREADS];
  pcf_cuda_lines own = {};
  for (int round = 0; round < ROUNDS; round++) {
    int64_t p = int64_t(blockIdx.x) * CHUNK + round * THREADS + threadIdx.x;
    if (p >= sums.events) break;
    pcf_cuda_lines change = change_at(sums, sorted[p], &time[p]);
    sum[p] = change;
    own = plus(own, change);
  }
  add_block(own, at, &total[blockIdx.x]);
}

/* A block for each row: the sum before all of its events. */
static __global__ void __launch_bounds__(THREADS)
  line_starts_kernel(const __grid_constant__ pcf_cuda_sums sums, pcf_narrow *start) {
  __shared__ pcf_narrow at[THREADS];
  int64_t row = blockIdx.x, end = sums.row_start[row + 1];
  int64_t e =
    first_from(sums.entries, sums.row_start[row], [&](int64_t k) { return sums.ends[k]; });
  pcf_narrow own = {0, 0};
  for (e += threadIdx.x; e < sums.entries && sums.ends[e] < end; e += THREADS) {
    entry of = entry_at(sums, e);
    own = plus(own, pcf_narrow_of(weighted(of, of.x.left[of.first]), sums.unit[row]));
  }
  add_block(own, at, &start[row]);
}

extern "C" cudaError_t pcf_cuda_sum_lines(const struct pcf_cuda_sums *sums,
                                          const uint32_t *sorted, struct pcf_cuda_lines *total,
                                          double *time, struct pcf_cuda_lines *sum,
                                          struct pcf_narrow *start, cudaStream_t stream) {
  line_changes_kernel<<<grid_for(sums->events, CHUNK), THREADS, 0, stream>>>(*sums, sorted,
                                                                             time, sum, total);
  add_up(sums->events, total, sum, stream);
  line_starts_kernel<<<unsigned(sums->rows), THREADS, 0, stream>>>(*sums, start);
  return cudaGetLastError();
}

/* ---- Points ---- */

/* A sum is a point where it begins, jumps or bends. */
static __global__ void __launch_bounds__(THREADS)
  line_values_kernel(const __grid_constant__ pcf_cuda_sums sums,
                     const __grid_constant__ pcf_cuda_points points) {
  int64_t j = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  if (j >= points.ends) return;
  int64_t p = points.end[j], row = segment_with(sums.row_start, 0, sums.rows, p);
  int64_t begin = sums.row_start[row], last = j > 0 ? int64_t(points.end[j - 1]) : -1;
  pcf_cuda_lines zero = {}, of_rows = begin > 0 ? points.lines[begin - 1] : zero;
  bool first = last < begin;
  pcf_cuda_lines before = first ? of_rows : points.lines[last];
  pcf_cuda_lines here = minus(points.lines[p], before);
  before = minus(before, of_rows);
  pcf_fixed fixed = {sums.unit[row], PCF_NARROW_LIMBS};
  pcf_narrow others =
    plus(plus(points.start[row], before.values),
         pcf_rise(pcf_three_difference(before.slopes, here.ended), points.time[p] - sums.origin,
                  sums.slope_unit[row], fixed.unit));
  bool jumps = here.lefts.low != here.rights.low || here.lefts.high != here.rights.high;
  bool bends = here.slopes.low || here.slopes.middle || here.slopes.high;
  const pcf_divisor *divisor = &sums.divisor[row];
  double left = pcf_narrow_quotient(plus(others, here.lefts), &fixed, divisor) + 0.0;
  double value = left;
  if (jumps) value = pcf_narrow_quotient(plus(others, here.rights), &fixed, divisor) + 0.0;
  points.left[j] = left;
  points.value[j] = value;
  points.changes[j] = first || jumps || bends;
  if (isinf(left) || isinf(value)) *points.infinite = 1;
}

extern "C" cudaError_t pcf_cuda_find_line_values(const struct pcf_cuda_sums *sums,
                                                 const struct pcf_cuda_points *points,
                                                 cudaStream_t stream) {
  line_values_kernel<<<grid_for(points->ends, THREADS), THREADS, 0, stream>>>(*sums, *points);
  return cudaGetLastError();
}
