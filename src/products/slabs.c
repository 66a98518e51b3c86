#include "products/slabs.h"

#include "base/hints.h"
#include "base/quantiles.h"
#include "integrals/window.h"

#include <stdlib.h>

/* A slab begins with one value of each function, so that it should have many times as many
 * events; few enough, on the other hand, to stay near the processor, and for all threads. */
int64_t pcf_slab_events = 0;
enum { EVENTS_A_FUNCTION = 8, LEAST_EVENTS = 1 << 16 };

/* Functions whose events are asked for before it is their turn. */
enum { AHEAD = 24 };

/* One end of the window; where it is infinite, the first or the last time of all functions. */
static double end_of(const struct pcf_integral *integral, double end, double time) {
  return isfinite(end) ? end : pcf_integral_time(integral, time);
}

/* The most slabs that are worth while: if more than two, so many that up to four threads end
 * together. */
static int64_t slabs_wanted(const struct pcf_slabs *slabs, int64_t least) {
  enum { MOST = 4096, TOGETHER = 4 };
  int64_t events = 0;
  for (int64_t f = 0; f < slabs->functions; f++) events += slabs->view[f].events;
  if (!least) least = pcf_larger(EVENTS_A_FUNCTION * slabs->functions, LEAST_EVENTS);
  if (pcf_slab_events) least = pcf_slab_events;
  int64_t wanted = events / least + 1;
  if (wanted > 2) wanted = (wanted + TOGETHER - 1) / TOGETHER * TOGETHER;
  return pcf_smaller(wanted, MOST);
}

/* Inserts the ends of the weight's pieces among the `cuts` cuts from bound[1] on, and keeps
 * those that are strictly between both ends. */
static void place_cuts(struct pcf_slabs *slabs, int64_t cuts, const struct pcf_weight *weight,
                       double begin, double end) {
  double *bound = slabs->bound;
  int64_t count = 0;
  for (int64_t k = 0; weight && k + 1 < weight->pieces; k++) bound[++cuts] = weight->end[k];
  if (weight) qsort(bound + 1, (size_t)cuts, sizeof *bound, pcf_ascending);
  bound[0] = begin;
  for (int64_t k = 1; k <= cuts; k++) {
    if (bound[k] > bound[count] && bound[k] < end) bound[++count] = bound[k];
  }
  bound[++count] = end;
  slabs->count = count;
}

enum pcf_status pcf_slabs_make(struct pcf_slabs *slabs, const struct pcf_collection *x,
                               const struct pcf_collection *y,
                               const struct pcf_integral *integral,
                               const struct pcf_range *range, int64_t least,
                               struct pcf_error *error) {
  double begin = end_of(integral, integral->from, range->first);
  double end = end_of(integral, integral->to, range->last);
  *slabs = (struct pcf_slabs){.functions = x->count + (y ? y->count : 0)};
  struct pcf_arrays *arrays = &slabs->arrays;
  slabs->view = pcf_array(arrays, (size_t)slabs->functions, sizeof *slabs->view, error);
  if (!slabs->view) return PCF_ERROR_MEMORY;
  for (int64_t f = 0; f < slabs->functions; f++) {
    slabs->view[f] = pcf_view_of_both(x, y, f, integral);
  }
  int64_t wanted = slabs_wanted(slabs, least),
          pieces = integral->weight ? integral->weight->pieces : 0;
  slabs->bound = pcf_array(arrays, (size_t)(wanted + 1 + pieces), sizeof *slabs->bound, error);
  if (!slabs->bound) return PCF_ERROR_MEMORY;
  if (!(begin < end)) return PCF_OK;
  int cuts = 0;
  enum pcf_status status =
    pcf_window_quantiles(x, y, integral, (int)wanted, slabs->bound + 1, &cuts, error);
  if (status) return status;
  place_cuts(slabs, cuts, integral->weight, begin, end);
  return PCF_OK;
}

void pcf_slabs_free(struct pcf_slabs *slabs) {
  pcf_arrays_free(&slabs->arrays);
  *slabs = (struct pcf_slabs){0};
}

enum pcf_status pcf_slab_reader_make(struct pcf_slab_reader *reader,
                                     const struct pcf_slabs *slabs, struct pcf_error *error) {
  size_t n = (size_t)slabs->functions;
  *reader = (struct pcf_slab_reader){.slabs = slabs};
  struct pcf_arrays *arrays = &reader->arrays;
  reader->value = pcf_array(arrays, n, sizeof *reader->value, error);
  reader->slope = pcf_array(arrays, n, sizeof *reader->slope, error);
  reader->from = pcf_zeros(arrays, n, sizeof *reader->from, error);
  reader->to = pcf_array(arrays, n, sizeof *reader->to, error);
  reader->sorter = pcf_array(arrays, 1, sizeof *reader->sorter, error);
  return arrays->status;
}

void pcf_slab_reader_free(struct pcf_slab_reader *reader) {
  pcf_arrays_free(&reader->arrays);
  pcf_free(reader->event);
}

/* The first event from `at` on that is not before `limit`, looked for in growing steps, since
 * it is near. */
static int64_t first_from(const struct pcf_view *view, int64_t at, double limit) {
  int64_t step = 1, low = at, high = at;
  while (high < view->events && pcf_view_time(view, high) < limit) {
    low = high + 1;
    high = low + step;
    step *= 2;
  }
  if (high > view->events) high = view->events;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (pcf_view_time(view, middle) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Asks for the few numbers from `begin` to `end`, which may be behind the last one. */
static void fetch(const double *number, int64_t begin, int64_t end) {
  FETCH(number + begin);
  FETCH(number + end);
}

/* The value of function f, and its slope, when a slab begins whose first event is number k. */
static void begin_function(struct pcf_slab_reader *reader, const struct pcf_slab *slab,
                           int64_t f, int64_t k) {
  const struct pcf_view *view = &reader->slabs->view[f];
  reader->value[f] = k > 0 ? pcf_view_value(view, k - 1) : view->initial;
  reader->slope[f] = 0;
  if (!view->left) return;
  double since = k > 0 ? pcf_view_time(view, k - 1) : reader->slabs->bound[0];
  reader->slope[f] = k > 0 ? pcf_view_slope(view, k - 1, PCF_DOUBLE) : view->initial_slope;
  reader->value[f] += (slab->begin - since) * reader->slope[f];
}

/* Finds the events of every function in the slab, and its value before them. */
static int64_t find_events(struct pcf_slab_reader *reader, const struct pcf_slab *slab,
                           int last) {
  int64_t events = 0;
  for (int64_t f = 0; f < reader->slabs->functions; f++) {
    const struct pcf_view *view = &reader->slabs->view[f];
    if (f + AHEAD < reader->slabs->functions) {
      fetch(view[AHEAD].time, reader->from[f + AHEAD],
            reader->from[f + AHEAD] + EVENTS_A_FUNCTION);
    }
    int64_t from = first_from(view, reader->from[f], slab->begin);
    int64_t to = last ? view->events : first_from(view, from, slab->end);
    reader->from[f] = from;
    reader->to[f] = to;
    begin_function(reader, slab, f, from);
    events += to - from;
  }
  return events;
}

void pcf_slab_leave_out_ends(struct pcf_slab *slab) {
  for (; slab->events && pcf_time_of(slab->event->key) <= slab->begin; slab->events--) {
    slab->value[slab->event->change[0]] = pcf_slab_value(slab, slab->event);
    slab->slope[slab->event->change[0]] = pcf_slab_slope(slab, slab->event);
    slab->event++;
  }
  while (slab->events && pcf_time_of(slab->event[slab->events - 1].key) >= slab->end) {
    slab->events--;
  }
}

enum pcf_status pcf_slab_read(struct pcf_slab_reader *reader, int64_t s, struct pcf_slab *slab,
                              struct pcf_error *error) {
  const struct pcf_slabs *slabs = reader->slabs;
  *slab = (struct pcf_slab){.begin = slabs->bound[s], .end = slabs->bound[s + 1]};
  slab->events = find_events(reader, slab, s == slabs->count - 1);
  slab->value = reader->value;
  slab->slope = reader->slope;
  slab->view = slabs->view;
  struct pcf_event *event = reader->event =
    pcf_grow(reader->event, &reader->room, slab->events, 2 * sizeof *event, error);
  if (!event) return PCF_ERROR_MEMORY;
  slab->event = event + reader->room;
  for (int64_t f = 0; f < slabs->functions; f++) {
    const struct pcf_view *view = &slabs->view[f];
    if (f + AHEAD < slabs->functions) {
      fetch(view[AHEAD].time, reader->from[f + AHEAD], reader->to[f + AHEAD]);
      fetch(view[AHEAD].value, reader->from[f + AHEAD], reader->to[f + AHEAD]);
    }
    for (int64_t k = reader->from[f]; k < reader->to[f]; k++) {
      *event++ = (struct pcf_event){
        .key = pcf_key_of(pcf_view_time(view, k)),
        .change = {(uint64_t)f,
                   view->left ? (uint64_t)k : pcf_bits_of_double(pcf_view_value(view, k))}};
    }
  }
  pcf_sort_events(reader->sorter, reader->event, reader->event + reader->room, slab->events);
  return PCF_OK;
}
