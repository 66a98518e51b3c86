#include "pairs/window.h"

#include "base/memory.h"
#include "base/quantiles.h"

/* The cuts are quantiles of about so many events, and one more of each function. */
enum { SAMPLE = 1 << 14 };

/* Every `step`-th time of each function inside the window. */
static int64_t sample_times(const struct pcf_collection *x, const struct pcf_integral *integral,
                            int64_t step, double *sample) {
  int64_t count = 0;
  for (int64_t i = 0; i < x->count; i++) {
    struct pcf_view view = pcf_view_of(x, i, integral);
    for (int64_t k = step / 2; k < view.events; k += step) {
      sample[count++] = pcf_narrowed(pcf_view_time(&view, k), integral->precision);
    }
  }
  return count;
}

enum pcf_status pcf_window_quantiles(const struct pcf_collection *x,
                                     const struct pcf_collection *y,
                                     const struct pcf_integral *integral, int slices,
                                     double *time, int *cuts, struct pcf_error *error) {
  int64_t breakpoints = pcf_total_breakpoints(x) + (y ? pcf_total_breakpoints(y) : 0);
  int64_t functions = x->count + (y ? y->count : 0), step = breakpoints / SAMPLE + 1;
  double *sample =
    pcf_allocate((size_t)(breakpoints / step + functions), sizeof *sample, error);
  *cuts = 0;
  if (!sample) return PCF_ERROR_MEMORY;
  int64_t count = sample_times(x, integral, step, sample);
  if (y) count += sample_times(y, integral, step, sample + count);
  double from = pcf_narrowed(integral->from, integral->precision);
  *cuts = pcf_quantile_cuts(sample, count, slices, from, time);
  pcf_free(sample);
  return PCF_OK;
}
