/* The split: the sweep, with the window cut into parts that are swept independently. For few,
 * long functions, which have too few tiles to share among threads. */
#include "base/memory.h"
#include "kernels/slices.h"
#include "pairs/costs.h"
#include "pairs/parts.h"
#include "pairs/tiles.h"

/* ---- Costs ---- */

/* How the window is cut shows in the last digits of results. So it depends on the request
 * alone, as if tiles were CUT_WIDTH wide: neither on the width that they have nor on the number
 * of threads. A slice of a band is sorted in the cache. A part is worth its sums being cleared,
 * stored and added if its events fill a tile so many times. */
enum {
  CUT_WIDTH = 64,
  SLICE_EVENTS = 8192,
  MOST_SLICES = 1 << 14,
  FILLS = 512,
  PARTS = 256,
  MOST_PARTS = 128
};

static const double most_bytes = 1 << 26; /* of the sums of all parts */

/* What a tile has in one part: a sum for each pair and, where powers are taken, its supremum.
 */
static int64_t sums_of_tile(const struct pcf_pairs *pairs, int width) {
  return (int64_t)width * width * (pcf_takes_powers(pairs->integral.operation) ? 2 : 1);
}

/* The events of a band of CUT_WIDTH functions. */
static double events_of_band(const struct pcf_pairs *pairs) {
  struct pcf_tiling tiling = pcf_tiling_of(&pairs->request, CUT_WIDTH);
  return tiling.breakpoints / fmax(tiling.bands, 1);
}

static int count_parts(const struct pcf_pairs *pairs) {
  double tiles = fmax(pcf_tiling_of(&pairs->request, CUT_WIDTH).tiles, 1);
  double bytes = (double)sums_of_tile(pairs, CUT_WIDTH) * sizeof(double) * tiles;
  double parts = fmin(fmin(ceil(PARTS / tiles), MOST_PARTS), most_bytes / bytes);
  return (int)fmax(1, fmin(parts, events_of_band(pairs) / (FILLS * CUT_WIDTH)));
}

static int count_slices(const struct pcf_pairs *pairs) {
  double slices = fmin(ceil(events_of_band(pairs) / SLICE_EVENTS), MOST_SLICES);
  return (int)fmax(slices, count_parts(pairs));
}

static double seconds_of(const struct pcf_pairs *pairs, int width, int threads) {
  const struct pcf_request *request = &pairs->request;
  const struct pcf_costs *cost = pcf_costs_of(pairs);
  struct pcf_tiling tiling = pcf_tiling_of(request, width);
  int parts = count_parts(pairs);
  if (parts < 2 && !request->method) return INFINITY; /* that would be the sweep */
  double slices = count_slices(pairs) * tiling.bands;
  enum pcf_precision precision = request->precision;
  double lane = pcf_term_cost(cost->lane[precision], cost->power[precision], request) *
                pcf_line_factor(request);
  double finish = pcf_part_cost * width * width * tiling.tiles * parts;
  return pcf_spread(tiling.breakpoints * pcf_sort_cost, slices, threads) +
         pcf_spread(tiling.events * (cost->event + width * lane) + finish, tiling.tiles * parts,
                    threads);
}

static struct pcf_estimate estimate(const struct pcf_pairs *pairs, int width, int threads) {
  return pcf_best_width(pairs, width, threads, 2, seconds_of);
}

/* ---- Bands ---- */

struct state {
  struct pcf_window cut;
  struct pcf_sliced_bands rows, other; /* `other` only when there is a y */
  struct pcf_parts parts;              /* their memory is that of sums of tiles */
};

static enum pcf_status build(const struct pcf_cpu_run *run, struct pcf_sliced_bands *sliced,
                             const struct pcf_collection *x, struct pcf_error *error) {
  const struct state *state = run->state;
  return pcf_sliced_bands_build(sliced, x, &run->pairs->integral, &state->cut, run->width,
                                run->threads, run->task->stop, error);
}

static enum pcf_status prepare(struct pcf_cpu_run *run, struct pcf_error *error) {
  const struct pcf_request *request = &run->pairs->request;
  struct state *state = run->state;
  enum pcf_status status =
    pcf_window_cut(&state->cut, request->x, request->y, &run->pairs->integral,
                   count_slices(run->pairs), count_parts(run->pairs), error);
  if (!status) status = build(run, &state->rows, request->x, error);
  if (status || !request->y) return status;
  return build(run, &state->other, request->y, error);
}

static void release(struct pcf_cpu_run *run) {
  struct state *state = run->state;
  pcf_window_free(&state->cut);
  pcf_sliced_bands_free(&state->rows);
  pcf_sliced_bands_free(&state->other);
  pcf_arrays_free(&state->parts.arrays);
}

/* ---- Parts ---- */

static int parts_of(const void *run_, const struct pcf_block *block) {
  const struct pcf_cpu_run *run = run_;
  const struct state *state = run->state;
  return state->cut.parts;
}

static size_t bytes_of_part(const struct pcf_cpu_run *run) {
  return (size_t)sums_of_tile(run->pairs, run->width) *
         pcf_scalar_size(run->pairs->integral.precision);
}

/* Every block is a tile. */
static enum pcf_status schedule(struct pcf_cpu_run *run, struct pcf_schedule *schedule,
                                struct pcf_error *error) {
  struct state *state = run->state;
  return pcf_parts_schedule(&state->parts, run->task, run->width, parts_of, run,
                            bytes_of_part(run), schedule, error);
}

/* Adds up the parts of a pair in their order, and takes the root; `at` is its place in the sums
 * of the first part. */
static double join_parts(const struct pcf_integral *integral, const char *sums, int64_t at,
                         int64_t per_part, int parts) {
  enum pcf_operation operation = integral->operation;
  enum pcf_precision precision = integral->precision;
  double sum = 0, supremum = 0;
  if (!pcf_takes_powers(operation)) {
    for (int p = 0; p < parts; p++) {
      sum = pcf_join(operation, sum, pcf_load_scalar(sums, at + p * per_part, precision));
    }
    return pcf_finish(operation, sum, integral->p);
  }
  int64_t suprema = at + per_part / 2;
  for (int p = 0; p < parts; p++) {
    supremum = fmax(supremum, pcf_load_scalar(sums, suprema + p * per_part, precision));
  }
  for (int p = 0; p < parts; p++) {
    double own = pcf_load_scalar(sums, suprema + p * per_part, precision);
    if (own == 0) continue;
    sum +=
      pcf_load_scalar(sums, at + p * per_part, precision) * pow(own / supremum, integral->p);
  }
  return sum > 0 ? supremum * pcf_finish(operation, sum, integral->p) : 0;
}

static void finish(const struct pcf_cpu_run *run, const struct pcf_block *block,
                   const char *sums, struct pcf_cpu_worker *worker) {
  const struct pcf_integral *integral = &run->pairs->integral;
  int64_t per_part = sums_of_tile(run->pairs, run->width);
  for (int64_t j = 0; j < block->columns; j++) {
    for (int64_t i = 0; i < block->rows; i++) {
      if (run->task->mode != PCF_FULL && block->row + i < block->column + j) continue;
      double result = join_parts(integral, sums, i + run->width * j, per_part, block->parts);
      pcf_store_scalar(worker->output, i + block->rows * j, result, integral->precision);
    }
  }
}

static void sides(const struct pcf_cpu_run *run, const struct pcf_block *block,
                  struct pcf_tile *tile) {
  const struct state *state = run->state;
  const struct pcf_sliced_bands *columns = run->pairs->request.y ? &state->other : &state->rows;
  int64_t parts = state->cut.parts, i = block->row / run->width, j = block->column / run->width;
  tile->triangle = run->task->mode != PCF_FULL && i == j;
  tile->sweep.rows = &state->rows.band[i * parts + block->part];
  tile->sweep.columns = &columns->band[j * parts + block->part];
}

static int compute(const struct pcf_cpu_run *run, const struct pcf_block *block,
                   struct pcf_cpu_worker *worker) {
  struct state *state = run->state;
  const struct pcf_window *cut = &state->cut;
  const struct pcf_integral *integral = &run->pairs->integral;
  size_t bytes = bytes_of_part(run);
  char *sums = state->parts.memory + (size_t)block->first * bytes;
  char *own = sums + (size_t)block->part * bytes;
  struct pcf_tile tile = pcf_tile_of(run, worker, own, run->width);
  tile.from = cut->bound[cut->first[block->part]];
  tile.to = cut->bound[cut->first[block->part + 1]];
  tile.part = 1;
  tile.suprema = own + bytes / 2;
  sides(run, block, &tile);
  const struct pcf_kernels *kernels = pcf_kernels_of(run->pairs->instructions);
  if (kernels->sweep[run->pairs->family][integral->precision](&tile)) return 1;
  worker->complete = pcf_last_part(&state->parts, block);
  if (worker->complete) finish(run, block, sums, worker);
  return 0;
}

const struct pcf_method pcf_split_method = {
  .name = "split",
  .estimate = estimate,
  .state = sizeof(struct state),
  .prepare = prepare,
  .schedule = schedule,
  .release = release,
  .compute = compute,
};
