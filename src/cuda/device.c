/* The CUDA devices as a backend: one worker for each GPU. The collections go up once and stay
 * for the whole call; bands are built on the device. Every output buffer has a stream of its
 * own, on which a block is computed and copied back: while one block is copied and scattered,
 * the next ones are computed. */
#include "engine/device.h"

#include "core/memory.h"
#include "cuda/info.h"
#include "cuda/kernels.h"
#include "engine/threads.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BUFFERS = 4, STAGING_BYTES = 16 << 20, MOST_BLOCK_ELEMENTS = 1 << 22 };

/* One collection, clipped: where the breakpoints of each function begin on the device. */
struct clipped {
  const struct pcf_collection *x;
  int64_t *start; /* count + 1 */
  void *initial;
  double first; /* the earliest time */
};

struct shared {
  const struct pcf_task *task;
  struct clipped rows, other;
  double first; /* the start of the window, or a time that no event precedes */
  int gpus;
  struct pcf_cuda_policy policy;
};

struct buffer {
  cudaStream_t stream;
  void *device, *host;
};

struct cuda_device {
  struct shared *shared;
  int index;
  char name[256];
  struct pcf_cuda_bands rows, columns;
  void *memory[24]; /* what is to be freed on the device */
  int allocations;
  struct buffer buffer[BUFFERS];
};

static size_t scalar_size(const struct shared *shared) {
  return pcf_scalar_size(shared->task->integral.precision);
}

/* ---- Errors ---- */

static enum pcf_status check(const struct cuda_device *device, cudaError_t code,
                             const char *what, struct pcf_error *error) {
  if (code == cudaSuccess) return PCF_OK;
  cudaGetLastError(); /* what can be cleared is */
  enum pcf_status status =
    code == cudaErrorMemoryAllocation ? PCF_ERROR_MEMORY : PCF_ERROR_DEVICE;
  return pcf_fail(error, status, "%s failed on CUDA device %d (%s): %s", what, device->index,
                  device->name, cudaGetErrorString(code));
}

/* Device memory that close_device() frees. */
static enum pcf_status allocate(struct cuda_device *device, size_t bytes, void **memory,
                                struct pcf_error *error) {
  *memory = NULL;
  cudaError_t code = cudaMalloc(memory, bytes ? bytes : 1);
  if (code == cudaErrorMemoryAllocation) {
    size_t free = 0, total = 0;
    cudaGetLastError();
    cudaMemGetInfo(&free, &total);
    return pcf_fail(
      error, PCF_ERROR_MEMORY,
      "CUDA device %d (%s) is out of memory: %.0f MB more were needed, %.0f MB of "
      "%.0f MB are free",
      device->index, device->name, (double)bytes / 1e6, (double)free / 1e6,
      (double)total / 1e6);
  }
  if (code != cudaSuccess) return check(device, code, "allocating memory", error);
  device->memory[device->allocations++] = *memory;
  return PCF_OK;
}

static void free_last(struct cuda_device *device) {
  cudaFree(device->memory[--device->allocations]);
}

/* Frees allocations number base … base + count - 1. */
static void forget(struct cuda_device *device, int base, int count) {
  for (int k = base; k < base + count; k++) cudaFree(device->memory[k]);
  for (int k = base + count; k < device->allocations; k++) {
    device->memory[k - count] = device->memory[k];
  }
  device->allocations -= count;
}

/* ---- Shared by all devices ---- */

struct clipping {
  const struct pcf_task *task;
  struct clipped *clipped;
};

enum { FUNCTIONS_PER_CLIP = 256 };

static enum pcf_status clip_some(void *context, int thread, int64_t index,
                                 struct pcf_error *error) {
  const struct clipping *clipping = context;
  const struct pcf_integral *integral = &clipping->task->integral;
  struct clipped *clipped = clipping->clipped;
  int64_t first = index * FUNCTIONS_PER_CLIP, last = first + FUNCTIONS_PER_CLIP;
  (void)thread;
  (void)error;
  if (last > clipped->x->count) last = clipped->x->count;
  for (int64_t i = first; i < last; i++) {
    struct pcf_clip clip = pcf_clip_function(clipped->x, i, integral);
    double initial = pcf_scaled(clip.initial, pcf_value_exponent(clipped->x, i, integral));
    clipped->start[i + 1] = clip.end - clip.begin;
    pcf_store_scalar(clipped->initial, i, initial, integral->precision);
  }
  return PCF_OK;
}

static enum pcf_status clip_collection(const struct pcf_task *task, struct clipped *clipped,
                                       const struct pcf_collection *x,
                                       struct pcf_error *error) {
  size_t n = (size_t)x->count;
  clipped->x = x;
  clipped->start = pcf_allocate(n + 1, sizeof *clipped->start, error);
  if (!clipped->start) return PCF_ERROR_MEMORY;
  clipped->initial = pcf_allocate(n, pcf_scalar_size(task->integral.precision), error);
  if (!clipped->initial) return PCF_ERROR_MEMORY;
  struct clipping clipping = {task, clipped};
  enum pcf_status status =
    pcf_parallel_for(task->plan.threads, pcf_band_count(x->count, FUNCTIONS_PER_CLIP),
                     task->stop, clip_some, &clipping, error);
  if (status) return status;
  clipped->start[0] = 0;
  clipped->first = INFINITY;
  for (size_t i = 0; i < n; i++) {
    clipped->start[i + 1] += clipped->start[i];
    clipped->first = fmin(
      clipped->first, pcf_scaled(pcf_times(x, (int64_t)i)[0], task->integral.time_exponent));
  }
  return PCF_OK;
}

static enum pcf_status prepare(const struct pcf_task *task, void **shared_,
                               struct pcf_error *error) {
  struct shared *shared = pcf_allocate(1, sizeof *shared, error);
  *shared_ = shared;
  if (!shared) return PCF_ERROR_MEMORY;
  *shared = (struct shared){.task = task};
  struct pcf_cuda_info info;
  pcf_cuda_describe(&info);
  if (info.problem[0]) {
    return pcf_fail(error, PCF_ERROR_DEVICE, "CUDA cannot be used: %s", info.problem);
  }
  shared->gpus = info.count;
  if (task->gpus > 0 && task->gpus < info.count) shared->gpus = task->gpus;
  shared->policy = pcf_cuda_select_policy(info.gpu[0].capability, task->integral.operation,
                                          task->integral.precision);
  enum pcf_status status = clip_collection(task, &shared->rows, task->x, error);
  if (!status && task->y) status = clip_collection(task, &shared->other, task->y, error);
  shared->first = task->integral.from;
  if (!(shared->first > -INFINITY)) {
    shared->first =
      task->y ? fmin(shared->rows.first, shared->other.first) : shared->rows.first;
  }
  return status;
}

/* Blocks are so small that an interrupt need not wait long for those in flight. */
static double block_elements(const struct pcf_task *task) {
  static const double most_rectangles = 4e10, most_general = 5e8;
  double budget = task->integral.operation == PCF_LP ? most_general : most_rectangles;
  double rectangles = task->plan.rectangles / fmax(task->plan.pairs, 1);
  return fmin(MOST_BLOCK_ELEMENTS, budget / fmax(rectangles, 1));
}

static enum pcf_status schedule(void *shared_, struct pcf_schedule *schedule,
                                struct pcf_error *error) {
  struct shared *shared = shared_;
  const struct pcf_task *task = shared->task;
  int64_t tile = 64, side = task->plan.block_side; /* both sides of a tile divide 64 */
  if (!side) side = (int64_t)sqrt(block_elements(task));
  side = (side + tile - 1) / tile * tile;
  return pcf_schedule_blocks(schedule, task->mode, task->x, task->y, side, error);
}

/* Measured on one H200 with 16 cores: seconds for starting CUDA, for a call, and per
 * breakpoint, rectangle (by precision) and pair. */
static const double start_cost = 0.4, call_cost = 0.02, breakpoint_cost = 2e-9,
                    pair_cost = 1.2e-10;
static const double rectangle_cost[] = {1.5e-12, 0.75e-12};
static const double general_factor = 20; /* of general p */

/* CUDA is not even started for what the CPU does in a moment. */
static double seconds(const struct pcf_request *request, const struct pcf_plan *plan) {
  static atomic_int started;
  enum { MOMENT_MILLISECONDS = 100 };
  if (request->mode == PCF_PAIRED || request->kernel > PCF_SWEEP) return INFINITY;
  if (!request->cuda_only && plan->seconds[plan->kernel] * 1e3 < MOMENT_MILLISECONDS) {
    return INFINITY;
  }
  struct pcf_cuda_info info;
  pcf_cuda_describe(&info);
  if (info.problem[0]) return INFINITY;
  double gpus = request->gpus > 0 ? fmin(request->gpus, info.count) : info.count;
  double breakpoints = (double)pcf_total_breakpoints(request->x);
  if (request->y) breakpoints += (double)pcf_total_breakpoints(request->y);
  double rectangle = rectangle_cost[request->precision];
  if (request->operation == PCF_LP) rectangle *= general_factor;
  double starting = atomic_exchange(&started, 1) ? 0 : start_cost;
  return starting + call_cost + breakpoints * breakpoint_cost +
         plan->rectangles * rectangle / gpus + plan->pairs * pair_cost;
}

static void release_clipped(struct clipped *clipped) {
  pcf_free(clipped->start);
  pcf_free(clipped->initial);
}

static void release(void *shared_) {
  struct shared *shared = shared_;
  if (!shared) return;
  release_clipped(&shared->rows);
  release_clipped(&shared->other);
  pcf_free(shared);
}

static int devices(void *shared_) {
  const struct shared *shared = shared_;
  return shared->gpus;
}

/* ---- A device ---- */

static enum pcf_status open_device(void *shared, int index, void **device_,
                                   struct pcf_error *error) {
  struct cuda_device *device = pcf_allocate(1, sizeof *device, error);
  *device_ = device;
  if (!device) return PCF_ERROR_MEMORY;
  memset(device, 0, sizeof *device);
  device->shared = shared;
  device->index = index;
  struct cudaDeviceProp properties;
  enum pcf_status status =
    check(device, cudaGetDeviceProperties(&properties, index), "asking", error);
  if (status) return status;
  snprintf(device->name, sizeof device->name, "%s", properties.name);
  status = check(device, cudaSetDevice(index), "selecting", error);
  for (int b = 0; b < BUFFERS && !status; b++) {
    status =
      check(device, cudaStreamCreateWithFlags(&device->buffer[b].stream, cudaStreamNonBlocking),
            "making a stream", error);
  }
  return status;
}

static void close_device(void *device_) {
  struct cuda_device *device = device_;
  if (!device) return;
  for (int b = 0; b < BUFFERS; b++) {
    struct buffer *buffer = &device->buffer[b];
    if (!buffer->stream) continue;
    cudaStreamSynchronize(buffer->stream);
    cudaStreamDestroy(buffer->stream);
    if (buffer->host) cudaFreeHost(buffer->host);
  }
  while (device->allocations) free_last(device);
  cudaGetLastError();
  pcf_free(device);
}

/* ---- Upload ---- */

/* A run of functions that fits the staging memory. */
struct stage {
  const struct shared *shared;
  const struct clipped *clipped;
  int64_t first, count;
  char *times, *values; /* in the staging memory */
};

static enum pcf_status stage_some(void *context, int thread, int64_t index,
                                  struct pcf_error *error) {
  const struct stage *stage = context;
  const struct pcf_integral *integral = &stage->shared->task->integral;
  const struct clipped *clipped = stage->clipped;
  int64_t first = stage->first + index * FUNCTIONS_PER_CLIP;
  int64_t end = first + FUNCTIONS_PER_CLIP;
  (void)thread;
  (void)error;
  if (end > stage->first + stage->count) end = stage->first + stage->count;
  for (int64_t i = first; i < end; i++) {
    int64_t m = clipped->start[i + 1] - clipped->start[i];
    int64_t to = clipped->start[i] - clipped->start[stage->first];
    struct pcf_clip clip = pcf_clip_function(clipped->x, i, integral);
    const double *time = pcf_times(clipped->x, i) + clip.begin;
    const double *value = pcf_values(clipped->x, i) + clip.begin;
    int exponent = pcf_value_exponent(clipped->x, i, integral);
    for (int64_t k = 0; k < m; k++) {
      double t = pcf_scaled(time[k], integral->time_exponent);
      double v = pcf_scaled(value[k], exponent);
      pcf_store_scalar(stage->times, to + k, t, integral->precision);
      pcf_store_scalar(stage->values, to + k, v, integral->precision);
    }
  }
  return PCF_OK;
}

/* Copies the breakpoints up through two halves of pinned memory: one is filled while the other
 * is copied. A function too long for a half goes alone, in ordinary memory. */
static enum pcf_status stage_up(struct cuda_device *device, const struct clipped *clipped,
                                char *staging, void *time, void *value,
                                struct pcf_error *error) {
  size_t scalar = scalar_size(device->shared);
  int64_t room = STAGING_BYTES / (4 * (int64_t)scalar), n = clipped->x->count;
  int threads = device->shared->task->plan.threads / device->shared->gpus;
  enum pcf_status status = PCF_OK;
  int half = 0;
  for (int64_t first = 0, next; first < n && !status; first = next, half = !half) {
    cudaStream_t stream = device->buffer[half].stream;
    for (next = first + 1; next < n && clipped->start[next + 1] - clipped->start[first] <= room;
         next++) {
    }
    size_t count = (size_t)(clipped->start[next] - clipped->start[first]);
    size_t offset = (size_t)clipped->start[first] * scalar, bytes = count * scalar;
    char *alone = NULL, *to = staging + half * (STAGING_BYTES / 2);
    if ((int64_t)count > room) {
      to = alone = pcf_allocate(2 * count, scalar, error);
      if (!alone) return PCF_ERROR_MEMORY;
    }
    status = check(device, cudaStreamSynchronize(stream), "upload", error);
    struct stage stage = {device->shared, clipped, first, next - first, to, to + bytes};
    if (!status) {
      status = pcf_parallel_for(threads > 1 ? threads : 1,
                                pcf_band_count(stage.count, FUNCTIONS_PER_CLIP),
                                device->shared->task->stop, stage_some, &stage, error);
    }
    if (!status) {
      cudaMemcpyAsync((char *)time + offset, stage.times, bytes, cudaMemcpyHostToDevice,
                      stream);
      cudaMemcpyAsync((char *)value + offset, stage.values, bytes, cudaMemcpyHostToDevice,
                      stream);
      status = check(device, cudaGetLastError(), "upload", error);
    }
    if (alone) cudaStreamSynchronize(stream);
    pcf_free(alone);
  }
  for (int b = 0; b < 2; b++) {
    enum pcf_status waited =
      check(device, cudaStreamSynchronize(device->buffer[b].stream), "upload", error);
    if (!status) status = waited;
  }
  return status;
}

/* A collection's breakpoints on the device, as long as bands are built from them. */
struct uploaded {
  void *time, *value, *start;
};

/* Bands of `side` functions. */
static enum pcf_status build_bands(struct cuda_device *device, const struct clipped *clipped,
                                   const struct uploaded *up, int side,
                                   struct pcf_cuda_bands *bands, struct pcf_error *error) {
  const struct pcf_integral *integral = &device->shared->task->integral;
  size_t scalar = scalar_size(device->shared), n = (size_t)clipped->x->count;
  size_t count = (size_t)pcf_band_count(clipped->x->count, side), scratch_bytes = 0;
  int64_t m = clipped->start[n];
  cudaStream_t stream = device->buffer[0].stream;
  void *lane = NULL, *start = NULL, *scratch = NULL;
  *bands = (struct pcf_cuda_bands){.count = clipped->x->count, .side = side};
  enum pcf_status status = allocate(device, (size_t)m * 4 * scalar, &bands->events, error);
  if (!status) status = allocate(device, (size_t)m, &lane, error);
  if (!status) status = allocate(device, (count + 1) * sizeof(int64_t), &start, error);
  if (!status) status = allocate(device, count * (size_t)side * scalar, &bands->initial, error);
  if (status) return status;
  bands->lane = lane;
  bands->start = start;
  cudaMemsetAsync(bands->initial, 0, count * (size_t)side * scalar, stream);
  cudaMemcpyAsync(bands->initial, clipped->initial, n * scalar, cudaMemcpyHostToDevice, stream);
  for (int pass = 0; pass < 2 && !status; pass++) {
    status = check(device,
                   pcf_cuda_build_bands(bands, integral, up->time, up->value, up->start, m,
                                        device->shared->first, scratch, &scratch_bytes, stream),
                   "building bands", error);
    if (!pass && !status) status = allocate(device, scratch_bytes, &scratch, error);
  }
  enum pcf_status waited =
    check(device, cudaStreamSynchronize(stream), "building bands", error);
  if (scratch) free_last(device);
  return status ? status : waited;
}

/* Brings a collection up and builds its bands, as rows or columns or both (NULL: not wanted).
 */
static enum pcf_status upload_collection(struct cuda_device *device,
                                         const struct clipped *clipped, char *staging,
                                         struct pcf_cuda_bands *rows,
                                         struct pcf_cuda_bands *columns,
                                         struct pcf_error *error) {
  const struct shared *shared = device->shared;
  size_t scalar = scalar_size(shared), n = (size_t)clipped->x->count;
  int64_t m = clipped->start[n];
  int base = device->allocations;
  struct uploaded up = {NULL};
  if (m > INT32_MAX) {
    return pcf_fail(error, PCF_ERROR_ARGUMENT,
                    "%.0f breakpoints are too many for one GPU; use device = \"cpu\"",
                    (double)m);
  }
  enum pcf_status status = allocate(device, (size_t)m * scalar, &up.time, error);
  if (!status) status = allocate(device, (size_t)m * scalar, &up.value, error);
  if (!status) status = allocate(device, (n + 1) * sizeof(int64_t), &up.start, error);
  if (!status) {
    status = check(
      device,
      cudaMemcpy(up.start, clipped->start, (n + 1) * sizeof(int64_t), cudaMemcpyHostToDevice),
      "upload", error);
  }
  if (!status) status = stage_up(device, clipped, staging, up.time, up.value, error);
  if (!status && rows) {
    status = build_bands(device, clipped, &up, shared->policy.rows, rows, error);
  }
  if (!status && columns && rows && shared->policy.rows == shared->policy.columns) {
    *columns = *rows;
  } else if (!status && columns) {
    status = build_bands(device, clipped, &up, shared->policy.columns, columns, error);
  }
  if (!status) forget(device, base, 3);
  return status;
}

static enum pcf_status upload(void *device_, int64_t elements, struct pcf_error *error) {
  struct cuda_device *device = device_;
  struct shared *shared = device->shared;
  size_t bytes = (size_t)elements * scalar_size(shared);
  int pairs_of_x = !shared->task->y;
  void *staging = NULL;
  enum pcf_status status =
    check(device, cudaHostAlloc(&staging, STAGING_BYTES, cudaHostAllocDefault),
          "allocating pinned memory", error);
  if (status) return status;
  status = upload_collection(device, &shared->rows, staging, &device->rows,
                             pairs_of_x ? &device->columns : NULL, error);
  if (!status && !pairs_of_x) {
    status = upload_collection(device, &shared->other, staging, NULL, &device->columns, error);
  }
  cudaFreeHost(staging);
  for (int b = 0; b < BUFFERS && !status; b++) {
    struct buffer *buffer = &device->buffer[b];
    status = allocate(device, bytes, &buffer->device, error);
    /* A block is copied back whole, with what its tiles leave out above the diagonal. */
    if (!status) {
      status = check(device, cudaMemsetAsync(buffer->device, 0, bytes, buffer->stream),
                     "clearing a buffer", error);
    }
    if (!status) {
      status = check(device, cudaHostAlloc(&buffer->host, bytes, cudaHostAllocDefault),
                     "allocating pinned memory", error);
    }
  }
  return status;
}

/* ---- Blocks ---- */

static enum pcf_status launch(void *device_, const struct pcf_block *block, int b,
                              struct pcf_error *error) {
  struct cuda_device *device = device_;
  const struct shared *shared = device->shared;
  const struct pcf_task *task = shared->task;
  const struct pcf_integral *integral = &task->integral;
  int rows = shared->policy.rows, columns = shared->policy.columns;
  struct pcf_cuda_tiles tiles = {
    .rows = device->rows,
    .columns = device->columns,
    .first_row_band = (int)(block->row / rows),
    .row_bands = (int)pcf_band_count(block->rows, rows),
    .first_column_band = (int)(block->column / columns),
    .column_bands = (int)pcf_band_count(block->columns, columns),
    .triangle = task->mode != PCF_FULL,
    .first_row = block->row,
    .last_row = block->row + block->rows,
    .first_column = block->column,
    .last_column = block->column + block->columns,
    .start = shared->first,
    .to = integral->to,
    .p = integral->p,
    .half_powers = integral->half_powers,
    .output = device->buffer[b].device,
    .stride = block->rows,
  };
  return check(device,
               pcf_cuda_sweep(&shared->policy, integral, &tiles, device->buffer[b].stream),
               "launching a kernel", error);
}

static enum pcf_status fetch(void *device_, const struct pcf_block *block, int b,
                             struct pcf_error *error) {
  struct cuda_device *device = device_;
  struct buffer *buffer = &device->buffer[b];
  size_t bytes = (size_t)(block->rows * block->columns) * scalar_size(device->shared);
  return check(device,
               cudaMemcpyAsync(buffer->host, buffer->device, bytes, cudaMemcpyDeviceToHost,
                               buffer->stream),
               "copying a block back", error);
}

static enum pcf_status wait_for(void *device_, const struct pcf_block *block, int b,
                                const void **result, int64_t *stride, struct pcf_error *error) {
  struct cuda_device *device = device_;
  *result = device->buffer[b].host;
  *stride = block->rows;
  return check(device, cudaStreamSynchronize(device->buffer[b].stream), "computing a block",
               error);
}

static const struct pcf_backend cuda_backend = {
  .name = "cuda",
  .buffers = BUFFERS,
  .seconds = seconds,
  .prepare = prepare,
  .schedule = schedule,
  .release = release,
  .devices = devices,
  .open = open_device,
  .upload = upload,
  .launch = launch,
  .fetch = fetch,
  .wait = wait_for,
  .close = close_device,
};

const struct pcf_backend *pcf_cuda_backend(void) {
  return &cuda_backend;
}
