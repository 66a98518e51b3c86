/* The operations on a pair of functions. Each is described by its entry in one list; only the
 * vector forms of pcf_combine() are elsewhere, in the kernels. C and CUDA read this file. */
#pragma once

#include "arithmetic/half-powers.h"
#include "base/bits.h"
#include "base/host-device.h"
#include "collections/family.h"

#include <math.h>

#define PCF_SIGN(x) (((x) > 0) - ((x) < 0))
#define PCF_DIFFER(a, b) ((a) < (b) || (a) > (b)) /* 0 if one is missing */

#define PCF_LARGER(a, b) ((a) > (b) ? (a) : (b))
#define PCF_NONE 0

/* clang-format off */
/* An entry for each operation; X(argument, entry) is expanded for each of them:
 *   operation  PCF_L1        ∫ |f − g|
 *              PCF_L2        √ ∫ (f − g)²
 *              PCF_LP        (∫ |f − g|^p)^(1/p), p real, neither 1 nor 2
 *              PCF_LINF      sup |f − g| over stretches of positive width
 *              PCF_INNER     ∫ f·g
 *              PCF_RELATIVE  ∫ |f − g| / max(|f|, |g|), 0 where both are 0
 *              PCF_L1_PARTIAL, PCF_L2_PARTIAL: see pcf_partial_form()
 *   name       its name, also in R
 *   combined   what a stretch on which the functions have the values a and b contributes for
 *              each unit of its length
 *   sign       that of `combined`, exact also if `combined` underflows. If it is 0 at the
 *              corners of a rectangle of values, it is 0 everywhere in it
 *   supremum   is the result the supremum of `combined`, rather than its integral?
 *   degree     of `combined` in the values: 1, 2 or p; 0 if their unit does not matter
 *   root       the root that is taken of the integral: 1, 2 or p
 *   powers     is `combined`, relative to its supremum, raised to the power p? Then degree and
 *              root are p, and the suprema are found first. The kernels call such an operation;
 *              others are inlined wherever they process a stretch
 *   norm       is it a norm of f − g? Then it has lower bounds (pruning/coordinates.h)
 *
 * and, for each family of functions (collections/family.h), the cost of a stretch, or PCF_NONE
 * if the family does not have the operation, so that it is refused:
 *   steps      relative to that of L1; not used where powers are taken. With a division 2 to 3
 *              in the sweep and 4 to 5 on a grid, Zen 4, AVX-512 and AVX2
 *   lines      in the sweep, relative to that of steps: 64 functions of 500 breakpoints on Zen
 *              4, with AVX-512 and AVX2, take 1.2 to 2.1 times as long; 1.6 to 3 with L1, which
 *              divides, and 1.6 to 3 with powers */
#define PCF_OPERATIONS(X, argument)                                                                    \
  X(argument, PCF_L1,    "l1",    fabs(a - b),       PCF_DIFFER(a, b),          0, 1, 1, 0, 1, 1, 2.4) \
  X(argument, PCF_L2,    "l2",    (a - b) * (a - b), PCF_DIFFER(a, b),          0, 2, 2, 0, 1, 1, 1.7) \
  X(argument, PCF_LP,    "lp",    fabs(a - b),       PCF_DIFFER(a, b),          0, p, p, 1, 1, 1, 2.5) \
  X(argument, PCF_LINF,  "linf",  fabs(a - b),       PCF_DIFFER(a, b),          1, 1, 1, 0, 1, 1, 1.7) \
  X(argument, PCF_INNER, "inner", a * b,             PCF_SIGN(a) * PCF_SIGN(b), 0, 2, 1, 0, 0, 1, 1.7) \
  X(argument, PCF_RELATIVE, "relative", PCF_KNOWN(fabs(a - b) / PCF_LARGER(fabs(a), fabs(b))), PCF_DIFFER(a, b), 0, 0, 1, 0, 0, 3.5, PCF_NONE) \
  X(argument, PCF_L1_PARTIAL, "l1_partial", PCF_KNOWN(fabs(a - b)),       PCF_DIFFER(a, b), 0, 1, 1, 0, 0, 1, 2.4) \
  X(argument, PCF_L2_PARTIAL, "l2_partial", PCF_KNOWN((a - b) * (a - b)), PCF_DIFFER(a, b), 0, 2, 2, 0, 0, 1, 1.7)
/* clang-format on */

#define PCF_OPERATION_OF(argument, operation, ...) operation,
enum pcf_operation { PCF_OPERATIONS(PCF_OPERATION_OF, ) };

#define PCF_ONE_OF(argument, ...) +1
enum { PCF_OPERATION_COUNT = PCF_OPERATIONS(PCF_ONE_OF, ) };

/* From run time to compile time: CALL(PCF_L1); for the operation PCF_L1, and so on. */
#define PCF_WITH_OPERATION(operation, CALL) \
  switch (operation) { PCF_OPERATIONS(PCF_CALL_OPERATION, CALL) }
#define PCF_CALL_OPERATION(CALL, operation, ...) \
  case operation: CALL(operation); break;

/* Returns what `CASE` returns for the operation. */
#define PCF_BY_OPERATION(operation, CASE, otherwise) \
  switch (operation) { PCF_OPERATIONS(CASE, ) }      \
  return otherwise

/* x, or 0 if it is missing or 0 / 0, for x that are not negative. In CUDA it must not be a
 * comparison with 0: if x is the absolute value or the square of a float, ptxas of CUDA 13.0
 * removes that, and NaN stays. */
#if defined(__CUDACC__)
#define PCF_KNOWN(x) pcf_known(x)
PCF_HOST_DEVICE float pcf_known(float x) {
  return fmaxf(x, 0);
}
#else
#define PCF_KNOWN(x) ((x) >= 0 ? (x) : 0)
#endif

/* ---- The entries ---- */

/* The names of all operations, by number. */
static inline const char *const *pcf_operation_names(void) {
#define PCF_NAME_OF(argument, operation, name, ...) name,
  static const char *const names[] = {PCF_OPERATIONS(PCF_NAME_OF, )};
  return names;
}

PCF_CONSTANT int pcf_is_supremum(int operation) {
#define PCF_SUPREMUM_OF(argument, this, name, combined, sign, supremum, ...) \
  case this: return supremum;
  PCF_BY_OPERATION(operation, PCF_SUPREMUM_OF, 0);
}

PCF_CONSTANT int pcf_takes_powers(int operation) {
#define PCF_POWERS_OF(argument, this, name, combined, sign, supremum, degree, root, powers, \
                      ...)                                                                  \
  case this: return powers;
  PCF_BY_OPERATION(operation, PCF_POWERS_OF, 0);
}

PCF_CONSTANT int pcf_is_norm(int operation) {
#define PCF_NORM_OF(argument, this, name, combined, sign, supremum, degree, root, powers, \
                    norm, ...)                                                            \
  case this: return norm;
  PCF_BY_OPERATION(operation, PCF_NORM_OF, 0);
}

PCF_CONSTANT double pcf_stretch_cost(int family, int operation) {
#define PCF_COST_OF(argument, this, name, combined, sign, supremum, degree, root, powers, \
                    norm, ...)                                                            \
  case this: {                                                                            \
    const double cost[PCF_FAMILIES] = {__VA_ARGS__};                                      \
    return cost[family];                                                                  \
  }
  PCF_BY_OPERATION(operation, PCF_COST_OF, PCF_NONE);
}

/* Do functions of that family have the operation? */
PCF_CONSTANT int pcf_has_operation(int family, int operation) {
  return pcf_stretch_cost(family, operation) != PCF_NONE;
}

PCF_HOST_DEVICE double pcf_degree(int operation, double p) {
#define PCF_DEGREE_OF(argument, this, name, combined, sign, supremum, degree, ...) \
  case this: return degree;
  PCF_BY_OPERATION(operation, PCF_DEGREE_OF, p);
}

PCF_HOST_DEVICE double pcf_root(int operation, double p) {
#define PCF_ROOT_OF(argument, this, name, combined, sign, supremum, degree, root, ...) \
  case this: return root;
  PCF_BY_OPERATION(operation, PCF_ROOT_OF, p);
}

/* The form of a distance for functions with missing values, which are NaN and contribute
 * nothing. L1 and L2 have such a form; the others ignore NaN anyway, since they compare. */
PCF_CONSTANT int pcf_partial_form(int operation) {
  if (operation == PCF_L1) return PCF_L1_PARTIAL;
  return operation == PCF_L2 ? PCF_L2_PARTIAL : operation;
}

/* The inverse. */
PCF_CONSTANT int pcf_whole_form(int operation) {
  if (operation == PCF_L1_PARTIAL) return PCF_L1;
  return operation == PCF_L2_PARTIAL ? PCF_L2 : operation;
}

PCF_CONSTANT int pcf_is_partial_form(int operation) {
  return operation != pcf_whole_form(operation);
}

/* ---- Its arithmetic, in both precisions ----
 *
 * In C pcf_combine() and so on are of doubles and pcf_combine_single() of floats; in CUDA all
 * have the plain names. */

#define SCALAR double
#define NAME(x) pcf_##x
#define scalar_pow pow
#include "integrals/operation-template.h"

#define SCALAR float
#ifdef __cplusplus
#define NAME(x) pcf_##x
#else
#define NAME(x) pcf_##x##_single
#endif
#define scalar_pow powf
#include "integrals/operation-template.h"
