/* Output buffers of a device: each has a stream of its own, on which a block is computed and
 * copied back, so that the next blocks are computed meanwhile. */
#ifndef PCF_CUDA_OUTPUT_H
#define PCF_CUDA_OUTPUT_H

#include "cuda/memory.h"
#include "cuda/run.h"

/* What is recorded of a block with a timeline. */
enum pcf_cuda_mark { PCF_CUDA_BEGUN, PCF_CUDA_COMPUTED, PCF_CUDA_COPIED, PCF_CUDA_MARKS };

/* `run` and `memory` are set by the caller; all else zero is a state that can be closed. */
struct pcf_cuda_output {
  const struct pcf_cuda_run *run;
  struct pcf_cuda_memory *memory;
  cudaStream_t stream;
  void *device, *host; /* the numbers of a block; the host's are pinned */
  double *wide;
  cudaEvent_t mark[PCF_CUDA_MARKS];
};

/* Makes the stream; makes room for blocks of up to `elements`; gives all but device memory
 * back, which is freed with struct pcf_cuda_memory when the streams are done. */
enum pcf_status pcf_cuda_output_open(struct pcf_cuda_output *output, struct pcf_error *error);
enum pcf_status pcf_cuda_output_reserve(struct pcf_cuda_output *output, int64_t elements,
                                        struct pcf_error *error);
void pcf_cuda_output_close(struct pcf_cuda_output *output);

/* Starts copying a block back that is launched on the stream; waits until that is done. */
enum pcf_status pcf_cuda_output_fetch(struct pcf_cuda_output *output,
                                      const struct pcf_block *block, struct pcf_error *error);
enum pcf_status pcf_cuda_output_wait(struct pcf_cuda_output *output,
                                     const struct pcf_block *block,
                                     struct pcf_finished *finished, struct pcf_error *error);

/* Notes when the stream comes to here, if there is a timeline. */
void pcf_cuda_output_mark(struct pcf_cuda_output *output, enum pcf_cuda_mark mark);

#endif
