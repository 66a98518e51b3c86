/* The event sweep on the GPU: a warp sweeps a tile of SIDE × SIDE functions, 32 or 64 on each.
 *
 * The integrals of the tile lie in shared memory, in rows of SIDE + 1 scalars, so that
 * neither the update of a row nor that of a column meets a bank conflict. Each lane keeps the
 * state of SIDE / 32 row functions and SIDE / 32 column functions in registers. The events
 * of the two bands are merged up to 64 at a time, 32 of each. There is one sum for each pair,
 * added to in the order of time: of two events at one time the second adds a stretch of length
 * 0, so that their order does not matter.
 *
 * Some events of each function are marked when its band is built. After a marked event the sums
 * of the function with all others are moved to sums in double, in global memory. What a pair's
 * sum is made of thus depends on its two functions alone. With a weight, events at the ends of
 * its pieces are marked, too, and sums are multiplied by the height of their piece when they
 * are moved. */
#pragma once

#include "cuda-kernels/arithmetic.cuh"

/* An event as the kernel reads it: at `time` the piece `after` of the function begins, and the
 * piece ends that began at `last`, or with the slice; `before` is what that is at `time`. */
template <typename P> struct alignas((P::LINEAR ? 2 : 4) * sizeof(typename P::Scalar)) Event {
  typename P::Scalar time, last;
  P before, after;
};

constexpr unsigned ALL_LANES = 0xffffffffu;
constexpr int MERGED = 64;

template <typename P> struct TileMemory {
  using T = typename P::Scalar;
  Event<P> *merged; /* the next events of both sides, MERGED at most */
  unsigned *offset; /* in bytes: where the sums of their functions begin; bit 0: the mark */
  T *sums;
  T *inverse; /* 1 / suprema, for general p */
};

/* Bytes of shared memory of one warp. */
template <typename P> __host__ __device__ constexpr size_t warp_memory(int side, bool general) {
  using T = typename P::Scalar;
  static_assert(sizeof(Event<P>) == pcf_cuda_event_scalars(P::LINEAR) * sizeof(T),
                "the host allocates events");
  size_t arrays = general ? 2 : 1;
  size_t sums = arrays * size_t(side) * size_t(side + 1) * sizeof(T);
  return (sums + 15) / 16 * 16 + MERGED * (sizeof(Event<P>) + sizeof(unsigned));
}

template <typename P, int SIDE>
__device__ TileMemory<P> tile_memory(char *memory, bool general) {
  using T = typename P::Scalar;
  TileMemory<P> tile;
  size_t square = size_t(SIDE) * (SIDE + 1);
  tile.merged = reinterpret_cast<Event<P> *>(memory);
  tile.offset = reinterpret_cast<unsigned *>(tile.merged + MERGED);
  tile.sums = reinterpret_cast<T *>(tile.offset + MERGED);
  tile.inverse = general ? tile.sums + square : nullptr;
  return tile;
}

/* A function's piece, and the time of the event with which it began. */
template <typename P> struct State {
  typename P::Scalar last;
  P piece;
};

/* Keeps a number in a register: the compiler would rather compute such constants anew for every
 * event, but cannot see through a shuffle. */
__device__ __forceinline__ unsigned keep(unsigned x) {
  return __shfl_sync(ALL_LANES, x, threadIdx.x % 32);
}

/* A number that all lanes have, in an ordinary register: a branch on a bit of a uniform one
 * takes an instruction more. */
__device__ __forceinline__ unsigned ordinary(unsigned x) {
  return __reduce_or_sync(ALL_LANES, x);
}

/* Where a lane reads and writes on one side, in bytes: the offset of its first sum for an event
 * of that side, and the offsets of its own functions. */
template <int OWN> struct Place { unsigned first, own[OWN]; };

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

/* A band's events, as far as they are not used up; each lane has read one of the next 32, and
 * where the sums of its function begin, with its mark in bit 0. */
template <typename P> struct Feed {
  const Event<P> *event;
  const unsigned char *function;
  int left;
  Event<P> next;
  unsigned offset;
};

/* Reads on after `taken` events. What is not there comes at the end of time. */
template <typename P>
__device__ __forceinline__ void advance(Feed<P> &feed, int taken, unsigned apart, int lane) {
  feed.event += taken;
  feed.function += taken;
  feed.left -= taken;
  feed.next.time = typename P::Scalar(CUDART_INF_F);
  if (lane < feed.left) {
    feed.next = feed.event[lane];
    unsigned function = feed.function[lane];
    feed.offset = function % PCF_CUDA_MARK * apart | function / PCF_CUDA_MARK;
  }
}

template <typename P>
__device__ __forceinline__ Feed<P> open_feed(const pcf_cuda_bands &bands, const int band,
                                             int slice, unsigned apart, int lane) {
  const int64_t *start = bands.start + int64_t(band) * bands.slices + slice;
  Feed<P> feed = {static_cast<const Event<P> *>(bands.events) + start[0], bands.lane + start[0],
                  int(start[1] - start[0])};
  advance(feed, 0, apart, lane);
  return feed;
}

constexpr unsigned MARKED = 1;

/* Which merged events come from the rows, and which are marked: a bit for each. Bits of marks
 * from `count` on have no meaning. */
struct Merge {
  uint64_t rows, marks;
  int count;
};

/* The first event from `event` on that is marked, or `count`. */
__device__ __forceinline__ int next_mark(const Merge &merge, int event) {
  uint64_t marks = merge.marks >> event;
  return marks ? min(event + __ffsll(marks) - 1, merge.count) : merge.count;
}

/* Merges the next events of both sides, as far as it is certain that none before them is still
 * to be read; a whole number of fours, except at the end. The feeds read on. */
template <typename P, int STRIDE>
__device__ __forceinline__ Merge merge_events(const TileMemory<P> &tile, Feed<P> &rows,
                                              Feed<P> &columns, int lane) {
  using T = typename P::Scalar;
  int columns_before = count_below<false>(columns.next.time, rows.next.time);
  int rows_before = count_below<true>(rows.next.time, columns.next.time);
  bool take_row = lane < rows.left && (columns_before < 32 || columns.left <= 32);
  bool take_column = lane < columns.left && (rows_before < 32 || rows.left <= 32);
  Merge merge;
  merge.count =
    __popc(__ballot_sync(ALL_LANES, take_row)) + __popc(__ballot_sync(ALL_LANES, take_column));
  merge.count = min(merge.count, MERGED);
  if (merge.count < rows.left + columns.left) merge.count &= ~3;
  int row_position = lane + columns_before, column_position = lane + rows_before;
  take_row = take_row && row_position < merge.count;
  take_column = take_column && column_position < merge.count;
  if (take_row) {
    tile.merged[row_position] = rows.next;
    tile.offset[row_position] = rows.offset;
  }
  if (take_column) {
    tile.merged[column_position] = columns.next;
    tile.offset[column_position] = columns.offset;
  }
  unsigned bit = take_row ? 1u << (row_position & 31) : 0;
  unsigned low = __reduce_or_sync(ALL_LANES, row_position < 32 ? bit : 0);
  unsigned high = __reduce_or_sync(ALL_LANES, row_position < 32 ? 0 : bit);
  merge.rows = uint64_t(high) << 32 | low;
  int row_count = __popc(low) + __popc(high);
  advance(rows, row_count, unsigned(STRIDE * sizeof(T)), lane);
  advance(columns, merge.count - row_count, unsigned(sizeof(T)), lane);
  __syncwarp();
  merge.marks = __ballot_sync(ALL_LANES, tile.offset[lane + 32] & MARKED);
  merge.marks = merge.marks << 32 | __ballot_sync(ALL_LANES, tile.offset[lane] & MARKED);
  return merge;
}

/* An event of one side: `other` is the state of the other side, `own` that of its own. The sums
 * of the event's function begin at `offset`, and those of the lanes follow `apart` (in
 * scalars). */
template <int OP, typename P, int OWN, int OTHER>
__device__ __forceinline__ void
take_event(const TileMemory<P> &tile, const Event<P> &event, unsigned offset, unsigned apart,
           const Place<OWN> &place, State<P> (&own)[OWN], const State<P> (&other)[OTHER],
           const pcf_cuda_tiles &tiles) {
  using T = typename P::Scalar;
  char *base = reinterpret_cast<char *>(tile.sums);
  T *sums = reinterpret_cast<T *>(base + (place.first + offset)), sum[OTHER];
#pragma unroll
  for (int r = 0; r < OTHER; r++) sum[r] = sums[r * 32 * apart];
#pragma unroll
  for (int r = 0; r < OTHER; r++) {
    T length = event.time - later(event.last, other[r].last);
    P line = moved(other[r].piece, event.time - other[r].last);
    const T *inverse =
      pcf_takes_powers(OP) ? sums + r * 32 * apart + (tile.inverse - tile.sums) : nullptr;
    sum[r] = add_stretch<OP>(sum[r], length, event.before, line, inverse, tiles.block.power);
  }
#pragma unroll
  for (int r = 0; r < OTHER; r++) sums[r * 32 * apart] = sum[r];
#pragma unroll
  for (int r = 0; r < OWN; r++) {
    bool mine = offset == place.own[r];
    own[r].last = mine ? event.time : own[r].last;
    own[r].piece = choose(mine, event.after, own[r].piece);
  }
}

/* Which tile, and which slice of the window, a warp works on. */
struct TileIndex {
  int row_band, column_band, slice;
};

/* One of the chosen tiles of a block. */
struct ChosenIndex : TileIndex {
  int number;
};

/* Where a tile lies in its block: its first pair, and how many rows and columns of the block
 * there are from there on. */
struct Corner {
  int64_t first, rows, columns;
};

template <int SIDE>
__device__ __forceinline__ Corner corner_of(const pcf_cuda_tiles &tiles,
                                            const TileIndex &index) {
  int64_t row = int64_t(index.row_band) * SIDE, column = int64_t(index.column_band) * SIDE;
  return {row - tiles.block.first_row +
            tiles.block.stride * (column - tiles.block.first_column),
          tiles.block.last_row - row, tiles.block.last_column - column};
}

/* Where the numbers of a chosen tile lie. */
template <int SIDE>
__device__ __forceinline__ Corner corner_of(const pcf_cuda_tiles &tiles,
                                            const ChosenIndex &index) {
  return {int64_t(index.number) * SIDE * SIDE,
          tiles.block.last_row - int64_t(index.row_band) * SIDE,
          tiles.block.last_column - int64_t(index.column_band) * SIDE};
}

/* The sums in double of a slice, or, after the last one, the reciprocals of suprema. */
__device__ __forceinline__ double *wide_of(const pcf_cuda_tiles &tiles, int slice) {
  return tiles.block.wide +
         tiles.block.stride * (tiles.block.last_column - tiles.block.first_column) * slice;
}

/* The piece of a stretch that ends at `time`, and its height, or 1 where there is no weight. */
template <typename T>
__device__ __forceinline__ int piece_until(const pcf_cuda_weight &weight, T time) {
  const T *end = static_cast<const T *>(weight.end);
  int low = 0, high = weight.pieces - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (end[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

template <typename T>
__device__ __forceinline__ double height_until(const pcf_cuda_weight &weight, T time) {
  if (weight.pieces == 0) return 1;
  return static_cast<const T *>(weight.height)[piece_until(weight, time)];
}

/* Moves the sums of a function, which begin at `offset`, to those in double. Only this warp
 * adds to those of its tile, one after the other, and need not wait for them. */
template <typename P, int SIDE, typename Index>
__device__ __forceinline__ void
flush_sums(const TileMemory<P> &tile, const pcf_cuda_tiles &tiles, const Index &index,
           typename P::Scalar time, unsigned offset, bool of_row, int lane) {
  using T = typename P::Scalar;
  constexpr int STRIDE = SIDE + 1;
  Corner corner = corner_of<SIDE>(tiles, index);
  double *wide = wide_of(tiles, index.slice) + corner.first;
  double height = height_until(tiles.rows.weight, time);
  int function = offset / unsigned((of_row ? STRIDE : 1) * sizeof(T));
  for (int other = lane; other < SIDE; other += 32) {
    int i = of_row ? function : other, j = of_row ? other : function;
    T *sum = &tile.sums[i * STRIDE + j];
    if (i < corner.rows && j < corner.columns) {
      atomicAdd(&wide[i + tiles.block.stride * j], height * double(*sum));
    }
    *sum = 0;
  }
}

template <typename P, int SIDE>
__device__ __forceinline__ void open_state(State<P> (&state)[SIDE / 32],
                                           const pcf_cuda_bands &bands, int band, int slice,
                                           typename P::Scalar start, int lane) {
  int64_t padded = (bands.count + SIDE - 1) / SIDE * SIDE;
  const P *initial =
    static_cast<const P *>(bands.initial) + padded * slice + int64_t(band) * SIDE;
#pragma unroll
  for (int r = 0; r < SIDE / 32; r++) state[r] = {start, initial[lane + 32 * r]};
}

template <int OP, typename P, int SIDE, typename Index>
__device__ void sweep_tile(const pcf_cuda_tiles &tiles, const TileMemory<P> &tile,
                           State<P> (&row)[SIDE / 32], State<P> (&column)[SIDE / 32],
                           const Index &index, int lane) {
  using T = typename P::Scalar;
  constexpr int STRIDE = SIDE + 1;
  Feed<P> rows =
    open_feed<P>(tiles.rows, index.row_band, index.slice, unsigned(STRIDE * sizeof(T)), lane);
  Feed<P> columns =
    open_feed<P>(tiles.columns, index.column_band, index.slice, unsigned(sizeof(T)), lane);
  T start = static_cast<const T *>(tiles.slice_time)[index.slice];
  open_state<P, SIDE>(row, tiles.rows, index.row_band, index.slice, start, lane);
  open_state<P, SIDE>(column, tiles.columns, index.column_band, index.slice, start, lane);
  Place<SIDE / 32> row_place, column_place;
  row_place.first = keep(lane * unsigned(sizeof(T)));
  column_place.first = keep(lane * unsigned(STRIDE * sizeof(T)));
#pragma unroll
  for (int r = 0; r < SIDE / 32; r++) {
    row_place.own[r] = keep((lane + 32 * r) * unsigned(STRIDE * sizeof(T)));
    column_place.own[r] = keep((lane + 32 * r) * unsigned(sizeof(T)));
  }
  for (int k = lane; k < SIDE * STRIDE; k += 32) tile.sums[k] = 0;
  __syncwarp();
  while (rows.left > 0 || columns.left > 0) {
    Merge merge = merge_events<P, STRIDE>(tile, rows, columns, lane);
    auto take = [&](const Event<P> &event, unsigned offset, bool from_row) {
      if (from_row) take_event<OP>(tile, event, offset, 1, row_place, row, column, tiles);
      else take_event<OP>(tile, event, offset, STRIDE, column_place, column, row, tiles);
    };
    for (int e = 0; e < merge.count;) {
      unsigned low = ordinary(unsigned(merge.rows >> e));
      unsigned high = ordinary(unsigned(merge.rows >> e >> 32));
      for (int mark = next_mark(merge, e); e + 4 <= mark; e += 4) {
        uint4 offset = *reinterpret_cast<const uint4 *>(tile.offset + e);
        Event<P> a = tile.merged[e], b = tile.merged[e + 1];
        Event<P> c = tile.merged[e + 2], d = tile.merged[e + 3];
        take(a, offset.x, low & 1);
        __syncwarp();
        take(b, offset.y, low & 2);
        __syncwarp();
        take(c, offset.z, low & 4);
        __syncwarp();
        take(d, offset.w, low & 8);
        __syncwarp();
        low = __funnelshift_r(low, high, 4);
        high >>= 4;
      }
#pragma unroll 1
      for (int end = min(e + 4, merge.count); e < end; e++) {
        unsigned offset = tile.offset[e];
        bool from_row = merge.rows >> e & 1;
        take(tile.merged[e], offset & ~MARKED, from_row);
        if (!pcf_is_supremum(OP) && offset & MARKED) {
          flush_sums<P, SIDE>(tile, tiles, index, tile.merged[e].time, offset & ~MARKED,
                              from_row, lane);
        }
        __syncwarp();
      }
    }
  }
  __syncwarp();
}

/* Adds the stretch from the last event to the end `to` of the slice. Lines that have no end are
 * constant there. */
template <int OP, typename P, typename T = typename P::Scalar>
__device__ T add_tail(T sum, const State<P> &a, const State<P> &b, T to, const T *inverse,
                      const pcf_cuda_power &power) {
  T length = to - later(a.last, b.last);
  if (P::LINEAR && to < T(CUDART_INF_F)) {
    return add_stretch<OP>(sum, length, moved(a.piece, to - a.last),
                           moved(b.piece, to - b.last), inverse, power);
  }
  T combined = combine_pair<OP>(a.piece.value, b.piece.value, inverse, power);
  return pcf_add_tail(OP, sum, length, a.piece.value, b.piece.value, combined);
}

template <typename T> __device__ __forceinline__ Step<T> of_lane(Step<T> step, int lane) {
  return {__shfl_sync(ALL_LANES, step.value, lane)};
}
template <typename T> __device__ __forceinline__ Line<T> of_lane(Line<T> line, int lane) {
  T value = __shfl_sync(ALL_LANES, line.value, lane);
  return {value, __shfl_sync(ALL_LANES, line.slope, lane)};
}

/* The state of function `i` of a side, which one of the lanes has. */
template <typename P, int R>
__device__ __forceinline__ State<P> state_of(const State<P> (&state)[R], int i) {
  State<P> found;
#pragma unroll
  for (int r = 0; r < R; r++) {
    auto last = __shfl_sync(ALL_LANES, state[r].last, i & 31);
    P piece = of_lane(state[r].piece, i & 31);
    if (r == i >> 5) found = {last, piece};
  }
  return found;
}

/* What becomes of the sums of a tile: results; the sums of one slice; or, of suprema, their
 * reciprocals, for the pass that follows. */
enum class Finish { RESULT, PARTIAL, RECIPROCALS };

template <typename T>
__device__ __forceinline__ T end_of_slice(const pcf_cuda_tiles &tiles, int slice) {
  return slice + 1 < tiles.rows.slices ? static_cast<const T *>(tiles.slice_time)[slice + 1]
                                       : T(tiles.to);
}

__host__ __device__ inline bool has_marks(const pcf_cuda_tiles &tiles) {
  return tiles.rows.flush > 0 || tiles.columns.flush > 0 || tiles.rows.weight.pieces > 0;
}

/* Adds the tails, and what was flushed, and finishes. */
template <int OP, typename P, int SIDE, typename Index>
__device__ void finish_tile(const pcf_cuda_tiles &tiles, const TileMemory<P> &tile,
                            const State<P> (&row)[SIDE / 32],
                            const State<P> (&column)[SIDE / 32], const Index &index,
                            Finish finish, int lane) {
  using T = typename P::Scalar;
  Corner corner = corner_of<SIDE>(tiles, index);
  T to = end_of_slice<T>(tiles, index.slice);
  T *output = static_cast<T *>(tiles.block.output) + corner.first;
  double *wide = wide_of(tiles, index.slice) + corner.first;
  bool flushed = !pcf_is_supremum(OP) && has_marks(tiles);
  double height = flushed ? height_until(tiles.rows.weight, to) : 1;
  for (int j = 0; j < SIDE && j < corner.columns; j++) {
    State<P> b = state_of(column, j);
#pragma unroll
    for (int r = 0; r < SIDE / 32; r++) {
      int i = lane + 32 * r, at = i * (SIDE + 1) + j;
      const T *inverse = pcf_takes_powers(OP) ? tile.inverse + at : nullptr;
      T sum = add_tail<OP, P>(tile.sums[at], row[r], b, to, inverse, tiles.block.power);
      if (finish == Finish::RECIPROCALS) tile.inverse[at] = reciprocal(sum);
      else if (i < corner.rows) {
        int64_t pair = i + tiles.block.stride * j;
        double total = height * double(sum) + (flushed ? __ldcg(&wide[pair]) : 0);
        if (finish == Finish::PARTIAL) wide[pair] = total;
        else {
          output[pair] =
            take_root<OP>(T(total), pcf_takes_powers(OP) ? *inverse : T(0), tiles.block.power);
        }
      }
    }
  }
  __syncwarp();
}

/* The reciprocals of suprema that were found over all slices before. */
template <typename P, int SIDE>
__device__ void read_reciprocals(const pcf_cuda_tiles &tiles, const TileMemory<P> &tile,
                                 const TileIndex &index, int lane) {
  using T = typename P::Scalar;
  Corner corner = corner_of<SIDE>(tiles, index);
  const double *reciprocals = wide_of(tiles, tiles.rows.slices) + corner.first;
  for (int j = 0; j < SIDE; j++) {
    for (int i = lane; i < SIDE; i += 32) {
      bool inside = i < corner.rows && j < corner.columns;
      tile.inverse[i * (SIDE + 1) + j] =
        inside ? T(reciprocals[i + tiles.block.stride * j]) : T(0);
    }
  }
}

/* A CTA has WARPS × WARPS warps, whose tiles share bands and so the first-level cache. */
template <int OP, typename P, int SIDE, int WARPS>
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
  TileIndex index = {tiles.first_row_band + row, tiles.first_column_band + column,
                     int(blockIdx.z)};
  if (tiles.block.triangle && column > row) return;
  constexpr bool GENERAL = pcf_takes_powers(OP);
  TileMemory<P> tile =
    tile_memory<P, SIDE>(memory + warp * warp_memory<P>(SIDE, GENERAL), GENERAL);
  State<P> rows[SIDE / 32], columns[SIDE / 32];
  Finish finish = tiles.rows.slices > 1 ? Finish::PARTIAL : Finish::RESULT;
  if (GENERAL && finish == Finish::PARTIAL) {
    read_reciprocals<P, SIDE>(tiles, tile, index, lane);
  } else if (GENERAL) {
    sweep_tile<PCF_LINF, P, SIDE>(tiles, tile, rows, columns, index, lane);
    finish_tile<PCF_LINF, P, SIDE>(tiles, tile, rows, columns, index, Finish::RECIPROCALS,
                                   lane);
  }
  sweep_tile<OP, P, SIDE>(tiles, tile, rows, columns, index, lane);
  finish_tile<OP, P, SIDE>(tiles, tile, rows, columns, index, finish, lane);
}

/* The same for chosen tiles, each with a warp. */
constexpr int CHOSEN_WARPS = 4;
template <int OP, typename P>
__global__ void __launch_bounds__(32 * CHOSEN_WARPS)
  chosen_kernel(const __grid_constant__ pcf_cuda_tiles tiles) {
  constexpr int SIDE = PCF_CUDA_CHOSEN_SIDE;
  extern __shared__ __align__(64) char memory[];
  const pcf_cuda_chosen &chosen = tiles.block.chosen;
  int warp = __shfl_sync(ALL_LANES, threadIdx.x / 32, 0), lane = threadIdx.x % 32;
  int number = int(blockIdx.x) * CHOSEN_WARPS + warp;
  if (number >= chosen.count) return;
  int row = chosen.tile[number] / chosen.column_bands;
  int column = chosen.tile[number] % chosen.column_bands;
  ChosenIndex index = {{tiles.first_row_band + row, tiles.first_column_band + column, 0},
                       number};
  TileMemory<P> tile = tile_memory<P, SIDE>(memory + warp * warp_memory<P>(SIDE, false), false);
  State<P> rows[1], columns[1];
  sweep_tile<OP, P, SIDE>(tiles, tile, rows, columns, index, lane);
  finish_tile<OP, P, SIDE>(tiles, tile, rows, columns, index, Finish::RESULT, lane);
}

/* Adds up the slices of every pair of a block, in their order. Suprema become reciprocals. */
template <int OP, typename T>
__global__ void combine_kernel(const __grid_constant__ pcf_cuda_tiles tiles, bool reciprocals) {
  int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= tiles.block.last_row - tiles.block.first_row) return;
  int64_t pair = i + tiles.block.stride * blockIdx.y;
  double sum = 0;
  for (int s = 0; s < tiles.rows.slices; s++) {
    sum = pcf_join(OP, sum, wide_of(tiles, s)[pair]);
  }
  double *suprema = wide_of(tiles, tiles.rows.slices);
  if (reciprocals) suprema[pair] = reciprocal(T(sum));
  else {
    T inverse = pcf_takes_powers(OP) ? T(suprema[pair]) : T(0);
    static_cast<T *>(tiles.block.output)[pair] =
      take_root<OP>(T(sum), inverse, tiles.block.power);
  }
}
