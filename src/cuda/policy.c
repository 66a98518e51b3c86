#include "cuda/policy.h"

/* The sweep, kernel alone, 20,000 functions of 10 … 999 breakpoints, L1: the measurements are
 * in bench/results. */
struct pcf_cuda_policy pcf_cuda_select_policy(int capability, enum pcf_operation operation,
                                              enum pcf_precision precision) {
  if (operation == PCF_LP) return (struct pcf_cuda_policy){32, 32, 1};
  if (capability >= 80 && precision == PCF_SINGLE_PRECISION) {
    return (struct pcf_cuda_policy){32, 64, 1};
  }
  return (struct pcf_cuda_policy){32, 32, 1};
}
