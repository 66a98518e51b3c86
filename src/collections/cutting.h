/* Functions for weighted integrals. */
#pragma once

#include "collections/owned.h"
#include "collections/weight.h"

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

/* Such functions, still to be written. */
struct pcf_unwritten pcf_cut_functions(const struct pcf_cutting *cutting);
