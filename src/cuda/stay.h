/* Collections that stay on the devices between calls. */
#ifndef PCF_CUDA_STAY_H
#define PCF_CUDA_STAY_H

#include "blocks/device.h"
#include "collections/collection.h"

/* Brings a sound collection to all devices that are wanted. It stays there, under a number of
 * its own, until it is let go or room is wanted; *number is 0 after a failure, and nothing
 * stays. */
enum pcf_status pcf_cuda_stay(const struct pcf_collection *x,
                              const struct pcf_settings *settings, const atomic_int *stop,
                              int64_t *number, struct pcf_error *error);

/* Lets go of a collection and of what was made of it; returns the bytes of device memory that
 * are given back. 0 where it is not, such as in a process that was forked. */
double pcf_cuda_let_go(int64_t number);

/* Is a collection on all devices that are wanted, of which there are at most so many (0: all)?
 */
int pcf_cuda_stays(int64_t number, int gpus);

#endif
