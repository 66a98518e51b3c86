/* The sweep, which goes through the events of two bands in the order of time, and the split
 * sweep, which does so for several slices of the window at once. Both work for any
 * functions. */
#include "base/memory.h"
#include "cuda/method.h"
#include "cuda/segments.h"
#include "pairs/costs.h"
#include "pairs/window.h"

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

/* What all devices share: the times at which the slices begin, as scalars, the first of them
 * before all events or at the start of the window; after how many events of a function sums are
 * flushed; and the pieces of the weight, if there is one, whose ends and heights are scalars,
 * too. */
struct state {
  int slices, flush, pieces;
  void *slice_time, *piece_end, *piece_height;
};

static double begin_of_window(const struct pcf_pairs *pairs) {
  const struct pcf_integral *integral = &pairs->integral;
  if (integral->from > -INFINITY) return integral->from;
  double first = pcf_scaled(pairs->range.first - integral->origin, integral->time_exponent);
  return fmin(first, integral->to);
}

/* Fills `time`, which has room for slices + 1 times, and returns a status. A cut at the start
 * of the window is left out. */
static enum pcf_status cut_window(const struct pcf_cuda_run *run, int slices, double *time,
                                  struct state *state, struct pcf_error *error) {
  const struct pcf_request *request = &run->pairs->request;
  const struct pcf_integral *integral = &run->pairs->integral;
  int cuts = 0;
  time[0] = pcf_narrowed(begin_of_window(run->pairs), integral->precision);
  if (slices > 1) {
    enum pcf_status status =
      pcf_window_quantiles(request->x, request->y, integral, slices, time + 1, &cuts, error);
    if (status) return status;
  }
  int skipped = cuts > 0 && time[1] == time[0];
  state->slices = 1 + cuts - skipped;
  for (int s = 0; s < state->slices; s++) {
    pcf_store_scalar(state->slice_time, s, time[s + skipped], integral->precision);
  }
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

/* Writes the pieces of the weight as scalars. A supremum has no weight. */
static enum pcf_status write_pieces(const struct pcf_integral *integral, struct state *state,
                                    struct pcf_error *error) {
  const struct pcf_weight *weight = integral->weight;
  enum pcf_precision precision = integral->precision;
  if (!weight || pcf_is_supremum(integral->operation)) return PCF_OK;
  state->piece_end = pcf_allocate((size_t)weight->pieces, pcf_scalar_size(precision), error);
  state->piece_height = pcf_allocate((size_t)weight->pieces, pcf_scalar_size(precision), error);
  if (!state->piece_end || !state->piece_height) return PCF_ERROR_MEMORY;
  state->pieces = (int)weight->pieces;
  for (int64_t k = 0; k < weight->pieces; k++) {
    pcf_store_scalar(state->piece_end, k, weight->end[k], precision);
    pcf_store_scalar(state->piece_height, k, weight->height[k], precision);
  }
  return PCF_OK;
}

static enum pcf_status prepare(struct pcf_cuda_run *run, int slices, struct pcf_error *error) {
  size_t scalar = pcf_scalar_size(run->pairs->integral.precision);
  struct state *state = run->state = pcf_allocate(1, sizeof *state, error);
  if (!state) return PCF_ERROR_MEMORY;
  *state = (struct state){.flush = flush_after(run)};
  state->slice_time = pcf_allocate((size_t)slices, scalar, error);
  if (!state->slice_time) return PCF_ERROR_MEMORY;
  if (write_pieces(&run->pairs->integral, state, error)) return PCF_ERROR_MEMORY;
  double *time = pcf_allocate((size_t)slices + 1, sizeof *time, error);
  if (!time) return PCF_ERROR_MEMORY;
  enum pcf_status status = cut_window(run, slices, time, state, error);
  pcf_free(time);
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

static void release(struct pcf_cuda_run *run) {
  struct state *state = run->state;
  if (!state) return;
  pcf_free(state->slice_time);
  pcf_free(state->piece_end);
  pcf_free(state->piece_height);
  pcf_free(state);
}

/* ---- On a device ---- */

enum { SLICE_TIME, PIECE_END, PIECE_HEIGHT }; /* of the arrays that all bands share */

static enum pcf_status open_slices(struct pcf_cuda_segments *segments,
                                   struct pcf_error *error) {
  const struct state *state = segments->run->state;
  int64_t pieces = state->pieces;
  enum pcf_status status =
    pcf_cuda_share(segments, SLICE_TIME, state->slice_time, state->slices, error);
  if (status || !pieces) return status;
  status = pcf_cuda_share(segments, PIECE_END, state->piece_end, pieces, error);
  if (status) return status;
  return pcf_cuda_share(segments, PIECE_HEIGHT, state->piece_height, pieces, error);
}

static int side(const struct pcf_cuda_policy *policy, int column) {
  return column ? policy->columns : policy->rows;
}

static struct pcf_cuda_bytes bytes_of(const struct pcf_cuda_run *run, int band) {
  enum { SORTING = 26 };
  const struct state *state = run->state;
  double scalar = (double)pcf_scalar_size(run->pairs->integral.precision);
  int linear = run->pairs->request.x->linear;
  double piece = pcf_cuda_piece_scalars(linear) * scalar;
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
    if (!pass && !status) {
      status = pcf_cuda_allocate(segments->memory, scratch_bytes, &scratch, error);
    }
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
  size_t piece = (size_t)pcf_cuda_piece_scalars(bands->linear) * scalar;
  bands->events = pcf_cuda_carve(&slot, (size_t)functions->breakpoints * event);
  bands->lane = pcf_cuda_carve(&slot, (size_t)functions->breakpoints);
  bands->start = pcf_cuda_carve(&slot, (count * slices + 1) * sizeof(int64_t));
  bands->initial = pcf_cuda_carve(&slot, count * (size_t)band * slices * piece);
  return fill_bands(segments, functions, bands, error);
}

static cudaError_t launch_tiles(const struct pcf_cuda_segments *segments,
                                const struct pcf_cuda_launch *launch) {
  const struct pcf_cuda_policy *policy = &segments->run->policy;
  const struct pcf_integral *integral = &segments->run->pairs->integral;
  int64_t rows = launch->last_row - launch->first_row;
  int64_t columns = launch->last_column - launch->first_column;
  struct pcf_cuda_tiles tiles = {
    .rows = launch->rows->bands,
    .columns = launch->columns->bands,
    .first_row_band = (int)(launch->first_row / policy->rows),
    .row_bands = (int)pcf_band_count(rows, policy->rows),
    .first_column_band = (int)(launch->first_column / policy->columns),
    .column_bands = (int)pcf_band_count(columns, policy->columns),
    .triangle = launch->triangle,
    .first_row = launch->first_row,
    .last_row = launch->last_row,
    .first_column = launch->first_column,
    .last_column = launch->last_column,
    .slice_time = segments->shared[SLICE_TIME],
    .to = integral->to,
    .power = launch->power,
    .output = launch->output,
    .stride = launch->stride,
    .wide = launch->wide,
  };
  if (pcf_cuda_provocation.launch) tiles.row_bands = 0;
  return pcf_cuda_sweep(policy, integral, &tiles, launch->stream);
}

/* The key of bands of a single slice without a weight: the interval of flushing, and the start
 * of the window. Other bands cannot stay. */
static int key_of_bands(const struct pcf_cuda_run *run, double *key) {
  const struct state *state = run->state;
  if (state->slices > 1 || state->pieces) return 0;
  key[0] = state->flush;
  key[1] = pcf_load_scalar(state->slice_time, 0, run->pairs->integral.precision);
  return 1;
}

enum { TILE = 64 }; /* whole bands of every policy */

const struct pcf_cuda_method pcf_cuda_sweep_method = {
  .name = "sweep",
  .seconds = sweep_seconds,
  .tile = TILE,
  .side = side,
  .prepare = prepare_sweep,
  .release = release,
  .bytes = bytes_of,
  .open = open_slices,
  .build = build,
  .launch = launch_tiles,
  .key = key_of_bands,
};

const struct pcf_cuda_method pcf_cuda_split_method = {
  .name = "split",
  .seconds = split_seconds,
  .tile = TILE,
  .side = side,
  .prepare = prepare_split,
  .release = release,
  .bytes = bytes_of,
  .open = open_slices,
  .build = build,
  .launch = launch_tiles,
};
