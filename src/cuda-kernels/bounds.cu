/* Lower bounds of distances, from points of bytes, of all pairs of a block: the tiles of 32 ×
 * 32 pairs that have one within its limits become a list. A block of threads looks at 4 × 4
 * tiles, * first at the boxes around their bands, and then, of those that are left, at each
 * pair: a thread at 8 × 8 of them. Of the tiles that are left then, which are few, a warp looks
 * at each pair again, in single precision. */
#include "cuda-kernels/kernels.h"
#include "cuda-kernels/search.cuh"

static constexpr unsigned ALL_LANES = 0xffffffff;
static constexpr int BAND = PCF_CUDA_CHOSEN_SIDE, BANDS = 4, SIDE = BANDS * BAND, EACH = 8;
static constexpr int SHARE = 16, THREADS = BANDS * BANDS * SHARE; /* the threads of a tile */
static_assert(THREADS == 2 * SIDE && BAND == 32 && BAND * BAND == SHARE * EACH * EACH, "");

/* ---- Gaps ---- */

/* Adds the differences of four bytes, or their squares. */
template <bool SQUARES>
static __device__ __forceinline__ unsigned add_gap(unsigned a, unsigned b, unsigned sum) {
  if (SQUARES) {
    unsigned apart = __vabsdiffu4(a, b);
    return __dp4a(apart, apart, sum);
  }
#ifdef __CUDA_ARCH__
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
  return sum;
#else
  return sum + __vsadu4(a, b);
#endif
}

/* Numbers in single precision are raised by more than they may have lost. */
static constexpr float MORE = 1 + 1e-6f;

/* The gap that stands for the limit of a row or column, in steps; ∞ while there is no limit,
 * and -1 where there are none. */
template <typename T>
static __device__ float gap_of(const pcf_cuda_choosing &of, const void *limits, int index) {
  if (!limits) return -1;
  double limit = static_cast<const T *>(limits)[index];
  return isnan(limit) ? INFINITY : MORE * float(max(of.unit * limit, of.smallest));
}

/* The largest sum that is within a gap. */
template <bool SQUARES> static __device__ int most_within(float gap, float slack) {
  constexpr float MOST = 1 << 30;
  if (gap < 0) return -1;
  float most = MORE * (gap + slack);
  if (SQUARES) most *= MORE * most;
  return most < MOST ? int(most) : int(MOST);
}

/* ---- A block of threads ---- */

/* The bands of a thread's tile, among those of the block of pairs. */
struct place {
  int row_band, column_band;
  bool exists, is_near; /* to the diagonal */
};

static __device__ bool is_of_one_label(const pcf_cuda_choosing &of, int row, int column) {
  return of.label && of.label[of.row / BAND + row] == of.label[of.column / BAND + column];
}

static __device__ place place_of(const pcf_cuda_choosing &of) {
  int tile = int(threadIdx.x) / SHARE;
  int row = int(blockIdx.x) * BANDS + tile / BANDS;
  int column = int(blockIdx.y) * BANDS + tile % BANDS;
  bool inside =
    row * BAND < of.rows && column * BAND < of.columns && !(of.triangle && column > row);
  return {row, column, inside && !is_of_one_label(of, row, column),
          of.triangle && of.near_bands > 0 && row / of.near_bands == column / of.near_bands};
}

static __host__ __device__ int column_bands_of(const pcf_cuda_choosing &of) {
  return (of.columns + BAND - 1) / BAND;
}

static __device__ int tile_at(const pcf_cuda_choosing &of, const place &place) {
  return place.row_band * column_bands_of(of) + place.column_band;
}

static __device__ void append(const pcf_cuda_tile_list &list, int tile) {
  list.tile[atomicAdd(list.count, 1)] = tile;
}

/* The gap between the boxes of two bands; all threads of the tile get it. */
template <int W, bool SQUARES>
static __device__ int gap_of_boxes(const pcf_cuda_choosing &of, int64_t row, int64_t column) {
  unsigned gap = 0;
  for (int d = int(threadIdx.x) % SHARE; d < W; d += SHARE) {
    unsigned above =
      __vsubus4(of.of_rows.least[row * W + d], of.of_columns.most[column * W + d]);
    unsigned below =
      __vsubus4(of.of_columns.least[column * W + d], of.of_rows.most[row * W + d]);
    gap = add_gap<SQUARES>(above | below, 0, gap);
  }
#pragma unroll
  for (int apart = SHARE / 2; apart > 0; apart /= 2) {
    gap += __shfl_xor_sync(ALL_LANES, gap, apart);
  }
  return int(gap);
}

/* Adds the gaps of half of the words, every other one, to those of a thread's pairs. */
template <int W, bool SQUARES>
static __device__ __forceinline__ void add_words(const uint32_t (&point)[2][W][SIDE + 4],
                                                 int half, int i, int j,
                                                 unsigned (&sum)[EACH][EACH]) {
#pragma unroll
  for (int d = half; d < W; d += 2) {
    uint4 u[EACH / 4], v[EACH / 4];
#pragma unroll
    for (int r = 0; r < EACH / 4; r++) {
      u[r] = *reinterpret_cast<const uint4 *>(&point[0][d][i + 4 * r]);
      v[r] = *reinterpret_cast<const uint4 *>(&point[1][d][j + 4 * r]);
    }
#pragma unroll
    for (int r = 0; r < EACH; r++) {
#pragma unroll
      for (int c = 0; c < EACH; c++) {
        sum[r][c] = add_gap<SQUARES>((&u[r / 4].x)[r % 4], (&v[c / 4].x)[c % 4], sum[r][c]);
      }
    }
  }
}

/* Is one of a thread's pairs within a limit, as far as its words were added? */
template <bool SQUARES>
static __device__ __forceinline__ bool any_within(const unsigned (&sum)[EACH][EACH],
                                                  const float *row_limit,
                                                  const float *column_limit, float slack) {
  int column_most[EACH], any = 0;
#pragma unroll
  for (int c = 0; c < EACH; c++) column_most[c] = most_within<SQUARES>(column_limit[c], slack);
#pragma unroll
  for (int r = 0; r < EACH; r++) {
    int row_most = most_within<SQUARES>(row_limit[r], slack);
#pragma unroll
    for (int c = 0; c < EACH; c++) any |= int(sum[r][c]) <= max(row_most, column_most[c]);
  }
  return any;
}

template <typename T, int W, bool SQUARES>
static __global__ void __launch_bounds__(THREADS, 2)
  choose_kernel(const __grid_constant__ pcf_cuda_choosing of) {
  __align__(16) __shared__ uint32_t point[2][W][SIDE + 4];
  __shared__ float limit[2][SIDE], largest[2][BANDS];
  __shared__ int any;
  int thread = int(threadIdx.x), lane = thread % 32, first[2];
  first[0] = int(blockIdx.x) * SIDE;
  first[1] = int(blockIdx.y) * SIDE;
  if (of.triangle && first[1] > first[0]) return;
  place place = place_of(of);
  if (of.near) {
    if (place.exists && place.is_near && thread % SHARE == 0) {
      append(of.chosen, tile_at(of, place));
    }
    return;
  }
  int of_column = thread / SIDE, k = thread % SIDE, own = first[of_column] + k;
  float gap = -1;
  if (own < (of_column ? of.columns : of.rows)) {
    gap = gap_of<T>(of, of_column ? of.column_limit : of.row_limit, own);
  }
  limit[of_column][k] = gap;
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) {
    gap = fmaxf(gap, __shfl_xor_sync(ALL_LANES, gap, apart));
  }
  if (lane == 0) largest[of_column][k / BAND] = gap;
  if (thread == 0) any = 0;
  __syncthreads();

  int64_t row = of.row / BAND + place.row_band, column = of.column / BAND + place.column_band;
  bool wanted = place.exists && !place.is_near;
  float slack = wanted ? of.of_rows.slack[row] + of.of_columns.slack[column] : 0;
  float most = fmaxf(largest[0][place.row_band % BANDS], largest[1][place.column_band % BANDS]);
  int apart = gap_of_boxes<W, SQUARES>(of, wanted ? row : 0, wanted ? column : 0);
  wanted = wanted && apart <= most_within<SQUARES>(most, slack);
  if (wanted) any = 1;
  __syncthreads();
  if (!any) return;

  for (int e = thread; e < 2 * SIDE * W; e += THREADS) {
    int d = e % W, i = e / W % SIDE, side = e / W / SIDE, at = first[side] + i;
    bool inside = at < (side ? of.columns : of.rows);
    int64_t item = (side ? of.column : of.row) + at;
    const uint32_t *word = side ? of.of_columns.word : of.of_rows.word;
    point[side][d][i] = inside ? word[item * W + d] : 0;
  }
  __syncthreads();
  int i = place.row_band % BANDS * BAND + thread % SHARE / 4 * EACH;
  int j = place.column_band % BANDS * BAND + thread % 4 * EACH;
  unsigned of_tile = 0xffffu << (lane & SHARE), sum[EACH][EACH] = {};
#pragma unroll
  for (int half = 0; half < 2; half++) {
    if (!wanted) break;
    add_words<W, SQUARES>(point, half, i, j, sum);
    wanted = __any_sync(of_tile, any_within<SQUARES>(sum, limit[0] + i, limit[1] + j, slack));
  }
  if (wanted && thread % SHARE == 0) append(of.rough, tile_at(of, place));
}

/* ---- In single precision ---- */

/* The squared gap of two numbers, or the gap. */
template <bool SQUARES> static __device__ __forceinline__ float gap_between(float a, float b) {
  return SQUARES ? (a - b) * (a - b) : fabsf(a - b);
}

/* Warps go through the tiles. A lane has a column, and the sums of all rows of the tile. A sum
 * of up to 64 gaps is off by less than 80 roundings. */
template <typename T, bool SQUARES>
static __global__ void __launch_bounds__(THREADS)
  refine_kernel(const __grid_constant__ pcf_cuda_choosing of) {
  constexpr float SUMS = 1 + 1e-5f;
  int coordinates = 4 * of.words, lane = int(threadIdx.x) % 32, count = *of.rough.count;
  int warps = int(gridDim.x) * (THREADS / 32);
  for (int k = (int(blockIdx.x) * THREADS + int(threadIdx.x)) / 32; k < count; k += warps) {
    int tile = of.rough.tile[k], column_bands = column_bands_of(of);
    int row = tile / column_bands * BAND, column = tile % column_bands * BAND;
    int64_t row_band = (of.row + row) / BAND, column_band = (of.column + column) / BAND;
    const float *of_rows = of.of_rows.point + row_band * coordinates * BAND;
    const float *of_columns = of.of_columns.point + column_band * coordinates * BAND + lane;
    float sum[BAND] = {};
    for (int c = 0; c < coordinates; c++) {
      const float4 *rows = reinterpret_cast<const float4 *>(of_rows + c * BAND);
      float own = of_columns[c * BAND];
#pragma unroll
      for (int i = 0; i < BAND; i += 4) {
        float4 some = rows[i / 4];
        sum[i] += gap_between<SQUARES>(some.x, own);
        sum[i + 1] += gap_between<SQUARES>(some.y, own);
        sum[i + 2] += gap_between<SQUARES>(some.z, own);
        sum[i + 3] += gap_between<SQUARES>(some.w, own);
      }
    }
    float slack =
      of.of_rows.coordinate_slack[row_band] + of.of_columns.coordinate_slack[column_band];
    float row_gap = row + lane < of.rows ? gap_of<T>(of, of.row_limit, row + lane) : -1;
    float column_gap =
      column + lane < of.columns ? gap_of<T>(of, of.column_limit, column + lane) : -1;
    bool wanted = false;
#pragma unroll
    for (int i = 0; i < BAND; i++) {
      float gap = fmaxf(__shfl_sync(ALL_LANES, row_gap, i), column_gap);
      float most = SUMS * of.step * (gap + slack);
      if (SQUARES) most *= SUMS * most;
      wanted = wanted || (gap >= 0 && sum[i] <= fmaxf(most, 1e-30f));
    }
    if (__any_sync(ALL_LANES, wanted) && lane == 0) append(of.chosen, tile);
  }
}

/* ---- Launching ---- */

/* So many blocks of threads fill a device, however many tiles they go through. */
static constexpr int REFINING = 2048;

template <typename T, bool SQUARES>
static cudaError_t launch(const pcf_cuda_choosing &of, cudaStream_t stream) {
  dim3 grid(grid_for(of.rows, SIDE), grid_for(of.columns, SIDE));
  if (of.words == 8) choose_kernel<T, 8, SQUARES><<<grid, THREADS, 0, stream>>>(of);
  else choose_kernel<T, 16, SQUARES><<<grid, THREADS, 0, stream>>>(of);
  int64_t tiles = int64_t(column_bands_of(of)) * grid_for(of.rows, BAND);
  dim3 refining(unsigned(min(int64_t(REFINING), int64_t(grid_for(tiles, THREADS / 32)))));
  if (!of.near) refine_kernel<T, SQUARES><<<refining, THREADS, 0, stream>>>(of);
  return cudaGetLastError();
}

template <typename T>
static cudaError_t with_metric(const pcf_cuda_choosing &of, cudaStream_t stream) {
  return of.squares ? launch<T, true>(of, stream) : launch<T, false>(of, stream);
}

extern "C" cudaError_t pcf_cuda_choose(enum pcf_precision precision,
                                       const struct pcf_cuda_choosing *choosing,
                                       cudaStream_t stream) {
  return precision == PCF_DOUBLE ? with_metric<double>(*choosing, stream)
                                 : with_metric<float>(*choosing, stream);
}
