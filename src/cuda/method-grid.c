/* The grid: panels of the values of functions on a shared grid. For functions that share most
 * of their breakpoints. */
#include "base/memory.h"
#include "cuda/method.h"
#include "cuda/segments.h"
#include "pairs/costs.h"

#include <math.h>

/* ---- Costs ---- */

/* The kernels count the points of a grid with integers of 32 bits. */
static const double most_points = 1 << 30;

/* The expected seconds on `gpus` devices; infinite where no shared grid is worth using. */
static double seconds(const struct pcf_pairs *pairs, double gpus) {
  double points = (double)pairs->grid_points;
  double cells = pairs->pairs * points * pairs->grid.rows;
  if (points < 1 || points > most_points) return INFINITY;
  return cells * pcf_cuda_cell_cost[pairs->request.precision] / gpus;
}

/* ---- The grid ---- */

/* The stretches of the grid that have a positive and finite length, the rows of values on them,
 * their number rounded up as the kernel needs it (`deep`), and after how many of them sums are
 * flushed. The arrays have deep + 1 scalars. */
struct state {
  int stretches, rows, flush;
  int64_t deep;
  void *grid, *lengths, *factors;
};

/* For an inner product both factors are multiplied by the square root of the length. */
static void write_grid(const struct pcf_pairs *pairs, struct state *state) {
  const struct pcf_integral *integral = &pairs->integral;
  const struct pcf_grid *grid = &pairs->grid;
  for (int64_t g = 0; g <= state->deep; g++) {
    double time = g < grid->points ? grid->time[g] : integral->to;
    double length = g < state->rows ? pcf_grid_length(grid, integral, g / grid->rows) : 0;
    pcf_store_scalar(state->grid, g, time, integral->precision);
    pcf_store_scalar(state->lengths, g, length, integral->precision);
    pcf_store_scalar(state->factors, g, sqrt(length), integral->precision);
  }
}

static enum pcf_status prepare(struct pcf_cuda_run *run, struct pcf_error *error) {
  const struct pcf_integral *integral = &run->pairs->integral;
  const struct pcf_grid *grid = &run->pairs->grid;
  size_t scalar = pcf_scalar_size(integral->precision);
  if ((double)grid->points > most_points) {
    return pcf_fail(
      error, PCF_ERROR_DEVICE,
      "a shared grid of %.0f points is too long for CUDA devices, which take at most %.0f",
      (double)grid->points, most_points);
  }
  struct state *state = run->state = pcf_allocate(1, sizeof *state, error);
  if (!state) return PCF_ERROR_MEMORY;
  *state = (struct state){.stretches = (int)grid->points - !(integral->to < INFINITY)};
  state->rows = state->stretches * grid->rows;
  state->deep = pcf_band_count(state->rows, PCF_CUDA_GRID_DEPTH) * PCF_CUDA_GRID_DEPTH;
  size_t room = (size_t)state->deep + 1;
  state->grid = pcf_allocate(room, scalar, error);
  state->lengths = pcf_allocate(room, scalar, error);
  state->factors = pcf_allocate(room, scalar, error);
  if (!state->grid || !state->lengths || !state->factors) return PCF_ERROR_MEMORY;
  write_grid(run->pairs, state);
  int interval = pcf_cuda_flush_interval(integral->precision, 1);
  state->flush = pcf_cuda_flush_after(integral, interval, state->rows);
  run->wide = state->flush > 0;
  return PCF_OK;
}

static void release(struct pcf_cuda_run *run) {
  struct state *state = run->state;
  if (!state) return;
  pcf_free(state->grid);
  pcf_free(state->lengths);
  pcf_free(state->factors);
  pcf_free(state);
}

/* ---- On a device ---- */

enum { GRID, LENGTHS, FACTORS }; /* of the arrays that all panels share */

static enum pcf_status open_grid(struct pcf_cuda_segments *segments, struct pcf_error *error) {
  const struct state *state = segments->run->state;
  int64_t count = state->deep + 1;
  enum pcf_status status = pcf_cuda_share(segments, GRID, state->grid, count, error);
  if (!status) status = pcf_cuda_share(segments, LENGTHS, state->lengths, count, error);
  if (!status && segments->run->pairs->integral.operation == PCF_INNER) {
    status = pcf_cuda_share(segments, FACTORS, state->factors, count, error);
  }
  return status;
}

static int side(const struct pcf_cuda_policy *policy, int column) {
  return PCF_CUDA_PANEL;
}

static struct pcf_cuda_bytes bytes_of(const struct pcf_cuda_run *run, int panel) {
  const struct state *state = run->state;
  double scalar = (double)pcf_scalar_size(run->pairs->integral.precision);
  return (struct pcf_cuda_bytes){.function = (double)(state->deep + 1) * scalar};
}

static enum pcf_status build(struct pcf_cuda_segments *segments,
                             const struct pcf_cuda_functions *functions, int panel_side,
                             void *slot_, struct pcf_cuda_segment *segment,
                             struct pcf_error *error) {
  const struct pcf_cuda_run *run = segments->run;
  const struct state *state = run->state;
  size_t scalar = pcf_scalar_size(run->pairs->integral.precision);
  int64_t padded = pcf_band_count(functions->count, panel_side) * panel_side;
  size_t bytes = (size_t)(state->deep * padded) * scalar, last = (size_t)padded * scalar;
  cudaStream_t stream = segments->uplink.stream[0];
  char *slot = slot_;
  struct pcf_cuda_panel *panel = &segment->panel;
  *panel = (struct pcf_cuda_panel){.count = functions->count, .padded = padded};
  panel->values = pcf_cuda_carve(&slot, bytes);
  panel->last = pcf_cuda_carve(&slot, last);
  struct pcf_cuda_expansion expansion = {*panel,
                                         *functions,
                                         segments->shared[GRID],
                                         segments->shared[FACTORS],
                                         (int)run->pairs->grid.points,
                                         state->stretches};
  cudaMemsetAsync(panel->values, 0, bytes, stream);
  cudaMemsetAsync(panel->last, 0, last, stream);
  enum pcf_status status =
    pcf_cuda_check(segments->memory, pcf_cuda_expand(&run->pairs->integral, &expansion, stream),
                   "expanding functions", error);
  enum pcf_status written = pcf_cuda_check(segments->memory, cudaStreamSynchronize(stream),
                                           "expanding functions", error);
  return status ? status : written;
}

static cudaError_t launch_cells(const struct pcf_cuda_segments *segments,
                                const struct pcf_cuda_launch *launch) {
  const struct pcf_cuda_run *run = segments->run;
  const struct pcf_integral *integral = &run->pairs->integral;
  const struct state *state = run->state;
  struct pcf_cuda_cells cells = {
    .rows = launch->rows->panel,
    .columns = launch->columns->panel,
    .stretches = state->rows,
    .lengths = segments->shared[LENGTHS],
    .unbounded = !(integral->to < INFINITY),
    .triangle = launch->triangle,
    .first_row = launch->first_row,
    .last_row = launch->last_row,
    .first_column = launch->first_column,
    .last_column = launch->last_column,
    .power = launch->power,
    .output = launch->output,
    .stride = launch->stride,
    .flush = state->flush,
    .wide = launch->wide,
  };
  return pcf_cuda_grid(integral, &cells, launch->stream);
}

const struct pcf_cuda_method pcf_cuda_grid_method = {
  .name = "grid",
  .seconds = seconds,
  .tile = PCF_CUDA_PANEL,
  .side = side,
  .prepare = prepare,
  .release = release,
  .bytes = bytes_of,
  .open = open_grid,
  .build = build,
  .launch = launch_cells,
};
