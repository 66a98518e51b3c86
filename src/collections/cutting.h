/* Functions for weighted integrals. */
#ifndef PCF_CUTTING_H
#define PCF_CUTTING_H

#include "collections/owned.h"
#include "collections/weight.h"

#include <stdatomic.h>

/* Functions with a breakpoint wherever one piece of the weight ends and the next one begins.
 * Where the weight is 0 their values do not matter: they are missing if `partial`, and
 * otherwise 0. Values, and limits at the ends of lines, are multiplied by factor[k] on piece k,
 * unless `factor` is NULL. */
struct pcf_cutting {
  const struct pcf_weight *weight;
  const struct pcf_collection *x;
  int partial;
  const double *factor;
};

/* Counts the breakpoints of such functions: breakpoints[0 … count of x). PCF_ERROR_MEMORY,
 * PCF_ERROR_INTERRUPTED. */
enum pcf_status pcf_cut_count(const struct pcf_cutting *cutting, int threads,
                              const atomic_int *stop, int64_t *breakpoints,
                              struct pcf_error *error);

/* Fills result[i], a matrix of breakpoints[i] times and then as many values; of lines with as
 * many left limits between them. */
enum pcf_status pcf_cut_fill(const struct pcf_cutting *cutting, int threads,
                             const atomic_int *stop, const int64_t *breakpoints,
                             double *const *result, struct pcf_error *error);

/* Such functions. Free with pcf_owned_functions_free(), whatever the status. */
enum pcf_status pcf_cut_functions_make(struct pcf_owned_functions *cut,
                                       const struct pcf_cutting *cutting, int threads,
                                       const atomic_int *stop, struct pcf_error *error);

#endif
