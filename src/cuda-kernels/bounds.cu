/* Lower bounds of distances, from points of bytes, of all pairs of a block: the tiles of 32 ×
 * 32 pairs that have one within its limits become a list. A block of threads looks at 4 × 4
 * tiles, first at the boxes around their bands, and then, of those that are left, at each pair:
 * a thread at 8 × 8 of them. */
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

/* The gap that stands for the limit of an item, in steps; ∞ while there is no limit. */
template <typename T>
static __device__ float gap_of(const pcf_cuda_choosing &of, int64_t item) {
  double limit = static_cast<const T *>(of.limit)[item];
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

static __device__ place place_of(const pcf_cuda_choosing &of) {
  int tile = int(threadIdx.x) / SHARE;
  int row = int(blockIdx.x) * BANDS + tile / BANDS;
  int column = int(blockIdx.y) * BANDS + tile % BANDS;
  bool inside = row * BAND < of.rows && column * BAND < of.columns;
  return {row, column, inside && !(of.triangle && column > row),
          of.triangle && row / of.near_bands == column / of.near_bands};
}

static __device__ void append(const pcf_cuda_choosing &of, const place &place) {
  int column_bands = (of.columns + BAND - 1) / BAND;
  of.tile[atomicAdd(of.count, 1)] = place.row_band * column_bands + place.column_band;
}

/* The gap between the boxes of two bands; all threads of the tile get it. */
template <int W, bool SQUARES>
static __device__ int gap_of_boxes(const pcf_cuda_choosing &of, int64_t row, int64_t column) {
  unsigned gap = 0;
  for (int d = int(threadIdx.x) % SHARE; d < W; d += SHARE) {
    unsigned above = __vsubus4(of.least[row * W + d], of.most[column * W + d]);
    unsigned below = __vsubus4(of.least[column * W + d], of.most[row * W + d]);
    gap = add_gap<SQUARES>(above | below, 0, gap);
  }
#pragma unroll
  for (int apart = SHARE / 2; apart > 0; apart /= 2) {
    gap += __shfl_xor_sync(ALL_LANES, gap, apart);
  }
  return int(gap);
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
    if (place.exists && place.is_near && thread % SHARE == 0) append(of, place);
    return;
  }
  int of_column = thread / SIDE, k = thread % SIDE, own = first[of_column] + k;
  float gap = -1;
  if (own < (of_column ? of.columns : of.rows)) {
    gap = gap_of<T>(of, (of_column ? of.column : of.row) + own);
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
  float slack = wanted ? of.slack[row] + of.slack[column] : 0;
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
    point[side][d][i] = inside ? of.word[item * W + d] : 0;
  }
  __syncthreads();
  if (wanted) {
    int i = place.row_band % BANDS * BAND + thread % SHARE / 4 * EACH;
    int j = place.column_band % BANDS * BAND + thread % 4 * EACH;
    unsigned sum[EACH][EACH] = {};
#pragma unroll
    for (int d = 0; d < W; d++) {
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
    int row_most[EACH], column_most[EACH];
#pragma unroll
    for (int r = 0; r < EACH; r++) {
      row_most[r] = most_within<SQUARES>(limit[0][i + r], slack);
      column_most[r] = most_within<SQUARES>(limit[1][j + r], slack);
    }
    wanted = false;
#pragma unroll
    for (int r = 0; r < EACH; r++) {
#pragma unroll
      for (int c = 0; c < EACH; c++) {
        wanted = wanted || int(sum[r][c]) <= max(row_most[r], column_most[c]);
      }
    }
  }
  unsigned found = __ballot_sync(ALL_LANES, wanted);
  if (thread % SHARE == 0 && (found >> lane & 0xffff) != 0) append(of, place);
}

/* ---- Launching ---- */

template <typename T, int W>
static void launch(const pcf_cuda_choosing &of, cudaStream_t stream) {
  dim3 grid(grid_for(of.rows, SIDE), grid_for(of.columns, SIDE));
  if (of.squares) choose_kernel<T, W, true><<<grid, THREADS, 0, stream>>>(of);
  else choose_kernel<T, W, false><<<grid, THREADS, 0, stream>>>(of);
}

template <typename T>
static cudaError_t with_words(const pcf_cuda_choosing &of, cudaStream_t stream) {
  if (of.words == 8) launch<T, 8>(of, stream);
  else launch<T, 16>(of, stream);
  return cudaGetLastError();
}

extern "C" cudaError_t pcf_cuda_choose(enum pcf_precision precision,
                                       const struct pcf_cuda_choosing *choosing,
                                       cudaStream_t stream) {
  return precision == PCF_DOUBLE ? with_words<double>(*choosing, stream)
                                 : with_words<float>(*choosing, stream);
}
