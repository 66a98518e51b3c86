/* The times, the left limits or the values of all functions as one long vector, and back into
 * functions. */
#pragma once

#include "arrays/partition.h"
#include "collections/collection.h"

/* PCF_LEFTS: of piecewise linear functions alone. */
enum pcf_column { PCF_TIMES, PCF_VALUES, PCF_LEFTS };

/* Both check what they read of x, gathering the one column and replacing the other ones, each
 * for itself: PCF_ERROR_ARGUMENT where it breaks the rules of collections. */

/* One column of all functions of x end to end: column[0 … total breakpoints). */
enum pcf_status pcf_gather_column(const struct pcf_collection *x, enum pcf_column which,
                                  double *column, int threads, const atomic_int *stop,
                                  struct pcf_error *error);

/* Fills result[i], a matrix like function i of x, with the given column instead of its own.
 * `fault` is set to the first breakpoint that breaks the rules of collections: its number is
 * neither finite nor missing, its time is not finite (−∞ is allowed where x has it), or its
 * time is not after the previous one; PCF_NOWHERE if there is none. The result is filled in any
 * case. */
enum pcf_status pcf_replace_column(const struct pcf_collection *x, enum pcf_column which,
                                   const double *column, double *const *result, int threads,
                                   const atomic_int *stop, struct pcf_place *fault,
                                   struct pcf_error *error);

/* PCF_ERROR_ARGUMENT if `unsound` is set, since a function breaks the rules of collections. */
enum pcf_status pcf_soundness(const atomic_int *unsound, struct pcf_error *error);

/* Are the times begin … end - 1 sound: finite, but for a first one of −∞, and each after the
 * previous one, also time[begin] after time[begin - 1]? */
int pcf_sound_times(const double *time, int64_t begin, int64_t end);

/* The index of the first number that is infinite or NaN; n if there is none. */
int64_t pcf_first_infinite(const double *number, int64_t n);

/* The index of the first value that is neither finite nor missing; n if there is none. Sets
 * `missing` if one before it is missing. */
int64_t pcf_first_unsound(const double *value, int64_t n, int *missing);

/* Gives all missing values the same bits, those of pcf_missing(). */
void pcf_unify_missing(double *value, int64_t n);
