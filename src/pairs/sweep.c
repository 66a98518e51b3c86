/* The sweep: bands of functions with all their events, and tiles that go through them in the
 * order of time. For any functions. */
#include "base/memory.h"
#include "pairs/costs.h"
#include "pairs/tiles.h"

#include <math.h>
#include <string.h>

/* ---- Costs ---- */

static double merge_cost(int width) { /* an event, through all merging passes */
  return pcf_merge_cost + pcf_merge_doubling_cost * log2(width);
}

/* General p goes over functions that may be in power range once, unless they are of very
 * different size after all. */
static double lane_cost(const struct pcf_pairs *pairs) {
  const struct pcf_integral *integral = &pairs->integral;
  const struct pcf_costs *cost = pcf_costs_of(pairs);
  enum pcf_precision precision = integral->precision;
  double lane = cost->lane[precision], power = cost->power[precision];
  int once = pcf_may_be_in_power_range(integral) && !integral->half_powers;
  if (!pcf_takes_powers(integral->operation) || !once) {
    return pcf_term_cost(lane, power, &pairs->request);
  }
  return lane + (integral->power.table.made && cost->by_table > 0 ? cost->by_table : power);
}

static double seconds_of(const struct pcf_pairs *pairs, int width, int threads) {
  const struct pcf_request *request = &pairs->request;
  const struct pcf_costs *cost = pcf_costs_of(pairs);
  struct pcf_tiling tiling = pcf_tiling_of(request, width);
  double lane = lane_cost(pairs) * pcf_line_factor(request);
  return pcf_spread(tiling.breakpoints * merge_cost(width), tiling.bands, threads) +
         pcf_spread(tiling.events * (cost->event + width * lane) +
                      pairs->pairs * pcf_finish_cost,
                    tiling.tiles, threads);
}

static struct pcf_estimate estimate(const struct pcf_pairs *pairs, int width, int threads) {
  return pcf_best_width(pairs, width, threads, 2, seconds_of);
}

static int64_t most_single(const struct pcf_pairs *pairs, int width) {
  const struct pcf_costs *cost = pcf_costs_of(pairs);
  double lane = cost->lane[pairs->integral.precision];
  if (!pcf_takes_listed(pairs->integral.operation) || pairs->integral.weight) return 0;
  if (pairs->request.x->linear) return 0;
  double events = pairs->rectangles / fmax(pairs->pairs, 1);
  return (int64_t)(width * events * (cost->event + width * lane) /
                   (events * pcf_single_event_cost + pcf_single_pair_cost));
}

/* ---- Bands ---- */

struct state {
  struct pcf_sides bands;       /* struct pcf_band */
  struct pcf_event_lists lists; /* where single pairs are computed */
};

/* Where there are lists, bands have no times and values: a tile that is computed whole takes
 * them from the lists, which costs little beside it. */
static enum pcf_status build_band(const struct pcf_cpu_run *run, const struct pcf_collection *x,
                                  int64_t first, int count, struct pcf_band_scratch *scratch,
                                  void *band, struct pcf_error *error) {
  const struct pcf_integral *integral = &run->pairs->integral;
  enum pcf_status status =
    pcf_band_build(band, x, integral, first, count, run->width, scratch, error);
  if (status || !run->most) return status;
  return pcf_band_leave_order(band, integral->precision, run->width, error);
}

/* Of a band, its times and its values. */
static size_t room_of(int64_t events, enum pcf_precision precision) {
  return pcf_aligned(sizeof(struct pcf_band)) +
         2 * pcf_aligned((size_t)(events + 1) * pcf_scalar_size(precision));
}

/* In each worker for two bands. */
static void find_room(struct pcf_cpu_run *run) {
  const struct state *state = run->state;
  int64_t most = 0;
  for (int64_t b = 0; b < state->bands.bands; b++) {
    const struct pcf_band *band = pcf_row_band(&state->bands, b);
    most = pcf_larger(most, band->events);
  }
  run->room = 2 * room_of(most, run->pairs->integral.precision);
}

static enum pcf_status prepare(struct pcf_cpu_run *run, struct pcf_error *error) {
  const struct pcf_request *request = &run->pairs->request;
  struct state *state = run->state;
  enum pcf_status status =
    pcf_sides_make(&state->bands, run, sizeof(struct pcf_band), build_band, error);
  if (status || !run->most) return status;
  find_room(run);
  return pcf_event_lists_make(&state->lists, request->x, request->y, &run->pairs->integral,
                              run->threads, run->task->stop, error);
}

static void release(struct pcf_cpu_run *run) {
  struct state *state = run->state;
  pcf_sides_free(&state->bands, pcf_band_free);
  pcf_event_lists_free(&state->lists);
}

/* ---- Tiles ---- */

/* Times and values of a band of functions with such lists, in which a value is that before the
 * next event. */
#define FILL_BAND(SCALAR)                                                         \
  do {                                                                            \
    const SCALAR *next[PCF_MAX_WIDTH];                                            \
    SCALAR *time = band->time, *value = band->value;                              \
    for (int lane = 0; lane < band->count; lane++) next[lane] = list[lane].event; \
    for (int64_t e = 0; e < band->events; e++) {                                  \
      const SCALAR *event = next[band->function[e] & ~PCF_FLUSH];                 \
      time[e] = event[0];                                                         \
      value[e] = event[3];                                                        \
      next[band->function[e] & ~PCF_FLUSH] = event + 2;                           \
    }                                                                             \
    time[band->events] = (SCALAR)INFINITY;                                        \
  } while (0)

/* The whole band, in `room` bytes of a workspace. */
static const struct pcf_band *whole_band(const struct pcf_band *of,
                                         const struct pcf_event_list *list,
                                         enum pcf_precision precision, char *memory,
                                         size_t room) {
  struct pcf_band *band = (struct pcf_band *)memory;
  size_t before = pcf_aligned(sizeof *band);
  *band = *of;
  band->time = memory + before;
  band->value = memory + before + (room - before) / 2;
  if (precision == PCF_DOUBLE) FILL_BAND(double);
  else FILL_BAND(float);
  return band;
}

static void sides(const struct pcf_cpu_run *run, int64_t i, int64_t j, struct pcf_tile *tile) {
  const struct state *state = run->state;
  const struct pcf_band *rows = pcf_row_band(&state->bands, i);
  const struct pcf_band *columns = pcf_column_band(&state->bands, j);
  if (run->most) {
    const struct pcf_integral *integral = &run->pairs->integral;
    int64_t row = i * run->width, column = j * run->width;
    size_t room = run->room / 2, tiles = pcf_aligned(pcf_tile_workspace(run->width, integral));
    char *memory = (char *)tile->workspace + tiles;
    rows = whole_band(rows, state->lists.list + row, integral->precision, memory, room);
    columns = whole_band(columns, state->lists.columns + column, integral->precision,
                         memory + room, room);
  }
  tile->sweep.rows = rows;
  tile->sweep.columns = columns;
}

static int some_pairs(const struct pcf_cpu_run *run, int64_t i, int64_t j,
                      const struct pcf_tile *tile, const struct pcf_pair_position *position,
                      int64_t positions) {
  const struct state *state = run->state;
  struct pcf_listed_pairs listed = {state->lists.list + i, state->lists.columns + j, position,
                                    positions};
  const struct pcf_kernels *kernels = pcf_kernels_of(run->pairs->instructions);
  return kernels->listed[run->pairs->integral.precision](tile, &listed);
}

static int compute(const struct pcf_cpu_run *run, const struct pcf_block *block,
                   struct pcf_cpu_worker *worker) {
  const struct pcf_kernels *kernels = pcf_kernels_of(run->pairs->instructions);
  pcf_tile_kernel *kernel = kernels->sweep[run->pairs->family][run->pairs->integral.precision];
  return pcf_compute_tiles(run, block, worker, kernel, sides, some_pairs);
}

const struct pcf_method pcf_sweep_method = {
  .name = "sweep",
  .estimate = estimate,
  .state = sizeof(struct state),
  .prepare = prepare,
  .schedule = pcf_schedule_tiles,
  .release = release,
  .most_single = most_single,
  .compute = compute,
};
