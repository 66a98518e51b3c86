#include "cuda/info.h"

#include "cuda-kernels/kernels.h"
#include "cuda/limits.h"
#include "cuda/memory.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef PCF_TESTING
struct pcf_cuda_provocation pcf_cuda_provocation;
#endif

/* Guards what follows. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* CUDA does not survive a fork: only the process that began with it may go on. */
static atomic_int first_user;

/* What does not change is looked up only once, since that takes a while. */
static int known;
static struct pcf_gpu_info gpus[PCF_MAX_GPUS];
static int started[PCF_MAX_GPUS];

/* ---- What there is ---- */

static cudaError_t describe_gpu(int index, struct pcf_gpu_info *gpu) {
  struct cudaDeviceProp properties;
  cudaError_t code = cudaGetDeviceProperties(&properties, index);
  cudaGetLastError();
  if (code != cudaSuccess) return code;
  gpu->free_memory = NAN;
  memcpy(gpu->name, properties.name, sizeof gpu->name - 1);
  gpu->capability = properties.major * 10 + properties.minor;
  gpu->multiprocessors = properties.multiProcessorCount;
  gpu->memory = (double)properties.totalGlobalMem;
  gpu->has_code = pcf_cuda_runs_on(pcf_cuda_architectures, gpu->capability);
  return cudaSuccess;
}

static void describe_gpus(struct pcf_cuda_info *info) {
  while (known < info->count) {
    cudaError_t code = describe_gpu(known, &gpus[known]);
    if (code == cudaSuccess) {
      known++;
      continue;
    }
    snprintf(info->problem, sizeof info->problem,
             "CUDA device %d does not report its properties (%s)", known,
             cudaGetErrorString(code));
    info->count = known;
  }
  memcpy(info->gpu, gpus, (size_t)info->count * sizeof gpus[0]);
  for (int g = 0; g < info->count; g++) {
    struct pcf_pool_bytes bytes = pcf_pool_bytes(pcf_cuda_pool(g));
    info->gpu[g].idle_memory = bytes.idle;
    info->gpu[g].resident_memory = bytes.owned;
  }
}

/* Counts the devices; leaves a problem where there is none. */
static void find_gpus(struct pcf_cuda_info *info) {
  cudaRuntimeGetVersion(&info->runtime);
  cudaDriverGetVersion(&info->driver);
  if (!info->driver) {
    strcpy(info->problem, "there is no CUDA driver");
    return;
  }
  cudaError_t code = cudaGetDeviceCount(&info->count);
  cudaGetLastError();
  if (code == cudaSuccess && info->count > 0) return;
  info->count = 0;
  snprintf(info->problem, sizeof info->problem, "there is no CUDA device (%s)",
           code == cudaSuccess ? "none found" : cudaGetErrorString(code));
}

static void look_for_code(struct pcf_cuda_info *info) {
  for (int g = 0; g < info->wanted && !info->problem[0]; g++) {
    const struct pcf_gpu_info *gpu = &info->gpu[g];
    if (gpu->has_code) continue;
    snprintf(info->problem, sizeof info->problem,
             "this build has no code for %.200s (compute capability %d.%d)", gpu->name,
             gpu->capability / 10, gpu->capability % 10);
  }
}

static int was_forked(void) {
  return first_user && first_user != getpid();
}

int pcf_cuda_is_ours(void) {
  return first_user == getpid();
}

static void describe(struct pcf_cuda_info *info, int wanted) {
  if (was_forked()) {
    strcpy(info->problem, "CUDA was in use before this process was forked; use it in the child "
                          "only, or use device = \"cpu\"");
    return;
  }
  find_gpus(info);
  if (info->problem[0]) return;
  first_user = getpid();
  if (info->count > PCF_MAX_GPUS) info->count = PCF_MAX_GPUS;
  describe_gpus(info);
  info->wanted = wanted > 0 && wanted < info->count ? wanted : info->count;
  look_for_code(info);
}

void pcf_cuda_describe(struct pcf_cuda_info *info, int wanted) {
  memset(info, 0, sizeof *info);
  info->built = 1;
  pthread_mutex_lock(&lock);
  describe(info, wanted);
  pthread_mutex_unlock(&lock);
}

/* ---- Starting ---- */

/* Makes a device the current one and, the first time, sees whether a kernel can be loaded. */
static cudaError_t start_gpu(int index) {
  cudaError_t code = cudaSetDevice(index);
  if (pcf_cuda_provocation.start) return cudaErrorMemoryAllocation;
  if (code != cudaSuccess || started[index]) return code;
  code = cudaFree(NULL);
  if (code == cudaSuccess) code = pcf_cuda_load_kernel();
  started[index] = code == cudaSuccess;
  return code;
}

static enum pcf_status fail_to_start(int index, const char *name, cudaError_t code,
                                     struct pcf_error *error) {
  cudaGetLastError();
  if (code == cudaErrorMemoryAllocation) {
    return pcf_fail(error, PCF_ERROR_DEVICE_MEMORY,
                    "CUDA device %d (%s) has no memory left to start CUDA on it", index, name);
  }
  return pcf_fail(error, PCF_ERROR_DEVICE, "CUDA cannot be started on device %d (%s): %s%s",
                  index, name, cudaGetErrorString(code), pcf_cuda_advice(code));
}

enum pcf_status pcf_cuda_start(const struct pcf_cuda_info *info, struct pcf_error *error) {
  enum pcf_status status = PCF_OK;
  pthread_mutex_lock(&lock);
  for (int g = 0; g < info->wanted && !status; g++) {
    cudaError_t code = start_gpu(g);
    if (code != cudaSuccess) status = fail_to_start(g, info->gpu[g].name, code, error);
  }
  pthread_mutex_unlock(&lock);
  return status;
}

enum pcf_status pcf_cuda_measure(struct pcf_cuda_info *info, struct pcf_error *error) {
  int before = 0;
  cudaGetDevice(&before);
  enum pcf_status status = pcf_cuda_start(info, error);
  for (int g = 0; g < info->wanted && !status; g++) {
    size_t free = 0, total = 0;
    cudaError_t code = cudaSetDevice(g);
    if (code == cudaSuccess) code = cudaMemGetInfo(&free, &total);
    if (code != cudaSuccess) status = fail_to_start(g, info->gpu[g].name, code, error);
    info->gpu[g].free_memory = (double)free;
  }
  cudaSetDevice(before);
  cudaGetLastError();
  return status;
}

/* ---- Letting go ---- */

double pcf_cuda_release(void) {
  double released = 0;
  int before = 0;
  pthread_mutex_lock(&lock);
  if (first_user && !was_forked()) {
    cudaGetDevice(&before);
    for (int g = 0; g < known; g++) {
      if (!started[g] || cudaSetDevice(g) != cudaSuccess) continue;
      released += pcf_cuda_release_idle(g);
    }
    cudaSetDevice(before);
    cudaGetLastError();
  }
  pthread_mutex_unlock(&lock);
  return released;
}
