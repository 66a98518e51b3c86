/* SPIKE distances of counting functions as a family, whose name is that of the operation in
 * requests. Its problem is a struct pcf_pairs. */
#pragma once

#include "blocks/pipeline.h"

extern const struct pcf_family pcf_spike_family;
