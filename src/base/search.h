/* Binary searches in running totals and in increasing times. */
#pragma once

#include "base/host-device.h"

#include <stdint.h>

/* The segment that an element, 0 … offsets[count] - 1, is in; segments may be empty. offsets[0]
 * is 0. */
static inline int64_t pcf_segment_of(const int64_t *offsets, int64_t count, int64_t element) {
  int64_t low = 0, high = count;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    if (offsets[middle] <= element) low = middle;
    else high = middle;
  }
  return low;
}

/* The first of the increasing times begin … end - 1 that is not before `limit`, else `end`. */
PCF_HOST_DEVICE int64_t pcf_first_from(const double *time, int64_t begin, int64_t end,
                                       double limit) {
  while (begin < end) {
    int64_t middle = begin + (end - begin) / 2;
    if (time[middle] < limit) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

/* How many of the first `behind` numbers of f (f_count increasing ones) and g together, in
 * their common order, are from f; of equal ones those of f come first. A search along the merge
 * path.
 */
static inline int64_t pcf_merge_path(const double *f, int64_t f_count, const double *g,
                                     int64_t g_count, int64_t behind) {
  int64_t low = behind > g_count ? behind - g_count : 0;
  int64_t high = behind < f_count ? behind : f_count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (f[middle] <= g[behind - middle - 1]) low = middle + 1;
    else high = middle;
  }
  return low;
}
