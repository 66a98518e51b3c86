/* Lengths of overlaps on a shared grid. Each function has a list of the cells where it is
 * observed, or of those where it is not, whichever is shorter. A column has the length of a
 * cell where it is observed, and 0 elsewhere: summed over the list of a row that is the
 * overlap, or what is missing of all that the column is observed. */
#include "base/memory.h"
#include "pairs/grid.h"
#include "pairs/lengths.h"
#include "pairs/view.h"

#include <math.h>
#include <string.h>

/* A row of PCF_ROW_LANES functions. */
typedef int64_t lanes[PCF_ROW_LANES];

/* A band of `count` functions: of each PCF_ROW_LANES of them the lengths of all cells, and of
 * one more, which is nothing, and of these together; and the list of function k, from
 * `start[k]` to before `start[k + 1]`, which the last cell fills up. */
struct band {
  int count;
  lanes *lengths, *all;
  int32_t *cell;
  int64_t *start;
  char *of_gaps; /* does a function list where it is not observed? */
};

struct state {
  struct pcf_units units;
  int64_t *lengths; /* of the cells */
  struct pcf_sides bands;
};

/* ---- Bands ---- */

static enum pcf_status allocate_band(struct band *band, int64_t points, int width,
                                     struct pcf_error *error) {
  size_t blocks = (size_t)(width / PCF_ROW_LANES), functions = (size_t)width;
  size_t rows = blocks * (size_t)(points + 1), most = (size_t)points / 2 + PCF_LIST_STEP;
  band->lengths = pcf_allocate(rows + blocks, sizeof *band->lengths, error);
  band->cell = pcf_allocate(functions * most, sizeof *band->cell, error);
  band->start = pcf_allocate(functions + 1, sizeof *band->start, error);
  band->of_gaps = pcf_allocate(functions, 1, error);
  if (!band->lengths || !band->cell || !band->start || !band->of_gaps) return PCF_ERROR_MEMORY;
  memset(band->lengths, 0, (rows + blocks) * sizeof *band->lengths);
  band->all = band->lengths + rows;
  band->start[0] = 0;
  return PCF_OK;
}

/* Marks the cells where an indicator is 1; returns how many there are. */
static int64_t mark_cells(const struct pcf_grid *grid, const struct pcf_view *view,
                          char *observed) {
  int64_t ones = 0;
  char now = view->initial != 0;
  for (int64_t g = 0, k = 0; k <= view->events; k++) {
    double end = k < view->events ? pcf_view_time(view, k) : INFINITY;
    for (; g < grid->points && grid->time[g] < end; g++) {
      observed[g] = now;
      ones += now;
    }
    if (k < view->events) now = pcf_view_value(view, k) != 0;
  }
  return ones;
}

static void add_function(struct band *band, int lane, const char *observed, int64_t ones,
                         const int64_t *length, int64_t points) {
  int block = lane / PCF_ROW_LANES, at = lane % PCF_ROW_LANES;
  lanes *lengths = band->lengths + block * (points + 1);
  int64_t end = band->start[lane], all = 0;
  char listed = 2 * ones <= points;
  for (int64_t g = 0; g < points; g++) {
    lengths[g][at] = observed[g] ? length[g] : 0;
    all = pcf_sum_of_units(all, lengths[g][at]);
    band->cell[end] = (int32_t)g;
    end += observed[g] == listed;
  }
  while ((end - band->start[lane]) % PCF_LIST_STEP) band->cell[end++] = (int32_t)points;
  band->all[block][at] = all;
  band->of_gaps[lane] = !listed;
  band->start[lane + 1] = end;
}

static enum pcf_status build_band(const struct pcf_cpu_run *run, const struct pcf_collection *x,
                                  int64_t first, int count, struct pcf_band_scratch *scratch,
                                  void *band_, struct pcf_error *error) {
  const struct state *state = run->state;
  const struct pcf_grid *grid = &run->pairs->grid;
  struct band *band = band_;
  char *observed = pcf_allocate((size_t)grid->points, 1, error);
  (void)scratch;
  if (!observed) return PCF_ERROR_MEMORY;
  enum pcf_status status = allocate_band(band, grid->points, run->width, error);
  for (band->count = 0; !status && band->count < count; band->count++) {
    struct pcf_view view = pcf_view_of(x, first + band->count, &run->pairs->integral);
    int64_t ones = mark_cells(grid, &view, observed);
    add_function(band, band->count, observed, ones, state->lengths, grid->points);
  }
  pcf_free(observed);
  return status;
}

static void free_band(void *band_) {
  struct band *band = band_;
  pcf_free(band->lengths);
  pcf_free(band->cell);
  pcf_free(band->start);
  pcf_free(band->of_gaps);
}

/* The lengths of cells as they are in the integral's precision. */
static enum pcf_status measure_cells(const struct pcf_pairs *pairs, struct state *state,
                                     struct pcf_error *error) {
  size_t points = (size_t)pairs->grid.points;
  enum pcf_precision precision = pairs->integral.precision;
  void *lengths = pcf_allocate(points, pcf_scalar_size(precision), error);
  state->lengths = pcf_allocate(points, sizeof *state->lengths, error);
  if (lengths && state->lengths) {
    pcf_grid_lengths(&pairs->grid, &pairs->integral, lengths);
    for (size_t g = 0; g < points; g++) {
      double length = pcf_load_scalar(lengths, (int64_t)g, precision);
      state->lengths[g] = pcf_units_of(&state->units, length);
    }
  }
  int done = lengths && state->lengths;
  pcf_free(lengths);
  return done ? PCF_OK : PCF_ERROR_MEMORY;
}

static enum pcf_status prepare(struct pcf_cpu_run *run, struct pcf_error *error) {
  struct state *state = run->state = pcf_allocate(1, sizeof *state, error);
  if (!state) return PCF_ERROR_MEMORY;
  *state = (struct state){.lengths = NULL};
  enum pcf_status status = pcf_units_choose(run, PCF_DOUBLE, &state->units, error);
  if (!status) status = measure_cells(run->pairs, state, error);
  if (status) return status;
  return pcf_sides_make(&state->bands, run, sizeof(struct band), build_band, error);
}

static void release(struct pcf_cpu_run *run) {
  struct state *state = run->state;
  if (!state) return;
  pcf_sides_free(&state->bands, free_band);
  pcf_free(state->lengths);
  pcf_free(state);
}

/* ---- Tiles ---- */

static size_t workspace(const struct pcf_cpu_run *run) {
  return (size_t)run->width * (sizeof(int64_t) + sizeof(lanes));
}

/* Sums over the lists of rows, of PCF_ROW_LANES columns, become overlaps. */
static void finish_sums(const struct band *rows, const lanes *all, lanes *sum) {
  for (int i = 0; i < rows->count; i++) {
    if (!rows->of_gaps[i]) continue;
    for (int k = 0; k < PCF_ROW_LANES; k++) {
      sum[i][k] = pcf_sum_of_units((*all)[k], pcf_opposite(sum[i][k]));
    }
  }
}

/* Neighbouring tiles have their columns in common: these are the ones whose lengths are added,
 * and stay in the cache. */
static int compute_tile(const struct pcf_tile *tile) {
  const struct pcf_cpu_run *run = tile->lengths.run;
  const struct state *state = run->state;
  const struct pcf_spot *place = &tile->lengths.place;
  const struct band *rows = pcf_row_band(&state->bands, place->row / run->width);
  const struct band *columns = pcf_column_band(&state->bands, place->column / run->width);
  const struct pcf_kernels *kernels = pcf_kernels_of(run->pairs->instructions);
  int64_t points = run->pairs->grid.points, *lengths = tile->workspace;
  lanes *sums = (lanes *)(lengths + run->width);
  for (int j = 0; j < columns->count; j++) {
    int block = j / PCF_ROW_LANES, lane = j % PCF_ROW_LANES;
    if (lane == 0) {
      const lanes *dense = (const lanes *)(columns->lengths + block * (points + 1));
      if (atomic_load_explicit(tile->stop, memory_order_relaxed)) return 1;
      kernels->add_rows(dense, rows->cell, rows->start, rows->count, sums);
      finish_sums(rows, (const lanes *)&columns->all[block], sums);
    }
    for (int i = 0; i < rows->count; i++) lengths[i] = sums[i][lane];
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
