#include "cuda/kept.h"

#include "cuda/limits.h"

#include <math.h>
#include <stdatomic.h>

enum { STREAMS = 16 };
/* As much as blocks of doubles go through, with the lengths of overlaps beside them. */
static const double most_pinned = 512 << 20;

/* How much larger than wanted kept memory may be: little on the device, whose memory was
 * planned; pinning is slow. */
static const double device_spare = 1.125, pinned_spare = 4;

static struct {
  struct pcf_pool device, pinned;
  pthread_mutex_t lock; /* of the streams */
  cudaStream_t stream[STREAMS];
  int streams;
} kept[PCF_MAX_GPUS];

static _Atomic double most_kept = -1; /* -1: a quarter of the device's memory */

void pcf_cuda_keep_at_most(double bytes) {
  most_kept = bytes;
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
    pcf_pool_init(&kept[g].device, &device_source, device_spare);
    pcf_pool_init(&kept[g].pinned, &pinned_source, pinned_spare);
    pthread_mutex_init(&kept[g].lock, NULL);
  }
}

static void init_once(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, init);
}

struct pcf_pool *pcf_cuda_device_pool(int index) {
  init_once();
  return &kept[index].device;
}

struct pcf_pool *pcf_cuda_pinned_pool(int index) {
  init_once();
  return &kept[index].pinned;
}

/* ---- Streams ---- */

cudaError_t pcf_cuda_take_stream(int index, cudaStream_t *stream) {
  *stream = NULL;
  init_once();
  pthread_mutex_lock(&kept[index].lock);
  if (kept[index].streams > 0) *stream = kept[index].stream[--kept[index].streams];
  pthread_mutex_unlock(&kept[index].lock);
  return *stream ? cudaSuccess : cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
}

/* A stream on which something failed is not used again. */
void pcf_cuda_give_stream(int index, cudaStream_t stream) {
  if (!stream) return;
  int sound = cudaStreamSynchronize(stream) == cudaSuccess;
  pthread_mutex_lock(&kept[index].lock);
  if (sound && kept[index].streams < STREAMS) {
    kept[index].stream[kept[index].streams++] = stream;
    stream = NULL;
  }
  pthread_mutex_unlock(&kept[index].lock);
  if (stream) cudaStreamDestroy(stream);
}

static void destroy_streams(int index) {
  pthread_mutex_lock(&kept[index].lock);
  while (kept[index].streams > 0) cudaStreamDestroy(kept[index].stream[--kept[index].streams]);
  pthread_mutex_unlock(&kept[index].lock);
}

/* ---- Calls ---- */

void pcf_cuda_begin_call(int index) {
  pcf_pool_begin_call(pcf_cuda_device_pool(index));
  pcf_pool_begin_call(pcf_cuda_pinned_pool(index));
}

double pcf_cuda_most_kept(double memory) {
  return most_kept < 0 ? memory / 4 : most_kept;
}

void pcf_cuda_end_call(int index, double memory) {
  double most = pcf_cuda_most_kept(memory);
  pcf_pool_end_call(pcf_cuda_device_pool(index), most);
  pcf_pool_end_call(pcf_cuda_pinned_pool(index), fmin(most, most_pinned));
}

double pcf_cuda_release_gpu(int index) {
  double released = pcf_pool_release(pcf_cuda_device_pool(index));
  pcf_pool_release(pcf_cuda_pinned_pool(index));
  destroy_streams(index);
  return released;
}
