#include "cuda/resident.h"

#include "base/memory.h"
#include "base/threads.h"

#include <string.h>

enum { STAGING_BYTES = 64 << 20, FUNCTIONS_PER_STAGE = 256 };

/* Functions first … end - 1 of a collection on their way to the device. */
struct upload {
  struct pcf_cuda_resident *resident;
  const struct pcf_cuda_clipped *clipped;
  int64_t first, end;
  struct pcf_cuda_functions functions; /* on the device */
  void *time, *value, *initial, *start;
};

static enum pcf_status bring_up(struct upload *upload, struct pcf_error *error);
static enum pcf_status build_bands(struct upload *upload, int side, char *slot,
                                   struct pcf_cuda_bands *bands, struct pcf_error *error);
static enum pcf_status write_panel(struct upload *upload, char *slot,
                                   struct pcf_cuda_panel *panel, struct pcf_error *error);

static size_t scalar_size(const struct pcf_cuda_run *run) {
  return pcf_scalar_size(run->pairs->integral.precision);
}

/* ---- Opening ---- */

/* A copy of `count` scalars on the device. */
static enum pcf_status copy_up(struct pcf_cuda_resident *resident, const void *from,
                               size_t count, void **to, struct pcf_error *error) {
  size_t bytes = count * scalar_size(resident->run);
  enum pcf_status status = pcf_cuda_allocate(resident->memory, bytes, to, error);
  if (status) return status;
  return pcf_cuda_check(resident->memory, cudaMemcpy(*to, from, bytes, cudaMemcpyHostToDevice),
                        "upload", error);
}

static enum pcf_status upload_slices(struct pcf_cuda_resident *resident,
                                     struct pcf_error *error) {
  const struct pcf_cuda_run *run = resident->run;
  void *times = pcf_allocate((size_t)run->slices, sizeof(double), error);
  if (!times) return PCF_ERROR_MEMORY;
  for (int s = 0; s < run->slices; s++) {
    pcf_store_scalar(times, s, run->slice_time[s], run->pairs->integral.precision);
  }
  enum pcf_status status =
    copy_up(resident, times, (size_t)run->slices, &resident->slice_time, error);
  pcf_free(times);
  return status;
}

static enum pcf_status upload_grid(struct pcf_cuda_resident *resident,
                                   struct pcf_error *error) {
  const struct pcf_cuda_run *run = resident->run;
  size_t count = (size_t)run->deep + 1;
  enum pcf_status status = copy_up(resident, run->grid, count, &resident->grid, error);
  if (!status) status = copy_up(resident, run->lengths, count, &resident->lengths, error);
  if (!status && run->pairs->integral.operation == PCF_INNER) {
    status = copy_up(resident, run->factors, count, &resident->factors, error);
  }
  return status;
}

enum pcf_status pcf_cuda_resident_open(struct pcf_cuda_resident *resident,
                                       const struct pcf_cuda_run *run,
                                       struct pcf_cuda_memory *memory,
                                       struct pcf_error *error) {
  resident->run = run;
  resident->memory = memory;
  pcf_slots_init(&resident->slots, run->slots);
  void *staging;
  enum pcf_status status = pcf_cuda_pin(memory, STAGING_BYTES, &staging, error);
  resident->staging = staging;
  for (int half = 0; half < 2 && !status; half++) {
    cudaStream_t *stream = &resident->stream[half];
    status = pcf_cuda_check(memory, cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking),
                            "making a stream", error);
  }
  if (status) return status;
  return run->method == PCF_CUDA_GRID ? upload_grid(resident, error)
                                      : upload_slices(resident, error);
}

void pcf_cuda_resident_close(struct pcf_cuda_resident *resident) {
  for (int half = 0; half < 2; half++) {
    if (!resident->stream[half]) continue;
    cudaStreamSynchronize(resident->stream[half]);
    cudaStreamDestroy(resident->stream[half]);
  }
  if (resident->staging) pcf_cuda_unpin(resident->staging);
}

/* ---- Slots ---- */

/* Builds segment number `segment` of a form in a slot. */
static enum pcf_status load(struct pcf_cuda_resident *resident, int form, int64_t segment,
                            int slot, struct pcf_error *error) {
  const struct pcf_cuda_form *of = &resident->run->form[form];
  struct pcf_cuda_segment *to = &resident->segment[slot];
  struct upload upload = {.resident = resident,
                          .clipped = of->clipped,
                          .first = of->segments.first[segment],
                          .end = of->segments.first[segment + 1]};
  enum pcf_status status = PCF_OK;
  *to = (struct pcf_cuda_segment){.first = upload.first};
  if (!resident->slot[slot]) {
    status = pcf_cuda_allocate(resident->memory, resident->run->slot_bytes,
                               &resident->slot[slot], error);
  }
  if (!status) status = bring_up(&upload, error);
  if (!status && of->side) {
    status = build_bands(&upload, of->side, resident->slot[slot], &to->bands, error);
  } else if (!status) {
    status = write_panel(&upload, resident->slot[slot], &to->panel, error);
  }
  pcf_cuda_free(resident->memory, upload.time);
  pcf_cuda_free(resident->memory, upload.value);
  pcf_cuda_free(resident->memory, upload.initial);
  pcf_cuda_free(resident->memory, upload.start);
  if (status) pcf_slots_forget(&resident->slots, slot);
  return status;
}

enum pcf_status
pcf_cuda_resident_take(struct pcf_cuda_resident *resident, const struct pcf_block *block,
                       enum pcf_status (*wait)(void *context, struct pcf_error *error),
                       void *context, const struct pcf_cuda_segment **rows,
                       const struct pcf_cuda_segment **columns, struct pcf_error *error) {
  const struct pcf_cuda_segment **taken[2] = {rows, columns};
  const int64_t function[2] = {block->row, block->column};
  unsigned pinned = 0;
  for (int side = 0; side < 2; side++) {
    int form = pcf_cuda_form_of(resident->run, side), loading = 0;
    int64_t segment = pcf_segment_with(&resident->run->form[form].segments, function[side]);
    int slot = pcf_slots_take(&resident->slots, form, segment, pinned, &loading);
    enum pcf_status status = PCF_OK;
    if (loading && resident->slot[slot]) status = wait(context, error);
    if (loading && !status) status = load(resident, form, segment, slot, error);
    if (status) return status;
    *taken[side] = &resident->segment[slot];
    pinned |= 1u << slot;
  }
  return PCF_OK;
}

/* ---- Bringing breakpoints up ---- */

/* A run of functions that fits a half of the staging memory. */
struct stage {
  const struct pcf_cuda_run *run;
  const struct pcf_cuda_clipped *clipped;
  int64_t first, end;
  char *times, *values; /* in the staging memory */
};

static enum pcf_status stage_some(void *context, int thread, int64_t index,
                                  struct pcf_error *error) {
  const struct stage *stage = context;
  const struct pcf_integral *integral = &stage->run->pairs->integral;
  const struct pcf_cuda_clipped *clipped = stage->clipped;
  int64_t first = stage->first + index * FUNCTIONS_PER_STAGE;
  int64_t end =
    first + FUNCTIONS_PER_STAGE < stage->end ? first + FUNCTIONS_PER_STAGE : stage->end;
  (void)thread;
  (void)error;
  for (int64_t i = first; i < end; i++) {
    int64_t m = clipped->start[i + 1] - clipped->start[i];
    int64_t to = clipped->start[i] - clipped->start[stage->first];
    struct pcf_clip part = pcf_clip_function(clipped->x, i, integral);
    const double *time = pcf_times(clipped->x, i) + part.begin;
    const double *value = pcf_values(clipped->x, i) + part.begin;
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

static enum pcf_status fill_stage(const struct stage *stage, struct pcf_error *error) {
  const struct pcf_cuda_run *run = stage->run;
  int threads = run->task->offer.threads / run->gpus;
  return pcf_parallel_for(threads > 1 ? threads : 1,
                          pcf_band_count(stage->end - stage->first, FUNCTIONS_PER_STAGE),
                          run->task->stop, stage_some, (void *)stage, error);
}

/* Sends functions first … end - 1 up through half of the staging memory, once what was sent
 * through it before has arrived. A function too long for that goes alone, in memory of its
 * own. */
static enum pcf_status send(struct upload *upload, int half, int64_t first, int64_t end,
                            struct pcf_error *error) {
  struct pcf_cuda_resident *resident = upload->resident;
  const int64_t *start = upload->clipped->start;
  cudaStream_t stream = resident->stream[half];
  size_t scalar = scalar_size(resident->run), count = (size_t)(start[end] - start[first]);
  size_t offset = (size_t)(start[first] - start[upload->first]) * scalar;
  char *to = resident->staging + half * (STAGING_BYTES / 2), *alone = NULL;
  if (2 * count * scalar > STAGING_BYTES / 2) {
    to = alone = pcf_allocate(2 * count, scalar, error);
    if (!alone) return PCF_ERROR_MEMORY;
  }
  struct stage stage = {resident->run, upload->clipped, first, end, to, to + count * scalar};
  enum pcf_status status =
    pcf_cuda_check(resident->memory, cudaStreamSynchronize(stream), "upload", error);
  if (!status) status = fill_stage(&stage, error);
  if (!status) {
    cudaMemcpyAsync((char *)upload->time + offset, stage.times, count * scalar,
                    cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync((char *)upload->value + offset, stage.values, count * scalar,
                    cudaMemcpyHostToDevice, stream);
    status = pcf_cuda_check(resident->memory, cudaGetLastError(), "upload", error);
  }
  if (alone) cudaStreamSynchronize(stream);
  pcf_free(alone);
  return status;
}

static enum pcf_status send_all(struct upload *upload, struct pcf_error *error) {
  struct pcf_cuda_resident *resident = upload->resident;
  const int64_t *start = upload->clipped->start;
  int64_t room = STAGING_BYTES / (4 * (int64_t)scalar_size(resident->run));
  enum pcf_status status = PCF_OK;
  int half = 0;
  for (int64_t first = upload->first, next; first < upload->end && !status; first = next) {
    for (next = first + 1; next < upload->end && start[next + 1] - start[first] <= room;) {
      next++;
    }
    status = send(upload, half, first, next, error);
    half = !half;
  }
  for (half = 0; half < 2; half++) {
    enum pcf_status arrived = pcf_cuda_check(
      resident->memory, cudaStreamSynchronize(resident->stream[half]), "upload", error);
    if (!status) status = arrived;
  }
  return status;
}

/* Where the breakpoints of each function begin, counted from those of the first. */
static enum pcf_status send_starts(struct upload *upload, struct pcf_error *error) {
  size_t count = (size_t)(upload->end - upload->first);
  const int64_t *start = upload->clipped->start + upload->first;
  int64_t *own = pcf_allocate(count + 1, sizeof *own, error);
  if (!own) return PCF_ERROR_MEMORY;
  for (size_t i = 0; i <= count; i++) own[i] = start[i] - start[0];
  cudaError_t code =
    cudaMemcpy(upload->start, own, (count + 1) * sizeof *own, cudaMemcpyHostToDevice);
  pcf_free(own);
  return pcf_cuda_check(upload->resident->memory, code, "upload", error);
}

static enum pcf_status bring_up(struct upload *upload, struct pcf_error *error) {
  struct pcf_cuda_memory *memory = upload->resident->memory;
  const int64_t *start = upload->clipped->start;
  size_t scalar = scalar_size(upload->resident->run);
  size_t count = (size_t)(upload->end - upload->first);
  size_t breakpoints = (size_t)(start[upload->end] - start[upload->first]);
  const char *initial = (const char *)upload->clipped->initial + (size_t)upload->first * scalar;
  enum pcf_status status =
    pcf_cuda_allocate(memory, breakpoints * scalar, &upload->time, error);
  if (!status) status = pcf_cuda_allocate(memory, breakpoints * scalar, &upload->value, error);
  if (!status) status = pcf_cuda_allocate(memory, count * scalar, &upload->initial, error);
  if (!status) status = pcf_cuda_allocate(memory, (count + 1) * 8, &upload->start, error);
  if (!status) {
    cudaError_t code =
      cudaMemcpy(upload->initial, initial, count * scalar, cudaMemcpyHostToDevice);
    status = pcf_cuda_check(memory, code, "upload", error);
  }
  if (!status) status = send_starts(upload, error);
  if (!status) status = send_all(upload, error);
  upload->functions =
    (struct pcf_cuda_functions){(int64_t)count, (int64_t)breakpoints, upload->time,
                                upload->value,  upload->initial,      upload->start};
  return status;
}

/* ---- Forms ---- */

/* The next `bytes` of a slot. */
static void *carve(char **slot, size_t bytes) {
  void *piece = *slot;
  *slot += (bytes + PCF_CUDA_ALIGNMENT - 1) / PCF_CUDA_ALIGNMENT * PCF_CUDA_ALIGNMENT;
  return piece;
}

static enum pcf_status build_bands(struct upload *upload, int side, char *slot,
                                   struct pcf_cuda_bands *bands, struct pcf_error *error) {
  struct pcf_cuda_resident *resident = upload->resident;
  const struct pcf_cuda_functions *functions = &upload->functions;
  const struct pcf_integral *integral = &resident->run->pairs->integral;
  size_t scalar = scalar_size(resident->run), slices = (size_t)resident->run->slices;
  size_t count = (size_t)pcf_band_count(functions->count, side), scratch_bytes = 0;
  void *scratch = NULL;
  *bands = (struct pcf_cuda_bands){
    .count = functions->count, .side = side, .slices = resident->run->slices};
  bands->events = carve(&slot, (size_t)functions->breakpoints * 4 * scalar);
  bands->lane = carve(&slot, (size_t)functions->breakpoints);
  bands->start = carve(&slot, (count * slices + 1) * sizeof(int64_t));
  bands->initial = carve(&slot, count * (size_t)side * slices * scalar);
  enum pcf_status status = PCF_OK;
  for (int pass = 0; pass < 2 && !status; pass++) {
    cudaError_t code = pcf_cuda_build_bands(bands, integral, functions, resident->slice_time,
                                            scratch, &scratch_bytes, resident->stream[0]);
    status = pcf_cuda_check(resident->memory, code, "building bands", error);
    if (!pass && !status) {
      status = pcf_cuda_allocate(resident->memory, scratch_bytes, &scratch, error);
    }
  }
  enum pcf_status built = pcf_cuda_check(
    resident->memory, cudaStreamSynchronize(resident->stream[0]), "building bands", error);
  pcf_cuda_free(resident->memory, scratch);
  return status ? status : built;
}

static enum pcf_status write_panel(struct upload *upload, char *slot,
                                   struct pcf_cuda_panel *panel, struct pcf_error *error) {
  struct pcf_cuda_resident *resident = upload->resident;
  const struct pcf_cuda_run *run = resident->run;
  size_t scalar = scalar_size(run);
  int64_t padded =
    pcf_band_count(upload->functions.count, PCF_CUDA_PANEL) * (int64_t)PCF_CUDA_PANEL;
  size_t bytes = (size_t)(run->deep * padded) * scalar, last = (size_t)padded * scalar;
  cudaStream_t stream = resident->stream[0];
  *panel = (struct pcf_cuda_panel){upload->functions.count, padded, carve(&slot, bytes),
                                   carve(&slot, last)};
  struct pcf_cuda_expansion expansion = {*panel,
                                         upload->functions,
                                         resident->grid,
                                         resident->factors,
                                         (int)run->pairs->grid.points,
                                         run->stretches};
  cudaMemsetAsync(panel->values, 0, bytes, stream);
  cudaMemsetAsync(panel->last, 0, last, stream);
  enum pcf_status status =
    pcf_cuda_check(resident->memory, pcf_cuda_expand(&run->pairs->integral, &expansion, stream),
                   "expanding functions", error);
  enum pcf_status written = pcf_cuda_check(resident->memory, cudaStreamSynchronize(stream),
                                           "expanding functions", error);
  return status ? status : written;
}
