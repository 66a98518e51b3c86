/* Methods: the ways in which CUDA devices compute a block of pairs. Each is a struct of
 * functions, from its cost to its launch; the cheapest method is offered. */
#pragma once

#include "cuda-kernels/kernels.h"
#include "pairs/pairs.h"

struct pcf_cuda_segments;
struct pcf_cuda_run;
struct pcf_cuda_segment;

/* The bytes that a function and a breakpoint take in a form, those that they take in addition
 * while they are brought into it, and those of a form that depend on neither. */
struct pcf_cuda_bytes {
  double function, breakpoint, function_scratch, breakpoint_scratch, slack;
};

struct pcf_cuda_method {
  const char *name;
  /* The expected seconds of its kernels on so many devices; ∞ where the method cannot be used,
   * or is used only on request. */
  double (*seconds)(const struct pcf_pairs *pairs, double gpus);
  int64_t tile; /* blocks have powers of two of so many rows and columns */
  int panel;    /* functions of a panel; 0: it has bands */
  /* Computes what all devices share, as run->state and run->shared, and sets run->wide; the
   * functions are clipped before. run->state is freed with the run. */
  enum pcf_status (*prepare)(struct pcf_cuda_run *run, struct pcf_error *error);
  /* The bytes of a form with that side, in which each array begins at a multiple of
   * PCF_CUDA_ALIGNMENT and functions are padded to whole sides; the slack comes on top of
   * that. */
  struct pcf_cuda_bytes (*bytes)(const struct pcf_cuda_run *run, int side);
  /* Brings functions that are on the device into their form, in `slot`; `segment` is all zero
   * but for its first function. Nothing is under way when it returns. */
  enum pcf_status (*build)(struct pcf_cuda_segments *segments,
                           const struct pcf_cuda_functions *functions, int side, void *slot,
                           struct pcf_cuda_segment *segment, struct pcf_error *error);
  cudaError_t (*launch)(const struct pcf_cuda_segments *segments,
                        const struct pcf_cuda_segment *rows,
                        const struct pcf_cuda_segment *columns,
                        const struct pcf_cuda_block *block, cudaStream_t stream);
  /* Writes the numbers on which a form depends, beside its functions, its side and the
   * integral, so that it can stay; at most PCF_CUDA_METHOD_KEY. Returns 0 where it cannot.
   * NULL: never. */
  int (*key)(const struct pcf_cuda_run *run, double *key);
};

extern const struct pcf_cuda_method pcf_cuda_sweep_method, pcf_cuda_grid_method,
  pcf_cuda_split_method;

/* After how many events of a function, or stretches of a grid, sums are flushed, where the most
 * that any has is `most` and the interval would be `interval`; 0: never. */
int pcf_cuda_flush_after(const struct pcf_integral *integral, int interval, int64_t most);

/* The next `bytes` of a slot. */
void *pcf_cuda_carve(char **slot, size_t bytes);

/* The method and the seconds that a run is expected to take; see struct pcf_backend. */
void pcf_cuda_offer(const void *pairs, const struct pcf_settings *settings, double others,
                    struct pcf_offer *offer);
