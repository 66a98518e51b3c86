/* What a window leaves of a function: read by the C and by the CUDA compiler. */
#ifndef PCF_WITHIN_H
#define PCF_WITHIN_H

#include "base/search.h"

#include <math.h>

/* The breakpoints begin … end - 1 of a function are in a window [from, to). `starts` and
 * `stops`: are `from` and `to` new breakpoints? */
struct pcf_within {
  int64_t begin, end;
  int starts, stops;
};

/* Of a function whose breakpoints are first … last - 1 of these times; from < to. */
PCF_EVERYWHERE struct pcf_within pcf_within_window(const double *time, int64_t first,
                                                   int64_t last, double from, double to) {
  struct pcf_within within;
  within.begin = pcf_first_from(time, first, last, from);
  within.end = pcf_first_from(time, within.begin, last, to);
  int meets = within.begin < last && time[within.begin] == from;
  within.starts = within.begin > first && !meets;
  within.stops = to < INFINITY;
  return within;
}

/* The number of breakpoints of the result. */
PCF_EVERYWHERE int64_t pcf_within_length(const struct pcf_within *within) {
  return within->starts + within->end - within->begin + within->stops;
}

#endif
