#include "kernels/band.h"

#include "base/bits.h"
#include "base/memory.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* An event while it is being sorted: the value is fetched afterwards. The time is held as an
 * integer of the same order, since comparing integers is quicker. */
struct entry {
  uint64_t key;
  uint32_t function;
  uint32_t position; /* of the event in its function's view */
};

static int64_t list_function(const struct pcf_view *view, const struct pcf_integral *integral,
                             int lane, struct entry *out);
static struct entry *merge_lists(struct entry *from, struct entry *to, int64_t *start,
                                 int lists);
static void store_events(struct pcf_band *band, const struct pcf_view *view,
                         enum pcf_precision precision, const struct entry *entry);
static void find_magnitudes(struct pcf_band *band, const struct pcf_view *view,
                            const struct pcf_integral *integral, int count, int width);

/* The functions are sorted already: their lists are merged pairwise, log2(count) times over. */
enum pcf_status pcf_band_build(struct pcf_band *band, const struct pcf_collection *x,
                               const struct pcf_integral *integral, int64_t first, int count,
                               int width, struct pcf_band_scratch *scratch,
                               struct pcf_error *error) {
  int64_t start[PCF_MAX_WIDTH + 1];
  struct pcf_view view[PCF_MAX_WIDTH];
  *band = (struct pcf_band){.first = first, .count = count};
  int64_t most = x->offsets[first + count] - x->offsets[first] + (x->linear ? count : 0);
  struct entry *entries = scratch->memory =
    pcf_grow(scratch->memory, &scratch->capacity, most, 2 * sizeof *entries, error);
  if (!entries) return PCF_ERROR_MEMORY;
  start[0] = 0;
  for (int lane = 0; lane < count; lane++) {
    view[lane] = pcf_view_of(x, first + lane, integral);
    start[lane + 1] =
      start[lane] + list_function(&view[lane], integral, lane, entries + start[lane]);
  }
  band->events = start[count];
  band->flushes = integral->weight != NULL;
  for (int lane = 0; lane < count; lane++) {
    band->flushes |= start[lane + 1] - start[lane] >= pcf_flush_events(integral);
  }
  struct pcf_band_layout layout =
    pcf_lay_out_bands(x->linear, integral->precision, 1, (size_t)band->events, (size_t)width);
  char *memory = band->memory =
    pcf_allocate(layout.bytes + (size_t)width * sizeof *band->magnitude, 1, error);
  if (!memory) return PCF_ERROR_MEMORY;
  pcf_place_band(band, &layout, memory, 0, 0);
  band->magnitude = (struct pcf_magnitude *)(memory + layout.bytes);
  entries = merge_lists(entries, entries + scratch->capacity, start, count);
  store_events(band, view, integral->precision, entries);
  for (int lane = 0; lane < width; lane++) {
    double initial = lane < count ? view[lane].initial : 0;
    pcf_store_scalar(band->initial, lane, initial, integral->precision);
    if (!x->linear) continue;
    double slope = lane < count ? view[lane].initial_slope : 0;
    pcf_store_scalar(band->initial_slope, lane, slope, integral->precision);
  }
  find_magnitudes(band, view, integral, count, width);
  return PCF_OK;
}

enum pcf_status pcf_band_leave_order(struct pcf_band *band, enum pcf_precision precision,
                                     int width, struct pcf_error *error) {
  size_t initials = (size_t)width * pcf_scalar_size(precision),
         function = pcf_aligned(initials);
  size_t functions = (size_t)band->events * sizeof *band->function;
  char *memory = pcf_allocate(function + functions, 1, error);
  if (!memory) return PCF_ERROR_MEMORY;
  memcpy(memory, band->initial, initials);
  memcpy(memory + function, band->function, functions);
  pcf_free(band->memory);
  band->memory = band->initial = memory;
  band->function = (uint16_t *)(memory + function);
  band->time = band->value = NULL;
  return PCF_OK;
}

void pcf_band_free(void *band_) {
  struct pcf_band *band = band_;
  pcf_free(band->memory);
  band->memory = NULL;
}

void pcf_band_scratch_free(struct pcf_band_scratch *scratch) {
  pcf_free(scratch->memory);
  *scratch = (struct pcf_band_scratch){0};
}

struct pcf_band_layout pcf_lay_out_bands(int family, enum pcf_precision precision, size_t bands,
                                         size_t events, size_t width) {
  size_t scalar = pcf_scalar_size(precision), slopes = family == PCF_LINES;
  size_t values = pcf_aligned(events * scalar), initials = pcf_aligned(bands * width * scalar);
  struct pcf_band_layout to = {.scalar = scalar, .width = width, .slopes = (int)slopes};
  to.value = pcf_aligned((events + bands) * scalar);
  to.initial = to.value + values;
  to.slope = to.initial + initials;
  to.initial_slope = to.slope + slopes * values;
  to.function = to.initial_slope + slopes * initials;
  to.bytes = to.function + pcf_aligned(events * sizeof(uint16_t));
  return to;
}

void pcf_place_band(struct pcf_band *band, const struct pcf_band_layout *layout, char *memory,
                    size_t k, size_t before) {
  size_t event = before * layout->scalar, lanes = k * layout->width * layout->scalar;
  band->time = memory + event + k * layout->scalar;
  band->value = memory + layout->value + event;
  band->initial = memory + layout->initial + lanes;
  band->slope = layout->slopes ? memory + layout->slope + event : NULL;
  band->initial_slope = layout->slopes ? memory + layout->initial_slope + lanes : NULL;
  band->function = (uint16_t *)(memory + layout->function) + before;
}

/* Writes the events of one function; returns their number. */
static int64_t list_function(const struct pcf_view *view, const struct pcf_integral *integral,
                             int lane, struct entry *out) {
  int64_t kept = 0, flush = pcf_flush_events(integral);
  int64_t events = pcf_band_events(view, integral);
  for (int64_t k = 0; k < events; k++) {
    uint64_t key = pcf_key_of(pcf_event_time(view, integral, k));
    if (kept && out[kept - 1].key == key) kept--; /* equal once rounded */
    int ends = pcf_ends_piece(integral, pcf_time_of(key), integral->precision);
    uint32_t mark = (kept + 1) % flush && !ends ? 0 : PCF_FLUSH;
    out[kept++] = (struct entry){key, (uint32_t)lane | mark, (uint32_t)k};
  }
  return kept;
}

/* Two sorted lists that are being merged, and where to. */
struct merge {
  const struct entry *a, *a_end, *b, *b_end;
  struct entry *out;
};

/* One step, without a data-dependent branch. */
static inline void merge_step(struct merge *m) {
  ptrdiff_t take_b = m->b->key < m->a->key;
  *m->out++ = m->a[(m->b - m->a) & -take_b];
  m->a += 1 - take_b;
  m->b += take_b;
}

static inline int merge_open(const struct merge *m) {
  return m->a < m->a_end && m->b < m->b_end;
}

static void merge_rest(struct merge *m) {
  while (merge_open(m)) merge_step(m);
  size_t rest = (size_t)(m->a_end - m->a);
  memcpy(m->out, m->a, rest * sizeof *m->a);
  memcpy(m->out + rest, m->b, (size_t)(m->b_end - m->b) * sizeof *m->b);
}

/* A step waits for the one before: the lists are cut into two merges of half the length, which
 * run side by side. */
static void merge_two(const struct entry *a, const struct entry *a_end, const struct entry *b,
                      const struct entry *b_end, struct entry *out) {
  ptrdiff_t half = ((a_end - a) + (b_end - b)) / 2;
  ptrdiff_t low = half > b_end - b ? half - (b_end - b) : 0;
  ptrdiff_t high = half < a_end - a ? half : a_end - a;
  while (low < high) { /* how many of the first half come from a */
    ptrdiff_t middle = low + (high - low) / 2;
    if (a[middle].key <= b[half - middle - 1].key) low = middle + 1;
    else high = middle;
  }
  struct merge first = {a, a + low, b, b + (half - low), out};
  struct merge second = {a + low, a_end, b + (half - low), b_end, out + half};
  while (merge_open(&first) && merge_open(&second)) {
    merge_step(&first);
    merge_step(&second);
  }
  merge_rest(&first);
  merge_rest(&second);
}

/* Merges neighbouring lists until one is left; list k is from[start[k]] … from[start[k + 1]].
 * Returns the array that holds the result, `from` or `to`. */
static struct entry *merge_lists(struct entry *from, struct entry *to, int64_t *start,
                                 int lists) {
  while (lists > 1) {
    int merged = 0;
    for (int k = 0; k < lists; k += 2) {
      int64_t left = start[k], middle = start[k + 1];
      int64_t right = k + 2 <= lists ? start[k + 2] : middle;
      merge_two(from + left, from + middle, from + middle, from + right, to + left);
      start[merged++] = left;
      start[merged] = right;
    }
    lists = merged;
    struct entry *swap = from;
    from = to;
    to = swap;
  }
  return from;
}

static void store_events(struct pcf_band *band, const struct pcf_view *view,
                         enum pcf_precision precision, const struct entry *entry) {
  for (int64_t e = 0; e < band->events; e++) {
    uint32_t lane = entry[e].function & ~(uint32_t)PCF_FLUSH;
    double value = pcf_event_value(&view[lane], entry[e].position);
    pcf_store_scalar(band->time, e, pcf_time_of(entry[e].key), precision);
    pcf_store_scalar(band->value, e, value, precision);
    if (band->slope) {
      double slope = pcf_event_slope(&view[lane], entry[e].position, precision);
      pcf_store_scalar(band->slope, e, slope, precision);
    }
    band->function[e] = (uint16_t)entry[e].function;
  }
  pcf_store_scalar(band->time, band->events, INFINITY, precision);
}

/* The value of a line where the window ends, for a last line that goes on behind it. */
static double value_at_end(const struct pcf_view *view, const struct pcf_integral *integral) {
  int64_t k = view->events - 1;
  double value = k < 0 ? view->initial : pcf_view_value(view, k);
  double slope = k < 0 ? view->initial_slope : pcf_view_slope(view, k, integral->precision);
  double since = k < 0 ? integral->from : pcf_view_time(view, k);
  return slope != 0 ? value + slope * (integral->to - since) : value;
}

static struct pcf_magnitude magnitude_of(const struct pcf_view *view,
                                         const struct pcf_integral *integral) {
  struct pcf_range values = PCF_EMPTY_RANGE, times = PCF_EMPTY_RANGE;
  pcf_widen_range(&values, view->value, view->events);
  if (view->left) pcf_widen_range(&values, view->left, view->events);
  values.value = pcf_scaled(values.value, view->value_exponent);
  values.least = pcf_scaled(values.least, view->value_exponent);
  double ends[2] = {view->initial, view->left ? value_at_end(view, integral) : 0};
  pcf_widen_range(&values, ends, 2);
  pcf_widen_range(&times, view->time, view->events);
  return pcf_magnitude_of(integral, &values, &times);
}

/* Only operations that take powers ask, and not where none but zeros could be in power range:
 * for these, a tile is not to be gone through once more. */
static void find_magnitudes(struct pcf_band *band, const struct pcf_view *view,
                            const struct pcf_integral *integral, int count, int width) {
  if (!pcf_takes_powers(integral->operation) || !pcf_may_be_in_power_range(integral)) {
    band->magnitude = NULL;
    return;
  }
  band->largest = PCF_NO_MAGNITUDE;
  for (int lane = 0; lane < width; lane++) {
    band->magnitude[lane] =
      lane < count ? magnitude_of(&view[lane], integral) : PCF_NO_MAGNITUDE;
    band->largest = pcf_larger_magnitude(band->largest, band->magnitude[lane]);
  }
}
