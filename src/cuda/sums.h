/* Sums, means and extrema of functions on a CUDA device. */
#ifndef PCF_CUDA_SUMS_H
#define PCF_CUDA_SUMS_H

#include "algebra/extrema.h"
#include "algebra/sums.h"
#include "blocks/device.h"

/* As pcf_sums(), on the first device that is wanted, with the same results, bit for bit:
 * functions that do not stay there are brought to it for the call, and the sums stay there
 * until they are written. Sums of values or weights of very different magnitudes, or of 2^31
 * breakpoints and more, and means of what is observed with negative weights, are made on the
 * host. Also PCF_ERROR_DEVICE and PCF_ERROR_DEVICE_MEMORY. */
enum pcf_status pcf_cuda_sums(const struct pcf_collection *x, const struct pcf_rows *rows,
                              const struct pcf_range *range,
                              const struct pcf_settings *settings, const atomic_int *stop,
                              struct pcf_curves *curves, struct pcf_error *error);

/* As pcf_extrema(), likewise; those of 2^31 breakpoints and more are made on the host. */
enum pcf_status pcf_cuda_extrema(const struct pcf_collection *x, const struct pcf_rows *rows,
                                 enum pcf_extremum extremum,
                                 const struct pcf_settings *settings, const atomic_int *stop,
                                 struct pcf_curves *curves, struct pcf_error *error);

#endif
