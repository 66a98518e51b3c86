/* The CUDA devices as a backend of the engine. */
#pragma once

#include "blocks/device.h"

/* NULL when the package was built without them. Its problems are struct pcf_pairs. */
const struct pcf_backend *pcf_cuda_backend(void);
