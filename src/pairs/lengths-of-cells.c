/* Lengths of overlaps on a shared grid. Each function has a list of the cells where it is
 * observed, or of those where it is not, whichever is shorter. The lengths of the cells in the
 * list of a column, as far as a row is observed there, are the overlap, or what is missing of
 * all that the row is observed. */
#include "base/memory.h"
#include "pairs/grid.h"
#include "pairs/lengths.h"
#include "pairs/view.h"

#include <math.h>
#include <string.h>

/* A band of `count` functions, PCF_CELL_LANES at once: in which cells each is observed, as bits
 * of these, and how long in all. And the list of function k, from `start[k]` to before
 * `start[k + 1]`, where the lengths of gaps are negative. */
struct band {
  int count;
  uint64_t *observed;
  int64_t *all;
  struct pcf_listed_cell *list;
  int64_t *start;
  char *of_gaps; /* does a function list where it is not observed? */
};

struct state {
  struct pcf_units units;
  int64_t *before; /* the sum of the lengths of the cells before each, and of all */
  struct pcf_sides bands;
};

/* ---- Bands ---- */

static size_t groups_of(int width) {
  return (size_t)pcf_band_count(width, PCF_CELL_LANES);
}

static enum pcf_status allocate_band(struct band *band, int64_t points, int width,
                                     struct pcf_error *error) {
  size_t groups = groups_of(width), cells = groups * (size_t)points, functions = (size_t)width;
  size_t lanes = groups * PCF_CELL_LANES, most = (size_t)points / 2 + 1;
  band->observed = pcf_allocate(cells, sizeof *band->observed, error);
  band->all = pcf_allocate(lanes, sizeof *band->all, error);
  band->list = pcf_allocate(functions * most, sizeof *band->list, error);
  band->start = pcf_allocate(functions + 1, sizeof *band->start, error);
  band->of_gaps = pcf_allocate(functions, 1, error);
  if (!band->observed || !band->all || !band->list || !band->start || !band->of_gaps)
    return PCF_ERROR_MEMORY;
  memset(band->observed, 0xff, cells * sizeof *band->observed);
  memset(band->all, 0, lanes * sizeof *band->all);
  band->start[0] = 0;
  return PCF_OK;
}

/* The cells from `begin` to before `end`, in which a function is observed, or is not. */
struct stretch {
  int64_t begin, end;
  int observed;
};

/* The stretches of an indicator in turns; returns how many there are. */
static int64_t find_stretches(const struct pcf_grid *grid, const struct pcf_view *view,
                              struct stretch *stretch) {
  int64_t stretches = 0, g = 0;
  int now = view->initial != 0;
  for (int64_t k = 0; k <= view->events; k++) {
    double end = k < view->events ? pcf_view_time(view, k) : INFINITY;
    int64_t begin = g;
    while (g < grid->points && grid->time[g] < end) g++;
    if (g > begin) stretch[stretches++] = (struct stretch){begin, g, now};
    if (k < view->events) now = pcf_view_value(view, k) != 0;
  }
  return stretches;
}

static int64_t length_of(const int64_t *before, int64_t begin, int64_t end) {
  return pcf_sum_of_units(before[end], pcf_opposite(before[begin]));
}

static int64_t list_cells(const struct stretch *stretch, const int64_t *before,
                          struct pcf_listed_cell *list) {
  for (int64_t g = stretch->begin; g < stretch->end; g++) {
    int64_t length = length_of(before, g, g + 1);
    *list++ = (struct pcf_listed_cell){g, stretch->observed ? length : pcf_opposite(length)};
  }
  return stretch->end - stretch->begin;
}

/* All functions are observed everywhere, until they are added. */
static void add_function(struct band *band, int lane, const struct stretch *stretch,
                         int64_t stretches, const int64_t *before, int64_t points) {
  uint64_t *bits = band->observed + lane / PCF_CELL_LANES * points;
  uint64_t others = ~((uint64_t)1 << lane % PCF_CELL_LANES);
  int64_t end = band->start[lane], ones = 0;
  for (int64_t s = 0; s < stretches; s++) {
    if (stretch[s].observed) ones += stretch[s].end - stretch[s].begin;
  }
  int of_gaps = 2 * ones > points;
  for (int64_t s = 0; s < stretches; s++, stretch++) {
    int64_t length = length_of(before, stretch->begin, stretch->end);
    if (stretch->observed) band->all[lane] = pcf_sum_of_units(band->all[lane], length);
    for (int64_t g = stretch->begin; !stretch->observed && g < stretch->end; g++)
      bits[g] &= others;
    if (stretch->observed != of_gaps) end += list_cells(stretch, before, band->list + end);
  }
  band->of_gaps[lane] = (char)of_gaps;
  band->start[lane + 1] = end;
}

static enum pcf_status build_band(const struct pcf_cpu_run *run, const struct pcf_collection *x,
                                  int64_t first, int count, struct pcf_band_scratch *scratch,
                                  void *band_, struct pcf_error *error) {
  const struct state *state = run->state;
  const struct pcf_grid *grid = &run->pairs->grid;
  struct band *band = band_;
  struct stretch *stretch = pcf_allocate((size_t)grid->points, sizeof *stretch, error);
  (void)scratch;
  if (!stretch) return PCF_ERROR_MEMORY;
  enum pcf_status status = allocate_band(band, grid->points, run->width, error);
  for (band->count = 0; !status && band->count < count; band->count++) {
    struct pcf_view view = pcf_view_of(x, first + band->count, &run->pairs->integral);
    int64_t stretches = find_stretches(grid, &view, stretch);
    add_function(band, band->count, stretch, stretches, state->before, grid->points);
  }
  pcf_free(stretch);
  return status;
}

static void free_band(void *band_) {
  struct band *band = band_;
  pcf_free(band->observed);
  pcf_free(band->all);
  pcf_free(band->list);
  pcf_free(band->start);
  pcf_free(band->of_gaps);
}

/* The lengths of cells are as they are in the integral's precision. */
static enum pcf_status measure_cells(const struct pcf_pairs *pairs, struct state *state,
                                     struct pcf_error *error) {
  size_t points = (size_t)pairs->grid.points;
  enum pcf_precision precision = pairs->integral.precision;
  void *lengths = pcf_allocate(points, pcf_scalar_size(precision), error);
  int64_t *before = state->before = pcf_allocate(points + 1, sizeof *before, error);
  if (lengths && before) {
    pcf_grid_lengths(&pairs->grid, &pairs->integral, lengths);
    before[0] = 0;
    for (size_t g = 0; g < points; g++) {
      double length = pcf_load_scalar(lengths, (int64_t)g, precision);
      before[g + 1] = pcf_sum_of_units(before[g], pcf_units_of(&state->units, length));
    }
  }
  int done = lengths && before;
  pcf_free(lengths);
  return done ? PCF_OK : PCF_ERROR_MEMORY;
}

static enum pcf_status prepare(struct pcf_cpu_run *run, struct pcf_error *error) {
  struct state *state = run->state = pcf_allocate(1, sizeof *state, error);
  if (!state) return PCF_ERROR_MEMORY;
  *state = (struct state){.before = NULL};
  enum pcf_status status = pcf_units_choose(run, PCF_DOUBLE, &state->units, error);
  if (!status) status = measure_cells(run->pairs, state, error);
  if (status) return status;
  return pcf_sides_make(&state->bands, run, sizeof(struct band), build_band, error);
}

static void release(struct pcf_cpu_run *run) {
  struct state *state = run->state;
  if (!state) return;
  pcf_sides_free(&state->bands, free_band);
  pcf_free(state->before);
  pcf_free(state);
}

/* ---- Tiles ---- */

static size_t workspace(const struct pcf_cpu_run *run) {
  return groups_of(run->width) * PCF_CELL_LANES * sizeof(int64_t);
}

static int compute_tile(const struct pcf_tile *tile) {
  static const int64_t nothing[PCF_CELL_LANES];
  const struct pcf_cpu_run *run = tile->lengths.run;
  const struct state *state = run->state;
  const struct pcf_spot *place = &tile->lengths.place;
  const struct band *rows = pcf_row_band(&state->bands, place->row / run->width);
  const struct band *columns = pcf_column_band(&state->bands, place->column / run->width);
  const struct pcf_kernels *kernels = pcf_kernels_of(run->pairs->instructions);
  int64_t points = run->pairs->grid.points, *lengths = tile->workspace;
  for (int j = 0; j < columns->count; j++) {
    const struct pcf_listed_cell *list = columns->list + columns->start[j];
    int64_t count = columns->start[j + 1] - columns->start[j];
    if (atomic_load_explicit(tile->stop, memory_order_relaxed)) return 1;
    for (int i = 0; i < rows->count; i += PCF_CELL_LANES) {
      const int64_t *all = columns->of_gaps[j] ? rows->all + i : nothing;
      kernels->add_cells(rows->observed + i / PCF_CELL_LANES * points, list, count, all,
                         lengths + i);
    }
    pcf_units_store(&state->units, tile, place, j, tile->triangle ? j : 0, rows->count,
                    lengths);
  }
  return 0;
}

static int compute(const struct pcf_cpu_run *run, const struct pcf_block *block,
                   struct pcf_cpu_worker *worker) {
  return pcf_compute_tiles(run, block, worker, compute_tile, pcf_lengths_sides, NULL);
}

const struct pcf_method pcf_lengths_of_cells = {
  .name = "lengths of cells",
  .prepare = prepare,
  .schedule = pcf_schedule_tiles,
  .release = release,
  .workspace = workspace,
  .compute = compute,
};
