/* What small and large diagrams share on the way to their functions. */
#ifndef PCF_BUILDING_H
#define PCF_BUILDING_H

#include "collections/breakpoints.h"
#include "diagrams/changes.h"

#include <pthread.h>

struct pcf_building {
  const struct pcf_diagram_curves *curves;
  int threads;
  const atomic_int *stop;
  const struct pcf_sorters *sorters;
  struct pcf_bar_fault *fault;
  pthread_mutex_t lock; /* of the fault */
};

/* How often a function can change for a bar: 2, up and down, or 1. */
int pcf_steps_per_bar(enum pcf_curve curve);

/* pcf_gather_changes() of a diagram, which reports the first fault. */
void pcf_gather_diagram(struct pcf_building *building, int64_t diagram, int64_t first,
                        int64_t last, struct pcf_changes *changes);

/* Gathers the changes of a diagram as sorted steps, and the value with which the function
 * starts in `start`. `steps` and `scratch` have room for `room` steps each, at least as many as
 * the bars have. Returns the number of steps. */
int64_t pcf_gather_steps(struct pcf_building *building, int64_t diagram, int64_t first,
                         int64_t last, int64_t room, struct pcf_step *steps,
                         struct pcf_step *scratch, double *start);

/* The empty output of a diagram, in its room. */
struct pcf_output pcf_diagram_output(const struct pcf_diagram_curves *curves, int64_t diagram);

/* Writes the breakpoint with which a curve begins, where it is not the first change. */
void pcf_write_start(enum pcf_curve curve, struct pcf_output *output, double start);

/* Stores the number of breakpoints, of which there is at least one, and reports an overflow. */
void pcf_finish_diagram(struct pcf_building *building, int64_t diagram,
                        struct pcf_output *output);

#endif
