/* Tunings of the CUDA kernels, apart from the kernels and their launch. */
#pragma once

#include "integrals/integral.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the sweep is cut: the functions of a tile's rows and columns (32 × 32, 32 × 64 or 64 ×
 * 64), and the side of the square of warps in a CTA (1 or 2). */
struct pcf_cuda_policy {
  int rows, columns, warps;
};

/* Is the sweep of that operation built for tiles of so many rows and columns? Operations
 * that take powers need too much memory for others than 32 × 32. The forms for partial
 * functions, and those for lines, would take as much room again, and are built for those that
 * are fastest. */
PCF_CONSTANT int pcf_cuda_has_shape(int operation, int single, int linear, int rows,
                                    int columns) {
  return (rows == 32 && columns == 32) ||
         (!pcf_takes_powers(operation) &&
          ((!linear && !pcf_is_partial_form(operation)) || (single && rows == 64)));
}

/* The tuning for a GPU of at least some compute capability (major · 10 + minor); `linear` for
 * piecewise linear functions. */
struct pcf_cuda_policy pcf_cuda_select_policy(int capability, enum pcf_operation operation,
                                              enum pcf_precision precision, int linear);

/* For tests: the tuning that a forced tile width stands for. 32: 32 × 32; 64: 64 × 64; 128 and
 * 256: 32 × 64 with four warps or one; 32 × 32 where that is not built. */
struct pcf_cuda_policy pcf_cuda_forced_policy(int width, enum pcf_operation operation,
                                              enum pcf_precision precision, int linear);

/* The kernels add the stretches of a pair in the precision of the result, and flush: from time
 * to time they move what they have to a sum in double. So the error does not grow with the
 * length of the functions. This is after how many events of a function they flush, or after how
 * many stretches of a shared grid, a multiple of 8. It depends on neither the device nor the
 * tiles, so that results do not. */
int pcf_cuda_flush_interval(enum pcf_precision precision, int on_grid);

/* Are the sums of a function flushed after its event number `event`, counted from 0 within the
 * window? `interval` is 0 where nothing is flushed. */
PCF_HOST_DEVICE int pcf_cuda_flushes(int64_t event, int interval) {
  return interval > 0 && event > 0 && event % interval == 0;
}

#ifdef __cplusplus
}
#endif
