/* The memory of a CUDA device, and pinned memory of the host. */
#ifndef PCF_CUDA_MEMORY_H
#define PCF_CUDA_MEMORY_H

#include "base/error.h"

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

enum { PCF_CUDA_ALLOCATIONS = 64 };

/* One device, and what a run has allocated on it. Zero bytes with `index` and `name` filled in
 * are a device without allocations. */
struct pcf_cuda_memory {
  int index;
  char name[256];
  double limit; /* bytes: no more may be allocated; 0: what there is */
  int count;
  void *block[PCF_CUDA_ALLOCATIONS];
};

/* PCF_OK, or the error for what CUDA says of `what` ("launching a kernel"). */
enum pcf_status pcf_cuda_check(const struct pcf_cuda_memory *device, cudaError_t code,
                               const char *what, struct pcf_error *error);

/* Allocates on the current device, which must be this one; PCF_ERROR_DEVICE_MEMORY with the
 * sizes in the message. Memory that the device kept from earlier calls is used again, and given
 * up where it is in the way. */
enum pcf_status pcf_cuda_allocate(struct pcf_cuda_memory *device, size_t bytes, void **address,
                                  struct pcf_error *error);

/* Lets an allocation stay, as that of an owner; see pcf_pool_stay(). */
void pcf_cuda_let_stay(struct pcf_cuda_memory *device, void *address, int64_t owner, int used);

/* Gives one allocation back, NULL included, or all. The device must be done with it. */
void pcf_cuda_free(struct pcf_cuda_memory *device, void *address);
void pcf_cuda_free_all(struct pcf_cuda_memory *device);

/* Pinned memory of at least `bytes`, and giving it (NULL included) back. */
enum pcf_status pcf_cuda_pin(const struct pcf_cuda_memory *device, size_t bytes, void **address,
                             struct pcf_error *error);
void pcf_cuda_unpin(const struct pcf_cuda_memory *device, void *address);

#endif
