/* The CPU as a backend: every worker thread is a device with a workspace and one output buffer
 * of its own; bands, panels and walks are prepared once and only read afterwards. */
#include "base/memory.h"
#include "base/threads.h"
#include "blocks/device.h"
#include "pairs/pair.h"

#include <math.h>
#include <string.h>

/* One collection, prepared for the kernel of the plan. */
struct prepared {
  const struct pcf_collection *x;
  int64_t bands;
  struct pcf_band *band;   /* sweep */
  struct pcf_panel *panel; /* grid */
  void *panels;            /* the values of all panels */
  struct pcf_walks walks;  /* split */
};

struct shared {
  const struct pcf_task *task;
  struct prepared rows, other; /* `other` only when there is a y */
  void *lengths;               /* of the grid's stretches */
  int64_t slots;
  struct slot *slot;
  struct pcf_partial *partials;
};

/* A pair in parts: where its partial results begin, and how many are still missing. The thread
 * that brings the last one finishes the pair. */
struct slot {
  int64_t first;
  atomic_int missing;
};

struct cpu_device {
  struct shared *shared;
  void *workspace;
  void *output;
  int complete;           /* does the output hold a result? */
  double begun, computed; /* of the block in it, with a timeline */
};

static void release(void *shared_);
static enum pcf_status prepare_collection(struct shared *shared, struct prepared *prepared,
                                          const struct pcf_collection *x,
                                          struct pcf_error *error);
static enum pcf_status prepare_slots(struct shared *shared, const struct pcf_schedule *schedule,
                                     struct pcf_error *error);
static int compute_tiles(struct cpu_device *device, const struct pcf_block *block);
static int compute_part(struct cpu_device *device, const struct pcf_block *block);

static const struct prepared *column_side(const struct shared *shared) {
  return shared->task->y ? &shared->other : &shared->rows;
}

/* ---- Shared by all devices ---- */

static enum pcf_status prepare(const struct pcf_task *task, void **shared_,
                               struct pcf_error *error) {
  struct shared *shared = pcf_allocate(1, sizeof *shared, error);
  *shared_ = shared;
  if (!shared) return PCF_ERROR_MEMORY;
  *shared = (struct shared){.task = task};
  enum pcf_status status = PCF_OK;
  if (task->plan.kernel == PCF_GRID) {
    size_t scalar = pcf_scalar_size(task->integral.precision);
    shared->lengths = pcf_allocate((size_t)task->grid->points, scalar, error);
    if (!shared->lengths) return PCF_ERROR_MEMORY;
    pcf_grid_lengths(task->grid, &task->integral, shared->lengths);
  }
  status = prepare_collection(shared, &shared->rows, task->x, error);
  if (!status && task->y) status = prepare_collection(shared, &shared->other, task->y, error);
  return status;
}

/* Blocks are whole tiles. They are small enough to stay in a cache of the usual size and many
 * enough to keep all threads busy to the end. */
static enum pcf_status schedule_tiles(struct shared *shared, struct pcf_schedule *schedule,
                                      struct pcf_error *error) {
  const struct pcf_task *task = shared->task;
  const struct pcf_collection *columns = task->y ? task->y : task->x;
  int64_t width = task->plan.width, side = task->plan.block_side;
  enum { MOST_BLOCK_SIDE = 512 };
  if (!side) {
    double elements = (double)task->x->count * (double)columns->count;
    struct pcf_block_limits limits = {.splits_hint = 32 * (int64_t)task->plan.threads,
                                      .min_block_side = width};
    double most = (double)limits.splits_hint * MOST_BLOCK_SIDE * MOST_BLOCK_SIDE;
    limits.max_output_elements = (int64_t)fmin(elements, most);
    side = pcf_block_side(&limits, task->x->count, columns->count);
  }
  side = (side + width - 1) / width * width;
  enum pcf_status status =
    pcf_schedule_blocks(schedule, task->mode, task->x, task->y, side, error);
  schedule->tile = width;
  return status;
}

static int parts_of_pair(const void *context, int64_t row, int64_t column) {
  const struct shared *shared = context;
  return pcf_pair_parts(shared->rows.walks.walk[row].events +
                        column_side(shared)->walks.walk[column].events);
}

static enum pcf_status schedule(void *shared_, struct pcf_schedule *schedule,
                                struct pcf_error *error) {
  struct shared *shared = shared_;
  const struct pcf_task *task = shared->task;
  if (task->plan.kernel != PCF_SPLIT) return schedule_tiles(shared, schedule, error);
  enum pcf_status status = pcf_schedule_parts(schedule, task->mode, task->x, task->y,
                                              task->pairs, parts_of_pair, shared, error);
  return status ? status : prepare_slots(shared, schedule, error);
}

static int devices(void *shared_) {
  const struct shared *shared = shared_;
  return shared->task->plan.threads;
}

static void release_prepared(struct prepared *prepared) {
  if (prepared->band) {
    for (int64_t b = 0; b < prepared->bands; b++) pcf_band_free(&prepared->band[b]);
  }
  pcf_free(prepared->band);
  pcf_free(prepared->panel);
  pcf_free(prepared->panels);
  pcf_walks_free(&prepared->walks);
}

static void release(void *shared_) {
  struct shared *shared = shared_;
  if (!shared) return;
  release_prepared(&shared->rows);
  release_prepared(&shared->other);
  pcf_free(shared->lengths);
  pcf_free(shared->slot);
  pcf_free(shared->partials);
  pcf_free(shared);
}

/* ---- Preparing a collection, a band to a thread at a time ---- */

struct preparation {
  struct shared *shared;
  struct prepared *prepared;
  struct pcf_band_scratch *scratch; /* one a thread */
};

static enum pcf_status prepare_band(void *context, int thread, int64_t index,
                                    struct pcf_error *error) {
  struct preparation *preparation = context;
  const struct pcf_task *task = preparation->shared->task;
  struct prepared *prepared = preparation->prepared;
  const struct pcf_integral *integral = &task->integral;
  if (task->plan.kernel == PCF_SPLIT) {
    pcf_walk_fill(&prepared->walks, prepared->x, integral, index);
    return PCF_OK;
  }
  int width = task->plan.width;
  int64_t first = index * width, rest = prepared->x->count - first;
  int count = rest < width ? (int)rest : width;
  if (task->plan.kernel == PCF_SWEEP) {
    return pcf_band_build(&prepared->band[index], prepared->x, integral, first, count, width,
                          &preparation->scratch[thread], error);
  }
  size_t bytes =
    (size_t)task->grid->points * (size_t)width * pcf_scalar_size(integral->precision);
  char *values = (char *)prepared->panels + (size_t)index * bytes;
  prepared->panel[index] = (struct pcf_panel){first, count, values};
  pcf_grid_panel(task->grid, prepared->x, integral, first, count, width, values);
  return PCF_OK;
}

static enum pcf_status allocate_prepared(const struct pcf_task *task, struct prepared *prepared,
                                         struct pcf_error *error) {
  size_t bands = (size_t)prepared->bands;
  if (task->plan.kernel == PCF_SPLIT) {
    return pcf_walks_allocate(&prepared->walks, prepared->x, &task->integral, error);
  }
  if (task->plan.kernel == PCF_SWEEP) {
    prepared->band = pcf_allocate(bands, sizeof *prepared->band, error);
    if (!prepared->band) return PCF_ERROR_MEMORY;
    memset(prepared->band, 0, bands * sizeof *prepared->band);
    return PCF_OK;
  }
  size_t panel = (size_t)task->grid->points * (size_t)task->plan.width;
  prepared->panel = pcf_allocate(bands, sizeof *prepared->panel, error);
  if (!prepared->panel) return PCF_ERROR_MEMORY;
  prepared->panels =
    pcf_allocate(bands * panel, pcf_scalar_size(task->integral.precision), error);
  return prepared->panels ? PCF_OK : PCF_ERROR_MEMORY;
}

static enum pcf_status prepare_collection(struct shared *shared, struct prepared *prepared,
                                          const struct pcf_collection *x,
                                          struct pcf_error *error) {
  const struct pcf_task *task = shared->task;
  int split = task->plan.kernel == PCF_SPLIT;
  prepared->x = x;
  prepared->bands = split ? x->count : pcf_band_count(x->count, task->plan.width);
  enum pcf_status status = allocate_prepared(task, prepared, error);
  if (status) return status;
  size_t threads = (size_t)task->plan.threads;
  struct preparation preparation = {shared, prepared, NULL};
  preparation.scratch = pcf_allocate(threads, sizeof *preparation.scratch, error);
  if (!preparation.scratch) return PCF_ERROR_MEMORY;
  memset(preparation.scratch, 0, threads * sizeof *preparation.scratch);
  status = pcf_parallel_for(task->plan.threads, prepared->bands, task->stop, prepare_band,
                            &preparation, error);
  for (size_t t = 0; t < threads; t++) pcf_band_scratch_free(&preparation.scratch[t]);
  pcf_free(preparation.scratch);
  return status;
}

static enum pcf_status prepare_slots(struct shared *shared, const struct pcf_schedule *schedule,
                                     struct pcf_error *error) {
  shared->slots = schedule->slots;
  shared->slot = pcf_allocate((size_t)schedule->slots, sizeof *shared->slot, error);
  if (!shared->slot) return PCF_ERROR_MEMORY;
  shared->partials = pcf_allocate((size_t)schedule->count, sizeof *shared->partials, error);
  if (!shared->partials) return PCF_ERROR_MEMORY;
  for (int64_t b = 0; b < schedule->count; b++) {
    const struct pcf_block *block = &schedule->block[b];
    if (block->part == 0) atomic_init(&shared->slot[block->slot].missing, block->parts);
  }
  int64_t first = 0;
  for (int64_t s = 0; s < shared->slots; s++) {
    shared->slot[s].first = first;
    first += atomic_load(&shared->slot[s].missing);
  }
  return PCF_OK;
}

/* ---- A device ---- */

static enum pcf_status open_device(void *shared, int index, void **device_,
                                   struct pcf_error *error) {
  (void)index;
  struct cpu_device *device = pcf_allocate(1, sizeof *device, error);
  *device_ = device;
  if (!device) return PCF_ERROR_MEMORY;
  *device = (struct cpu_device){.shared = shared};
  return PCF_OK;
}

static enum pcf_status upload(void *device_, int64_t elements, struct pcf_error *error) {
  struct cpu_device *device = device_;
  const struct pcf_task *task = device->shared->task;
  device->output =
    pcf_allocate((size_t)elements, pcf_scalar_size(task->integral.precision), error);
  if (!device->output) return PCF_ERROR_MEMORY;
  if (task->plan.kernel == PCF_SPLIT) return PCF_OK;
  size_t bytes = pcf_tile_workspace(task->plan.width, &task->integral);
  device->workspace = pcf_allocate(bytes, 1, error);
  return device->workspace ? PCF_OK : PCF_ERROR_MEMORY;
}

/* The CPU computes at once; nothing is left for fetch() to do. */
static enum pcf_status launch(void *device_, const struct pcf_block *block, int buffer,
                              struct pcf_error *error) {
  struct cpu_device *device = device_;
  const struct pcf_task *task = device->shared->task;
  (void)buffer;
  int split = task->plan.kernel == PCF_SPLIT;
  if (task->timeline) device->begun = pcf_seconds();
  int stopped = split ? compute_part(device, block) : compute_tiles(device, block);
  if (task->timeline) device->computed = pcf_seconds();
  return stopped ? pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted") : PCF_OK;
}

static enum pcf_status fetch(void *device, const struct pcf_block *block, int buffer,
                             struct pcf_error *error) {
  (void)device;
  (void)block;
  (void)buffer;
  (void)error;
  return PCF_OK;
}

static enum pcf_status wait_for(void *device_, const struct pcf_block *block, int buffer,
                                const void **result, int64_t *stride, struct pcf_error *error) {
  struct cpu_device *device = device_;
  (void)buffer;
  (void)error;
  *result = device->complete ? device->output : NULL;
  *stride = block->rows;
  return PCF_OK;
}

/* The result lies where the host reads it: nothing is copied. */
static void span(void *device_, int buffer, double *begun, double *computed, double *copied) {
  const struct cpu_device *device = device_;
  (void)buffer;
  *begun = device->begun;
  *computed = *copied = device->computed;
}

static void close_device(void *device_) {
  struct cpu_device *device = device_;
  if (!device) return;
  pcf_free(device->workspace);
  pcf_free(device->output);
  pcf_free(device);
}

static struct pcf_tile describe_tile(const struct cpu_device *device, int64_t i, int64_t j) {
  const struct shared *shared = device->shared;
  const struct pcf_task *task = shared->task;
  const struct prepared *rows = &shared->rows, *columns = column_side(shared);
  struct pcf_tile tile = {.integral = &task->integral,
                          .width = task->plan.width,
                          .triangle = task->mode != PCF_FULL && i == j,
                          .workspace = device->workspace,
                          .stop = task->stop};
  if (task->plan.kernel == PCF_SWEEP) {
    tile.sweep.rows = &rows->band[i];
    tile.sweep.columns = &columns->band[j];
  } else {
    tile.grid.rows = &rows->panel[i];
    tile.grid.columns = &columns->panel[j];
    tile.grid.lengths = shared->lengths;
    tile.grid.points = task->grid->points;
  }
  return tile;
}

static int compute_tiles(struct cpu_device *device, const struct pcf_block *block) {
  const struct pcf_task *task = device->shared->task;
  enum pcf_precision precision = task->integral.precision;
  const struct pcf_kernels *kernels = pcf_kernels_of(task->plan.instructions);
  pcf_tile_kernel *kernel =
    task->plan.kernel == PCF_SWEEP ? kernels->sweep[precision] : kernels->grid[precision];
  int64_t width = task->plan.width;
  device->complete = 1;
  for (int64_t j = block->column; j < block->column + block->columns; j += width) {
    for (int64_t i = block->row; i < block->row + block->rows; i += width) {
      if (task->mode != PCF_FULL && i < j) continue;
      struct pcf_tile tile = describe_tile(device, i / width, j / width);
      size_t offset = (size_t)(i - block->row + block->rows * (j - block->column));
      tile.output = (char *)device->output + offset * pcf_scalar_size(precision);
      tile.stride = block->rows;
      if (kernel(&tile)) return 1;
    }
  }
  return 0;
}

static int compute_part(struct cpu_device *device, const struct pcf_block *block) {
  struct shared *shared = device->shared;
  const struct pcf_integral *integral = &shared->task->integral;
  const struct pcf_walk *f = &shared->rows.walks.walk[block->row];
  const struct pcf_walk *g = &column_side(shared)->walks.walk[block->column];
  struct slot *slot = &shared->slot[block->slot];
  struct pcf_partial *partials = shared->partials + slot->first;
  if (pcf_pair_part(integral, f, g, block->part, block->parts, shared->task->stop,
                    &partials[block->part]))
    return 1;
  device->complete = atomic_fetch_sub(&slot->missing, 1) == 1;
  if (device->complete) {
    double result = pcf_pair_finish(integral, f, g, partials, block->parts);
    pcf_store_scalar(device->output, 0, result, integral->precision);
  }
  return 0;
}

const struct pcf_backend pcf_cpu_backend = {
  .name = "cpu",
  .buffers = 1,
  .prepare = prepare,
  .schedule = schedule,
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
