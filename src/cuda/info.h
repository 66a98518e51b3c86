/* What CUDA offers here: whether it is built in, the driver, the devices, and the code for
 * them. */
#pragma once

#include "cuda/limits.h"

struct pcf_backend;

struct pcf_gpu_info {
  char name[256];
  int capability; /* major · 10 + minor */
  int multiprocessors;
  double memory;          /* bytes */
  double free_memory;     /* bytes; NaN until it is measured */
  double idle_memory;     /* bytes that this process has for its next call */
  double resident_memory; /* bytes of resident collections, and of what was made of them */
  int has_code;           /* does this build have code for it? */
};

struct pcf_cuda_info {
  int built;           /* was the package built with CUDA? */
  int driver, runtime; /* versions, major · 1000 + minor · 10; 0: none */
  int count;           /* of devices, at most PCF_MAX_GPUS */
  int wanted;          /* of them, the first so many are to be used */
  struct pcf_gpu_info gpu[PCF_MAX_GPUS];
  char problem[320]; /* why CUDA cannot be used; "" if nothing is known to be in the way */
};

/* Fills `info`, for a use of at most `wanted` devices (0: all). The first call of a process
 * looks for devices, which takes a moment; no device is touched. */
void pcf_cuda_describe(struct pcf_cuda_info *info, int wanted);

/* The same, and PCF_ERROR_DEVICE if there is a problem. */
static inline enum pcf_status pcf_cuda_require(struct pcf_cuda_info *info, int wanted,
                                               struct pcf_error *error) {
  pcf_cuda_describe(info, wanted);
  if (!info->problem[0]) return PCF_OK;
  return pcf_fail(error, PCF_ERROR_DEVICE, "CUDA cannot be used: %s", info->problem);
}

/* Starts CUDA on the wanted devices of an `info` without a problem. The first time, that takes
 * a moment and some hundred megabytes of each. PCF_ERROR_DEVICE_MEMORY when a device has no
 * memory left for it, else PCF_ERROR_DEVICE; the message is of the form of a problem. */
enum pcf_status pcf_cuda_start(const struct pcf_cuda_info *info, struct pcf_error *error);

/* The same, and measures their free memory. The current device of the thread stays. */
enum pcf_status pcf_cuda_measure(struct pcf_cuda_info *info, struct pcf_error *error);

/* The CUDA devices as a backend of the engine, for problems that are struct pcf_pairs; NULL
 * when the package was built without them. */
const struct pcf_backend *pcf_cuda_backend(void);

/* Seconds that starting CUDA is expected to take, the first time; 0 after that. */
double pcf_cuda_starting_cost(void);

/* Is this the process that uses CUDA? A process that was forked from it must not touch its
 * devices. */
int pcf_cuda_is_ours(void);

/* Frees the memory that is idle between calls; returns the bytes of device memory. */
double pcf_cuda_release(void);

/* In builds for tests: `memory` limits the bytes of every device (0: no limit) without the plan
 * taking that into account, `launch` makes every launch of the sweep fail, and `start` leaves
 * no device enough memory to start CUDA on it. */
struct pcf_cuda_provocation {
  double memory;
  int launch, start;
};
#ifdef PCF_TESTING
extern struct pcf_cuda_provocation pcf_cuda_provocation;
#else
static const struct pcf_cuda_provocation pcf_cuda_provocation = {0};
#endif
