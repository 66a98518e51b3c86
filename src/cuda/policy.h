/* Tunings of the CUDA kernels, apart from the kernels and their launch. */
#ifndef PCF_CUDA_POLICY_H
#define PCF_CUDA_POLICY_H

#include "pairs/integral.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the sweep is cut: the functions of a tile's rows and columns (32 × 32, 32 × 64 or 64 ×
 * 64), and the side of the square of warps in a CTA (1 or 2). */
struct pcf_cuda_policy {
  int rows, columns, warps;
};

/* The tuning for a GPU of at least some compute capability (major · 10 + minor). */
struct pcf_cuda_policy pcf_cuda_select_policy(int capability, enum pcf_operation operation,
                                              enum pcf_precision precision);

/* For tests: the tuning that a forced tile width stands for. 32: 32 × 32; 64: 64 × 64; 128 and
 * 256: 32 × 64 with four warps or one. General p has tiles of 32 × 32 only. */
struct pcf_cuda_policy pcf_cuda_forced_policy(int width, enum pcf_operation operation);

#ifdef __cplusplus
}
#endif

#endif
