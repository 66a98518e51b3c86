/* The grid: functions as rows of values on a shared grid. For functions that share most of
 * their breakpoints. */
#include "base/memory.h"
#include "pairs/costs.h"
#include "pairs/tiles.h"

#include <string.h>

/* ---- Costs ---- */

enum { GRID_WIDTH = 64 };

/* Values of panels may take as much as the packed collection twice: 32 bytes a breakpoint. */
static const double panel_bytes_per_breakpoint = 32;

static double seconds_of(const struct pcf_pairs *pairs, int threads, double points) {
  const struct pcf_request *request = &pairs->request;
  const struct pcf_costs *cost = pcf_costs_of(pairs);
  struct pcf_tiling tiling = pcf_tiling_of(request, GRID_WIDTH);
  enum pcf_precision precision = request->precision;
  double cell = pcf_term_cost(cost->cell[precision], cost->power[precision], request);
  double rows = points * pairs->grid.rows;
  double computed = tiling.tiles * GRID_WIDTH * GRID_WIDTH * rows;
  if (pairs->integral.of_units) cell *= pcf_units_factor;
  double values = tiling.functions * rows;
  return pcf_spread(values * pcf_value_cost, tiling.bands, threads) +
         pcf_spread(computed * cell + pairs->pairs * pcf_finish_cost, tiling.tiles, threads);
}

static struct pcf_estimate estimate(const struct pcf_pairs *pairs, int width, int threads) {
  if (!width) width = GRID_WIDTH;
  if (!pairs->grid.points) return (struct pcf_estimate){INFINITY, width};
  return (struct pcf_estimate){seconds_of(pairs, threads, (double)pairs->grid.points), width};
}

/* The points up to which a grid is cheaper than the other methods and fits in memory; any
 * number when it is forced. */
static int64_t most_points(const struct pcf_pairs *pairs, double others, int forced) {
  const struct pcf_request *request = &pairs->request;
  double breakpoints = pcf_request_breakpoints(request);
  double functions = (double)request->x->count + (request->y ? (double)request->y->count : 0);
  if (forced) return (int64_t)breakpoints + 1;
  double one = seconds_of(pairs, 2, 1), two = seconds_of(pairs, 2, 2);
  double cheaper = (others - one) / (two - one) + 1;
  double bytes = functions * pairs->grid.rows * (double)pcf_scalar_size(request->precision);
  double fits = panel_bytes_per_breakpoint * breakpoints / bytes;
  double limit = fmin(fmin(cheaper, fits), breakpoints + 1);
  return limit >= 1 ? (int64_t)limit : 0;
}

/* Of lines, sums over rows give integrals of squares and products alone. */
static int has_rows(const struct pcf_pairs *pairs) {
  int operation = pcf_whole_form(pairs->integral.operation);
  return !pairs->request.x->linear || operation == PCF_L2 || operation == PCF_INNER;
}

static enum pcf_status survey(struct pcf_pairs *pairs, double others, int forced,
                              struct pcf_error *error) {
  const struct pcf_request *request = &pairs->request;
  pairs->grid.rows = request->x->linear ? 2 : 1;
  if (request->mode == PCF_PAIRED || !has_rows(pairs)) return PCF_OK;
  return pcf_grid_find(&pairs->grid, request->x, request->y, &pairs->integral,
                       most_points(pairs, others, forced), error);
}

/* ---- Panels ---- */

struct panels {
  struct pcf_panel *panel;
  char *values, *lengths; /* of all panels, the second and third only for partial forms */
  uint64_t *known;
};

struct state {
  struct panels rows, other; /* `other` only when there is a y */
  void *lengths;             /* of the grid's stretches */
};

struct expansion {
  const struct pcf_cpu_run *run;
  struct panels *panels;
};

static size_t panel_bytes(const struct pcf_cpu_run *run) {
  return (size_t)pcf_grid_rows(&run->pairs->grid) * (size_t)run->width *
         pcf_scalar_size(run->pairs->integral.precision);
}

static size_t panel_words(const struct pcf_cpu_run *run) {
  return (size_t)pcf_grid_rows(&run->pairs->grid) * pcf_known_words(run->width);
}

static enum pcf_status write_panel(void *expansion_, const struct pcf_collection *x, int thread,
                                   int64_t index, int64_t first, int count,
                                   struct pcf_error *error) {
  struct expansion *expansion = expansion_;
  const struct pcf_cpu_run *run = expansion->run;
  const struct state *state = run->state;
  struct panels *panels = expansion->panels;
  size_t offset = (size_t)index * panel_bytes(run);
  const struct pcf_grid *grid = &run->pairs->grid;
  char *values = panels->values + offset;
  struct pcf_panel *panel = &panels->panel[index];
  *panel = pcf_grid_panel(grid, x, &run->pairs->integral, first, count, run->width, values);
  if (!panels->known) return PCF_OK;
  pcf_panel_separate(panel, grid, run->width, run->pairs->integral.precision,
                     run->pairs->instructions, state->lengths, values,
                     panels->known + (size_t)index * panel_words(run),
                     panels->lengths + offset);
  return PCF_OK;
}

static enum pcf_status write_panels(const struct pcf_cpu_run *run, struct panels *panels,
                                    const struct pcf_collection *x, struct pcf_error *error) {
  size_t count = (size_t)pcf_band_count(x->count, run->width);
  struct expansion expansion = {run, panels};
  panels->panel = pcf_allocate(count, sizeof *panels->panel, error);
  if (!panels->panel) return PCF_ERROR_MEMORY;
  panels->values = pcf_allocate(count, panel_bytes(run), error);
  if (!panels->values) return PCF_ERROR_MEMORY;
  if (pcf_is_partial_form(run->pairs->integral.operation)) {
    panels->lengths = pcf_allocate(count, panel_bytes(run), error);
    panels->known = pcf_allocate(count, panel_words(run) * sizeof *panels->known, error);
    if (!panels->lengths || !panels->known) return PCF_ERROR_MEMORY;
  }
  return pcf_for_bands(run, x, write_panel, &expansion, error);
}

static enum pcf_status prepare(struct pcf_cpu_run *run, struct pcf_error *error) {
  const struct pcf_pairs *pairs = run->pairs;
  size_t scalar = pcf_scalar_size(pairs->integral.precision);
  struct state *state = run->state;
  state->lengths = pcf_allocate((size_t)pcf_grid_rows(&pairs->grid), scalar, error);
  if (!state->lengths) return PCF_ERROR_MEMORY;
  pcf_grid_lengths(&pairs->grid, &pairs->integral, state->lengths);
  enum pcf_status status = write_panels(run, &state->rows, pairs->request.x, error);
  if (status || !pairs->request.y) return status;
  return write_panels(run, &state->other, pairs->request.y, error);
}

static void free_panels(struct panels *panels) {
  pcf_free(panels->panel);
  pcf_free(panels->values);
  pcf_free(panels->lengths);
  pcf_free(panels->known);
}

static void release(struct pcf_cpu_run *run) {
  struct state *state = run->state;
  free_panels(&state->rows);
  free_panels(&state->other);
  pcf_free(state->lengths);
}

/* ---- Tiles ---- */

static void sides(const struct pcf_cpu_run *run, int64_t i, int64_t j, struct pcf_tile *tile) {
  const struct state *state = run->state;
  const struct panels *columns = run->pairs->request.y ? &state->other : &state->rows;
  tile->grid.rows = &state->rows.panel[i];
  tile->grid.columns = &columns->panel[j];
  tile->grid.lengths = state->lengths;
  tile->grid.points = pcf_grid_rows(&run->pairs->grid);
}

static int compute(const struct pcf_cpu_run *run, const struct pcf_block *block,
                   struct pcf_cpu_worker *worker) {
  const struct pcf_kernels *kernels = pcf_kernels_of(run->pairs->instructions);
  return pcf_compute_tiles(run, block, worker, kernels->grid[run->pairs->integral.precision],
                           sides, NULL);
}

const struct pcf_method pcf_grid_method = {
  .name = "grid",
  .estimate = estimate,
  .survey = survey,
  .state = sizeof(struct state),
  .prepare = prepare,
  .schedule = pcf_schedule_tiles,
  .release = release,
  .workspace = pcf_tiles_workspace,
  .compute = compute,
};
