/* Where elements of segments belong, and blocks of threads for elements: shared by what works
 * on ragged arrays. */
#pragma once

#include <stdint.h>

/* The segment that an element belongs to: the last of first … end - 1 that begins at or before
 * it, whether or not `first` does. Segments that begin at one place are empty but for the last
 * of them. */
template <typename T, typename E>
static __device__ __forceinline__ int64_t segment_with(const T *start, int64_t first,
                                                       int64_t end, E element) {
  while (end - first > 1) {
    int64_t middle = first + (end - first) / 2;
    if (start[middle] <= element) first = middle;
    else end = middle;
  }
  return first;
}

/* The first of `count` places, at which numbers do not decrease, with one that is not below
 * `least`. */
template <typename N, typename At>
static __device__ __forceinline__ int64_t first_from(int64_t count, N least,
                                                     const At &number_at) {
  int64_t first = 0, end = count;
  while (first < end) {
    int64_t middle = first + (end - first) / 2;
    if (number_at(middle) < least) first = middle + 1;
    else end = middle;
  }
  return first;
}

/* The number of blocks of a launch for so many items, of which each has some. */
static inline unsigned grid_for(int64_t items, int64_t each) {
  return unsigned((items + each - 1) / each);
}
