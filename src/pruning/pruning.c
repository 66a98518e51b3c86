#include "pruning/pruning.h"

#include "pairs/costs.h"
#include "pairs/method.h"
#include "pruning/byte-bounds.h"
#include "pruning/joining.h"
#include "pruning/row-limits.h"
#include "pruning/survey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Measured: the share of looking at the bounds of all pairs one by one that is left where boxes
 * of 32 functions are looked at first. */
static const double of_looking = 0.2;

/* Narrow tiles are left out more often: 32 functions are the narrowest. */
enum { NARROW = PCF_BAND_POINTS };

static enum pcf_status arrange(struct pcf_pruner *pruner, struct pcf_pairs *pairs,
                               const struct pcf_backend *backend, const struct pcf_task *task,
                               int *changed, struct pcf_error *error);
static int64_t find(struct pcf_pruner *pruner, const struct pcf_rectangle *rectangle,
                    int64_t most, struct pcf_pair_position *position);
static double passed(const struct pcf_pruner *pruner, double share);

void pcf_pruning_start(struct pcf_pruning *pruning, enum pcf_prune choice,
                       struct pcf_selection *selection, double radius) {
  *pruning =
    (struct pcf_pruning){.pruner = {.arrange = arrange, .find = find, .passed = passed},
                         .choice = choice,
                         .selection = selection,
                         .radius = radius,
                         .expected = NAN,
                         .seconds = NAN};
}

void pcf_pruning_free(struct pcf_pruning *pruning) {
  pcf_bounds_free(&pruning->bounds);
  pcf_arrays_free(&pruning->arrays);
}

/* ---- Does it pay? ---- */

/* Seconds of all pairs as they are offered, with narrow tiles, and of a look at all bounds, on
 * the threads of the run or on a device; and of making the bounds. */
struct prices {
  double planned, narrow, looking, making;
};

static struct prices prices_of(const struct pcf_pruning *pruning, const struct pcf_pairs *pairs,
                               double planned) {
  const struct pcf_costs *costs = pcf_costs_of(pairs);
  const struct pcf_request *request = &pairs->request;
  double functions = (double)(request->x->count + (request->y ? request->y->count : 0));
  double cell = pcf_term_cost(costs->cell[PCF_SINGLE_PRECISION],
                              costs->power[PCF_SINGLE_PRECISION], request);
  double scale = 1e-9 / pruning->threads;
  double making =
    (pcf_request_breakpoints(request) * pcf_bound_cost + functions * pcf_bound_function_cost) *
    scale;
  if (pruning->on_device) {
    return (struct prices){planned, planned, pairs->pairs * pcf_cuda_bound_cost, making};
  }
  int width = request->width ? request->width : NARROW;
  return (struct prices){
    .planned = planned,
    .narrow = pcf_method_estimate(pairs->method, pairs, width, pruning->threads).seconds,
    .looking = pairs->pairs * PCF_MOST_COORDINATES * cell * scale,
    .making = making};
}

/* Are distances integrals over the whole window? Bounds are of these, and not of means. */
static int are_integrals(const struct pcf_pairs *pairs) {
  return !pairs->range.missing && pairs->request.missing != PCF_MISSING_MEAN;
}

/* Does the method have tiles? Those without leave nothing out. */
static int has_tiles(const struct pcf_pairs *pairs) {
  return pairs->method == &pcf_sweep_method || pairs->method == &pcf_grid_method;
}

/* A device leaves tiles of the sweep out. */
static int suits_device(const struct pcf_pairs *pairs, const struct pcf_offer *offer) {
  const struct pcf_integral *integral = &pairs->integral;
  return (integral->operation == PCF_L1 || integral->operation == PCF_L2) &&
         strcmp(offer->method, "sweep") == 0;
}

/* Bounds find near pairs only, and only norms of step functions have bounds. */
static int can_prune(const struct pcf_pruning *pruning, const struct pcf_pairs *pairs,
                     const struct pcf_offer *offer) {
  return pruning->choice != PCF_PRUNE_OFF && pruning->selection->sign > 0 &&
         pcf_is_norm(pairs->request.operation) && are_integrals(pairs) &&
         !pairs->request.x->linear && offer->seconds < INFINITY &&
         (pruning->on_device ? suits_device(pairs, offer) : has_tiles(pairs));
}

static int may_pay(const struct pcf_pruning *pruning, const struct prices *prices) {
  static const double worth_looking = 4, worth_making = 5;
  return pruning->choice == PCF_PRUNE_ON ||
         (prices->planned > worth_looking * prices->looking &&
          prices->planned > worth_making * prices->making);
}

static int pays(const struct pcf_pruning *pruning, const struct prices *prices) {
  static const double worth = 0.8;
  return pruning->choice == PCF_PRUNE_ON ||
         pruning->expected * prices->narrow + prices->looking < worth * prices->planned;
}

/* First limits of labels, or of queries, which have no blocks that tell them before others. */
static enum pcf_status guess_limits(struct pcf_pruning *pruning, const struct pcf_pairs *pairs,
                                    const struct pcf_wanted *wanted, struct pcf_error *error) {
  int of_queries = wanted->y && wanted->k;
  if (!wanted->label && !of_queries) return PCF_OK;
  double *limit = pcf_array(&pruning->arrays, (size_t)wanted->x->count, sizeof *limit, error);
  if (!limit) return PCF_ERROR_MEMORY;
  enum pcf_status status = (wanted->label ? pcf_joining_limits : pcf_row_limits)(
    &pruning->bounds, wanted, pairs->instructions, pruning->threads, pruning->stop, limit,
    error);
  if (!status) pruning->selection->farthest = limit;
  return status;
}

static enum pcf_status make_bounds(struct pcf_pruning *pruning, const struct pcf_pairs *pairs,
                                   const struct pcf_rectangle *only, struct pcf_error *error) {
  const struct pcf_request *request = &pairs->request;
  struct pcf_selection *selection = pruning->selection;
  struct pcf_compared compared = {.x = request->x,
                                  .y = request->y,
                                  .integral = &pairs->integral,
                                  .range = pairs->range,
                                  .first_row = only->row,
                                  .end_row = only->row + only->rows};
  int threads = pruning->threads;
  enum pcf_status status = pcf_bounds_make(&pruning->bounds, &compared, pairs->instructions,
                                           threads, pruning->stop, error);
  if (status || !pruning->bounds.coordinates.stretches) return status;
  const struct pcf_method *method = pairs->method;
  int singly = !pruning->on_device && method->most_single;
  struct pcf_wanted wanted = {.x = request->x,
                              .y = request->y,
                              .k = selection->most,
                              .radius = pruning->radius,
                              .most = singly ? method->most_single(pairs, NARROW) : 0,
                              .label = selection->label,
                              .least = selection->least,
                              .farthest = selection->farthest};
  if (selection->guess && !selection->kept) {
    status = guess_limits(pruning, pairs, &wanted, error);
    if (status) return status;
    wanted.farthest = selection->farthest;
  }
  return pcf_survey(&pruning->bounds, &wanted, pairs->instructions, threads, pruning->stop,
                    &pruning->expected, error);
}

/* ---- Orders ---- */

struct ordering {
  const struct pcf_collection *x;
  const int32_t *order;
  const double **functions;
  int64_t *offsets;
};

static void order_some(void *ordering_, int64_t first, int64_t end) {
  const struct ordering *ordering = ordering_;
  for (int64_t i = first; i < end; i++) {
    ordering->functions[i] = ordering->x->functions[ordering->order[i]];
    ordering->offsets[i + 1] = pcf_breakpoints(ordering->x, ordering->order[i]);
  }
}

static enum pcf_status put_in_order(struct pcf_pruning *pruning, struct pcf_collection *ordered,
                                    const struct pcf_collection *x, const int32_t *order,
                                    struct pcf_error *error) {
  enum { AT_ONCE = 4096 };
  struct pcf_arrays *arrays = &pruning->arrays;
  size_t count = (size_t)x->count;
  const double **functions = pcf_array(arrays, count, sizeof *functions, error);
  int64_t *offsets = pcf_array(arrays, count + 1, sizeof *offsets, error);
  if (arrays->status) return arrays->status;
  struct ordering ordering = {x, order, functions, offsets};
  enum pcf_status status = pcf_for_ranges(pruning->threads, x->count, AT_ONCE, pruning->stop,
                                          order_some, &ordering, error);
  if (status) return status;
  offsets[0] = 0;
  for (size_t i = 0; i < count; i++) offsets[i + 1] += offsets[i];
  *ordered = *x;
  ordered->functions = functions;
  ordered->offsets = offsets;
  return PCF_OK;
}

/* A copy of the doubles of the items in that order, which replaces them. */
static void order_doubles(struct pcf_arrays *arrays, const double **doubles, size_t count,
                          const int32_t *order, struct pcf_error *error) {
  if (!*doubles) return;
  double *copy = pcf_array(arrays, count, sizeof *copy, error);
  for (size_t i = 0; copy && i < count; i++) copy[i] = (*doubles)[order[i]];
  if (copy) *doubles = copy;
}

static enum pcf_status order_items(struct pcf_pruning *pruning, size_t count,
                                   const int32_t *order, struct pcf_error *error) {
  struct pcf_selection *selection = pruning->selection;
  struct pcf_arrays *arrays = &pruning->arrays;
  if (selection->label) {
    int32_t *label = pcf_array(arrays, count, sizeof *label, error);
    for (size_t i = 0; label && i < count; i++) label[i] = selection->label[order[i]];
    if (label) selection->label = label;
  }
  order_doubles(arrays, &selection->least, count, order, error);
  order_doubles(arrays, &selection->farthest, count, order, error);
  return arrays->status;
}

/* The orders of x and, if there is one, of y, which stay as long as the run lasts. */
static enum pcf_status put_all_in_order(struct pcf_pruning *pruning,
                                        struct pcf_request *request, const int32_t *order,
                                        const int32_t *other, struct pcf_error *error) {
  enum pcf_status status = put_in_order(pruning, &pruning->x, request->x, order, error);
  if (!status && request->y) {
    status = put_in_order(pruning, &pruning->y, request->y, other, error);
  }
  if (!status) status = order_items(pruning, (size_t)request->x->count, order, error);
  if (status) return status;
  request->x = &pruning->x;
  if (request->y) request->y = &pruning->y;
  pruning->order = order;
  pruning->selection->item = order;
  pruning->selection->name = request->y ? other : order;
  return PCF_OK;
}

/* ---- Labels ---- */

struct labelled {
  int32_t label, item;
};

static int by_label(const void *a_, const void *b_) {
  const struct labelled *a = a_, *b = b_;
  if (a->label != b->label) return a->label < b->label ? -1 : 1;
  return (a->item > b->item) - (a->item < b->item);
}

/* Fills the order; returns the share of the pairs that are of different labels. */
static double order_by_label(struct labelled *item, int64_t count, int32_t *order) {
  double same = 0;
  qsort(item, (size_t)count, sizeof *item, by_label);
  for (int64_t i = 0, first = 0; i < count; i++) {
    if (item[i].label != item[first].label) first = i;
    same += (double)(i - first);
    order[i] = item[i].item;
  }
  return count > 1 ? 1 - same / ((double)count * (double)(count - 1) / 2) : 1;
}

/* Functions of one label side by side, where that leaves out much. */
static enum pcf_status arrange_labels(struct pcf_pruning *pruning, struct pcf_pairs *pairs,
                                      int *changed, struct pcf_error *error) {
  static const double worth = 0.95;
  int64_t count = pairs->request.x->count;
  struct labelled *item = pcf_allocate((size_t)count, sizeof *item, error);
  if (!item) return PCF_ERROR_MEMORY;
  for (int64_t i = 0; i < count; i++) {
    item[i] = (struct labelled){pruning->selection->label[i], (int32_t)i};
  }
  int32_t *order = pcf_array(&pruning->arrays, (size_t)count, sizeof *order, error);
  double share = order ? order_by_label(item, count, order) : 1;
  pcf_free(item);
  if (share > worth) return pruning->arrays.status;
  pairs->wanted = share;
  *changed = 1;
  return put_all_in_order(pruning, &pairs->request, order, NULL, error);
}

/* ---- Bounds ---- */

/* The CPU looks at the bounds of narrow tiles. */
static void look_at_tiles(struct pcf_pruning *pruning, struct pcf_pairs *pairs,
                          const struct pcf_settings *settings, const struct prices *prices) {
  struct pcf_request *request = &pairs->request;
  struct pcf_rectangle asked =
    pcf_asked_for(settings, request->x->count, pcf_columns_of(request)->count);
  if (!request->width) request->width = NARROW;
  pairs->wanted = pruning->expected;
  pruning->pairs = (double)pcf_rectangle_pairs(&asked, request->mode);
  pruning->worth = prices->looking / prices->narrow;
  pruning->looks = 1;
}

static enum pcf_status arrange_by_bounds(struct pcf_pruning *pruning, struct pcf_pairs *pairs,
                                         const struct pcf_task *task, int *changed,
                                         struct pcf_error *error) {
  const struct pcf_bounds *bounds = &pruning->bounds;
  if (!can_prune(pruning, pairs, &task->offer)) return PCF_OK;
  struct prices prices = prices_of(pruning, pairs, task->offer.seconds);
  if (!may_pay(pruning, &prices)) return PCF_OK;
  enum pcf_status status = make_bounds(pruning, pairs, &task->settings.only, error);
  if (status || !bounds->coordinates.stretches) return status;
  if (!pays(pruning, &prices)) return PCF_OK;
  status = put_all_in_order(pruning, &pairs->request, bounds->x.order, bounds->y.order, error);
  if (status) return status;
  *changed = 1;
  pruning->seconds = pruning->expected * prices.narrow + prices.making;
  if (pruning->on_device) {
    pruning->seconds += prices.looking;
    pruning->pruner.bounds = bounds;
    pruning->pruner.left_out = &pruning->left_out;
    return PCF_OK;
  }
  pruning->seconds += of_looking * prices.looking;
  look_at_tiles(pruning, pairs, &task->settings, &prices);
  return pcf_bounds_add_bytes(&pruning->bounds, pruning->threads, pruning->stop, error);
}

static enum pcf_status arrange(struct pcf_pruner *pruner, struct pcf_pairs *pairs,
                               const struct pcf_backend *backend, const struct pcf_task *task,
                               int *changed, struct pcf_error *error) {
  struct pcf_pruning *pruning = (struct pcf_pruning *)pruner;
  pruning->threads = task->settings.threads;
  pruning->stop = task->stop;
  pruning->on_device = backend->chooses;
  enum pcf_status status = arrange_by_bounds(pruning, pairs, task, changed, error);
  /* Where functions are observed is stored in their order, which has to stay. */
  if (status || *changed || !pruning->selection->label || !are_integrals(pairs)) return status;
  return arrange_labels(pruning, pairs, changed, error);
}

/* ---- While the run lasts ---- */

/* Gives up on bounds when an eighth of all pairs was looked at and too few were left out. */
static void give_up_perhaps(struct pcf_pruning *pruning) {
  struct pcf_left_out *counts = &pruning->left_out;
  double looked_at = (double)atomic_load_explicit(&counts->looked_at, memory_order_relaxed);
  double left_out = (double)atomic_load_explicit(&counts->pairs, memory_order_relaxed);
  if (looked_at > pruning->pairs / 8 && left_out < pruning->worth * looked_at) {
    atomic_store_explicit(&counts->given_up, 1, memory_order_relaxed);
  }
}

/* Have all items of a rectangle one label? */
static int is_of_one_label(const struct pcf_selection *selection,
                           const struct pcf_rectangle *rectangle) {
  const int32_t *row = selection->label + rectangle->row;
  const int32_t *column = selection->label + rectangle->column;
  for (int64_t i = 0; i < rectangle->rows; i++) {
    if (row[i] != column[0]) return 0;
  }
  for (int64_t j = 1; j < rectangle->columns; j++) {
    if (column[j] != column[0]) return 0;
  }
  return 1;
}

/* Finds pairs by bounds and counts those that are left out, until bounds are given up. */
static int64_t find_by_bounds(struct pcf_pruning *pruning,
                              const struct pcf_rectangle *rectangle, int64_t most,
                              struct pcf_pair_position *position) {
  struct pcf_left_out *counts = &pruning->left_out;
  const struct pcf_selection *selection = pruning->selection;
  const _Atomic double *limit = selection->limit;
  int64_t pairs = rectangle->rows * rectangle->columns;
  if (atomic_load_explicit(&counts->given_up, memory_order_relaxed)) return most + 1;
  int64_t found = pcf_bounds_find(
    &pruning->bounds, rectangle, limit + rectangle->row,
    pcf_selects_of_one(selection) ? limit + rectangle->column : NULL, most, position);
  atomic_fetch_add_explicit(&counts->looked_at, pairs, memory_order_relaxed);
  if (found <= most) {
    atomic_fetch_add_explicit(&counts->pairs, pairs - found, memory_order_relaxed);
    atomic_fetch_add_explicit(&counts->rectangles, found == 0, memory_order_relaxed);
  } else if (pruning->choice == PCF_PRUNE_AUTO) {
    give_up_perhaps(pruning);
  }
  return found;
}

static int64_t find(struct pcf_pruner *pruner, const struct pcf_rectangle *rectangle,
                    int64_t most, struct pcf_pair_position *position) {
  struct pcf_pruning *pruning = (struct pcf_pruning *)pruner;
  const struct pcf_selection *selection = pruning->selection;
  if (selection->label && is_of_one_label(selection, rectangle)) return 0;
  return pruning->looks ? find_by_bounds(pruning, rectangle, most, position) : most + 1;
}

/* The blocks near the diagonal, which come first, are computed almost whole, and most others
 * are only looked at. How much remains to be computed is what was expected at first, and then
 * more and more what this much of the pairs has taken. */
static double passed(const struct pcf_pruner *pruner, double share) {
  static const double soon = 0.02; /* the share of all pairs by which most is computed */
  const struct pcf_pruning *pruning = (const struct pcf_pruning *)pruner;
  const struct pcf_left_out *counts = &pruning->left_out;
  if (!pruning->looks || atomic_load(&counts->given_up)) return share;
  double left_out = (double)atomic_load(&counts->pairs);
  double computed = ((double)atomic_load(&counts->looked_at) - left_out) / pruning->pairs;
  double known = 1 - exp(-share / soon), looking = of_looking * pruning->worth;
  double all = known * computed + (1 - known) * fmax(pruning->expected, computed);
  return (looking * share + computed) / (looking + all);
}
