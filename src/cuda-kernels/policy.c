#include "cuda-kernels/policy.h"

/* Measured on one H200 (capability 9.0): the sweep alone, L1, 20,000 functions of 10 … 999
 * breakpoints, in 1e12 rectangles a second; the table is in bench/results.
 *
 *             32 × 32        32 × 64        64 × 64
 *   warps    1      4       1      4       1      4
 *   single  1.43   1.45    1.44   1.41    1.54   1.49
 *   double  0.75   0.77    0.73   0.77    0.65   0.54
 *
 * General p needs two arrays of sums and was not tuned. */
struct pcf_cuda_policy pcf_cuda_select_policy(int capability, enum pcf_operation operation,
                                              enum pcf_precision precision, int linear) {
  if (pcf_takes_powers(operation)) return (struct pcf_cuda_policy){32, 32, 1};
  int single = precision == PCF_SINGLE_PRECISION;
  if (capability >= 80 && single && pcf_cuda_has_shape(operation, single, linear, 64, 64)) {
    return (struct pcf_cuda_policy){64, 64, 1};
  }
  if (capability >= 80) return (struct pcf_cuda_policy){32, 32, 2};
  return (struct pcf_cuda_policy){32, 32, 1};
}

struct pcf_cuda_policy pcf_cuda_forced_policy(int width, enum pcf_operation operation,
                                              enum pcf_precision precision, int linear) {
  int rows = width == 64 ? 64 : 32, columns = width == 32 ? 32 : 64;
  int single = precision == PCF_SINGLE_PRECISION, warps = width == 256 ? 1 : 2;
  if (!pcf_cuda_has_shape(operation, single, linear, rows, columns)) rows = columns = 32;
  return (struct pcf_cuda_policy){rows, columns, warps};
}

/* Equal stretches are the worst case, since all of them are rounded the same way: the error is
 * then up to 3e-6 in single precision, however many there are. Between flushes of the sweep
 * there are up to twice as many stretches, of both functions. */
int pcf_cuda_flush_interval(enum pcf_precision precision, int on_grid) {
  if (precision == PCF_DOUBLE) return 1024;
  return on_grid ? 192 : 128;
}
