/* The grid: panels of the values of functions on a shared grid. For functions that share most
 * of their breakpoints. */
#include "base/memory.h"
#include "cuda/method.h"
#include "cuda/segments.h"
#include "pairs/costs.h"

#include <math.h>

/* ---- Costs ---- */

/* The kernels count the points of a grid, and rows of values, with integers of 32 bits. */
static const double most_points = 1 << 30;

/* The expected seconds on `gpus` devices; infinite where no shared grid is worth using. */
static double seconds(const struct pcf_pairs *pairs, double gpus) {
  double rows = (double)pairs->grid_points * pairs->grid.rows, cells = pairs->pairs * rows;
  if (rows < 1 || rows > most_points) return INFINITY;
  return cells * pcf_cuda_cell_cost[pairs->request.precision] / gpus;
}

/* ---- The grid ---- */

/* The stretches of the grid that have a positive and finite length, the rows of values on them,
 * their number rounded up as the kernel needs it (`deep`), after how many of them sums are
 * flushed, and the arrays that all panels share, one after the other: deep + 1 numbers each. */
struct state {
  int stretches, rows, flush;
  int64_t deep;
  double numbers[];
};

enum { GRID, LENGTHS, FACTORS, ARRAYS }; /* factors: of an inner product */

/* Kernels take the piece that has begun at the rounded time: of a stretch whose ends are
 * rounded to the same time they would take the piece after it. */
static double length_of(const struct pcf_grid *grid, const struct pcf_integral *integral,
                        int64_t g) {
  double begin = pcf_narrowed(grid->time[g], integral->precision);
  double end = pcf_narrowed(pcf_grid_end(grid, integral, g), integral->precision);
  if (begin == end) return 0;
  return pcf_grid_length(grid, integral, g);
}

/* For an inner product both factors are multiplied by the square root of the length. */
static void write_grid(const struct pcf_pairs *pairs, struct state *state) {
  const struct pcf_integral *integral = &pairs->integral;
  const struct pcf_grid *grid = &pairs->grid;
  int64_t room = state->deep + 1;
  for (int64_t g = 0; g < room; g++) {
    double length = g < state->rows ? length_of(grid, integral, g / grid->rows) : 0;
    state->numbers[GRID * room + g] = g < grid->points ? grid->time[g] : integral->to;
    state->numbers[LENGTHS * room + g] = length;
    state->numbers[FACTORS * room + g] = sqrt(length);
  }
}

static enum pcf_status prepare(struct pcf_cuda_run *run, struct pcf_error *error) {
  const struct pcf_integral *integral = &run->pairs->integral;
  const struct pcf_grid *grid = &run->pairs->grid;
  if ((double)grid->points * grid->rows > most_points) {
    return pcf_fail(
      error, PCF_ERROR_DEVICE,
      "a shared grid of %.0f points is too long for CUDA devices, which take at most %.0f",
      (double)grid->points, most_points);
  }
  struct state of = {.stretches = (int)grid->points - !(integral->to < INFINITY)};
  of.rows = of.stretches * grid->rows;
  of.deep = pcf_band_count(of.rows, PCF_CUDA_GRID_DEPTH) * PCF_CUDA_GRID_DEPTH;
  int interval = pcf_cuda_flush_interval(integral->precision, 1);
  of.flush = pcf_cuda_flush_after(integral, interval, of.rows);
  run->wide = of.flush > 0;
  int64_t room = of.deep + 1;
  struct state *state = run->state =
    pcf_allocate(1, sizeof of + ARRAYS * (size_t)room * sizeof *of.numbers, error);
  if (!state) return PCF_ERROR_MEMORY;
  *state = of;
  write_grid(run->pairs, state);
  int arrays = integral->operation == PCF_INNER ? ARRAYS : FACTORS;
  for (int k = 0; k < arrays; k++) {
    run->shared[k] = (struct pcf_cuda_shared){state->numbers + k * room, room};
  }
  return PCF_OK;
}

/* ---- On a device ---- */

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
                                const struct pcf_cuda_segment *rows,
                                const struct pcf_cuda_segment *columns,
                                const struct pcf_cuda_block *block, cudaStream_t stream) {
  const struct pcf_cuda_run *run = segments->run;
  const struct pcf_integral *integral = &run->pairs->integral;
  const struct state *state = run->state;
  struct pcf_cuda_cells cells = {
    .rows = rows->panel,
    .columns = columns->panel,
    .stretches = state->rows,
    .lengths = segments->shared[LENGTHS],
    .unbounded = !(integral->to < INFINITY),
    .flush = state->flush,
    .block = *block,
  };
  return pcf_cuda_grid(integral, &cells, stream);
}

const struct pcf_cuda_method pcf_cuda_grid_method = {
  .name = "grid",
  .seconds = seconds,
  .tile = PCF_CUDA_PANEL,
  .panel = PCF_CUDA_PANEL,
  .prepare = prepare,
  .bytes = bytes_of,
  .build = build,
  .launch = launch_cells,
};
