#include "fake-cuda.h"

#include "cuda/info.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_cuda fake_cuda = {.capacity = (size_t)1 << 30};

static _Thread_local int current;

/* ---- Faults and counts ---- */

void fake_cuda_reset(void) {
  fake_cuda.fail_at = fake_cuda.broken = 0; /* giving back can fail, too */
  pcf_cuda_limit_idle(-1);
  pcf_cuda_release();
  pcf_cuda_provocation = (struct pcf_cuda_provocation){0};
  fake_cuda.capacity = (size_t)1 << 30;
  fake_cuda.complete = 0;
}

void fake_cuda_count_launch(void) {
  atomic_fetch_add(&fake_cuda.launches, 1);
}

cudaError_t fake_cuda_step(void) {
  long call = atomic_fetch_add(&fake_cuda.calls, 1) + 1;
  return call == fake_cuda.fail_at ? fake_cuda.failure : cudaSuccess;
}

long fake_cuda_held(void) {
  long held = fake_cuda.pinned + fake_cuda.streams + fake_cuda.events;
  for (int d = 0; d < FAKE_DEVICES; d++) held += fake_cuda.bytes[d];
  return held;
}

const char *cudaGetErrorString(cudaError_t code) {
  return code == cudaErrorMemoryAllocation ? "out of memory" : "a fake error";
}

cudaError_t cudaGetLastError(void) {
  return cudaSuccess;
}

/* ---- Devices ---- */

cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = 13000;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version) {
  *version = 13000;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count) {
  *count = FAKE_DEVICES;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
  cudaError_t code = fake_cuda_step();
  if (code) return code;
  memset(properties, 0, sizeof *properties);
  snprintf(properties->name, sizeof properties->name, "fake %d", device);
  properties->major = device < FAKE_WITH_CODE ? 9 : 7;
  properties->multiProcessorCount = 4;
  properties->totalGlobalMem = (size_t)1 << 30;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  cudaError_t code = fake_cuda_step();
  if (code) return code;
  current = device;
  fake_cuda.used[device] = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  *device = current;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total) {
  cudaError_t code = fake_cuda.broken ? cudaErrorLaunchFailure : fake_cuda_step();
  if (code) return code;
  *total = (size_t)1 << 30;
  *free_bytes = fake_cuda.capacity - (size_t)fake_cuda.bytes[current];
  return cudaSuccess;
}

/* Under valgrind, memory of a device is undefined at first, and what is copied back must not be
 * where a test says so. */
#if defined(__has_include) && !defined(__cppcheck__)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif
#endif
#ifndef VALGRIND_MAKE_MEM_UNDEFINED
#define VALGRIND_MAKE_MEM_UNDEFINED(memory, bytes) ((void)(memory))
#define VALGRIND_CHECK_MEM_IS_DEFINED(memory, bytes) ((void)(memory))
#endif

/* ---- Memory ---- */

/* What stands before an allocation. */
struct header {
  size_t bytes;
  int device;
  char pad[52];
};

static void *allocate(size_t bytes) {
  struct header *header = malloc(sizeof *header + bytes);
  *header = (struct header){.bytes = bytes, .device = current};
  memset(header + 1, 0xAB, bytes);
  VALGRIND_MAKE_MEM_UNDEFINED(header + 1, bytes);
  return header + 1;
}

static struct header *header_of(void *address) {
  return (struct header *)address - 1;
}

cudaError_t cudaMalloc(void **address, size_t bytes) {
  cudaError_t code = fake_cuda_step();
  if (code) return code;
  if ((size_t)fake_cuda.bytes[current] + bytes > fake_cuda.capacity) {
    return cudaErrorMemoryAllocation;
  }
  fake_cuda.bytes[current] += (long)bytes;
  fake_cuda.allocations++;
  *address = allocate(bytes);
  return cudaSuccess;
}

cudaError_t cudaFree(void *address) {
  if (!address) return cudaSuccess;
  fake_cuda.bytes[header_of(address)->device] -= (long)header_of(address)->bytes;
  free(header_of(address));
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **address, size_t bytes, unsigned flags) {
  cudaError_t code = fake_cuda_step();
  if (code) return code;
  fake_cuda.pinned += (long)bytes;
  *address = allocate(bytes);
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void *address) {
  fake_cuda.pinned -= (long)header_of(address)->bytes;
  free(header_of(address));
  return cudaSuccess;
}

/* ---- Streams ---- */

struct work {
  void (*run)(const void *context);
  void *context;
  struct work *next;
};

struct fake_stream {
  struct work *first, **last;
  cudaStream_t next;
  int device;
};

/* The streams of each device, which one thread uses at a time. */
static cudaStream_t streams[FAKE_DEVICES];

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  cudaError_t code = fake_cuda_step();
  if (code) return code;
  *stream = malloc(sizeof **stream);
  (*stream)->first = NULL;
  (*stream)->last = &(*stream)->first;
  (*stream)->next = streams[current];
  (*stream)->device = current;
  streams[current] = *stream;
  fake_cuda.streams++;
  return cudaSuccess;
}

static void put(cudaStream_t stream, void (*run)(const void *context), const void *context,
                size_t bytes) {
  struct work *work = malloc(sizeof *work);
  *work = (struct work){.run = run, .context = malloc(bytes)};
  memcpy(work->context, context, bytes);
  *stream->last = work;
  stream->last = &work->next;
}

cudaError_t fake_cuda_put(cudaStream_t stream, void (*run)(const void *context),
                          const void *context, size_t bytes) {
  cudaError_t code = fake_cuda_step();
  if (!code) put(stream, run, context, bytes);
  return code;
}

/* What it does may be to wait for other streams, which wait for what is before it at most. */
static void do_next(cudaStream_t stream) {
  struct work *work = stream->first;
  stream->first = work->next;
  if (!stream->first) stream->last = &stream->first;
  work->run(work->context);
  free(work->context);
  free(work);
}

static void do_work(cudaStream_t stream) {
  while (stream->first) do_next(stream);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  do_work(stream);
  return fake_cuda_step();
}

cudaError_t cudaDeviceSynchronize(void) {
  for (cudaStream_t stream = streams[current]; stream; stream = stream->next) do_work(stream);
  return fake_cuda_step();
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  do_work(stream);
  cudaStream_t *link = &streams[stream->device];
  while (*link != stream) link = &(*link)->next;
  *link = stream->next;
  free(stream);
  fake_cuda.streams--;
  return cudaSuccess;
}

struct copy {
  void *to;
  const void *from;
  int value, back;
  size_t bytes;
};

static void do_copy(const void *copy_) {
  const struct copy *copy = copy_;
  if (copy->back) VALGRIND_CHECK_MEM_IS_DEFINED(copy->from, copy->bytes);
  if (copy->from) memcpy(copy->to, copy->from, copy->bytes);
  else memset(copy->to, copy->value, copy->bytes);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
  struct copy copy = {.to = to,
                      .from = from,
                      .bytes = bytes,
                      .back = kind == cudaMemcpyDeviceToHost && fake_cuda.complete};
  if (kind == cudaMemcpyHostToDevice) fake_cuda.uploaded += (long)bytes;
  return fake_cuda_put(stream, do_copy, &copy, sizeof copy);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
  struct copy copy = {.to = to, .value = value, .bytes = bytes};
  return fake_cuda_put(stream, do_copy, &copy, sizeof copy);
}

/* ---- Events: they take no time ---- */

struct fake_event {
  long recorded, happened; /* numbers of recordings */
  cudaStream_t stream;     /* of the last one */
};

struct recording {
  cudaEvent_t event;
  cudaStream_t stream;
  long number;
};

static void happen(const void *recording_) {
  const struct recording *recording = recording_;
  recording->event->happened = recording->number;
}

static void wait_until_happened(const void *recording_) {
  const struct recording *recording = recording_;
  while (recording->event->happened < recording->number) do_next(recording->stream);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  cudaError_t code = fake_cuda_step();
  if (code) return code;
  *event = calloc(1, sizeof **event);
  fake_cuda.events++;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  struct recording recording = {event, stream, ++event->recorded};
  event->stream = stream;
  put(stream, happen, &recording, sizeof recording);
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  struct recording recording = {event, event->stream, event->recorded};
  return fake_cuda_put(stream, wait_until_happened, &recording, sizeof recording);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return fake_cuda_step();
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to) {
  *milliseconds = 0;
  return from->recorded && to->recorded ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  free(event);
  fake_cuda.events--;
  return cudaSuccess;
}
