#include "pairs/view.h"

/* Is a time, scaled and then narrowed, greater than (strictly) or not less than `limit`? */
static int is_after(double time, double limit, int strictly, int exponent,
                    enum pcf_precision precision) {
  double t = pcf_narrowed(pcf_scaled(time, exponent), precision);
  return strictly ? t > limit : t >= limit;
}

/* The first of the times begin … end - 1 that is. Windows often have all of them inside, which
 * the outermost ones tell. */
static int64_t search(const double *time, int64_t begin, int64_t end, double limit,
                      int strictly, int exponent, enum pcf_precision precision) {
  if (begin == end || is_after(time[begin], limit, strictly, exponent, precision)) return begin;
  if (!is_after(time[end - 1], limit, strictly, exponent, precision)) return end;
  while (begin < end) {
    int64_t middle = begin + (end - begin) / 2;
    if (is_after(time[middle], limit, strictly, exponent, precision)) end = middle;
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
