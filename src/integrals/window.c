#include "integrals/window.h"

#include "base/memory.h"
#include "base/quantiles.h"

/* The cuts are quantiles of about so many events or, where there are more functions, of one of
 * each. */
enum { SAMPLE = 1 << 14 };

/* A number that depends on a function alone, and looks random. */
static uint64_t draw(const struct pcf_collection *x, int64_t i) {
  const double *time = pcf_times(x, i), *value = pcf_values(x, i);
  int64_t last = pcf_breakpoints(x, i) - 1, middle = last / 2;
  double from[] = {time[0], time[middle], time[last], value[0], value[middle], value[last]};
  uint64_t mixed = (uint64_t)last;
  for (size_t k = 0; k < sizeof from / sizeof from[0]; k++) {
    mixed = (mixed ^ pcf_bits_of_double(from[k])) * UINT64_C(0x9E3779B97F4A7C15);
    mixed ^= mixed >> 29;
  }
  return mixed;
}

/* The times of the events of the sample that are inside the window. Every `step`-th event of a
 * function is in the sample. With `one_of_each` the first one depends on the function, so that
 * any event may be in the sample, with the same chance. The order of the functions does not
 * matter. */
static int64_t sample_times(const struct pcf_collection *x, const struct pcf_integral *integral,
                            int64_t step, int one_of_each, double *sample) {
  int64_t count = 0;
  for (int64_t i = 0; i < x->count; i++) {
    struct pcf_view view = pcf_view_of(x, i, integral);
    int64_t first = one_of_each ? (int64_t)(draw(x, i) % (uint64_t)step) : step / 2;
    for (int64_t k = first; k < view.events; k += step) {
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
  int64_t functions = x->count + (y ? y->count : 0);
  int one_of_each = functions > SAMPLE;
  int64_t step = one_of_each ? breakpoints / functions : breakpoints / SAMPLE + 1;
  double *sample =
    pcf_allocate((size_t)(breakpoints / step + functions), sizeof *sample, error);
  *cuts = 0;
  if (!sample) return PCF_ERROR_MEMORY;
  int64_t count = sample_times(x, integral, step, one_of_each, sample);
  if (y) count += sample_times(y, integral, step, one_of_each, sample + count);
  double from = pcf_narrowed(integral->from, integral->precision);
  *cuts = pcf_quantile_cuts(sample, count, slices, from, time);
  pcf_free(sample);
  return PCF_OK;
}
