/* The pipeline: a run from the request to the finished result, on threads of its own. */
#ifndef PCF_PIPELINE_H
#define PCF_PIPELINE_H

#include "blocks/device.h"
#include "blocks/timeline.h"
#include "functions/check.h"

/* Phases of a run. Scattering happens within computing, on the same threads; both are times on
 * the clock, as if all workers took equal shares. */
enum pcf_phase {
  PCF_PHASE_CHECK,
  PCF_PHASE_PLAN,
  PCF_PHASE_PREPARE,
  PCF_PHASE_COMPUTE,
  PCF_PHASE_SCATTER,
  PCF_PHASE_COUNT
};

struct pcf_report {
  struct pcf_plan plan;
  struct pcf_integral integral;
  struct pcf_fault fault; /* when the status is PCF_ERROR_ARGUMENT and problem is set */
  double seconds[PCF_PHASE_COUNT];
  int64_t blocks;
  int64_t halvings;   /* how often blocks were cut smaller, for want of device memory */
  const char *device; /* the name of the backend */
  struct pcf_timeline timeline; /* if asked for: all blocks, in order of their launch */
};

/* Frees the timeline. */
void pcf_report_free(struct pcf_report *report);

struct pcf_run;

/* Starts a run of the request on the backend, or with backend NULL only checks the functions
 * and plans. What the request points to, and the sink's result, must stay in place until
 * pcf_run_finish(). The calling thread is free meanwhile. */
struct pcf_run *pcf_run_start(const struct pcf_request *request, const struct pcf_sink *sink,
                              const struct pcf_backend *backend, struct pcf_error *error);

/* Waits up to `seconds`; returns non-zero when the run has ended. */
int pcf_run_wait(struct pcf_run *run, double seconds);

/* Rectangles done, and in all (0 until they are known). */
void pcf_run_progress(struct pcf_run *run, double *done, double *total);

/* Asks the run to end early, with PCF_ERROR_INTERRUPTED. */
void pcf_run_stop(struct pcf_run *run);

/* Waits for the end, frees everything, and returns how it went. After success a report with a
 * timeline is to be freed with pcf_report_free(); no other owns anything. */
enum pcf_status pcf_run_finish(struct pcf_run *run, struct pcf_report *report,
                               struct pcf_error *error);

#endif
