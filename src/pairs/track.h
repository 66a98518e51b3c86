/* Tracks: functions one by one, as bands have them. */
#ifndef PCF_TRACK_H
#define PCF_TRACK_H

#include "base/error.h"
#include "collections/collection.h"
#include "pairs/integral.h"

#include <stdatomic.h>

/* The events of a function that its band has: for each its time and the value before it, as two
 * numbers in the precision of the integral, and at the end +∞ and the last value. */
struct pcf_track {
  int64_t events;
  void *event;
};

/* Tracks of all functions, in one block of memory. */
struct pcf_tracks {
  struct pcf_track *track;
  void *memory;
};

/* Free with pcf_tracks_free(), after failures too. PCF_ERROR_MEMORY; PCF_ERROR_INTERRUPTED
 * after a non-zero `stop`. */
enum pcf_status pcf_tracks_make(struct pcf_tracks *tracks, const struct pcf_collection *x,
                                const struct pcf_integral *integral, int threads,
                                const atomic_int *stop, struct pcf_error *error);
void pcf_tracks_free(struct pcf_tracks *tracks);

#endif
