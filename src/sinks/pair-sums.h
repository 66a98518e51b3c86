/* Sums over all pairs, as a sink: the matrix of a function of all distances, multiplied by
 * vectors. Each pair is computed once and added when its block is finished; within one
 * collection it is added for both of its functions. Memory is needed for the sums only. */
#pragma once

#include "kernels/kernels.h"
#include "sinks/pair-tile.h"

#include <pthread.h>

struct pcf_pair_band;
struct pcf_pair_group;

/* Set the members before "Private" and call pcf_pair_sums_start(); after the run `result` is
 * filled. Free with pcf_pair_sums_free(), also after a failure. */
struct pcf_pair_sums {
  struct pcf_sink sink;              /* set by pcf_pair_sums_start() */
  struct pcf_pair_weighing weighing; /* its weight, power and scale */
  /* The functions that have sums, and those over which the sums are taken; they are the same
   * unless the mode is PCF_FULL. */
  int64_t rows, others;
  /* In the mode PCF_FULL: are rows and columns the same functions? The sums are then identical
   * to those of a mode for one collection, with the diagonal or, for logarithms, without it. */
  int same;
  int64_t columns; /* of b and the result; 1 for logarithms */
  /* others × columns finite numbers, by which pairs are multiplied; NULL for logarithms. */
  const double *b;
  /* rows × columns. Infinite pairs make a sum infinite, or NaN if there are both signs; missing
   * pairs make it missing; neither if their element of b is 0. */
  double *result;

  enum pcf_instructions instructions; /* those available */

  /* Private: */
  const struct pcf_kernels *kernels;
  int64_t bands, locks;
  struct pcf_pair_band *band;   /* one for each column, with the sums of all functions */
  pthread_mutex_t *lock;        /* one for some columns of a band */
  double *most;                 /* the largest logarithm of each row */
  int *wide;                    /* for each column: might products with its numbers overflow? */
  struct pcf_pair_group *spare; /* memory for groups of tiles */
  pthread_mutex_t spare_lock;
  int along; /* the number of tiles on each side of a group */
  struct pcf_arrays arrays;
};

/* PCF_ERROR_MEMORY; PCF_ERROR_ARGUMENT for more than PCF_MOST_TERMS others. */
enum pcf_status pcf_pair_sums_start(struct pcf_pair_sums *sums, struct pcf_error *error);
void pcf_pair_sums_free(struct pcf_pair_sums *sums);
