#include "pairs/plan.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Measured costs, in nanoseconds on one core. An event of the sweep costs a fixed part and a
 * part for each lane of the other band; a grid cell is one function pair at one grid point.
 * AVX-512, AVX2, SSE2 and scalar: AMD EPYC (Zen 5) at 2.6 GHz, workloads of 10 … 999
 * breakpoints and of 256 and 1000 grid points. NEON: assumed, from SSE2. */
struct costs {
  double event, lane[2], cell[2];
};

static const struct costs costs[PCF_INSTRUCTION_SETS] = {
  [PCF_AVX512] = {4.5, {0.104, 0.060}, {0.033, 0.019}},
  [PCF_AVX2] = {7.0, {0.135, 0.075}, {0.065, 0.033}},
  [PCF_SSE2] = {7.0, {0.370, 0.185}, {0.190, 0.095}},
  [PCF_NEON] = {7.0, {0.300, 0.150}, {0.150, 0.075}},
  [PCF_SCALAR] = {7.0, {0.570, 0.600}, {0.220, 0.220}},
};

static const double pow_cost = 13.5;    /* a call of pow(), in any kernel */
static const double power_factor = 4;   /* terms of general p without pow(), to terms of L1 */
static const double walk_cost = 0.9;    /* a rectangle of the split kernel */
static const double finish_cost = 1.2;  /* a pair of a tile: adding, transposing, writing */
static const double split_cost = 150;   /* a pair of the split kernel, besides its walk */
static const double expand_cost = 1.5;  /* a value of a panel */
static const double copy_cost = 3.0;    /* a breakpoint made ready for the split kernel */
static const double thread_cost = 40e3; /* starting and joining a thread */
static double merge_cost(int width) {   /* an event, through all merging passes */
  return 8 + 4 * log2(width);
}

static const int widths[] = {32, 64, 128, 256};
enum { WIDTHS = sizeof widths / sizeof widths[0], GRID_WIDTH = 64 };

/* Grid panels may take as much as the packed collection twice: 32 bytes a breakpoint. */
static const double panel_bytes_per_breakpoint = 32;

/* The request in numbers. */
struct size {
  double rows, columns, row_breakpoints, column_breakpoints;
  int symmetric;
};

static struct size measure(const struct pcf_request *request, struct pcf_plan *plan);
static int estimate(struct pcf_plan *plan, const struct pcf_request *request,
                    const struct pcf_integral *integral, const struct size *size,
                    const struct pcf_grid *grid);
static enum pcf_status choose_kernel(struct pcf_plan *plan, const struct pcf_request *request,
                                     const struct pcf_integral *integral,
                                     const struct size *size, struct pcf_grid *grid,
                                     struct pcf_error *error);
static double term_cost(double cost, const struct pcf_request *request);
static double sweep_seconds(const struct pcf_plan *plan, const struct pcf_request *request,
                            const struct size *size, int width);
static double grid_seconds(const struct pcf_plan *plan, const struct pcf_request *request,
                           const struct size *size, double points);
static double split_seconds(const struct pcf_plan *plan, const struct pcf_request *request,
                            const struct size *size);
static int64_t grid_limit(const struct pcf_plan *plan, const struct pcf_request *request,
                          const struct size *size);
static enum pcf_kernel cheapest(const struct pcf_plan *plan);
static int is_width(int width);
static int fits_cache(int width, const struct pcf_integral *integral);

const char *pcf_kernel_name(enum pcf_kernel kernel) {
  static const char *const names[] = {"sweep", "grid", "split"};
  return kernel == PCF_KERNEL_AUTO ? "auto" : names[kernel];
}

enum pcf_status pcf_plan_make(struct pcf_plan *plan, const struct pcf_request *request,
                              const struct pcf_integral *integral, struct pcf_grid *grid,
                              struct pcf_error *error) {
  *plan = (struct pcf_plan){.threads = request->threads, .block_side = request->block_side};
  *grid = (struct pcf_grid){0};
  if (!pcf_find_instructions(request->instructions, &plan->instructions)) {
    return pcf_fail(error, PCF_ERROR_ARGUMENT, "this processor has no \"%s\" instructions",
                    request->instructions);
  }
  if (request->width && !is_width(request->width)) {
    return pcf_fail(error, PCF_ERROR_ARGUMENT, "a tile cannot have a side of %d",
                    request->width);
  }
  struct size size = measure(request, plan);
  enum pcf_status status = choose_kernel(plan, request, integral, &size, grid, error);
  if (status) return status;
  plan->threads = request->threads;
  int sweep_width = estimate(plan, request, integral, &size, grid);
  int grid_width = request->width ? request->width : GRID_WIDTH;
  plan->width = plan->kernel == PCF_SWEEP ? sweep_width : grid_width;
  double worth = plan->seconds[plan->kernel] * request->threads / (thread_cost * 1e-9);
  if (worth < plan->threads) plan->threads = worth > 1 ? (int)worth : 1;
  return PCF_OK;
}

/* Finds what every kernel takes with plan->threads threads, the grid's if there is a grid, and
 * returns the best width of the sweep. */
static int estimate(struct pcf_plan *plan, const struct pcf_request *request,
                    const struct pcf_integral *integral, const struct size *size,
                    const struct pcf_grid *grid) {
  int best = widths[0];
  for (int k = 0; k < PCF_KERNEL_COUNT; k++) plan->seconds[k] = INFINITY;
  plan->seconds[PCF_SPLIT] = split_seconds(plan, request, size);
  if (request->mode == PCF_PAIRED) return best;
  for (int k = 0; k < WIDTHS; k++) {
    if (request->width && request->width != widths[k]) continue;
    if (k && !request->width && !fits_cache(widths[k], integral)) break;
    double seconds = sweep_seconds(plan, request, size, widths[k]);
    if (seconds >= plan->seconds[PCF_SWEEP]) continue;
    plan->seconds[PCF_SWEEP] = seconds;
    best = widths[k];
  }
  if (grid->points) {
    plan->seconds[PCF_GRID] = grid_seconds(plan, request, size, (double)grid->points);
  }
  return best;
}

/* The cheapest kernel, or the one that is asked for. Kernels agree only up to rounding, so the
 * choice is always that for the same number of threads: the result must not depend on how many
 * there are. */
static enum pcf_status choose_kernel(struct pcf_plan *plan, const struct pcf_request *request,
                                     const struct pcf_integral *integral,
                                     const struct size *size, struct pcf_grid *grid,
                                     struct pcf_error *error) {
  enum { THREADS = 2 };
  plan->threads = THREADS;
  estimate(plan, request, integral, size, grid);
  if (request->mode != PCF_PAIRED) {
    int64_t limit = grid_limit(plan, request, size);
    enum pcf_status status =
      pcf_grid_find(grid, request->x, request->y, integral, limit, error);
    if (status) return status;
    plan->cells = plan->pairs * (double)grid->points;
    estimate(plan, request, integral, size, grid);
  }
  plan->kernel = request->kernel != PCF_KERNEL_AUTO ? request->kernel : cheapest(plan);
  if (plan->seconds[plan->kernel] < INFINITY) return PCF_OK;
  return pcf_fail(error, PCF_ERROR_ARGUMENT, "the \"%s\" kernel cannot be used here",
                  pcf_kernel_name(plan->kernel));
}

static int is_width(int width) {
  for (int k = 0; k < WIDTHS; k++) {
    if (width == widths[k]) return 1;
  }
  return 0;
}

static enum pcf_kernel cheapest(const struct pcf_plan *plan) {
  enum pcf_kernel best = PCF_SWEEP;
  for (int k = 0; k < PCF_KERNEL_COUNT; k++) {
    if (plan->seconds[k] < plan->seconds[best]) best = (enum pcf_kernel)k;
  }
  return best;
}

static struct size measure(const struct pcf_request *request, struct pcf_plan *plan) {
  const struct pcf_collection *x = request->x, *y = request->y ? request->y : request->x;
  struct size size = {.rows = (double)x->count,
                      .columns = (double)y->count,
                      .row_breakpoints = (double)pcf_total_breakpoints(x),
                      .column_breakpoints = (double)pcf_total_breakpoints(y),
                      .symmetric = request->mode == PCF_LOWER_WITH_DIAGONAL ||
                                   request->mode == PCF_LOWER_WITHOUT_DIAGONAL};
  if (request->mode == PCF_PAIRED) {
    plan->pairs = fmax(size.rows, size.columns);
    plan->rectangles =
      plan->pairs * (size.row_breakpoints / size.rows + size.column_breakpoints / size.columns);
  } else if (size.symmetric) {
    double self = request->mode == PCF_LOWER_WITH_DIAGONAL ? 1 : -1;
    plan->pairs = size.rows * (size.rows + self) / 2;
    plan->rectangles = size.row_breakpoints * (size.rows + self);
  } else {
    plan->pairs = size.rows * size.columns;
    plan->rectangles =
      size.row_breakpoints * size.columns + size.column_breakpoints * size.rows;
  }
  return size;
}

/* What a term costs under the operation, if it costs that much for L1. */
static double term_cost(double cost, const struct pcf_request *request) {
  if (request->operation != PCF_LP) return cost;
  return pcf_half_powers(request->p) ? power_factor * cost : cost + pow_cost;
}

/* Seconds of so many nanoseconds that come in `items` equal shares. */
static double spread(double nanoseconds, double items, int threads) {
  if (items < 1) return 0;
  return nanoseconds * 1e-9 * ceil(items / threads) / items;
}

/* An event takes part in a tile with every band of the other side. A tile is computed at its
 * full width, however few functions are in it. */
static double sweep_seconds(const struct pcf_plan *plan, const struct pcf_request *request,
                            const struct size *size, int width) {
  const struct costs *cost = &costs[plan->instructions];
  double row_bands = ceil(size->rows / width), column_bands = ceil(size->columns / width);
  double lane = term_cost(cost->lane[request->precision], request);
  double events = size->symmetric ? size->row_breakpoints * row_bands
                                  : size->row_breakpoints * column_bands +
                                      size->column_breakpoints * row_bands;
  double tiles = size->symmetric ? row_bands * (row_bands + 1) / 2 : row_bands * column_bands;
  double breakpoints = size->row_breakpoints + (size->symmetric ? 0 : size->column_breakpoints);
  double bands = row_bands + (size->symmetric ? 0 : column_bands);
  return spread(breakpoints * merge_cost(width), bands, plan->threads) +
         spread(events * (cost->event + width * lane) + plan->pairs * finish_cost, tiles,
                plan->threads);
}

static double grid_seconds(const struct pcf_plan *plan, const struct pcf_request *request,
                           const struct size *size, double points) {
  const struct costs *cost = &costs[plan->instructions];
  double cell = term_cost(cost->cell[request->precision], request);
  double row_bands = ceil(size->rows / GRID_WIDTH);
  double column_bands = ceil(size->columns / GRID_WIDTH);
  double tiles = size->symmetric ? row_bands * (row_bands + 1) / 2 : row_bands * column_bands;
  double functions = size->rows + (size->symmetric ? 0 : size->columns);
  double bands = row_bands + (size->symmetric ? 0 : column_bands);
  double computed = tiles * GRID_WIDTH * GRID_WIDTH * points;
  return spread(functions * points * expand_cost, bands, plan->threads) +
         spread(computed * cell + plan->pairs * finish_cost, tiles, plan->threads);
}

/* Pairs are cut into parts, so that the work spreads evenly. */
static double split_seconds(const struct pcf_plan *plan, const struct pcf_request *request,
                            const struct size *size) {
  double step = term_cost(walk_cost, request);
  double breakpoints = size->row_breakpoints + (request->y ? size->column_breakpoints : 0);
  double nanoseconds =
    breakpoints * copy_cost + plan->rectangles * step + plan->pairs * split_cost;
  return nanoseconds * 1e-9 / plan->threads;
}

/* The points up to which a grid is cheaper than the other kernels and fits in memory; any
 * number when it is forced. */
static int64_t grid_limit(const struct pcf_plan *plan, const struct pcf_request *request,
                          const struct size *size) {
  double breakpoints = size->row_breakpoints + (request->y ? size->column_breakpoints : 0);
  double functions = size->rows + (request->y ? size->columns : 0);
  if (request->kernel == PCF_GRID) return (int64_t)breakpoints + 1;
  if (request->kernel != PCF_KERNEL_AUTO) return 0;
  double other = fmin(plan->seconds[PCF_SWEEP], plan->seconds[PCF_SPLIT]);
  double one = grid_seconds(plan, request, size, 1), two = grid_seconds(plan, request, size, 2);
  double cheaper = (other - one) / (two - one) + 1;
  double bytes = functions * (double)pcf_scalar_size(request->precision);
  double fits = panel_bytes_per_breakpoint * breakpoints / bytes;
  double limit = fmin(fmin(cheaper, fits), breakpoints + 1);
  return limit >= 1 ? (int64_t)limit : 0;
}

/* Do the two accumulators fit in the second-level cache? */
static int fits_cache(int width, const struct pcf_integral *integral) {
  long cache = 1 << 20;
#ifdef _SC_LEVEL2_CACHE_SIZE
  long size = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (size > 0) cache = size;
#endif
  size_t bytes = 2 * (size_t)width * (size_t)width * pcf_scalar_size(integral->precision);
  return bytes <= (size_t)cache;
}
