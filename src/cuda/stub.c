/* Stands in for the CUDA devices in a package that was built without them. */
#include "engine/device.h"

const struct pcf_backend *pcf_cuda_backend(void) {
  return NULL;
}
