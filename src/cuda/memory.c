#include "cuda/memory.h"

#include "cuda/kept.h"
#include "cuda/limits.h"

#include <math.h>

enum pcf_status pcf_cuda_check(const struct pcf_cuda_memory *device, cudaError_t code,
                               const char *what, struct pcf_error *error) {
  if (code == cudaSuccess) return PCF_OK;
  cudaGetLastError(); /* what can be cleared is */
  enum pcf_status status =
    code == cudaErrorMemoryAllocation ? PCF_ERROR_DEVICE_MEMORY : PCF_ERROR_DEVICE;
  return pcf_fail(error, status, "%s failed on CUDA device %d (%s): %s", what, device->index,
                  device->name, cudaGetErrorString(code));
}

static enum pcf_status too_many(const struct pcf_cuda_memory *device, struct pcf_error *error) {
  return pcf_fail(error, PCF_ERROR_DEVICE, "too many allocations on CUDA device %d",
                  device->index);
}

/* ---- Device memory ---- */

static enum pcf_status out_of_memory(const struct pcf_cuda_memory *device, size_t bytes,
                                     struct pcf_error *error) {
  size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  cudaGetLastError();
  struct pcf_cuda_shortage shortage = {.device = device->index,
                                       .name = device->name,
                                       .wanted = (double)bytes,
                                       .free = (double)free,
                                       .total = (double)total,
                                       .used = pcf_cuda_device_pool(device->index)->busy +
                                               pcf_cuda_device_pool(device->index)->staying,
                                       .limit = device->limit};
  return pcf_cuda_fail_for_memory(&shortage, error);
}

enum pcf_status pcf_cuda_allocate(struct pcf_cuda_memory *device, size_t bytes, void **address,
                                  struct pcf_error *error) {
  double most = device->limit > 0 ? device->limit : INFINITY;
  *address = NULL;
  if (device->count == PCF_CUDA_ALLOCATIONS) return too_many(device, error);
  int code = pcf_pool_take(pcf_cuda_device_pool(device->index), bytes, most, address);
  if (code == PCF_POOL_FULL) return too_many(device, error);
  if (code == cudaErrorMemoryAllocation) return out_of_memory(device, bytes, error);
  if (code) return pcf_cuda_check(device, (cudaError_t)code, "allocating memory", error);
  device->block[device->count++] = *address;
  return PCF_OK;
}

/* Is the allocation one of the run? It is so no longer. */
static int take_out(struct pcf_cuda_memory *device, const void *address) {
  for (int k = 0; address && k < device->count; k++) {
    if (device->block[k] != address) continue;
    device->block[k] = device->block[--device->count];
    return 1;
  }
  return 0;
}

void pcf_cuda_let_stay(struct pcf_cuda_memory *device, void *address, int64_t owner, int used) {
  if (take_out(device, address)) {
    pcf_pool_stay(pcf_cuda_device_pool(device->index), address, owner, used);
  }
}

void pcf_cuda_free(struct pcf_cuda_memory *device, void *address) {
  if (take_out(device, address)) pcf_pool_give(pcf_cuda_device_pool(device->index), address);
}

void pcf_cuda_free_all(struct pcf_cuda_memory *device) {
  while (device->count) pcf_cuda_free(device, device->block[device->count - 1]);
}

/* ---- Pinned memory ---- */

enum pcf_status pcf_cuda_pin(const struct pcf_cuda_memory *device, size_t bytes, void **address,
                             struct pcf_error *error) {
  int code = pcf_pool_take(pcf_cuda_pinned_pool(device->index), bytes, INFINITY, address);
  if (code == PCF_POOL_FULL) return too_many(device, error);
  if (code == cudaErrorMemoryAllocation) {
    return pcf_fail(error, PCF_ERROR_MEMORY, "%.1f MB of memory could not be pinned for CUDA",
                    (double)bytes / 1e6);
  }
  return pcf_cuda_check(device, (cudaError_t)code, "allocating pinned memory", error);
}

void pcf_cuda_unpin(const struct pcf_cuda_memory *device, void *address) {
  pcf_pool_give(pcf_cuda_pinned_pool(device->index), address);
}
