#include "cuda/resident.h"

#include "base/search.h"
#include "cuda/method.h"

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

static size_t scalar_size(const struct pcf_cuda_run *run) {
  return pcf_scalar_size(run->pairs->integral.precision);
}

/* ---- Opening ---- */

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
  status = run->method->open(resident, error);
  enum pcf_status arrived = pcf_cuda_arrive(&resident->uplink, status ? NULL : error);
  return status ? status : arrived;
}

enum pcf_status pcf_cuda_share(struct pcf_cuda_resident *resident, int k, const void *array,
                               int64_t count, struct pcf_error *error) {
  void **to = &resident->shared[k];
  size_t bytes = (size_t)count * scalar_size(resident->run);
  enum pcf_status status = pcf_cuda_allocate(resident->memory, bytes, to, error);
  return status ? status : pcf_cuda_send_array(&resident->uplink, *to, array, bytes, error);
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
  if (!status) {
    status = resident->run->method->build(resident, &upload.functions, of->side,
                                          resident->slot[slot], to, error);
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

/* Of missing values, makes zeros. */
static void clear_missing(void *numbers, int64_t count, enum pcf_precision precision) {
  for (int64_t k = 0; k < count; k++) {
    if (isnan(pcf_load_scalar(numbers, k, precision)))
      pcf_store_scalar(numbers, k, 0, precision);
  }
}

/* The times or the values of breakpoints first … end - 1, counted from those of the first
 * function of the upload. */
static void write_breakpoints(const struct upload *upload, int times, int64_t first,
                              int64_t end, char *to) {
  enum pcf_precision precision = upload->resident->run->pairs->integral.precision;
  const struct pcf_cuda_clipped *clipped = upload->clipped;
  const int64_t *start = clipped->start, count = clipped->x->count;
  first += start[upload->first];
  end += start[upload->first];
  for (int64_t i = pcf_segment_of(start, count, first); i < count && start[i] < end; i++) {
    const struct pcf_view *view = &clipped->view[i];
    int64_t begin = start[i] > first ? start[i] : first;
    int64_t stop = start[i + 1] < end ? start[i + 1] : end;
    if (stop <= begin) continue;
    const double *numbers = (times ? view->time : view->value) + (begin - start[i]);
    int exponent = times ? view->time_exponent : view->value_exponent;
    scale_numbers(numbers, stop - begin, exponent, precision, to);
    if (!times && view->missing_is_0) clear_missing(to, stop - begin, precision);
    to += (size_t)(stop - begin) * pcf_scalar_size(precision);
  }
}

static void write_times(const void *upload, int64_t first, int64_t end, void *to) {
  write_breakpoints(upload, 1, first, end, to);
}

static void write_values(const void *upload, int64_t first, int64_t end, void *to) {
  write_breakpoints(upload, 0, first, end, to);
}

static void write_initials(const void *upload_, int64_t first, int64_t end, void *to) {
  const struct upload *upload = upload_;
  const struct pcf_view *view = upload->clipped->view + upload->first;
  enum pcf_precision precision = upload->resident->run->pairs->integral.precision;
  for (int64_t i = first; i < end; i++) {
    pcf_store_scalar(to, i - first, view[i].initial, precision);
  }
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
  enum pcf_status status =
    pcf_cuda_send(uplink, upload->time, breakpoints, scalar, write_times, upload, error);
  if (!status) {
    status =
      pcf_cuda_send(uplink, upload->value, breakpoints, scalar, write_values, upload, error);
  }
  if (!status) {
    status =
      pcf_cuda_send(uplink, upload->initial, count, scalar, write_initials, upload, error);
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
