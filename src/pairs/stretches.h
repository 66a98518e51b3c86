/* The stretches of a window on which functions are observed: what all of them, or two of them,
 * have in common. */
#pragma once

#include "collections/observed.h"

/* What indicators have in common with `common`, in order; none may be left. */
struct pcf_stretches {
  int64_t count;
  double *begin, *end;
};

/* The whole window from … to; PCF_ERROR_MEMORY. Free with pcf_stretches_free(). */
enum pcf_status pcf_stretches_of_window(struct pcf_stretches *stretches, double from, double to,
                                        struct pcf_error *error);

/* Leaves of them what all indicators have in common; PCF_ERROR_MEMORY. */
enum pcf_status pcf_stretches_narrow(struct pcf_stretches *stretches,
                                     const struct pcf_collection *indicators,
                                     struct pcf_error *error);
double pcf_stretches_length(const struct pcf_stretches *stretches);
void pcf_stretches_free(struct pcf_stretches *stretches);

/* How long indicator i is 1 in a window. */
double pcf_observed_length(const struct pcf_collection *indicators, int64_t i, double from,
                           double to);

/* A window cut into up to 64 cells. A bit for each cell says whether a function is observed
 * throughout it, and whether it is anywhere in it: that tells of most pairs at once whether
 * they overlap. */
enum { PCF_CELLS = 64 };
struct pcf_cells {
  int count;
  double bound[PCF_CELLS + 1];
};
struct pcf_cell_bits {
  uint64_t throughout, anywhere;
};

/* Cuts a window at times between which the indicators of x and y (or NULL) change about as
 * often; PCF_ERROR_MEMORY. */
enum pcf_status pcf_cells_cut(struct pcf_cells *cells, const struct pcf_collection *x,
                              const struct pcf_collection *y, double from, double to,
                              struct pcf_error *error);

struct pcf_cell_bits pcf_cell_bits_of(const struct pcf_cells *cells,
                                      const struct pcf_collection *indicators, int64_t i);

/* Do the bits say that two functions overlap? -1: they do not tell. */
static inline int pcf_bits_meet(struct pcf_cell_bits x, struct pcf_cell_bits y) {
  if ((x.throughout & y.anywhere) | (x.anywhere & y.throughout)) return 1;
  return x.anywhere & y.anywhere ? -1 : 0;
}

/* Have the indicators i and j a stretch in common, inside the window of the cells? */
int pcf_indicators_meet(const struct pcf_cells *cells, const struct pcf_collection *x,
                        int64_t i, const struct pcf_collection *y, int64_t j);
