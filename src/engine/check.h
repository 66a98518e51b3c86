/* Checking collections on several threads. */
#ifndef PCF_CHECK_H
#define PCF_CHECK_H

#include "core/collection.h"
#include "core/error.h"

#include <stdatomic.h>

/* A function that broke the rules of collections. */
struct pcf_fault {
  int collection; /* 0: x, 1: y */
  enum pcf_problem problem;
  int64_t function, position;
};

/* Checks x alone, on several threads; fills `fault` for PCF_ERROR_ARGUMENT. */
enum pcf_status pcf_check_collection(const struct pcf_collection *x, int threads,
                                     const atomic_int *stop, struct pcf_range *range,
                                     struct pcf_fault *fault, struct pcf_error *error);

#endif
