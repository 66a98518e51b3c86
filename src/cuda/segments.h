/* The functions that are on a device: segments of collections, as bands or panels, in slots
 * that are loaded when a block needs them. */
#pragma once

#include "cuda/resident.h"
#include "cuda/run.h"
#include "cuda/upload.h"

/* A segment in the form of the run's method, on the device; its first function is number
 * `first`. */
struct pcf_cuda_segment {
  int64_t first;
  union {
    struct pcf_cuda_bands bands;
    struct pcf_cuda_panel panel;
  };
};

struct pcf_cuda_segments {
  const struct pcf_cuda_run *run;
  struct pcf_cuda_memory *memory;
  struct pcf_slots slots;
  void *slot[PCF_MAX_SLOTS]; /* NULL until it is first used */
  struct pcf_cuda_segment segment[PCF_MAX_SLOTS];
  struct pcf_cuda_resident_form
    resident[PCF_MAX_SLOTS]; /* what is in a slot, where that stays */
  int use_packed[2];         /* of each form: is its collection here? */
  struct pcf_cuda_packed packed[2];
  struct pcf_cuda_uplink uplink;
  void *shared[PCF_CUDA_MOST_SHARED]; /* see struct pcf_cuda_run */
};

/* Makes a device ready for functions. All zero is a state that can be closed. */
enum pcf_status pcf_cuda_segments_open(struct pcf_cuda_segments *segments,
                                       const struct pcf_cuda_run *run,
                                       struct pcf_cuda_memory *memory, struct pcf_error *error);

/* Brings the segments of a block's rows and columns to the device, if they are not there.
 * Before a slot is used again, it waits for the device, since blocks may still read it. */
enum pcf_status pcf_cuda_segments_take(struct pcf_cuda_segments *segments,
                                       const struct pcf_block *block,
                                       const struct pcf_cuda_segment **rows,
                                       const struct pcf_cuda_segment **columns,
                                       struct pcf_error *error);

/* Device memory is freed with struct pcf_cuda_memory. */
void pcf_cuda_segments_close(struct pcf_cuda_segments *segments);
