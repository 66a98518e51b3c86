#include "cuda/memory.h"

#include <pthread.h>

enum pcf_status pcf_cuda_check(const struct pcf_cuda_memory *device, cudaError_t code,
                               const char *what, struct pcf_error *error) {
  if (code == cudaSuccess) return PCF_OK;
  cudaGetLastError(); /* what can be cleared is */
  enum pcf_status status =
    code == cudaErrorMemoryAllocation ? PCF_ERROR_DEVICE_MEMORY : PCF_ERROR_DEVICE;
  return pcf_fail(error, status, "%s failed on CUDA device %d (%s): %s", what, device->index,
                  device->name, cudaGetErrorString(code));
}

/* ---- Device memory ---- */

static enum pcf_status out_of_memory(const struct pcf_cuda_memory *device, size_t bytes,
                                     struct pcf_error *error) {
  size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  if (device->limit > 0 && device->limit - device->used < (double)free) {
    return pcf_fail(error, PCF_ERROR_DEVICE_MEMORY,
                    "CUDA device %d (%s) is out of memory: %.1f MB more were needed, and %.1f "
                    "MB of the %.1f MB that may be used are free",
                    device->index, device->name, (double)bytes / 1e6,
                    (device->limit - device->used) / 1e6, device->limit / 1e6);
  }
  return pcf_fail(error, PCF_ERROR_DEVICE_MEMORY,
                  "CUDA device %d (%s) is out of memory: %.1f MB more were needed, and %.1f MB "
                  "of %.1f MB are free",
                  device->index, device->name, (double)bytes / 1e6, (double)free / 1e6,
                  (double)total / 1e6);
}

enum pcf_status pcf_cuda_allocate(struct pcf_cuda_memory *device, size_t bytes, void **address,
                                  struct pcf_error *error) {
  *address = NULL;
  if (bytes == 0) bytes = 1;
  if (device->count == PCF_CUDA_ALLOCATIONS) {
    return pcf_fail(error, PCF_ERROR_DEVICE, "too many allocations on CUDA device %d",
                    device->index);
  }
  if (device->limit > 0 && device->used + (double)bytes > device->limit) {
    return out_of_memory(device, bytes, error);
  }
  cudaError_t code = cudaMalloc(address, bytes);
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return out_of_memory(device, bytes, error);
  }
  if (code != cudaSuccess) return pcf_cuda_check(device, code, "allocating memory", error);
  device->block[device->count].address = *address;
  device->block[device->count++].bytes = bytes;
  device->used += (double)bytes;
  return PCF_OK;
}

void pcf_cuda_free(struct pcf_cuda_memory *device, void *address) {
  for (int k = 0; address && k < device->count; k++) {
    if (device->block[k].address != address) continue;
    cudaFree(address);
    device->used -= (double)device->block[k].bytes;
    device->block[k] = device->block[--device->count];
    return;
  }
}

void pcf_cuda_free_all(struct pcf_cuda_memory *device) {
  while (device->count) pcf_cuda_free(device, device->block[device->count - 1].address);
}

/* ---- Pinned memory ---- */

enum { MOST_PINNED = 128 };
static const size_t most_kept = (size_t)512 << 20;

static struct {
  void *address;
  size_t bytes;
  int busy;
} pinned[MOST_PINNED];
static int pinned_count;
static pthread_mutex_t pinned_lock = PTHREAD_MUTEX_INITIALIZER;

/* The smallest that is free and large enough, but not so large that it would be a waste; -1
 * when there is none. */
static int find_kept(size_t bytes) {
  int best = -1;
  for (int k = 0; k < pinned_count; k++) {
    if (pinned[k].busy || pinned[k].bytes < bytes || pinned[k].bytes / 4 > bytes) continue;
    if (best < 0 || pinned[k].bytes < pinned[best].bytes) best = k;
  }
  return best;
}

enum pcf_status pcf_cuda_pin(const struct pcf_cuda_memory *device, size_t bytes, void **address,
                             struct pcf_error *error) {
  enum pcf_status status = PCF_OK;
  *address = NULL;
  if (bytes == 0) bytes = 1;
  pthread_mutex_lock(&pinned_lock);
  int k = find_kept(bytes);
  if (k < 0 && pinned_count == MOST_PINNED) {
    status = pcf_fail(error, PCF_ERROR_MEMORY, "too many pinned buffers");
  } else if (k < 0) {
    k = pinned_count;
    cudaError_t code = cudaHostAlloc(&pinned[k].address, bytes, cudaHostAllocPortable);
    status = pcf_cuda_check(device, code, "allocating pinned memory", error);
    if (status == PCF_ERROR_DEVICE_MEMORY) {
      status = pcf_fail(error, PCF_ERROR_MEMORY,
                        "%.1f MB of memory could not be pinned for CUDA", (double)bytes / 1e6);
    }
    if (!status) pinned[pinned_count++].bytes = bytes;
  }
  if (!status) {
    pinned[k].busy = 1;
    *address = pinned[k].address;
  }
  pthread_mutex_unlock(&pinned_lock);
  return status;
}

static void drop(int k) {
  cudaFreeHost(pinned[k].address);
  pinned[k] = pinned[--pinned_count];
}

void pcf_cuda_unpin(void *address) {
  size_t kept = 0;
  pthread_mutex_lock(&pinned_lock);
  for (int k = 0; k < pinned_count; k++) {
    if (pinned[k].address == address) pinned[k].busy = 0;
    if (!pinned[k].busy) kept += pinned[k].bytes;
  }
  for (int k = pinned_count - 1; k >= 0 && kept > most_kept; k--) {
    if (pinned[k].busy) continue;
    kept -= pinned[k].bytes;
    drop(k);
  }
  pthread_mutex_unlock(&pinned_lock);
}

void pcf_cuda_forget_pinned(void) {
  pthread_mutex_lock(&pinned_lock);
  for (int k = pinned_count - 1; k >= 0; k--) {
    if (!pinned[k].busy) drop(k);
  }
  pthread_mutex_unlock(&pinned_lock);
}
