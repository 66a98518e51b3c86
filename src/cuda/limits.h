/* What fits on a device and what can run there: arithmetic that needs no CUDA. */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { PCF_MAX_GPUS = 16 };

/* The least power of two of tiles that is not below `wanted`, but no more than it takes to
 * cover `largest`. */
int64_t pcf_cuda_side_from(int64_t tile, int64_t wanted, int64_t largest);

/* Bytes of each of `slots` equal slots when `budget` bytes are to hold them and what is
 * allocated while one is filled: `ratio` of a slot. A slot comes with `slack` more. Not below
 * 0. */
double pcf_cuda_slot_bytes(double budget, int slots, double slack, double ratio);

/* Does a build with machine code for some architectures and intermediate code for the newest of
 * them run on a device? Architectures are major · 100 + minor · 10, ascending, with 0 behind
 * the last; the capability is major · 10 + minor. Machine code runs on later minor versions of
 * its major version, intermediate code on all later versions. */
int pcf_cuda_runs_on(const int *architectures, int capability);

/* What a device's memory is like when a request for more was refused; bytes. */
struct pcf_cuda_shortage {
  int device;
  const char *name;
  double wanted;      /* what was asked for */
  double free, total; /* what the device has */
  double used, limit; /* what the run has, and may have; limit 0: as much as there is */
};

/* Fails with PCF_ERROR_DEVICE_MEMORY and these numbers. */
enum pcf_status pcf_cuda_fail_for_memory(const struct pcf_cuda_shortage *shortage,
                                         struct pcf_error *error);

/* How many bytes of each device's memory may be idle between calls; -1: a quarter. */
void pcf_cuda_limit_idle(double bytes);
