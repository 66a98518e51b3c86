#include "pruning/pruning.h"

#include "base/memory.h"
#include "pairs/costs.h"
#include "pairs/method.h"
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
                               const struct pcf_settings *settings, const atomic_int *stop,
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

static void free_ordered(struct pcf_ordered *ordered) {
  pcf_free((void *)ordered->functions);
  pcf_free(ordered->offsets);
}

void pcf_pruning_free(struct pcf_pruning *pruning) {
  pcf_bounds_free(&pruning->bounds);
  free_ordered(&pruning->x);
  free_ordered(&pruning->y);
  pcf_free(pruning->by_label);
  pcf_free(pruning->label);
  pcf_free(pruning->least);
  pcf_free(pruning->farthest);
}

/* ---- Does it pay? ---- */

/* Seconds of all pairs as they are planned, with narrow tiles, and of a look at all bounds, on
 * the threads of the run or on the device of an offer; and of making the bounds. */
struct prices {
  double planned, narrow, looking, making;
};

static struct prices prices_of(const struct pcf_pairs *pairs, int threads,
                               const struct pcf_offer *offer) {
  const struct pcf_costs *costs = pcf_costs_of(pairs);
  const struct pcf_request *request = &pairs->request;
  double functions = (double)(request->x->count + (request->y ? request->y->count : 0));
  double cell = pcf_term_cost(costs->cell[PCF_SINGLE_PRECISION],
                              costs->power[PCF_SINGLE_PRECISION], request);
  double scale = 1e-9 / threads;
  double making =
    (pcf_request_breakpoints(request) * pcf_bound_cost + functions * pcf_bound_function_cost) *
    scale;
  if (offer) {
    double looking = pairs->pairs * pcf_cuda_bound_cost;
    return (struct prices){offer->seconds, offer->seconds, looking, making};
  }
  int width = request->width ? request->width : NARROW;
  return (struct prices){.planned = pairs->estimate[pcf_method_number(pairs->method)].seconds,
                         .narrow =
                           pcf_method_estimate(pairs->method, pairs, width, threads).seconds,
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

/* A device leaves tiles of the sweep out, among one collection. With labels, the lists that it
 * keeps may stay without limits. */
static int suits_device(const struct pcf_pruning *pruning, const struct pcf_pairs *pairs,
                        const struct pcf_offer *offer) {
  const struct pcf_integral *integral = &pairs->integral;
  return !pruning->selection->label && !pairs->request.y &&
         (integral->operation == PCF_L1 || integral->operation == PCF_L2) && offer->method &&
         strcmp(offer->method, "sweep") == 0 && offer->seconds < INFINITY;
}

/* Bounds find near pairs only, and only norms of step functions have bounds. */
static int can_prune(const struct pcf_pruning *pruning, const struct pcf_pairs *pairs,
                     const struct pcf_offer *offer) {
  return pruning->choice != PCF_PRUNE_OFF && pruning->selection->sign > 0 &&
         pcf_is_norm(pairs->request.operation) && are_integrals(pairs) &&
         !pairs->request.x->linear &&
         (offer ? suits_device(pruning, pairs, offer) : has_tiles(pairs));
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

static enum pcf_status make_bounds(struct pcf_pruning *pruning, const struct pcf_pairs *pairs,
                                   const struct pcf_settings *settings, const atomic_int *stop,
                                   struct pcf_error *error) {
  const struct pcf_request *request = &pairs->request;
  const struct pcf_selection *selection = pruning->selection;
  struct pcf_compared compared = {.x = request->x,
                                  .y = request->y,
                                  .integral = &pairs->integral,
                                  .range = pairs->range,
                                  .first_row = settings->only.row,
                                  .end_row = settings->only.row + settings->only.rows};
  int threads = settings->threads;
  enum pcf_status status =
    pcf_bounds_make(&pruning->bounds, &compared, pairs->instructions, threads, stop, error);
  if (status || !pruning->bounds.coordinates.stretches) return status;
  const struct pcf_method *method = pairs->method;
  int singly = !pruning->backend && method->most_single;
  struct pcf_wanted wanted = {.x = request->x,
                              .y = request->y,
                              .k = selection->most,
                              .radius = pruning->radius,
                              .most = singly ? method->most_single(pairs, NARROW) : 0,
                              .label = selection->label,
                              .least = selection->least,
                              .farthest = selection->farthest};
  return pcf_survey(&pruning->bounds, &wanted, pairs->instructions, threads, stop,
                    &pruning->expected, error);
}

/* ---- Orders ---- */

static enum pcf_status put_in_order(struct pcf_ordered *ordered, const struct pcf_collection *x,
                                    const int32_t *order, struct pcf_error *error) {
  size_t count = (size_t)x->count;
  ordered->functions = pcf_allocate(count, sizeof *ordered->functions, error);
  if (!ordered->functions) return PCF_ERROR_MEMORY;
  ordered->offsets = pcf_allocate(count + 1, sizeof *ordered->offsets, error);
  if (!ordered->offsets) return PCF_ERROR_MEMORY;
  ordered->offsets[0] = 0;
  for (size_t i = 0; i < count; i++) {
    ordered->functions[i] = x->functions[order[i]];
    ordered->offsets[i + 1] = ordered->offsets[i] + pcf_breakpoints(x, order[i]);
  }
  ordered->view = *x;
  ordered->view.functions = ordered->functions;
  ordered->view.offsets = ordered->offsets;
  return PCF_OK;
}

/* A copy of the doubles of the items in that order, which replaces them. */
static enum pcf_status order_doubles(const double **doubles, double **copy, size_t count,
                                     const int32_t *order, struct pcf_error *error) {
  if (!*doubles) return PCF_OK;
  *copy = pcf_allocate(count, sizeof **copy, error);
  if (!*copy) return PCF_ERROR_MEMORY;
  for (size_t i = 0; i < count; i++) (*copy)[i] = (*doubles)[order[i]];
  *doubles = *copy;
  return PCF_OK;
}

static enum pcf_status order_items(struct pcf_pruning *pruning, size_t count,
                                   const int32_t *order, struct pcf_error *error) {
  struct pcf_selection *selection = pruning->selection;
  if (selection->label) {
    pruning->label = pcf_allocate(count, sizeof *pruning->label, error);
    if (!pruning->label) return PCF_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) pruning->label[i] = selection->label[order[i]];
    selection->label = pruning->label;
  }
  enum pcf_status status =
    order_doubles(&selection->least, &pruning->least, count, order, error);
  if (status) return status;
  return order_doubles(&selection->farthest, &pruning->farthest, count, order, error);
}

/* The orders of x and, if there is one, of y, which stay as long as the run lasts. */
static enum pcf_status put_all_in_order(struct pcf_pruning *pruning,
                                        struct pcf_request *request, const int32_t *order,
                                        const int32_t *other, struct pcf_error *error) {
  enum pcf_status status = put_in_order(&pruning->x, request->x, order, error);
  if (!status && request->y) status = put_in_order(&pruning->y, request->y, other, error);
  if (!status) status = order_items(pruning, (size_t)request->x->count, order, error);
  if (status) return status;
  request->x = &pruning->x.view;
  if (request->y) request->y = &pruning->y.view;
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
  enum pcf_status status = PCF_ERROR_MEMORY;
  double share = 1;
  pruning->by_label = pcf_allocate((size_t)count, sizeof *pruning->by_label, error);
  if (pruning->by_label) {
    share = order_by_label(item, count, pruning->by_label);
    status = PCF_OK;
  }
  pcf_free(item);
  if (status || share > worth) return status;
  pairs->wanted = share;
  *changed = 1;
  return put_all_in_order(pruning, &pairs->request, pruning->by_label, NULL, error);
}

/* ---- Bounds ---- */

static enum pcf_status arrange_by_bounds(struct pcf_pruning *pruning, struct pcf_pairs *pairs,
                                         const struct pcf_settings *settings,
                                         const atomic_int *stop, int *changed,
                                         struct pcf_error *error) {
  const struct pcf_bounds *bounds = &pruning->bounds;
  struct pcf_request *request = &pairs->request;
  struct pcf_offer asked_for = {.seconds = INFINITY, .threads = settings->threads};
  const struct pcf_offer *offer = pruning->backend ? &asked_for : NULL;
  if (offer && pruning->choice != PCF_PRUNE_OFF) {
    pruning->backend->offer(pairs, settings, INFINITY, &asked_for);
  }
  if (!can_prune(pruning, pairs, offer)) return PCF_OK;
  struct prices prices = prices_of(pairs, settings->threads, offer);
  if (!may_pay(pruning, &prices)) return PCF_OK;
  enum pcf_status status = make_bounds(pruning, pairs, settings, stop, error);
  if (status || !bounds->coordinates.stretches) return status;
  if (!pays(pruning, &prices)) return PCF_OK;
  status = put_all_in_order(pruning, request, bounds->x.order, bounds->y.order, error);
  if (status) return status;
  struct pcf_rectangle asked =
    pcf_asked_for(settings, request->x->count, pcf_columns_of(request)->count);
  *changed = 1;
  if (!offer) status = pcf_bounds_add_bytes(&pruning->bounds, settings->threads, stop, error);
  if (status) return status;
  pruning->seconds = pruning->expected * prices.narrow +
                     (offer ? 1 : of_looking) * prices.looking + prices.making;
  if (offer) {
    pruning->pruner.bounds = bounds;
    pruning->pruner.left_out = &pruning->left_out;
    return PCF_OK;
  }
  if (!request->width) request->width = NARROW;
  pairs->wanted = pruning->expected;
  pruning->pairs = (double)pcf_rectangle_pairs(&asked, request->mode);
  pruning->worth = prices.looking / prices.narrow;
  pruning->looks = 1;
  return PCF_OK;
}

static enum pcf_status arrange(struct pcf_pruner *pruner, struct pcf_pairs *pairs,
                               const struct pcf_settings *settings, const atomic_int *stop,
                               int *changed, struct pcf_error *error) {
  struct pcf_pruning *pruning = (struct pcf_pruning *)pruner;
  enum pcf_status status = arrange_by_bounds(pruning, pairs, settings, stop, changed, error);
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
