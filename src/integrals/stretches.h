/* The stretches of a window on which functions are observed, and the intersections of those of
 * several functions, or of two. */
#pragma once

#include "collections/observed.h"
#include "collections/weight.h"

/* Stretches in order; there may be none. */
struct pcf_stretches {
  int64_t count;
  struct pcf_observed {
    double begin, end;
  } * stretch;
};

/* The whole window from … to; PCF_ERROR_MEMORY. Free with pcf_stretches_free(). */
enum pcf_status pcf_stretches_of_window(struct pcf_stretches *stretches, double from, double to,
                                        struct pcf_error *error);

/* Restricts them to where indicator i is 1; PCF_ERROR_MEMORY. */
enum pcf_status pcf_stretches_narrow(struct pcf_stretches *stretches,
                                     const struct pcf_collection *indicators, int64_t i,
                                     struct pcf_error *error);
void pcf_stretches_free(struct pcf_stretches *stretches);

/* Their length, weighted unless `weight` is NULL. */
double pcf_stretches_length(const struct pcf_stretches *stretches,
                            const struct pcf_weight *weight);

/* A window divided into up to 64 cells. Bits for each cell tell whether a function is observed
 * throughout it, and whether it is observed anywhere in it. For most pairs, this tells at once
 * whether they overlap. */
enum { PCF_CELLS = 64 };
struct pcf_cells {
  int count;
  double bound[PCF_CELLS + 1];
};
struct pcf_cell_bits {
  uint64_t throughout, anywhere;
};

/* Divides a window at times between which the indicators of x and y (or NULL) change about
 * equally often; PCF_ERROR_MEMORY. */
enum pcf_status pcf_cells_cut(struct pcf_cells *cells, const struct pcf_collection *x,
                              const struct pcf_collection *y, double from, double to,
                              struct pcf_error *error);

struct pcf_cell_bits pcf_cell_bits_of(const struct pcf_cells *cells,
                                      const struct pcf_collection *indicators, int64_t i);

/* Do two functions overlap, according to the bits? -1: the bits do not tell. */
static inline int pcf_bits_meet(struct pcf_cell_bits x, struct pcf_cell_bits y) {
  if ((x.throughout & y.anywhere) | (x.anywhere & y.throughout)) return 1;
  return x.anywhere & y.anywhere ? -1 : 0;
}

/* The length of the overlap of the indicators i and j inside a window, weighted unless `weight`
 * is NULL, or at least `enough` if it is as long as that. */
double pcf_indicators_overlap(double from, double to, const struct pcf_weight *weight,
                              const struct pcf_collection *x, int64_t i,
                              const struct pcf_collection *y, int64_t j, double enough);

/* Do the indicators i and j overlap inside the window of the cells? */
int pcf_indicators_meet(const struct pcf_cells *cells, const struct pcf_collection *x,
                        int64_t i, const struct pcf_collection *y, int64_t j);
