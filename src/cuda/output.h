/* Output buffers of a device: each has a stream of its own, on which a block is computed and
 * copied back, so that the next blocks are computed meanwhile. Of a selection, the numbers that
 * it does not want stay on the device, as long as those that it may want are few. */
#ifndef PCF_CUDA_OUTPUT_H
#define PCF_CUDA_OUTPUT_H

#include "cuda/lists.h"

/* What is recorded of a block with a timeline. */
enum pcf_cuda_mark { PCF_CUDA_BEGUN, PCF_CUDA_COMPUTED, PCF_CUDA_COPIED, PCF_CUDA_MARKS };

/* What of a block comes back; of those that go into lists, nothing. */
enum pcf_cuda_wanted { PCF_CUDA_ALL, PCF_CUDA_FEW, PCF_CUDA_NOTHING, PCF_CUDA_LISTED };

/* `run` and `memory` are set by the caller; all else zero is a state that can be closed. */
struct pcf_cuda_output {
  const struct pcf_cuda_run *run;
  struct pcf_cuda_memory *memory;
  struct pcf_cuda_listed *listed; /* that blocks go into; NULL: into none */
  cudaStream_t stream;
  void *device, *host; /* the numbers of a block; the host's are pinned */
  double *wide;
  cudaEvent_t mark[PCF_CUDA_MARKS];
  enum pcf_cuda_wanted wanted; /* of the block that is in the buffer */
  /* For a selection without lists; otherwise pointers are NULL: */
  double *limit; /* as the selection gives them: of the rows, then of the columns */
  void *limits;  /* the same on the device, as scalars */
  struct pcf_entry
    *found; /* on the device: the count in the place of one, and `room` of them */
  int64_t room;
};

/* Makes the stream; makes room for blocks of up to `elements`; gives all but device memory
 * back, which is freed with struct pcf_cuda_memory when the streams are done. */
enum pcf_status pcf_cuda_output_open(struct pcf_cuda_output *output, struct pcf_error *error);
enum pcf_status pcf_cuda_output_reserve(struct pcf_cuda_output *output, int64_t elements,
                                        struct pcf_error *error);
void pcf_cuda_output_close(struct pcf_cuda_output *output);

/* Is the block left out because nobody wants its pairs? It is fetched and waited for as
 * others are, but not launched. */
int pcf_cuda_output_leaves_out(struct pcf_cuda_output *output, const struct pcf_block *block);

/* Brings the limits of a selection up, before the block is launched; and has the device filter
 * the numbers after that. Nothing for other sinks. */
cudaError_t pcf_cuda_output_limit(struct pcf_cuda_output *output,
                                  const struct pcf_block *block);
cudaError_t pcf_cuda_output_filter(const struct pcf_cuda_output *output,
                                   const struct pcf_block *block);

/* Starts copying back what is wanted of the block; waits until it is there, or, where more was
 * wanted than there is room for, until all is. */
enum pcf_status pcf_cuda_output_fetch(struct pcf_cuda_output *output,
                                      const struct pcf_block *block, struct pcf_error *error);
enum pcf_status pcf_cuda_output_wait(struct pcf_cuda_output *output,
                                     const struct pcf_block *block,
                                     struct pcf_finished *finished, struct pcf_error *error);

/* Notes when the stream comes to here, if there is a timeline. */
void pcf_cuda_output_mark(struct pcf_cuda_output *output, enum pcf_cuda_mark mark);

#endif
