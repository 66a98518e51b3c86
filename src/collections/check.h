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
