#include "blocks/pipeline.h"

#include "base/memory.h"
#include "base/threads.h"
#include "blocks/workers.h"

#include <math.h>
#include <string.h>

struct pcf_run {
  struct pcf_request request;
  struct pcf_sink sink;
  const struct pcf_backend *backend;
  struct pcf_thread *thread;
  double start;
  atomic_int stop;
  atomic_llong work_done, work_total; /* in rectangles */
  enum pcf_status status;
  struct pcf_error error;
  struct pcf_report report;
  struct pcf_grid grid;
  int *exponents; /* of the functions of x, then of y, where they have their own */
};

static void run_main(void *run_);
static enum pcf_status check_and_plan(struct pcf_run *run, struct pcf_error *error);
static enum pcf_status compute(struct pcf_run *run, struct pcf_error *error);
static void report_work(struct pcf_run *run, const struct pcf_workers *workers);

/* ---- The caller's side ---- */

struct pcf_run *pcf_run_start(const struct pcf_request *request, const struct pcf_sink *sink,
                              const struct pcf_backend *backend, struct pcf_error *error) {
  struct pcf_run *run = pcf_allocate(1, sizeof *run, error);
  if (!run) return NULL;
  memset(run, 0, sizeof *run);
  run->request = *request;
  if (sink) run->sink = *sink;
  run->backend = backend;
  run->start = pcf_seconds();
  run->thread = pcf_thread_start(run_main, run, error);
  if (run->thread) return run;
  pcf_free(run);
  return NULL;
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
}

enum pcf_status pcf_run_finish(struct pcf_run *run, struct pcf_report *report,
                               struct pcf_error *error) {
  pcf_thread_join(run->thread);
  enum pcf_status status = run->status;
  if (status || !report) pcf_report_free(&run->report);
  if (report) *report = run->report;
  if (error && status) *error = run->error;
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
  if (!run->status && run->backend) run->status = compute(run, &run->error);
  pcf_grid_free(&run->grid);
  pcf_free(run->exponents);
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

/* The CPU's plan stands unless the other backend is wanted or expects to be faster. */
static void choose_device(struct pcf_run *run) {
  const struct pcf_request *request = &run->request;
  struct pcf_plan *plan = &run->report.plan;
  plan->cuda_seconds = INFINITY;
  run->report.device = "cpu";
  enum pcf_kernel kernel = PCF_SWEEP;
  if (request->cuda) plan->cuda_seconds = request->cuda->seconds(request, plan, &kernel);
  if (!request->cuda ||
      !(request->cuda_only || plan->cuda_seconds < plan->seconds[plan->kernel]) ||
      request->mode == PCF_PAIRED)
    return;
  if (run->backend) run->backend = request->cuda;
  run->report.device = request->cuda->name;
  plan->kernel = kernel;
  plan->threads = request->threads;
}

static enum pcf_status list_exponents(struct pcf_run *run, struct pcf_error *error) {
  const struct pcf_collection *x = run->request.x, *y = run->request.y;
  size_t count = (size_t)(x->count + (y ? y->count : 0));
  run->exponents = pcf_allocate(count, sizeof *run->exponents, error);
  if (!run->exponents) return PCF_ERROR_MEMORY;
  run->sink.row_exponents = run->sink.column_exponents = run->exponents;
  for (int64_t i = 0; i < x->count; i++) {
    run->exponents[i] = pcf_value_exponent(x, i, &run->report.integral);
  }
  if (y) run->sink.column_exponents = run->exponents + x->count;
  for (int64_t j = 0; y && j < y->count; j++) {
    run->exponents[x->count + j] = pcf_value_exponent(y, j, &run->report.integral);
  }
  return PCF_OK;
}

static enum pcf_status check_and_plan(struct pcf_run *run, struct pcf_error *error) {
  const struct pcf_request *request = &run->request;
  struct pcf_range range = PCF_EMPTY_RANGE;
  double start = pcf_seconds();
  enum pcf_status status = pcf_check_collection(request->x, request->threads, &run->stop,
                                                &range, &run->report.fault, error);
  if (!status && request->y) {
    status = pcf_check_collection(request->y, request->threads, &run->stop, &range,
                                  &run->report.fault, error);
    run->report.fault.collection = 1;
  }
  clock_phase(run, PCF_PHASE_CHECK, &start);
  if (status) return status;
  run->report.integral = pcf_integral(request->operation, request->p, request->from,
                                      request->to, request->precision, &range);
  if (run->report.integral.own_exponents) status = list_exponents(run, error);
  if (status) return status;
  status = pcf_plan_make(&run->report.plan, request, &run->report.integral, &run->grid, error);
  if (!status) choose_device(run);
  clock_phase(run, PCF_PHASE_PLAN, &start);
  return status;
}

/* ---- Computing ---- */

static enum pcf_status compute(struct pcf_run *run, struct pcf_error *error) {
  const struct pcf_request *request = &run->request;
  const struct pcf_backend *backend = run->backend;
  struct pcf_schedule schedule = {0};
  struct pcf_task task = {.x = request->x,
                          .y = request->y,
                          .mode = request->mode,
                          .integral = run->report.integral,
                          .plan = run->report.plan,
                          .grid = &run->grid,
                          .pairs = run->sink.rows,
                          .width = request->width,
                          .gpus = request->gpus,
                          .gpu_memory = request->gpu_memory,
                          .timeline = request->timeline,
                          .stop = &run->stop};
  struct pcf_workers workers = {.backend = backend,
                                .task = &task,
                                .sink = &run->sink,
                                .schedule = &schedule,
                                .work_done = &run->work_done,
                                .start = run->start};
  double start = pcf_seconds();
  enum pcf_status status = backend->prepare(&task, &workers.shared, error);
  if (!status) status = backend->schedule(workers.shared, &schedule, error);
  atomic_store(&run->work_total, (long long)schedule.work);
  clock_phase(run, PCF_PHASE_PREPARE, &start);
  if (!status) status = pcf_workers_run(&workers, error);
  clock_phase(run, PCF_PHASE_COMPUTE, &start);
  /* Parts of pairs have fractions of rectangles. */
  if (!status) atomic_store(&run->work_done, atomic_load(&run->work_total));
  pcf_schedule_free(&schedule);
  backend->release(workers.shared);
  report_work(run, &workers);
  return status;
}

static void report_work(struct pcf_run *run, const struct pcf_workers *workers) {
  struct pcf_report *report = &run->report;
  report->blocks = workers->blocks;
  report->halvings = workers->halvings;
  report->seconds[PCF_PHASE_SCATTER] = workers->scatter_seconds;
  report->seconds[PCF_PHASE_COMPUTE] -= workers->scatter_seconds;
  report->timeline = workers->timeline;
}
