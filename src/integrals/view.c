#include "integrals/view.h"

/* Is the time of event k, scaled and then narrowed, greater than (strictly) or not less than
 * `limit`? */
static int is_after(const struct pcf_view *view, int64_t k, double limit, int strictly,
                    enum pcf_precision precision) {
  double t = pcf_narrowed(pcf_view_time(view, k), precision);
  return strictly ? t > limit : t >= limit;
}

/* The first of the events begin … end - 1 for which is_after() holds, else `end`. Often all or
 * none of them lie in the window: so the outermost ones are looked at first. */
static int64_t search(const struct pcf_view *view, int64_t begin, int64_t end, double limit,
                      int strictly, enum pcf_precision precision) {
  if (begin == end || is_after(view, begin, limit, strictly, precision)) return begin;
  if (!is_after(view, end - 1, limit, strictly, precision)) return end;
  while (begin < end) {
    int64_t middle = begin + (end - begin) / 2;
    if (is_after(view, middle, limit, strictly, precision)) end = middle;
    else begin = middle + 1;
  }
  return begin;
}

/* What a view of a piecewise linear function has beside that of a step function; `begin` is the
 * first breakpoint after the start of the window. */
static void begin_with_line(struct pcf_view *view, const struct pcf_collection *x, int64_t i,
                            int64_t begin, const struct pcf_integral *integral) {
  enum pcf_precision precision = integral->precision;
  view->left = pcf_lefts(x, i) + begin;
  view->lines = pcf_breakpoints(x, i) - 1 - begin;
  if (begin == 0) {
    view->initial = pcf_view_left(view, 0);
    return;
  }
  view->initial_slope = pcf_view_slope(view, -1, precision);
  if (view->initial_slope == 0) return;
  double last = pcf_narrowed(pcf_view_time(view, -1), precision);
  double next = pcf_narrowed(pcf_view_time(view, 0), precision);
  struct pcf_straight line = {last, next, view->initial, pcf_view_left(view, 0)};
  view->initial = pcf_value_between(line, integral->from);
}

/* The largest magnitude of what function i is in the window, where that matters. Breakpoints
 * begin … end - 1 are inside: the one before begins the first stretch, and a line goes on to
 * the one after. */
static double largest_value(const struct pcf_collection *x, int64_t i, int64_t begin,
                            int64_t end, const struct pcf_integral *integral) {
  struct pcf_range range = PCF_EMPTY_RANGE;
  if (!integral->own_exponents) return 0;
  int64_t first = begin > 0 ? begin - 1 : 0,
          after = end < pcf_breakpoints(x, i) ? end + 1 : end;
  pcf_widen_range(&range, pcf_values(x, i) + first, end - first);
  if (x->linear) pcf_widen_range(&range, pcf_lefts(x, i) + begin, after - begin);
  return range.value;
}

struct pcf_view pcf_view_of(const struct pcf_collection *x, int64_t i,
                            const struct pcf_integral *integral) {
  struct pcf_view view = {.time = pcf_times(x, i),
                          .value = pcf_values(x, i),
                          .origin = integral->origin,
                          .time_exponent = integral->time_exponent,
                          .missing_is_0 = integral->missing_is_0};
  int64_t begin = 0, end = pcf_breakpoints(x, i);
  if (integral->from > -INFINITY || view.time[0] == -INFINITY)
    begin = search(&view, 0, end, integral->from, 1, PCF_DOUBLE);
  if (integral->to < INFINITY) end = search(&view, begin, end, integral->to, 0, PCF_DOUBLE);
  view.events = end - begin;
  view.value_exponent = pcf_value_exponent(integral, largest_value(x, i, begin, end, integral));
  view.time += begin;
  view.value += begin;
  if (begin > 0) view.initial = pcf_view_value(&view, -1);
  if (x->linear) begin_with_line(&view, x, i, begin, integral);
  return view;
}

struct pcf_view pcf_view_of_both(const struct pcf_collection *x, const struct pcf_collection *y,
                                 int64_t i, const struct pcf_integral *integral) {
  return i < x->count ? pcf_view_of(x, i, integral) : pcf_view_of(y, i - x->count, integral);
}

double pcf_view_slope(const struct pcf_view *view, int64_t k, enum pcf_precision precision) {
  if (!view->left || k >= view->lines) return 0;
  double rise = pcf_view_left(view, k + 1) - pcf_view_value(view, k);
  double run = pcf_narrowed(pcf_view_time(view, k + 1), precision) -
               pcf_narrowed(pcf_view_time(view, k), precision);
  return pcf_slope(rise, run, precision);
}

int64_t pcf_view_first_from(const struct pcf_view *view, int64_t begin, double limit,
                            enum pcf_precision precision) {
  return search(view, begin, view->events, limit, 0, precision);
}
