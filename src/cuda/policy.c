#include "cuda/policy.h"

/* Measured on one H200 (capability 9.0): the sweep alone, L1, 20,000 functions of 10 … 999
 * breakpoints, in 1e12 rectangles a second; the table is in bench/results.
 *
 *             32 × 32        32 × 64        64 × 64
 *   warps    1      4       1      4       1      4
 *   single  1.33   1.34    1.37   1.41    1.31   1.31
 *   double  0.71   0.70    0.69   0.70    0.60   0.42
 *
 * General p needs two arrays of sums and was not tuned. */
struct pcf_cuda_policy pcf_cuda_select_policy(int capability, enum pcf_operation operation,
                                              enum pcf_precision precision) {
  if (operation == PCF_LP) return (struct pcf_cuda_policy){32, 32, 1};
  if (capability >= 80 && precision == PCF_SINGLE_PRECISION) {
    return (struct pcf_cuda_policy){32, 64, 2};
  }
  return (struct pcf_cuda_policy){32, 32, 1};
}
