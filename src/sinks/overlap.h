/* A sink that finishes means by the lengths of overlaps. */
#ifndef PCF_OVERLAP_SINK_H
#define PCF_OVERLAP_SINK_H

#include "pairs/overlap.h"
#include "sinks/matrix.h"

/* A sink for lengths of overlaps, into a matrix that has the results of the same pairs: it
 * divides these, unless they are missing. */
struct pcf_overlap_sink {
  struct pcf_matrix_sink matrix;
  const struct pcf_overlaps *overlaps;
};

struct pcf_overlap_sink pcf_overlap_sink(const struct pcf_overlaps *overlaps,
                                         const struct pcf_matrix_sink *results);

#endif
