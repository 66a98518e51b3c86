/* Copies between host and device: several threads write an array into pinned memory, a part at
 * a time, and while one part is copied to the device they write the next one. */
#pragma once

#include "base/threads.h"
#include "cuda/memory.h"

#include <stdint.h>

struct pcf_cuda_uplink {
  const struct pcf_cuda_memory *memory;
  int threads;
  const atomic_int *stop;
  struct pcf_team *team;  /* while there is something to write */
  cudaStream_t stream[2]; /* of the two halves of the pinned memory */
  char *pinned;
  int half; /* that is written next */
};

/* `memory`, `threads` and `stop` are set by the caller; all else zero is a state that can be
 * closed. */
enum pcf_status pcf_cuda_uplink_open(struct pcf_cuda_uplink *uplink, struct pcf_error *error);
void pcf_cuda_uplink_close(struct pcf_cuda_uplink *uplink);

/* Writes elements first … end - 1 of an array to pinned memory, or takes them from there.
 * Called on several threads at once. */
typedef void pcf_cuda_passer(const void *context, int64_t first, int64_t end, void *pinned);

/* Starts bringing an array of `count` elements of `size` bytes to `to` on the device. The array
 * may go when this returns. */
enum pcf_status pcf_cuda_send(struct pcf_cuda_uplink *uplink, void *to, int64_t count,
                              size_t size, pcf_cuda_passer *write, const void *context,
                              struct pcf_error *error);

/* The same of an array that is there already. */
enum pcf_status pcf_cuda_send_array(struct pcf_cuda_uplink *uplink, void *to, const void *array,
                                    size_t bytes, struct pcf_error *error);

/* Brings an array of `count` elements of `size` bytes from the device, which is done with it,
 * to the host, in the same way. */
enum pcf_status pcf_cuda_fetch(struct pcf_cuda_uplink *uplink, const void *array, int64_t count,
                               size_t size, pcf_cuda_passer *read, const void *context,
                               struct pcf_error *error);

/* The same, to an array of the host. */
enum pcf_status pcf_cuda_bring_back(struct pcf_cuda_uplink *uplink, void *to, const void *array,
                                    size_t bytes, struct pcf_error *error);

/* Waits until everything has arrived, so that kernels on any stream find it, and returns the
 * first failure. To be called after one, `status`, too, before the memory that was sent to is
 * given back. */
enum pcf_status pcf_cuda_arrive(struct pcf_cuda_uplink *uplink, enum pcf_status status,
                                struct pcf_error *error);
