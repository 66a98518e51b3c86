#include "integrals/stretches.h"

#include "base/memory.h"
#include "integrals/window.h"

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

enum pcf_status pcf_stretches_of_window(struct pcf_stretches *stretches, double from, double to,
                                        struct pcf_error *error) {
  stretches->stretch = pcf_allocate(1, sizeof *stretches->stretch, error);
  stretches->count = stretches->stretch != NULL;
  if (!stretches->stretch) return PCF_ERROR_MEMORY;
  stretches->stretch[0] = (struct pcf_observed){from, to};
  return PCF_OK;
}

/* Writes what is in both `of` and indicator i; that has at most as many stretches as both have
 * together. */
static void intersect(const struct pcf_stretches *of, const struct pcf_collection *indicators,
                      int64_t i, struct pcf_stretches *both) {
  double begin, end;
  stretch_of(indicators, i, 0, &begin, &end);
  for (int64_t k = 0, l = 0; k < of->count && begin < INFINITY;) {
    double first = fmax(begin, of->stretch[k].begin), last = fmin(end, of->stretch[k].end);
    if (first < last) both->stretch[both->count++] = (struct pcf_observed){first, last};
    if (end < of->stretch[k].end) stretch_of(indicators, i, ++l, &begin, &end);
    else k++;
  }
}

enum pcf_status pcf_stretches_narrow(struct pcf_stretches *stretches,
                                     const struct pcf_collection *indicators, int64_t i,
                                     struct pcf_error *error) {
  size_t most = (size_t)(stretches->count + pcf_breakpoints(indicators, i));
  struct pcf_stretches both = {.stretch = pcf_allocate(most, sizeof *both.stretch, error)};
  if (!both.stretch) return PCF_ERROR_MEMORY;
  intersect(stretches, indicators, i, &both);
  pcf_stretches_free(stretches);
  *stretches = both;
  return PCF_OK;
}

static double length_of(const struct pcf_weight *weight, double begin, double end) {
  return weight ? pcf_weight_between(weight, begin, end) : end - begin;
}

double pcf_stretches_length(const struct pcf_stretches *stretches,
                            const struct pcf_weight *weight) {
  double length = 0;
  for (int64_t k = 0; k < stretches->count; k++) {
    length += length_of(weight, stretches->stretch[k].begin, stretches->stretch[k].end);
  }
  return length;
}

void pcf_stretches_free(struct pcf_stretches *stretches) {
  pcf_free(stretches->stretch);
  *stretches = (struct pcf_stretches){0};
}

/* ---- Of two functions ---- */

enum pcf_status pcf_cells_cut(struct pcf_cells *cells, const struct pcf_collection *x,
                              const struct pcf_collection *y, double from, double to,
                              struct pcf_error *error) {
  struct pcf_integral window = {.from = from, .to = to, .precision = PCF_DOUBLE};
  *cells = (struct pcf_cells){.bound = {from}};
  enum pcf_status status =
    pcf_window_quantiles(x, y, &window, PCF_CELLS, cells->bound + 1, &cells->count, error);
  cells->bound[++cells->count] = to;
  return status;
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

double pcf_indicators_overlap(double from, double to, const struct pcf_weight *weight,
                              const struct pcf_collection *x, int64_t i,
                              const struct pcf_collection *y, int64_t j, double enough) {
  double begin, end, other, other_end, length = 0;
  stretch_of(x, i, 0, &begin, &end);
  stretch_of(y, j, 0, &other, &other_end);
  for (int64_t k = 0, l = 0; begin < to && other < to && length < enough;) {
    double first = fmax(fmax(begin, other), from), last = fmin(fmin(end, other_end), to);
    if (first < last) length += length_of(weight, first, last);
    if (end < other_end) stretch_of(x, i, ++k, &begin, &end);
    else stretch_of(y, j, ++l, &other, &other_end);
  }
  return length;
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
