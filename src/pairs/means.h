/* Means over overlaps: the numbers of a block, divided by the lengths of the overlaps of its
 * pairs. */
#ifndef PCF_MEANS_H
#define PCF_MEANS_H

#include "blocks/device.h"

/* See struct pcf_task; for tasks over pairs that have lengths. */
pcf_finish_block pcf_means_of_block;

#endif
