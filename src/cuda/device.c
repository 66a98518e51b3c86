/* The CUDA devices as a backend: one worker for each GPU. Functions come to the device when a
 * block first needs them, and stay as long as there is room. While one block is copied back and
 * consumed, the next ones are computed. */
#include "cuda/backend.h"

#include "base/memory.h"
#include "base/threads.h"
#include "cuda/info.h"
#include "cuda/kept.h"
#include "cuda/method.h"
#include "cuda/output.h"
#include "cuda/resident.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct cuda_device {
  struct pcf_cuda_run *run;
  struct pcf_cuda_memory memory;
  struct pcf_cuda_resident resident;
  struct pcf_cuda_listed listed;
  struct pcf_cuda_output output[PCF_CUDA_BUFFERS];
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

/* The companion has the method of the task, and so its tiles. */
static enum pcf_status accompany(const struct pcf_task *task, void *beside,
                                 struct pcf_schedule *schedule_, void **run,
                                 struct pcf_error *error) {
  (void)beside;
  enum pcf_status status = prepare(task, run, error);
  return status ? status : pcf_cuda_run_follow(*run, schedule_, error);
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

/* The point from which the events of the timeline are measured. */
static enum pcf_status start_timeline(struct cuda_device *device, struct pcf_error *error) {
  enum pcf_status status =
    pcf_cuda_check(&device->memory, cudaEventCreate(&device->origin), "making an event", error);
  if (status) return status;
  cudaEventRecord(device->origin, device->output[0].stream);
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
    device->output[b] = (struct pcf_cuda_output){.run = run, .memory = &device->memory};
    status = pcf_cuda_output_open(&device->output[b], error);
  }
  if (!status && run->task->settings.timeline) status = start_timeline(device, error);
  return status;
}

/* Giving a stream back waits for what is on it, so memory comes last. */
static void close_device(void *device_) {
  struct cuda_device *device = device_;
  if (!device) return;
  for (int b = 0; b < PCF_CUDA_BUFFERS; b++) pcf_cuda_output_close(&device->output[b]);
  pcf_cuda_lists_close(&device->listed);
  pcf_cuda_resident_close(&device->resident);
  if (device->origin) cudaEventDestroy(device->origin);
  pcf_cuda_free_all(&device->memory);
  int index = device->memory.index;
  pcf_cuda_end_call(index, device->run->total[index]);
  cudaGetLastError();
  pcf_free(device);
}

static enum pcf_status upload(void *device_, int64_t elements, struct pcf_error *error) {
  struct cuda_device *device = device_;
  enum pcf_status status =
    pcf_cuda_resident_open(&device->resident, device->run, &device->memory, error);
  int lists = device->run->wish.each > 0;
  device->listed = (struct pcf_cuda_listed){.run = device->run, .memory = &device->memory};
  if (!status && lists) {
    status = pcf_cuda_lists_open(&device->listed, device->output[0].stream, error);
  }
  for (int b = 0; b < PCF_CUDA_BUFFERS && !status; b++) {
    device->output[b].listed = lists ? &device->listed : NULL;
    status = pcf_cuda_output_reserve(&device->output[b], elements, error);
  }
  return status;
}

/* ---- Blocks ---- */

static cudaError_t launch_block(const struct cuda_device *device, const struct pcf_block *block,
                                const struct pcf_cuda_segment *rows,
                                const struct pcf_cuda_segment *columns,
                                const struct pcf_cuda_output *output) {
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
    .output = output->device,
    .stride = block->rows,
    .wide = output->wide,
    .stream = output->stream,
  };
  return run->method->launch(&device->resident, &launch);
}

static enum pcf_status wait_for_all(void *device_, struct pcf_error *error) {
  struct cuda_device *device = device_;
  enum pcf_status status = PCF_OK;
  for (int b = 0; b < PCF_CUDA_BUFFERS && !status; b++) {
    status = pcf_cuda_check(&device->memory, cudaStreamSynchronize(device->output[b].stream),
                            "computing a block", error);
  }
  return status;
}

static enum pcf_status launch(void *device_, const struct pcf_block *block, int b,
                              struct pcf_error *error) {
  struct cuda_device *device = device_;
  struct pcf_cuda_output *output = &device->output[b];
  const struct pcf_cuda_segment *rows, *columns;
  if (pcf_cuda_output_leaves_out(output, block)) return PCF_OK;
  enum pcf_status status = pcf_cuda_resident_take(&device->resident, block, wait_for_all,
                                                  device, &rows, &columns, error);
  if (status) return status;
  cudaError_t code = pcf_cuda_output_limit(output, block);
  pcf_cuda_output_mark(output, PCF_CUDA_BEGUN);
  if (!code) code = launch_block(device, block, rows, columns, output);
  if (!code) code = pcf_cuda_output_filter(output, block);
  pcf_cuda_output_mark(output, PCF_CUDA_COMPUTED);
  return pcf_cuda_check(&device->memory, code, "launching a kernel", error);
}

static enum pcf_status fetch(void *device_, const struct pcf_block *block, int b,
                             struct pcf_error *error) {
  struct cuda_device *device = device_;
  return pcf_cuda_output_fetch(&device->output[b], block, error);
}

static enum pcf_status wait_for(void *device_, const struct pcf_block *block, int b,
                                struct pcf_finished *finished, struct pcf_error *error) {
  struct cuda_device *device = device_;
  return pcf_cuda_output_wait(&device->output[b], block, finished, error);
}

static enum pcf_status hand_over(void *device_, struct pcf_best *best,
                                 struct pcf_error *error) {
  struct cuda_device *device = device_;
  return pcf_cuda_lists_hand_over(&device->listed, device->output[0].stream, best, error);
}

static void span(void *device_, int b, double *begun, double *computed, double *copied) {
  struct cuda_device *device = device_;
  double *seconds[PCF_CUDA_MARKS] = {begun, computed, copied};
  for (int k = 0; k < PCF_CUDA_MARKS; k++) {
    float milliseconds = NAN;
    cudaEventElapsedTime(&milliseconds, device->origin, device->output[b].mark[k]);
    *seconds[k] = device->origin_seconds + (double)milliseconds * 1e-3;
  }
}

static const struct pcf_backend cuda_backend = {
  .name = "cuda",
  .buffers = PCF_CUDA_BUFFERS,
  .offer = pcf_cuda_offer,
  .prepare = prepare,
  .schedule = schedule,
  .accompany = accompany,
  .reschedule = reschedule,
  .release = release,
  .devices = devices,
  .open = open_device,
  .upload = upload,
  .launch = launch,
  .fetch = fetch,
  .wait = wait_for,
  .hand_over = hand_over,
  .span = span,
  .close = close_device,
};

const struct pcf_backend *pcf_cuda_backend(void) {
  return &cuda_backend;
}
