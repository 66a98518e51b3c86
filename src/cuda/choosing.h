/* Bounds on a device, by which it chooses the tiles of a block that it computes. */
#pragma once

#include "cuda/memory.h"
#include "cuda/run.h"
#include "cuda/upload.h"

/* `run` and `memory` are set by the caller. Pointers are those of the device's copies. */
struct pcf_cuda_choice {
  const struct pcf_cuda_run *run;
  struct pcf_cuda_memory *memory;
  struct pcf_cuda_choosing of;
};

/* Copies the bounds to the device, and waits until they are there. */
enum pcf_status pcf_cuda_choice_open(struct pcf_cuda_choice *choice,
                                     struct pcf_cuda_uplink *uplink, struct pcf_error *error);

/* The tiles of a block that are chosen, in memory for as many as `side` × `side` pairs have,
 * and on the host their number, which is there only after it was waited for. */
enum { PCF_CUDA_COUNTS = 2 }; /* before the tiles */
struct pcf_cuda_tiles_found {
  int32_t *tile;
  int32_t count;
};

enum pcf_status pcf_cuda_tiles_found_open(struct pcf_cuda_tiles_found *found,
                                          const struct pcf_cuda_choice *choice,
                                          struct pcf_error *error);

/* Where the limits of rows and columns are, as scalars of the run, on the device. */
struct pcf_cuda_limits {
  const void *row, *column;
};

/* Chooses tiles of a block, and waits for them: of a triangle, those near the diagonal,
 * whatever the limits, or the others. */
enum pcf_status pcf_cuda_choice_find(struct pcf_cuda_choice *choice,
                                     const struct pcf_block *block, int near,
                                     const struct pcf_cuda_limits *limits,
                                     struct pcf_cuda_tiles_found *found, cudaStream_t stream,
                                     struct pcf_error *error);
