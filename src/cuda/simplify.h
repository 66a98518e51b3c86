/* Canonical forms of functions on a CUDA device. */
#ifndef PCF_CUDA_SIMPLIFY_H
#define PCF_CUDA_SIMPLIFY_H

#include "blocks/device.h"
#include "functions/collection.h"
#include "functions/curves.h"

/* The functions of functions/simplify.h, bit for bit, on the first device that is wanted:
 * functions that do not stay there are brought to it for the call, and the results stay there
 * until they are written. `x` must be sound, of fewer than 2^31 breakpoints. Also
 * PCF_ERROR_DEVICE and PCF_ERROR_DEVICE_MEMORY. */
enum pcf_status pcf_cuda_simplify(const struct pcf_collection *x,
                                  const struct pcf_settings *settings, const atomic_int *stop,
                                  struct pcf_curves *curves, struct pcf_error *error);

#endif
