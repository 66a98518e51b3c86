/* The grid: functions as rows of values on a shared grid. For functions that share most of
 * their breakpoints. */
#include "base/memory.h"
#include "pairs/costs.h"
#include "pairs/tiles.h"

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
  return pairs->grid.rows == 1 || operation == PCF_L2 || operation == PCF_INNER;
}

static enum pcf_status survey(struct pcf_pairs *pairs, double others, int forced,
                              struct pcf_error *error) {
  const struct pcf_request *request = &pairs->request;
  pairs->grid.rows = pcf_family_of(pairs->family).rows;
  if (request->mode == PCF_PAIRED || !has_rows(pairs)) return PCF_OK;
  return pcf_grid_find(&pairs->grid, request->x, request->y, &pairs->integral,
                       most_points(pairs, others, forced), error);
}

/* ---- Panels ---- */

struct state {
  struct pcf_sides panels; /* struct pcf_panel, with arrays of their own */
  void *lengths;           /* of the grid's stretches */
};

static enum pcf_status build_panel(const struct pcf_cpu_run *run,
                                   const struct pcf_collection *x, int64_t first, int count,
                                   struct pcf_band_scratch *scratch, void *panel,
                                   struct pcf_error *error) {
  const struct pcf_pairs *pairs = run->pairs;
  return pcf_panel_make(panel, &pairs->grid, x, &pairs->integral, first, count, run->width,
                        error);
}

static enum pcf_status prepare(struct pcf_cpu_run *run, struct pcf_error *error) {
  const struct pcf_pairs *pairs = run->pairs;
  size_t scalar = pcf_scalar_size(pairs->integral.precision);
  struct state *state = run->state;
  state->lengths = pcf_allocate((size_t)pcf_grid_rows(&pairs->grid), scalar, error);
  if (!state->lengths) return PCF_ERROR_MEMORY;
  pcf_grid_lengths(&pairs->grid, &pairs->integral, 1, state->lengths);
  return pcf_sides_make(&state->panels, run, sizeof(struct pcf_panel), build_panel, error);
}

static void release(struct pcf_cpu_run *run) {
  struct state *state = run->state;
  pcf_sides_free(&state->panels, pcf_panel_free);
  pcf_free(state->lengths);
}

/* ---- Tiles ---- */

static void sides(const struct pcf_cpu_run *run, int64_t i, int64_t j, struct pcf_tile *tile) {
  const struct state *state = run->state;
  tile->grid.rows = pcf_row_band(&state->panels, i);
  tile->grid.columns = pcf_column_band(&state->panels, j);
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
  .compute = compute,
};
