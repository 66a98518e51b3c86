#include "clusters/sorted-events.h"

#include "arrays/segment-parts.h"
#include "base/memory.h"
#include "base/threads.h"

#include <string.h>

/* ---- Slabs ---- */

static enum pcf_status weigh(struct pcf_event_sorting *sorting, const struct pcf_collection *w,
                             double from, double to, struct pcf_error *error) {
  struct pcf_weight *scaled = &sorting->scaled;
  enum pcf_status status = pcf_weight_make(&sorting->weight, w, from, to, error);
  if (status) return status;
  status = pcf_weight_room(scaled, sorting->weight.pieces, error);
  if (status) return status;
  pcf_integral_weigh(&sorting->integral, &sorting->weight, scaled);
  return PCF_OK;
}

/* How many events are before the end of slab s. */
static enum pcf_status count_events(void *sorting_, int thread, int64_t s,
                                    struct pcf_error *error) {
  const struct pcf_event_sorting *sorting = sorting_;
  const struct pcf_slabs *slabs = &sorting->slabs;
  int64_t count = 0;
  for (int64_t f = 0; f < slabs->functions; f++) {
    const struct pcf_view *view = &slabs->view[f];
    count += s == slabs->count - 1
               ? view->events
               : pcf_view_first_from(view, 0, slabs->bound[s + 1], PCF_DOUBLE);
  }
  sorting->events->first[s + 1] = (double)count;
  return PCF_OK;
}

static enum pcf_status make_slabs(struct pcf_event_sorting *sorting,
                                  const struct pcf_range *range, const atomic_int *stop,
                                  struct pcf_error *error) {
  struct pcf_sorted_events *events = sorting->events;
  struct pcf_slabs *slabs = &sorting->slabs;
  enum pcf_status status =
    pcf_slabs_make(slabs, sorting->x, NULL, &sorting->integral, range, 0, error);
  if (status) return status;
  events->slabs = slabs->count;
  events->bound = slabs->bound;
  events->first = pcf_allocate((size_t)slabs->count + 1, sizeof(double), error);
  events->height = pcf_allocate((size_t)slabs->count + 1, sizeof(double), error);
  if (!events->first || !events->height) return PCF_ERROR_MEMORY;
  events->first[0] = 0;
  for (int64_t s = 0; s < slabs->count; s++) {
    events->height[s] =
      pcf_height_until(sorting->integral.weight, slabs->bound[s + 1], PCF_DOUBLE);
  }
  status = pcf_parallel_for(sorting->threads, slabs->count, stop, count_events, sorting, error);
  events->events = (int64_t)events->first[slabs->count];
  return status;
}

enum pcf_status pcf_event_sorting_begin(struct pcf_event_sorting *sorting,
                                        const struct pcf_collection *x,
                                        const struct pcf_collection *w, double from, double to,
                                        const struct pcf_range *range, int threads,
                                        struct pcf_sorted_events *events,
                                        const atomic_int *stop, struct pcf_error *error) {
  *sorting = (struct pcf_event_sorting){.x = x, .threads = threads, .events = events};
  struct pcf_integral *integral = &sorting->integral;
  *integral = pcf_integral(PCF_L2, 2, from, to, PCF_DOUBLE, range);
  integral->missing_is_0 = 0;
  enum pcf_status status = w ? weigh(sorting, w, from, to, error) : PCF_OK;
  if (status) return status;
  *events =
    (struct pcf_sorted_events){.functions = x->count,
                               .linear = x->linear,
                               .missing = range->missing,
                               .exponent = integral->time_exponent + integral->weight_exponent +
                                           2 * integral->value_exponent};
  return make_slabs(sorting, range, stop, error);
}

void pcf_event_sorting_free(struct pcf_event_sorting *sorting) {
  for (int t = 0; sorting->reader && t < sorting->threads; t++) {
    pcf_slab_reader_free(&sorting->reader[t]);
  }
  pcf_free(sorting->reader);
  if (sorting->events) {
    pcf_free(sorting->events->first);
    pcf_free(sorting->events->height);
  }
  pcf_slabs_free(&sorting->slabs);
  pcf_weight_free(&sorting->weight);
  pcf_weight_free(&sorting->scaled);
}

/* ---- Events ---- */

static void copy_events(const struct pcf_slab *slab, int64_t first,
                        struct pcf_sorted_events *to) {
  for (int64_t e = 0; e < slab->events; e++) {
    const struct pcf_event *event = &slab->event[e];
    int64_t k = (int64_t)event->change[1];
    const struct pcf_view *view = &slab->view[event->change[0]];
    to->function[first + e] = (int)event->change[0];
    to->time[first + e] = pcf_time_of(event->key);
    to->value[first + e] = to->linear ? pcf_view_value(view, k) : pcf_new_value(event);
    if (!to->linear) continue;
    to->left[first + e] = pcf_view_left(view, k);
    to->slope[first + e] = pcf_view_slope(view, k, PCF_DOUBLE);
  }
}

static enum pcf_status fill_slab(void *sorting_, int thread, int64_t s,
                                 struct pcf_error *error) {
  struct pcf_event_sorting *sorting = sorting_;
  struct pcf_sorted_events *events = sorting->events;
  struct pcf_slab_reader *reader = &sorting->reader[thread];
  struct pcf_slab slab;
  size_t n = (size_t)events->functions;
  enum pcf_status status =
    reader->slabs ? PCF_OK : pcf_slab_reader_make(reader, &sorting->slabs, error);
  if (!status) status = pcf_slab_read(reader, s, &slab, error);
  if (status) return status;
  memcpy(events->begin + (size_t)s * n, slab.value, n * sizeof(double));
  if (events->linear) {
    memcpy(events->begin_slope + (size_t)s * n, slab.slope, n * sizeof(double));
  }
  copy_events(&slab, (int64_t)events->first[s], events);
  return PCF_OK;
}

/* ---- Integrals ---- */

struct measures {
  struct pcf_total norm, integral, length;
};

/* Adds a stretch of time on which a function has a value and a slope, unless it is missing. */
static void add_stretch(struct measures *measures, double width, double value, double slope,
                        double height) {
  if (isnan(value) || height == 0 || !(width > 0)) return;
  double rise = slope * width, square = value * value + rise * (value + rise / 3);
  pcf_total_add(&measures->norm, height * width * square);
  pcf_total_add(&measures->integral, height * width * (value + rise / 2));
  pcf_total_add(&measures->length, height * width);
}

static struct measures measure(const struct pcf_event_sorting *sorting,
                               const struct pcf_view *view) {
  const struct pcf_sorted_events *events = sorting->events;
  struct measures measures = {0};
  int64_t k = 0;
  double time = events->bound[0], value = view->initial, slope = view->initial_slope;
  for (int64_t s = 0; s < events->slabs; s++) {
    for (int more = 1; more;) {
      double next = k < view->events ? pcf_view_time(view, k) : INFINITY;
      more = next < events->bound[s + 1] || (next < INFINITY && s == events->slabs - 1);
      double end = more ? next : events->bound[s + 1];
      add_stretch(&measures, end - time, value, slope, events->height[s]);
      value = more ? pcf_view_value(view, k) : value + slope * (end - time);
      slope = more ? pcf_view_slope(view, k, PCF_DOUBLE) : slope;
      time = end;
      k += more;
    }
  }
  return measures;
}

static void measure_some(void *sorting_, int64_t first, int64_t end) {
  const struct pcf_event_sorting *sorting = sorting_;
  const struct pcf_integral *integral = &sorting->integral;
  int unit = integral->time_exponent + integral->weight_exponent;
  for (int64_t f = first; f < end; f++) {
    struct measures found = measure(sorting, &sorting->slabs.view[f]);
    sorting->events->norm[f] = pcf_total_of(&found.norm);
    sorting->events->integral[f] =
      ldexp(pcf_total_of(&found.integral), unit + integral->value_exponent);
    sorting->events->length[f] = ldexp(pcf_total_of(&found.length), unit);
  }
}

enum pcf_status pcf_event_sorting_fill(struct pcf_event_sorting *sorting,
                                       const atomic_int *stop, struct pcf_error *error) {
  enum { FUNCTIONS_AT_ONCE = 256 };
  size_t readers = (size_t)sorting->threads;
  sorting->reader = pcf_allocate(readers, sizeof *sorting->reader, error);
  if (!sorting->reader) return PCF_ERROR_MEMORY;
  memset(sorting->reader, 0, readers * sizeof *sorting->reader);
  enum pcf_status status =
    pcf_parallel_for(sorting->threads, sorting->slabs.count, stop, fill_slab, sorting, error);
  if (status) return status;
  return pcf_for_ranges(sorting->threads, sorting->x->count, FUNCTIONS_AT_ONCE, stop,
                        measure_some, sorting, error);
}
