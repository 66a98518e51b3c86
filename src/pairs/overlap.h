/* Pairs of functions that are known in part: where both are observed, and how results depend on
 * that. */
#pragma once

#include "base/instructions.h"
#include "blocks/schedule.h"
#include "collections/observed.h"
#include "collections/weight.h"
#include "pairs/operation.h"
#include "pairs/stretches.h"

/* What is asked for where functions are not observed. */
enum pcf_missing {
  PCF_MISSING_ERROR,   /* nothing: all are to be observed on the same stretches of the window */
  PCF_MISSING_OVERLAP, /* the integral over the stretches on which both are observed */
  PCF_MISSING_MEAN,    /* the same, divided by their length before the root is taken */
};

/* The pairs of one or two collections (y may be NULL), and what is asked of them. */
struct pcf_overlap_question {
  const struct pcf_collection *x, *y;
  enum pcf_mode mode;
  int64_t pairs; /* of a paired mode */
  enum pcf_missing missing;
  enum pcf_operation operation;
  enum pcf_precision precision; /* that is asked for */
  double p, from, to;
  const struct pcf_weight *weight; /* of means, or NULL; x and y are cut where its pieces end */
  int partial;                     /* is any value missing? */
};

/* A function that makes an answer impossible. */
struct pcf_overlap_fault {
  enum { PCF_OVERLAPS_SOUND, PCF_OVERLAPS_DIFFER, PCF_OVERLAP_UNBOUNDED } what;
  int collection;                    /* 0: x, 1: y */
  struct pcf_observed_difference of; /* unbounded: from or to is infinite */
  int64_t other;                     /* the function of x that it differs from */
};

/* What was found about the stretches on which the functions are observed in the window. All
 * zero is a state that can be freed. */
struct pcf_overlaps {
  struct pcf_overlap_question question;
  int alike;                       /* are they the same for all functions? */
  struct pcf_stretches stretches;  /* then: these */
  int too_short;                   /* are these too short beside their distance from 0? */
  int certain;                     /* if they are not alike, do all pairs certainly overlap? */
  struct pcf_owned_functions x, y; /* indicators, where functions are not alike */
  struct pcf_cells cells;          /* where it is not certain that all pairs overlap */
  struct pcf_cell_bits *bits;      /* of x, then of y; NULL where they are not needed */
  struct pcf_cell_bits *common;    /* what the bits of each 64 of x have in common, or NULL */
  struct pcf_overlap_fault fault;
};

/* Fills `overlaps`, for checked functions. PCF_ERROR_ARGUMENT: see `fault`; PCF_ERROR_MEMORY,
 * PCF_ERROR_INTERRUPTED. Free with pcf_overlaps_free(), whatever the status. */
enum pcf_status pcf_overlaps_find(struct pcf_overlaps *overlaps,
                                  const struct pcf_overlap_question *question, int threads,
                                  const atomic_int *stop, struct pcf_error *error);
void pcf_overlaps_free(struct pcf_overlaps *overlaps);

/* Are results divided by the lengths of overlaps? And do pairs have lengths of their own? */
int pcf_overlaps_are_means(const struct pcf_overlaps *overlaps);
int pcf_overlaps_to_compute(const struct pcf_overlaps *overlaps);

/* Revises the results of rows row … row + count - 1 with a column: missing where functions do
 * not overlap; and the means of pairs whose overlap is too short, which are NaN where pairs
 * have lengths of their own, by their definition. The former says whether any results may need
 * revising. */
int pcf_overlaps_to_revise(const struct pcf_overlaps *overlaps);
void pcf_overlaps_revise(const struct pcf_overlaps *overlaps, double *results, int64_t row,
                         int64_t count, int64_t column);

/* Do the functions of a row and a column, which are not alike, overlap? */
int pcf_overlaps_meet(const struct pcf_overlaps *overlaps, int64_t row, int64_t column);

/* How far from `origin` the indicators of functions that are not alike change, in the window.
 */
double pcf_overlaps_farthest(const struct pcf_overlaps *overlaps, double origin);
