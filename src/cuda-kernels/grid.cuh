/* The shared grid on the GPU. The functions are columns of a matrix of values, one row for each
 * stretch of the grid, and a CTA computes a square tile of pairs as a matrix product does: the
 * values of a few stretches are brought to shared memory, while the ones before are used, and
 * every thread holds the sums of a small square of pairs in registers. Each sum is added to in
 * the order of time, and flushed to one in double after as many stretches, so that it does not
 * depend on the tile. */
#pragma once

#include "cuda-kernels/arithmetic.cuh"
#include "cuda-kernels/search.cuh"

#include <cuda_pipeline.h>

constexpr int GRID_THREADS = 256, GRID_THREADS_SIDE = 16;

/* A tile of SIDE × SIDE pairs; a thread has OWN × OWN of them, in strips of VECTOR functions
 * that are read with one instruction. DEPTH stretches are in shared memory at a time. */
template <typename T, int OWN> struct GridShape {
  static constexpr int SIDE = OWN * GRID_THREADS_SIDE;
  static constexpr int VECTOR = 16 / sizeof(T), STRIPS = OWN / VECTOR;
  static constexpr int DEPTH = PCF_CUDA_GRID_DEPTH;
  static constexpr int CTAS = 64 / int(OWN * sizeof(T)); /* at a time in a multiprocessor */
  struct Stage {
    T rows[DEPTH][SIDE], columns[DEPTH][SIDE], lengths[DEPTH];
  };
};

template <typename T> struct alignas(16) Vector { T lane[16 / sizeof(T)]; };

/* Starts copying the stretches from `first` on into a stage. */
template <typename T, int OWN>
__device__ __forceinline__ void load_stage(typename GridShape<T, OWN>::Stage &stage,
                                           const pcf_cuda_cells &cells, int64_t row,
                                           int64_t column, int first) {
  using Shape = GridShape<T, OWN>;
  constexpr int COPIES = Shape::SIDE / Shape::VECTOR;
  const T *rows = static_cast<const T *>(cells.rows.values) + row;
  const T *columns = static_cast<const T *>(cells.columns.values) + column;
  for (int copy = threadIdx.x; copy < Shape::DEPTH * COPIES; copy += GRID_THREADS) {
    int stretch = copy / COPIES, lane = copy % COPIES * Shape::VECTOR;
    int64_t from = first + stretch;
    __pipeline_memcpy_async(&stage.rows[stretch][lane], rows + from * cells.rows.padded + lane,
                            16);
    __pipeline_memcpy_async(&stage.columns[stretch][lane],
                            columns + from * cells.columns.padded + lane, 16);
  }
  if (threadIdx.x < Shape::DEPTH) {
    stage.lengths[threadIdx.x] = static_cast<const T *>(cells.lengths)[first + threadIdx.x];
  }
}

/* The values of a thread's functions on one stretch. */
template <typename T, int OWN>
__device__ __forceinline__ void
read_own(T (&own)[OWN], const T (&values)[GridShape<T, OWN>::SIDE], int thread) {
  using Shape = GridShape<T, OWN>;
#pragma unroll
  for (int s = 0; s < Shape::STRIPS; s++) {
    int lane = (s * GRID_THREADS_SIDE + thread) * Shape::VECTOR;
    Vector<T> strip = *reinterpret_cast<const Vector<T> *>(&values[lane]);
#pragma unroll
    for (int v = 0; v < Shape::VECTOR; v++) own[s * Shape::VECTOR + v] = strip.lane[v];
  }
}

/* Which function of the tile is number k of a thread. */
template <typename T, int OWN> __device__ __forceinline__ int own_lane(int k, int thread) {
  constexpr int VECTOR = GridShape<T, OWN>::VECTOR;
  return (k / VECTOR * GRID_THREADS_SIDE + thread) * VECTOR + k % VECTOR;
}

/* One pair on one stretch. The values of inner products bring the square root of the length
 * with them. */
template <int OP, typename T>
__device__ __forceinline__ T add_cell(T sum, T length, T a, T b, const T *inverse,
                                      const pcf_cuda_power &power) {
  if (OP == PCF_INNER) return fma(a, b, sum);
  if (pcf_is_supremum(OP)) return later(pcf_combine(OP, a, b), sum);
  if (pcf_whole_form(OP) == PCF_L1 && sizeof(T) == sizeof(double)) {
    T combined = T(fabs(a - b));
    return fma(length, OP == PCF_L1 ? combined : pcf_known(combined), sum);
  }
  return add_stretch<OP>(sum, length, a, b, inverse, power);
}

/* The sums in double of a thread's pairs in its column number j: where they are, and how many
 * rows of the tile there are in the block. */
struct WideColumn {
  double *sums;
  int rows;
};

template <typename T, int OWN>
__device__ __forceinline__ WideColumn wide_column(const pcf_cuda_cells &cells, int j) {
  constexpr int SIDE = GridShape<T, OWN>::SIDE;
  int64_t row = int64_t(blockIdx.x) * SIDE;
  int64_t column =
    int64_t(blockIdx.y) * SIDE + own_lane<T, OWN>(j, threadIdx.x / GRID_THREADS_SIDE);
  bool inside = column < cells.block.last_column - cells.block.first_column;
  int64_t rows = min(cells.block.last_row - cells.block.first_row - row, int64_t(SIDE));
  return {cells.block.wide + row + cells.block.stride * column, inside ? int(rows) : 0};
}

/* What was flushed of a column; all is read before any of it is used. */
template <typename T, int OWN>
__device__ __forceinline__ void read_wide(double (&flushed)[OWN], const WideColumn &wide) {
#pragma unroll
  for (int i = 0; i < OWN; i++) {
    int lane = own_lane<T, OWN>(i, threadIdx.x % GRID_THREADS_SIDE);
    flushed[i] = lane < wide.rows ? wide.sums[lane] : 0;
  }
}

/* Moves the sums to those in double, which are written the first time. */
template <typename T, int OWN>
__device__ __forceinline__ void flush_cells(T (&sum)[OWN][OWN], bool first,
                                            const pcf_cuda_cells &cells) {
#pragma unroll
  for (int j = 0; j < OWN; j++) {
    WideColumn wide = wide_column<T, OWN>(cells, j);
    double flushed[OWN] = {};
    if (!first) read_wide<T, OWN>(flushed, wide);
#pragma unroll
    for (int i = 0; i < OWN; i++) {
      int lane = own_lane<T, OWN>(i, threadIdx.x % GRID_THREADS_SIDE);
      if (lane < wide.rows) wide.sums[lane] = flushed[i] + double(sum[j][i]);
      sum[j][i] = 0;
    }
  }
}

template <int OP, typename T, int OWN>
__device__ void add_stretches(T (&sum)[OWN][OWN], const T (&inverse)[OWN][OWN],
                              typename GridShape<T, OWN>::Stage *stage,
                              const pcf_cuda_cells &cells, int64_t row, int64_t column) {
  using Shape = GridShape<T, OWN>;
  int row_thread = threadIdx.x % GRID_THREADS_SIDE;
  int column_thread = threadIdx.x / GRID_THREADS_SIDE;
  int full = cells.flush;
  if (cells.stretches > 0) load_stage<T, OWN>(stage[0], cells, row, column, 0);
  __pipeline_commit();
  for (int first = 0, now = 0; first < cells.stretches; first += Shape::DEPTH, now = !now) {
    int next = first + Shape::DEPTH;
    if (next < cells.stretches) load_stage<T, OWN>(stage[!now], cells, row, column, next);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
#pragma unroll 4
    for (int stretch = 0; stretch < Shape::DEPTH; stretch++) {
      T a[OWN], b[OWN], length = stage[now].lengths[stretch];
      read_own<T, OWN>(a, stage[now].rows[stretch], row_thread);
      read_own<T, OWN>(b, stage[now].columns[stretch], column_thread);
#pragma unroll
      for (int j = 0; j < OWN; j++) {
#pragma unroll
        for (int i = 0; i < OWN; i++) {
          sum[j][i] =
            add_cell<OP>(sum[j][i], length, a[i], b[j], &inverse[j][i], cells.block.power);
        }
      }
    }
    if (!pcf_is_supremum(OP) && next == full && next < cells.stretches) {
      flush_cells(sum, full == cells.flush, cells);
      full += cells.flush;
    }
    __syncthreads();
  }
}

/* Adds what was flushed and the unbounded stretch, takes the root and writes, or leaves
 * reciprocals of suprema. */
template <int OP, typename T, int OWN>
__device__ void finish_cells(T (&sum)[OWN][OWN], T (&inverse)[OWN][OWN], bool suprema_only,
                             const pcf_cuda_cells &cells, int64_t row, int64_t column) {
  const T *last_row = static_cast<const T *>(cells.rows.last) + row;
  const T *last_column = static_cast<const T *>(cells.columns.last) + column;
  T *output = static_cast<T *>(cells.block.output) - cells.block.first_row;
#pragma unroll
  for (int j = 0; j < OWN; j++) {
    int column_lane = own_lane<T, OWN>(j, threadIdx.x / GRID_THREADS_SIDE);
    T b = last_column[column_lane];
    if (!pcf_is_supremum(OP) && cells.flush > 0) {
      double flushed[OWN];
      read_wide<T, OWN>(flushed, wide_column<T, OWN>(cells, j));
#pragma unroll
      for (int i = 0; i < OWN; i++) sum[j][i] = T(flushed[i] + double(sum[j][i]));
    }
#pragma unroll
    for (int i = 0; i < OWN; i++) {
      int row_lane = own_lane<T, OWN>(i, threadIdx.x % GRID_THREADS_SIDE);
      if (cells.unbounded) {
        T length = T(CUDART_INF_F);
        sum[j][i] = pcf_add_tail(OP, sum[j][i], length, last_row[row_lane], b, T(0));
      }
      if (suprema_only) {
        inverse[j][i] = reciprocal(sum[j][i]);
        sum[j][i] = 0;
        continue;
      }
      T result = take_root<OP>(sum[j][i], inverse[j][i], cells.block.power);
      int64_t r = row + row_lane, c = column + column_lane;
      if (r < cells.block.last_row && c < cells.block.last_column) {
        output[r + cells.block.stride * (c - cells.block.first_column)] = result;
      }
    }
  }
}

template <int OP, typename T, int OWN>
__global__ void __launch_bounds__(GRID_THREADS, GridShape<T, OWN>::CTAS)
  cells_kernel(const __grid_constant__ pcf_cuda_cells cells) {
  using Shape = GridShape<T, OWN>;
  extern __shared__ __align__(16) char memory[];
  auto *stage = reinterpret_cast<typename Shape::Stage *>(memory);
  int64_t row = cells.block.first_row + int64_t(blockIdx.x) * Shape::SIDE;
  int64_t column = cells.block.first_column + int64_t(blockIdx.y) * Shape::SIDE;
  if (cells.block.triangle && blockIdx.y > blockIdx.x) return;
  T sum[OWN][OWN] = {}, inverse[OWN][OWN] = {};
  if (pcf_takes_powers(OP)) {
    add_stretches<PCF_LINF, T, OWN>(sum, inverse, stage, cells, row, column);
    finish_cells<PCF_LINF, T, OWN>(sum, inverse, true, cells, row, column);
  }
  add_stretches<OP, T, OWN>(sum, inverse, stage, cells, row, column);
  finish_cells<OP, T, OWN>(sum, inverse, false, cells, row, column);
}

/* ---- Values on the grid ---- */

constexpr int EXPAND_STRETCHES = 32;

/* Where the values of a function go, and what each is multiplied with, or NULL. */
template <typename T> struct Rows {
  T *values;
  int64_t padded;
  const T *factor;
};

template <typename T>
__device__ __forceinline__ void write_row(const Rows<T> &rows, int64_t row, T value) {
  rows.values[row * rows.padded] = rows.factor ? value * rows.factor[row] : value;
}

/* Writes a function on stretch g, from the time `now` to `end`, to the rows of that; the piece
 * began at `since`. */
template <typename T>
__device__ __forceinline__ void write_stretch(const Rows<T> &rows, int64_t g, Step<T> step,
                                              T since, T now, T end) {
  write_row(rows, g, step.value);
}
template <typename T>
__device__ __forceinline__ void write_stretch(const Rows<T> &rows, int64_t g, Line<T> line,
                                              T since, T now, T end) {
  const T half_over_root_3 = T(0.28867513459481288);
  T rise = isnan(line.value) ? line.value : line.slope * (end - now);
  write_row(rows, 2 * g, half_over_root_3 * rise);
  write_row(rows, 2 * g + 1, fma(T(0.5), rise, moved(line, now - since).value));
}

/* Writes a function from stretch `first` on: searches for that one and walks on from there. */
template <typename P>
__device__ void expand_some(const pcf_cuda_expansion &expansion, int64_t i, int64_t first) {
  using T = typename P::Scalar;
  const pcf_cuda_functions &functions = expansion.functions;
  const T *time = static_cast<const T *>(functions.time);
  const P *piece = static_cast<const P *>(functions.piece);
  const T *grid = static_cast<const T *>(expansion.grid);
  P initial = static_cast<const P *>(functions.initial)[i];
  Rows<T> rows = {static_cast<T *>(expansion.panel.values) + i, expansion.panel.padded,
                  static_cast<const T *>(expansion.factor)};
  int64_t begin = functions.start[i], end = functions.start[i + 1];
  int64_t next = segment_with(time, begin - 1, end, grid[first]) + 1;
  int64_t last = min(first + EXPAND_STRETCHES, int64_t(expansion.points));
  for (int64_t g = first; g < last; g++) {
    while (next < end && time[next] <= grid[g]) next++;
    P now = next == begin ? initial : piece[next - 1];
    T since = next == begin ? grid[0] : time[next - 1];
    if (g < expansion.stretches) write_stretch(rows, g, now, since, grid[g], grid[g + 1]);
    if (g == expansion.points - 1) static_cast<T *>(expansion.panel.last)[i] = now.value;
  }
}

/* A thread writes one function on runs of consecutive stretches; neighbouring threads have
 * neighbouring functions. */
template <typename P>
__global__ void expand_kernel(const __grid_constant__ pcf_cuda_expansion expansion) {
  int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= expansion.functions.count) return;
  int64_t step = int64_t(gridDim.y) * EXPAND_STRETCHES;
  for (int64_t first = int64_t(blockIdx.y) * EXPAND_STRETCHES; first < expansion.points;
       first += step) {
    expand_some<P>(expansion, i, first);
  }
}
