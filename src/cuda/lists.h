/* Lists of the pairs that items want most, which a device keeps over all blocks of a run, where
 * the sink's wish says all of what it wants. Then no number of a block leaves the device. */
#ifndef PCF_CUDA_LISTS_H
#define PCF_CUDA_LISTS_H

#include "cuda/memory.h"
#include "cuda/run.h"

/* `run` and `memory` are set by the caller; all else zero is a state that can be closed. */
struct pcf_cuda_listed {
  const struct pcf_cuda_run *run;
  struct pcf_cuda_memory *memory;
  struct pcf_cuda_lists lists;
  cudaEvent_t done; /* after the last block so far: one at a time may be put into the lists */
  void *host;       /* pinned: what is handed over */
  int64_t items_at_once, handed_over;
};

/* Makes empty lists, on a stream; puts the numbers of a block into them, after those of all
 * blocks before, on any stream; and gives back all but device memory. */
enum pcf_status pcf_cuda_lists_open(struct pcf_cuda_listed *listed, cudaStream_t stream,
                                    struct pcf_error *error);
cudaError_t pcf_cuda_lists_add(struct pcf_cuda_listed *listed,
                               const struct pcf_cuda_listing *listing, cudaStream_t stream);
void pcf_cuda_lists_close(struct pcf_cuda_listed *listed);

/* Gives the next lists, as a device hands them over; the blocks were waited for. */
enum pcf_status pcf_cuda_lists_hand_over(struct pcf_cuda_listed *listed, cudaStream_t stream,
                                         struct pcf_best *best, struct pcf_error *error);

#endif
