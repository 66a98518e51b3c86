/* The sum of one row of many events. */
#pragma once

#include "reductions/buckets.h"
#include "reductions/summing.h"

/* Fills up to pcf_most_buckets(events) stretches of points, which lie in *block; the caller
 * frees it, whatever the status. Sets `infinite` if a value is too large for a double, and
 * *unsure to whether one is not certain (reductions/summing.h). */
enum pcf_status pcf_long_sum(const struct pcf_row *row, const struct pcf_summing *summing,
                             const struct pcf_dividing *dividing, int threads,
                             const atomic_int *stop, struct pcf_stretch *stretch, void **block,
                             atomic_int *infinite, int *unsure, struct pcf_error *error);

/* How many of the threads can be used for so many events. */
int pcf_long_sum_threads(int64_t events, int threads);
