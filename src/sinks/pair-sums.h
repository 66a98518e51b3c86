/* Sums over all pairs, as a sink: the matrix of some function of all distances times vectors.
 * Each pair is computed once, and used when its block is finished; within one collection it
 * counts for both of its functions. Memory is needed for the sums only. */
#pragma once

#include "pairs/kernels.h"
#include "sinks/pair-tile.h"

#include <pthread.h>

struct pcf_pair_band;
struct pcf_pair_group;

/* Set the first part and call pcf_pair_sums_start(); after the run `result` is filled. Free
 * with pcf_pair_sums_free() whatever the status. */
struct pcf_pair_sums {
  struct pcf_sink sink;              /* by pcf_pair_sums_start() */
  struct pcf_pair_weighing weighing; /* the first part of it */
  /* The functions that sums are for, and those of the columns of the matrix; the same ones
   * unless the mode is PCF_FULL. */
  int64_t rows, others;
  /* In the mode PCF_FULL: are rows and columns the same functions? The sums are then those of
   * a mode of one collection, with the diagonal or, for logarithms, without it, to the last
   * bit. */
  int same;
  int64_t columns; /* of b and the result; 1 for logarithms */
  /* others × columns finite numbers, that pairs are multiplied by; NULL for logarithms. */
  const double *b;
  /* rows × columns. Pairs that are infinite make a sum infinite, and NaN where they are of both
   * signs; pairs that are missing make it missing; not where their b is 0. */
  double *result;

  enum pcf_instructions instructions; /* that are available */

  /* Its own: */
  const struct pcf_kernels *kernels;
  int64_t bands, locks;
  struct pcf_pair_band *band; /* of each column, those of all functions */
  pthread_mutex_t *lock;      /* of some columns of a band */
  double *most; /* of logarithms that are too low to be added up, each row's largest */
  int *wide;    /* of a column: might products with its numbers overflow? */
  struct pcf_pair_group *spare; /* memory of groups of tiles */
  pthread_mutex_t spare_lock;
  int along; /* tiles along the side of a group */
  int workers;
};

/* PCF_ERROR_MEMORY; PCF_ERROR_ARGUMENT for more than PCF_MOST_TERMS others. */
enum pcf_status pcf_pair_sums_start(struct pcf_pair_sums *sums, struct pcf_error *error);
void pcf_pair_sums_free(struct pcf_pair_sums *sums);
