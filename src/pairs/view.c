#include "pairs/view.h"

/* The first of the times begin … end - 1 whose time, scaled and then narrowed, is greater than
 * (strictly) or not less than `limit`. */
static int64_t search(const double *time, int64_t begin, int64_t end, double limit,
                      int strictly, int exponent, enum pcf_precision precision) {
  while (begin < end) {
    int64_t middle = begin + (end - begin) / 2;
    double t = pcf_narrowed(pcf_scaled(time[middle], exponent), precision);
    if (strictly ? t > limit : t >= limit) end = middle;
    else begin = middle + 1;
  }
  return begin;
}

struct pcf_view pcf_view_of(const struct pcf_collection *x, int64_t i,
                            const struct pcf_integral *integral) {
  const double *time = pcf_times(x, i), *value = pcf_values(x, i);
  int exponent = integral->time_exponent;
  int64_t begin = 0, end = pcf_breakpoints(x, i);
  if (integral->from > -INFINITY || time[0] == -INFINITY)
    begin = search(time, 0, end, integral->from, 1, exponent, PCF_DOUBLE);
  if (integral->to < INFINITY)
    end = search(time, begin, end, integral->to, 0, exponent, PCF_DOUBLE);
  struct pcf_view view = {.events = end - begin,
                          .time = time + begin,
                          .value = value + begin,
                          .time_exponent = exponent,
                          .value_exponent = pcf_value_exponent(x, i, integral),
                          .missing_is_0 = integral->missing_is_0};
  if (begin > 0) view.initial = pcf_view_value(&view, -1);
  return view;
}

int64_t pcf_view_first_from(const struct pcf_view *view, int64_t begin, double limit,
                            enum pcf_precision precision) {
  return search(view->time, begin, view->events, limit, 0, view->time_exponent, precision);
}
