/* Norms and integrals of single functions on a CUDA device. */
#ifndef PCF_CUDA_NORMS_H
#define PCF_CUDA_NORMS_H

#include "blocks/device.h"
#include "summaries/norms.h"

/* As pcf_measure(), of a sound collection, on the first device that is wanted: functions that
 * do not stay there are brought to it for the call. The results are the same, bit for bit, but
 * for PCF_NORM_LP, which are within 1e-14 of each other, relatively. Functions of extreme
 * magnitudes are measured on the host. Also PCF_ERROR_DEVICE and PCF_ERROR_DEVICE_MEMORY. */
enum pcf_status pcf_cuda_norms(const struct pcf_collection *x,
                               const struct pcf_measuring *measuring,
                               const struct pcf_settings *settings, const atomic_int *stop,
                               double *result, struct pcf_error *error);

#endif
