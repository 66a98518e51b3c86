/* Collections that own their functions, which are made one by one. */
#pragma once

#include "base/memory.h"
#include "collections/collection.h"

#include <stdatomic.h>

/* Writes function i, which has so many breakpoints, as a matrix of collections; or, where there
 * is no matrix (NULL), only counts its breakpoints. Returns their number. */
typedef int64_t pcf_function_writer(const void *context, int64_t i, double *matrix,
                                    int64_t breakpoints);

/* What such a function is written to: breakpoints follow one another or, where there is no
 * matrix, are only counted. */
struct pcf_written {
  int64_t count;
  double *time, *left, *value; /* left: NULL for step functions */
};

static inline struct pcf_written pcf_write_to(int linear, double *matrix, int64_t breakpoints) {
  if (!matrix) return (struct pcf_written){0};
  double *second = matrix + breakpoints;
  return (struct pcf_written){0, matrix, linear ? second : NULL,
                              linear ? second + breakpoints : second};
}

static inline void pcf_write(struct pcf_written *to, double time, double left, double value) {
  if (to->time) {
    to->time[to->count] = time;
    to->value[to->count] = value;
  }
  if (to->left) to->left[to->count] = left;
  to->count++;
}

/* Functions that are still to be written, in any order, and by several threads. */
struct pcf_unwritten {
  pcf_function_writer *write;
  const void *context;
  int64_t count;
  int linear; /* as of a collection */
};

/* Writes function i to result[i], with breakpoints[i] breakpoints; where `result` is NULL, only
 * counts these: breakpoints[0 … count). PCF_ERROR_MEMORY, and PCF_ERROR_INTERRUPTED when `stop`
 * (or NULL) becomes non-zero. */
enum pcf_status pcf_write_functions(const struct pcf_unwritten *x, int threads,
                                    const atomic_int *stop, int64_t *breakpoints,
                                    double *const *result, struct pcf_error *error);

/* Function i lies at function[i], one after the other in `numbers`. */
struct pcf_owned_functions {
  struct pcf_collection view;
  double **function, *numbers;
  int64_t *offsets;
  struct pcf_arrays arrays;
};

/* Makes room for so many functions, of the family of the view, which are not written yet; in a
 * struct without any. Free with pcf_owned_functions_free(), whatever the status. */
enum pcf_status pcf_owned_functions_room(struct pcf_owned_functions *owned, int64_t count,
                                         const int64_t *breakpoints, struct pcf_error *error);

/* The functions, written. Free with pcf_owned_functions_free(), whatever the status. */
enum pcf_status pcf_owned_functions_make(struct pcf_owned_functions *owned,
                                         struct pcf_unwritten x, int threads,
                                         const atomic_int *stop, struct pcf_error *error);
void pcf_owned_functions_free(struct pcf_owned_functions *owned);
