#include "kernels/slices.h"

#include "blocks/schedule.h"
#include "integrals/window.h"
#include "reductions/events.h"

/* ---- The window ---- */

enum pcf_status pcf_window_cut(struct pcf_window *cut, const struct pcf_collection *x,
                               const struct pcf_collection *y,
                               const struct pcf_integral *integral, int slices, int parts,
                               struct pcf_error *error) {
  int cuts = 0;
  *cut = (struct pcf_window){0};
  cut->bound = pcf_array(&cut->arrays, (size_t)slices + 1, sizeof *cut->bound, error);
  cut->first = pcf_array(&cut->arrays, (size_t)slices + 1, sizeof *cut->first, error);
  if (cut->arrays.status) return PCF_ERROR_MEMORY;
  enum pcf_status status =
    pcf_window_quantiles(x, y, integral, slices, cut->bound + 1, &cuts, error);
  if (status) return status;
  cut->bound[0] = integral->from;
  cut->bound[cuts + 1] = integral->to;
  cut->slices = cuts + 1;
  cut->parts = parts < cut->slices ? parts : cut->slices;
  for (int p = 0; p <= cut->parts; p++) {
    cut->first[p] = (int)((int64_t)cut->slices * p / cut->parts);
  }
  return PCF_OK;
}

void pcf_window_free(struct pcf_window *cut) {
  pcf_arrays_free(&cut->arrays);
  *cut = (struct pcf_window){0};
}

/* ---- Building ----
 *
 * First it is found where each slice of each function begins, and from that, where each part of
 * each band goes. Then the slices of a part, which lie behind each other, are sorted one by
 * one: each fits into the cache. */

struct scratch {
  struct pcf_sorter *sorter;
  struct pcf_event *events, *sorted; /* of a slice: change = {event · 2^16 + function, value} */
};

struct building {
  struct pcf_sliced_bands *sliced;
  const struct pcf_collection *x;
  const struct pcf_integral *integral;
  const struct pcf_window *cut;
  int width;
  struct pcf_view *view;   /* of each function */
  int64_t *begin;          /* its first event of slice s: begin[i · (slices + 1) + s] */
  int64_t most;            /* events of a slice of a band */
  struct scratch *scratch; /* one a thread */
  struct pcf_arrays arrays;
};

static int64_t *begins_of(const struct building *building, int64_t i) {
  return building->begin + i * (building->cut->slices + 1);
}

static int band_count(const struct building *building, int64_t band) {
  return (int)pcf_smaller(building->x->count - band * building->width, building->width);
}

/* Where the slices of a function begin. Its lines end at the end of the window: an event that
 * is rounded to that time would be a second one there. */
static enum pcf_status find_begins(void *building_, int thread, int64_t i,
                                   struct pcf_error *error) {
  struct building *building = building_;
  const struct pcf_window *cut = building->cut;
  int64_t *begin = begins_of(building, i);
  building->view[i] = pcf_view_of(building->x, i, building->integral);
  begin[0] = 0;
  for (int s = 1; s < cut->slices; s++) {
    begin[s] = pcf_view_first_from(&building->view[i], begin[s - 1], cut->bound[s],
                                   building->integral->precision);
  }
  begin[cut->slices] = building->view[i].events;
  if (building->x->linear) {
    enum pcf_precision precision = building->integral->precision;
    double end = pcf_narrowed(building->integral->to, precision);
    begin[cut->slices] =
      pcf_view_first_from(&building->view[i], begin[cut->slices - 1], end, precision);
  }
  return PCF_OK;
}

static int64_t events_in(const struct building *building, int64_t band, int first, int end) {
  int64_t events = 0, i = band * building->width;
  for (int lane = 0; lane < band_count(building, band); lane++) {
    const int64_t *begin = begins_of(building, i + lane);
    events += begin[end] - begin[first];
  }
  return events;
}

/* Lays out the parts of a band in a block of memory. */
static enum pcf_status lay_out(struct building *building, int64_t b, struct pcf_error *error) {
  const struct pcf_window *cut = building->cut;
  struct pcf_band *band = building->sliced->band + b * cut->parts;
  int linear = building->x->linear;
  size_t ends = linear ? (size_t)band_count(building, b) : 0, parts = (size_t)cut->parts;
  size_t events = (size_t)events_in(building, b, 0, cut->slices) + parts * ends;
  struct pcf_band_layout layout = pcf_lay_out_bands(linear, building->integral->precision,
                                                    parts, events, (size_t)building->width);
  char *memory = pcf_array(&building->sliced->arrays, layout.bytes, 1, error);
  if (!memory) return PCF_ERROR_MEMORY;
  pcf_ask_for_huge_pages(memory, layout.bytes);
  size_t done = 0;
  for (size_t p = 0; p < parts; p++) {
    band[p] = (struct pcf_band){.first = b * building->width, .count = band_count(building, b)};
    pcf_place_band(&band[p], &layout, memory, p, done);
    done += (size_t)events_in(building, b, cut->first[p], cut->first[p + 1]) + ends;
  }
  for (int s = 0; s < cut->slices; s++) {
    int64_t in_slice = events_in(building, b, s, s + 1);
    if (in_slice > building->most) building->most = in_slice;
  }
  return PCF_OK;
}

/* ---- A slice ---- */

/* Does event k of a function flush its sums? They are counted from the start of the part. */
static uint32_t mark_of(const struct building *building, int64_t k, int64_t part_begin,
                        double time) {
  const struct pcf_integral *integral = building->integral;
  enum pcf_precision precision = integral->precision;
  int ends = pcf_ends_piece(integral, pcf_narrowed(time, precision), precision);
  return (k + 1 - part_begin) % pcf_flush_events(integral) && !ends ? 0 : PCF_FLUSH;
}

/* Lists the events of slice s of band b, whose part begins with slice `first`; returns their
 * number. Of events of a function at the same rounded time, the last one counts. */
static int64_t list_events(const struct building *building, int64_t b, int s, int first,
                           struct pcf_event *events) {
  int64_t count = 0, i = b * building->width;
  enum pcf_precision precision = building->integral->precision;
  for (int lane = 0; lane < band_count(building, b); lane++, i++) {
    const int64_t *begin = begins_of(building, i);
    const struct pcf_view *view = &building->view[i];
    for (int64_t k = begin[s]; k < begin[s + 1]; k++) {
      double time = pcf_view_time(view, k);
      if (precision != PCF_DOUBLE && k + 1 < begin[s + 1] &&
          (float)time == (float)pcf_view_time(view, k + 1)) {
        continue;
      }
      uint32_t mark = mark_of(building, k, begin[first], time);
      double value = pcf_view_value(view, k);
      events[count++] = (struct pcf_event){
        pcf_key_of(time),
        {(uint64_t)k << 16 | (uint32_t)lane | mark, pcf_bits_of_double(value)}};
    }
  }
  return count;
}

/* Writes sorted events behind those that the part has. */
static void append_events(const struct building *building, struct pcf_band *band,
                          const struct pcf_event *event, int64_t count) {
  enum pcf_precision precision = building->integral->precision;
  const struct pcf_view *view = building->view + band->first;
  for (int64_t e = 0, to = band->events; e < count; e++, to++) {
    uint16_t function = (uint16_t)event[e].change[0];
    pcf_store_scalar(band->time, to, pcf_time_of(event[e].key), precision);
    pcf_store_scalar(band->value, to, pcf_double_of(event[e].change[1]), precision);
    band->function[to] = function;
    if (!band->slope) continue;
    int64_t k = (int64_t)(event[e].change[0] >> 16);
    double slope = pcf_view_slope(&view[function & ~PCF_FLUSH], k, precision);
    pcf_store_scalar(band->slope, to, slope, precision);
  }
  band->events += count;
}

/* ---- A part ---- */

/* What a function is at the start of a part, before its event k. */
static void begin_part(const struct building *building, const struct pcf_view *view, int64_t k,
                       double start, double *value, double *slope) {
  enum pcf_precision precision = building->integral->precision;
  double since = building->integral->from;
  *value = k > 0 ? pcf_view_value(view, k - 1) : view->initial;
  *slope = k > 0 ? pcf_view_slope(view, k - 1, precision) : view->initial_slope;
  if (k > 0) since = pcf_narrowed(pcf_view_time(view, k - 1), precision);
  if (*slope != 0) *value += *slope * (start - since);
}

/* Where a part ends its lines do, as those of a band do at the end of the window. */
static void end_lines(struct pcf_band *band, double time, enum pcf_precision precision) {
  if (!band->slope || !(time < INFINITY)) return;
  for (int lane = 0; lane < band->count; lane++) {
    pcf_store_scalar(band->time, band->events, time, precision);
    pcf_store_scalar(band->value, band->events, 0, precision);
    pcf_store_scalar(band->slope, band->events, 0, precision);
    band->function[band->events++] = (uint16_t)lane;
  }
}

static enum pcf_status build_part(void *building_, int thread, int64_t index,
                                  struct pcf_error *error) {
  struct building *building = building_;
  const struct pcf_window *cut = building->cut;
  enum pcf_precision precision = building->integral->precision;
  struct scratch *scratch = &building->scratch[thread];
  struct pcf_band *band = building->sliced->band + index;
  int64_t b = index / cut->parts;
  int part = (int)(index % cut->parts);
  for (int s = cut->first[part]; s < cut->first[part + 1]; s++) {
    int64_t count = list_events(building, b, s, cut->first[part], scratch->events);
    pcf_sort_events(scratch->sorter, scratch->events, scratch->sorted, count);
    append_events(building, band, scratch->sorted, count);
  }
  end_lines(band, cut->bound[cut->first[part + 1]], precision);
  pcf_store_scalar(band->time, band->events, INFINITY, precision);
  band->flushes = building->integral->weight != NULL;
  for (int lane = 0; lane < building->width; lane++) {
    double initial = 0, slope = 0;
    if (lane < band->count) {
      const struct pcf_view *view = &building->view[band->first + lane];
      const int64_t *begin = begins_of(building, band->first + lane);
      int64_t k = begin[cut->first[part]];
      begin_part(building, view, k, cut->bound[cut->first[part]], &initial, &slope);
      band->flushes |= begin[cut->first[part + 1]] - k >= pcf_flush_events(building->integral);
    }
    pcf_store_scalar(band->initial, lane, initial, precision);
    if (band->slope) pcf_store_scalar(band->initial_slope, lane, slope, precision);
  }
  return PCF_OK;
}

/* ---- All of it ---- */

static enum pcf_status allocate_scratch(struct building *building, int threads,
                                        struct pcf_error *error) {
  struct pcf_arrays *arrays = &building->arrays;
  size_t most = (size_t)building->most;
  building->scratch = pcf_array(arrays, (size_t)threads, sizeof *building->scratch, error);
  for (int t = 0; !arrays->status && t < threads; t++) {
    struct scratch *scratch = &building->scratch[t];
    scratch->sorter = pcf_array(arrays, 1, sizeof *scratch->sorter, error);
    scratch->events = pcf_array(arrays, most, sizeof *scratch->events, error);
    scratch->sorted = pcf_array(arrays, most, sizeof *scratch->sorted, error);
  }
  return arrays->status;
}

static enum pcf_status allocate_bands(struct building *building, struct pcf_error *error) {
  struct pcf_sliced_bands *sliced = building->sliced;
  const struct pcf_window *cut = building->cut;
  size_t n = (size_t)building->x->count, slices = (size_t)cut->slices;
  size_t bands = (size_t)pcf_band_count(building->x->count, building->width);
  building->view = pcf_array(&building->arrays, n, sizeof *building->view, error);
  building->begin =
    pcf_array(&building->arrays, n * (slices + 1), sizeof *building->begin, error);
  sliced->bands = (int64_t)bands;
  sliced->band =
    pcf_array(&sliced->arrays, bands * (size_t)cut->parts, sizeof *sliced->band, error);
  return building->arrays.status ? building->arrays.status : sliced->arrays.status;
}

static enum pcf_status build(struct building *building, int threads, const atomic_int *stop,
                             struct pcf_error *error) {
  enum pcf_status status = allocate_bands(building, error);
  if (!status) {
    status = pcf_parallel_for(threads, building->x->count, stop, find_begins, building, error);
  }
  for (int64_t b = 0; !status && b < building->sliced->bands; b++) {
    status = lay_out(building, b, error);
  }
  if (!status) status = allocate_scratch(building, threads, error);
  if (status) return status;
  int64_t parts = building->sliced->bands * building->cut->parts;
  return pcf_parallel_for(threads, parts, stop, build_part, building, error);
}

enum pcf_status pcf_sliced_bands_build(struct pcf_sliced_bands *sliced,
                                       const struct pcf_collection *x,
                                       const struct pcf_integral *integral,
                                       const struct pcf_window *cut, int width, int threads,
                                       const atomic_int *stop, struct pcf_error *error) {
  struct building building = {
    .sliced = sliced, .x = x, .integral = integral, .cut = cut, .width = width};
  *sliced = (struct pcf_sliced_bands){0};
  enum pcf_status status = build(&building, threads, stop, error);
  pcf_arrays_free(&building.arrays);
  return status;
}

void pcf_sliced_bands_free(struct pcf_sliced_bands *sliced) {
  pcf_arrays_free(&sliced->arrays);
  *sliced = (struct pcf_sliced_bands){0};
}
