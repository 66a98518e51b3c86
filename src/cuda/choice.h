/* Whether a call on single functions is faster on a device than on the processor. */
#ifndef PCF_CUDA_CHOICE_H
#define PCF_CUDA_CHOICE_H

#include "blocks/device.h"
#include "collections/collection.h"

/* What is done; a unit of it is a breakpoint, of PCF_WORK_VALUES a number of the result. */
enum pcf_work {
  PCF_WORK_SUMS,
  PCF_WORK_EXTREMA,
  PCF_WORK_NORMS,
  PCF_WORK_POWERS, /* norms of general p */
  PCF_WORK_VALUES
};

/* Is so much work on a collection expected to take clearly less time on the first device than
 * on the threads of the processor? Bringing the collection up counts where it does not stay
 * there, and starting CUDA once. CUDA is not even looked for when the processor is done in a
 * moment. 0 where it cannot be used. */
int pcf_cuda_is_faster(enum pcf_work work, const struct pcf_collection *x, double units,
                       const struct pcf_settings *settings);

#endif
