#include "pairs/track.h"

#include "base/memory.h"
#include "base/threads.h"
#include "blocks/schedule.h"
#include "pairs/view.h"

#include <math.h>

enum { FUNCTIONS_AT_ONCE = 64 };

struct filling {
  struct pcf_tracks *tracks;
  const struct pcf_collection *x;
  const struct pcf_integral *integral;
};

/* Of events at one time, once it is rounded, the last one counts. */
static void fill_track(struct pcf_track *track, const struct pcf_view *view,
                       enum pcf_precision precision) {
  int64_t kept = 0;
  double last = -INFINITY;
  pcf_store_scalar(track->event, 1, view->initial, precision);
  for (int64_t k = 0; k < view->events; k++) {
    double time = pcf_narrowed(pcf_view_time(view, k), precision);
    if (kept && time == last) kept--;
    pcf_store_scalar(track->event, 2 * kept++, time, precision);
    pcf_store_scalar(track->event, 2 * kept + 1, pcf_view_value(view, k), precision);
    last = time;
  }
  pcf_store_scalar(track->event, 2 * kept, INFINITY, precision);
  track->events = kept;
}

static enum pcf_status fill_some(void *filling_, int thread, int64_t index,
                                 struct pcf_error *error) {
  const struct filling *filling = filling_;
  int64_t first = index * FUNCTIONS_AT_ONCE, end = first + FUNCTIONS_AT_ONCE;
  (void)thread;
  (void)error;
  if (end > filling->x->count) end = filling->x->count;
  for (int64_t i = first; i < end; i++) {
    struct pcf_view view = pcf_view_of(filling->x, i, filling->integral);
    fill_track(&filling->tracks->track[i], &view, filling->integral->precision);
  }
  return PCF_OK;
}

/* Each function has room for one more event than it has breakpoints. */
enum pcf_status pcf_tracks_make(struct pcf_tracks *tracks, const struct pcf_collection *x,
                                const struct pcf_integral *integral, int threads,
                                const atomic_int *stop, struct pcf_error *error) {
  size_t scalar = pcf_scalar_size(integral->precision), count = (size_t)x->count;
  *tracks = (struct pcf_tracks){0};
  tracks->track = pcf_allocate(count, sizeof *tracks->track, error);
  if (!tracks->track) return PCF_ERROR_MEMORY;
  char *memory = tracks->memory =
    pcf_allocate((size_t)pcf_total_breakpoints(x) + count, 2 * scalar, error);
  if (!memory) return PCF_ERROR_MEMORY;
  for (size_t i = 0; i < count; i++) {
    tracks->track[i] = (struct pcf_track){0, memory};
    memory += ((size_t)pcf_breakpoints(x, (int64_t)i) + 1) * 2 * scalar;
  }
  struct filling filling = {tracks, x, integral};
  int64_t parts = pcf_band_count(x->count, FUNCTIONS_AT_ONCE);
  return pcf_parallel_for(threads, parts, stop, fill_some, &filling, error);
}

void pcf_tracks_free(struct pcf_tracks *tracks) {
  pcf_free(tracks->track);
  pcf_free(tracks->memory);
  *tracks = (struct pcf_tracks){0};
}
