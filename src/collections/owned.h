/* Collections that own their functions. */
#ifndef PCF_OWNED_H
#define PCF_OWNED_H

#include "base/error.h"
#include "collections/collection.h"

/* Function i lies at function[i], one after the other in `numbers`. */
struct pcf_owned_functions {
  struct pcf_collection view;
  double **function, *numbers;
  int64_t *offsets;
};

/* Room for `count` functions of breakpoints[i] breakpoints, piecewise linear ones if `linear`,
 * for the caller to fill.
 * PCF_ERROR_MEMORY. Free with pcf_owned_functions_free(), whatever the status. */
enum pcf_status pcf_owned_functions_make(struct pcf_owned_functions *owned, int64_t count,
                                         const int64_t *breakpoints, int linear, int partial,
                                         struct pcf_error *error);
void pcf_owned_functions_free(struct pcf_owned_functions *owned);

#endif
