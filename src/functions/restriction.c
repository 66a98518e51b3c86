#include "functions/restriction.h"

#include "base/search.h"

#include <math.h>
#include <string.h>

struct restricting {
  const struct pcf_restriction *restriction;
  double *const *result;
};

/* Which breakpoints of a function are in the window, and which ones are new. */
struct window {
  int64_t begin, end;
  int starts, stops; /* is `from` a new breakpoint; is `to` one */
};

static enum pcf_status fill_window(void *restricting, const struct pcf_portion *portion,
                                   struct pcf_error *error);

static struct window window_of(const struct pcf_restriction *restriction, int64_t i) {
  const double *times = pcf_times(restriction->x, i);
  int64_t m = pcf_breakpoints(restriction->x, i);
  struct window window = {.begin = pcf_first_from(times, 0, m, restriction->from),
                          .end = pcf_first_from(times, 0, m, restriction->to)};
  int meets = window.begin < m && times[window.begin] == restriction->from;
  window.starts = window.begin > 0 && !meets;
  window.stops = restriction->to < INFINITY;
  return window;
}

int64_t pcf_restriction_length(const struct pcf_restriction *restriction, int64_t i) {
  struct window window = window_of(restriction, i);
  return window.starts + window.end - window.begin + window.stops;
}

enum pcf_status pcf_restriction_fill(const struct pcf_restriction *restriction, int threads,
                                     const atomic_int *stop, double *const *result,
                                     struct pcf_error *error) {
  struct restricting restricting = {restriction, result};
  return pcf_portions_run(&restriction->portions, threads, stop, fill_window, &restricting,
                          error);
}

/* Breakpoints begin … end - 1 of the result: those in the middle are copied. */
static enum pcf_status fill_window(void *restricting_, const struct pcf_portion *portion,
                                   struct pcf_error *error) {
  const struct restricting *restricting = restricting_;
  const struct pcf_restriction *restriction = restricting->restriction;
  struct window window = window_of(restriction, portion->item);
  int64_t length = restriction->portions.length[portion->item];
  const double *from_time = pcf_times(restriction->x, portion->item);
  const double *from_value = pcf_values(restriction->x, portion->item);
  double *time = restricting->result[portion->item], *value = time + length;
  int64_t k = portion->begin, end = portion->end;
  (void)error;
  if (k == 0 && window.starts) {
    time[k] = restriction->from;
    value[k++] = from_value[window.begin - 1];
  }
  if (end == length && window.stops) {
    time[--end] = restriction->to;
    value[end] = 0;
  }
  int64_t source = window.begin + k - window.starts;
  memcpy(time + k, from_time + source, (size_t)(end - k) * sizeof(double));
  memcpy(value + k, from_value + source, (size_t)(end - k) * sizeof(double));
  return PCF_OK;
}
