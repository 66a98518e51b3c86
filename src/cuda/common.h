/* Limits of items that the devices of a run have in common. A device that keeps lists knows
 * limits from the pairs of its own blocks, and those of the others rule out more. None is
 * smaller than that of all pairs together: so it does not matter when devices exchange them,
 * and none has to wait for another. */
#pragma once

#include "base/error.h"
#include "base/scalar.h"

#include <stdatomic.h>
#include <stdint.h>

struct pcf_cuda_common;

/* No limits, of so many items; PCF_ERROR_MEMORY. pcf_cuda_common_free() takes NULL, too. */
struct pcf_cuda_common *pcf_cuda_common_new(int64_t items, enum pcf_precision precision,
                                            struct pcf_error *error);
void pcf_cuda_common_free(struct pcf_cuda_common *common);

/* Makes the common limits of some items and those at `limit` the smaller of both; NaN is none.
 */
void pcf_cuda_common_exchange(struct pcf_cuda_common *common, int64_t first, int64_t count,
                              void *limit);

/* pcf_cuda_common_arrive() tells that a device has no blocks of its own any more;
 * pcf_cuda_common_arrived() tells how many have none. */
void pcf_cuda_common_arrive(struct pcf_cuda_common *common);
int pcf_cuda_common_arrived(const struct pcf_cuda_common *common);
