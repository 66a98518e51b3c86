/* Functions that a computation has made, before R has memory for them: stretches end to end, or
 * all of them with a keeper, as on a device. */
#pragma once

#include "base/memory.h"

#include <stdatomic.h>
#include <stdint.h>

struct pcf_point {
  double time, value;
};

/* Of a piecewise linear function. */
struct pcf_line_point {
  double time, left, value;
};

/* Consecutive breakpoints of one function. They are points, pcf_line_point where the curves are
 * linear; or, without `point`, times and values apart, and where the curves are linear they are
 * continuous, with the values as left limits. */
struct pcf_stretch {
  const struct pcf_point *point;
  int64_t count;
  const double *time, *value;
  int64_t function, begin; /* from pcf_curves_count(): which function, and from where on */
};

/* Keeps all functions, as on a device: write() is called once, as pcf_curves_write() is, and
 * free() in any case. */
struct pcf_curves_keeper {
  enum pcf_status (*write)(struct pcf_curves_keeper *keeper, double *const *columns,
                           const atomic_int *stop, struct pcf_error *error);
  void (*free)(struct pcf_curves_keeper *keeper);
};

/* `count` functions. Function r is made of the stretches starts[r] … starts[r + 1] - 1 and has
 * breakpoints[r] breakpoints; where a keeper has all, there are no stretches. */
struct pcf_curves {
  int64_t count;
  int linear;
  int sound; /* linear ones: can no slope overflow? */
  int64_t *starts;
  int64_t *breakpoints;
  struct pcf_stretch *stretch;
  int64_t blocks;
  void **block;                     /* memory of stretches */
  struct pcf_curves_keeper *keeper; /* or NULL */
  struct pcf_arrays arrays;
};

/* Makes room for `count` functions of stretches[r] stretches each, or (NULL) one, all of them
 * empty, and for `blocks` blocks of their memory, all NULL. PCF_ERROR_MEMORY leaves nothing to
 * free. */
enum pcf_status pcf_curves_make(struct pcf_curves *curves, int64_t count,
                                const int64_t *stretches, int64_t blocks,
                                struct pcf_error *error);

/* Fails with the error for a function that has more breakpoints than an R matrix can have
 * rows. */
#define PCF_MOST_BREAKPOINTS ((int64_t)INT32_MAX)
enum pcf_status pcf_curves_too_long(int64_t breakpoints, struct pcf_error *error);

/* Adds up the breakpoints of each function, and places its stretches. PCF_ERROR_ARGUMENT when
 * one has too many. */
enum pcf_status pcf_curves_count(struct pcf_curves *curves, struct pcf_error *error);

/* Writes function r to columns[r]: its times, then its values; of piecewise linear functions
 * times, left limits and values, and PCF_ERROR_ARGUMENT where a slope is too large.
 * PCF_ERROR_MEMORY. */
enum pcf_status pcf_curves_write(const struct pcf_curves *curves, double *const *columns,
                                 int threads, const atomic_int *stop, struct pcf_error *error);

/* Frees what pcf_curves_make() made and the blocks it holds. Curves of zeros are fine. */
void pcf_curves_free(struct pcf_curves *curves);
