/* Test doubles of devices, which fail on request. */
#pragma once

#include "blocks/device.h"

/* `inner` behind a double whose step number `k` fails (k = 1 is the first; 0 turns this off).
 * Steps are the calls of a run that can fail, from preparing to waiting, counted over all
 * devices; putting blocks in another order is none. One double at a time. */
const struct pcf_backend *pcf_failing_backend(const struct pcf_backend *inner, long k);

/* The same, but `times` steps from number k on (0: all of them) fail with
 * PCF_ERROR_DEVICE_MEMORY, and blocks may be cut down to single tiles. */
const struct pcf_backend *pcf_exhausted_backend(const struct pcf_backend *inner, long k,
                                                long times);
