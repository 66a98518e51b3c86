/* Positions for a sample of consecutive items. */
#pragma once

#include <stdint.h>

/* A position in part s of `count` equal parts of 0 … total - 1: random within the part, but the
 * same in every run, so that a sample does not follow regular patterns. */
static inline int64_t pcf_sample_place(int64_t s, int64_t count, int64_t total) {
  uint64_t z = (uint64_t)s + UINT64_C(0x9e3779b97f4a7c15); /* SplitMix64 of a counter */
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  double offset = (double)((z ^ z >> 31) >> 11) * 0x1p-53;
  int64_t place = (int64_t)(((double)s + offset) * ((double)total / (double)count));
  return place < total ? place : total - 1;
}
