/* Stands in for the CUDA devices in a package that was built without them. */
#include "cuda/backend.h"
#include "cuda/info.h"

#include <string.h>

void pcf_cuda_provoke(double memory, int launch) {
  (void)memory;
  (void)launch;
}

void pcf_cuda_unload(void) {}

const struct pcf_backend *pcf_cuda_backend(void) {
  return NULL;
}

void pcf_cuda_describe(struct pcf_cuda_info *info) {
  memset(info, 0, sizeof *info);
  strcpy(info->problem, "this package was built without CUDA");
}
