/* From run time to compile time: picks and launches the instance of the sweep. */
#include "cuda-kernels/search.cuh"
#include "cuda-kernels/sweep.cuh"

static_assert(PCF_CUDA_MOST_SIDE <= 65535, "columns are the second dimension of a launch");

template <int OP, typename T>
static cudaError_t combine(const pcf_cuda_tiles &tiles, bool reciprocals, cudaStream_t stream) {
  constexpr int THREADS = 128;
  int64_t rows = tiles.block.last_row - tiles.block.first_row;
  dim3 grid(grid_for(rows, THREADS),
            unsigned(tiles.block.last_column - tiles.block.first_column));
  combine_kernel<OP, T><<<grid, THREADS, 0, stream>>>(tiles, reciprocals);
  return cudaGetLastError();
}

template <int OP, typename P, int SIDE, int WARPS>
static cudaError_t launch(const pcf_cuda_tiles &tiles, cudaStream_t stream) {
  auto kernel = sweep_kernel<OP, P, SIDE, WARPS>;
  size_t memory = WARPS * WARPS * warp_memory<P>(SIDE, pcf_takes_powers(OP));
  cudaError_t error =
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(memory));
  if (error != cudaSuccess) return error;
  dim3 grid(grid_for(tiles.row_bands, WARPS), grid_for(tiles.column_bands, WARPS),
            tiles.rows.slices);
  kernel<<<grid, 32 * WARPS * WARPS, memory, stream>>>(tiles);
  return cudaGetLastError();
}

static cudaError_t clear_wide(const pcf_cuda_tiles &tiles, cudaStream_t stream) {
  int64_t columns = tiles.block.chosen.tile
                      ? int64_t(tiles.block.chosen.count) * PCF_CUDA_CHOSEN_SIDE
                      : tiles.block.last_column - tiles.block.first_column;
  size_t block = size_t(tiles.block.stride * columns);
  return cudaMemsetAsync(tiles.block.wide, 0, block * tiles.rows.slices * sizeof(double),
                         stream);
}

/* General p needs the suprema of whole pairs before it sweeps the slices. */
template <int OP, typename P, int SIDE, int WARPS>
static cudaError_t launch_slices(const pcf_cuda_tiles &tiles, cudaStream_t stream) {
  using T = typename P::Scalar;
  cudaError_t error = cudaSuccess;
  bool slices = tiles.rows.slices > 1;
  if constexpr (pcf_takes_powers(OP)) {
    if (slices) error = launch<PCF_LINF, P, SIDE, WARPS>(tiles, stream);
    if (slices && error == cudaSuccess) error = combine<PCF_LINF, T>(tiles, true, stream);
  }
  if (error == cudaSuccess && !pcf_is_supremum(OP) && has_marks(tiles)) {
    error = clear_wide(tiles, stream);
  }
  if (error == cudaSuccess) error = launch<OP, P, SIDE, WARPS>(tiles, stream);
  if (error == cudaSuccess && slices) error = combine<OP, T>(tiles, false, stream);
  return error;
}

template <int OP, typename P>
static cudaError_t launch_chosen(const pcf_cuda_tiles &tiles, cudaStream_t stream) {
  constexpr size_t MEMORY = CHOSEN_WARPS * warp_memory<P>(PCF_CUDA_CHOSEN_SIDE, false);
  static_assert(MEMORY <= 48 * 1024, "more has to be asked for");
  cudaError_t error = has_marks(tiles) ? clear_wide(tiles, stream) : cudaSuccess;
  if (error != cudaSuccess) return error;
  unsigned grid = grid_for(tiles.block.chosen.count, CHOSEN_WARPS);
  chosen_kernel<OP, P><<<grid, 32 * CHOSEN_WARPS, MEMORY, stream>>>(tiles);
  return cudaGetLastError();
}

/* The bands of a run that chooses tiles are for these, also where a block is swept whole. */
template <int OP, typename P>
static cudaError_t launch_narrow(const pcf_cuda_tiles &tiles, cudaStream_t stream) {
  if constexpr (P::LINEAR || (OP != PCF_L1 && OP != PCF_L2)) return cudaErrorInvalidValue;
  else if (tiles.block.chosen.tile) return launch_chosen<OP, P>(tiles, stream);
  else return launch_slices<OP, P, PCF_CUDA_CHOSEN_SIDE, 2>(tiles, stream);
}

template <int OP, typename P>
static cudaError_t launch_operation(const pcf_cuda_tiles &tiles, cudaStream_t stream) {
  constexpr bool SINGLE = sizeof(typename P::Scalar) == sizeof(float);
  constexpr int SIDE = pcf_cuda_tile_side(OP, SINGLE);
  if constexpr (!pcf_cuda_has_operation(P::LINEAR, OP, SINGLE)) return cudaErrorInvalidValue;
  else if (tiles.block.chosen.tile || tiles.rows.side != SIDE) {
    return launch_narrow<OP, P>(tiles, stream);
  } else return launch_slices<OP, P, SIDE, pcf_cuda_warps_side(OP, SINGLE)>(tiles, stream);
}

template <typename P>
static cudaError_t with_operation(const struct pcf_integral &integral,
                                  const pcf_cuda_tiles &tiles, cudaStream_t stream) {
#define LAUNCH(operation) return launch_operation<operation, P>(tiles, stream)
  PCF_WITH_OPERATION(integral.operation, LAUNCH)
#undef LAUNCH
  return cudaErrorInvalidValue;
}

extern "C" cudaError_t pcf_cuda_sweep(const struct pcf_integral *integral,
                                      const pcf_cuda_tiles *tiles, cudaStream_t stream) {
#define WITH_PIECE(P) return with_operation<P>(*integral, *tiles, stream)
  PCF_WITH_PIECE(integral->precision, tiles->rows.linear, WITH_PIECE);
#undef WITH_PIECE
}

const int pcf_cuda_architectures[] = {__CUDA_ARCH_LIST__, 0};

extern "C" cudaError_t pcf_cuda_load_kernel(void) {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(
    &attributes, sweep_kernel<PCF_L1, Step<float>, pcf_cuda_tile_side(PCF_L1, true),
                              pcf_cuda_warps_side(PCF_L1, true)>);
}
