/* Means over overlaps, if functions have different missing values: the numbers of a block,
 * divided by the lengths of the overlaps of its pairs. Such a length is the inner product of
 * the indicators of both functions. It also tells which overlaps are shorter than requested. */
#pragma once

#include "blocks/device.h"

struct pcf_integral;
struct pcf_overlaps;
struct pcf_pairs;

/* The type of pairs->means during a run. */
struct pcf_means;

/* Prepares pcf_divide_by_lengths(): see struct pcf_family. */
enum pcf_status pcf_means_prepare(void *pairs, struct pcf_task *task, struct pcf_error *error);
void pcf_means_free(struct pcf_means *means);

/* Overlaps that are shorter, in scaled time and weight, have too few digits. */
double pcf_least_overlap(const struct pcf_overlaps *overlaps,
                         const struct pcf_integral *integral);

/* See struct pcf_task. If an overlap is empty, or too short for its length to be accurate, the
 * quotient is infinite: pcf_overlaps_revise() finds the mean. If it is shorter than requested,
 * the number becomes NaN. Integrals and suprema are not divided. */
pcf_divide_block pcf_divide_by_lengths;
