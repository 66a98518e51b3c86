/* Pairs of piecewise constant functions as a family: how they are checked and planned. */
#pragma once

#include "pairs/pairs.h"

/* Frees what the caller frees. */
void pcf_pairs_free(struct pcf_pairs *pairs);

extern const struct pcf_family pcf_pairs_family;
