/* Tunings of the CUDA kernels, apart from the kernels and their launch. */
#pragma once

#include "integrals/integral.h"

/* How the sweep of an operation is cut: the functions on each side of a tile, 32 or 64, and the
 * side of the square of warps in a CTA. Operations that take powers have two arrays of sums,
 * which leave no room for more.
 *
 * Measured on one H200: the sweep alone, L1, 20,000 functions of 10 … 999 breakpoints, in 1e12
 * rectangles a second; the table is in bench/results.
 *
 *             32 × 32        32 × 64        64 × 64
 *   warps    1      4       1      4       1      4
 *   single  1.43   1.45    1.44   1.41    1.54   1.49
 *   double  0.75   0.77    0.73   0.77    0.65   0.54 */
PCF_CONSTANT int pcf_cuda_tile_side(int operation, int single) {
  return single && !pcf_takes_powers(operation) ? 64 : 32;
}

PCF_CONSTANT int pcf_cuda_warps_side(int operation, int single) {
  return single || pcf_takes_powers(operation) ? 1 : 2;
}

/* Does the operation have kernels of its own? Suprema are computed in double precision, since
 * they may be those of stretches that single precision does not resolve. */
PCF_CONSTANT int pcf_cuda_has_operation(int family, int operation, int single) {
  return pcf_has_operation(family, operation) && !(single && pcf_is_supremum(operation));
}

/* The kernels add the stretches of a pair in the precision of the result, and flush: from time
 * to time they move what they have to a sum in double. So the error does not grow with the
 * length of the functions. This is after how many events of a function they flush, or after how
 * many stretches of a shared grid, a multiple of 8. It depends on neither the device nor the
 * tiles, so that results do not.
 *
 * Equal stretches are the worst case, since all of them are rounded the same way: the error is
 * then up to 3e-6 in single precision, however many there are. Between flushes of the sweep
 * there are up to twice as many stretches, of both functions. */
PCF_HOST_DEVICE int pcf_cuda_flush_interval(enum pcf_precision precision, int on_grid) {
  if (precision == PCF_DOUBLE) return 1024;
  return on_grid ? 192 : 128;
}

/* Are the sums of a function flushed after its event number `event`, counted from 0 within the
 * window? `interval` is 0 where nothing is flushed. */
PCF_HOST_DEVICE int pcf_cuda_flushes(int64_t event, int interval) {
  return interval > 0 && event > 0 && event % interval == 0;
}
