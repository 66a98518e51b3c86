/* Spike trains in bands, for the SPIKE distance (Kreuz et al. 2013) with the edges of PySpike
 * 0.9. A train is a counting function: it is missing before the recording and after its end,
 * and rises at every spike. */
#pragma once

#include "base/error.h"
#include "collections/collection.h"
#include "integrals/integral.h"

struct pcf_band_scratch;

/* Lanes are a multiple of this, which is a whole number of vectors of every instruction set. */
enum { PCF_SPIKE_LANES = 8 };

/* What a train is between two of its knots, which are its spikes and, where the first is after
 * the start or the last before the end of the recording, an auxiliary one there or further
 * out. At time t the knot `after` has the weight rise · (t − before) + start, and `before` has
 * the rest. An auxiliary knot has none, and the other one all of it. */
struct pcf_spike_piece {
  double before, after, interval, rise, start;
};

/* Function `function` of a band begins a piece at `time`, where its piece so far ends. */
struct pcf_spike_event {
  double time;
  struct pcf_spike_piece piece;
  int64_t function;
};

/* A band of `count` <= width trains, with an event for each of their spikes but those at the
 * start, and for each at the end of the recording. After the last there is one at +∞. `begin`
 * has a piece for each of the lanes; those of no train are of one without spikes. */
struct pcf_spike_band {
  int count;
  int64_t events;
  struct pcf_spike_event *event;
  struct pcf_spike_piece *begin;
};

/* The stretch that all trains of a collection were recorded on: that of its first function. */
struct pcf_recording {
  double from, to;
};
struct pcf_recording pcf_recording_of(const struct pcf_collection *x);

/* The numbers that a tile keeps of each pair; the lanes of a tile of that width, and the bytes
 * of its workspace. */
enum { PCF_SPIKE_SUMS = 10 };
static inline int pcf_spike_lanes(int width) {
  return (width + PCF_SPIKE_LANES - 1) / PCF_SPIKE_LANES * PCF_SPIKE_LANES;
}
size_t pcf_spike_workspace(int width);

/* Builds the band of trains first … first + count - 1. Their times are divided by the power of
 * two of the integral, whose window is in the recording. PCF_ERROR_MEMORY. Free with
 * pcf_spike_band_free(), also after a failure. */
enum pcf_status pcf_spike_band_build(struct pcf_spike_band *band,
                                     const struct pcf_collection *x,
                                     const struct pcf_integral *integral, int64_t first,
                                     int count, int width, struct pcf_band_scratch *scratch,
                                     struct pcf_error *error);
void pcf_spike_band_free(void *band);
