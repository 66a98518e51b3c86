/* Parts of segments, and how their results are combined. Read by both the C and the CUDA
 * compiler. */
#pragma once

#include "base/bits.h"
#include "base/host-device.h"

#include <math.h>

/* What a segment is reduced to. Empty ones give 0, +∞, −∞. */
enum pcf_reduce { PCF_SUM, PCF_MIN, PCF_MAX };

/* Long segments are reduced part by part, PCF_PART elements from their start each, so that a
 * result depends on the segment alone: not on its neighbours, the chunks or the threads. */
enum { PCF_PART = 4096 };

/* The parts of a segment of that many elements: at least 1. */
PCF_HOST_DEVICE int64_t pcf_parts_of(int64_t elements) {
  return elements > PCF_PART ? (elements - 1) / PCF_PART + 1 : 1;
}

/* Partial results of segments that are cut stand in an array of pcf_slot_count() slots, those
 * of a segment's parts one after the other from pcf_slot_of(). Since a segment that is cut has
 * more than PCF_PART elements, the slots of two such segments never meet. */
PCF_HOST_DEVICE int64_t pcf_slot_count(const int64_t *offsets, int64_t count) {
  return 2 * (offsets[count] / PCF_PART + 1);
}

PCF_HOST_DEVICE int64_t pcf_slot_of(const int64_t *offsets, int64_t segment) {
  return 2 * (offsets[segment] / PCF_PART);
}

/* ---- Missing numbers ---- */

/* What R calls NA_real_: a NaN whose lower half is 1954. */
PCF_HOST_DEVICE double pcf_missing_number(void) {
  return pcf_double_of(UINT64_C(0x7ff00000000007a2));
}

/* A result that is NaN: NA if one of the values is, else NaN. */
PCF_HOST_DEVICE double pcf_which_missing(const double *value, int64_t n) {
  for (int64_t k = 0; k < n; k++) {
    if (pcf_is_missing(value[k])) return pcf_missing_number();
  }
  return NAN;
}

/* ---- Totals ---- */

/* A sum with the rounding errors of its additions kept beside it (Neumaier's algorithm): the
 * total is sum + error. Sums of whole numbers below 2^53 are exact. */
struct pcf_total {
  double sum, error;
};

PCF_HOST_DEVICE void pcf_total_add(struct pcf_total *total, double x) {
  double sum = total->sum + x, part = sum - total->sum;
  total->error += (total->sum - (sum - part)) + (x - part);
  total->sum = sum;
}

/* The total, also where it is infinite or missing: its error is NaN then. */
PCF_HOST_DEVICE double pcf_total_of(const struct pcf_total *total) {
  double sum = total->sum;
  return sum - sum == 0 ? sum + total->error : sum;
}

/* Combines the results of the parts of a segment, in their order. */
PCF_HOST_DEVICE double pcf_combine_parts(enum pcf_reduce reduce, const double *part,
                                         int64_t count) {
  if (count == 1) return part[0];
  struct pcf_total total = {0, 0};
  double extreme = part[0];
  int nan = 0;
  for (int64_t k = 0; k < count; k++) {
    nan |= part[k] != part[k];
    pcf_total_add(&total, part[k]);
    extreme = (reduce == PCF_MIN ? part[k] < extreme : part[k] > extreme) ? part[k] : extreme;
  }
  if (nan) return pcf_which_missing(part, count);
  return reduce == PCF_SUM ? pcf_total_of(&total) : extreme;
}

/* ---- Runs of equal keys ---- */

/* Keys that are compared for equality. All missing numbers are equal, whatever their bits, as
 * are 0 and −0. Complex keys are two numbers each. */
enum pcf_key { PCF_KEY_INTEGER, PCF_KEY_REAL, PCF_KEY_COMPLEX, PCF_KEY_BYTE };

/* Does a run begin with key k? */
PCF_HOST_DEVICE int pcf_run_begins(enum pcf_key type, const void *keys, int64_t k) {
  const double *x = (const double *)keys;
  const int32_t *integer = (const int32_t *)keys;
  const unsigned char *byte = (const unsigned char *)keys;
  if (k == 0) return 1;
  switch (type) {
  case PCF_KEY_INTEGER: return integer[k] != integer[k - 1];
  case PCF_KEY_REAL: return !(x[k] == x[k - 1] || (x[k] != x[k] && x[k - 1] != x[k - 1]));
  case PCF_KEY_BYTE: return byte[k] != byte[k - 1];
  case PCF_KEY_COMPLEX: break;
  }
  int missing = x[2 * k] != x[2 * k] || x[2 * k + 1] != x[2 * k + 1];
  int was_missing = x[2 * k - 2] != x[2 * k - 2] || x[2 * k - 1] != x[2 * k - 1];
  if (missing || was_missing) return missing != was_missing;
  return x[2 * k] != x[2 * k - 2] || x[2 * k + 1] != x[2 * k - 1];
}
