/* Lists of the pairs that items want most, which a device keeps over all blocks of a run, where
 * these are all that a selection wants. Then no number of a block leaves the device before the
 * last block. */
#pragma once

#include "cuda/memory.h"
#include "cuda/run.h"

/* `run` and `memory` are set by the caller; all else zero is a state that can be closed. */
struct pcf_cuda_listed {
  const struct pcf_cuda_run *run;
  struct pcf_cuda_memory *memory;
  struct pcf_cuda_lists lists;
  int32_t *place;   /* on the device: of the other item with each name; or NULL */
  cudaEvent_t done; /* after the last block so far: one at a time may be put into the lists */
  void *host;       /* pinned: for the lists of some items */
  int64_t items_at_once, given;
  /* Blocks that were begun; how many there are at the next exchange of limits; and, at the last
   * one, the devices that had no blocks of their own any more. */
  int64_t begun, exchange_at;
  int arrived, has_arrived;
};

/* pcf_cuda_lists_open() makes empty lists, on a stream. pcf_cuda_lists_add() puts the numbers
 * of a block that a filter reads into them, on any stream, after those of all blocks before.
 * pcf_cuda_lists_close() frees everything but device memory.
 *
 * pcf_cuda_lists_keep_up() comes before a block: now and again it exchanges limits with the
 * other devices of the run, and waits for all blocks before. */
enum pcf_status pcf_cuda_lists_open(struct pcf_cuda_listed *listed, cudaStream_t stream,
                                    struct pcf_error *error);
enum pcf_status pcf_cuda_lists_keep_up(struct pcf_cuda_listed *listed,
                                       const struct pcf_block *block, cudaStream_t stream,
                                       struct pcf_error *error);
cudaError_t pcf_cuda_lists_add(struct pcf_cuda_listed *listed, const struct pcf_block *block,
                               struct pcf_cuda_filter *filter, cudaStream_t stream);
void pcf_cuda_lists_close(struct pcf_cuda_listed *listed);

/* Returns the entries of the next lists in `finished`, and whether more lists follow. All
 * blocks must have been waited for. */
enum pcf_status pcf_cuda_lists_give(struct pcf_cuda_listed *listed, cudaStream_t stream,
                                    struct pcf_finished *finished, struct pcf_error *error);
