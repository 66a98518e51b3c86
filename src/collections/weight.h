/* Weights of integrals: functions w >= 0, each a row of pieces of time on which it is constant.
 * A weighted integral is the sum of the integrals over pieces, each times its height, so that
 * stretches are as long as the times at their ends say, however much weight lies before them.
 */
#pragma once

#include "base/memory.h"
#include "base/scalar.h"
#include "collections/collection.h"

/* Piece k ends at end[k], the last one at ∞; it begins where the one before it ends, the first
 * one at −∞. Neighbours have different heights. Only what is inside a window counts: its first
 * piece and its last one go on for ever. */
struct pcf_weight {
  int64_t pieces; /* at least 1 */
  double *end, *height;
  struct pcf_arrays arrays;
};

/* Room for a weight of so many pieces. PCF_ERROR_MEMORY. Free with pcf_weight_free(), whatever
 * the status. */
enum pcf_status pcf_weight_room(struct pcf_weight *weight, int64_t pieces,
                                struct pcf_error *error);

/* Makes the weight of function 0 of w, which has no negative or missing value in the window
 * from … to. PCF_ERROR_MEMORY. Free with pcf_weight_free(), whatever the status. */
enum pcf_status pcf_weight_make(struct pcf_weight *weight, const struct pcf_collection *w,
                                double from, double to, struct pcf_error *error);
void pcf_weight_free(struct pcf_weight *weight);

/* The largest and the least of the heights that are not 0; 0 and ∞ if all are. */
double pcf_weight_most(const struct pcf_weight *weight);
double pcf_weight_least(const struct pcf_weight *weight);

/* The piece that contains a stretch which ends at `time`, where times and the ends of pieces
 * are rounded to that precision. */
static inline int64_t pcf_piece_until(const struct pcf_weight *weight, double time,
                                      enum pcf_precision precision) {
  int64_t low = 0, high = weight->pieces - 1;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    double end = weight->end[middle];
    if ((precision == PCF_DOUBLE ? end : (double)(float)end) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Its height; 1 where there is no weight. */
static inline double pcf_height_until(const struct pcf_weight *weight, double time,
                                      enum pcf_precision precision) {
  return weight ? weight->height[pcf_piece_until(weight, time, precision)] : 1;
}

/* ∫ w from … to, where that is finite. The times may be scaled, as the weight is. */
double pcf_weight_between(const struct pcf_weight *weight, double from, double to);
