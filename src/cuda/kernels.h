/* The kernels' side of the CUDA device: what the host code hands them. */
#ifndef PCF_CUDA_KERNELS_H
#define PCF_CUDA_KERNELS_H

#include "core/integral.h"
#include "cuda/policy.h"

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A collection on the device, cut into bands of `side` functions, with the events of each band
 * in the order of time (cuda/sweep.cuh describes an event). All pointers are the device's. */
struct pcf_cuda_bands {
  int64_t count; /* of functions */
  int side;
  void *events;
  unsigned char *lane; /* which function of the band an event belongs to */
  int64_t *start;      /* of the bands' events: one a band, and the end */
  void *initial;       /* values at the start of the window, padded to whole bands */
};

/* The tiles of one block. */
struct pcf_cuda_tiles {
  struct pcf_cuda_bands rows, columns;
  int first_row_band, row_bands, first_column_band, column_bands;
  int triangle;                                           /* skip tiles above the diagonal */
  int64_t first_row, last_row, first_column, last_column; /* of the block; the last excluded */
  double start, to, p; /* `start`: a time before all events, or the window's */
  int half_powers;
  void *output; /* column-major, `stride` apart */
  int64_t stride;
};

/* Launches the sweep over the tiles of a block. */
cudaError_t pcf_cuda_sweep(const struct pcf_cuda_policy *policy,
                           const struct pcf_integral *integral,
                           const struct pcf_cuda_tiles *tiles, cudaStream_t stream);

/* Is there code for the current device? */
int pcf_cuda_has_code(void);

/* Builds bands from functions on the device: breakpoint e of function i is number start[i] + e;
 * `time` and `value` have start[count] scalars, `initial` one for each function. `first` is a
 * time that no event precedes. `scratch` and its size come from a call with scratch NULL.
 * `bands` brings its memory with it. */
cudaError_t pcf_cuda_build_bands(struct pcf_cuda_bands *bands,
                                 const struct pcf_integral *integral, const void *time,
                                 const void *value, const int64_t *start, int64_t breakpoints,
                                 double first, void *scratch, size_t *scratch_bytes,
                                 cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
