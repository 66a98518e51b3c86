#include "cuda/run.h"

#include "base/memory.h"
#include "base/threads.h"
#include "cuda/common.h"
#include "cuda/info.h"
#include "cuda/limits.h"
#include "cuda/method.h"
#include "cuda/resident.h"
#include "pruning/bounds.h"

#include <math.h>

static enum pcf_status clip(const struct pcf_cuda_run *run, struct pcf_cuda_clipped *clipped,
                            const struct pcf_collection *x, struct pcf_error *error);
static enum pcf_status cut_segments(struct pcf_cuda_run *run, int64_t side,
                                    struct pcf_error *error);

/* ---- Preparing ---- */

/* The bytes that the resident collections of the run take on a device. */
static double resident_bytes(const struct pcf_cuda_run *run) {
  const struct pcf_collection *x = run->pairs->request.x, *y = run->pairs->request.y;
  double bytes =
    pcf_cuda_is_resident(pcf_resident(x), run->info.wanted) ? pcf_cuda_packed_bytes(x) : 0;
  if (!y || pcf_resident(y) == pcf_resident(x) ||
      !pcf_cuda_is_resident(pcf_resident(y), run->info.wanted))
    return bytes;
  return bytes + pcf_cuda_packed_bytes(y);
}

/* Decides whether the run reads its collections where they are resident: it does if as much
 * memory is left for the rest. All other resident memory can be freed for the run. */
static void budget_resident(struct pcf_cuda_run *run) {
  double own = resident_bytes(run);
  run->use_resident = own > 0 && own <= run->memory / 2;
  if (run->use_resident) run->memory -= own;
}

static void measure_devices(struct pcf_cuda_run *run) {
  const struct pcf_task *task = run->task;
  run->memory = INFINITY;
  for (int g = 0; g < run->info.wanted; g++) {
    const struct pcf_gpu_info *gpu = &run->info.gpu[g];
    double bytes = gpu->free_memory + gpu->idle_memory + gpu->resident_memory;
    run->memory = fmin(run->memory, bytes);
  }
  run->limit = task->settings.gpu_memory;
  if (run->limit > 0) run->memory = fmin(run->memory, run->limit);
  if (task->divisor) run->memory /= 2; /* the other half is the divisor's */
  if (pcf_cuda_provocation.memory > 0) run->limit = pcf_cuda_provocation.memory;
  budget_resident(run);
}

/* The bytes of device memory that the lists of a selection take for each item. */
static double list_bytes(const struct pcf_selection *selection, enum pcf_precision precision) {
  double label = selection->label ? sizeof *selection->label : 0;
  double least = selection->least ? (double)pcf_scalar_size(precision) : 0;
  double names = selection->name ? 2 * sizeof *selection->name : 0;
  return (double)selection->most * (double)sizeof(struct pcf_entry) +
         (double)pcf_scalar_size(precision) + least + label + names;
}

/* Decides whether the devices keep lists: they do where these are short and take little
 * memory. */
static void plan_lists(struct pcf_cuda_run *run) {
  static const double share = 0.125;
  const struct pcf_selection *selection = pcf_cuda_selection_of(run);
  const struct pcf_task *task = run->task;
  if (!selection || !pcf_selection_is_by_number(selection, &task->scale)) return;
  double bytes = list_bytes(selection, run->pairs->integral.precision);
  bytes *= (double)task->rows.count;
  if (selection->most > PCF_CUDA_MOST_LISTED || bytes > share * run->memory) return;
  run->keeps_lists = 1;
  run->memory -= bytes;
}

/* Decides whether the devices choose tiles by bounds: the sweep can compute single tiles, the
 * narrowest of which are left out most often. */
static enum pcf_status plan_bounds(struct pcf_cuda_run *run, struct pcf_error *error) {
  const struct pcf_task *task = run->task;
  const struct pcf_pruner *pruner = run->pairs->pruner;
  if (!pruner || !pruner->bounds || run->method != &pcf_cuda_sweep_method) return PCF_OK;
  enum pcf_status status =
    pcf_byte_bounds_make(&run->bounds, &run->column_bounds, pruner->bounds, 0,
                         task->offer.threads, task->stop, error);
  if (status || !pcf_cuda_chooses(run)) return status;
  double bands = (double)(run->bounds.bands + run->column_bounds.bands);
  run->memory -=
    bands * (5 * PCF_BAND_POINTS + 2) * run->bounds.words * (double)sizeof *run->bounds.word;
  return PCF_OK;
}

/* Limits of the lists come from other devices, too, where several choose tiles by them. */
static enum pcf_status plan_common(struct pcf_cuda_run *run, struct pcf_error *error) {
  if (!run->keeps_lists || run->info.wanted == 1 || !pcf_cuda_chooses(run)) return PCF_OK;
  run->common =
    pcf_cuda_common_new(run->task->rows.count, run->pairs->integral.precision, error);
  return run->common ? PCF_OK : PCF_ERROR_MEMORY;
}

/* Sets the forms in which the method needs the rows and the columns. */
static void choose_forms(struct pcf_cuda_run *run) {
  const struct pcf_integral *integral = &run->pairs->integral;
  int side = pcf_cuda_tile_side(integral->operation, integral->precision != PCF_DOUBLE);
  if (pcf_cuda_chooses(run)) side = PCF_CUDA_CHOSEN_SIDE;
  run->band = run->method->panel ? run->method->panel : side;
  run->form[0].clipped = &run->x;
  run->form[1].clipped = &run->y;
  run->forms = run->pairs->request.y ? 2 : 1;
}

enum pcf_status pcf_cuda_run_prepare(const struct pcf_task *task, void **run_, int *devices,
                                     struct pcf_error *error) {
  struct pcf_cuda_run *run = *run_ = pcf_allocate(1, sizeof *run, error);
  if (!run) return PCF_ERROR_MEMORY;
  *run = (struct pcf_cuda_run){.task = task, .pairs = task->problem, .method = task->offer.how};
  enum pcf_status status = pcf_cuda_require(&run->info, task->settings.gpus, error);
  if (!status) status = pcf_cuda_measure(&run->info, error);
  if (status) return status;
  measure_devices(run);
  *devices = run->info.wanted;
  plan_lists(run);
  status = plan_bounds(run, error);
  if (!status) status = plan_common(run, error);
  if (status) return status;
  choose_forms(run);
  status = clip(run, &run->x, run->pairs->request.x, error);
  if (!status && run->pairs->request.y) {
    status = clip(run, &run->y, run->pairs->request.y, error);
  }
  return status ? status : run->method->prepare(run, error);
}

void pcf_cuda_run_free(void *run_) {
  struct pcf_cuda_run *run = run_;
  if (!run) return;
  pcf_arrays_free(&run->x.arrays);
  pcf_arrays_free(&run->y.arrays);
  pcf_segments_free(&run->form[0].segments);
  pcf_segments_free(&run->form[1].segments);
  pcf_byte_bounds_free(&run->bounds);
  pcf_byte_bounds_free(&run->column_bounds);
  pcf_cuda_common_free(run->common);
  pcf_free(run->state);
  pcf_free(run);
}

/* ---- Clipping ---- */

enum { FUNCTIONS_PER_CLIP = 256 };

struct clipping {
  const struct pcf_integral *integral;
  struct pcf_cuda_clipped *clipped;
};

static void clip_some(void *context, int64_t first, int64_t end) {
  const struct clipping *clipping = context;
  const struct pcf_integral *integral = clipping->integral;
  struct pcf_cuda_clipped *clipped = clipping->clipped;
  for (int64_t i = first; i < end; i++) {
    struct pcf_view view = pcf_view_of(clipped->x, i, integral);
    clipped->start[i + 1] = view.events;
    clipped->view[i] = view;
  }
}

static enum pcf_status clip(const struct pcf_cuda_run *run, struct pcf_cuda_clipped *clipped,
                            const struct pcf_collection *x, struct pcf_error *error) {
  size_t n = (size_t)x->count;
  clipped->x = x;
  clipped->view = pcf_array(&clipped->arrays, n, sizeof *clipped->view, error);
  clipped->start = pcf_array(&clipped->arrays, n + 1, sizeof *clipped->start, error);
  if (clipped->arrays.status) return PCF_ERROR_MEMORY;
  const struct pcf_task *task = run->task;
  struct clipping clipping = {&run->pairs->integral, clipped};
  enum pcf_status status = pcf_for_ranges(task->offer.threads, x->count, FUNCTIONS_PER_CLIP,
                                          task->stop, clip_some, &clipping, error);
  clipped->start[0] = 0;
  for (size_t i = 0; i < n && !status; i++) clipped->start[i + 1] += clipped->start[i];
  return status;
}

/* ---- Cutting ---- */

/* The most numbers that a block may have: few enough that an interrupt need not wait long for
 * the blocks under way, and that the pinned memory for them and for those of the divisor is
 * worth its cost and stays between calls. Where tiles are chosen, little of a block is
 * computed, and looking at it takes the host longer than the device. */
static double most_elements(const struct pcf_cuda_run *run) {
  static const double most_rectangles = 4e10, most_general = 5e8, most = 1 << 22;
  static const double most_partial = 1 << 24, most_chosen = 1 << 24;
  double work =
    pcf_takes_powers(run->pairs->integral.operation) ? most_general : most_rectangles;
  double rectangles = run->pairs->rectangles / fmax(run->pairs->pairs, 1);
  double wanted = run->task->divisor ? most / 2 : pcf_cuda_chooses(run) ? most_chosen : most;
  double elements = fmin(wanted, work / fmax(rectangles, 1));
  return run->wide ? fmin(elements, most_partial / run->wide) : elements;
}

static int64_t least_side(const struct pcf_cuda_run *run) {
  int64_t side = pcf_min_block_side(run->info.gpu[0].multiprocessors) / 8,
          tile = run->method->tile;
  return side > tile ? side : tile;
}

/* The numbers that all buffers have room for. */
static double output_elements(const struct pcf_cuda_run *run) {
  size_t scalar = pcf_scalar_size(run->pairs->integral.precision);
  double more = run->wide * (double)sizeof(double);
  if (pcf_cuda_selection_of(run)) {
    more += (double)sizeof(struct pcf_entry) / PCF_CUDA_NUMBERS_PER_ENTRY;
  }
  return (double)pcf_max_output_elements(run->memory, scalar) / (1 + more / (double)scalar);
}

/* Tiles that keep a device busy for a millisecond or so. */
int64_t pcf_cuda_most_chosen(const struct pcf_cuda_run *run) {
  enum { TILE = PCF_CUDA_CHOSEN_SIDE * PCF_CUDA_CHOSEN_SIDE, MOST = 1 << 14 };
  int64_t fit = (int64_t)(output_elements(run) / PCF_CUDA_BUFFERS / TILE);
  return fit < 1 ? 1 : fit < MOST ? fit : MOST;
}

/* Where tiles are chosen for lists: as large as can be, but not so large that an interrupt
 * waits long where none is left out, or that the places where pairs wait for lists take much
 * memory. */
static int64_t wanted_where_chosen(const struct pcf_cuda_run *run) {
  static const double most_rectangles = 1e11, share = 16;
  double rectangles = run->pairs->rectangles / fmax(run->pairs->pairs, 1);
  double waiting = 2 * PCF_CUDA_WAITING * (double)sizeof(struct pcf_entry);
  double side = fmin(PCF_CUDA_MOST_SIDE, sqrt(most_rectangles / fmax(rectangles, 1)));
  return (int64_t)fmin(side, run->memory / share / waiting);
}

/* The side of a block: a power of two times that of a tile, so that smaller blocks fit into
 * larger ones. */
static int64_t block_side(const struct pcf_cuda_run *run) {
  const struct pcf_task *task = run->task;
  int64_t columns = task->columns.count, tile = run->method->tile, side = tile;
  double elements = output_elements(run);
  int64_t busy = pcf_min_block_side(run->info.gpu[0].multiprocessors);
  int64_t fits = (int64_t)sqrt(elements / PCF_CUDA_BUFFERS);
  struct pcf_block_limits limits = {(int64_t)elements, 32 * (int64_t)run->info.wanted,
                                    busy < fits ? busy : fits};
  int64_t wanted = pcf_block_side(&limits, task->rows.count, columns);
  if (wanted > (int64_t)sqrt(most_elements(run))) wanted = (int64_t)sqrt(most_elements(run));
  if (pcf_cuda_chooses(run) && run->keeps_lists) wanted = wanted_where_chosen(run);
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
    int64_t half = pcf_halved_side(*side, run->method->tile, least_side(run));
    if (status != PCF_ERROR_DEVICE_MEMORY || !half) return status;
    *side = half;
  }
}

/* Are there more functions than the device has room for at once? */
static int has_turns(const struct pcf_cuda_run *run) {
  return run->form[pcf_cuda_form_of(run, 0)].segments.count > 1 ||
         run->form[pcf_cuda_form_of(run, 1)].segments.count > 1;
}

static enum pcf_status order_blocks(const struct pcf_cuda_run *run,
                                    struct pcf_schedule *schedule, struct pcf_error *error) {
  const struct pcf_segments *rows = &run->form[pcf_cuda_form_of(run, 0)].segments;
  const struct pcf_segments *columns = &run->form[pcf_cuda_form_of(run, 1)].segments;
  const struct pcf_task *task = run->task;
  if (has_turns(run)) {
    return pcf_schedule_by_segments(schedule, rows, columns,
                                    run->slots > 2 ? run->slots - 2 : 1, error);
  }
  enum pcf_status status =
    pcf_schedule_order(schedule, task->preferences.order, task->mode, error);
  if (status || !run->common || task->mode == PCF_FULL) return status;
  return pcf_schedule_own(schedule, run->info.wanted, task->rows.count, error);
}

/* Sets the shape of blocks to the one that the sink prefers, with as many pairs as a square
 * has. Where the device has no room for all functions at once, blocks are squares, since then
 * their side decides which functions are there together. */
static void block_shape(const struct pcf_cuda_run *run, int64_t side, int64_t *rows,
                        int64_t *columns) {
  const struct pcf_task *task = run->task;
  int64_t most_tall = PCF_CUDA_MOST_SIDE / side;
  int square = task->settings.block_side || has_turns(run) || pcf_cuda_chooses(run);
  int64_t tall = square ? 1 : task->preferences.tall;
  if (tall > most_tall) tall = most_tall;
  pcf_schedule_tall_shape(side, tall, run->method->tile, rows, columns);
}

enum pcf_status pcf_cuda_run_schedule(void *run_, struct pcf_schedule *schedule,
                                      struct pcf_error *error) {
  struct pcf_cuda_run *run = run_;
  const struct pcf_task *task = run->task;
  int64_t side = block_side(run), rows, columns;
  enum pcf_status status = fit_segments(run, &side, error);
  if (status) return status;
  block_shape(run, side, &rows, &columns);
  status = pcf_schedule_rectangles(schedule, task->mode, &task->rows, &task->columns, rows,
                                   columns, error);
  if (status) return status;
  run->side = rows;
  schedule->tile = run->method->tile;
  schedule->least_side = least_side(run);
  return order_blocks(run, schedule, error);
}

enum pcf_status pcf_cuda_run_shrink(void *run_, struct pcf_schedule *schedule,
                                    struct pcf_error *error) {
  struct pcf_cuda_run *run = run_;
  run->memory /= 2;
  run->use_resident = 0;
  enum pcf_status status = cut_segments(run, schedule->side, error);
  return status ? status : order_blocks(run, schedule, error);
}

/* ---- Segments ---- */

/* The bytes that functions take in a form, and while they are brought into it, with padding. */
static struct pcf_cuda_bytes bytes_of(const struct pcf_cuda_run *run,
                                      const struct pcf_cuda_form *form) {
  enum { ARRAYS = 8 };
  double scalar = (double)pcf_scalar_size(run->pairs->integral.precision);
  double piece = pcf_family_of(form->clipped->x->linear).scalars * scalar;
  struct pcf_cuda_bytes bytes = run->method->bytes(run, run->band);
  bytes.function_scratch += 8 + piece + (run->use_resident ? 12 : 0);
  bytes.breakpoint_scratch += scalar + piece;
  bytes.slack += ARRAYS * PCF_CUDA_ALIGNMENT + run->band * bytes.function;
  return bytes;
}

/* The bytes that all functions take: in their forms, in the largest of these, and while they
 * are copied to the device; and the most scratch memory for each byte of a form. */
struct needs {
  double forms, largest, scratch, ratio, slack;
};

static struct needs needs_of(const struct pcf_cuda_run *run) {
  struct needs needs = {0};
  for (int k = 0; k < run->forms; k++) {
    const struct pcf_cuda_clipped *clipped = run->form[k].clipped;
    struct pcf_cuda_bytes bytes = bytes_of(run, &run->form[k]);
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

/* Puts all functions into one segment for each form, if these fit into the half of the memory
 * that is for functions; otherwise cuts them into segments that take turns in a few slots. */
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
    struct pcf_cuda_bytes bytes = bytes_of(run, form);
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
