/* Bands of long functions, cut along the window: sorted by all threads, slice by slice, and
 * swept in parts that are computed independently. */
#pragma once

#include "base/threads.h"
#include "pairs/band.h"
#include "pairs/view.h"

/* How the window is cut: slice s has the events from bound[s] on and before bound[s + 1], in
 * scaled and narrowed time; bound[0] and bound[slices] are the ends of the window. Part p is
 * made of the slices first[p] … first[p + 1] - 1. */
struct pcf_window {
  int slices, parts;
  double *bound;
  int *first;
};

/* Cuts the window of x and y (or NULL) into about so many slices and, of these, at most so many
 * parts; it depends on the functions alone, not on their order. Free with pcf_window_free(). */
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
  void **memory; /* one block a band */
};

/* Builds them on several threads. Free with pcf_sliced_bands_free(), after a failure too. */
enum pcf_status pcf_sliced_bands_build(struct pcf_sliced_bands *sliced,
                                       const struct pcf_collection *x,
                                       const struct pcf_integral *integral,
                                       const struct pcf_window *cut, int width, int threads,
                                       const atomic_int *stop, struct pcf_error *error);
void pcf_sliced_bands_free(struct pcf_sliced_bands *sliced);
