/* The pipeline: a run from a problem to the finished sink, on its own threads. */
#pragma once

#include "blocks/report.h"

/* What is compared, such as piecewise constant functions. The run calls these on a thread of
 * its own; `problem` is the family's. */
struct pcf_family {
  const char *name;
  /* Is the problem valid? */
  enum pcf_status (*check)(void *problem, int threads, const atomic_int *stop,
                           struct pcf_error *error);
  /* Prepares it so that backends can make offers, and fills the task except for problem,
   * settings, offer and stop. */
  enum pcf_status (*plan)(void *problem, const struct pcf_settings *settings,
                          const atomic_int *stop, struct pcf_task *task,
                          struct pcf_error *error);
  /* Rearranges a planned problem for the backend that made the task's offer, where that saves
   * work. Then *changed is 1, the task is filled again, and the backend makes another offer.
   * NULL: the plan stays. */
  enum pcf_status (*arrange)(void *problem, const struct pcf_backend *backend,
                             struct pcf_task *task, int *changed, struct pcf_error *error);
  /* Prepares what the task's divide() needs, and sets task->divisor, which is filled but for
   * its offer. Called once the task has an offer, and again when another backend takes over.
   * NULL: there is no divide(). */
  enum pcf_status (*prepare_divisor)(void *problem, struct pcf_task *task,
                                     struct pcf_error *error);
  /* Frees what the other functions allocated for the run; called after failures, too. */
  void (*release)(void *problem);
};

/* What a run computes, with which backends. The backend that expects the fewest seconds is
 * chosen, the first one in case of ties; a single backend is chosen in any case. */
struct pcf_job {
  const struct pcf_family *family;
  void *problem;
  struct pcf_settings settings;
  int backends;
  const struct pcf_backend *backend[PCF_MAX_BACKENDS];
  struct pcf_sink *sink; /* NULL: only check, plan and ask for offers */
  int sink_comes_later;  /* blocks wait for pcf_run_let_write() before they go to the sink */
};

/* Frees the timeline. */
void pcf_report_free(struct pcf_report *report);

struct pcf_run;

/* Starts a run. What the job points to must stay in place until pcf_run_finish(). The calling
 * thread is free meanwhile. */
struct pcf_run *pcf_run_start(const struct pcf_job *job, struct pcf_error *error);

/* Tells that the sink of a job whose sink comes later is ready for blocks. */
void pcf_run_let_write(struct pcf_run *run);

/* Waits up to `seconds`; returns non-zero when the run has ended. */
int pcf_run_wait(struct pcf_run *run, double seconds);

/* Units of work done, and in total: 0 until they are known, -1 if they are not counted. */
void pcf_run_progress(struct pcf_run *run, double *done, double *total);

/* Asks the run to end early, with PCF_ERROR_INTERRUPTED. */
void pcf_run_stop(struct pcf_run *run);

/* Waits for the end, frees everything, and returns the status. After success, a report with a
 * timeline must be freed with pcf_report_free(); other reports own nothing. */
enum pcf_status pcf_run_finish(struct pcf_run *run, struct pcf_report *report,
                               struct pcf_error *error);
