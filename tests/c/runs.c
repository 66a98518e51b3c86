#include "runs.h"

#include "arrays/partition.h"
#include "base/memory.h"
#include "cuda/resident.h"
#include "pairs/spike.h"
#include "sinks/selection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double unwritten = -98765;

static const char *const names[] = {NULL, "sweep", "grid", "split", "walk"};
const char *const *const method_names = names + 1;

struct asked request_of(const struct question *question, enum pcf_mode mode,
                        const struct functions *x, const struct functions *y) {
  struct asked request = {.pairs = {.x = &x->view,
                                    .y = y ? &y->view : NULL,
                                    .mode = mode,
                                    .operation = question->operation,
                                    .p = question->p,
                                    .from = question->from,
                                    .to = question->to},
                          .settings = {.threads = 1}};
  return request;
}

struct pcf_matrix_sink sink_for(const struct asked *request, enum pcf_mode kind,
                                double *result) {
  int64_t rows = request->pairs.x->count, columns = pcf_columns_of(&request->pairs)->count;
  if (kind != PCF_PAIRED) return pcf_matrix_sink(kind, rows, columns, result);
  return pcf_matrix_sink(kind, rows > columns ? rows : columns, 1, result);
}

static struct pcf_job job_of(const struct asked *request, struct pcf_pairs *pairs,
                             struct pcf_sink *sink, const struct pcf_backend *backend) {
  int64_t rows = request->pairs.x->count, columns = pcf_columns_of(&request->pairs)->count;
  int integrals = request->pairs.operation != PCF_NO_OPERATION;
  struct pcf_job job = {.family = integrals ? &pcf_pairs_family : &pcf_spike_family,
                        .problem = pairs,
                        .settings = request->settings,
                        .backends = 1,
                        .backend = {backend ? backend : &pcf_cpu_backend, request->other},
                        .sink = backend ? sink : NULL};
  if (request->other) job.backends = 2;
  *pairs = (struct pcf_pairs){.request = request->pairs, .pruner = request->pruner};
  if (request->pairs.mode == PCF_PAIRED) pairs->request.pairs = rows > columns ? rows : columns;
  return job;
}

struct pcf_run *start_run(const struct asked *request, struct pcf_pairs *pairs,
                          struct pcf_matrix_sink *sink, const struct pcf_backend *backend,
                          struct pcf_error *error) {
  struct pcf_job job = job_of(request, pairs, sink ? &sink->sink : NULL, backend);
  return pcf_run_start(&job, error);
}

enum pcf_status arrange_nothing(struct pcf_pruner *pruner, struct pcf_pairs *pairs,
                                const struct pcf_backend *backend, const struct pcf_task *task,
                                int *changed, struct pcf_error *error) {
  return PCF_OK;
}

enum pcf_status open_without_memory(void *shared, int index, int64_t elements, void **device,
                                    struct pcf_error *error) {
  *device = NULL;
  return pcf_fail(error, PCF_ERROR_DEVICE_MEMORY, "no memory on device %d", index);
}

enum pcf_status run_into(struct pcf_sink *sink, const struct asked *request,
                         const struct pcf_backend *backend, struct pcf_report *report,
                         struct pcf_error *error) {
  struct pcf_pairs pairs;
  struct pcf_job job = job_of(request, &pairs, sink, backend);
  struct pcf_run *run = pcf_run_start(&job, error);
  enum pcf_status status = run ? pcf_run_finish(run, report, error) : error->status;
  pcf_pairs_free(&pairs);
  return status;
}

static void free_report(void *report) {
  pcf_report_free(report);
  let_go(report);
}

void keep_report(struct pcf_report report) {
  struct pcf_report *copy = malloc(sizeof *copy);
  *copy = report;
  check_keep(copy, free_report);
}

static void free_pairs(void *pairs) {
  pcf_pairs_free(pairs);
  let_go(pairs);
}

struct outcome run_request(const struct asked *request, enum pcf_mode sink,
                           const struct pcf_backend *backend) {
  struct outcome outcome = {.sink = sink_for(request, sink, NULL)};
  outcome.length = pcf_layout_length(&outcome.sink.layout);
  outcome.result = zeroed(outcome.length + 1, sizeof *outcome.result);
  for (int64_t k = 0; k <= outcome.length; k++) outcome.result[k] = unwritten;
  outcome.sink.result = outcome.result;
  outcome.job = job_of(request, &outcome.pairs, &outcome.sink.sink, backend);
  struct pcf_run *run = pcf_run_start(&outcome.job, &outcome.error);
  if (run) outcome.status = pcf_run_finish(run, &outcome.report, &outcome.error);
  else outcome.status = outcome.error.status;
  struct pcf_pairs *pairs = malloc(sizeof *pairs);
  *pairs = outcome.pairs;
  pairs->overlaps.request = outcome.pairs.overlaps.request = &pairs->request;
  check_keep(pairs, free_pairs);
  keep_report(outcome.report);
  return outcome;
}

const struct pcf_offer *offer_of(const struct outcome *outcome) {
  return &outcome->report.offer[outcome->report.chosen];
}

const char *device_of(const struct outcome *outcome) {
  return outcome->job.backend[outcome->report.chosen]->name;
}

bool outcome_agrees(const struct outcome *outcome, const struct answer *answers,
                    double tolerance) {
  int64_t rows = outcome->sink.layout.rows, columns = outcome->sink.layout.columns;
  if (outcome->status || outcome->result[outcome->length] != unwritten) return false;
  for (int64_t j = 0; j < columns; j++) {
    for (int64_t i = 0; i < rows; i++) {
      int64_t position = i + rows * j;
      if (outcome->sink.layout.mode == PCF_LOWER_WITHOUT_DIAGONAL) {
        if (i <= j) continue;
        position = dist_index(rows, i, j);
      }
      if (!agrees(outcome->result[position], answers[i + rows * j], tolerance)) return false;
    }
  }
  return true;
}

bool outcomes_equal(const struct outcome *a, const struct outcome *b) {
  return !a->status && !b->status && a->length == b->length &&
         memcmp(a->result, b->result, (size_t)a->length * sizeof *a->result) == 0;
}

static void give_up_resident(void *x_) {
  struct functions *x = x_;
  check_forget(x);
  pcf_cuda_drop_resident(pcf_resident(&x->view));
  x->view.known = NULL;
}

enum pcf_status make_resident(struct functions *x, int gpus, struct pcf_error *error) {
  struct pcf_settings settings = {.threads = 2, .gpus = gpus};
  struct pcf_known *known = zeroed(1, sizeof *known);
  struct pcf_fault fault;
  *known = (struct pcf_known){
    .functions = x->view.functions, .count = x->view.count, .range = PCF_EMPTY_RANGE};
  x->view.known = NULL;
  CHECK(!pcf_check_collection(&x->view, 1, NULL, &known->range, &fault, NULL));
  x->view.known = known;
  check_keep(x, give_up_resident);
  return pcf_cuda_make_resident(&x->view, &settings, NULL, &known->resident, error);
}

void drop_resident(struct functions *x) {
  if (x->view.known) give_up_resident(x);
}

bool memory_failure_is_pending(long k) {
  bool pending = false;
  for (long allocation = 0; allocation <= k && !pending; allocation++) {
    void *memory = pcf_allocate(1, 1, NULL);
    pending = !memory;
    pcf_free(memory);
  }
  pcf_memory_fail_at(0);
  return pending;
}

void fail_at_every_allocation(const struct asked *request, enum pcf_mode sink,
                              const struct pcf_backend *backend, bool may_go_on) {
  struct outcome right = run_request(request, sink, &pcf_cpu_backend);
  bool pending = false;
  for (long k = 1; !pending; k++) {
    REQUIRE(k < 10000);
    pcf_memory_fail_at(k);
    struct outcome outcome = run_request(request, sink, backend);
    pending = memory_failure_is_pending(k);
    CHECK(k > 4 || !pending);
    if (pending || (may_go_on && !outcome.status)) {
      CHECK(outcomes_equal(&outcome, &right));
    } else {
      CHECK(outcome.status == PCF_ERROR_MEMORY && outcome.error.status == PCF_ERROR_MEMORY);
      CHECK(outcome.error.message[0] != 0);
    }
  }
}

/* ---- The double with several buffers ---- */

static struct {
  struct pcf_backend backend;
  const struct pcf_backend *inner;
  int devices;
  atomic_int misuses, opened, prepared;
} doubled;

struct doubled_shared {
  void *inner;
  const struct pcf_task *task;
};

enum buffer_state { FREE, LAUNCHED };

/* Two copies of a result: where it was computed, and where the host may read it. */
struct buffer {
  enum buffer_state state;
  const struct pcf_block *block;
  int64_t order;
  bool complete, few;
  char *computed, *host;
  struct pcf_entry *entry; /* where few are handed over */
  int64_t entries;
  double begun, computed_at, copied; /* NaN where the inner device does not know */
};

struct doubled_device {
  void *inner;
  const struct pcf_task *task;
  size_t scalar, bytes;
  int64_t elements, launched, collected;
  struct buffer buffer[PCF_MAX_BUFFERS];
};

enum { PADDING = 3 }; /* between the columns of a result */

static void expect(bool condition) {
  if (!condition) atomic_fetch_add(&doubled.misuses, 1);
}

static void offer(const void *problem, const struct pcf_settings *settings, double others,
                  struct pcf_offer *made) {
  doubled.inner->offer(problem, settings, others, made);
}

static enum pcf_status prepare(const struct pcf_task *task, void **shared_, int *devices,
                               struct pcf_error *error) {
  struct doubled_shared *shared = malloc(sizeof *shared);
  expect(!task->divide || !task->sink);
  *shared = (struct doubled_shared){.task = task};
  *shared_ = shared;
  atomic_fetch_add(&doubled.prepared, 1);
  enum pcf_status status = doubled.inner->prepare(task, &shared->inner, devices, error);
  if (doubled.devices) *devices = doubled.devices;
  return status;
}

static enum pcf_status schedule(void *shared_, struct pcf_schedule *schedule,
                                struct pcf_error *error) {
  struct doubled_shared *shared = shared_;
  return doubled.inner->schedule(shared->inner, schedule, error);
}

static void release(void *shared_) {
  struct doubled_shared *shared = shared_;
  if (!shared) return;
  expect(atomic_load(&doubled.opened) == 0);
  doubled.inner->release(shared->inner);
  free(shared);
  atomic_fetch_sub(&doubled.prepared, 1);
}

static enum pcf_status open_device(void *shared_, int index, int64_t elements, void **device_,
                                   struct pcf_error *error) {
  struct doubled_shared *shared = shared_;
  struct doubled_device *device = calloc(1, sizeof *device);
  expect(elements > 0);
  device->task = shared->task;
  device->scalar = pcf_scalar_size(shared->task->scale.precision);
  device->elements = elements;
  device->bytes = (size_t)(elements * (1 + PADDING)) * device->scalar;
  for (int k = 0; k < doubled.backend.buffers; k++) {
    device->buffer[k].computed = malloc(device->bytes);
    device->buffer[k].host = malloc(device->bytes);
    device->buffer[k].entry = malloc((size_t)elements * sizeof(struct pcf_entry));
  }
  *device_ = device;
  atomic_fetch_add(&doubled.opened, 1);
  return doubled.inner->open(shared->inner, index, elements, &device->inner, error);
}

/* Every second block for a selection becomes the entries that it may want, the last first, by
 * the limits of now: it may have others when it gets them. */
static void pick_few(const struct doubled_device *device, struct buffer *buffer,
                     const struct pcf_block *block) {
  const struct pcf_task *task = device->task;
  const struct pcf_selection *selection = task->sink ? task->sink->selection : NULL;
  buffer->few = selection && task->mode != PCF_PAIRED && buffer->complete && buffer->order % 2;
  if (!buffer->few) return;
  double *limit = malloc((size_t)(block->rows + block->columns) * sizeof *limit);
  pcf_selection_limits(selection, block, limit, limit + block->rows);
  for (int64_t j = block->columns - 1; j >= 0; j--) {
    for (int64_t i = block->rows - 1; i >= 0; i--) {
      int64_t below = i + block->row - j - block->column;
      if (task->mode != PCF_FULL && below < (task->mode == PCF_LOWER_WITHOUT_DIAGONAL)) break;
      double number = pcf_load_scalar(buffer->computed, i + (block->rows + PADDING) * j,
                                      task->scale.precision);
      if (!(selection->sign * number <= fmax(limit[i], limit[block->rows + j]))) continue;
      buffer->entry[buffer->entries++] = (struct pcf_entry){(int32_t)i, (int32_t)j, number};
    }
  }
  free(limit);
}

static enum pcf_status launch(void *device_, const struct pcf_block *block, int index,
                              struct pcf_error *error) {
  struct doubled_device *device = device_;
  expect(index >= 0 && index < doubled.backend.buffers);
  struct buffer *buffer = &device->buffer[index];
  expect(buffer->state == FREE && block->rows * block->columns <= device->elements);
  struct pcf_finished finished = {.block = block, .begun = NAN, .computed = NAN, .copied = NAN};
  memset(buffer->computed, 0xff, device->bytes); /* NaN in both precisions */
  memset(buffer->host, 0xff, device->bytes);
  memset(buffer->entry, 0xff, (size_t)buffer->entries * sizeof *buffer->entry);
  buffer->entries = 0;
  enum pcf_status status = doubled.inner->launch(device->inner, block, 0, error);
  if (!status) status = doubled.inner->wait(device->inner, block, 0, &finished, error);
  if (status) return status;
  for (int64_t j = 0; finished.data && j < block->columns; j++) {
    memcpy(buffer->computed + (size_t)(j * (block->rows + PADDING)) * device->scalar,
           (const char *)finished.data + (size_t)(j * finished.stride) * device->scalar,
           (size_t)block->rows * device->scalar);
  }
  buffer->state = LAUNCHED;
  buffer->block = block;
  buffer->order = device->launched++;
  buffer->complete = finished.data || finished.few; /* an empty block is all NaN */
  pick_few(device, buffer, block);
  buffer->begun = finished.begun;
  buffer->computed_at = finished.computed;
  buffer->copied = finished.copied;
  return PCF_OK;
}

static enum pcf_status wait_for(void *device_, const struct pcf_block *block, int index,
                                struct pcf_finished *finished, struct pcf_error *error) {
  struct doubled_device *device = device_;
  struct buffer *buffer = &device->buffer[index];
  (void)error;
  expect(buffer->state == LAUNCHED && buffer->block == block);
  expect(buffer->order == device->collected++);
  memcpy(buffer->host, buffer->computed, device->bytes);
  memset(buffer->computed, 0xff, device->bytes);
  buffer->state = FREE;
  finished->begun = buffer->begun;
  finished->computed = buffer->computed_at;
  finished->copied = buffer->copied;
  finished->few = buffer->few;
  finished->entry = buffer->entry;
  finished->entries = buffer->entries;
  if (buffer->few) return PCF_OK;
  finished->data = buffer->complete ? buffer->host : NULL;
  finished->stride = block->rows + PADDING;
  return PCF_OK;
}

static void close_device(void *device_) {
  struct doubled_device *device = device_;
  if (!device) return;
  doubled.inner->close(device->inner);
  for (int k = 0; k < PCF_MAX_BUFFERS; k++) {
    free(device->buffer[k].computed);
    free(device->buffer[k].host);
    free(device->buffer[k].entry);
  }
  free(device);
  atomic_fetch_sub(&doubled.opened, 1);
}

const struct pcf_backend *deferring_backend(const struct pcf_backend *inner, int buffers,
                                            int device_count) {
  doubled.inner = inner;
  doubled.devices = device_count;
  doubled.backend = (struct pcf_backend){.name = "deferring",
                                         .buffers = buffers,
                                         .chooses = inner->chooses,
                                         .offer = offer,
                                         .prepare = prepare,
                                         .schedule = schedule,
                                         .release = release,
                                         .open = open_device,
                                         .launch = launch,
                                         .wait = wait_for,
                                         .close = close_device};
  atomic_store(&doubled.misuses, 0);
  return &doubled.backend;
}

int deferring_misuses(void) {
  return atomic_load(&doubled.misuses) + atomic_load(&doubled.opened) +
         atomic_load(&doubled.prepared);
}
