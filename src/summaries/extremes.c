#include "summaries/extremes.h"

#include "base/threads.h"
#include "collections/pieces.h"

enum { FUNCTIONS_AT_ONCE = 16 };

static pcf_range_body find_some;

enum pcf_status pcf_find_extremes(const struct pcf_extremes *extremes, int threads,
                                  const atomic_int *stop, struct pcf_error *error) {
  return pcf_for_ranges(threads, extremes->x->count, FUNCTIONS_AT_ONCE, stop, find_some,
                        (void *)extremes, error);
}

/* Takes a value that is beyond the one of function i so far. Adding 0 makes a negative zero
 * positive. */
static void note(const struct pcf_extremes *extremes, int64_t i, double value, double time) {
  double so_far = extremes->value[i];
  int beyond = extremes->smallest ? value < so_far : value > so_far;
  if (!beyond && !(isnan(so_far) && !isnan(value))) return;
  extremes->value[i] = value + 0.0;
  extremes->time[i] = time + 0.0;
}

static void find_some(void *extremes_, int64_t first, int64_t end) {
  const struct pcf_extremes *extremes = extremes_;
  double from = extremes->from, to = extremes->to;
  for (int64_t i = first; i < end; i++) {
    struct pcf_section f = pcf_section_of(extremes->x, i);
    extremes->value[i] = extremes->time[i] = pcf_missing();
    for (int64_t k = pcf_first_line(&f, from); k < f.breakpoints; k++) {
      struct pcf_straight line = pcf_line_from(&f, k);
      if (!(line.from < to)) break;
      line = pcf_cut_line(line, from, to);
      note(extremes, i, line.value, line.from);
      note(extremes, i, line.left, line.to);
    }
  }
}
