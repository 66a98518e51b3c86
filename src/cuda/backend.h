/* The CUDA devices as a backend of the engine. */
#ifndef PCF_CUDA_BACKEND_H
#define PCF_CUDA_BACKEND_H

#include "blocks/device.h"

/* NULL when the package was built without them. Its problems are struct pcf_pairs. */
const struct pcf_backend *pcf_cuda_backend(void);

#endif
