#include "cuda/info.h"

#include "cuda/kernels.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* CUDA does not survive a fork: only the process that began with it may go on. */
static pid_t first_user;

/* What does not change is asked for once: it takes a while. */
static int known;
static struct pcf_gpu_info gpus[PCF_MAX_GPUS];

static void describe_gpu(int index, struct pcf_gpu_info *gpu) {
  struct cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) return;
  memcpy(gpu->name, properties.name, sizeof gpu->name - 1);
  gpu->capability = properties.major * 10 + properties.minor;
  gpu->multiprocessors = properties.multiProcessorCount;
  gpu->memory = (double)properties.totalGlobalMem;
  gpu->has_code = cudaSetDevice(index) == cudaSuccess && pcf_cuda_has_code();
  cudaGetLastError();
}

static void ask_for_free_memory(int index, struct pcf_gpu_info *gpu) {
  size_t free = 0, total = 0;
  if (cudaSetDevice(index) == cudaSuccess && cudaMemGetInfo(&free, &total) == cudaSuccess) {
    gpu->free_memory = (double)free;
  }
  cudaGetLastError();
}

void pcf_cuda_describe(struct pcf_cuda_info *info) {
  memset(info, 0, sizeof *info);
  info->built = 1;
  if (first_user && first_user != getpid()) {
    strcpy(info->problem, "CUDA was in use before this process was forked; use it in the child "
                          "only, or use device = \"cpu\"");
    return;
  }
  cudaRuntimeGetVersion(&info->runtime);
  cudaDriverGetVersion(&info->driver);
  if (!info->driver) {
    strcpy(info->problem, "there is no CUDA driver");
    return;
  }
  cudaError_t code = cudaGetDeviceCount(&info->count);
  cudaGetLastError();
  if (code != cudaSuccess || info->count == 0) {
    info->count = 0;
    snprintf(info->problem, sizeof info->problem, "there is no CUDA device (%s)",
             code == cudaSuccess ? "none found" : cudaGetErrorString(code));
    return;
  }
  first_user = getpid();
  if (info->count > PCF_MAX_GPUS) info->count = PCF_MAX_GPUS;
  for (; known < info->count; known++) describe_gpu(known, &gpus[known]);
  memcpy(info->gpu, gpus, (size_t)info->count * sizeof gpus[0]);
  for (int g = 0; g < info->count; g++) ask_for_free_memory(g, &info->gpu[g]);
  for (int g = 0; g < info->count && !info->problem[0]; g++) {
    if (info->gpu[g].has_code) continue;
    snprintf(info->problem, sizeof info->problem,
             "this build has no code for %.200s (compute capability %d.%d)", info->gpu[g].name,
             info->gpu[g].capability / 10, info->gpu[g].capability % 10);
  }
}
