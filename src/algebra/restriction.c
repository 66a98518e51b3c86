#include "algebra/restriction.h"

#include "base/search.h"

#include <math.h>
#include <string.h>

static pcf_portion_body fill_window;

/* The breakpoints begin … end - 1 of a function are in a window [from, to). `starts` and
 * `stops`: are `from` and `to` new breakpoints? */
struct within {
  int64_t begin, end;
  int starts, stops;
};

static struct within window_of(const struct pcf_restriction *restriction, int64_t i) {
  const double *time = pcf_times(restriction->x, i);
  int64_t m = pcf_breakpoints(restriction->x, i);
  struct within within;
  within.begin = pcf_first_from(time, 0, m, restriction->from);
  within.end = pcf_first_from(time, within.begin, m, restriction->to);
  int meets = within.begin < m && time[within.begin] == restriction->from;
  within.starts = within.begin > 0 && !meets;
  within.stops = restriction->to < INFINITY;
  return within;
}

int64_t pcf_restriction_length(const struct pcf_restriction *restriction, int64_t i) {
  struct within within = window_of(restriction, i);
  return within.starts + within.end - within.begin + within.stops;
}

enum pcf_status pcf_restriction_fill(struct pcf_restriction *restriction, int threads,
                                     const atomic_int *stop, struct pcf_error *error) {
  return pcf_portions_run(&restriction->portions, threads, stop, fill_window, restriction,
                          error);
}

/* Breakpoints begin … end - 1 of the result: those in the middle are copied. */
static void fill_window(void *restriction_, const struct pcf_portion *portion) {
  const struct pcf_restriction *restriction = restriction_;
  struct within within = window_of(restriction, portion->item);
  const int64_t *offsets = restriction->portions.offsets + portion->item;
  int64_t length = offsets[1] - offsets[0];
  const double *from_time = pcf_times(restriction->x, portion->item);
  const double *from_value = pcf_values(restriction->x, portion->item);
  double *time = restriction->portions.result[portion->item], *value = time + length;
  int64_t k = portion->begin, end = portion->end;
  if (k == 0 && within.starts) {
    time[k] = restriction->from;
    value[k++] = from_value[within.begin - 1];
  }
  if (end == length && within.stops) {
    time[--end] = restriction->to;
    value[end] = 0;
  }
  int64_t source = within.begin + k - within.starts;
  memcpy(time + k, from_time + source, (size_t)(end - k) * sizeof(double));
  memcpy(value + k, from_value + source, (size_t)(end - k) * sizeof(double));
}
