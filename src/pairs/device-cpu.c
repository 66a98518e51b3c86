/* The CPU as a backend: every worker thread is a device with a workspace and one output buffer
 * of its own. What a method has prepared is shared, and only read. */
#include "base/memory.h"
#include "pairs/costs.h"
#include "pairs/tiles.h"

#include <string.h>

struct cpu_device {
  struct pcf_cpu_run *run;
  struct pcf_cpu_worker worker;
  double begun, computed;   /* of the block in the output, with a timeline */
  struct pcf_arrays arrays; /* of the worker */
};

/* ---- Shared by all devices ---- */

/* Threads are not started for less work than starting them is. */
static void offer(const void *pairs_, const struct pcf_settings *settings, double others,
                  struct pcf_offer *offer) {
  const struct pcf_pairs *pairs = pairs_;
  double seconds = pairs->wanted * pairs->estimate[pcf_method_number(pairs->method)].seconds;
  double worth = seconds * settings->threads / (pcf_thread_cost * 1e-9);
  offer->method = pairs->method->name;
  offer->how = pairs->method;
  offer->at_once = pairs->method->at_once;
  offer->seconds = seconds;
  if (worth < offer->threads) offer->threads = worth > 1 ? (int)worth : 1;
}

static enum pcf_status prepare(const struct pcf_task *task, void **run_, int *devices,
                               struct pcf_error *error) {
  const struct pcf_pairs *pairs = task->problem;
  const struct pcf_method *method = task->offer.how;
  int width = pairs->estimate[pcf_method_number(method)].width;
  int single = pairs->wanted < 1 && method->most_single;
  struct pcf_cpu_run *run = *run_ = pcf_allocate(1, sizeof *run, error);
  if (!run) return PCF_ERROR_MEMORY;
  *run = (struct pcf_cpu_run){.task = task,
                              .pairs = pairs,
                              .method = method,
                              .width = width,
                              .threads = task->offer.threads,
                              .most = single ? method->most_single(pairs, width) : 0};
  *devices = run->threads;
  run->state = pcf_allocate(1, method->state, error);
  if (!run->state) return PCF_ERROR_MEMORY;
  memset(run->state, 0, method->state);
  return method->prepare(run, error);
}

static enum pcf_status schedule(void *run_, struct pcf_schedule *schedule,
                                struct pcf_error *error) {
  struct pcf_cpu_run *run = run_;
  return run->method->schedule(run, schedule, error);
}

static void release(void *run_) {
  struct pcf_cpu_run *run = run_;
  if (!run) return;
  if (run->state) run->method->release(run);
  pcf_free(run->state);
  pcf_free(run);
}

/* ---- A device ---- */

static enum pcf_status open_device(void *run_, int index, int64_t elements, void **device_,
                                   struct pcf_error *error) {
  struct pcf_cpu_run *run = run_;
  struct cpu_device *device = pcf_allocate(1, sizeof *device, error);
  *device_ = device;
  if (!device) return PCF_ERROR_MEMORY;
  *device = (struct cpu_device){.run = run};
  size_t scalar = pcf_scalar_size(run->pairs->integral.precision);
  struct pcf_arrays *arrays = &device->arrays;
  device->worker.output = pcf_array(arrays, (size_t)elements, scalar, error);
  size_t bytes = run->method->workspace ? run->method->workspace(run)
                                        : pcf_tile_workspace(run->width, &run->pairs->integral);
  device->worker.workspace = pcf_array(arrays, pcf_aligned(bytes) + run->room, 1, error);
  device->worker.position =
    pcf_array(arrays, (size_t)run->most, sizeof *device->worker.position, error);
  return arrays->status;
}

/* The CPU computes at once. */
static enum pcf_status launch(void *device_, const struct pcf_block *block, int buffer,
                              struct pcf_error *error) {
  struct cpu_device *device = device_;
  const struct pcf_cpu_run *run = device->run;
  if (run->task->settings.timeline) device->begun = pcf_seconds();
  int stopped = run->method->compute(run, block, &device->worker);
  if (run->task->settings.timeline) device->computed = pcf_seconds();
  return stopped ? pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted") : PCF_OK;
}

/* The result lies where the host reads it: nothing is copied. */
static enum pcf_status wait_for(void *device_, const struct pcf_block *block, int buffer,
                                struct pcf_finished *finished, struct pcf_error *error) {
  struct cpu_device *device = device_;
  finished->few = device->worker.complete && device->worker.empty;
  finished->data =
    device->worker.complete && !device->worker.empty ? device->worker.output : NULL;
  finished->stride = block->rows;
  if (!device->run->task->settings.timeline) return PCF_OK;
  finished->begun = device->begun;
  finished->computed = finished->copied = device->computed;
  return PCF_OK;
}

static void close_device(void *device_) {
  struct cpu_device *device = device_;
  if (!device) return;
  pcf_arrays_free(&device->arrays);
  pcf_free(device);
}

const struct pcf_backend pcf_cpu_backend = {
  .name = "cpu",
  .offer = offer,
  .buffers = 1,
  .prepare = prepare,
  .schedule = schedule,
  .release = release,
  .open = open_device,
  .launch = launch,
  .wait = wait_for,
  .close = close_device,
};
