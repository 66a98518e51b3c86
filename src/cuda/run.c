#include "cuda/run.h"

#include "base/memory.h"
#include "base/threads.h"
#include "cuda/info.h"
#include "cuda/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum pcf_status clip(const struct pcf_cuda_run *run, struct pcf_cuda_clipped *clipped,
                            const struct pcf_collection *x, struct pcf_error *error);
static enum pcf_status cut_window(struct pcf_cuda_run *run, struct pcf_error *error);
static enum pcf_status read_grid(struct pcf_cuda_run *run, struct pcf_error *error);
static enum pcf_status cut_segments(struct pcf_cuda_run *run, int64_t side,
                                    struct pcf_error *error);

/* ---- Preparing ---- */

static void measure_devices(struct pcf_cuda_run *run, const struct pcf_cuda_info *info) {
  const struct pcf_task *task = run->task;
  run->gpus = info->wanted;
  run->multiprocessors = info->gpu[0].multiprocessors;
  run->memory = INFINITY;
  for (int g = 0; g < run->gpus; g++) {
    const struct pcf_gpu_info *gpu = &info->gpu[g];
    memcpy(run->name[g], gpu->name, sizeof run->name[g]);
    run->total[g] = gpu->memory;
    run->memory = fmin(run->memory, gpu->free_memory + gpu->kept_memory);
  }
  if (task->settings.gpu_memory > 0) {
    run->memory = fmin(run->memory, task->settings.gpu_memory);
    run->limit = task->settings.gpu_memory;
  }
  if (pcf_cuda_provocation.memory > 0) run->limit = pcf_cuda_provocation.memory;
  const struct pcf_integral *integral = &run->pairs->integral;
  int width = run->pairs->request.width;
  run->policy = width ? pcf_cuda_forced_policy(width, integral->operation)
                      : pcf_cuda_select_policy(info->gpu[0].capability, integral->operation,
                                               integral->precision);
}

/* The forms in which rows and columns are wanted. */
static void choose_forms(struct pcf_cuda_run *run) {
  int panels = run->method == PCF_CUDA_GRID;
  struct pcf_cuda_clipped *columns = run->pairs->request.y ? &run->y : &run->x;
  run->form[0] = (struct pcf_cuda_form){&run->x, {0}, panels ? 0 : run->policy.rows};
  run->form[1] = (struct pcf_cuda_form){columns, {0}, panels ? 0 : run->policy.columns};
  int same = columns == &run->x && run->form[0].side == run->form[1].side;
  run->forms = same ? 1 : 2;
}

static int64_t most_breakpoints(const struct pcf_cuda_clipped *clipped) {
  int64_t most = 0;
  for (int64_t i = 0; i < clipped->x->count; i++) {
    int64_t m = clipped->start[i + 1] - clipped->start[i];
    if (m > most) most = m;
  }
  return most;
}

/* Suprema are not sums. */
static void choose_flush(struct pcf_cuda_run *run) {
  const struct pcf_integral *integral = &run->pairs->integral;
  int on_grid = run->method == PCF_CUDA_GRID;
  int interval = pcf_cuda_flush_interval(integral->precision, on_grid);
  int64_t most = on_grid ? run->stretches : most_breakpoints(&run->x);
  if (!on_grid && run->pairs->request.y) {
    int64_t of_columns = most_breakpoints(&run->y);
    most = of_columns > most ? of_columns : most;
  }
  if (!pcf_is_supremum(integral->operation) && most > interval) run->flush = interval;
}

enum pcf_status pcf_cuda_run_prepare(struct pcf_cuda_run *run, const struct pcf_task *task,
                                     struct pcf_error *error) {
  struct pcf_cuda_info info;
  *run = (struct pcf_cuda_run){.task = task,
                               .pairs = task->problem,
                               .method = *(const enum pcf_cuda_method *)task->offer.how,
                               .slices = 1};
  pcf_cuda_describe(&info, task->settings.gpus);
  if (info.problem[0]) {
    return pcf_fail(error, PCF_ERROR_DEVICE, "CUDA cannot be used: %s", info.problem);
  }
  enum pcf_status status = pcf_cuda_measure(&info, error);
  if (status) return status;
  measure_devices(run, &info);
  choose_forms(run);
  status = clip(run, &run->x, run->pairs->request.x, error);
  if (!status && run->pairs->request.y) {
    status = clip(run, &run->y, run->pairs->request.y, error);
  }
  if (!status) status = (run->method == PCF_CUDA_GRID ? read_grid : cut_window)(run, error);
  if (!status) choose_flush(run);
  return status;
}

static void free_clipped(struct pcf_cuda_clipped *clipped) {
  pcf_free(clipped->start);
  pcf_free(clipped->exponent);
  pcf_free(clipped->initial);
}

void pcf_cuda_run_free(struct pcf_cuda_run *run) {
  free_clipped(&run->x);
  free_clipped(&run->y);
  pcf_segments_free(&run->form[0].segments);
  pcf_segments_free(&run->form[1].segments);
  pcf_free(run->slice_time);
  pcf_free(run->grid);
  pcf_free(run->lengths);
  pcf_free(run->factors);
}

/* ---- Clipping ---- */

enum { FUNCTIONS_PER_CLIP = 256 };

struct clipping {
  const struct pcf_integral *integral;
  struct pcf_cuda_clipped *clipped;
  double *first; /* the earliest time of each chunk */
};

static enum pcf_status clip_some(void *context, int thread, int64_t index,
                                 struct pcf_error *error) {
  const struct clipping *clipping = context;
  const struct pcf_integral *integral = clipping->integral;
  struct pcf_cuda_clipped *clipped = clipping->clipped;
  int64_t first = index * FUNCTIONS_PER_CLIP, last = first + FUNCTIONS_PER_CLIP;
  (void)thread;
  (void)error;
  if (last > clipped->x->count) last = clipped->x->count;
  double earliest = INFINITY;
  for (int64_t i = first; i < last; i++) {
    struct pcf_clip part = pcf_clip_function(clipped->x, i, integral);
    clipped->start[i + 1] = part.end - part.begin;
    clipped->exponent[i] = pcf_value_exponent(clipped->x, i, integral);
    pcf_store_scalar(clipped->initial, i, pcf_scaled(part.initial, clipped->exponent[i]),
                     integral->precision);
    earliest = fmin(earliest, pcf_times(clipped->x, i)[0]);
  }
  clipping->first[index] = earliest;
  return PCF_OK;
}

static enum pcf_status clip(const struct pcf_cuda_run *run, struct pcf_cuda_clipped *clipped,
                            const struct pcf_collection *x, struct pcf_error *error) {
  size_t n = (size_t)x->count, scalar = pcf_scalar_size(run->pairs->integral.precision);
  int64_t chunks = pcf_band_count(x->count, FUNCTIONS_PER_CLIP);
  clipped->x = x;
  clipped->first = INFINITY;
  clipped->start = pcf_allocate(n + 1, sizeof *clipped->start, error);
  if (!clipped->start) return PCF_ERROR_MEMORY;
  clipped->exponent = pcf_allocate(n, sizeof *clipped->exponent, error);
  if (!clipped->exponent) return PCF_ERROR_MEMORY;
  clipped->initial = pcf_allocate(n, scalar, error);
  if (!clipped->initial) return PCF_ERROR_MEMORY;
  double *first = pcf_allocate((size_t)chunks, sizeof *first, error);
  if (!first) return PCF_ERROR_MEMORY;
  const struct pcf_task *task = run->task;
  struct clipping clipping = {&run->pairs->integral, clipped, first};
  enum pcf_status status =
    pcf_parallel_for(task->offer.threads, chunks, task->stop, clip_some, &clipping, error);
  int stopped = atomic_load(task->stop);
  for (int64_t c = 0; c < chunks && !status && !stopped; c++) {
    double earliest = pcf_scaled(first[c], run->pairs->integral.time_exponent);
    clipped->first = fmin(clipped->first, earliest);
  }
  clipped->start[0] = 0;
  for (size_t i = 0; i < n && !status && !stopped; i++) {
    clipped->start[i + 1] += clipped->start[i];
  }
  pcf_free(first);
  if (!status && stopped) return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
  return status;
}

/* ---- Slices of the window ---- */

/* Few functions of many breakpoints have too few tiles to keep a GPU busy, so the window is cut
 * at times between which there are about as many breakpoints. The number of slices and their
 * times depend on the functions alone, and not on the device. With slices of some hundred
 * breakpoints a function the sweep still has about half of its usual rate (the table is in
 * bench/results). */
enum {
  MOST_FUNCTIONS_TO_SLICE = 4096,
  LEAST_BREAKPOINTS_TO_SLICE = 4096,
  BREAKPOINTS_PER_SLICE = 512,
  MOST_SLICES = 1024,
  SAMPLE = 1 << 16
};

/* One for the sweep. */
static int count_slices(const struct pcf_cuda_run *run) {
  const struct pcf_task *task = run->task;
  double functions =
    (double)task->rows.count + (run->pairs->request.y ? (double)task->columns.count : 0);
  double breakpoints = (double)run->x.start[task->rows.count];
  if (run->pairs->request.y) breakpoints += (double)run->y.start[task->columns.count];
  if (run->method != PCF_CUDA_SPLIT) return 1;
  double slices = ceil(breakpoints / functions / BREAKPOINTS_PER_SLICE);
  return slices < 2 ? 2 : slices > MOST_SLICES ? MOST_SLICES : (int)slices;
}

/* Every `step`-th time of each function inside the window. */
static int64_t sample_times(const struct pcf_cuda_clipped *clipped,
                            const struct pcf_integral *integral, int64_t step, double *sample) {
  int64_t count = 0;
  for (int64_t i = 0; i < clipped->x->count; i++) {
    struct pcf_clip part = pcf_clip_function(clipped->x, i, integral);
    for (int64_t k = part.begin + step / 2; k < part.end; k += step) {
      double time = pcf_scaled(pcf_times(clipped->x, i)[k], integral->time_exponent);
      sample[count++] = integral->precision == PCF_DOUBLE ? time : (float)time;
    }
  }
  return count;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static enum pcf_status cut_window(struct pcf_cuda_run *run, struct pcf_error *error) {
  const struct pcf_task *task = run->task;
  int slices = count_slices(run);
  run->slice_time = pcf_allocate((size_t)slices, sizeof(double), error);
  if (!run->slice_time) return PCF_ERROR_MEMORY;
  run->slice_time[0] = run->pairs->integral.from;
  if (!(run->pairs->integral.from > -INFINITY)) {
    run->slice_time[0] =
      run->pairs->request.y ? fmin(run->x.first, run->y.first) : run->x.first;
  }
  if (slices == 1) return PCF_OK;
  int64_t events = run->x.start[task->rows.count] +
                   (run->pairs->request.y ? run->y.start[task->columns.count] : 0);
  int64_t step = events / SAMPLE + 1;
  int64_t functions =
    task->rows.count + (run->pairs->request.y ? task->columns.count : 0); /* one more of each */
  double *sample = pcf_allocate((size_t)(events / step + functions), sizeof *sample, error);
  if (!sample) return PCF_ERROR_MEMORY;
  int64_t count = sample_times(&run->x, &run->pairs->integral, step, sample);
  if (run->pairs->request.y)
    count += sample_times(&run->y, &run->pairs->integral, step, sample + count);
  qsort(sample, (size_t)count, sizeof *sample, ascending);
  for (int s = 1; s < slices && count > 0; s++) {
    double time = sample[count * s / slices];
    if (time > run->slice_time[run->slices - 1]) run->slice_time[run->slices++] = time;
  }
  pcf_free(sample);
  return PCF_OK;
}

/* ---- The shared grid ---- */

/* The kernels count the points of a grid with integers of 32 bits. */
static const double most_points = 1 << 30;

/* An inner product brings the square root of the length into both factors. */
static enum pcf_status read_grid(struct pcf_cuda_run *run, struct pcf_error *error) {
  const struct pcf_integral *integral = &run->pairs->integral;
  const struct pcf_grid *grid = &run->pairs->grid;
  size_t scalar = pcf_scalar_size(integral->precision);
  if ((double)grid->points > most_points) {
    return pcf_fail(
      error, PCF_ERROR_DEVICE,
      "a shared grid of %.0f points is too long for CUDA devices, which take %.0f",
      (double)grid->points, most_points);
  }
  run->stretches = (int)grid->points - !(integral->to < INFINITY);
  run->deep = pcf_band_count(run->stretches, PCF_CUDA_GRID_DEPTH) * PCF_CUDA_GRID_DEPTH;
  size_t room = (size_t)run->deep + 1;
  run->grid = pcf_allocate(room, scalar, error);
  run->lengths = pcf_allocate(room, scalar, error);
  run->factors = pcf_allocate(room, scalar, error);
  if (!run->grid || !run->lengths || !run->factors) return PCF_ERROR_MEMORY;
  memset(run->lengths, 0, room * scalar);
  pcf_grid_lengths(grid, integral, run->lengths);
  for (int64_t g = 0; g < (int64_t)room; g++) {
    double length = 0;
    if (g < run->stretches) {
      length = (g + 1 < grid->points ? grid->time[g + 1] : integral->to) - grid->time[g];
    }
    pcf_store_scalar(run->grid, g, g < grid->points ? grid->time[g] : 0, integral->precision);
    pcf_store_scalar(run->factors, g, sqrt(length), integral->precision);
  }
  return PCF_OK;
}

/* ---- Cutting ---- */

/* A block is so small that an interrupt need not wait long for those in flight, and that the
 * pinned memory it goes through is worth its cost. */
static double most_elements(const struct pcf_cuda_run *run) {
  static const double most_rectangles = 4e10, most_general = 5e8, most = 1 << 22;
  static const double most_partial = 1 << 24;
  double work =
    pcf_is_relative(run->pairs->integral.operation) ? most_general : most_rectangles;
  double rectangles = run->pairs->rectangles / fmax(run->pairs->pairs, 1);
  double elements = fmin(most, work / fmax(rectangles, 1));
  return run->slices > 1 ? fmin(elements, most_partial / (run->slices + 1)) : elements;
}

static int64_t tile_of(const struct pcf_cuda_run *run) {
  return run->method == PCF_CUDA_GRID ? PCF_CUDA_PANEL : 64;
}

static int64_t least_side(const struct pcf_cuda_run *run) {
  int64_t side = pcf_min_block_side(run->multiprocessors) / 8, tile = tile_of(run);
  return side > tile ? side : tile;
}

/* A power of two of tiles, so that halves nest. */
static int64_t block_side(const struct pcf_cuda_run *run) {
  const struct pcf_task *task = run->task;
  int64_t columns = run->pairs->request.y ? task->columns.count : task->rows.count,
          tile = tile_of(run), side = tile;
  size_t scalar = pcf_scalar_size(run->pairs->integral.precision);
  double wide = (double)(pcf_cuda_wide_sums(run) * sizeof(double));
  double elements = (double)pcf_max_output_elements(run->memory, scalar);
  elements /= 1 + wide / (double)scalar;
  int64_t busy = pcf_min_block_side(run->multiprocessors);
  int64_t fits = (int64_t)sqrt(elements / PCF_CUDA_BUFFERS);
  struct pcf_block_limits limits = {(int64_t)elements, 32 * (int64_t)run->gpus,
                                    busy < fits ? busy : fits};
  int64_t wanted = pcf_block_side(&limits, task->rows.count, columns);
  if (wanted > (int64_t)sqrt(most_elements(run))) wanted = (int64_t)sqrt(most_elements(run));
  if (task->settings.block_side) {
    int64_t largest = task->rows.count > columns ? task->rows.count : columns;
    if (largest > PCF_CUDA_MOST_SIDE) largest = PCF_CUDA_MOST_SIDE;
    return pcf_cuda_side_from(tile, task->settings.block_side, largest);
  }
  while (2 * side <= wanted) side *= 2;
  return side;
}

/* Cuts smaller until the functions of a block fit. */
static enum pcf_status fit_segments(struct pcf_cuda_run *run, int64_t *side,
                                    struct pcf_error *error) {
  for (;;) {
    enum pcf_status status = cut_segments(run, *side, error);
    int64_t half = pcf_halved_side(*side, tile_of(run), least_side(run));
    if (status != PCF_ERROR_DEVICE_MEMORY || !half) return status;
    *side = half;
  }
}

static enum pcf_status order_blocks(const struct pcf_cuda_run *run,
                                    struct pcf_schedule *schedule, struct pcf_error *error) {
  const struct pcf_segments *rows = &run->form[pcf_cuda_form_of(run, 0)].segments;
  const struct pcf_segments *columns = &run->form[pcf_cuda_form_of(run, 1)].segments;
  if (rows->count <= 1 && columns->count <= 1) return PCF_OK;
  return pcf_schedule_by_segments(schedule, rows, columns, run->slots > 2 ? run->slots - 2 : 1,
                                  error);
}

enum pcf_status pcf_cuda_run_schedule(struct pcf_cuda_run *run, struct pcf_schedule *schedule,
                                      struct pcf_error *error) {
  const struct pcf_task *task = run->task;
  int64_t side = block_side(run);
  enum pcf_status status = fit_segments(run, &side, error);
  if (!status) {
    status =
      pcf_schedule_blocks(schedule, task->mode, &task->rows, &task->columns, side, error);
  }
  if (status) return status;
  schedule->tile = tile_of(run);
  schedule->least_side = least_side(run);
  return order_blocks(run, schedule, error);
}

enum pcf_status pcf_cuda_run_shrink(struct pcf_cuda_run *run, struct pcf_schedule *schedule,
                                    struct pcf_error *error) {
  run->memory /= 2;
  enum pcf_status status = cut_segments(run, schedule->side, error);
  return status ? status : order_blocks(run, schedule, error);
}

/* ---- Segments ---- */

/* What a function and a breakpoint take, in the form and while they are brought into it. */
struct bytes {
  double function, breakpoint, function_scratch, breakpoint_scratch, slack;
};

static struct bytes bytes_of(const struct pcf_cuda_run *run, const struct pcf_cuda_form *form) {
  enum { SORTING = 26, ARRAYS = 8 };
  double scalar = (double)pcf_scalar_size(run->pairs->integral.precision);
  struct bytes bytes = {.function_scratch = 8 + scalar, .breakpoint_scratch = 2 * scalar};
  bytes.slack = ARRAYS * PCF_CUDA_ALIGNMENT;
  if (form->side == 0) {
    bytes.function = (double)(run->deep + 1) * scalar;
    bytes.slack += PCF_CUDA_PANEL * bytes.function;
  } else {
    bytes.function = run->slices * (scalar + 8.0 / form->side);
    bytes.breakpoint = 4 * scalar + 1;
    bytes.breakpoint_scratch += SORTING;
    bytes.slack += form->side * bytes.function + 16.0 * run->slices;
  }
  return bytes;
}

/* What all functions take together: in their forms, in the largest one of these, and while they
 * are brought up; and the most that scratch memory takes beside a byte of a form. */
struct needs {
  double forms, largest, scratch, ratio, slack;
};

static struct needs needs_of(const struct pcf_cuda_run *run) {
  struct needs needs = {0};
  for (int k = 0; k < run->forms; k++) {
    const struct pcf_cuda_clipped *clipped = run->form[k].clipped;
    struct bytes bytes = bytes_of(run, &run->form[k]);
    double functions = (double)clipped->x->count;
    double breakpoints = (double)clipped->start[clipped->x->count];
    double form = functions * bytes.function + breakpoints * bytes.breakpoint;
    double scratch =
      functions * bytes.function_scratch + breakpoints * bytes.breakpoint_scratch;
    needs.forms += form + bytes.slack;
    needs.largest = fmax(needs.largest, form);
    needs.scratch = fmax(needs.scratch, scratch);
    needs.slack = fmax(needs.slack, bytes.slack);
    needs.ratio = fmax(needs.ratio, scratch / fmax(form, 1));
    if (bytes.breakpoint > 0) {
      needs.ratio = fmax(needs.ratio, bytes.breakpoint_scratch / bytes.breakpoint);
    }
  }
  return needs;
}

/* All at once if that fits into the half of the memory that is for functions; otherwise some
 * slots that take turns. */
static enum pcf_status cut_segments(struct pcf_cuda_run *run, int64_t side,
                                    struct pcf_error *error) {
  enum { SLOTS = 4 };
  struct needs needs = needs_of(run);
  double budget = run->memory / 2, slot_bytes = needs.largest, largest = 0;
  int64_t segments = 0;
  if (needs.forms + needs.scratch > budget) {
    slot_bytes = pcf_cuda_slot_bytes(budget, SLOTS, needs.slack, needs.ratio);
  }
  for (int k = 0; k < run->forms; k++) {
    struct pcf_cuda_form *form = &run->form[k];
    struct bytes bytes = bytes_of(run, form);
    struct pcf_items inside = {form->clipped->x->count, form->clipped->start};
    pcf_segments_free(&form->segments);
    enum pcf_status status = pcf_segments_cut(&form->segments, &inside, side, bytes.breakpoint,
                                              bytes.function, slot_bytes, error);
    if (status) return status;
    segments += form->segments.count;
    largest = fmax(largest, form->segments.most_bytes);
  }
  run->slots = segments < SLOTS ? (int)segments : SLOTS;
  run->slot_bytes = (size_t)ceil(largest + needs.slack);
  return PCF_OK;
}

/* ---- What a run takes ---- */

/* Measured on one H200 with 16 cores: seconds for starting CUDA, for a call, and per
 * breakpoint, pair, rectangle of the sweep and cell of the grid (by precision). */
static const double start_cost = 0.4, call_cost = 0.005, breakpoint_cost = 2e-9,
                    pair_cost = 1.2e-10;
static const double rectangle_cost[] = {1.4e-12, 0.75e-12}, cell_cost[] = {2.5e-13, 1.5e-13};
static const double general_factor = 20; /* of general p */
static const double warps_per_device = 2500, slice_factor = 2;

static double sweep_seconds(const struct pcf_pairs *pairs, double gpus) {
  return pairs->rectangles * rectangle_cost[pairs->request.precision] / gpus;
}

/* With fewer tiles than a device has room for warps, it is idle in part. */
static double idle_factor(const struct pcf_pairs *pairs, double gpus) {
  double tiles = pairs->pairs / (32 * 32);
  return fmax(1, warps_per_device * gpus / fmax(tiles, 1));
}

static double split_seconds(const struct pcf_pairs *pairs, double gpus) {
  const struct pcf_request *request = &pairs->request;
  int forced = request->method && strcmp(request->method, "split") == 0;
  int worth = request->x->count <= MOST_FUNCTIONS_TO_SLICE &&
              pcf_columns_of(request)->count <= MOST_FUNCTIONS_TO_SLICE &&
              pairs->rectangles / pairs->pairs >= 2 * LEAST_BREAKPOINTS_TO_SLICE;
  return worth || forced ? slice_factor * sweep_seconds(pairs, gpus) : INFINITY;
}

/* Of a shared grid that is worth using. */
static double grid_seconds(const struct pcf_pairs *pairs, double gpus) {
  double points = (double)pairs->grid_points, cells = pairs->pairs * points;
  if (points < 1 || points > most_points) return INFINITY;
  return cells * cell_cost[pairs->request.precision] / gpus;
}

static void choose_method(const struct pcf_pairs *pairs, double gpus, struct pcf_offer *offer) {
  static const enum pcf_cuda_method methods[] = {PCF_CUDA_SWEEP, PCF_CUDA_GRID, PCF_CUDA_SPLIT};
  static const char *const names[] = {"sweep", "grid", "split"};
  const char *forced = pairs->request.method;
  double seconds[] = {sweep_seconds(pairs, gpus) * idle_factor(pairs, gpus),
                      grid_seconds(pairs, gpus), split_seconds(pairs, gpus)};
  int best = -1;
  for (int k = 0; k < PCF_CUDA_METHODS; k++) {
    if (forced && strcmp(forced, names[k]) != 0) continue;
    if (best < 0 || seconds[k] < seconds[best]) best = k;
  }
  if (best < 0) return;
  offer->method = names[best];
  offer->how = &methods[best];
  offer->seconds = seconds[best];
  if (pcf_is_relative(pairs->request.operation)) offer->seconds *= general_factor;
}

/* CUDA is not even looked for when others are done in a moment, and only started where it would
 * be faster. */
enum pcf_status pcf_cuda_offer(const void *pairs_, const struct pcf_settings *settings,
                               double others, struct pcf_offer *offer,
                               struct pcf_error *error) {
  static atomic_int started;
  static const double moment = 0.1;
  const struct pcf_pairs *pairs = pairs_;
  struct pcf_cuda_info info;
  (void)error;
  choose_method(pairs, 1, offer);
  offer->seconds = INFINITY;
  if (!offer->method || pairs->request.mode == PCF_PAIRED || others < moment) return PCF_OK;
  pcf_cuda_describe(&info, settings->gpus);
  if (info.problem[0]) {
    pcf_fail(&offer->problem, PCF_ERROR_DEVICE, "%s", info.problem);
    return PCF_OK;
  }
  choose_method(pairs, info.wanted, offer);
  double starting = atomic_exchange(&started, 1) ? 0 : start_cost;
  offer->seconds += starting + call_cost + pairs->pairs * pair_cost +
                    pcf_request_breakpoints(&pairs->request) * breakpoint_cost;
  int wanted = offer->seconds < others;
  if (wanted && pcf_cuda_start(&info, &offer->problem)) offer->seconds = INFINITY;
  return PCF_OK;
}
