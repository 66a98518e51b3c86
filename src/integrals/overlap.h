/* Pairs of functions with missing values: where both are observed, and how results depend on
 * this. */
#pragma once

#include "base/instructions.h"
#include "blocks/schedule.h"
#include "collections/observed.h"
#include "collections/weight.h"
#include "integrals/request.h"
#include "integrals/stretches.h"

/* A function for which there is no result. */
struct pcf_overlap_fault {
  enum { PCF_OVERLAPS_SOUND, PCF_OVERLAPS_DIFFER, PCF_OVERLAP_UNBOUNDED } what;
  int collection;                    /* 0: x, 1: y */
  struct pcf_observed_difference of; /* unbounded: from or to is infinite */
  int64_t other;                     /* the function of x that it differs from */
};

/* The stretches of the window on which the functions are observed. If all members are zero, it
 * can be freed. */
struct pcf_overlaps {
  const struct pcf_request *request; /* lives as long as this */
  enum pcf_missing missing;
  const struct pcf_weight *weight; /* of means, or NULL */
  int alike;                       /* are they the same for all functions? */
  struct pcf_stretches stretches;  /* if so, these */
  int too_short;                   /* are these too short? Found when the integral is planned */
  double least;                    /* if they differ: shorter overlaps are missing; 0 */
  double shortest;                 /* if they differ: integrals over less are computed again */
  uint64_t long_cells;             /* cells that are not shorter */
  int certain;                     /* if they differ, is it known that all pairs overlap? */
  struct pcf_owned_functions x, y; /* indicators, if they differ */
  struct pcf_cells cells;          /* if it is not certain that all pairs overlap */
  struct pcf_cell_bits *bits;      /* of x, then of y; NULL if they are not needed */
  struct pcf_overlap_fault fault;
};

/* Fills `overlaps` for the checked functions of a request, which are cut where the pieces of a
 * weight end, if means have one; `partial` tells whether any value is missing. Fails with
 * PCF_ERROR_ARGUMENT, see `fault`; PCF_ERROR_MEMORY; or PCF_ERROR_INTERRUPTED. Free with
 * pcf_overlaps_free(), also then. */
enum pcf_status pcf_overlaps_find(struct pcf_overlaps *overlaps,
                                  const struct pcf_request *request, enum pcf_missing missing,
                                  const struct pcf_weight *weight, int partial, int threads,
                                  const atomic_int *stop, struct pcf_error *error);
void pcf_overlaps_free(struct pcf_overlaps *overlaps);

/* Are results divided by the lengths of overlaps? Do results depend on lengths that each pair
 * has of its own? */
int pcf_overlaps_are_means(const struct pcf_overlaps *overlaps);
int pcf_overlaps_to_compute(const struct pcf_overlaps *overlaps);

/* Integrals over overlaps that are shorter than this, in unscaled time, are not accurate
 * enough. */
void pcf_overlaps_distrust(struct pcf_overlaps *overlaps, double shortest);

/* Revises the results of rows row … row + count - 1 with a column: they become missing if the
 * functions do not overlap, or if pcf_divide_by_lengths() found that they share too little.
 * What is over an overlap whose length has too few digits is computed by its definition: means,
 * which are infinite if each pair has its own length, and integrals. The first function tells
 * whether any results may need this. */
int pcf_overlaps_to_revise(const struct pcf_overlaps *overlaps);
void pcf_overlaps_revise(const struct pcf_overlaps *overlaps, double *results, int64_t row,
                         int64_t count, int64_t column);

/* Do the functions of a row and a column overlap, if functions differ? And for as long as is
 * requested? */
int pcf_overlaps_meet(const struct pcf_overlaps *overlaps, int64_t row, int64_t column);
int pcf_overlaps_suffice(const struct pcf_overlaps *overlaps, int64_t row, int64_t column);

/* The largest distance from `origin` at which indicators of functions change in the window, or
 * at which the stretches of all functions begin or end. */
double pcf_overlaps_farthest(const struct pcf_overlaps *overlaps, double origin);
