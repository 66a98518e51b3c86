#include "blocks/pipeline.h"

#include "base/memory.h"
#include "base/threads.h"
#include "blocks/workers.h"

#include <math.h>
#include <string.h>

struct pcf_run {
  struct pcf_job job;
  struct pcf_task task;
  struct pcf_thread *thread;
  double start;
  atomic_int stop;
  struct pcf_gate may_write;
  atomic_llong work_done, work_total;
  enum pcf_status status;
  struct pcf_error error;
  struct pcf_report report;
};

static void run_main(void *run_);
static enum pcf_status check_and_plan(struct pcf_run *run, struct pcf_error *error);
static enum pcf_status compute(struct pcf_run *run, struct pcf_error *error);

/* ---- The caller's side ---- */

struct pcf_run *pcf_run_start(const struct pcf_job *job, struct pcf_error *error) {
  struct pcf_run *run = pcf_allocate(1, sizeof *run, error);
  if (!run) return NULL;
  memset(run, 0, sizeof *run);
  run->job = *job;
  run->report.chosen = -1;
  run->start = pcf_seconds();
  pcf_gate_init(&run->may_write);
  if (!job->sink_comes_later) pcf_gate_open(&run->may_write);
  run->thread = pcf_thread_start(run_main, run, error);
  if (run->thread) return run;
  pcf_gate_destroy(&run->may_write);
  pcf_free(run);
  return NULL;
}

void pcf_run_let_write(struct pcf_run *run) {
  pcf_gate_open(&run->may_write);
}

int pcf_run_wait(struct pcf_run *run, double seconds) {
  return pcf_thread_wait(run->thread, seconds);
}

void pcf_run_progress(struct pcf_run *run, double *done, double *total) {
  *done = (double)atomic_load(&run->work_done);
  *total = (double)atomic_load(&run->work_total);
}

void pcf_run_stop(struct pcf_run *run) {
  atomic_store(&run->stop, 1);
  pcf_gate_open(&run->may_write);
}

enum pcf_status pcf_run_finish(struct pcf_run *run, struct pcf_report *report,
                               struct pcf_error *error) {
  pcf_thread_join(run->thread);
  enum pcf_status status = run->status;
  if (status || !report) pcf_report_free(&run->report);
  if (report) *report = run->report;
  if (error && status) *error = run->error;
  pcf_gate_destroy(&run->may_write);
  pcf_free(run);
  return status;
}

void pcf_report_free(struct pcf_report *report) {
  pcf_timeline_free(&report->timeline);
}

/* ---- The run's own thread ---- */

static void run_main(void *run_) {
  struct pcf_run *run = run_;
  run->status = check_and_plan(run, &run->error);
  if (!run->status && run->job.sink) run->status = compute(run, &run->error);
  run->job.family->release(run->job.problem);
  if (atomic_load(&run->stop)) {
    run->status = pcf_fail(&run->error, PCF_ERROR_INTERRUPTED, "interrupted");
  }
}

/* Adds the time since *start to a phase, and starts anew. */
static void clock_phase(struct pcf_run *run, enum pcf_phase phase, double *start) {
  double now = pcf_seconds();
  run->report.seconds[phase] += now - *start;
  *start = now;
}

/* Asks all backends in their order. */
static enum pcf_status choose_backend(struct pcf_run *run, struct pcf_error *error) {
  const struct pcf_job *job = &run->job;
  double best = INFINITY;
  for (int k = 0; k < job->backends; k++) {
    struct pcf_offer *offer = &run->report.offer[k];
    *offer = (struct pcf_offer){.seconds = INFINITY, .threads = job->settings.threads};
    job->backend[k]->offer(job->problem, &job->settings, best, offer);
    if (!offer->method) continue;
    if (run->report.chosen < 0 || offer->seconds < best) run->report.chosen = k;
    best = fmin(best, offer->seconds);
  }
  if (run->report.chosen >= 0) run->task.offer = run->report.offer[run->report.chosen];
  if (run->report.chosen >= 0 || (!job->sink && !job->backends)) return PCF_OK;
  return pcf_fail(error, PCF_ERROR_ARGUMENT, "no device can compute these %s as requested",
                  job->family->name);
}

/* The backend that was chosen stays, as the others were asked about the problem as it was. */
static enum pcf_status arrange(struct pcf_run *run, struct pcf_error *error) {
  const struct pcf_job *job = &run->job;
  int changed = 0;
  if (run->report.chosen < 0 || !job->family->arrange) return PCF_OK;
  const struct pcf_backend *backend = job->backend[run->report.chosen];
  enum pcf_status status =
    job->family->arrange(job->problem, backend, &run->task, &changed, error);
  if (status || !changed) return status;
  run->task.offer = (struct pcf_offer){.seconds = INFINITY, .threads = job->settings.threads};
  backend->offer(job->problem, &job->settings, INFINITY, &run->task.offer);
  run->report.offer[run->report.chosen] = run->task.offer;
  return PCF_OK;
}

static enum pcf_status check_and_plan(struct pcf_run *run, struct pcf_error *error) {
  const struct pcf_job *job = &run->job;
  double start = pcf_seconds();
  enum pcf_status status =
    job->family->check(job->problem, job->settings.threads, &run->stop, error);
  clock_phase(run, PCF_PHASE_CHECK, &start);
  if (status) return status;
  status = job->family->plan(job->problem, &job->settings, &run->stop, &run->task, error);
  run->task.problem = job->problem;
  run->task.settings = job->settings;
  run->task.stop = &run->stop;
  if (!status) status = choose_backend(run, error);
  if (!status) status = arrange(run, error);
  /* What the sink prefers depends on the arrangement. */
  run->task.sink = run->task.divide ? NULL : job->sink; /* its numbers are no results */
  run->task.preferences = pcf_sink_preferences(job->sink);
  run->report.scale = run->task.scale;
  clock_phase(run, PCF_PHASE_PLAN, &start);
  return status;
}

/* ---- Computing ---- */

static enum pcf_status compute_at_once(struct pcf_run *run, struct pcf_error *error);
static enum pcf_status compute_on_backend(struct pcf_run *run, struct pcf_error *error);
static int choose_another(struct pcf_run *run, const struct pcf_error *problem);

/* If a backend has no memory for the run, the next best one takes over, as long as the sink has
 * received nothing. */
static enum pcf_status compute(struct pcf_run *run, struct pcf_error *error) {
  enum pcf_status status;
  do {
    pcf_timeline_free(&run->report.timeline);
    status =
      run->task.offer.at_once ? compute_at_once(run, error) : compute_on_backend(run, error);
  } while (status == PCF_ERROR_DEVICE_MEMORY && !run->report.blocks &&
           choose_another(run, error));
  return status;
}

static enum pcf_status compute_at_once(struct pcf_run *run, struct pcf_error *error) {
  double start = pcf_seconds();
  atomic_store(&run->work_total, -1);
  enum pcf_status status = run->task.offer.at_once(&run->task, error);
  clock_phase(run, PCF_PHASE_COMPUTE, &start);
  return status;
}

/* The backend that was chosen has a problem. */
static int choose_another(struct pcf_run *run, const struct pcf_error *problem) {
  struct pcf_report *report = &run->report;
  int best = -1;
  report->offer[report->chosen].seconds = INFINITY;
  report->offer[report->chosen].problem = *problem;
  for (int k = 0; k < run->job.backends; k++) {
    double seconds = report->offer[k].seconds;
    if (seconds < INFINITY && (best < 0 || seconds < report->offer[best].seconds)) best = k;
  }
  if (best < 0) return 0;
  report->chosen = best;
  run->task.offer = report->offer[best];
  return 1;
}

/* Drops the blocks that the sink has from before, and those that are not asked for. Returns how
 * many pairs these have. */
static int64_t leave_out(const struct pcf_run *run, struct pcf_schedule *schedule) {
  const struct pcf_task *task = &run->task;
  const struct pcf_settings *settings = &task->settings;
  pcf_block_rule *has = task->preferences.has;
  struct pcf_rectangle only = pcf_asked_for(settings, task->rows.count, task->columns.count);
  if (!settings->only.rows && !settings->only.columns && !has) return 0;
  return pcf_schedule_keep(schedule, task->mode, &only, has, run->job.sink, &task->rows,
                           &task->columns);
}

/* The same backend computes the divisor, as well as it can. */
static enum pcf_status prepare_divisor(struct pcf_run *run, struct pcf_workers *workers,
                                       struct pcf_error *error) {
  const struct pcf_backend *backend = workers->backend;
  int devices; /* as many as the task has */
  if (!run->task.divide) return PCF_OK;
  enum pcf_status status =
    run->job.family->prepare_divisor(run->job.problem, &run->task, error);
  struct pcf_task *divisor = run->task.divisor;
  if (status || !divisor) return status;
  divisor->offer = (struct pcf_offer){.threads = run->task.offer.threads};
  backend->offer(divisor->problem, &divisor->settings, INFINITY, &divisor->offer);
  return backend->prepare(divisor, &workers->divisor, &devices, error);
}

/* The blocks of the divisor are those of the task. */
static enum pcf_status make_schedule(const struct pcf_workers *workers,
                                     struct pcf_error *error) {
  const struct pcf_backend *backend = workers->backend;
  enum pcf_status status = backend->schedule(workers->shared, workers->schedule, error);
  if (status || !workers->divisor || !backend->reschedule) return status;
  return backend->reschedule(workers->divisor, workers->schedule, error);
}

static enum pcf_status compute_on_backend(struct pcf_run *run, struct pcf_error *error) {
  const struct pcf_backend *backend = run->job.backend[run->report.chosen];
  struct pcf_schedule schedule = {0};
  struct pcf_workers workers = {.backend = backend,
                                .task = &run->task,
                                .sink = run->job.sink,
                                .may_write = &run->may_write,
                                .schedule = &schedule,
                                .work_done = &run->work_done,
                                .start = run->start,
                                .report = &run->report};
  double start = pcf_seconds(), *seconds = run->report.seconds;
  seconds[PCF_PHASE_SCATTER] = 0;
  run->report.halvings = 0;
  enum pcf_status status = prepare_divisor(run, &workers, error);
  if (!status) {
    status = backend->prepare(&run->task, &workers.shared, &workers.devices, error);
  }
  if (!status) status = make_schedule(&workers, error);
  if (!status) workers.pairs = leave_out(run, &schedule);
  atomic_store(&run->work_total, (long long)schedule.work);
  clock_phase(run, PCF_PHASE_PREPARE, &start);
  if (!status) status = pcf_workers_run(&workers, error);
  clock_phase(run, PCF_PHASE_COMPUTE, &start);
  /* The work of parts was rounded to whole units when it was counted. */
  if (!status) atomic_store(&run->work_done, atomic_load(&run->work_total));
  pcf_schedule_free(&schedule);
  backend->release(workers.shared);
  if (workers.divisor) backend->release(workers.divisor);
  seconds[PCF_PHASE_COMPUTE] -= seconds[PCF_PHASE_SCATTER];
  return status;
}
