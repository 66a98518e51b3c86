#include "kernels/spikes.h"

#include "base/memory.h"
#include "kernels/band.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Intervals are at least that long, so that their squares are normal numbers. The recording is
 * between 1/2 and 1 long: what shorter ones add to a mean over it is not seen. */
static const double least_interval = 1e-150;

/* A train: `spikes` of them, of which the first is at the start of the recording if it is
 * `at_start`; the others are the events of its view. */
struct train {
  struct pcf_view view;
  int64_t spikes;
  int at_start;
  struct pcf_recording on;
};

static struct train train_of(const struct pcf_collection *x, int64_t i,
                             const struct pcf_integral *all, struct pcf_recording on);
static struct pcf_spike_piece first_piece(const struct train *train);
static struct pcf_spike_piece piece_after(const struct train *train, int64_t k);
static struct pcf_spike_piece piece_at_end(const struct train *train);
static void list_spikes(struct pcf_spike_band *band, const struct pcf_band *sorted,
                        const struct train *train);
static void list_ends(struct pcf_spike_band *band, const struct train *train);

/* The end of a function is the next time after that of its last value. */
struct pcf_recording pcf_recording_of(const struct pcf_collection *x) {
  const double *time = pcf_times(x, 0);
  double end = time[pcf_breakpoints(x, 0) - 1];
  return (struct pcf_recording){time[1], end == DBL_MIN ? 0 : -pcf_next_time(-end)};
}

/* Each side has a piece and a share of each train, and five numbers for each pair. */
size_t pcf_spike_workspace(int width) {
  size_t w = (size_t)pcf_spike_lanes(width);
  return (12 * w + PCF_SPIKE_SUMS * w * w) * sizeof(double);
}

/* Counting functions are step functions: an ordinary band over the recording sorts the events
 * of all trains. */
enum pcf_status pcf_spike_band_build(struct pcf_spike_band *band,
                                     const struct pcf_collection *x,
                                     const struct pcf_integral *integral, int64_t first,
                                     int count, int width, struct pcf_band_scratch *scratch,
                                     struct pcf_error *error) {
  struct train train[PCF_MAX_WIDTH] = {0};
  struct pcf_band sorted;
  struct pcf_recording on = pcf_recording_of(x);
  struct pcf_integral all = *integral;
  int exponent = integral->time_exponent, lanes = pcf_spike_lanes(width);
  all.to = pcf_scaled(pcf_next_time(on.to), exponent);
  all.from = on.from = pcf_scaled(on.from, exponent);
  on.to = pcf_scaled(on.to, exponent);
  *band = (struct pcf_spike_band){.count = count};
  enum pcf_status status =
    pcf_band_build(&sorted, x, &all, first, count, count, scratch, error);
  if (status) return status;
  size_t most = (size_t)sorted.events + (size_t)count + 1;
  band->event = pcf_allocate(most, sizeof *band->event, error);
  band->begin = pcf_allocate((size_t)lanes, sizeof *band->begin, error);
  if (!band->event || !band->begin) status = PCF_ERROR_MEMORY;
  for (int k = 0; !status && k < lanes; k++) {
    train[k] = k < count ? train_of(x, first + k, &all, on) : (struct train){.on = on};
    band->begin[k] = first_piece(&train[k]);
  }
  if (!status) list_spikes(band, &sorted, train);
  if (!status) list_ends(band, train);
  pcf_band_free(&sorted);
  return status;
}

void pcf_spike_band_free(void *band_) {
  struct pcf_spike_band *band = band_;
  pcf_free(band->event);
  pcf_free(band->begin);
  *band = (struct pcf_spike_band){0};
}

/* ---- Trains ---- */

static struct train train_of(const struct pcf_collection *x, int64_t i,
                             const struct pcf_integral *all, struct pcf_recording on) {
  struct train train = {.view = pcf_view_of(x, i, all), .on = on};
  train.at_start = train.view.initial > 0;
  train.spikes = train.view.events + train.at_start;
  return train;
}

static double spike(const struct train *train, int64_t k) {
  if (train->at_start) k--;
  return k < 0 ? train->on.from : pcf_view_time(&train->view, k);
}

static struct pcf_spike_piece piece(double before, double after) {
  double interval = fmax(after - before, least_interval);
  return (struct pcf_spike_piece){before, after, interval, 1 / interval, 0};
}

/* Without spikes, or with one at the start, both ends of the recording are knots. */
static int spans_all(const struct train *train) {
  return train->spikes == train->at_start;
}

/* The piece at the start of the recording. */
static struct pcf_spike_piece first_piece(const struct train *train) {
  if (spans_all(train)) return piece(train->on.from, train->on.to);
  if (train->at_start) return piece_after(train, 0);
  double first = spike(train, 0), before = train->on.from;
  if (train->spikes > 1) before = fmin(before, 2 * first - spike(train, 1));
  struct pcf_spike_piece begin = piece(before, first);
  begin.rise = 0;
  begin.start = 1;
  return begin;
}

/* The piece after spike k. */
static struct pcf_spike_piece piece_after(const struct train *train, int64_t k) {
  double time = spike(train, k), after = train->on.to;
  if (k + 1 < train->spikes) return piece(time, spike(train, k + 1));
  if (k > 0) after = fmax(after, 2 * time - spike(train, k - 1));
  struct pcf_spike_piece last = piece(time, after);
  last.rise = 0;
  return last;
}

/* The piece in which the last knot is, at the end of the recording or beyond it. */
static struct pcf_spike_piece piece_at_end(const struct train *train) {
  if (spans_all(train)) return piece(train->on.to, train->on.to);
  return piece_after(train, train->spikes - 1);
}

/* ---- Events ---- */

static void list_spikes(struct pcf_spike_band *band, const struct pcf_band *sorted,
                        const struct train *train) {
  int64_t next[PCF_MAX_WIDTH] = {0};
  for (int k = 0; k < band->count; k++) next[k] = train[k].at_start;
  for (int64_t e = 0; e < sorted->events; e++) {
    int k = sorted->function[e] & (PCF_FLUSH - 1);
    band->event[e] = (struct pcf_spike_event){((const double *)sorted->time)[e],
                                              piece_after(&train[k], next[k]), k};
    next[k]++;
  }
  band->events = sorted->events;
}

/* Trains whose last spike is earlier have an event at the end, so that no stretch is left. */
static void list_ends(struct pcf_spike_band *band, const struct train *train) {
  for (int k = 0; k < band->count; k++) {
    int64_t last = train[k].spikes - 1;
    if (last >= 0 && !(spike(&train[k], last) < train[k].on.to)) continue;
    band->event[band->events++] =
      (struct pcf_spike_event){train[k].on.to, piece_at_end(&train[k]), k};
  }
  band->event[band->events] = (struct pcf_spike_event){.time = INFINITY};
}
