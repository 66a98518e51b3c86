/* Sums of piecewise linear functions, with the CPU's bits (reductions/summing.h): sums of the
 * lines' values at time 0, three limbs, and of their slopes, four. At each of its events a
 * function ends one line and begins another. A sum right before and right after a time is what
 * the lines that go on there come to, and the left limits and values of those that do not: all
 * from running sums over the sorted events, so that it does not matter how many have one time.
 * Where a result is not certain, it is left to the CPU. Compiled without fused multiplications
 * and additions. */
#include "cuda-kernels/kernels.h"
#include "cuda-kernels/scan.cuh"
#include "cuda-kernels/search.cuh"
#include "reductions/line-terms.h"

static __device__ __forceinline__ pcf_cuda_three plus(pcf_cuda_three a,
                                                      const pcf_cuda_three &b) {
  pcf_limbs_add(a.limb, b.limb, PCF_LINE_LIMBS);
  return a;
}
static __device__ __forceinline__ pcf_cuda_three minus(pcf_cuda_three a,
                                                       const pcf_cuda_three &b) {
  pcf_limbs_subtract(a.limb, b.limb, PCF_LINE_LIMBS);
  return a;
}
static __device__ __forceinline__ pcf_cuda_four plus(pcf_cuda_four a, const pcf_cuda_four &b) {
  pcf_limbs_add(a.limb, b.limb, PCF_SLOPE_LIMBS);
  return a;
}
static __device__ __forceinline__ pcf_cuda_four minus(pcf_cuda_four a, const pcf_cuda_four &b) {
  pcf_limbs_subtract(a.limb, b.limb, PCF_SLOPE_LIMBS);
  return a;
}
static __device__ __forceinline__ pcf_cuda_lines plus(const pcf_cuda_lines &a,
                                                      const pcf_cuda_lines &b) {
  return {plus(a.values, b.values),         plus(a.lefts, b.lefts), plus(a.rights, b.rights),
          plus(a.slopes, b.slopes),         plus(a.ended, b.ended), a.inexact + b.inexact,
          a.inexact_ended + b.inexact_ended};
}
static __device__ __forceinline__ pcf_cuda_lines minus(const pcf_cuda_lines &a,
                                                       const pcf_cuda_lines &b) {
  return {minus(a.values, b.values),        minus(a.lefts, b.lefts), minus(a.rights, b.rights),
          minus(a.slopes, b.slopes),        minus(a.ended, b.ended), a.inexact - b.inexact,
          a.inexact_ended - b.inexact_ended};
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

static __device__ __forceinline__ pcf_cuda_three three_of(double value) {
  pcf_cuda_three number = {};
  pcf_limbs_add_double(number.limb, value, PCF_LINE_UNIT, 0, PCF_LINE_LIMBS);
  return number;
}

/* The line from breakpoint k on, or before the first one. */
static __device__ pcf_line_term line_from(const entry &of, int64_t k, double origin,
                                          int reach) {
  double from = weighted(of, k < of.first ? of.x.left[of.first] : of.x.value[k]), begin = 0;
  pcf_exact_slope slope = {{0, 0, 0}, 1};
  if (k >= of.first && k < of.last) {
    double to = weighted(of, of.x.left[k + 1]);
    begin = of.x.time[k];
    if (to != from) {
      slope = pcf_exact_slope_of(pcf_exact_sum_of(to, -from),
                                 pcf_exact_sum_of(of.x.time[k + 1], -begin));
    }
  }
  pcf_line_term line;
  pcf_set_line(&line, from, &slope, begin - origin, reach);
  return line;
}

static __device__ __forceinline__ pcf_cuda_three value_of(const pcf_line_term &line) {
  pcf_cuda_three number;
  for (int k = 0; k < PCF_LINE_LIMBS; k++) number.limb[k] = line.value[k];
  return number;
}

static __device__ __forceinline__ pcf_cuda_four slope_of(const pcf_line_term &line) {
  pcf_cuda_four number;
  for (int k = 0; k < PCF_SLOPE_LIMBS; k++) number.limb[k] = line.slope[k];
  return number;
}

/* What an event changes in the sums of its row. */
static __device__ pcf_cuda_lines change_at(const pcf_cuda_sums &sums, int64_t event,
                                           double *time) {
  int64_t e = segment_with(sums.ends, 0, sums.entries, event);
  entry of = entry_at(sums, e);
  int64_t k = of.first + (event - sums.ends[e]);
  pcf_line_term old = line_from(of, k - 1, sums.origin, sums.reach);
  pcf_line_term next = line_from(of, k, sums.origin, sums.reach);
  pcf_cuda_three ended = value_of(old);
  pcf_cuda_four slope = slope_of(old);
  *time = of.x.time[k] + 0.0;
  return {minus(value_of(next), ended),
          minus(three_of(weighted(of, of.x.left[k])), ended),
          minus(three_of(weighted(of, of.x.value[k])), ended),
          minus(slope_of(next), slope),
          slope,
          next.inexact - old.inexact,
          old.inexact};
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
  line_starts_kernel(const __grid_constant__ pcf_cuda_sums sums, pcf_cuda_three *start) {
  __shared__ pcf_cuda_three at[THREADS];
  int64_t row = blockIdx.x, end = sums.row_start[row + 1];
  int64_t e =
    first_from(sums.entries, sums.row_start[row], [&](int64_t k) { return sums.ends[k]; });
  pcf_cuda_three own = {};
  for (e += threadIdx.x; e < sums.entries && sums.ends[e] < end; e += THREADS) {
    entry of = entry_at(sums, e);
    own = plus(own, three_of(weighted(of, of.x.left[of.first])));
  }
  add_block(own, at, &start[row]);
}

extern "C" cudaError_t pcf_cuda_sum_lines(const struct pcf_cuda_sums *sums,
                                          const uint32_t *sorted, struct pcf_cuda_lines *total,
                                          double *time, struct pcf_cuda_lines *sum,
                                          struct pcf_cuda_three *start, cudaStream_t stream) {
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
  pcf_cuda_three others = plus(points.start[row], before.values);
  pcf_cuda_four slopes = minus(before.slopes, here.ended);
  int cut = pcf_add_rise(others.limb, slopes.limb, points.time[p] - sums.origin, sums.reach);
  uint64_t error = pcf_line_error(before.inexact - here.inexact_ended, cut);
  pcf_cuda_three lefts = plus(others, here.lefts), rights = plus(others, here.rights);
  bool jumps = pcf_limbs_differ(lefts.limb, rights.limb, PCF_LINE_LIMBS);
  int64_t changing = here.inexact + 2 * here.inexact_ended;
  int unsure = 0;
  bool bends = pcf_line_bends(here.slopes.limb, changing, sums.steepest[row], &unsure);
  const pcf_divisor *divisor = &sums.divisor[row];
  double left, value;
  unsure |= !pcf_line_quotient(lefts.limb, error, divisor, &left);
  unsure |= jumps && !pcf_line_quotient(rights.limb, error, divisor, &value);
  left += 0.0;
  value = jumps ? value + 0.0 : left;
  points.left[j] = left;
  points.value[j] = value;
  points.changes[j] = first || jumps || bends;
  if (isinf(left) || isinf(value)) points.doubts->infinite = 1;
  if (unsure) points.doubts->unsure = 1;
}

extern "C" cudaError_t pcf_cuda_find_line_values(const struct pcf_cuda_sums *sums,
                                                 const struct pcf_cuda_points *points,
                                                 cudaStream_t stream) {
  line_values_kernel<<<grid_for(points->ends, THREADS), THREADS, 0, stream>>>(*sums, *points);
  return cudaGetLastError();
}
