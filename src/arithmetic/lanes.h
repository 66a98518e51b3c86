/* Sums and extrema of many numbers in eight lanes: element k goes to lane k modulo 8.
 * Processors compute the lanes in different ways, but with the same results.
 *
 * The vectors are those of the architecture's baseline, since these loops wait for memory. */
#pragma once

#include "base/hints.h"

#include <stdint.h>

#define PCF_SINGLE 0
#if defined(__x86_64__) && defined(__GNUC__)
#include "arithmetic/simd-sse2.h"
#elif defined(__aarch64__) && defined(__GNUC__)
#include "arithmetic/simd-neon.h"
#else
#include "arithmetic/simd-scalar.h"
#endif

enum { EIGHT = 8, VECTORS = EIGHT / LANES };

/* The sum of the eight lanes, and their largest and smallest. */
INLINE double sum_of_eight(const double *a) {
  return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}

INLINE double sum_of_lanes(const V *vector) {
  double a[EIGHT];
  UNROLL
  for (int l = 0; l < VECTORS; l++) v_store(a + l * LANES, vector[l]);
  return sum_of_eight(a);
}

INLINE double most_of_lanes(const V *vector) {
  double a[EIGHT];
  UNROLL
  for (int l = 0; l < VECTORS; l++) v_store(a + l * LANES, vector[l]);
  for (int k = 1; k < EIGHT; k++) a[0] = a[k] > a[0] ? a[k] : a[0];
  return a[0];
}

INLINE double least_of_lanes(const V *vector) {
  double a[EIGHT];
  UNROLL
  for (int l = 0; l < VECTORS; l++) v_store(a + l * LANES, vector[l]);
  for (int k = 1; k < EIGHT; k++) a[0] = a[k] < a[0] ? a[k] : a[0];
  return a[0];
}
