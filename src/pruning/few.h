/* The distances of a function from a few others, one by one, before a run. */
#pragma once

#include "kernels/pair.h"

struct pcf_few {
  const struct pcf_integral *integral;
  const struct pcf_collection *x, *y; /* y, which has the others, is not NULL */
  const struct pcf_kernels *kernels;
  const atomic_int *stop;
};

/* Fills distance[k] between function i of x and function other[k] of y. PCF_ERROR_MEMORY. After
 * a non-zero `stop` distances are 0. */
enum pcf_status pcf_few_distances(const struct pcf_few *few, int32_t i, int64_t others,
                                  const int32_t *other, double *distance,
                                  struct pcf_error *error);
