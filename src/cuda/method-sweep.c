/* The sweep, which goes through the events of two bands in the order of time, and the split
 * sweep, which does so for several slices of the window at once. Both work for any
 * functions. */
#include "base/memory.h"
#include "cuda/method.h"
#include "cuda/segments.h"
#include "integrals/window.h"
#include "pairs/costs.h"

#include <math.h>

/* Few functions of many breakpoints have too few tiles to keep a GPU busy, so the window is cut
 * at times between which there are about as many breakpoints. The number of slices and their
 * times depend on the functions alone, and not on the device. With slices of some hundred
 * breakpoints a function the sweep still has about half of its usual rate (the table is in
 * bench/results). */
enum {
  MOST_FUNCTIONS_TO_SLICE = 4096,
  LEAST_BREAKPOINTS_TO_SLICE = 4096,
  BREAKPOINTS_PER_SLICE = 512,
  MOST_SLICES = 1024
};

/* ---- Costs ---- */

static double rectangle_seconds(const struct pcf_pairs *pairs, double gpus) {
  const struct pcf_request *request = &pairs->request;
  double seconds = pairs->rectangles * pcf_cuda_rectangle_cost[request->precision] / gpus;
  if (!request->x->linear) return seconds;
  int divides =
    pcf_whole_form(request->operation) == PCF_L1 || pcf_takes_powers(request->operation);
  return seconds * (divides ? pcf_cuda_line_division_factor : pcf_cuda_line_factor);
}

/* The expected seconds. With fewer tiles than the devices have room for warps, they are partly
 * idle. */
static double sweep_seconds(const struct pcf_pairs *pairs, double gpus) {
  double tiles = pairs->pairs / (32 * 32);
  double idle = fmax(1, pcf_cuda_warps * gpus / fmax(tiles, 1));
  return rectangle_seconds(pairs, gpus) * idle;
}

static int worth_slicing(const struct pcf_pairs *pairs) {
  const struct pcf_request *request = &pairs->request;
  return request->x->count <= MOST_FUNCTIONS_TO_SLICE &&
         pcf_columns_of(request)->count <= MOST_FUNCTIONS_TO_SLICE &&
         pairs->rectangles / pairs->pairs >= 2 * LEAST_BREAKPOINTS_TO_SLICE;
}

static double split_seconds(const struct pcf_pairs *pairs, double gpus) {
  if (!pairs->request.method && !worth_slicing(pairs)) return INFINITY;
  return pcf_cuda_split_factor * rectangle_seconds(pairs, gpus);
}

/* ---- Slices of the window ---- */

/* What all devices share: the times at which the slices begin, the first of them before all
 * events or at the start of the window; after how many events of a function sums are flushed;
 * and how many pieces the weight has, if there is one. */
struct state {
  int slices, flush, pieces;
  double time[];
};

enum { SLICE_TIME, PIECE_END, PIECE_HEIGHT }; /* of the arrays that all bands share */

static double begin_of_window(const struct pcf_pairs *pairs) {
  const struct pcf_integral *integral = &pairs->integral;
  if (integral->from > -INFINITY) return integral->from;
  return fmin(pcf_integral_time(integral, pairs->range.first), integral->to);
}

/* Finds the times of up to `slices` slices; state->time has room for one more. A cut at the
 * start of the window is left out. */
static enum pcf_status cut_window(struct pcf_cuda_run *run, int slices,
                                  struct pcf_error *error) {
  const struct pcf_request *request = &run->pairs->request;
  const struct pcf_integral *integral = &run->pairs->integral;
  struct state *state = run->state;
  double *time = state->time;
  int cuts = 0;
  time[0] = pcf_narrowed(begin_of_window(run->pairs), integral->precision);
  if (slices > 1) {
    enum pcf_status status =
      pcf_window_quantiles(request->x, request->y, integral, slices, time + 1, &cuts, error);
    if (status) return status;
  }
  int skipped = cuts > 0 && time[1] == time[0];
  state->slices = 1 + cuts - skipped;
  run->shared[SLICE_TIME] = (struct pcf_cuda_shared){time + skipped, state->slices};
  return PCF_OK;
}

static int64_t most_breakpoints(const struct pcf_cuda_clipped *clipped) {
  int64_t most = 0;
  for (int64_t i = 0; i < clipped->x->count; i++) {
    if (clipped->view[i].events > most) most = clipped->view[i].events;
  }
  return most;
}

static int flush_after(const struct pcf_cuda_run *run) {
  const struct pcf_integral *integral = &run->pairs->integral;
  int64_t rows = most_breakpoints(&run->x);
  int64_t columns = run->pairs->request.y ? most_breakpoints(&run->y) : 0;
  int interval = pcf_cuda_flush_interval(integral->precision, 0);
  return pcf_cuda_flush_after(integral, interval, rows > columns ? rows : columns);
}

static enum pcf_status prepare(struct pcf_cuda_run *run, int slices, struct pcf_error *error) {
  const struct pcf_integral *integral = &run->pairs->integral;
  const struct pcf_weight *weight = integral->weight;
  struct state *state = run->state =
    pcf_allocate(1, sizeof *state + ((size_t)slices + 1) * sizeof *state->time, error);
  if (!state) return PCF_ERROR_MEMORY;
  *state = (struct state){.flush = flush_after(run)};
  if (weight && !pcf_is_supremum(integral->operation)) { /* a supremum has no weight */
    state->pieces = (int)weight->pieces;
    run->shared[PIECE_END] = (struct pcf_cuda_shared){weight->end, weight->pieces};
    run->shared[PIECE_HEIGHT] = (struct pcf_cuda_shared){weight->height, weight->pieces};
  }
  enum pcf_status status = cut_window(run, slices, error);
  run->wide = state->slices > 1 ? state->slices + 1 : state->flush > 0 || state->pieces > 0;
  return status;
}

static enum pcf_status prepare_sweep(struct pcf_cuda_run *run, struct pcf_error *error) {
  return prepare(run, 1, error);
}

static enum pcf_status prepare_split(struct pcf_cuda_run *run, struct pcf_error *error) {
  int64_t functions = run->x.x->count, breakpoints = run->x.start[functions];
  if (run->pairs->request.y) {
    functions += run->y.x->count;
    breakpoints += run->y.start[run->y.x->count];
  }
  double slices = ceil((double)breakpoints / (double)functions / BREAKPOINTS_PER_SLICE);
  return prepare(run, slices < 2 ? 2 : slices > MOST_SLICES ? MOST_SLICES : (int)slices, error);
}

/* ---- On a device ---- */

static struct pcf_cuda_bytes bytes_of(const struct pcf_cuda_run *run, int band) {
  enum { SORTING = 26 };
  const struct state *state = run->state;
  double scalar = (double)pcf_scalar_size(run->pairs->integral.precision);
  int linear = run->pairs->request.x->linear;
  double piece = pcf_family_of(linear).scalars * scalar;
  return (struct pcf_cuda_bytes){.function = state->slices * (piece + 8.0 / band),
                                 .breakpoint = pcf_cuda_event_scalars(linear) * scalar + 1,
                                 .breakpoint_scratch = SORTING,
                                 .slack = 16.0 * state->slices};
}

/* Builds bands in two passes, of which the first finds out how much scratch memory is
 * needed. */
static enum pcf_status fill_bands(struct pcf_cuda_segments *segments,
                                  const struct pcf_cuda_functions *functions,
                                  struct pcf_cuda_bands *bands, struct pcf_error *error) {
  cudaStream_t stream = segments->uplink.stream[0];
  enum pcf_status status = PCF_OK;
  size_t scratch_bytes = 0;
  void *scratch = NULL;
  for (int pass = 0; pass < 2 && !status; pass++) {
    cudaError_t code =
      pcf_cuda_build_bands(bands, &segments->run->pairs->integral, functions,
                           segments->shared[SLICE_TIME], scratch, &scratch_bytes, stream);
    status = pcf_cuda_check(segments->memory, code, "building bands", error);
    if (!pass) scratch = pcf_cuda_allocate(segments->memory, scratch_bytes, &status, error);
  }
  enum pcf_status built =
    pcf_cuda_check(segments->memory, cudaStreamSynchronize(stream), "building bands", error);
  pcf_cuda_free(segments->memory, scratch);
  return status ? status : built;
}

static enum pcf_status build(struct pcf_cuda_segments *segments,
                             const struct pcf_cuda_functions *functions, int band, void *slot_,
                             struct pcf_cuda_segment *segment, struct pcf_error *error) {
  const struct state *state = segments->run->state;
  size_t scalar = pcf_scalar_size(segments->run->pairs->integral.precision);
  size_t count = (size_t)pcf_band_count(functions->count, band);
  size_t slices = (size_t)state->slices;
  char *slot = slot_;
  struct pcf_cuda_bands *bands = &segment->bands;
  *bands = (struct pcf_cuda_bands){
    .count = functions->count,
    .side = band,
    .linear = functions->linear,
    .flush = state->flush,
    .weight = {state->pieces, segments->shared[PIECE_END], segments->shared[PIECE_HEIGHT]},
    .slices = state->slices};
  size_t event = (size_t)pcf_cuda_event_scalars(bands->linear) * scalar;
  size_t piece = (size_t)pcf_family_of(bands->linear).scalars * scalar;
  bands->events = pcf_cuda_carve(&slot, (size_t)functions->breakpoints * event);
  bands->lane = pcf_cuda_carve(&slot, (size_t)functions->breakpoints);
  bands->start = pcf_cuda_carve(&slot, (count * slices + 1) * sizeof(int64_t));
  bands->initial = pcf_cuda_carve(&slot, count * (size_t)band * slices * piece);
  return fill_bands(segments, functions, bands, error);
}

static cudaError_t launch_tiles(const struct pcf_cuda_segments *segments,
                                const struct pcf_cuda_segment *rows,
                                const struct pcf_cuda_segment *columns,
                                const struct pcf_cuda_block *block, cudaStream_t stream) {
  const struct pcf_integral *integral = &segments->run->pairs->integral;
  int band = segments->run->band;
  struct pcf_cuda_tiles tiles = {
    .rows = rows->bands,
    .columns = columns->bands,
    .first_row_band = (int)(block->first_row / band),
    .row_bands = (int)pcf_band_count(block->last_row - block->first_row, band),
    .first_column_band = (int)(block->first_column / band),
    .column_bands = (int)pcf_band_count(block->last_column - block->first_column, band),
    .slice_time = segments->shared[SLICE_TIME],
    .to = integral->to,
    .block = *block,
  };
  if (pcf_cuda_provocation.launch) tiles.row_bands = 0;
  return pcf_cuda_sweep(integral, &tiles, stream);
}

/* The key of bands of a single slice without a weight: the interval of flushing, and the start
 * of the window. Other bands cannot stay. */
static int key_of_bands(const struct pcf_cuda_run *run, double *key) {
  const struct state *state = run->state;
  if (state->slices > 1 || state->pieces) return 0;
  key[0] = state->flush;
  key[1] = run->shared[SLICE_TIME].number[0];
  return 1;
}

enum { TILE = 64 }; /* whole bands of every operation */

const struct pcf_cuda_method pcf_cuda_sweep_method = {
  .name = "sweep",
  .seconds = sweep_seconds,
  .tile = TILE,
  .prepare = prepare_sweep,
  .bytes = bytes_of,
  .build = build,
  .launch = launch_tiles,
  .key = key_of_bands,
};

const struct pcf_cuda_method pcf_cuda_split_method = {
  .name = "split",
  .seconds = split_seconds,
  .tile = TILE,
  .prepare = prepare_split,
  .bytes = bytes_of,
  .build = build,
  .launch = launch_tiles,
};
