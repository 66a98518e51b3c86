/* Bands of long functions, divided along the window into parts, which are sorted, slice by
 * slice, and swept independently. */
#pragma once

#include "base/memory.h"
#include "base/threads.h"
#include "integrals/view.h"
#include "kernels/band.h"

/* How the window is divided: slice s has the events from bound[s] on and before bound[s + 1],
 * in scaled and rounded time; bound[0] and bound[slices] are the ends of the window. Part p
 * consists of the slices first[p] … first[p + 1] - 1. */
struct pcf_window {
  int slices, parts;
  double *bound;
  int *first;
  struct pcf_arrays arrays;
};

/* Divides the window of x and y (or NULL) into about `slices` slices, which form at most
 * `parts` parts; this depends only on the functions, not on their order. Free with
 * pcf_window_free(). */
enum pcf_status pcf_window_cut(struct pcf_window *cut, const struct pcf_collection *x,
                               const struct pcf_collection *y,
                               const struct pcf_integral *integral, int slices, int parts,
                               struct pcf_error *error);
void pcf_window_free(struct pcf_window *cut);

/* A collection in bands of `width` functions: part p of band b, a band of its own, is
 * band[b · parts + p]. */
struct pcf_sliced_bands {
  int64_t bands;
  struct pcf_band *band;
  struct pcf_arrays arrays; /* with a block for each band */
};

/* Builds them on several threads. Free with pcf_sliced_bands_free(), after a failure too. */
enum pcf_status pcf_sliced_bands_build(struct pcf_sliced_bands *sliced,
                                       const struct pcf_collection *x,
                                       const struct pcf_integral *integral,
                                       const struct pcf_window *cut, int width, int threads,
                                       const atomic_int *stop, struct pcf_error *error);
void pcf_sliced_bands_free(struct pcf_sliced_bands *sliced);
