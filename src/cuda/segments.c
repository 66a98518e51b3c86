#include "cuda/segments.h"

#include "base/search.h"
#include "cuda/memory.h"
#include "cuda/method.h"

#include <math.h>
#include <string.h>

/* The arrays of an upload; the last two for functions that are on the device already. */
enum { TIME, PIECE, INITIAL, START, SOURCE, EXPONENTS, ARRAYS };

/* Functions first … end - 1 of a collection on their way to the device. */
struct upload {
  struct pcf_cuda_segments *segments;
  const struct pcf_cuda_clipped *clipped;
  const struct pcf_cuda_packed
    *packed; /* the collection on the device; NULL: it is not there */
  int64_t first, end;
  struct pcf_cuda_functions functions; /* on the device */
  void *on_device[ARRAYS];
};

static enum pcf_status bring_up(struct upload *upload, struct pcf_error *error);

static size_t scalar_size(const struct pcf_cuda_run *run) {
  return pcf_scalar_size(run->pairs->integral.precision);
}

static size_t piece_size(const struct upload *upload) {
  return (size_t)pcf_family_of(upload->clipped->x->linear).scalars *
         scalar_size(upload->segments->run);
}

/* ---- Opening ---- */

static void find_resident(struct pcf_cuda_segments *segments) {
  const struct pcf_cuda_run *run = segments->run;
  for (int f = 0; f < run->forms && run->use_resident; f++) {
    segments->use_packed[f] = pcf_cuda_use_resident(
      segments->memory->index, run->form[f].clipped->x, &segments->packed[f]);
  }
}

static void leave_resident(struct pcf_cuda_segments *segments) {
  for (int f = 0; f < 2; f++) {
    if (!segments->use_packed[f]) continue;
    pcf_pool_done(pcf_cuda_pool(segments->memory->index),
                  pcf_resident(segments->run->form[f].clipped->x));
  }
  for (int s = 0; s < segments->slots.count; s++) {
    pcf_pool_done(pcf_cuda_pool(segments->memory->index), segments->resident[s].owner);
  }
}

struct shared {
  const double *number;
  enum pcf_precision precision;
};

static void write_shared(const void *shared_, int64_t first, int64_t end, void *to) {
  const struct shared *shared = shared_;
  for (int64_t k = first; k < end; k++) {
    pcf_store_scalar(to, k - first, shared->number[k], shared->precision);
  }
}

/* Starts bringing an array that all segments share up, if it is there. */
static enum pcf_status share(struct pcf_cuda_segments *segments, int k,
                             struct pcf_error *error) {
  const struct pcf_cuda_run *run = segments->run;
  struct shared shared = {run->shared[k].number, run->pairs->integral.precision};
  int64_t count = run->shared[k].count;
  size_t size = scalar_size(run);
  enum pcf_status status = PCF_OK;
  if (!count) return PCF_OK;
  segments->shared[k] =
    pcf_cuda_allocate(segments->memory, (size_t)count * size, &status, error);
  if (status) return status;
  return pcf_cuda_send(&segments->uplink, segments->shared[k], count, size, write_shared,
                       &shared, error);
}

enum pcf_status pcf_cuda_segments_open(struct pcf_cuda_segments *segments,
                                       const struct pcf_cuda_run *run,
                                       struct pcf_cuda_memory *memory,
                                       struct pcf_error *error) {
  int threads = run->task->offer.threads / run->info.wanted;
  segments->run = run;
  segments->memory = memory;
  segments->uplink = (struct pcf_cuda_uplink){
    .memory = memory, .threads = threads > 1 ? threads : 1, .stop = run->task->stop};
  pcf_slots_init(&segments->slots, run->slots);
  find_resident(segments);
  enum pcf_status status = pcf_cuda_uplink_open(&segments->uplink, error);
  if (status) return status;
  for (int k = 0; k < PCF_CUDA_MOST_SHARED && !status; k++) status = share(segments, k, error);
  return pcf_cuda_arrive(&segments->uplink, status, error);
}

void pcf_cuda_segments_close(struct pcf_cuda_segments *segments) {
  pcf_cuda_uplink_close(&segments->uplink);
  leave_resident(segments);
}

/* ---- Slots ---- */

/* Fills the key of a form of a resident collection, and returns whether the form can be
 * resident, too: for that it must be one segment in a slot of its own. */
static int key_of(const struct pcf_cuda_run *run, int form, struct pcf_cuda_form_key *key) {
  const struct pcf_cuda_form *of = &run->form[form];
  const struct pcf_integral *integral = &run->pairs->integral;
  if (!run->use_resident || !pcf_resident(of->clipped->x) || !run->method->key) return 0;
  if (of->segments.count > 1 || run->slots < run->forms || integral->own_exponents) return 0;
  *key = (struct pcf_cuda_form_key){
    .collection = pcf_resident(of->clipped->x),
    .method = run->method,
    .number = {(double)run->band, integral->precision, integral->origin, integral->from,
               integral->to, integral->time_exponent, integral->value_exponent,
               integral->missing_is_0}};
  return run->method->key(run, key->number + PCF_CUDA_KEY_NUMBERS - PCF_CUDA_METHOD_KEY);
}

/* Looks for the form among those of earlier runs; returns whether it is there. */
static int find_form(struct pcf_cuda_segments *segments, int form, int slot) {
  struct pcf_cuda_form_key key;
  struct pcf_cuda_resident_form *resident = &segments->resident[slot];
  if (segments->slot[slot] || !key_of(segments->run, form, &key)) return 0;
  *resident = pcf_cuda_use_form(segments->memory->index, &key);
  if (!resident->owner) return 0;
  segments->slot[slot] = resident->memory;
  memcpy(&segments->segment[slot], resident->description, sizeof segments->segment[slot]);
  return 1;
}

/* Makes a form that was just built resident, for later runs. */
static void keep_form(struct pcf_cuda_segments *segments, int form, int slot) {
  struct pcf_cuda_form_key key;
  struct pcf_cuda_resident_form *resident = &segments->resident[slot];
  int index = segments->memory->index;
  _Static_assert(sizeof segments->segment[slot] <= sizeof resident->description, "a segment");
  if (resident->owner || !key_of(segments->run, form, &key)) return;
  resident->memory = segments->slot[slot];
  memcpy(resident->description, &segments->segment[slot], sizeof segments->segment[slot]);
  pcf_cuda_make_form_resident(segments->memory, &key, (double)segments->run->slot_bytes,
                              pcf_cuda_most_idle(segments->run->info.gpu[index].memory),
                              resident);
}

/* Builds segment number `segment` of a form in a slot. */
static enum pcf_status load(struct pcf_cuda_segments *segments, int form, int64_t segment,
                            int slot, struct pcf_error *error) {
  const struct pcf_cuda_form *of = &segments->run->form[form];
  struct pcf_cuda_segment *to = &segments->segment[slot];
  struct upload upload = {.segments = segments,
                          .clipped = of->clipped,
                          .packed = segments->use_packed[form] ? &segments->packed[form] : NULL,
                          .first = of->segments.first[segment],
                          .end = of->segments.first[segment + 1]};
  enum pcf_status status = PCF_OK;
  if (find_form(segments, form, slot)) return PCF_OK;
  *to = (struct pcf_cuda_segment){.first = upload.first};
  if (!segments->slot[slot]) {
    segments->slot[slot] =
      pcf_cuda_allocate(segments->memory, segments->run->slot_bytes, &status, error);
  }
  int kept = segments->memory->count;
  if (!status) status = bring_up(&upload, error);
  if (!status) {
    status = segments->run->method->build(segments, &upload.functions, segments->run->band,
                                          segments->slot[slot], to, error);
  }
  pcf_cuda_free_from(segments->memory, kept);
  if (status) pcf_slots_forget(&segments->slots, slot);
  else keep_form(segments, form, slot);
  return status;
}

enum pcf_status pcf_cuda_segments_take(struct pcf_cuda_segments *segments,
                                       const struct pcf_block *block,
                                       const struct pcf_cuda_segment **rows,
                                       const struct pcf_cuda_segment **columns,
                                       struct pcf_error *error) {
  const struct pcf_cuda_segment **taken[2] = {rows, columns};
  const int64_t function[2] = {block->row, block->column};
  unsigned pinned = 0;
  for (int side = 0; side < 2; side++) {
    int form = pcf_cuda_form_of(segments->run, side), loading = 0;
    const struct pcf_segments *cut = &segments->run->form[form].segments;
    int64_t segment = pcf_segment_of(cut->first, cut->count, function[side]);
    int slot = pcf_slots_take(&segments->slots, form, segment, pinned, &loading);
    enum pcf_status status = PCF_OK;
    if (loading && segments->slot[slot]) {
      status =
        pcf_cuda_check(segments->memory, cudaDeviceSynchronize(), "computing a block", error);
    }
    if (loading && !status) status = load(segments, form, segment, slot, error);
    if (status) return status;
    *taken[side] = &segments->segment[slot];
    pinned |= 1u << slot;
  }
  return PCF_OK;
}

/* ---- Bringing breakpoints up ---- */

/* to[k] = (from[k] − origin) / 2^exponent, rounded to the precision. */
static void scale_numbers(const double *from, int64_t count, double origin, int exponent,
                          enum pcf_precision precision, void *to) {
  enum { PLAIN = 1000 }; /* below it the power of two and its reciprocal are normal numbers */
  double factor = ldexp(1, -exponent);
  int plain = exponent > -PLAIN && exponent < PLAIN;
  double *doubles = to;
  float *floats = to;
  if (!plain) {
    for (int64_t k = 0; k < count; k++) {
      pcf_store_scalar(to, k, pcf_scaled(from[k] - origin, exponent), precision);
    }
  } else if (precision == PCF_DOUBLE) {
    for (int64_t k = 0; k < count; k++) doubles[k] = (from[k] - origin) * factor;
  } else {
    for (int64_t k = 0; k < count; k++) floats[k] = (float)((from[k] - origin) * factor);
  }
}

/* Replaces missing values by zeros. */
static void clear_missing(void *numbers, int64_t count, enum pcf_precision precision) {
  for (int64_t k = 0; k < count; k++) {
    if (isnan(pcf_load_scalar(numbers, k, precision)))
      pcf_store_scalar(numbers, k, 0, precision);
  }
}

static void write_lines(const struct pcf_view *view, int64_t first, int64_t end,
                        enum pcf_precision precision, void *to) {
  for (int64_t k = first; k < end; k++) {
    pcf_store_scalar(to, 2 * (k - first), pcf_view_value(view, k), precision);
    pcf_store_scalar(to, 2 * (k - first) + 1, pcf_view_slope(view, k, precision), precision);
  }
}

/* Writes breakpoints first … end - 1 of a function: their times, or the pieces that begin
 * there.
 */
static void write_some(const struct pcf_view *view, int times, int64_t first, int64_t end,
                       enum pcf_precision precision, void *to) {
  if (times) {
    scale_numbers(view->time + first, end - first, view->origin, view->time_exponent, precision,
                  to);
  } else if (view->left) {
    write_lines(view, first, end, precision, to);
  } else {
    scale_numbers(view->value + first, end - first, 0, view->value_exponent, precision, to);
    if (view->missing_is_0) clear_missing(to, end - first, precision);
  }
}

/* The same of breakpoints first … end - 1 of all functions, counted from the first breakpoint
 * of the first function of the upload. */
static void write_breakpoints(const struct upload *upload, int times, int64_t first,
                              int64_t end, char *to) {
  size_t size = times ? scalar_size(upload->segments->run) : piece_size(upload);
  enum pcf_precision precision = upload->segments->run->pairs->integral.precision;
  const struct pcf_cuda_clipped *clipped = upload->clipped;
  const int64_t *start = clipped->start, count = clipped->x->count;
  first += start[upload->first];
  end += start[upload->first];
  for (int64_t i = pcf_segment_of(start, count, first); i < count && start[i] < end; i++) {
    int64_t begin = start[i] > first ? start[i] : first;
    int64_t stop = start[i + 1] < end ? start[i + 1] : end;
    if (stop <= begin) continue;
    write_some(&clipped->view[i], times, begin - start[i], stop - start[i], precision, to);
    to += (size_t)(stop - begin) * size;
  }
}

static void write_times(const void *upload, int64_t first, int64_t end, void *to) {
  write_breakpoints(upload, 1, first, end, to);
}

static void write_pieces(const void *upload, int64_t first, int64_t end, void *to) {
  write_breakpoints(upload, 0, first, end, to);
}

static void write_initials(const void *upload_, int64_t first, int64_t end, void *to) {
  const struct upload *upload = upload_;
  const struct pcf_view *view = upload->clipped->view + upload->first;
  enum pcf_precision precision = upload->segments->run->pairs->integral.precision;
  int scalars = pcf_family_of(upload->clipped->x->linear).scalars;
  for (int64_t i = first; i < end; i++) {
    int64_t at = scalars * (i - first);
    pcf_store_scalar(to, at, view[i].initial, precision);
    if (scalars > 1) pcf_store_scalar(to, at + 1, view[i].initial_slope, precision);
  }
}

/* Writes where the breakpoints of each function begin. */
static void write_starts(const void *upload_, int64_t first, int64_t end, void *to) {
  const struct upload *upload = upload_;
  const int64_t *start = upload->clipped->start + upload->first;
  for (int64_t i = first; i < end; i++) ((int64_t *)to)[i - first] = start[i] - start[0];
}

/* For functions that are on the device already: writes where the breakpoints of each begin
 * there, after clipping. */
static void write_sources(const void *upload_, int64_t first, int64_t end, void *to) {
  const struct upload *upload = upload_;
  const struct pcf_collection *x = upload->clipped->x;
  for (int64_t k = first; k < end; k++) {
    int64_t i = upload->first + k;
    ((int64_t *)to)[k - first] =
      x->offsets[i] + (upload->clipped->view[i].time - pcf_times(x, i));
  }
}

static void write_exponents(const void *upload_, int64_t first, int64_t end, void *to) {
  const struct upload *upload = upload_;
  const struct pcf_view *view = upload->clipped->view + upload->first;
  for (int64_t k = first; k < end; k++) ((int *)to)[k - first] = view[k].value_exponent;
}

/* Takes functions from their resident collection. */
static enum pcf_status take_from_packed(struct upload *upload, int64_t count,
                                        int64_t breakpoints, struct pcf_error *error) {
  const struct pcf_integral *integral = &upload->segments->run->pairs->integral;
  struct pcf_cuda_memory *memory = upload->segments->memory;
  cudaStream_t stream = upload->segments->uplink.stream[0];
  struct pcf_cuda_taking taking = {.from = *upload->packed,
                                   .source = upload->on_device[SOURCE],
                                   .start = upload->on_device[START],
                                   .first = upload->first,
                                   .count = count,
                                   .breakpoints = breakpoints,
                                   .origin = integral->origin,
                                   .time_exponent = integral->time_exponent,
                                   .value_exponent = integral->value_exponent,
                                   .exponents = upload->on_device[EXPONENTS],
                                   .missing_is_0 = integral->missing_is_0,
                                   .time = upload->on_device[TIME],
                                   .piece = upload->on_device[PIECE]};
  enum pcf_status status = pcf_cuda_check(
    memory, pcf_cuda_take(integral->precision, &taking, stream), "taking functions", error);
  enum pcf_status taken =
    pcf_cuda_check(memory, cudaStreamSynchronize(stream), "taking functions", error);
  return status ? status : taken;
}

/* An array of the upload. Without a writer the device fills it, and where elements have no size
 * it is not needed. */
struct array {
  int64_t count;
  size_t size;
  pcf_cuda_passer *write;
};

/* Allocates the arrays, and sends those of the host. */
static enum pcf_status send(struct upload *upload, const struct array *array,
                            struct pcf_error *error) {
  struct pcf_cuda_segments *segments = upload->segments;
  struct pcf_cuda_uplink *uplink = &segments->uplink;
  enum pcf_status status = PCF_OK;
  for (int k = 0; k < ARRAYS; k++) {
    if (!array[k].size) continue;
    size_t bytes = (size_t)array[k].count * array[k].size;
    upload->on_device[k] = pcf_cuda_allocate(segments->memory, bytes, &status, error);
    if (status || !array[k].write) continue;
    status = pcf_cuda_send(uplink, upload->on_device[k], array[k].count, array[k].size,
                           array[k].write, upload, error);
  }
  return pcf_cuda_arrive(uplink, status, error);
}

static enum pcf_status bring_up(struct upload *upload, struct pcf_error *error) {
  const int64_t *start = upload->clipped->start;
  int64_t count = upload->end - upload->first;
  int64_t breakpoints = start[upload->end] - start[upload->first];
  int packed = upload->packed != NULL;
  int own = packed && upload->segments->run->pairs->integral.own_exponents;
  const struct array array[ARRAYS] = {
    [TIME] = {breakpoints, scalar_size(upload->segments->run), packed ? NULL : write_times},
    [PIECE] = {breakpoints, piece_size(upload), packed ? NULL : write_pieces},
    [INITIAL] = {count, piece_size(upload), write_initials},
    [START] = {count + 1, sizeof(int64_t), write_starts},
    [SOURCE] = {count, packed ? sizeof(int64_t) : 0, write_sources},
    [EXPONENTS] = {count, own ? sizeof(int) : 0, write_exponents}};
  enum pcf_status status = send(upload, array, error);
  if (!status && packed) status = take_from_packed(upload, count, breakpoints, error);
  void *const *on_device = upload->on_device;
  upload->functions =
    (struct pcf_cuda_functions){count,           breakpoints,      upload->clipped->x->linear,
                                on_device[TIME], on_device[PIECE], on_device[INITIAL],
                                on_device[START]};
  return status;
}
