/* The CUDA devices as a backend: one worker for each GPU. Functions come to the device when a
 * block first needs them, and stay as long as there is room. While one block is copied back and
 * consumed, the next ones are computed. */
#include "cuda/info.h"

#include "base/memory.h"
#include "base/threads.h"
#include "cuda/memory.h"
#include "cuda/method.h"
#include "cuda/output.h"
#include "cuda/segments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct cuda_device {
  struct pcf_cuda_run *run;
  struct pcf_cuda_memory memory;
  struct pcf_cuda_segments segments;
  struct pcf_cuda_listed listed;
  struct pcf_cuda_choice choice;
  struct pcf_cuda_output output[PCF_CUDA_BUFFERS];
  cudaEvent_t origin; /* of the timeline, and when that was */
  double origin_seconds;
};

/* ---- Opening and closing ---- */

/* The point from which the events of the timeline are measured. */
static enum pcf_status start_timeline(struct cuda_device *device, struct pcf_error *error) {
  enum pcf_status status = pcf_cuda_check(&device->memory, cudaEventCreate(&device->origin),
                                          "creating an event", error);
  if (status) return status;
  cudaEventRecord(device->origin, device->output[0].stream);
  status = pcf_cuda_check(&device->memory, cudaEventSynchronize(device->origin),
                          "recording an event", error);
  device->origin_seconds = pcf_seconds();
  return status;
}

/* Makes the device ready to hold segments, and makes room for blocks of up to `elements`
 * numbers. */
static enum pcf_status make_room(struct cuda_device *device, int64_t elements,
                                 struct pcf_error *error) {
  enum pcf_status status =
    pcf_cuda_segments_open(&device->segments, device->run, &device->memory, error);
  struct pcf_cuda_listed *listed = device->run->keeps_lists ? &device->listed : NULL;
  device->listed = (struct pcf_cuda_listed){.run = device->run, .memory = &device->memory};
  if (!status && listed) {
    status = pcf_cuda_lists_open(listed, device->segments.uplink.stream[0], error);
  }
  struct pcf_cuda_choice *choice = pcf_cuda_chooses(device->run) ? &device->choice : NULL;
  device->choice = (struct pcf_cuda_choice){.run = device->run, .memory = &device->memory};
  if (!status && choice) {
    status = pcf_cuda_choice_open(choice, &device->segments.uplink, error);
  }
  for (int b = 0; b < PCF_CUDA_BUFFERS && !status; b++) {
    device->output[b] =
      (struct pcf_cuda_output){.run = device->run, .memory = &device->memory, .listed = listed};
    status = pcf_cuda_output_open(&device->output[b], elements, choice, error);
  }
  return status;
}

static enum pcf_status open_device(void *run_, int index, int64_t elements, void **device_,
                                   struct pcf_error *error) {
  struct pcf_cuda_run *run = run_;
  struct cuda_device *device = pcf_allocate(1, sizeof *device, error);
  *device_ = device;
  if (!device) return PCF_ERROR_MEMORY;
  memset(device, 0, sizeof *device);
  device->run = run;
  device->memory.index = index;
  device->memory.limit = run->limit;
  snprintf(device->memory.name, sizeof device->memory.name, "%s", run->info.gpu[index].name);
  enum pcf_status status =
    pcf_cuda_check(&device->memory, cudaSetDevice(index), "selecting", error);
  if (!status) status = make_room(device, elements, error);
  if (!status && run->task->settings.timeline) status = start_timeline(device, error);
  return status;
}

/* Giving a stream back waits for what is on it, so the events and the memory come later. */
static void close_device(void *device_) {
  struct cuda_device *device = device_;
  if (!device) return;
  for (int b = 0; b < PCF_CUDA_BUFFERS; b++) pcf_cuda_output_close(&device->output[b]);
  pcf_cuda_segments_close(&device->segments);
  pcf_cuda_lists_close(&device->listed);
  if (device->origin) cudaEventDestroy(device->origin);
  pcf_cuda_free_from(&device->memory, 0);
  int index = device->memory.index;
  pcf_cuda_end_call(index, device->run->info.gpu[index].memory);
  cudaGetLastError();
  pcf_free(device);
}

/* ---- Blocks ---- */

static cudaError_t launch_block(const struct cuda_device *device, const struct pcf_block *block,
                                const struct pcf_cuda_segment *rows,
                                const struct pcf_cuda_segment *columns,
                                const struct pcf_cuda_output *output) {
  const struct pcf_cuda_run *run = device->run;
  const struct pcf_integral *integral = &run->pairs->integral;
  int64_t row = block->row - rows->first, column = block->column - columns->first;
  struct pcf_cuda_block there = {
    .first_row = row,
    .last_row = row + block->rows,
    .first_column = column,
    .last_column = column + block->columns,
    .triangle = pcf_cuda_is_triangle(run, block),
    .power = {.p = integral->p,
              .halves = integral->half_powers,
              .steepness = integral->steepness},
    .output = output->device,
    .stride = output->chosen.tile ? PCF_CUDA_CHOSEN_SIDE : block->rows,
    .wide = output->wide,
    .chosen = output->chosen,
  };
  memcpy(there.power.mean_terms, integral->mean_terms, sizeof integral->mean_terms);
  return run->method->launch(&device->segments, rows, columns, &there, output->stream);
}

/* Launches as many of the tiles as there is room for, again and again. */
static cudaError_t launch_found(struct cuda_device *device, const struct pcf_block *block,
                                const struct pcf_cuda_segment *rows,
                                const struct pcf_cuda_segment *columns,
                                struct pcf_cuda_output *output) {
  const struct pcf_cuda_tiles_found *found = &output->found_tiles;
  int most = output->listed ? (int)pcf_cuda_most_chosen(device->run) : found->count;
  cudaError_t code = cudaSuccess;
  for (int first = 0; first < found->count && !code; first += most) {
    int count = found->count - first;
    output->chosen = (struct pcf_cuda_chosen){
      .tile = found->tile + PCF_CUDA_COUNTS + first,
      .count = count < most ? count : most,
      .column_bands = (int)pcf_band_count(block->columns, PCF_CUDA_CHOSEN_SIDE)};
    code = launch_block(device, block, rows, columns, output);
    if (!code) code = pcf_cuda_output_filter(output, block);
  }
  return code;
}

/* Where there are lists, the tiles near the diagonal come first: they give every function
 * limits. */
static enum pcf_status launch_chosen(struct cuda_device *device, const struct pcf_block *block,
                                     const struct pcf_cuda_segment *rows,
                                     const struct pcf_cuda_segment *columns,
                                     struct pcf_cuda_output *output, struct pcf_error *error) {
  struct pcf_cuda_limits limits = pcf_cuda_output_limits(output, block);
  int near = output->listed && pcf_cuda_is_triangle(device->run, block);
  enum pcf_status status = PCF_OK;
  for (; near >= 0 && !status; near--) {
    status = pcf_cuda_choice_find(&device->choice, block, near, &limits, &output->found_tiles,
                                  output->stream, error);
    if (status) return status;
    if (!output->listed && !output->found_tiles.count) output->wanted = PCF_CUDA_NOTHING;
    cudaError_t code = launch_found(device, block, rows, columns, output);
    status = pcf_cuda_check(&device->memory, code, "launching a kernel", error);
  }
  return status;
}

static enum pcf_status launch_whole(struct cuda_device *device, const struct pcf_block *block,
                                    const struct pcf_cuda_segment *rows,
                                    const struct pcf_cuda_segment *columns,
                                    struct pcf_cuda_output *output, struct pcf_error *error) {
  output->chosen = (struct pcf_cuda_chosen){0};
  cudaError_t code = launch_block(device, block, rows, columns, output);
  if (!code) code = pcf_cuda_output_filter(output, block);
  return pcf_cuda_check(&device->memory, code, "launching a kernel", error);
}

static enum pcf_status launch(void *device_, const struct pcf_block *block, int b,
                              struct pcf_error *error) {
  struct cuda_device *device = device_;
  struct pcf_cuda_output *output = &device->output[b];
  const struct pcf_cuda_segment *rows, *columns;
  if (pcf_cuda_output_leaves_out(output, block)) return PCF_OK;
  enum pcf_status status =
    pcf_cuda_segments_take(&device->segments, block, &rows, &columns, error);
  if (status) return status;
  if (output->listed) {
    status = pcf_cuda_lists_keep_up(output->listed, block, output->stream, error);
    if (status) return status;
  }
  cudaError_t code = pcf_cuda_output_limit(output, block);
  pcf_cuda_output_mark(output, PCF_CUDA_BEGUN);
  status = pcf_cuda_check(&device->memory, code, "launching a kernel", error);
  if (!status) {
    int chooses = pcf_cuda_chooses(device->run) && output->wanted != PCF_CUDA_ALL;
    status =
      (chooses ? launch_chosen : launch_whole)(device, block, rows, columns, output, error);
  }
  pcf_cuda_output_mark(output, PCF_CUDA_COMPUTED);
  return status ? status : pcf_cuda_output_fetch(output, block, error);
}

static void note_times(const struct cuda_device *device, int b, struct pcf_finished *finished) {
  double *seconds[PCF_CUDA_MARKS] = {&finished->begun, &finished->computed, &finished->copied};
  for (int k = 0; k < PCF_CUDA_MARKS; k++) {
    float milliseconds = NAN;
    cudaEventElapsedTime(&milliseconds, device->origin, device->output[b].mark[k]);
    *seconds[k] = device->origin_seconds + (double)milliseconds * 1e-3;
  }
}

/* After more entries were found than there is room for. */
static enum pcf_status compute_whole(struct cuda_device *device, const struct pcf_block *block,
                                     struct pcf_cuda_output *output,
                                     struct pcf_finished *finished, struct pcf_error *error) {
  const struct pcf_cuda_segment *rows, *columns;
  output->overflows = 0;
  enum pcf_status status =
    pcf_cuda_segments_take(&device->segments, block, &rows, &columns, error);
  if (!status) status = launch_whole(device, block, rows, columns, output, error);
  if (!status) status = pcf_cuda_output_fetch(output, block, error);
  return status ? status : pcf_cuda_output_wait(output, block, finished, error);
}

static enum pcf_status wait_for(void *device_, const struct pcf_block *block, int b,
                                struct pcf_finished *finished, struct pcf_error *error) {
  struct cuda_device *device = device_;
  if (!block) {
    return pcf_cuda_lists_give(&device->listed, device->output[0].stream, finished, error);
  }
  struct pcf_cuda_output *output = &device->output[b];
  enum pcf_status status = pcf_cuda_output_wait(output, block, finished, error);
  if (!status && output->overflows) {
    status = compute_whole(device, block, output, finished, error);
  }
  if (!status && device->run->task->settings.timeline) note_times(device, b, finished);
  return status;
}

static const struct pcf_backend cuda_backend = {
  .name = "cuda",
  .buffers = PCF_CUDA_BUFFERS,
  .chooses = 1,
  .offer = pcf_cuda_offer,
  .prepare = pcf_cuda_run_prepare,
  .schedule = pcf_cuda_run_schedule,
  .reschedule = pcf_cuda_run_shrink,
  .release = pcf_cuda_run_free,
  .open = open_device,
  .launch = launch,
  .wait = wait_for,
  .close = close_device,
};

const struct pcf_backend *pcf_cuda_backend(void) {
  return &cuda_backend;
}
