#include "cuda/resident.h"

#include "base/search.h"

#include <math.h>

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

/* An array of `count` scalars on the device. */
static enum pcf_status copy_up(struct pcf_cuda_resident *resident, const void *from,
                               size_t count, void **to, struct pcf_error *error) {
  size_t bytes = count * scalar_size(resident->run);
  enum pcf_status status = pcf_cuda_allocate(resident->memory, bytes, to, error);
  return status ? status : pcf_cuda_send_array(&resident->uplink, *to, from, bytes, error);
}

static void write_slice_times(const void *run_, int64_t first, int64_t end, void *to) {
  const struct pcf_cuda_run *run = run_;
  for (int64_t s = first; s < end; s++) {
    pcf_store_scalar(to, s - first, run->slice_time[s], run->pairs->integral.precision);
  }
}

static enum pcf_status upload_slices(struct pcf_cuda_resident *resident,
                                     struct pcf_error *error) {
  const struct pcf_cuda_run *run = resident->run;
  size_t scalar = scalar_size(run), bytes = (size_t)run->slices * scalar;
  enum pcf_status status =
    pcf_cuda_allocate(resident->memory, bytes, &resident->slice_time, error);
  if (status) return status;
  return pcf_cuda_send(&resident->uplink, resident->slice_time, run->slices, scalar,
                       write_slice_times, run, error);
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
  int threads = run->task->offer.threads / run->gpus;
  resident->run = run;
  resident->memory = memory;
  resident->uplink = (struct pcf_cuda_uplink){
    .memory = memory, .threads = threads > 1 ? threads : 1, .stop = run->task->stop};
  pcf_slots_init(&resident->slots, run->slots);
  enum pcf_status status = pcf_cuda_uplink_open(&resident->uplink, error);
  if (status) return status;
  status = run->method == PCF_CUDA_GRID ? upload_grid(resident, error)
                                        : upload_slices(resident, error);
  enum pcf_status arrived = pcf_cuda_arrive(&resident->uplink, status ? NULL : error);
  return status ? status : arrived;
}

void pcf_cuda_resident_close(struct pcf_cuda_resident *resident) {
  pcf_cuda_uplink_close(&resident->uplink);
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

/* to[k] = from[k] / 2^exponent, rounded to the precision. */
static void scale_numbers(const double *from, int64_t count, int exponent,
                          enum pcf_precision precision, void *to) {
  enum { PLAIN = 1000 }; /* below it the power of two and its reciprocal are normal numbers */
  double factor = ldexp(1, -exponent);
  int plain = exponent > -PLAIN && exponent < PLAIN;
  double *doubles = to;
  float *floats = to;
  if (!plain) {
    for (int64_t k = 0; k < count; k++) {
      pcf_store_scalar(to, k, pcf_scaled(from[k], exponent), precision);
    }
  } else if (precision == PCF_DOUBLE) {
    for (int64_t k = 0; k < count; k++) doubles[k] = from[k] * factor;
  } else {
    for (int64_t k = 0; k < count; k++) floats[k] = (float)(from[k] * factor);
  }
}

/* The times or the values of breakpoints first … end - 1, counted from those of the first
 * function of the upload. */
static void write_breakpoints(const struct upload *upload, int times, int64_t first,
                              int64_t end, char *to) {
  const struct pcf_integral *integral = &upload->resident->run->pairs->integral;
  const struct pcf_cuda_clipped *clipped = upload->clipped;
  const struct pcf_collection *x = clipped->x;
  const int64_t *start = clipped->start;
  first += start[upload->first];
  end += start[upload->first];
  for (int64_t i = pcf_segment_of(start, x->count, first); i < x->count && start[i] < end;
       i++) {
    int64_t begin = start[i] > first ? start[i] : first;
    int64_t stop = start[i + 1] < end ? start[i + 1] : end;
    if (stop <= begin) continue;
    int64_t from = pcf_clip_function(x, i, integral).begin + begin - start[i];
    const double *numbers = (times ? pcf_times(x, i) : pcf_values(x, i)) + from;
    int exponent = times ? integral->time_exponent : clipped->exponent[i];
    scale_numbers(numbers, stop - begin, exponent, integral->precision, to);
    to += (size_t)(stop - begin) * pcf_scalar_size(integral->precision);
  }
}

static void write_times(const void *upload, int64_t first, int64_t end, void *to) {
  write_breakpoints(upload, 1, first, end, to);
}

static void write_values(const void *upload, int64_t first, int64_t end, void *to) {
  write_breakpoints(upload, 0, first, end, to);
}

/* Where the breakpoints of each function begin. */
static void write_starts(const void *upload_, int64_t first, int64_t end, void *to) {
  const struct upload *upload = upload_;
  const int64_t *start = upload->clipped->start + upload->first;
  for (int64_t i = first; i < end; i++) ((int64_t *)to)[i - first] = start[i] - start[0];
}

static enum pcf_status send_functions(struct upload *upload, int64_t count, int64_t breakpoints,
                                      struct pcf_error *error) {
  struct pcf_cuda_uplink *uplink = &upload->resident->uplink;
  size_t scalar = scalar_size(upload->resident->run);
  const char *initial = (const char *)upload->clipped->initial + (size_t)upload->first * scalar;
  enum pcf_status status =
    pcf_cuda_send(uplink, upload->time, breakpoints, scalar, write_times, upload, error);
  if (!status) {
    status =
      pcf_cuda_send(uplink, upload->value, breakpoints, scalar, write_values, upload, error);
  }
  if (!status) {
    status =
      pcf_cuda_send_array(uplink, upload->initial, initial, (size_t)count * scalar, error);
  }
  if (!status) {
    status = pcf_cuda_send(uplink, upload->start, count + 1, sizeof(int64_t), write_starts,
                           upload, error);
  }
  enum pcf_status arrived = pcf_cuda_arrive(uplink, status ? NULL : error);
  return status ? status : arrived;
}

static enum pcf_status bring_up(struct upload *upload, struct pcf_error *error) {
  struct pcf_cuda_memory *memory = upload->resident->memory;
  const int64_t *start = upload->clipped->start;
  size_t scalar = scalar_size(upload->resident->run);
  int64_t count = upload->end - upload->first;
  int64_t breakpoints = start[upload->end] - start[upload->first];
  size_t bytes = (size_t)breakpoints * scalar;
  enum pcf_status status = pcf_cuda_allocate(memory, bytes, &upload->time, error);
  if (!status) status = pcf_cuda_allocate(memory, bytes, &upload->value, error);
  if (!status) {
    status = pcf_cuda_allocate(memory, (size_t)count * scalar, &upload->initial, error);
  }
  if (!status) {
    status =
      pcf_cuda_allocate(memory, (size_t)(count + 1) * sizeof(int64_t), &upload->start, error);
  }
  if (!status) status = send_functions(upload, count, breakpoints, error);
  upload->functions = (struct pcf_cuda_functions){
    count, breakpoints, upload->time, upload->value, upload->initial, upload->start};
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
  *bands = (struct pcf_cuda_bands){.count = functions->count,
                                   .side = side,
                                   .flush = resident->run->flush,
                                   .slices = resident->run->slices};
  bands->events = carve(&slot, (size_t)functions->breakpoints * 4 * scalar);
  bands->lane = carve(&slot, (size_t)functions->breakpoints);
  bands->start = carve(&slot, (count * slices + 1) * sizeof(int64_t));
  bands->initial = carve(&slot, count * (size_t)side * slices * scalar);
  enum pcf_status status = PCF_OK;
  for (int pass = 0; pass < 2 && !status; pass++) {
    cudaError_t code =
      pcf_cuda_build_bands(bands, integral, functions, resident->slice_time, scratch,
                           &scratch_bytes, resident->uplink.stream[0]);
    status = pcf_cuda_check(resident->memory, code, "building bands", error);
    if (!pass && !status) {
      status = pcf_cuda_allocate(resident->memory, scratch_bytes, &scratch, error);
    }
  }
  enum pcf_status built =
    pcf_cuda_check(resident->memory, cudaStreamSynchronize(resident->uplink.stream[0]),
                   "building bands", error);
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
  cudaStream_t stream = resident->uplink.stream[0];
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
