/* Requests: which pairs of functions are compared, and how. */
#pragma once

#include "blocks/schedule.h"
#include "collections/collection.h"
#include "integrals/operation.h"

/* How results are defined where functions are not observed. */
enum pcf_missing {
  PCF_MISSING_ERROR, /* an error unless all are observed on the same stretches of the window */
  PCF_MISSING_OVERLAP, /* the integral over the stretches on which both are observed */
  PCF_MISSING_MEAN,    /* the same, divided by their length before the root is taken */
};

/* Sums over the pairs of each row: L1 distances, squared L2 distances or inner products, each
 * multiplied by a number of b, with a column of b for each sum. If the method is
 * pcf_events_method, sums of distances have errors that are relative to the sizes of the
 * functions (products/events.h). */
struct pcf_sums {
  int64_t columns;
  const double *b;
  double *result; /* a number for each row and column; NULL if nothing is computed */
  double *size;   /* for distances: zeros for each function of x, then of y; NULL */
};

/* The operation of requests for what is no integral of the values; no functions have it. */
#define PCF_NO_OPERATION ((enum pcf_operation)PCF_OPERATION_COUNT)

/* A request of the caller. */
struct pcf_request {
  const struct pcf_collection *x, *y; /* y is NULL for the pairs of x itself */
  enum pcf_mode mode;
  int64_t pairs; /* in the paired mode */
  enum pcf_operation operation;
  double p; /* the exponent; of SPIKE distances, the minimum relevant time scale */
  double from, to;
  enum pcf_missing missing;
  double least_overlap; /* results over shorter overlaps are missing; 0 */
  enum pcf_precision precision;
  const struct pcf_collection *weight; /* one function, not negative; NULL */
  const struct pcf_sums *sums;         /* if pairs are only used for these sums; NULL */
  /* Choices of the caller; by default the plan decides: */
  const char *method;       /* NULL */
  const char *instructions; /* NULL */
  int width;                /* of a tile; 0 */
};

/* The columns of the matrix: y, or x again. */
static inline const struct pcf_collection *pcf_columns_of(const struct pcf_request *request) {
  return request->y ? request->y : request->x;
}

/* Is a collection empty, so that there is nothing to compute? */
static inline int pcf_request_is_empty(const struct pcf_request *request) {
  return request->x->count == 0 || pcf_columns_of(request)->count == 0;
}
