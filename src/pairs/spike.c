/* SPIKE distances of counting functions (kernels/spikes-template.h): a family of pairs with
 * methods of its own, which give the same bits. Both sweep tiles; the walk has tiles of one
 * pair, for pairs that are no matrix and for very few functions. Always in double precision:
 * rounded to single precision, times would lose the digits of the intervals between them. */
#include "pairs/spike.h"

#include "pairs/costs.h"
#include "pairs/family.h"
#include "pairs/tiles.h"

#include <math.h>

enum { METHODS = 2 };
static const struct pcf_method *const methods[METHODS + 1];

/* ---- Checking and planning ---- */

/* That functions count, and in the same recording, is for the caller to know. */
static enum pcf_status check(void *pairs_, int threads, const atomic_int *stop,
                             struct pcf_error *error) {
  struct pcf_pairs *pairs = pairs_;
  const struct pcf_request *request = &pairs->request;
  if (request->x->linear || (request->y && request->y->linear)) {
    return pcf_fail(error, PCF_ERROR_ARGUMENT,
                    "\"spike\" is not defined for piecewise linear functions");
  }
  return pcf_pairs_check_functions(pairs, threads, stop, error);
}

/* Times are divided by the power of two above the length of the recording: the distance is a
 * mean over the window, and has no unit. */
static struct pcf_integral integral_of(const struct pcf_request *request) {
  struct pcf_recording on = pcf_recording_of(request->x);
  struct pcf_integral integral = {.operation = PCF_NO_OPERATION, .precision = PCF_DOUBLE};
  frexp(on.to / 2 - on.from / 2, &integral.time_exponent);
  integral.time_exponent++;
  integral.p = pcf_scaled(request->p, integral.time_exponent);
  integral.from = pcf_scaled(fmax(request->from, on.from), integral.time_exponent);
  integral.to = pcf_scaled(fmin(request->to, on.to), integral.time_exponent);
  integral.factor = 2 / (integral.to - integral.from); /* 2: kernels/spikes-template.h */
  return integral;
}

static enum pcf_status plan_request(struct pcf_pairs *pairs,
                                    const struct pcf_settings *settings,
                                    struct pcf_error *error) {
  const struct pcf_request *request = &pairs->request;
  pairs->methods = methods;
  pairs->integral = integral_of(request);
  if (!pcf_find_instructions(request->instructions, &pairs->instructions)) {
    return pcf_fail(error, PCF_ERROR_ARGUMENT,
                    "this processor does not support \"%s\" instructions",
                    request->instructions);
  }
  pcf_count_pairs(pairs);
  return pcf_methods_plan(pairs, settings, error);
}

static enum pcf_status plan(void *pairs, const struct pcf_settings *settings,
                            const atomic_int *stop, struct pcf_task *task,
                            struct pcf_error *error) {
  return pcf_pairs_plan(pairs, plan_request, settings, task, error);
}

static enum pcf_status arrange(void *pairs, const struct pcf_backend *backend,
                               struct pcf_task *task, int *changed, struct pcf_error *error) {
  return pcf_pairs_arrange(pairs, plan_request, backend, task, changed, error);
}

static void release(void *pairs) {}

const struct pcf_family pcf_spike_family = {
  .name = "spike", .check = check, .plan = plan, .arrange = arrange, .release = release};

/* ---- Costs ---- */

/* An event of a lane, relative to one of L1; putting an event into its band, and what a tile of
 * one pair takes beside its events, in nanoseconds. Xeon with AVX-512. */
static const double lane_factor = 5, spike_cost = 40, single_cost = 2000;

static double event_cost(const struct pcf_pairs *pairs, int width) {
  const struct pcf_costs *cost = pcf_costs_of(pairs);
  return cost->event + pcf_spike_lanes(width) * cost->lane[PCF_DOUBLE] * lane_factor;
}

static double seconds_of(const struct pcf_pairs *pairs, int width, int threads) {
  struct pcf_tiling tiling = pcf_tiling_of(&pairs->request, width);
  double pair = 5 * pcf_finish_cost;
  return pcf_spread(tiling.breakpoints * spike_cost, tiling.bands, threads) +
         pcf_spread(tiling.events * event_cost(pairs, width) + pairs->pairs * pair,
                    tiling.tiles, threads);
}

static struct pcf_estimate estimate(const struct pcf_pairs *pairs, int width, int threads) {
  return pcf_best_width(pairs, width, threads, PCF_SPIKE_SUMS, seconds_of);
}

static struct pcf_estimate estimate_walk(const struct pcf_pairs *pairs, int width,
                                         int threads) {
  double nanoseconds = pairs->rectangles * event_cost(pairs, 1) + pairs->pairs * single_cost +
                       pcf_request_breakpoints(&pairs->request) * spike_cost;
  return (struct pcf_estimate){nanoseconds * 1e-9 / threads, 1};
}

/* ---- Bands and tiles ---- */

static enum pcf_status build_band(const struct pcf_cpu_run *run, const struct pcf_collection *x,
                                  int64_t first, int count, struct pcf_band_scratch *scratch,
                                  void *band, struct pcf_error *error) {
  return pcf_spike_band_build(band, x, &run->pairs->integral, first, count, run->width, scratch,
                              error);
}

static enum pcf_status prepare(struct pcf_cpu_run *run, struct pcf_error *error) {
  return pcf_sides_make(run->state, run, sizeof(struct pcf_spike_band), build_band, error);
}

static void release_bands(struct pcf_cpu_run *run) {
  pcf_sides_free(run->state, pcf_spike_band_free);
}

static void sides(const struct pcf_cpu_run *run, int64_t i, int64_t j, struct pcf_tile *tile) {
  tile->spikes.rows = pcf_row_band(run->state, i);
  tile->spikes.columns = pcf_column_band(run->state, j);
}

static int compute(const struct pcf_cpu_run *run, const struct pcf_block *block,
                   struct pcf_cpu_worker *worker) {
  const struct pcf_kernels *kernels = pcf_kernels_of(run->pairs->instructions);
  return pcf_compute_tiles(run, block, worker, kernels->spikes, sides, NULL);
}

/* ---- The walk ---- */

static int one_part(const void *run, const struct pcf_block *block) {
  return 1;
}

static enum pcf_status schedule_pairs(struct pcf_cpu_run *run, struct pcf_schedule *schedule,
                                      struct pcf_error *error) {
  const struct pcf_task *task = run->task;
  return pcf_schedule_parts(schedule, task->mode, &task->rows, &task->columns, 1, task->pairs,
                            one_part, run, error);
}

static int compute_pair(const struct pcf_cpu_run *run, const struct pcf_block *block,
                        struct pcf_cpu_worker *worker) {
  struct pcf_tile tile = pcf_tile_of(run, worker, worker->output, 1);
  sides(run, block->row, block->column, &tile);
  worker->complete = 1;
  return pcf_kernels_of(run->pairs->instructions)->spikes(&tile);
}

static size_t workspace(const struct pcf_cpu_run *run) {
  return pcf_spike_workspace(run->width);
}

static const struct pcf_method sweep = {
  .name = "sweep",
  .among = methods,
  .estimate = estimate,
  .state = sizeof(struct pcf_sides),
  .prepare = prepare,
  .schedule = pcf_schedule_tiles,
  .release = release_bands,
  .workspace = workspace,
  .compute = compute,
};

static const struct pcf_method walk = {
  .name = "walk",
  .among = methods,
  .estimate = estimate_walk,
  .state = sizeof(struct pcf_sides),
  .prepare = prepare,
  .schedule = schedule_pairs,
  .release = release_bands,
  .workspace = workspace,
  .compute = compute_pair,
};

static const struct pcf_method *const methods[METHODS + 1] = {&sweep, &walk};
