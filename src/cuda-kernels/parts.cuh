/* Parts of segments, and the threads that reduce them: a part of at most PCF_PART elements has
 * eight threads, the lanes of the CPU, whose order of additions is kept; or sixteen, which read
 * a line of memory at once, and of which eight are those lanes. */
#pragma once

#include "arrays/segment-parts.h"
#include "cuda-kernels/search.cuh"

static constexpr int EIGHT = 8, SIXTEEN = 16;

/* The eight lanes of a part, within a warp. */
struct lanes {
  unsigned mask;
  int lane;
};

static __device__ __forceinline__ lanes lanes_of_thread() {
  int in_warp = threadIdx.x % 32;
  return {0xffu << (in_warp / EIGHT * EIGHT), in_warp % EIGHT};
}

static __device__ __forceinline__ bool any_of(lanes own, bool condition) {
  return __ballot_sync(own.mask, condition) != 0;
}

/* ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)), in every lane. */
static __device__ __forceinline__ double sum_of_lanes(lanes own, double x) {
  for (int apart = 1; apart < EIGHT; apart *= 2)
    x += __shfl_xor_sync(own.mask, x, apart, EIGHT);
  return x;
}

static __device__ __forceinline__ double most_of_lanes(lanes own, double x) {
  for (int apart = 1; apart < EIGHT; apart *= 2) {
    double other = __shfl_xor_sync(own.mask, x, apart, EIGHT);
    x = other > x ? other : x;
  }
  return x;
}

/* ---- Sixteen threads ---- */

/* Element k of a part is read by thread (k + shift) % 16, so that what sixteen threads read at
 * once is a line of memory. Of the sums of the CPU's lanes, thread t has that of lane (t -
 * shift) % 8, if t is less than 8. */
struct line {
  unsigned mask;
  int thread, shift;
};

static __device__ __forceinline__ line line_of_thread(const double *first) {
  int in_warp = threadIdx.x % 32;
  return {0xffffu << (in_warp / SIXTEEN * SIXTEEN), in_warp % SIXTEEN,
          int(reinterpret_cast<uintptr_t>(first) / sizeof(double) % SIXTEEN)};
}

/* Adds the terms of sixteen elements to the sums of the lanes, in their order. */
static __device__ __forceinline__ void add_line(line at, double *sum, double term) {
  *sum += term;
  *sum += __shfl_down_sync(at.mask, term, EIGHT, SIXTEEN);
}

/* Gives each lane its sum. */
static __device__ __forceinline__ double sum_of_lane(line at, lanes own, double sum) {
  return __shfl_sync(at.mask, sum, (own.lane + at.shift) % EIGHT, SIXTEEN);
}

/* ---- Who has which part ---- */

struct part_of_segment {
  int64_t segment, part; /* segment -1: there is none */
  int64_t begin, end;    /* of its elements */
  bool cut;              /* does the segment have others? */
};

/* The part of a long segment, not its first, that begins among the PCF_PART elements from
 * `element` on; there is at most one. Its number, or 0. */
static __device__ __forceinline__ int64_t part_that_begins(int64_t offset, int64_t end,
                                                           int64_t element) {
  int64_t part = (element - offset + PCF_PART - 1) / PCF_PART;
  return offset + part * PCF_PART < end ? part : 0;
}

/* The items are the first parts of all segments, then the others, which are found by where they
 * begin. */
static __device__ __forceinline__ part_of_segment part_of_item(const int64_t *offsets,
                                                               int64_t count, int64_t total,
                                                               int64_t item) {
  int64_t segment = item, part = 0;
  if (item >= count) {
    int64_t element = (item - count) * PCF_PART;
    if (element >= total) return {-1, 0, 0, 0, false};
    segment = segment_with(offsets, 0, count, element);
    part = part_that_begins(offsets[segment], offsets[segment + 1], element);
    if (part == 0) return {-1, 0, 0, 0, false};
  }
  int64_t begin = offsets[segment] + part * PCF_PART, end = offsets[segment + 1];
  bool cut = end - offsets[segment] > PCF_PART;
  return {segment, part, begin, end - begin < PCF_PART ? end : begin + PCF_PART, cut};
}

static inline int64_t items_of(int64_t count, int64_t total) {
  return count + total / PCF_PART + 1;
}
