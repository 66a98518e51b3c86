/* From run time to compile time: picks and launches the instances of the grid kernels. */
#include "cuda-kernels/grid.cuh"

template <int OP, typename T>
static cudaError_t launch(const pcf_cuda_cells &cells, cudaStream_t stream) {
  if constexpr (!pcf_cuda_has_operation(PCF_STEPS, OP, sizeof(T) == sizeof(float)))
    return cudaErrorInvalidValue;
  else {
    constexpr int OWN = pcf_takes_powers(OP) ? 4 : 8;
    using Shape = GridShape<T, OWN>;
    auto kernel = cells_kernel<OP, T, OWN>;
    size_t memory = 2 * sizeof(typename Shape::Stage);
    cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(memory));
    if (error != cudaSuccess) return error;
    int64_t rows = cells.block.last_row - cells.block.first_row;
    int64_t columns = cells.block.last_column - cells.block.first_column;
    dim3 grid(grid_for(rows, Shape::SIDE), grid_for(columns, Shape::SIDE));
    kernel<<<grid, GRID_THREADS, memory, stream>>>(cells);
    return cudaGetLastError();
  }
}

template <typename T>
static cudaError_t with_operation(enum pcf_operation operation, const pcf_cuda_cells &cells,
                                  cudaStream_t stream) {
#define LAUNCH(operation) return launch<operation, T>(cells, stream)
  PCF_WITH_OPERATION(operation, LAUNCH)
#undef LAUNCH
  return cudaErrorInvalidValue;
}

extern "C" cudaError_t pcf_cuda_grid(const struct pcf_integral *integral,
                                     const struct pcf_cuda_cells *cells, cudaStream_t stream) {
  if (integral->precision == PCF_DOUBLE) {
    return with_operation<double>(integral->operation, *cells, stream);
  }
  return with_operation<float>(integral->operation, *cells, stream);
}

extern "C" cudaError_t pcf_cuda_expand(const struct pcf_integral *integral,
                                       const struct pcf_cuda_expansion *expansion,
                                       cudaStream_t stream) {
  constexpr int THREADS = 128;
  constexpr int64_t MOST_RUNS = 65535;
  int64_t runs = grid_for(expansion->points, EXPAND_STRETCHES);
  dim3 grid(grid_for(expansion->functions.count, THREADS),
            unsigned(pcf_smaller(runs, MOST_RUNS)));
#define EXPAND(P)                                               \
  do {                                                          \
    expand_kernel<P><<<grid, THREADS, 0, stream>>>(*expansion); \
    return cudaGetLastError();                                  \
  } while (0)
  PCF_WITH_PIECE(integral->precision, expansion->functions.linear, EXPAND);
#undef EXPAND
}
