/* Norms and integrals of single functions: a segmented reduction over the pieces of each. */
#pragma once

#include "base/error.h"
#include "collections/check.h"
#include "collections/collection.h"
#include "collections/section.h"

#include <stdatomic.h>

/* What to measure, over [from, to], from < to, infinite ones included; of piecewise linear
 * functions not PCF_NORM_LP. A value other than 0 on an unbounded stretch gives ∞ (an integral:
 * with its sign, and NaN where ∞ and −∞ meet), 0 there adds nothing. */
struct pcf_measuring {
  enum pcf_measure measure;
  double p; /* for PCF_NORM_LP */
  double from, to;
};

/* result[i] = the measure of function i, in a partial collection over the part of the window on
 * which it is observed; `missing` (or NULL) is set to whether values are missing, anywhere. All
 * of x is checked in the same pass: for a function that breaks the rules of collections the
 * status is PCF_ERROR_ARGUMENT, and `fault` has the first such function and its first fault;
 * `result` is then of no use. A result depends on its function and the window alone, bit for
 * bit. Finite values and times of any magnitude give the right result, as far as it can be
 * represented. Also PCF_ERROR_MEMORY, PCF_ERROR_INTERRUPTED when `stop` (or NULL) becomes
 * non-zero. */
enum pcf_status pcf_measure(const struct pcf_collection *x,
                            const struct pcf_measuring *measuring, int threads,
                            const atomic_int *stop, double *result, int *missing,
                            struct pcf_fault *fault, struct pcf_error *error);

/* What a device has measured: whole[i] for functions of one part, and the parts of the others
 * in pcf_slot_count() slots (arrays/segment-parts.h). */
struct pcf_measured {
  struct pcf_section_part *whole, *slot;
};

/* Combines the parts of each function of the sound collection x, and measures those functions
 * on the CPU of which the device has left a part. The results and the status are those of
 * pcf_measure(). */
enum pcf_status pcf_measure_rest(const struct pcf_collection *x,
                                 const struct pcf_measuring *measuring,
                                 const struct pcf_measured *measured, int threads,
                                 const atomic_int *stop, double *result,
                                 struct pcf_error *error);
