/* Norms and integrals of functions. Sixteen threads have a part of a function, or, for powers,
 * eight, and add its pieces in the CPU's order; the whole is put together on the host. Compiled
 * without fused multiplications and additions, which round otherwise than the CPU does. */
#include "cuda-kernels/kernels.h"
#include "cuda-kernels/parts.cuh"

static constexpr int THREADS = 64, AT_ONCE = 8;

/* ---- Whole pieces ---- */

/* The height of piece k, which a piecewise linear function has on average. */
template <int MEASURE>
static __device__ __forceinline__ double height_of(const double *value, const double *left,
                                                   int64_t k) {
  return left ? pcf_height_of_line(pcf_measure(MEASURE), value[k], left[k + 1]) : value[k];
}

/* What a piece adds; `back` is the negative of its width. */
template <int MEASURE>
static __device__ __forceinline__ pcf_section_sums one_piece(double back, double value) {
  double y = pcf_known(value), absolute = fabs(y);
  double raised = MEASURE == PCF_NORM_L2 ? y * y : MEASURE == PCF_INTEGRAL ? y : absolute;
  return {raised * back, absolute * back, absolute};
}

template <int MEASURE>
static __device__ __forceinline__ void add_pieces(line at, pcf_section_sums *sums,
                                                  const pcf_section_sums &piece) {
  add_line(at, &sums->sum, piece.sum);
  if (MEASURE == PCF_INTEGRAL) add_line(at, &sums->absolute, piece.absolute);
  if (MEASURE == PCF_NORM_LINF) sums->supremum = fmax(sums->supremum, piece.supremum);
}

/* The sums of the lanes; beyond the pieces 0 times 0 is added. A piece ends where the thread
 * behind has the beginning of the next. */
template <int MEASURE>
static __device__ void add_lines(line at, pcf_section_sums *sums, const double *time,
                                 const double *value, const double *left, int n) {
  for (int first = -at.shift; first < n; first += AT_ONCE * SIXTEEN) {
    double begin[AT_ONCE + 1], y[AT_ONCE];
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      int k = first + u * SIXTEEN + at.thread;
      begin[u] = k >= 0 && k <= n ? time[k] : 0.0;
      y[u] = k >= 0 && k < n ? height_of<MEASURE>(value, left, k) : 0.0;
    }
    int next = first + AT_ONCE * SIXTEEN;
    begin[AT_ONCE] = at.thread == 0 && next <= n ? time[next] : 0.0;
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      int k = first + u * SIXTEEN + at.thread;
      double end = __shfl_sync(at.mask, at.thread ? begin[u] : begin[u + 1],
                               (at.thread + 1) % SIXTEEN, SIXTEEN);
      double back = k >= 0 && k < n ? begin[u] - end : 0.0;
      add_pieces<MEASURE>(at, sums, one_piece<MEASURE>(back, y[u]));
    }
  }
}

/* The sums of the lanes, then what is left, one after the other. */
template <int MEASURE>
static __device__ pcf_section_sums sum_pieces(lanes own, const double *time,
                                              const double *value, const double *left, int n) {
  int whole = n / EIGHT * EIGHT, rest = n - whole;
  pcf_section_sums sums = {0, 0, 0}, last = {0, 0, 0};
  line at = line_of_thread(value);
  if (own.lane < rest) {
    int k = whole + own.lane;
    last = one_piece<MEASURE>(time[k] - time[k + 1], height_of<MEASURE>(value, left, k));
  }
  add_lines<MEASURE>(at, &sums, time, value, left, whole);
  sums.sum = sum_of_lanes(own, sum_of_lane(at, own, sums.sum));
  if (MEASURE == PCF_INTEGRAL) {
    sums.absolute = sum_of_lanes(own, sum_of_lane(at, own, sums.absolute));
  }
  for (int k = 0; k < rest; k++) {
    sums.sum += __shfl_sync(own.mask, last.sum, k, EIGHT);
    if (MEASURE != PCF_INTEGRAL) continue;
    sums.absolute += __shfl_sync(own.mask, last.absolute, k, EIGHT);
  }
  if (MEASURE == PCF_NORM_LINF) {
    double most = fmax(sums.supremum, last.supremum);
    most = fmax(most, __shfl_xor_sync(at.mask, most, EIGHT, SIXTEEN));
    sums.supremum = most_of_lanes(own, most);
  }
  sums.sum = -sums.sum;
  sums.absolute = MEASURE == PCF_INTEGRAL ? -sums.absolute : sums.sum;
  return sums;
}

/* ---- Cut pieces, and powers ---- */

/* The whole pieces of a view, then its edges. */
template <int MEASURE>
static __device__ __forceinline__ pcf_piece piece_of(const pcf_section &s,
                                                     const pcf_section_view &view, int64_t k) {
  if (k >= view.end) return view.edge[k - view.end];
  return {s.time[k], s.time[k + 1], pcf_known(height_of<MEASURE>(s.value, s.left, k))};
}

/* Are all values 0? Otherwise a sum of 0 may be due to underflow. */
template <int MEASURE>
static __device__ bool is_zero(lanes own, const pcf_section &s, const pcf_section_view &view) {
  bool other = false;
  for (int64_t k = view.first + own.lane; k < view.end + view.edges; k += EIGHT) {
    other |= piece_of<MEASURE>(s, view, k).value != 0;
  }
  return !any_of(own, other);
}

/* The totals of the lanes in their order. */
static __device__ double total_of_lanes(lanes own, const pcf_total &of_lane) {
  pcf_total total = {0, 0};
  for (int l = 0; l < EIGHT; l++) {
    pcf_total_add(&total, __shfl_sync(own.mask, of_lane.sum, l, EIGHT));
    total.error += __shfl_sync(own.mask, of_lane.error, l, EIGHT);
  }
  return pcf_total_of(&total);
}

/* Powers of values relative to the supremum, times widths relative to the widest. */
static __device__ pcf_section_part power_part(lanes own, const pcf_cuda_measuring &measuring,
                                              const pcf_section &s,
                                              const pcf_section_view &view) {
  int64_t end = view.end + view.edges;
  double supremum = 0, widest = 0;
  for (int64_t k = view.first + own.lane; k < end; k += EIGHT) {
    pcf_piece at = piece_of<PCF_NORM_LP>(s, view, k);
    if (at.value == 0) continue;
    supremum = fmax(supremum, fabs(at.value));
    widest = fmax(widest, at.to - at.from);
  }
  supremum = most_of_lanes(own, supremum);
  widest = most_of_lanes(own, widest);
  if (supremum == 0) return pcf_plain_part(0);
  int exponent = pcf_width_exponent(widest);
  pcf_total total = {0, 0};
  for (int64_t k = view.first + own.lane; k < end; k += EIGHT) {
    pcf_piece at = piece_of<PCF_NORM_LP>(s, view, k);
    if (at.value == 0) continue;
    double power =
      pcf_power(fabs(at.value / supremum), measuring.power.p, measuring.power.halves);
    pcf_total_add(&total, power * pcf_scaled_width(at.from, at.to, exponent));
  }
  double sum = total_of_lanes(own, total);
  if (!(sum >= PCF_LEAST_SCALED_SUM)) return pcf_left_part();
  return {supremum, sum, double(exponent)};
}

/* ---- One part ---- */

template <int MEASURE>
static __device__ pcf_section_part measure_part(lanes own, const pcf_cuda_measuring &measuring,
                                                const pcf_section &s) {
  const pcf_measure measure = pcf_measure(MEASURE);
  pcf_section_view view = pcf_section_view_of(&s, measuring.from, measuring.to);
  if (s.left) pcf_cut_lines(measure, &s, measuring.from, measuring.to, &view);
  else pcf_cut_endless_piece(&view, &s);
  for (int k = 0; k < view.edges; k++) view.edge[k].value = pcf_known(view.edge[k].value);
  pcf_section_sums sums = {0, 0, 0};
  if (MEASURE != PCF_NORM_LP) {
    const double *left = s.left ? s.left + view.first : nullptr;
    sums = sum_pieces<MEASURE>(own, s.time + view.first, s.value + view.first, left,
                               int(view.end - view.first));
  }
  if (!pcf_add_edges(measure, &view, &sums)) return pcf_plain_part(sums.sum);
  if (MEASURE == PCF_NORM_LINF) return {sums.supremum, 0, 0};
  if (MEASURE == PCF_NORM_LP) return power_part(own, measuring, s, view);
  if (pcf_sums_are_safe(measure, &s, &view, &sums)) return pcf_plain_part(sums.sum);
  return is_zero<MEASURE>(own, s, view) ? pcf_plain_part(0) : pcf_left_part();
}

/* How many threads have a part: fewer for powers, which take so long that memory is no
 * bottleneck. */
template <int MEASURE> static constexpr int TOGETHER = MEASURE == PCF_NORM_LP ? EIGHT : SIXTEEN;

template <int MEASURE>
static __global__ void __launch_bounds__(THREADS)
  measure_kernel(const __grid_constant__ pcf_cuda_measuring measuring) {
  lanes own = lanes_of_thread();
  int64_t item = (int64_t(blockIdx.x) * THREADS + threadIdx.x) / TOGETHER<MEASURE>;
  const int64_t *offsets = measuring.x.offsets;
  part_of_segment of = part_of_item(offsets, measuring.count, measuring.total, item);
  if (of.segment < 0) return;
  int64_t start = offsets[of.segment];
  const pcf_cuda_packed &x = measuring.x;
  pcf_section s = {x.time + start,   x.value + start, x.left ? x.left + start : nullptr,
                   of.begin - start, of.end - start,  offsets[of.segment + 1] - start};
  pcf_section_part part = measure_part<MEASURE>(own, measuring, s);
  pcf_section_part *slot = measuring.slot + pcf_slot_of(offsets, of.segment) + of.part;
  if (threadIdx.x % TOGETHER<MEASURE> == 0)
    *(of.cut ? slot : measuring.whole + of.segment) = part;
}

template <int MEASURE>
static void launch(const pcf_cuda_measuring &measuring, cudaStream_t stream) {
  int64_t items = items_of(measuring.count, measuring.total);
  unsigned blocks = grid_for(items, THREADS / TOGETHER<MEASURE>);
  measure_kernel<MEASURE><<<blocks, THREADS, 0, stream>>>(measuring);
}

extern "C" cudaError_t pcf_cuda_measure_parts(const struct pcf_cuda_measuring *measuring,
                                              cudaStream_t stream) {
  switch (measuring->measure) {
  case PCF_NORM_L1: launch<PCF_NORM_L1>(*measuring, stream); break;
  case PCF_NORM_L2: launch<PCF_NORM_L2>(*measuring, stream); break;
  case PCF_NORM_LP: launch<PCF_NORM_LP>(*measuring, stream); break;
  case PCF_NORM_LINF: launch<PCF_NORM_LINF>(*measuring, stream); break;
  case PCF_INTEGRAL: launch<PCF_INTEGRAL>(*measuring, stream); break;
  }
  return cudaGetLastError();
}
