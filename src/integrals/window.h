/* The window of time, cut into slices with about as many events each. */
#pragma once

#include "base/error.h"
#include "integrals/view.h"

/* Finds up to slices - 1 increasing times strictly inside the window of the integral between
 * which x and y (or NULL) have about as many events, and returns in *cuts how many they are.
 * They are scaled and narrowed. They depend on the functions alone, not on their order.
 * `time` has room for `slices`. PCF_ERROR_MEMORY. */
enum pcf_status pcf_window_quantiles(const struct pcf_collection *x,
                                     const struct pcf_collection *y,
                                     const struct pcf_integral *integral, int slices,
                                     double *time, int *cuts, struct pcf_error *error);
