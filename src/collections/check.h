/* Checking collections on several threads. */
#pragma once

#include "base/error.h"
#include "collections/collection.h"

#include <stdatomic.h>

/* A function that broke the rules of collections. */
struct pcf_fault {
  int collection; /* 0: x, 1: y */
  enum pcf_problem problem;
  int64_t function, position;
};

/* Checks functions `begin` … end - 1 and widens `range` to them; returns whether there is a
 * fault. Several threads may call it with the same `first`, at first all zero, which keeps the
 * fault of the lowest function that any of them finds. */
int pcf_note_functions(struct pcf_fault *first, const struct pcf_collection *x, int64_t begin,
                       int64_t end, struct pcf_range *range);

/* PCF_ERROR_ARGUMENT if there was a fault. */
enum pcf_status pcf_fault_status(const struct pcf_fault *first, struct pcf_error *error);

/* Checks a collection on several threads, and widens `range` to it. For PCF_ERROR_ARGUMENT
 * `fault` has the first fault; its collection is 0. */
enum pcf_status pcf_check_collection(const struct pcf_collection *x, int threads,
                                     const atomic_int *stop, struct pcf_range *range,
                                     struct pcf_fault *fault, struct pcf_error *error);

/* The share of the pairs of values in a window that differ, but by less than 2^-10 of their
 * size, so that rounding to single precision would cost their difference 10 bits and more; of
 * the values of x and y (or NULL) that are known and not 0. Values that single precision
 * represents are told apart, unless they are ends of lines. The share does not depend on the
 * order of the functions. It may be too large by 2^-11. PCF_ERROR_MEMORY;
 * PCF_ERROR_INTERRUPTED. */
enum pcf_status pcf_find_crowding(const struct pcf_collection *x,
                                  const struct pcf_collection *y, double from, double to,
                                  int threads, const atomic_int *stop, double *share,
                                  struct pcf_error *error);
