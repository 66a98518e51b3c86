/* The event sweep of step functions or, with PCF_LINEAR, of piecewise linear functions. Part of
 * tile-template.h. Steps take most operations inline; lines, which take longer for each, and
 * events that are tied call a function for a row: that saves much code. */

#if PCF_LINEAR
#define FAMILY(x) NAME_2(x, ISA, PRECISION, _lines)
#else
#define FAMILY(x) NAME(x)
#endif
#define update_row FAMILY(update_row)
#define update_row_power FAMILY(update_row_power)
#define take_tied_events FAMILY(take_tied_events)
#define sweep_triangle FAMILY(sweep_triangle)
#define sweep_rectangle FAMILY(sweep_rectangle)
#define sweep_events FAMILY(sweep_events)

INLINE struct piece FAMILY(piece_of)(const struct state *state, size_t k) {
  return (struct piece){state->value[k], PCF_LINEAR ? state->slope[k] : 0};
}

/* Function k has the piece that event `e` of its band begins. */
INLINE void FAMILY(begin_piece)(const struct state *state, size_t k,
                                const struct pcf_band *band, int64_t e) {
  state->value[k] = ((const SCALAR *)band->value)[e];
  if (PCF_LINEAR) state->slope[k] = ((const SCALAR *)band->slope)[e];
}

#if PCF_LINEAR
#include "kernels/lines-template.h"
#else
/* The heart: an event at `time` of a function that had `piece` since `last` ends one stretch
 * with each function of the other side. The sums of `row` so far are in `held`: rows need not
 * be cleared, which for functions of few events would take a good part of the time. `share` is
 * NULL when no function there has an event at the same time. */
INLINE TARGET void update_row(int operation, int width, const SCALAR *held, SCALAR *row,
                              SCALAR time, SCALAR last, struct piece piece,
                              const struct state *other, const SCALAR *share) {
  const SCALAR *other_last = other->last, *other_value = other->value;
  V times = v_set1(time), lasts = v_set1(last), values = v_set1(piece.value);
  for (int k = 0; k < width; k += LANES) {
    V length = v_sub(times, v_max(lasts, v_load(other_last + k)));
    if (share && !pcf_is_supremum(operation)) length = v_mul(length, v_load(share + k));
    V combined = combine(operation, values, v_load(other_value + k));
    v_store(row + k, accumulate(operation, v_load(held + k), length, combined));
  }
}

/* update_row() for general p. |f − g| is taken relative to its supremum, so that its power
 * neither overflows nor vanishes; where the length is 0 the ratio has no meaning. With
 * `in_range` it is relative to the unit of both functions: multiplied by the lesser of `own`
 * and `inverse`. Where a value is missing the ratio is NaN, and counts as 0. `by_halves` of the
 * integral, `in_range` and `by_table` are to be constants, so that only one of the powers is
 * compiled. */
INLINE TARGET void update_row_power(int by_halves, int in_range, int by_table,
                                    const struct pcf_tile *tile, const struct work *work,
                                    int64_t s, size_t function, SCALAR time, SCALAR last,
                                    struct piece piece, const SCALAR *share) {
  const struct state *other = &work->side[tile->triangle ? s : !s];
  const struct pcf_exponent *exponent = &tile->integral->power;
  int width = work->width;
  size_t offset = function * (size_t)width;
  SCALAR *row = work->sums[s] + offset;
  const SCALAR *held = work->held[s][function];
  const SCALAR *inverse = work->inverse[s] + (in_range ? 0 : offset);
  V times = v_set1(time), lasts = v_set1(last), values = v_set1(piece.value);
  V owns = v_set1(in_range ? work->own[s][function] : 0);
  struct exponents p = spread_exponent(exponent);
  for (int k = 0; k < width; k += RAISED * LANES) {
    V length[RAISED], power[RAISED];
    EACH (v) {
      int at = k + v * LANES;
      V difference = v_abs(v_sub(values, v_load(other->value + at)));
      V factor = v_load(inverse + at);
      power[v] = v_max(v_mul(difference, in_range ? v_min(owns, factor) : factor), v_set1(0));
      length[v] = v_sub(times, v_max(lasts, v_load(other->last + at)));
      if (!in_range) power[v] = v_where_positive(length[v], power[v]);
      if (share) length[v] = v_mul(length[v], v_load(share + at));
    }
    if (by_halves) {
      raise_to_halves(power, tile->integral->half_powers);
    } else if (by_table) {
      raise_by_table(power, exponent);
    } else {
      raise(power, p);
    }
    EACH (v) {
      int at = k + v * LANES;
      v_store(row + at, v_fma(length[v], power[v], v_load(held + at)));
    }
  }
}

#endif

/* ---- Rows ---- */

#define ROW(name, TAKE)                                                                     \
  static TARGET NOINLINE void FAMILY(name)(                                                 \
    const struct pcf_tile *tile, const struct work *work, int64_t s, size_t k, SCALAR time, \
    SCALAR last, struct piece piece, const SCALAR *share) {                                 \
    TAKE;                                                                                   \
  }

INLINE TARGET void FAMILY(take_row)(int operation, const struct pcf_tile *tile,
                                    const struct work *work, int64_t s, size_t k, SCALAR time,
                                    SCALAR last, struct piece piece, const SCALAR *share) {
  const struct state *other = &work->side[tile->triangle ? s : !s];
  SCALAR *row = work->sums[s] + k * (size_t)work->width;
  if (pcf_takes_powers(operation) || !pcf_has_operation(PCF_LINEAR, operation)) return;
  update_row(operation, work->width, work->held[s][k], row, time, last, piece, other, share);
}

#define OPERATION_ROW(argument, operation, ...) \
  ROW(row_of_##operation,                       \
      FAMILY(take_row)(operation, tile, work, s, k, time, last, piece, share))
PCF_OPERATIONS(OPERATION_ROW, )

#define POWER_ROW(name, by_halves, in_range, by_table)                                    \
  ROW(name, update_row_power(by_halves, in_range, by_table, tile, work, s, k, time, last, \
                             piece, share))
POWER_ROW(row_of_halves, 1, 0, 0)
POWER_ROW(row_of_powers, 0, 0, 0)
#if !PCF_SINGLE
POWER_ROW(row_of_halves_in_range, 1, 1, 0)
POWER_ROW(row_of_powers_in_range, 0, 1, 0)
#ifdef v_of_sixteen
POWER_ROW(row_of_powers_in_range_by_table, 0, 1, 1)
#endif
#endif

/* Selects one of these, with `in_range` for tiles whose functions are all in power range. */
static row_kernel *FAMILY(power_row_for)(const struct pcf_integral *integral, int in_range) {
#if !PCF_SINGLE
  if (in_range && integral->half_powers) return FAMILY(row_of_halves_in_range);
#ifdef v_of_sixteen
  if (in_range && HAS_TABLE(&integral->power)) return FAMILY(row_of_powers_in_range_by_table);
#endif
  if (in_range) return FAMILY(row_of_powers_in_range);
#endif
  return integral->half_powers ? FAMILY(row_of_halves) : FAMILY(row_of_powers);
}

static row_kernel *FAMILY(row_for)(int operation, const struct work *work) {
  if (pcf_takes_powers(operation)) return work->take_powers;
#define ROW_FOR(operation) return FAMILY(row_of_##operation)
  PCF_WITH_OPERATION(operation, ROW_FOR)
  return NULL;
}

/* ---- Events ---- */

/* One event against the other side. `mark` is not 0 where the sums are flushed afterwards.
 * `inlined` is to be a constant, and then the operation as well. */
INLINE TARGET void FAMILY(take_event)(int inlined, int operation, const struct pcf_tile *tile,
                                      const struct work *work, int64_t s, size_t k, int mark,
                                      SCALAR time, SCALAR last, struct piece piece,
                                      const SCALAR *share) {
  const SCALAR **held = &work->held[s][k], *before = *held;
  SCALAR *row = work->sums[s] + k * (size_t)work->width;
  if (inlined && !pcf_takes_powers(operation)) {
    const struct state *other = &work->side[tile->triangle ? s : !s];
    *held = row;
    update_row(operation, work->width, before, row, time, last, piece, other, share);
  } else {
    work->take(tile, work, s, k, time, last, piece, share);
    *held = row;
  }
  if (!mark || pcf_is_supremum(operation)) return;
  const struct pcf_integral *integral = tile->integral;
  flush_row(work, s, k, pcf_height_until(integral->weight, time, integral->precision));
}

/* Events at one time on both sides (or twice in a triangular tile). Which comes first must not
 * show in the result: every stretch between two of these functions is given to both
 * accumulators by halves, and all states change afterwards. A function with itself has halves
 * on a rectangular tile and one accumulator on a triangular one: the same, since halves are
 * exact, except of products below the normal numbers. */
static TARGET NOINLINE void take_tied_events(int operation, const struct pcf_tile *tile,
                                             const struct work *work,
                                             const struct pcf_band *const band[2],
                                             const int64_t begin[2], const int64_t end[2]) {
  int sides = tile->triangle ? 1 : 2;
  for (int s = 0; s < sides; s++) {
    for (int64_t e = begin[s]; e < end[s]; e++) {
      work->side[s].share[NAME(function_of)(band[s], e)] = (SCALAR)0.5;
    }
  }
  for (int s = 0; s < sides; s++) {
    const struct state *own = &work->side[s];
    SCALAR *share = work->side[tile->triangle ? s : !s].share;
    for (int64_t e = begin[s]; e < end[s]; e++) {
      size_t k = NAME(function_of)(band[s], e);
      int mark = band[s]->function[e] & PCF_FLUSH;
      if (tile->triangle) share[k] = 1; /* a function with itself: one accumulator only */
      FAMILY(take_event)
      (0, operation, tile, work, s, k, mark, ((const SCALAR *)band[s]->time)[e], own->last[k],
       FAMILY(piece_of)(own, k), share);
      if (tile->triangle) share[k] = (SCALAR)0.5;
    }
  }
  for (int s = 0; s < sides; s++) {
    for (int64_t e = begin[s]; e < end[s]; e++) {
      size_t k = NAME(function_of)(band[s], e);
      work->side[s].last[k] = ((const SCALAR *)band[s]->time)[e];
      work->side[s].share[k] = 1;
      FAMILY(begin_piece)(&work->side[s], k, band[s], e);
    }
  }
}

INLINE TARGET int sweep_triangle(int operation, const struct pcf_tile *tile,
                                 const struct work *work, int64_t begin) {
  const struct pcf_band *band = tile->sweep.rows;
  const struct pcf_band *const bands[2] = {band, band};
  const SCALAR *time = band->time;
  const struct state *state = &work->side[0];
  for (int64_t e = begin; e < band->events;) {
    int64_t chunk_end = e + EVENTS_PER_STOP_CHECK;
    if (atomic_load_explicit(tile->stop, memory_order_relaxed)) return 1;
    if (chunk_end > band->events) chunk_end = band->events;
    while (e < chunk_end) {
      if (time[e] == time[e + 1]) {
        int64_t from[2] = {e, e}, end[2] = {NAME(end_of_ties)(band, e), e};
        take_tied_events(operation, tile, work, bands, from, end);
        e = end[0];
        continue;
      }
      size_t k = NAME(function_of)(band, e);
      FAMILY(take_event)
      (!PCF_LINEAR, operation, tile, work, 0, k, band->function[e] & PCF_FLUSH, time[e],
       state->last[k], FAMILY(piece_of)(state, k), NULL);
      state->last[k] = time[e];
      FAMILY(begin_piece)(state, k, band, e);
      e++;
    }
  }
  return 0;
}

/* The two bands are merged on the fly. No branch depends on which side an event comes from:
 * `s` only selects addresses. */
INLINE TARGET int sweep_rectangle(int operation, const struct pcf_tile *tile,
                                  const struct work *work, const int64_t begin[2]) {
  const struct pcf_band *const band[2] = {tile->sweep.rows, tile->sweep.columns};
  const SCALAR *rows_time = band[0]->time, *columns_time = band[1]->time;
  int64_t events = band[0]->events + band[1]->events;
  int64_t next = begin[0], done = begin[0] + begin[1];
  while (done < events) {
    int64_t chunk_end = done + EVENTS_PER_STOP_CHECK;
    if (atomic_load_explicit(tile->stop, memory_order_relaxed)) return 1;
    if (chunk_end > events) chunk_end = events;
    int64_t row = next, column = done - row;
    while (done < chunk_end) {
      SCALAR row_time = rows_time[row], column_time = columns_time[column];
      if (row_time == column_time) {
        int64_t first[2] = {row, column};
        int64_t end[2] = {NAME(end_of_ties)(band[0], row), NAME(end_of_ties)(band[1], column)};
        take_tied_events(operation, tile, work, band, first, end);
        row = end[0];
        column = end[1];
        done = row + column;
        continue;
      }
      int64_t s = column_time < row_time;
      const struct pcf_band *from = band[s];
      const struct state *own = &work->side[s];
      int64_t e = row + ((column - row) & -s);
      size_t k = NAME(function_of)(from, e);
      int mark = from->function[e] & PCF_FLUSH;
      SCALAR time = ((const SCALAR *)from->time)[e], last = own->last[k];
      struct piece piece = FAMILY(piece_of)(own, k);
      own->last[k] = time; /* early: the next vector load of the state waits for this */
      FAMILY(begin_piece)(own, k, from, e);
      FAMILY(take_event)
      (!PCF_LINEAR, operation, tile, work, s, k, mark, time, last, piece, NULL);
      row += 1 - s;
      column += s;
      done++;
    }
    next = row;
  }
  return 0;
}

static TARGET NOINLINE int sweep_events(int operation, const struct pcf_tile *tile,
                                        const struct work *work_) {
  struct work copy = *work_; /* takes 3 % less time, on Zen 4 */
  const struct work *work = &copy;
  int64_t begin[2];
  int stopped = 0;
  copy.take = FAMILY(row_for)(operation, work);
  NAME(clear_state)(tile, work, begin);
#define SWEEP(operation)                                                     \
  stopped = tile->triangle ? sweep_triangle(operation, tile, work, begin[0]) \
                           : sweep_rectangle(operation, tile, work, begin)
#if PCF_LINEAR
  SWEEP(operation);
#else
  PCF_WITH_OPERATION(operation, SWEEP)
#endif
  NAME(clear_rest)(tile, work);
  return stopped;
}

/* ---- Passes ---- */

static TARGET int FAMILY(sweep_and_keep)(int operation, const struct pcf_tile *tile,
                                         const struct work *work) {
  if (sweep_events(operation, tile, work)) return 1;
  if (tile->triangle) {
    memcpy(work->side[1].last, work->side[0].last, (size_t)work->width * sizeof(SCALAR));
    memcpy(work->side[1].value, work->side[0].value, (size_t)work->width * sizeof(SCALAR));
  }
  return 0;
}

/* One pass over all events, with the finishing of the tile. */
static TARGET int FAMILY(pass)(int operation, const struct pcf_tile *tile,
                               const struct work *work) {
  if (FAMILY(sweep_and_keep)(operation, tile, work)) return 1;
  finish_tile(operation, tile, work, 1, tile->sweep.rows->count, tile->sweep.columns->count);
  return 0;
}

/* The same relative to suprema, after a pass for these. */
static TARGET int FAMILY(pass_after_suprema)(int operation, const struct pcf_tile *tile,
                                             const struct work *work) {
  if (FAMILY(sweep_and_keep)(PCF_LINF, tile, work)) return 1;
  collect_suprema(tile, work, 1);
  if (tile->part) NAME(store_suprema)(tile, work);
  return FAMILY(pass)(operation, tile, work);
}

/* General p. Differences of functions in power range are relative to their unit, whatever else
 * is in the tile; if there are others, the whole tile is computed in both ways. */
static TARGET int FAMILY(sweep_powers)(int operation, const struct pcf_tile *tile,
                                       const struct work *work) {
  struct work to_units = *work;
  struct pcf_tile others = *tile;
  int in_range = NAME(pairs_in_range)(tile);
  if (!in_range) return FAMILY(pass_after_suprema)(operation, tile, work);
  relate_to_units(tile, &to_units);
  to_units.take_powers = FAMILY(power_row_for)(tile->integral, 1);
  if (FAMILY(pass)(operation, tile, &to_units)) return 1;
  if (in_range == ALL_PAIRS) return 0;
  others.output = work->other;
  others.stride = work->width;
  if (FAMILY(pass_after_suprema)(operation, &others, work)) return 1;
  NAME(take_out_of_range)(tile, work);
  return 0;
}

static TARGET int FAMILY(sweep)(const struct pcf_tile *tile) {
  int operation = tile->integral->operation;
  int wide = tile->sweep.rows->flushes || tile->sweep.columns->flushes;
  const struct pcf_integral *integral = tile->integral;
  struct work work = share_work(tile, wide);
  work.take_powers = FAMILY(power_row_for)(integral, 0);
  work.height = pcf_height_until(integral->weight, (SCALAR)tile->to, integral->precision);
  if (pcf_takes_powers(operation)) return FAMILY(sweep_powers)(operation, tile, &work);
  return FAMILY(pass)(operation, tile, &work);
}

#undef FAMILY
#undef PCF_LINEAR
