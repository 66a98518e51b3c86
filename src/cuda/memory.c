#include "cuda/memory.h"

#include "base/memory.h"
#include "cuda/limits.h"

#include <math.h>

/* ---- Pools and streams of each device ---- */

enum { STREAMS = 16 };
/* The most pinned memory that stays idle, in bytes: what blocks of doubles need, and a third
 * more. */
static const double most_pinned = 256 << 20;

/* How many times as large as the request an idle block may be that is used for it. On the
 * device, whose memory is planned, that is little; in pinned memory it is more, since pinning
 * is slow. */
static const double device_spare = 1.125, pinned_spare = 4;

static struct {
  struct pcf_pool device, pinned;
  pthread_mutex_t lock; /* of the streams */
  cudaStream_t stream[STREAMS];
  int streams;
} devices[PCF_MAX_GPUS];

static _Atomic double most_idle = -1; /* -1: a quarter of the device's memory */

void pcf_cuda_limit_idle(double bytes) {
  most_idle = bytes;
}

/* ---- Sources of memory ---- */

static int allocate_on_device(size_t bytes, void **address) {
  cudaError_t code = cudaMalloc(address, bytes);
  if (code != cudaSuccess) cudaGetLastError();
  return (int)code;
}

static void free_on_device(void *address) {
  cudaFree(address);
}

static int allocate_pinned(size_t bytes, void **address) {
  cudaError_t code = cudaHostAlloc(address, bytes, cudaHostAllocPortable);
  if (code != cudaSuccess) cudaGetLastError();
  return (int)code;
}

static void free_pinned(void *address) {
  cudaFreeHost(address);
}

static const struct pcf_pool_source device_source = {allocate_on_device, free_on_device,
                                                     cudaErrorMemoryAllocation};
static const struct pcf_pool_source pinned_source = {allocate_pinned, free_pinned,
                                                     cudaErrorMemoryAllocation};

static void init(void) {
  for (int g = 0; g < PCF_MAX_GPUS; g++) {
    pcf_pool_init(&devices[g].device, &device_source, device_spare);
    pcf_pool_init(&devices[g].pinned, &pinned_source, pinned_spare);
    pthread_mutex_init(&devices[g].lock, NULL);
  }
}

static void init_once(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, init);
}

struct pcf_pool *pcf_cuda_pool(int index) {
  init_once();
  return &devices[index].device;
}

static struct pcf_pool *pinned_pool(int index) {
  init_once();
  return &devices[index].pinned;
}

/* ---- Streams ---- */

cudaError_t pcf_cuda_take_stream(int index, cudaStream_t *stream) {
  *stream = NULL;
  init_once();
  pthread_mutex_lock(&devices[index].lock);
  if (devices[index].streams > 0) *stream = devices[index].stream[--devices[index].streams];
  pthread_mutex_unlock(&devices[index].lock);
  return *stream ? cudaSuccess : cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
}

/* A stream on which something failed is not used again. */
void pcf_cuda_give_stream(int index, cudaStream_t stream) {
  if (!stream) return;
  int sound = cudaStreamSynchronize(stream) == cudaSuccess;
  pthread_mutex_lock(&devices[index].lock);
  if (sound && devices[index].streams < STREAMS) {
    devices[index].stream[devices[index].streams++] = stream;
    stream = NULL;
  }
  pthread_mutex_unlock(&devices[index].lock);
  if (stream) cudaStreamDestroy(stream);
}

static void destroy_streams(int index) {
  pthread_mutex_lock(&devices[index].lock);
  while (devices[index].streams > 0)
    cudaStreamDestroy(devices[index].stream[--devices[index].streams]);
  pthread_mutex_unlock(&devices[index].lock);
}

/* ---- Errors ---- */

const char *pcf_cuda_advice(cudaError_t code) {
  switch (code) {
  case cudaErrorECCUncorrectable:
  case cudaErrorIllegalAddress:
  case cudaErrorLaunchTimeout:
  case cudaErrorLaunchFailure: return "; GPUs can only be used again in a new session";
  default: return "";
  }
}

enum pcf_status pcf_cuda_check(const struct pcf_cuda_memory *device, cudaError_t code,
                               const char *what, struct pcf_error *error) {
  if (code == cudaSuccess) return PCF_OK;
  cudaGetLastError(); /* what can be cleared is */
  enum pcf_status status =
    code == cudaErrorMemoryAllocation ? PCF_ERROR_DEVICE_MEMORY : PCF_ERROR_DEVICE;
  return pcf_fail(error, status, "%s failed on CUDA device %d (%s): %s%s", what, device->index,
                  device->name, cudaGetErrorString(code), pcf_cuda_advice(code));
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
  struct pcf_pool_bytes taken = pcf_pool_bytes(pcf_cuda_pool(device->index));
  struct pcf_cuda_shortage shortage = {.device = device->index,
                                       .name = device->name,
                                       .wanted = (double)bytes,
                                       .free = (double)free,
                                       .total = (double)total,
                                       .used = taken.busy + taken.owned,
                                       .limit = device->limit};
  return pcf_cuda_fail_for_memory(&shortage, error);
}

static enum pcf_status take(struct pcf_cuda_memory *device, size_t bytes, void **address,
                            struct pcf_error *error) {
  double most = device->limit > 0 ? device->limit : INFINITY;
  if (device->count == PCF_CUDA_ALLOCATIONS) return too_many(device, error);
  int code = pcf_pool_take(pcf_cuda_pool(device->index), bytes, most, address);
  if (code == PCF_POOL_FULL) return too_many(device, error);
  if (code == cudaErrorMemoryAllocation) return out_of_memory(device, bytes, error);
  if (code) return pcf_cuda_check(device, (cudaError_t)code, "allocating memory", error);
  device->block[device->count++] = *address;
  return PCF_OK;
}

void *pcf_cuda_allocate(struct pcf_cuda_memory *device, size_t bytes, enum pcf_status *status,
                        struct pcf_error *error) {
  void *address = NULL;
  if (!*status) *status = take(device, bytes, &address, error);
  return address;
}

/* Removes an allocation from those of the run; returns whether it was one of them. */
static int take_out(struct pcf_cuda_memory *device, const void *address) {
  for (int k = 0; address && k < device->count; k++) {
    if (device->block[k] != address) continue;
    device->block[k] = device->block[--device->count];
    return 1;
  }
  return 0;
}

void pcf_cuda_give_to_owner(struct pcf_cuda_memory *device, const void *address, int64_t owner,
                            int used) {
  if (take_out(device, address)) {
    pcf_pool_own(pcf_cuda_pool(device->index), address, owner, used);
  }
}

void pcf_cuda_free(struct pcf_cuda_memory *device, void *address) {
  if (take_out(device, address)) pcf_pool_give(pcf_cuda_pool(device->index), address);
}

void pcf_cuda_free_from(struct pcf_cuda_memory *device, int first) {
  while (device->count > first) pcf_cuda_free(device, device->block[device->count - 1]);
}

/* ---- Pinned memory ---- */

enum pcf_status pcf_cuda_pin(const struct pcf_cuda_memory *device, size_t bytes, void **address,
                             struct pcf_error *error) {
  int code = pcf_pool_take(pinned_pool(device->index), bytes, INFINITY, address);
  if (code == PCF_POOL_FULL) return too_many(device, error);
  if (code == cudaErrorMemoryAllocation) {
    return pcf_fail(error, PCF_ERROR_MEMORY, "%s of memory could not be pinned for CUDA",
                    pcf_size_of((double)bytes).text);
  }
  return pcf_cuda_check(device, (cudaError_t)code, "allocating pinned memory", error);
}

void pcf_cuda_unpin(const struct pcf_cuda_memory *device, void *address) {
  pcf_pool_give(pinned_pool(device->index), address);
}

/* ---- Calls ---- */

double pcf_cuda_most_idle(double memory) {
  return most_idle < 0 ? memory / 4 : most_idle;
}

void pcf_cuda_end_call(int index, double memory) {
  double most = pcf_cuda_most_idle(memory);
  pcf_pool_end_call(pcf_cuda_pool(index), most);
  pcf_pool_end_call(pinned_pool(index), fmin(most, most_pinned));
}

double pcf_cuda_release_idle(int index) {
  double released = pcf_pool_release(pcf_cuda_pool(index));
  pcf_pool_release(pinned_pool(index));
  destroy_streams(index);
  return released;
}
