/* The SPIKE distance of the pairs of a tile, by the event sweep, in double precision, on the
 * vector operations of the simd-*.h header that was included before. Defines
 * pcf_spikes_<ISA>.
 *
 * At each time, let P and F be the knots of a train before and after it (kernels/spikes.h), I
 * the interval between them, and Δ(t) the distance of t from the nearest knot of the other
 * train. S, the distance of the train from the other one now, goes from Δ(P) to Δ(F) along a
 * line, and the distance of two trains i and j is the mean over time of
 *
 *   2 (I_j S_i + I_i S_j) / ((I_i + I_j) · max(I_i + I_j, 2 MRTS)).
 *
 * When train i has an event, a stretch ends for its pair with each train j. What the stretch
 * adds is linear in the four Δ, so that its middle is enough. Three of them are known: Δ(P_i)
 * since the last event of i, Δ(F_i) and Δ(P_j) now. Δ(F_j) is not, unless F_i = F_j, since i
 * may have further spikes before: its factors are gathered until the next event of i after F_j.
 * So an event of i changes row i only, which has five numbers for each j. Where i and j both
 * have an event, half of the stretch goes to the row of either, with what is known before. */

#include "base/hints.h"

#include <math.h>
#include <stdatomic.h>

#define SPIKES_NAME_2(isa) pcf_spikes_##isa
#define SPIKES_NAME(isa) SPIKES_NAME_2(isa)

enum { SPIKES_PER_STOP_CHECK = 512 };

/* The pieces of the trains of a side, their shares of stretches that end on both sides, and its
 * rows: of each train, for each train j of the other side, Δ of its knot before (`before`), of
 * j's knot before (`other_before`), j's knot after at the last event (`pending`) with the
 * factor of its Δ (`factor`), and the sum. */
struct spike_side {
  double *before, *after, *interval, *rise, *start, *share, *rows;
  const struct pcf_spike_event *event;
  int64_t events;
};

struct spike_work {
  size_t lanes;
  int sides; /* 1 on a triangular tile */
  double from, to, twice_scale;
  struct spike_side side[2];
};

/* A row of a train: five arrays. */
struct spike_row {
  double *before, *other_before, *pending, *factor, *sum;
};

INLINE struct spike_row row_of_train(const struct spike_work *work, int64_t s, size_t k) {
  size_t w = work->lanes;
  double *row = work->side[s].rows + 5 * w * k;
  return (struct spike_row){row, row + w, row + 2 * w, row + 3 * w, row + 4 * w};
}

INLINE void set_piece(const struct spike_side *side, size_t k,
                      const struct pcf_spike_piece *piece) {
  side->before[k] = piece->before;
  side->after[k] = piece->after;
  side->interval[k] = piece->interval;
  side->rise[k] = piece->rise;
  side->start[k] = piece->start;
}

INLINE struct pcf_spike_piece piece_of(const struct spike_side *side, size_t k) {
  return (struct pcf_spike_piece){side->before[k], side->after[k], side->interval[k],
                                  side->rise[k], side->start[k]};
}

INLINE double to_nearest(double t, double before, double after) {
  double since = t - before, until = after - t;
  return since < until ? since : until;
}

/* The state at the start of the recording, when no stretch has ended. */
static void open_sides(const struct pcf_tile *tile, struct spike_work *work) {
  const struct pcf_spike_band *band[2] = {tile->spikes.rows, tile->spikes.columns};
  size_t w = work->lanes;
  double *memory = tile->workspace;
  for (int s = 0; s < 2; s++) {
    struct spike_side *side = &work->side[s];
    *side = (struct spike_side){memory,         memory + w,     memory + 2 * w,
                                memory + 3 * w, memory + 4 * w, memory + 5 * w,
                                memory + 6 * w, band[s]->event, band[s]->events};
    memory += 6 * w + 5 * w * w;
    for (size_t k = 0; k < w; k++) {
      set_piece(side, k, &band[s]->begin[k]);
      side->share[k] = 1;
    }
  }
  for (int s = 0; s < work->sides; s++) {
    const struct spike_side *own = &work->side[s], *other = &work->side[!s];
    for (size_t k = 0; k < w; k++) {
      struct spike_row row = row_of_train(work, s, k);
      for (size_t j = 0; j < w; j++) {
        row.before[j] = fabs(to_nearest(own->before[k], other->before[j], other->after[j]));
        row.other_before[j] = 0;
        row.pending[j] = other->after[j];
        row.factor[j] = row.sum[j] = 0;
      }
    }
  }
}

/* The heart: at `t` a piece of train k of side s ends. `shared`: do trains of the other side
 * have an event now, too? `scaled`: is there a MRTS? `clipped`: may stretches end after the
 * window? All are to be constants. The sum lacks the factor 2. */
INLINE TARGET void end_stretches(int scaled, int shared, int clipped,
                                 const struct spike_work *work, int64_t s, size_t k, double t,
                                 struct pcf_spike_piece piece) {
  const struct spike_side *other = &work->side[work->sides == 1 ? s : !s];
  struct spike_row row = row_of_train(work, s, k);
  const double *other_before = other->before, *other_after = other->after,
               *other_interval = other->interval, *other_rise = other->rise,
               *other_start = other->start, *share = other->share;
  size_t lanes = work->lanes;
  double from = piece.before > work->from ? piece.before : work->from;
  if (t < from) from = t; /* before the window, stretches are empty */
  V now = v_set1(t), until = v_set1(clipped && work->to < t ? work->to : t);
  V since = v_set1(from), least = v_set1(work->twice_scale), half = v_set1(0.5);
  V p = v_set1(piece.before), f = v_set1(piece.after), interval = v_set1(piece.interval);
  V rise = v_set1(piece.rise), start = v_set1(piece.start), zero = v_set1(0);
  for (size_t j = 0; j < lanes; j += LANES) {
    V pj = v_load(other_before + j), fj = v_load(other_after + j);
    V ij = v_load(other_interval + j), both = v_add(interval, ij);
    V begin = v_max(since, pj), length = v_sub(until, begin);
    if (clipped) length = v_max(length, zero);
    V scale = v_div(length, v_mul(both, scaled ? v_max(both, least) : both));
    if (shared) scale = v_mul(scale, v_load(share + j));
    V weight = v_fma(rise, v_fma(half, length, v_sub(begin, p)), start);
    V to_middle = v_fma(half, length, v_sub(begin, pj));
    V weight_j = v_fma(v_load(other_rise + j), to_middle, v_load(other_start + j));
    V own_part = v_mul(interval, weight_j);
    V of_after = v_min(v_sub(now, pj), v_sub(fj, now));
    V of_before = v_load(row.before + j);
    V of_pj = v_min(v_sub(pj, p), v_sub(f, pj));
    of_pj = v_select(v_greater(p, pj), v_load(row.other_before + j), of_pj);
    V pending = v_load(row.pending + j), factor = v_load(row.factor + j);
    V of_pending = v_min(v_sub(pending, p), v_sub(f, pending));
    V due = v_select(v_greater(pending, pj), zero, factor);
    V sum = v_fma(due, of_pending, v_load(row.sum + j));
    V own = v_fma(v_sub(of_after, of_before), weight, of_before);
    V known = v_fma(of_pj, v_sub(interval, own_part), v_mul(ij, own));
    v_store(row.before + j, of_after);
    v_store(row.other_before + j, of_pj);
    v_store(row.pending + j, fj);
    v_store(row.factor + j, v_fma(scale, own_part, v_sub(factor, due)));
    v_store(row.sum + j, v_fma(scale, known, sum));
  }
}

/* Events at one time on both sides, or twice in a triangular tile. */
static TARGET NOINLINE void take_tied_spikes(const struct spike_work *work,
                                             const int64_t begin[2], const int64_t end[2]) {
  for (int s = 0; s < work->sides; s++) {
    const struct spike_side *side = &work->side[s];
    for (int64_t e = begin[s]; e < end[s]; e++) side->share[side->event[e].function] = 0.5;
  }
  for (int s = 0; s < work->sides; s++) {
    const struct spike_side *side = &work->side[s];
    for (int64_t e = begin[s]; e < end[s]; e++) {
      size_t k = (size_t)side->event[e].function;
      struct pcf_spike_piece piece = piece_of(side, k);
      if (work->twice_scale > 0) end_stretches(1, 1, 1, work, s, k, side->event[e].time, piece);
      else end_stretches(0, 1, 1, work, s, k, side->event[e].time, piece);
    }
  }
  for (int s = 0; s < work->sides; s++) {
    const struct spike_side *side = &work->side[s];
    for (int64_t e = begin[s]; e < end[s]; e++) {
      size_t k = (size_t)side->event[e].function;
      set_piece(side, k, &side->event[e].piece);
      side->share[k] = 1;
    }
  }
}

/* The piece is set early, since the next vector load of the other side waits for it; what a
 * train then gathers with itself is never read. */
INLINE TARGET void take_spike(int scaled, const struct spike_work *work, int64_t s,
                              const struct pcf_spike_event *event) {
  const struct spike_side *side = &work->side[s];
  size_t k = (size_t)event->function;
  struct pcf_spike_piece piece = piece_of(side, k);
  set_piece(side, k, &event->piece);
  if (event->time > work->to) end_stretches(scaled, 0, 1, work, s, k, event->time, piece);
  else end_stretches(scaled, 0, 0, work, s, k, event->time, piece);
}

INLINE int64_t end_of_time(const struct spike_side *side, int64_t e, double time) {
  while (e < side->events && side->event[e].time == time) e++;
  return e;
}

/* A triangular tile has no events on its second side. Returns 1 if it was stopped. */
INLINE TARGET int sweep_spikes(int scaled, const struct pcf_tile *tile,
                               const struct spike_work *work) {
  const struct spike_side *a = &work->side[0], *b = &work->side[1];
  int64_t at[2] = {0, work->sides == 1 ? b->events : 0};
  for (int64_t done = 0; at[0] < a->events || at[1] < b->events; done++) {
    if (done % SPIKES_PER_STOP_CHECK == 0 &&
        atomic_load_explicit(tile->stop, memory_order_relaxed)) {
      return 1;
    }
    const struct pcf_spike_event *row = a->event + at[0], *column = b->event + at[1];
    double other = work->sides == 1 ? row[1].time : column->time;
    if (row->time == other) {
      int64_t end[2] = {end_of_time(a, at[0], row->time), end_of_time(b, at[1], row->time)};
      take_tied_spikes(work, at, end);
      at[0] = end[0];
      at[1] = end[1];
      continue;
    }
    int64_t s = column->time < row->time;
    take_spike(scaled, work, s, s ? column : row);
    at[s]++;
  }
  return 0;
}

/* The sum of a row, with what waits for the last knot of j. */
INLINE double sum_of(const struct spike_work *work, int64_t s, size_t k, size_t j) {
  struct spike_row row = row_of_train(work, s, k);
  double before = work->side[s].before[k], after = work->side[s].after[k];
  return row.sum[j] + row.factor[j] * to_nearest(row.pending[j], before, after);
}

static void store_tile(const struct pcf_tile *tile, const struct spike_work *work) {
  for (int j = 0; j < tile->spikes.columns->count; j++) {
    double *output = (double *)tile->output + tile->stride * j;
    for (int i = tile->triangle ? j : 0; i < tile->spikes.rows->count; i++) {
      size_t r = (size_t)i, c = (size_t)j;
      int itself = tile->triangle && i == j;
      output[i] = itself ? 0 : sum_of(work, 0, r, c) + sum_of(work, work->sides - 1, c, r);
    }
  }
}

static TARGET int SPIKES_NAME(ISA)(const struct pcf_tile *tile) {
  struct spike_work work = {.lanes = (size_t)pcf_spike_lanes(tile->width),
                            .sides = tile->triangle ? 1 : 2,
                            .from = tile->from,
                            .to = tile->to,
                            .twice_scale = 2 * tile->integral->p};
  open_sides(tile, &work);
  int stopped =
    work.twice_scale > 0 ? sweep_spikes(1, tile, &work) : sweep_spikes(0, tile, &work);
  if (!stopped) store_tile(tile, &work);
  return stopped;
}

#undef PCF_SINGLE
#include "arithmetic/simd-end.h"
