/* Makes a collection resident on the devices; see cuda/resident.h. */
#pragma once

#include "blocks/device.h"
#include "collections/collection.h"

/* Copies a sound collection to each device that settings->gpus asks for, and sets *number to
 * the number under which it is found there. It stays until it is dropped or its room is wanted.
 * After a failure *number is 0, and no device has a copy. */
enum pcf_status pcf_cuda_make_resident(const struct pcf_collection *x,
                                       const struct pcf_settings *settings,
                                       const atomic_int *stop, int64_t *number,
                                       struct pcf_error *error);
