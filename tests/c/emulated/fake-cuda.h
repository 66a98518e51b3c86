/* A fake of CUDA's runtime, so that the CUDA device is tested without one. Memory of its
 * devices is memory of the host, full of rubbish at first; what is put on a stream happens as
 * late as it can, when the stream is waited for. Kernels run on the processor: cuda.h tells
 * how. */
#ifndef PCFDIST_TESTS_FAKE_CUDA_H
#define PCFDIST_TESTS_FAKE_CUDA_H

#include "fake-stream.h"

#include <stdatomic.h>

/* The last of three devices is too old for the kernels. */
#ifndef FAKE_DEVICES
#define FAKE_DEVICES 3
#endif
enum { FAKE_WITH_CODE = 2 };

struct fake_cuda {
  size_t capacity;                 /* of the memory of each device */
  atomic_long bytes[FAKE_DEVICES]; /* allocated */
  atomic_long pinned, streams, events;
  atomic_long allocations;       /* of device memory, ever */
  atomic_long uploaded;          /* bytes copied to devices, ever */
  atomic_int used[FAKE_DEVICES]; /* has anything made it the current device? */
  atomic_long launches;          /* of kernels, ever */
  atomic_long calls;             /* that can fail */
  long fail_at;                  /* the number of the one that does; 0: none */
  cudaError_t failure;
  int broken;   /* does only cudaSetDevice() still succeed, as where a kernel has crashed? */
  int complete; /* has all that is copied back been written? valgrind sees */
};
extern struct fake_cuda fake_cuda;

/* As in a new process, but for what is known of the devices. */
void fake_cuda_reset(void);

/* Whatever is allocated, of all kinds together. */
long fake_cuda_held(void);

#endif
