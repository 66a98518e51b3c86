/* The extremum of functions over one stretch of time, by merging them two by two. */
#pragma once

#include "collections/curves.h"

/* Breakpoints of one function and its value before them. */
struct pcf_sorted_run {
  const struct pcf_point *point;
  int64_t count;
  double before;
};

/* Reads `count` breakpoints, times and values `stride` doubles apart, into `point`, without
 * those that do not change the value; the first one stays if `keep_first`. `stand_in`
 * replaces missing values, also that of `before`. */
struct pcf_sorted_run pcf_sorted_run_of(const double *time, const double *value, int64_t stride,
                                        int64_t count, double before, int keep_first,
                                        double stand_in, struct pcf_point *point);

/* The extremum of `count` >= 1 runs (sign 1: the largest value, -1: the smallest), which are
 * overwritten. Their points lie in `home`; it and `away` have room for all of them, and the
 * winner's points lie in one of the two. */
struct pcf_sorted_run pcf_tournament(struct pcf_sorted_run *run, int64_t count, double sign,
                                     int keep_first, struct pcf_point *home,
                                     struct pcf_point *away);
