#include "pairs/stretches.h"

#include "base/memory.h"
#include "base/quantiles.h"

#include <math.h>

/* Stretch number k on which indicator i is 1; after its last one, an empty one at ∞. */
static inline void stretch_of(const struct pcf_collection *indicators, int64_t i, int64_t k,
                              double *begin, double *end) {
  const double *time = pcf_times(indicators, i), *value = pcf_values(indicators, i);
  int64_t m = pcf_breakpoints(indicators, i), at = 2 * k + (value[0] == 0);
  *begin = at < m ? time[at] : INFINITY;
  *end = at + 1 < m ? time[at + 1] : INFINITY;
}

/* ---- Of all functions ---- */

static enum pcf_status allocate(struct pcf_stretches *stretches, int64_t most,
                                struct pcf_error *error) {
  stretches->count = 0;
  stretches->begin = pcf_allocate((size_t)most, sizeof(double), error);
  stretches->end = pcf_allocate((size_t)most, sizeof(double), error);
  return stretches->begin && stretches->end ? PCF_OK : PCF_ERROR_MEMORY;
}

enum pcf_status pcf_stretches_of_window(struct pcf_stretches *stretches, double from, double to,
                                        struct pcf_error *error) {
  if (allocate(stretches, 1, error)) return PCF_ERROR_MEMORY;
  stretches->begin[0] = from;
  stretches->end[0] = to;
  stretches->count = 1;
  return PCF_OK;
}

/* Writes what is in both `of` and indicator i; that has at most as many stretches as both have
 * together. */
static void intersect(const struct pcf_stretches *of, const struct pcf_collection *indicators,
                      int64_t i, struct pcf_stretches *both) {
  double begin, end;
  stretch_of(indicators, i, 0, &begin, &end);
  for (int64_t k = 0, l = 0; k < of->count && begin < INFINITY;) {
    double first = fmax(begin, of->begin[k]), last = fmin(end, of->end[k]);
    if (first < last) {
      both->begin[both->count] = first;
      both->end[both->count++] = last;
    }
    if (end < of->end[k]) stretch_of(indicators, i, ++l, &begin, &end);
    else k++;
  }
}

enum pcf_status pcf_stretches_narrow(struct pcf_stretches *stretches,
                                     const struct pcf_collection *indicators,
                                     struct pcf_error *error) {
  for (int64_t i = 0; i < indicators->count && stretches->count > 0; i++) {
    struct pcf_stretches both;
    enum pcf_status status =
      allocate(&both, stretches->count + pcf_breakpoints(indicators, i), error);
    if (status) {
      pcf_stretches_free(&both);
      return status;
    }
    intersect(stretches, indicators, i, &both);
    pcf_stretches_free(stretches);
    *stretches = both;
  }
  return PCF_OK;
}

double pcf_stretches_length(const struct pcf_stretches *stretches) {
  double length = 0;
  for (int64_t k = 0; k < stretches->count; k++) {
    length += stretches->end[k] - stretches->begin[k];
  }
  return length;
}

void pcf_stretches_free(struct pcf_stretches *stretches) {
  pcf_free(stretches->begin);
  pcf_free(stretches->end);
  *stretches = (struct pcf_stretches){0};
}

/* ---- Of two functions ---- */

/* The cells are quantiles of about so many changes. */
enum { SAMPLE = 1 << 12 };

/* Every `step`-th of all changes, also where functions have fewer. */
static int64_t sample_changes(const struct pcf_collection *x, const struct pcf_cells *window,
                              int64_t step, double *sample) {
  int64_t count = 0, next = 0;
  for (int64_t i = 0; i < x->count; i++) {
    const double *time = pcf_times(x, i);
    for (; next < pcf_breakpoints(x, i); next += step) {
      if (time[next] > window->bound[0] && time[next] < window->bound[1])
        sample[count++] = time[next];
    }
    next -= pcf_breakpoints(x, i);
  }
  return count;
}

enum pcf_status pcf_cells_cut(struct pcf_cells *cells, const struct pcf_collection *x,
                              const struct pcf_collection *y, double from, double to,
                              struct pcf_error *error) {
  int64_t changes = pcf_total_breakpoints(x) + (y ? pcf_total_breakpoints(y) : 0);
  int64_t step = changes / SAMPLE + 1;
  *cells = (struct pcf_cells){.bound = {from, to}};
  double *sample = pcf_allocate((size_t)(changes / step + 2), sizeof *sample, error);
  if (!sample) return PCF_ERROR_MEMORY;
  int64_t count = sample_changes(x, cells, step, sample);
  if (y) count += sample_changes(y, cells, step, sample + count);
  cells->count = pcf_quantile_cuts(sample, count, PCF_CELLS, from, cells->bound + 1);
  cells->bound[++cells->count] = to;
  pcf_free(sample);
  return PCF_OK;
}

struct pcf_cell_bits pcf_cell_bits_of(const struct pcf_cells *cells,
                                      const struct pcf_collection *indicators, int64_t i) {
  struct pcf_cell_bits bits = {0, 0};
  double begin, end;
  stretch_of(indicators, i, 0, &begin, &end);
  for (int c = 0, k = 0; c < cells->count && begin < INFINITY;) {
    double first = cells->bound[c], last = cells->bound[c + 1];
    double from = begin > first ? begin : first, to = end < last ? end : last;
    int ends = end < last; /* which ends first cannot be predicted */
    bits.throughout |= (uint64_t)((begin <= first) & (last <= end)) << c;
    bits.anywhere |= (uint64_t)(from < to) << c;
    k += ends;
    c += !ends;
    stretch_of(indicators, i, k, &begin, &end);
  }
  return bits;
}

int pcf_indicators_meet(const struct pcf_cells *cells, const struct pcf_collection *x,
                        int64_t i, const struct pcf_collection *y, int64_t j) {
  double from = cells->bound[0], to = cells->bound[cells->count], begin, end, other, other_end;
  stretch_of(x, i, 0, &begin, &end);
  stretch_of(y, j, 0, &other, &other_end);
  for (int64_t k = 0, l = 0; begin < to && other < to;) {
    if (fmax(fmax(begin, other), from) < fmin(fmin(end, other_end), to)) return 1;
    if (end < other_end) stretch_of(x, i, ++k, &begin, &end);
    else stretch_of(y, j, ++l, &other, &other_end);
  }
  return 0;
}
