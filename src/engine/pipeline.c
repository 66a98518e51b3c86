#include "engine/pipeline.h"

#include "core/memory.h"
#include "engine/threads.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

struct pcf_run {
  struct pcf_request request;
  struct pcf_sink sink;
  const struct pcf_backend *backend;
  struct pcf_thread *thread;
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

/* ---- The caller's side ---- */

struct pcf_run *pcf_run_start(const struct pcf_request *request, const struct pcf_sink *sink,
                              const struct pcf_backend *backend, struct pcf_error *error) {
  struct pcf_run *run = pcf_allocate(1, sizeof *run, error);
  if (!run) return NULL;
  memset(run, 0, sizeof *run);
  run->request = *request;
  if (sink) run->sink = *sink;
  run->backend = backend;
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
  if (report) *report = run->report;
  if (error && status) *error = run->error;
  pcf_free(run);
  return status;
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
  if (request->cuda) plan->cuda_seconds = request->cuda->seconds(request, plan);
  if (!request->cuda ||
      !(request->cuda_only || plan->cuda_seconds < plan->seconds[plan->kernel]) ||
      request->mode == PCF_PAIRED)
    return;
  if (run->backend) run->backend = request->cuda;
  run->report.device = request->cuda->name;
  plan->kernel = PCF_SWEEP;
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
    run->report.fault.collection = 1;
    status = pcf_check_collection(request->y, request->threads, &run->stop, &range,
                                  &run->report.fault, error);
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

/* ---- Checking a collection ---- */

enum { FUNCTIONS_PER_CHECK = 256 };

struct check {
  const struct pcf_collection *x;
  struct pcf_range range;
  struct pcf_fault *fault;
  pthread_mutex_t lock;
};

/* Keeps the fault with the lowest function, whatever the order in which they are found. */
static enum pcf_status check_some(void *context, int thread, int64_t index,
                                  struct pcf_error *error) {
  struct check *check = context;
  struct pcf_range range = PCF_EMPTY_RANGE;
  int64_t first = index * FUNCTIONS_PER_CHECK, function = 0, position = 0;
  int64_t last = first + FUNCTIONS_PER_CHECK;
  (void)thread;
  (void)error;
  if (last > check->x->count) last = check->x->count;
  enum pcf_problem problem =
    pcf_check_functions(check->x, first, last, &range, &function, &position);
  pthread_mutex_lock(&check->lock);
  check->range.time = fmax(check->range.time, range.time);
  check->range.value = fmax(check->range.value, range.value);
  check->range.least = fmin(check->range.least, range.least);
  if (problem && (!check->fault->problem || function < check->fault->function)) {
    check->fault->problem = problem;
    check->fault->function = function;
    check->fault->position = position;
  }
  pthread_mutex_unlock(&check->lock);
  return PCF_OK;
}

enum pcf_status pcf_check_collection(const struct pcf_collection *x, int threads,
                                     const atomic_int *stop, struct pcf_range *range,
                                     struct pcf_fault *fault, struct pcf_error *error) {
  struct check check = {.x = x, .range = *range, .fault = fault};
  int64_t chunks = pcf_band_count(x->count, FUNCTIONS_PER_CHECK);
  int small = pcf_total_breakpoints(x) < 100000; /* not worth a thread */
  pthread_mutex_init(&check.lock, NULL);
  enum pcf_status status =
    pcf_parallel_for(small ? 1 : threads, chunks, stop, check_some, &check, error);
  pthread_mutex_destroy(&check.lock);
  *range = check.range;
  if (status) return status;
  if (fault->problem) return pcf_fail(error, PCF_ERROR_ARGUMENT, "a function is not sound");
  return PCF_OK;
}

/* ---- Computing ---- */

/* What the workers of a run share: a queue of blocks, and where results go. */
struct queue {
  struct pcf_run *run;
  const struct pcf_backend *backend;
  void *shared;
  struct pcf_schedule schedule;
  int workers;
  int64_t largest; /* elements of the largest block */
  atomic_llong next;
  atomic_int stop; /* a worker failed, or the caller wants to stop */
  pthread_mutex_t lock;
  double scatter; /* seconds, over all workers */
};

static enum pcf_status work(void *context, int thread, int64_t index, struct pcf_error *error);
static enum pcf_status run_queue(struct queue *queue, struct pcf_error *error);

static enum pcf_status compute(struct pcf_run *run, struct pcf_error *error) {
  const struct pcf_request *request = &run->request;
  struct queue queue = {.run = run, .backend = run->backend};
  struct pcf_task task = {.x = request->x,
                          .y = request->y,
                          .mode = request->mode,
                          .integral = run->report.integral,
                          .plan = run->report.plan,
                          .grid = &run->grid,
                          .pairs = run->sink.rows,
                          .gpus = request->gpus,
                          .stop = &run->stop};
  double start = pcf_seconds();
  enum pcf_status status = queue.backend->prepare(&task, &queue.shared, error);
  if (!status) status = queue.backend->schedule(queue.shared, &queue.schedule, error);
  clock_phase(run, PCF_PHASE_PREPARE, &start);
  if (!status) status = run_queue(&queue, error);
  clock_phase(run, PCF_PHASE_COMPUTE, &start);
  pcf_schedule_free(&queue.schedule);
  queue.backend->release(queue.shared);
  return status;
}

static enum pcf_status run_queue(struct queue *queue, struct pcf_error *error) {
  struct pcf_run *run = queue->run;
  int workers = queue->backend->devices(queue->shared);
  if (workers > queue->schedule.count) workers = (int)queue->schedule.count;
  if (queue->schedule.count == 0) return PCF_OK;
  if (workers < 1) {
    return pcf_fail(error, PCF_ERROR_DEVICE, "backend \"%s\" has no devices",
                    queue->backend->name);
  }
  queue->workers = workers;
  for (int64_t b = 0; b < queue->schedule.count; b++) {
    int64_t elements = queue->schedule.block[b].rows * queue->schedule.block[b].columns;
    if (elements > queue->largest) queue->largest = elements;
  }
  run->report.blocks = queue->schedule.count;
  atomic_store(&run->work_total, (long long)queue->schedule.work);
  pthread_mutex_init(&queue->lock, NULL);
  enum pcf_status status = pcf_parallel_for(workers, workers, &run->stop, work, queue, error);
  pthread_mutex_destroy(&queue->lock);
  run->report.seconds[PCF_PHASE_SCATTER] = queue->scatter / workers;
  run->report.seconds[PCF_PHASE_COMPUTE] -= queue->scatter / workers;
  return status;
}

static const struct pcf_block *next_block(struct queue *queue) {
  if (atomic_load(&queue->stop) || atomic_load(&queue->run->stop)) return NULL;
  int64_t b = atomic_fetch_add(&queue->next, 1);
  return b < queue->schedule.count ? &queue->schedule.block[b] : NULL;
}

/* A block's columns, written from several threads when its worker has them to itself. */
struct scatter {
  const struct pcf_run *run;
  const struct pcf_block *block;
  const char *data;
  int64_t stride, columns; /* a thread takes so many columns at a time */
};

static enum pcf_status scatter_columns(void *context, int thread, int64_t index,
                                       struct pcf_error *error) {
  const struct scatter *scatter = context;
  const struct pcf_integral *integral = &scatter->run->report.integral;
  struct pcf_block strip = *scatter->block;
  int64_t first = index * scatter->columns, rest = strip.columns - first;
  (void)thread;
  (void)error;
  strip.column += first;
  strip.columns = rest < scatter->columns ? rest : scatter->columns;
  size_t offset = (size_t)(first * scatter->stride) * pcf_scalar_size(integral->precision);
  pcf_sink_write(&scatter->run->sink, integral, &strip, scatter->data + offset,
                 scatter->stride);
  return PCF_OK;
}

static enum pcf_status scatter_block(struct queue *queue, const struct pcf_block *block,
                                     const void *data, int64_t stride,
                                     struct pcf_error *error) {
  enum { COLUMNS = 64, WORTH_THREADS = 1 << 20 };
  struct scatter scatter = {queue->run, block, data, stride, COLUMNS};
  int threads = queue->run->report.plan.threads / queue->workers;
  if (threads > 1 && block->rows * block->columns >= WORTH_THREADS) {
    return pcf_parallel_for(threads, pcf_band_count(block->columns, COLUMNS), NULL,
                            scatter_columns, &scatter, error);
  }
  pcf_sink_write(&queue->run->sink, &queue->run->report.integral, block, data, stride);
  return PCF_OK;
}

/* Waits for a block and hands its result to the sink. */
static enum pcf_status collect(struct queue *queue, void *device, const struct pcf_block *block,
                               int buffer, double *scatter, struct pcf_error *error) {
  const void *result = NULL;
  int64_t stride = 0;
  enum pcf_status status = queue->backend->wait(device, block, buffer, &result, &stride, error);
  if (status) return status;
  double start = pcf_seconds();
  if (result) status = scatter_block(queue, block, result, stride, error);
  *scatter += pcf_seconds() - start;
  atomic_fetch_add(&queue->run->work_done, (long long)block->work);
  return status;
}

/* Blocks that were launched and not yet collected, oldest first. */
struct flight {
  const struct pcf_block *block[PCF_MAX_BUFFERS];
  int64_t launched, collected;
};

static enum pcf_status collect_oldest(struct queue *queue, void *device, struct flight *flight,
                                      double *scatter, struct pcf_error *error) {
  int buffer = (int)(flight->collected % queue->backend->buffers);
  flight->collected++;
  return collect(queue, device, flight->block[buffer], buffer, scatter, error);
}

/* A device with several buffers computes the next blocks while the oldest is collected. */
static enum pcf_status run_blocks(struct queue *queue, void *device, double *scatter,
                                  struct pcf_error *error) {
  const struct pcf_backend *backend = queue->backend;
  struct flight flight = {.launched = 0};
  const struct pcf_block *block;
  while ((block = next_block(queue))) {
    enum pcf_status status = PCF_OK;
    int buffer = (int)(flight.launched % backend->buffers);
    if (flight.launched - flight.collected == backend->buffers) {
      status = collect_oldest(queue, device, &flight, scatter, error);
    }
    if (!status) status = backend->launch(device, block, buffer, error);
    if (!status) status = backend->fetch(device, block, buffer, error);
    if (status) return status;
    flight.block[buffer] = block;
    flight.launched++;
  }
  while (flight.collected < flight.launched) {
    enum pcf_status status = collect_oldest(queue, device, &flight, scatter, error);
    if (status) return status;
  }
  return PCF_OK;
}

/* One worker: a device from opening to closing. */
static enum pcf_status work(void *context, int thread, int64_t index, struct pcf_error *error) {
  struct queue *queue = context;
  void *device = NULL;
  double scatter = 0;
  (void)thread;
  enum pcf_status status = queue->backend->open(queue->shared, (int)index, &device, error);
  if (!status) status = queue->backend->upload(device, queue->largest, error);
  if (!status) status = run_blocks(queue, device, &scatter, error);
  queue->backend->close(device);
  if (status) atomic_store(&queue->stop, 1);
  pthread_mutex_lock(&queue->lock);
  queue->scatter += scatter;
  pthread_mutex_unlock(&queue->lock);
  return status;
}
