/* Values of functions at times, on a CUDA device. */
#ifndef PCF_CUDA_EVALUATE_H
#define PCF_CUDA_EVALUATE_H

#include "blocks/device.h"
#include "summaries/evaluate.h"

/* As pcf_evaluate(), of a sound collection, on the first device that is wanted: functions that
 * do not stay there are brought to it for the call. The results, which are the same bit for
 * bit, come back in pieces, which get smaller where the device has little memory. Also
 * PCF_ERROR_DEVICE and PCF_ERROR_DEVICE_MEMORY. */
enum pcf_status pcf_cuda_evaluate(const struct pcf_collection *x, const struct pcf_times_at *at,
                                  const struct pcf_settings *settings, const atomic_int *stop,
                                  double *result, struct pcf_error *error);

/* For tests: so many numbers come back at once, at most. */
extern int64_t pcf_cuda_most_values;

#endif
