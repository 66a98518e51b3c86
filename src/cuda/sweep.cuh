/* The event sweep on the GPU: a warp sweeps a tile of ROWS × COLUMNS functions, each 32 or 64.
 *
 * The integrals of the tile lie in shared memory, in rows of COLUMNS + 1 scalars, so that
 * neither the update of a row nor that of a column meets a bank conflict. Each lane keeps the
 * state of ROWS / 32 row functions and COLUMNS / 32 column functions in registers. The events
 * of the two bands are merged 32 at a time. There is one sum for each pair, added to in the
 * order of time: of two events at one time the second adds a stretch of length 0, so that their
 * order does not matter. */
#ifndef PCF_SWEEP_CUH
#define PCF_SWEEP_CUH

#include "cuda/kernels.h"

#include <float.h>
#include <math_constants.h>

/* An event as the kernel reads it: the function takes the value `after` at `time`; since `last`
 * it had the value `before`. */
template <typename T> struct alignas(4 * sizeof(T)) Event { T time, last, before, after; };

constexpr unsigned ALL_LANES = 0xffffffffu;

template <typename T> struct TileMemory {
  Event<T> *merged; /* the next 32 events */
  unsigned *offset; /* in bytes: where the sums of their functions begin */
  T *sums;
  T *inverse; /* 1 / suprema, for general p */
};

/* Bytes of shared memory of one warp. */
template <typename T>
__host__ __device__ constexpr size_t warp_memory(int rows, int columns, bool general) {
  size_t arrays = general ? 2 : 1;
  size_t sums = arrays * size_t(rows) * size_t(columns + 1) * sizeof(T);
  return (sums + 15) / 16 * 16 + 32 * (sizeof(Event<T>) + sizeof(unsigned));
}

template <typename T, int ROWS, int COLUMNS>
__device__ TileMemory<T> tile_memory(char *memory, bool general) {
  TileMemory<T> tile;
  size_t square = size_t(ROWS) * (COLUMNS + 1);
  tile.merged = reinterpret_cast<Event<T> *>(memory);
  tile.offset = reinterpret_cast<unsigned *>(tile.merged + 32);
  tile.sums = reinterpret_cast<T *>(tile.offset + 32);
  tile.inverse = general ? tile.sums + square : nullptr;
  return tile;
}

template <typename T> struct State { T last, value; };

/* Keeps a number in a register: the compiler would rather compute such constants anew for every
 * event, but cannot see through a shuffle. */
__device__ __forceinline__ unsigned keep(unsigned x) {
  return __shfl_sync(ALL_LANES, x, threadIdx.x % 32);
}

/* What a lane knows of its place on one side, in bytes: of its first sum of an event of that
 * side, and the offsets of its own functions. */
template <int OWN> struct Place { unsigned first, own[OWN]; };

template <typename T> __device__ __forceinline__ T later(T a, T b) {
  return a > b ? a : b;
}
template <> __device__ __forceinline__ float later(float a, float b) {
  return fmaxf(a, b);
}

/* x^(halves / 2) for x >= 0. */
template <typename T> __device__ T half_power(T x, int halves) {
  T power = halves & 1 ? sqrt(x) : T(1);
  for (int n = halves / 2; n; n >>= 1, x *= x) {
    if (n & 1) power *= x;
  }
  return power;
}

template <typename T> __device__ T any_power(T x, const pcf_cuda_tiles &tiles) {
  return tiles.half_powers ? half_power(x, tiles.half_powers) : pow(x, T(tiles.p));
}

template <int OP, typename T>
__device__ __forceinline__ T add_stretch(T sum, T length, T a, T b, const T *inverse,
                                         const pcf_cuda_tiles &tiles) {
  if (OP == PCF_INNER) return fma(length, a * b, sum);
  T difference = a - b;
  if (OP == PCF_L1) return sum + fabs(length * difference);
  if (OP == PCF_L2) return fma(length, difference * difference, sum);
  difference = fabs(difference);
  if (!(length > 0)) return sum;
  if (OP == PCF_LINF) return later(sum, difference);
  return difference > 0 ? fma(length, any_power(difference * *inverse, tiles), sum) : sum;
}

/* How many of the ascending x of the lanes are less than `limit` (or equal, if asked). */
template <bool OR_EQUAL, typename T> __device__ __forceinline__ int count_below(T x, T limit) {
  int count = 0;
#pragma unroll
  for (int step = 16; step; step >>= 1) {
    T probe = __shfl_sync(ALL_LANES, x, count + step - 1);
    if (OR_EQUAL ? probe <= limit : probe < limit) count += step;
  }
  T last = __shfl_sync(ALL_LANES, x, count);
  return count + (OR_EQUAL ? last <= limit : last < limit);
}

/* A band's events, as far as they are not used up. */
template <typename T> struct Feed {
  const Event<T> *event;
  const unsigned char *lane;
  int left;
};

template <typename T>
__device__ __forceinline__ Feed<T> open_feed(const pcf_cuda_bands &bands, int band) {
  int64_t start = bands.start[band];
  return {static_cast<const Event<T> *>(bands.events) + start, bands.lane + start,
          int(bands.start[band + 1] - start)};
}

/* Puts the next events of both bands, 32 at most, into tile.merged in the order of time.
 * Returns a mask of those that come from the rows. */
template <typename T, int STRIDE>
__device__ __forceinline__ unsigned merge_events(const TileMemory<T> &tile, Feed<T> &rows,
                                                 Feed<T> &columns, int lane) {
  Event<T> row, column;
  row.time = column.time = T(CUDART_INF_F);
  unsigned row_offset = 0, column_offset = 0;
  if (lane < rows.left) {
    row = rows.event[lane];
    row_offset = rows.lane[lane] * unsigned(STRIDE * sizeof(T));
  }
  if (lane < columns.left) {
    column = columns.event[lane];
    column_offset = columns.lane[lane] * unsigned(sizeof(T));
  }
  int row_position = lane + count_below<false>(column.time, row.time);
  int column_position = lane + count_below<true>(row.time, column.time);
  bool take_row = row_position < 32 && lane < rows.left;
  bool take_column = column_position < 32 && lane < columns.left;
  __syncwarp();
  if (take_row) {
    tile.merged[row_position] = row;
    tile.offset[row_position] = row_offset;
  }
  if (take_column) {
    tile.merged[column_position] = column;
    tile.offset[column_position] = column_offset;
  }
  unsigned from_rows = __reduce_or_sync(ALL_LANES, take_row ? 1u << row_position : 0);
  int row_count = __popc(__ballot_sync(ALL_LANES, take_row));
  int column_count = __popc(__ballot_sync(ALL_LANES, take_column));
  rows.event += row_count;
  rows.lane += row_count;
  rows.left -= row_count;
  columns.event += column_count;
  columns.lane += column_count;
  columns.left -= column_count;
  __syncwarp();
  return from_rows;
}

/* An event of one side: `other` is the state of the other side, `own` that of its own. The sums
 * of the event's function begin at `offset`, and those of the lanes follow `apart` (in
 * scalars). */
template <int OP, typename T, int OWN, int OTHER>
__device__ __forceinline__ void
take_event(const TileMemory<T> &tile, Event<T> event, unsigned offset, unsigned apart,
           const Place<OWN> &place, State<T> (&own)[OWN], const State<T> (&other)[OTHER],
           const pcf_cuda_tiles &tiles) {
  char *base = reinterpret_cast<char *>(tile.sums);
  T *sums = reinterpret_cast<T *>(base + (place.first + offset)), sum[OTHER];
#pragma unroll
  for (int r = 0; r < OTHER; r++) sum[r] = sums[r * 32 * apart];
#pragma unroll
  for (int r = 0; r < OTHER; r++) {
    T length = event.time - later(event.last, other[r].last);
    const T *inverse =
      OP == PCF_LP ? sums + r * 32 * apart + (tile.inverse - tile.sums) : nullptr;
    sum[r] = add_stretch<OP>(sum[r], length, event.before, other[r].value, inverse, tiles);
  }
#pragma unroll
  for (int r = 0; r < OTHER; r++) sums[r * 32 * apart] = sum[r];
  __syncwarp(); /* the next event may read what another lane wrote */
#pragma unroll
  for (int r = 0; r < OWN; r++) {
    bool mine = offset == place.own[r];
    own[r].last = mine ? event.time : own[r].last;
    own[r].value = mine ? event.after : own[r].value;
  }
}

template <int OP, typename T, int ROWS, int COLUMNS>
__device__ void sweep_tile(const pcf_cuda_tiles &tiles, const TileMemory<T> &tile,
                           State<T> (&row)[ROWS / 32], State<T> (&column)[COLUMNS / 32],
                           int row_band, int column_band, int lane) {
  constexpr int STRIDE = COLUMNS + 1;
  Feed<T> rows = open_feed<T>(tiles.rows, row_band);
  Feed<T> columns = open_feed<T>(tiles.columns, column_band);
  const T *row_initial = static_cast<const T *>(tiles.rows.initial) + row_band * ROWS;
  const T *column_initial =
    static_cast<const T *>(tiles.columns.initial) + column_band * COLUMNS;
#pragma unroll
  for (int r = 0; r < ROWS / 32; r++) row[r] = {T(tiles.start), row_initial[lane + 32 * r]};
#pragma unroll
  for (int r = 0; r < COLUMNS / 32; r++) {
    column[r] = {T(tiles.start), column_initial[lane + 32 * r]};
  }
  Place<ROWS / 32> row_place;
  Place<COLUMNS / 32> column_place;
  row_place.first = keep(lane * unsigned(sizeof(T)));
  column_place.first = keep(lane * unsigned(STRIDE * sizeof(T)));
#pragma unroll
  for (int r = 0; r < ROWS / 32; r++) {
    row_place.own[r] = keep((lane + 32 * r) * unsigned(STRIDE * sizeof(T)));
  }
#pragma unroll
  for (int r = 0; r < COLUMNS / 32; r++) {
    column_place.own[r] = keep((lane + 32 * r) * unsigned(sizeof(T)));
  }
  for (int k = lane; k < ROWS * STRIDE; k += 32) tile.sums[k] = 0;
  __syncwarp();
  while (rows.left > 0 || columns.left > 0) {
    int count = min(32, rows.left + columns.left);
    unsigned from_rows = merge_events<T, STRIDE>(tile, rows, columns, lane);
    auto take = [&](Event<T> event, unsigned offset, bool from_row) {
      if (from_row) take_event<OP>(tile, event, offset, 1, row_place, row, column, tiles);
      else take_event<OP>(tile, event, offset, STRIDE, column_place, column, row, tiles);
    };
    int e = 0;
    for (; e + 4 <= count; e += 4, from_rows >>= 4) {
      uint4 offset = *reinterpret_cast<const uint4 *>(tile.offset + e);
      Event<T> a = tile.merged[e], b = tile.merged[e + 1];
      Event<T> c = tile.merged[e + 2], d = tile.merged[e + 3];
      take(a, offset.x, from_rows & 1);
      take(b, offset.y, from_rows & 2);
      take(c, offset.z, from_rows & 4);
      take(d, offset.w, from_rows & 8);
    }
    for (; e < count; e++, from_rows >>= 1) take(tile.merged[e], tile.offset[e], from_rows & 1);
  }
  __syncwarp();
}

/* The stretch after the last event; see tail_of_pair() of the CPU kernels. */
template <int OP, typename T>
__device__ T tail_of_pair(const State<T> &a, const State<T> &b, const T *inverse,
                          const pcf_cuda_tiles &tiles) {
  T to = T(tiles.to), difference = fabs(a.value - b.value), last = later(a.last, b.last);
  if (OP == PCF_LINF) return to > last ? difference : T(0);
  if (isinf(to)) {
    if (OP != PCF_INNER) return a.value == b.value ? T(0) : T(CUDART_INF_F);
    if (a.value == 0 || b.value == 0) return T(0);
    return (a.value > 0) == (b.value > 0) ? T(CUDART_INF_F) : -T(CUDART_INF_F);
  }
  return add_stretch<OP>(T(0), to - last, a.value, b.value, inverse, tiles);
}

/* The state of function `i` of a side, which one of the lanes has. */
template <typename T, int R>
__device__ __forceinline__ State<T> state_of(const State<T> (&state)[R], int i) {
  State<T> found;
#pragma unroll
  for (int r = 0; r < R; r++) {
    T last = __shfl_sync(ALL_LANES, state[r].last, i & 31);
    T value = __shfl_sync(ALL_LANES, state[r].value, i & 31);
    if (r == i >> 5) found = {last, value};
  }
  return found;
}

/* Adds the tails and takes the root; the pass for suprema leaves their reciprocals instead. */
template <int OP, typename T, int ROWS, int COLUMNS>
__device__ void finish_tile(const pcf_cuda_tiles &tiles, const TileMemory<T> &tile,
                            const State<T> (&row)[ROWS / 32],
                            const State<T> (&column)[COLUMNS / 32], int row_band,
                            int column_band, bool suprema_only, int lane) {
  int64_t first_row = int64_t(row_band) * ROWS, first_column = int64_t(column_band) * COLUMNS;
  T *output = static_cast<T *>(tiles.output) + (first_row - tiles.first_row) +
              tiles.stride * (first_column - tiles.first_column);
  for (int j = 0; j < COLUMNS && first_column + j < tiles.last_column; j++) {
    State<T> b = state_of(column, j);
#pragma unroll
    for (int r = 0; r < ROWS / 32; r++) {
      int i = lane + 32 * r, at = i * (COLUMNS + 1) + j;
      T sum = tile.sums[at];
      T tail = tail_of_pair<OP>(row[r], b, OP == PCF_LP ? tile.inverse + at : nullptr, tiles);
      if (OP == PCF_LINF) sum = later(sum, tail);
      else sum = isinf(tail) ? tail : sum + tail;
      if (suprema_only) {
        T least = sizeof(T) == sizeof(float) ? T(FLT_MIN) : T(DBL_MIN);
        tile.inverse[at] = sum > 0 ? 1 / later(sum, least) : T(0);
        continue;
      }
      if (OP == PCF_L2) sum = sqrt(sum);
      if (OP == PCF_LP && sum > 0 && !isinf(sum)) {
        sum = pow(sum, T(1 / tiles.p)) / tile.inverse[at];
      }
      if (first_row + i < tiles.last_row) output[i + tiles.stride * j] = sum;
    }
  }
  __syncwarp();
}

/* A CTA has WARPS × WARPS warps, whose tiles share bands and so the first-level cache. */
template <int OP, typename T, int ROWS, int COLUMNS, int WARPS>
__global__ void __launch_bounds__(32 * WARPS * WARPS)
  sweep_kernel(const __grid_constant__ pcf_cuda_tiles tiles) {
  extern __shared__ __align__(64) char memory[];
  /* The shuffle tells the compiler that the warp's number, and so all its branches, are
   * uniform. */
  int warp = WARPS == 1 ? 0 : __shfl_sync(ALL_LANES, threadIdx.x / 32, 0);
  int lane = threadIdx.x % 32;
  int row = int(blockIdx.x) * WARPS + warp % WARPS;
  int column = int(blockIdx.y) * WARPS + warp / WARPS;
  if (row >= tiles.row_bands || column >= tiles.column_bands) return;
  int row_band = tiles.first_row_band + row, column_band = tiles.first_column_band + column;
  if (tiles.triangle && column_band * COLUMNS > row_band * ROWS + ROWS - 1) return;
  constexpr bool GENERAL = OP == PCF_LP;
  TileMemory<T> tile = tile_memory<T, ROWS, COLUMNS>(
    memory + warp * warp_memory<T>(ROWS, COLUMNS, GENERAL), GENERAL);
  State<T> rows[ROWS / 32], columns[COLUMNS / 32];
  if (GENERAL) {
    sweep_tile<PCF_LINF, T, ROWS, COLUMNS>(tiles, tile, rows, columns, row_band, column_band,
                                           lane);
    finish_tile<PCF_LINF, T, ROWS, COLUMNS>(tiles, tile, rows, columns, row_band, column_band,
                                            true, lane);
  }
  sweep_tile<OP, T, ROWS, COLUMNS>(tiles, tile, rows, columns, row_band, column_band, lane);
  finish_tile<OP, T, ROWS, COLUMNS>(tiles, tile, rows, columns, row_band, column_band, false,
                                    lane);
}

#endif
