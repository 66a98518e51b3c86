/* What is kept of each GPU between calls, since making it anew takes longer than many calls do:
 * memory of the device, pinned memory of the host, and streams. Whoever uses that has made the
 * GPU the current device, and belongs to the process that began with CUDA. */
#ifndef PCF_CUDA_KEPT_H
#define PCF_CUDA_KEPT_H

#include "cuda/pool.h"

#include <cuda_runtime_api.h>

struct pcf_pool *pcf_cuda_device_pool(int index);
struct pcf_pool *pcf_cuda_pinned_pool(int index);

/* A stream that does not wait for others, and giving one (0: none) back: what was on it is done
 * then. */
cudaError_t pcf_cuda_take_stream(int index, cudaStream_t *stream);
void pcf_cuda_give_stream(int index, cudaStream_t stream);

/* The beginning and the end of a call; `memory` is what the device has, in bytes. */
void pcf_cuda_begin_call(int index);
void pcf_cuda_end_call(int index, double memory);

/* Sets how many bytes of each GPU may stay allocated between calls; -1: a quarter. */
void pcf_cuda_keep_at_most(double bytes);

/* The most bytes that a GPU with so much memory may keep between calls. */
double pcf_cuda_most_kept(double memory);

/* Frees what a GPU keeps, but for what stays; returns the bytes of its memory that were given
 * back. */
double pcf_cuda_release_gpu(int index);

#endif
