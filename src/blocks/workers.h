/* Workers: one for each device. They take blocks from one queue and pass results to the sink.
 */
#pragma once

#include "blocks/report.h"

/* The arguments and results of the workers of a run. */
struct pcf_workers {
  const struct pcf_backend *backend;
  const struct pcf_task *task;
  void *shared;  /* from the backend's prepare() */
  void *divisor; /* the same for the task's divisor; NULL without one */
  int devices;   /* the number of devices that should work at the same time */
  struct pcf_sink *sink;
  struct pcf_gate *may_write; /* opens when the sink is ready for blocks, or the run stops */
  struct pcf_schedule *schedule;
  atomic_llong *work_done; /* units of the blocks that the sink has received */
  double start;            /* when the run began, for the timeline */

  int64_t pairs;             /* received by the sink */
  struct pcf_report *report; /* gets the blocks, halvings, timeline and seconds of scattering */
};

/* Computes all blocks of the schedule and finishes the sink, on as many devices as the backend
 * has. When a device runs out of memory, the workers start again with smaller blocks, unless
 * the schedule forbids it; finished blocks are kept. The first other failure ends all workers.
 * At the end an error is raised unless the sink has received every pair of the task. The caller
 * frees the schedule and the timeline, also after a failure. */
enum pcf_status pcf_workers_run(struct pcf_workers *workers, struct pcf_error *error);
