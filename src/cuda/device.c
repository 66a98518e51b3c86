/* The CUDA devices as a backend: one worker for each GPU. Functions come to the device when a
 * block first needs them, and stay as long as there is room. Every output buffer has a stream
 * of its own, on which a block is computed and copied back: while one block is copied and
 * scattered, the next ones are computed. */
#include "cuda/backend.h"

#include "base/memory.h"
#include "base/threads.h"
#include "cuda/info.h"
#include "cuda/kept.h"
#include "cuda/method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is recorded of a block with a timeline. */
enum mark { BEGUN, COMPUTED, COPIED, MARKS };

struct buffer {
  cudaStream_t stream;
  void *device, *host;
  double *wide;
  cudaEvent_t mark[MARKS];
};

struct cuda_device {
  struct pcf_cuda_run *run;
  struct pcf_cuda_memory memory;
  struct pcf_cuda_resident resident;
  struct buffer buffer[PCF_CUDA_BUFFERS];
  cudaEvent_t origin; /* of the timeline, and when that was */
  double origin_seconds;
};

/* ---- Shared by all devices ---- */

static enum pcf_status prepare(const struct pcf_task *task, void **run_,
                               struct pcf_error *error) {
  struct pcf_cuda_run *run = pcf_allocate(1, sizeof *run, error);
  *run_ = run;
  return run ? pcf_cuda_run_prepare(run, task, error) : PCF_ERROR_MEMORY;
}

static enum pcf_status schedule(void *run, struct pcf_schedule *schedule,
                                struct pcf_error *error) {
  return pcf_cuda_run_schedule(run, schedule, error);
}

static enum pcf_status reschedule(void *run, struct pcf_schedule *schedule,
                                  struct pcf_error *error) {
  return pcf_cuda_run_shrink(run, schedule, error);
}

static void release(void *run) {
  if (run) pcf_cuda_run_free(run);
  pcf_free(run);
}

static int devices(void *run_) {
  const struct pcf_cuda_run *run = run_;
  return run->gpus;
}

/* ---- A device ---- */

static enum pcf_status make_event(const struct cuda_device *device, cudaEvent_t *event,
                                  struct pcf_error *error) {
  return pcf_cuda_check(&device->memory, cudaEventCreate(event), "making an event", error);
}

static enum pcf_status open_buffer(struct cuda_device *device, struct buffer *buffer,
                                   struct pcf_error *error) {
  enum pcf_status status =
    pcf_cuda_check(&device->memory, pcf_cuda_take_stream(device->memory.index, &buffer->stream),
                   "making a stream", error);
  for (int k = 0; k < MARKS && !status && device->run->task->settings.timeline; k++) {
    status = make_event(device, &buffer->mark[k], error);
  }
  return status;
}

/* The point from which the events of the timeline are measured. */
static enum pcf_status start_timeline(struct cuda_device *device, struct pcf_error *error) {
  enum pcf_status status = make_event(device, &device->origin, error);
  if (status) return status;
  cudaEventRecord(device->origin, device->buffer[0].stream);
  status = pcf_cuda_check(&device->memory, cudaEventSynchronize(device->origin),
                          "recording an event", error);
  device->origin_seconds = pcf_seconds();
  return status;
}

static enum pcf_status open_device(void *run_, int index, void **device_,
                                   struct pcf_error *error) {
  struct pcf_cuda_run *run = run_;
  struct cuda_device *device = pcf_allocate(1, sizeof *device, error);
  *device_ = device;
  if (!device) return PCF_ERROR_MEMORY;
  memset(device, 0, sizeof *device);
  device->run = run;
  device->memory.index = index;
  device->memory.limit = run->limit;
  pcf_cuda_begin_call(index);
  snprintf(device->memory.name, sizeof device->memory.name, "%s", run->name[index]);
  enum pcf_status status =
    pcf_cuda_check(&device->memory, cudaSetDevice(index), "selecting", error);
  for (int b = 0; b < PCF_CUDA_BUFFERS && !status; b++) {
    status = open_buffer(device, &device->buffer[b], error);
  }
  if (!status && run->task->settings.timeline) status = start_timeline(device, error);
  return status;
}

static void close_buffer(struct cuda_device *device, struct buffer *buffer) {
  pcf_cuda_give_stream(device->memory.index, buffer->stream);
  pcf_cuda_unpin(&device->memory, buffer->host);
  for (int k = 0; k < MARKS; k++) {
    if (buffer->mark[k]) cudaEventDestroy(buffer->mark[k]);
  }
}

/* Giving a stream back waits for what is on it, so memory comes last. */
static void close_device(void *device_) {
  struct cuda_device *device = device_;
  if (!device) return;
  for (int b = 0; b < PCF_CUDA_BUFFERS; b++) close_buffer(device, &device->buffer[b]);
  pcf_cuda_resident_close(&device->resident);
  if (device->origin) cudaEventDestroy(device->origin);
  pcf_cuda_free_all(&device->memory);
  int index = device->memory.index;
  pcf_cuda_end_call(index, device->run->total[index]);
  cudaGetLastError();
  pcf_free(device);
}

/* The output buffers. What tiles leave out above the diagonal is copied back too, and so
 * cleared once. */
static enum pcf_status upload(void *device_, int64_t elements, struct pcf_error *error) {
  struct cuda_device *device = device_;
  struct pcf_cuda_memory *memory = &device->memory;
  size_t scalar = pcf_scalar_size(device->run->pairs->integral.precision);
  size_t bytes = (size_t)elements * scalar;
  size_t wide = (size_t)elements * (size_t)device->run->wide * sizeof(double);
  enum pcf_status status =
    pcf_cuda_resident_open(&device->resident, device->run, memory, error);
  for (int b = 0; b < PCF_CUDA_BUFFERS && !status; b++) {
    struct buffer *buffer = &device->buffer[b];
    status = pcf_cuda_allocate(memory, bytes, &buffer->device, error);
    void *sums = NULL;
    if (!status && wide) status = pcf_cuda_allocate(memory, wide, &sums, error);
    buffer->wide = sums;
    if (!status) status = pcf_cuda_pin(memory, bytes, &buffer->host, error);
    if (status) return status;
    cudaMemsetAsync(buffer->device, 0, bytes, buffer->stream);
    if (wide) cudaMemsetAsync(buffer->wide, 0, wide, buffer->stream);
    status = pcf_cuda_check(memory, cudaGetLastError(), "clearing a buffer", error);
  }
  return status;
}

/* ---- Blocks ---- */

static void mark(struct cuda_device *device, int b, enum mark mark) {
  struct buffer *buffer = &device->buffer[b];
  if (buffer->mark[mark]) cudaEventRecord(buffer->mark[mark], buffer->stream);
}

static cudaError_t launch_block(const struct cuda_device *device, const struct pcf_block *block,
                                const struct pcf_cuda_segment *rows,
                                const struct pcf_cuda_segment *columns,
                                const struct buffer *buffer) {
  const struct pcf_cuda_run *run = device->run;
  const struct pcf_integral *integral = &run->pairs->integral;
  int64_t row = block->row - rows->first, column = block->column - columns->first;
  struct pcf_cuda_launch launch = {
    .rows = rows,
    .columns = columns,
    .first_row = row,
    .last_row = row + block->rows,
    .first_column = column,
    .last_column = column + block->columns,
    .triangle = run->task->mode != PCF_FULL && block->row == block->column,
    .power = {integral->p, integral->half_powers},
    .output = buffer->device,
    .stride = block->rows,
    .wide = buffer->wide,
    .stream = buffer->stream,
  };
  return run->method->launch(&device->resident, &launch);
}

static enum pcf_status wait_for_all(void *device_, struct pcf_error *error) {
  struct cuda_device *device = device_;
  enum pcf_status status = PCF_OK;
  for (int b = 0; b < PCF_CUDA_BUFFERS && !status; b++) {
    status = pcf_cuda_check(&device->memory, cudaStreamSynchronize(device->buffer[b].stream),
                            "computing a block", error);
  }
  return status;
}

static enum pcf_status launch(void *device_, const struct pcf_block *block, int b,
                              struct pcf_error *error) {
  struct cuda_device *device = device_;
  const struct pcf_cuda_segment *rows, *columns;
  enum pcf_status status = pcf_cuda_resident_take(&device->resident, block, wait_for_all,
                                                  device, &rows, &columns, error);
  if (status) return status;
  mark(device, b, BEGUN);
  cudaError_t code = launch_block(device, block, rows, columns, &device->buffer[b]);
  mark(device, b, COMPUTED);
  return pcf_cuda_check(&device->memory, code, "launching a kernel", error);
}

static enum pcf_status fetch(void *device_, const struct pcf_block *block, int b,
                             struct pcf_error *error) {
  struct cuda_device *device = device_;
  struct buffer *buffer = &device->buffer[b];
  size_t scalar = pcf_scalar_size(device->run->pairs->integral.precision);
  size_t bytes = (size_t)(block->rows * block->columns) * scalar;
  cudaError_t code = cudaMemcpyAsync(buffer->host, buffer->device, bytes,
                                     cudaMemcpyDeviceToHost, buffer->stream);
  mark(device, b, COPIED);
  return pcf_cuda_check(&device->memory, code, "copying a block back", error);
}

static enum pcf_status wait_for(void *device_, const struct pcf_block *block, int b,
                                struct pcf_finished *finished, struct pcf_error *error) {
  struct cuda_device *device = device_;
  finished->data = device->buffer[b].host;
  finished->stride = block->rows;
  return pcf_cuda_check(&device->memory, cudaStreamSynchronize(device->buffer[b].stream),
                        "computing a block", error);
}

static void span(void *device_, int b, double *begun, double *computed, double *copied) {
  struct cuda_device *device = device_;
  double *seconds[MARKS] = {begun, computed, copied};
  for (int k = 0; k < MARKS; k++) {
    float milliseconds = NAN;
    cudaEventElapsedTime(&milliseconds, device->origin, device->buffer[b].mark[k]);
    *seconds[k] = device->origin_seconds + (double)milliseconds * 1e-3;
  }
}

static const struct pcf_backend cuda_backend = {
  .name = "cuda",
  .buffers = PCF_CUDA_BUFFERS,
  .offer = pcf_cuda_offer,
  .prepare = prepare,
  .schedule = schedule,
  .reschedule = reschedule,
  .release = release,
  .devices = devices,
  .open = open_device,
  .upload = upload,
  .launch = launch,
  .fetch = fetch,
  .wait = wait_for,
  .span = span,
  .close = close_device,
};

const struct pcf_backend *pcf_cuda_backend(void) {
  return &cuda_backend;
}
