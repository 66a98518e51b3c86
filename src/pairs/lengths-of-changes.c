/* Lengths of overlaps by the changes of indicators, in the order of time. What a row has been
 * observed up to a time t is held + (t or 0): from where a column begins to be observed to
 * where it ends, the overlap is the difference of two of these. So all work is that of the
 * changes of columns, and those of rows only update what is held. At equal times any order is
 * right. */
#include "base/bits.h"
#include "base/memory.h"
#include "pairs/lengths.h"

#include <math.h>
#include <string.h>

/* Function `lane` of a band begins or ends to be observed. */
struct change {
  double time;
  int64_t units; /* the time */
  int32_t lane, begins;
};

/* The changes of a band of `count` functions in order; all that are observed at the end of the
 * window end there. `going` has all bits of those that are observed from its start. */
struct band {
  int count;
  int64_t changes;
  struct change *change;
  void *going; /* as kernels have numbers */
};

struct state {
  struct pcf_units units;
  struct pcf_sides bands;
};

/* ---- Bands ---- */

static void add_change(struct band *band, const struct pcf_units *units, double time, int lane,
                       int begins) {
  int64_t number = isfinite(time) ? pcf_units_of(units, time) : 0;
  band->change[band->changes++] = (struct change){time, number, lane, begins};
}

static enum pcf_status list_changes(struct band *band, const struct pcf_band *from,
                                    const struct pcf_units *units, int width,
                                    struct pcf_error *error) {
  const struct pcf_integral *integral = &units->pairs->integral;
  enum pcf_precision precision = integral->precision;
  int64_t now[PCF_MAX_WIDTH];
  band->count = from->count;
  band->change = pcf_allocate((size_t)(from->events + width), sizeof *band->change, error);
  band->going = pcf_allocate((size_t)width, pcf_units_size(units), error);
  if (!band->change || !band->going) return PCF_ERROR_MEMORY;
  for (int k = 0; k < width; k++) {
    now[k] = -(pcf_load_scalar(from->initial, k, precision) != 0);
    pcf_store_units(units, band->going, k, now[k]);
  }
  for (int64_t e = 0; e < from->events; e++) {
    int lane = from->function[e] & (PCF_FLUSH - 1);
    int64_t then = -(pcf_load_scalar(from->value, e, precision) != 0);
    if (then == now[lane]) continue; /* a stretch that is nothing in this precision */
    add_change(band, units, pcf_load_scalar(from->time, e, precision), lane, then != 0);
    now[lane] = then;
  }
  for (int k = 0; k < width; k++) {
    if (now[k]) add_change(band, units, pcf_narrowed(integral->to, precision), k, 0);
  }
  return PCF_OK;
}

static enum pcf_status build_band(const struct pcf_cpu_run *run, const struct pcf_collection *x,
                                  int64_t first, int count, struct pcf_band_scratch *scratch,
                                  void *band, struct pcf_error *error) {
  const struct state *state = run->state;
  struct pcf_band events;
  enum pcf_status status =
    pcf_band_build(&events, x, &run->pairs->integral, first, count, run->width, scratch, error);
  if (!status) status = list_changes(band, &events, &state->units, run->width, error);
  pcf_band_free(&events);
  return status;
}

static void free_band(void *band_) {
  struct band *band = band_;
  pcf_free(band->change);
  pcf_free(band->going);
}

static enum pcf_status prepare(struct pcf_cpu_run *run, struct pcf_error *error) {
  struct state *state = run->state = pcf_allocate(1, sizeof *state, error);
  if (!state) return PCF_ERROR_MEMORY;
  *state = (struct state){0};
  enum pcf_status status =
    pcf_units_choose(run, run->pairs->integral.precision, &state->units, error);
  if (status) return status;
  return pcf_sides_make(&state->bands, run, sizeof(struct band), build_band, error);
}

static void release(struct pcf_cpu_run *run) {
  struct state *state = run->state;
  if (!state) return;
  pcf_sides_free(&state->bands, free_band);
  pcf_free(state);
}

/* ---- Tiles ---- */

/* Of rows: all bits where one is observed; what is held, less and added; and the sums of the
 * columns, `width` rows each. All are as kernels have numbers. */
struct work {
  const struct pcf_units *units;
  char *going, *held[2], *sums;
  size_t column; /* the bytes of one */
};

static size_t workspace(const struct pcf_cpu_run *run) {
  size_t width = (size_t)run->width;
  return (width + 3) * width * sizeof(int64_t);
}

/* Before it is observed a row holds what it has been: from the start of the window, or from any
 * time if it has none. Modulo 2^64 or 2^32, as all that follows. */
static struct work begin_work(const struct pcf_tile *tile, const struct band *rows,
                              const struct pcf_units *units) {
  size_t column = (size_t)tile->width * pcf_units_size(units);
  char *memory = tile->workspace;
  struct work work = {
    units, memory, {memory + column, memory + 2 * column}, memory + 3 * column, column};
  double from = pcf_narrowed(tile->from, tile->integral->precision);
  int64_t start = isfinite(from) ? pcf_units_of(units, from) : 0;
  memcpy(work.going, rows->going, column);
  for (int k = 0; k < tile->width; k++) {
    int64_t going = pcf_load_units(units, work.going, k);
    pcf_store_units(units, work.held[0], k, going & pcf_opposite(start));
    pcf_store_units(units, work.held[1], k, going & start);
  }
  memset(work.sums, 0, (size_t)tile->width * column);
  return work;
}

static inline void change_row(const struct work *work, const struct change *change) {
  int64_t held = pcf_load_units(work->units, work->held[0], change->lane);
  held = pcf_sum_of_units(held, change->begins ? pcf_opposite(change->units) : change->units);
  pcf_store_units(work->units, work->going, change->lane, -change->begins);
  pcf_store_units(work->units, work->held[0], change->lane, held);
  pcf_store_units(work->units, work->held[1], change->lane, pcf_opposite(held));
}

static int go_through(const struct pcf_tile *tile, const struct work *work,
                      const struct band *rows, const struct band *columns,
                      pcf_add_elapsed_kernel *add_elapsed) {
  enum { CHANGES_PER_STOP_CHECK = 512 };
  const struct change *row = rows->change, *end = row + rows->changes;
  for (int64_t e = 0; e < columns->changes; e++) {
    const struct change *change = &columns->change[e];
    if (e % CHANGES_PER_STOP_CHECK == 0 &&
        atomic_load_explicit(tile->stop, memory_order_relaxed))
      return 1;
    for (; row < end && row->time < change->time; row++) change_row(work, row);
    int64_t units = change->begins ? pcf_opposite(change->units) : change->units;
    add_elapsed(work->held[change->begins], work->going, units, tile->width,
                work->sums + (size_t)change->lane * work->column);
  }
  return 0;
}

static int compute_tile(const struct pcf_tile *tile) {
  const struct pcf_cpu_run *run = tile->lengths.run;
  const struct state *state = run->state;
  const struct pcf_spot *place = &tile->lengths.place;
  const struct band *rows = pcf_row_band(&state->bands, place->row / run->width);
  const struct band *columns = pcf_column_band(&state->bands, place->column / run->width);
  struct work work = begin_work(tile, rows, &state->units);
  const struct pcf_kernels *kernels = pcf_kernels_of(run->pairs->instructions);
  pcf_add_elapsed_kernel *add_elapsed =
    kernels->add_elapsed[pcf_units_precision(&state->units)];
  if (go_through(tile, &work, rows, columns, add_elapsed)) return 1;
  for (int j = 0; j < columns->count; j++) {
    pcf_units_store(&state->units, tile, place, j, tile->triangle ? j : 0, rows->count,
                    work.sums + (size_t)j * work.column);
  }
  return 0;
}

static int compute(const struct pcf_cpu_run *run, const struct pcf_block *block,
                   struct pcf_cpu_worker *worker) {
  return pcf_compute_tiles(run, block, worker, compute_tile, pcf_lengths_sides, NULL);
}

const struct pcf_method pcf_lengths_of_changes = {
  .name = "lengths of changes",
  .prepare = prepare,
  .schedule = pcf_schedule_tiles,
  .release = release,
  .workspace = workspace,
  .compute = compute,
};
