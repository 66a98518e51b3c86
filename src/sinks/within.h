/* The pairs within a radius, or their number for every item, as a sink. */
#pragma once

#include "sinks/selection.h"

/* Start with pcf_within_start(), which allocates; free with pcf_within_free(). After the run,
 * item i has count[i] others at distances of at most `radius`. Unless only counts are
 * requested, they are id[start[i] + 0 …] and distance[start[i] + 0 …], sorted by distance and
 * then by id. */
struct pcf_within {
  struct pcf_selection selection;
  double radius;
  int only_count;
  int64_t *count, *start;
  int32_t *id;
  double *distance;
  struct pcf_within_worker *worker;
  int workers;
};

enum pcf_status pcf_within_start(struct pcf_within *within, int64_t rows, double radius,
                                 int only_count, struct pcf_error *error);
void pcf_within_free(struct pcf_within *within);
