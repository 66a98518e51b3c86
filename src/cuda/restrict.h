/* Functions restricted to a window on a CUDA device. */
#ifndef PCF_CUDA_RESTRICT_H
#define PCF_CUDA_RESTRICT_H

#include "blocks/device.h"
#include "functions/collection.h"
#include "functions/curves.h"

/* As pcf_cuda_simplify(), the functions of functions/restriction.h on [from, to), from < to. */
enum pcf_status pcf_cuda_restrict(const struct pcf_collection *x, double from, double to,
                                  const struct pcf_settings *settings, const atomic_int *stop,
                                  struct pcf_curves *curves, struct pcf_error *error);

#endif
