/* Output buffers of a device: each has a stream of its own, on which a block is computed and
 * copied back, so that the next blocks are computed meanwhile. For a selection only the numbers
 * that it may want are copied back, as long as they are few. */
#pragma once

#include "cuda/choosing.h"
#include "cuda/lists.h"

/* The events of a block that a timeline records. */
enum pcf_cuda_mark { PCF_CUDA_BEGUN, PCF_CUDA_COMPUTED, PCF_CUDA_COPIED, PCF_CUDA_MARKS };

/* What of a block is copied back; nothing of a block whose numbers go into lists. */
enum pcf_cuda_wanted { PCF_CUDA_ALL, PCF_CUDA_FEW, PCF_CUDA_NOTHING, PCF_CUDA_LISTED };

/* `run`, `memory` and `listed` are set by the caller; all else zero can be closed. */
struct pcf_cuda_output {
  const struct pcf_cuda_run *run;
  struct pcf_cuda_memory *memory;
  struct pcf_cuda_listed *listed; /* that blocks go into; NULL: into none */
  cudaStream_t stream;
  void *device, *host; /* the numbers of a block; the host's are pinned */
  double *wide;
  cudaEvent_t mark[PCF_CUDA_MARKS];
  enum pcf_cuda_wanted wanted;             /* of the block that is in the buffer */
  struct pcf_cuda_tiles_found found_tiles; /* where tiles are chosen */
  struct pcf_cuda_chosen chosen;           /* those of them that are computed at once; or all */
  /* For a selection without lists; otherwise pointers are NULL: */
  double *limit; /* as the selection gives them: of the rows, then of the columns */
  void *limits;  /* the same on the device, as scalars */
  struct pcf_entry
    *found; /* on the device: the count in the place of one, and `room` of them */
  int64_t room;
  int overflows; /* were there more, of a block of which only chosen tiles were computed? */
};

/* pcf_cuda_output_open() makes the stream, and room for blocks of up to `elements` numbers, or,
 * with a `choice`, for as many as are computed at once.
 * pcf_cuda_output_close() frees everything but device memory, which is freed with struct
 * pcf_cuda_memory when the streams are done. */
enum pcf_status pcf_cuda_output_open(struct pcf_cuda_output *output, int64_t elements,
                                     const struct pcf_cuda_choice *choice,
                                     struct pcf_error *error);
void pcf_cuda_output_close(struct pcf_cuda_output *output);

/* Is the block left out because the sink wants none of its pairs? Such a block is not launched,
 * but fetched and waited for as others are. */
int pcf_cuda_output_leaves_out(struct pcf_cuda_output *output, const struct pcf_block *block);

/* pcf_cuda_output_limit() copies the limits of a selection to the device, before the block is
 * launched; pcf_cuda_output_filter() filters the numbers after that. For other sinks neither
 * does anything. */
cudaError_t pcf_cuda_output_limit(struct pcf_cuda_output *output,
                                  const struct pcf_block *block);
cudaError_t pcf_cuda_output_filter(const struct pcf_cuda_output *output,
                                   const struct pcf_block *block);

/* Where the limits are by which tiles of the block are chosen, unless all of it is wanted. */
struct pcf_cuda_limits pcf_cuda_output_limits(const struct pcf_cuda_output *output,
                                              const struct pcf_block *block);

/* pcf_cuda_output_fetch() starts copying back what is wanted of the block;
 * pcf_cuda_output_wait() waits until it has arrived. Where more entries are wanted than there
 * is room for, the whole block is copied; or, where only chosen tiles were computed,
 * `overflows` is set, and the block is to be launched as a whole, fetched and waited for again.
 */
enum pcf_status pcf_cuda_output_fetch(struct pcf_cuda_output *output,
                                      const struct pcf_block *block, struct pcf_error *error);
enum pcf_status pcf_cuda_output_wait(struct pcf_cuda_output *output,
                                     const struct pcf_block *block,
                                     struct pcf_finished *finished, struct pcf_error *error);

/* Records the time at which the stream gets here, if there is a timeline. */
void pcf_cuda_output_mark(struct pcf_cuda_output *output, enum pcf_cuda_mark mark);
