/* The memory of CUDA devices, and pinned memory of the host: from pools, in which it stays
 * between calls, with the streams: to allocate and create these takes longer than many calls
 * do. The calling thread must have made the device the current one, in the process that started
 * CUDA. */
#pragma once

#include "base/error.h"
#include "cuda/pool.h"

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

enum { PCF_CUDA_ALLOCATIONS = 64 };

/* One device, and what a run has allocated on it. A struct of zeros with `index` and `name`
 * filled in is a device without allocations. */
struct pcf_cuda_memory {
  int index;
  char name[256];
  double limit; /* bytes: no more may be allocated; 0: what there is */
  int count;
  void *block[PCF_CUDA_ALLOCATIONS];
};

/* What to add to the message of an error: "", or that this process cannot recover from it. */
const char *pcf_cuda_advice(cudaError_t code);

/* PCF_OK, or the error for what CUDA says of `what` ("launching a kernel"). */
enum pcf_status pcf_cuda_check(const struct pcf_cuda_memory *device, cudaError_t code,
                               const char *what, struct pcf_error *error);

/* Allocates on the current device, which must be this one; PCF_ERROR_DEVICE_MEMORY with the
 * sizes in the message. Idle memory of earlier calls is used again, and freed where its room is
 * needed. NULL without success, and where *status, which is set then, is a failure already. */
void *pcf_cuda_allocate(struct pcf_cuda_memory *device, size_t bytes, enum pcf_status *status,
                        struct pcf_error *error);

/* Gives an allocation to an owner, as pcf_pool_own() does. */
void pcf_cuda_give_to_owner(struct pcf_cuda_memory *device, const void *address, int64_t owner,
                            int used);

/* Gives one allocation back, NULL included, or those from block[first] on. The device must be
 * done with them. */
void pcf_cuda_free(struct pcf_cuda_memory *device, void *address);
void pcf_cuda_free_from(struct pcf_cuda_memory *device, int first);

/* Pinned memory of at least `bytes`, and giving it (NULL included) back. */
enum pcf_status pcf_cuda_pin(const struct pcf_cuda_memory *device, size_t bytes, void **address,
                             struct pcf_error *error);
void pcf_cuda_unpin(const struct pcf_cuda_memory *device, void *address);

/* ---- What stays between calls, of each device ---- */

struct pcf_pool *pcf_cuda_pool(int index);

/* A stream that does not wait for others; and gives one (0: none) back, after waiting for the
 * work on it. */
cudaError_t pcf_cuda_take_stream(int index, cudaStream_t *stream);
void pcf_cuda_give_stream(int index, cudaStream_t stream);

/* The end of a call; `memory` is what the device has, in bytes. */
void pcf_cuda_end_call(int index, double memory);

/* The most bytes that may be idle between calls on a device with so much memory: what
 * pcf_cuda_limit_idle() was told last, or, when that is negative, a quarter of the memory. */
double pcf_cuda_most_idle(double memory);

/* Frees what is idle; returns the bytes of the device's memory that were given back. */
double pcf_cuda_release_idle(int index);
