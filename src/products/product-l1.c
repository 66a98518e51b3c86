/* The sum over all g of b(g) ∫ |f − g|, without pairs. Let
 *
 *   H(t, v) = sum over all g of b(g) ∫ |v − g| up to t.
 *
 * A function f that changes its value from v to v' at t adds H(t, v) − H(t, v'), and at the end
 * H(t, v). A function g that takes the value w at s, and one that leaves it with −b, adds
 * b (t − s) |v − w| to every later H(t, v). Since |v − w| = (w − v) + 2 max(v − w, 0), what is
 * needed of all items (s, w, b) before t are four totals, and the same four of those with w <
 * v: of b, b s, b w and b s w.
 *
 * The values of a slab are cut into buckets. Items pass in the order of time: of the totals of
 * the buckets below, which are kept at some levels of 4 each, comes what lower buckets add.
 * Within a bucket items are few: blocks of them look at each other directly, and are then
 * merged by value, the earlier half with its totals going along. */
#include "products/product-l1.h"

#include "arrays/steps.h"
#include "base/hints.h"
#include "base/memory.h"
#include "kernels/kernels.h"
#include "products/slabs.h"

#include <string.h>

enum {
  TOTALS = PCF_L1_TOTALS,
  FAN = PCF_L1_FAN,
  MOST_BUCKETS = PCF_L1_BUCKETS,
  ITEMS_A_BUCKET = 32, /* wanted */
  SAMPLED = 4,         /* values for each bucket */
  BLOCK = PCF_L1_BLOCK,
  TOGETHER = 8, /* values whose buckets are looked for */
  AHEAD = PCF_L1_AHEAD,
  ITEMS_PER_STOP_CHECK = 1 << 14
};

struct state {
  int64_t room, items; /* items, in the order of time and by buckets: one block of memory */
  struct pcf_l1_item *item, *by_bucket;
  uint16_t *bucket; /* of each item; in the same block */
  int buckets;
  double least[MOST_BUCKETS + 1]; /* value of each bucket, but for the first */
  int64_t starts[MOST_BUCKETS + 2];
  uint16_t *bucket_of; /* of each function, now; behind their values */
  struct pcf_step sample[2 * SAMPLED * MOST_BUCKETS];
  const struct pcf_l1_passes *passes;
  struct pcf_l1_tree tree;
  /* A bucket at work: */
  int64_t leaf_room;
  struct pcf_l1_leaf *leaf; /* `leaf_room` of them, and behind them as many to merge into */
  double value[];           /* of each function, now, less the center */
};

static void release(void *state_) {
  struct state *state = state_;
  pcf_free(state->item);
  pcf_free(state->leaf);
}

/* ---- Buckets of values ---- */

/* Every so manyth value of the slab, in order. */
static int64_t sample_values(struct state *state, const struct pcf_slab *slab,
                             int64_t functions, int64_t most) {
  int64_t all = functions + slab->events, step = all / most + 1, count = 0;
  for (int64_t k = 0; k < all; k += step) {
    double value = k < functions ? slab->value[k] : pcf_new_value(&slab->event[k - functions]);
    state->sample[count++] = (struct pcf_step){value, 0};
  }
  pcf_sort_steps(state->sample, state->sample + SAMPLED * MOST_BUCKETS, count);
  return count;
}

/* Cuts at quantiles of the sample; a value that is many quantiles has a bucket to itself, with
 * those that come before the next one. */
static void cut_values(struct state *state, struct pcf_slab *slab, int64_t functions) {
  int64_t wanted = (functions + 2 * slab->events) / ITEMS_A_BUCKET + 1;
  if (wanted > MOST_BUCKETS) wanted = MOST_BUCKETS;
  int64_t count = sample_values(state, slab, functions, SAMPLED * wanted);
  slab->center = state->sample[count / 2].time;
  state->buckets = 1;
  for (int64_t k = 1; k < wanted; k++) {
    double least = state->sample[count * k / wanted].time;
    double last = state->buckets > 1 ? state->least[state->buckets - 1] : -INFINITY;
    if (least > state->sample[0].time && least > last) state->least[state->buckets++] = least;
  }
}

/* Finds for each of up to TOGETHER values the last bucket whose least value is at most that.
 * The values are looked for together, since each step of a search has to wait for the one
 * before. */
static void find_buckets(const struct state *state, const double *value, int count,
                         uint16_t *bucket) {
  int first[TOGETHER] = {0};
  for (int rest = state->buckets; rest > 1;) {
    int half = rest / 2;
    for (int v = 0; v < count; v++) {
      int upper = state->least[first[v] + half] <= value[v];
      first[v] += upper ? half : 0;
    }
    rest -= half;
  }
  for (int v = 0; v < count; v++) bucket[v] = (uint16_t)first[v];
}

/* ---- Items ---- */

static enum pcf_status make_room(struct state *state, int64_t functions, int64_t items,
                                 struct pcf_error *error) {
  size_t each = 2 * sizeof *state->item + sizeof *state->bucket;
  state->item = pcf_grow(state->item, &state->room, items, each, error);
  if (!state->item) return PCF_ERROR_MEMORY;
  state->by_bucket = state->item + state->room;
  state->bucket = (uint16_t *)(state->by_bucket + state->room);
  state->bucket_of = (uint16_t *)(state->value + functions);
  return PCF_OK;
}

static void add_item(struct state *state, int64_t function, double time, int weight,
                     int query) {
  int64_t k = state->items++;
  state->bucket[k] = state->bucket_of[function];
  state->starts[state->bucket[k] + 1]++;
  state->item[k] = (struct pcf_l1_item){.value = state->value[function],
                                        .time = time,
                                        .function = (int32_t)function,
                                        .weight = (int8_t)weight,
                                        .query = (int8_t)query};
}

static void sort_by_bucket(struct state *state) {
  int64_t *starts = state->starts;
  for (int b = 0; b < state->buckets; b++) starts[b + 1] += starts[b];
  for (int64_t k = 0; k < state->items; k++) {
    if (k + AHEAD < state->items) FETCH(&state->by_bucket[starts[state->bucket[k + AHEAD]]]);
    state->by_bucket[starts[state->bucket[k]]++] = state->item[k];
  }
  for (int b = state->buckets; b > 0; b--) starts[b] = starts[b - 1];
  starts[0] = 0;
}

/* Events k … k + TOGETHER - 1, as far as there are so many. */
static void add_events(struct state *state, const struct pcf_slab_sums *sums,
                       const struct pcf_slab *slab, int64_t k) {
  int64_t weighted = sums->others ? sums->rows : 0;
  int count = slab->events - k < TOGETHER ? (int)(slab->events - k) : TOGETHER;
  double value[TOGETHER];
  uint16_t bucket[TOGETHER];
  for (int v = 0; v < count; v++) value[v] = pcf_new_value(&slab->event[k + v]);
  find_buckets(state, value, count, bucket);
  for (int v = 0; v < count; v++) {
    const struct pcf_event *event = &slab->event[k + v];
    int64_t f = (int64_t)event->change[0];
    double time = pcf_time_of(event->key) - slab->begin;
    int of_x = f < sums->rows, of_y = f >= weighted;
    if (k + v + AHEAD < slab->events) {
      FETCH(&sums->size[event[AHEAD].change[0]]);
      FETCH(&state->value[event[AHEAD].change[0]]);
      FETCH(&state->bucket_of[event[AHEAD].change[0]]);
    }
    add_item(state, f, time, -of_y, of_x);
    state->bucket_of[f] = bucket[v];
    state->value[f] = value[v] - slab->center;
    sums->size[f] = fmax(sums->size[f], fabs(state->value[f]));
    add_item(state, f, time, of_y, -of_x);
  }
}

static enum pcf_status begin(void *state_, const struct pcf_slab_sums *sums,
                             struct pcf_slab *slab, struct pcf_error *error) {
  struct state *state = state_;
  int64_t functions = sums->rows + sums->others, weighted = sums->others ? sums->rows : 0;
  enum pcf_status status =
    make_room(state, functions, functions + sums->rows + 2 * slab->events, error);
  if (status) return status;
  state->passes = pcf_kernels_of(pcf_best_instructions())->l1_passes;
  cut_values(state, slab, functions);
  state->items = 0;
  memset(state->starts, 0, sizeof state->starts);
  for (int64_t f = 0; f < functions; f += TOGETHER) {
    int count = functions - f < TOGETHER ? (int)(functions - f) : TOGETHER;
    find_buckets(state, slab->value + f, count, state->bucket_of + f);
  }
  for (int64_t f = 0; f < functions; f++) {
    state->value[f] = slab->value[f] - slab->center;
    sums->size[f] = fabs(state->value[f]);
    if (f >= weighted) add_item(state, f, 0, 1, 0);
  }
  for (int64_t k = 0; k < slab->events; k += TOGETHER) add_events(state, sums, slab, k);
  double length = slab->end - slab->begin;
  for (int64_t f = 0; f < functions; f++) sums->size[f] *= length;
  for (int64_t f = 0; f < sums->rows; f++) add_item(state, f, length, 0, 1);
  sort_by_bucket(state);
  return PCF_OK;
}

/* ---- Within a bucket ---- */

static void sort_block(struct pcf_l1_leaf *leaf, int count) {
  for (int k = 1; k < count; k++) {
    struct pcf_l1_leaf item = leaf[k];
    int at = k;
    for (; at > 0 && leaf[at - 1].value > item.value; at--) leaf[at] = leaf[at - 1];
    leaf[at] = item;
  }
}

/* Merges earlier items (first … middle - 1) and later ones by value. Adds to the results of the
 * later ones that ask what the earlier ones with smaller values amount to. */
static void merge(const struct pcf_l1_leaf *from, struct pcf_l1_leaf *to, int64_t first,
                  int64_t middle, int64_t last, double *result) {
  double totals[TOTALS] = {0}, excess[TOTALS] = {0};
  int64_t i = first, j = middle;
  for (int64_t k = first; k < last; k++) {
    int early = j == last || (i < middle && from[i].value <= from[j].value);
    const struct pcf_l1_leaf *item = &from[early ? i : j];
    i += early;
    j += !early;
    to[k] = *item;
    if (early) {
      double of_time = item->weight * item->time;
      double added[TOTALS] = {item->weight, of_time, item->weight * item->value,
                              of_time * item->value};
      UNROLL
      for (int t = 0; t < TOTALS; t++) {
        double wanted = added[t] - excess[t], sum = totals[t] + wanted;
        excess[t] = (sum - totals[t]) - wanted;
        totals[t] = sum;
      }
    } else if (item->factor != 0) {
      result[item->function] +=
        (double)item->factor * pcf_l1_moment(totals, item->time, item->value);
    }
  }
}

static void merge_blocks(struct state *state, int64_t count, double *result) {
  struct pcf_l1_leaf *from = state->leaf, *to = state->leaf + state->leaf_room;
  for (int64_t width = BLOCK; width < count; width *= 2) {
    for (int64_t first = 0; first < count; first += 2 * width) {
      int64_t middle = first + width < count ? first + width : count;
      int64_t last = middle + width < count ? middle + width : count;
      merge(from, to, first, middle, last, result);
    }
    struct pcf_l1_leaf *old = from;
    from = to;
    to = old;
  }
}

/* Values are taken from the first one on, so that near ones keep their digits. */
static int load_leaf(struct state *state, int64_t start, int64_t count,
                     const struct pcf_slab_sums *sums, const double *result) {
  const struct pcf_l1_item *item = state->by_bucket + start;
  double first = item[0].value;
  int differ = 0;
  for (int64_t k = 0; k < count; k++) {
    const struct pcf_l1_item *now = &item[k];
    if (start + k + AHEAD < state->items) PCF_L1_FETCH(sums, &item[k + AHEAD], result);
    double b = now->weight ? sums->b[pcf_entry_of(sums, now->function)] : 0;
    state->leaf[k] = (struct pcf_l1_leaf){.value = now->value - first,
                                          .time = now->time,
                                          .weight = now->weight * b,
                                          .function = now->function,
                                          .factor = (float)(2 * now->query)};
    differ |= now->value != first;
  }
  return differ;
}

static enum pcf_status pass_bucket(struct state *state, const struct pcf_slab_sums *sums,
                                   int bucket, double *result, struct pcf_error *error) {
  int64_t first = state->starts[bucket], count = state->starts[bucket + 1] - first;
  if (count < 2) return PCF_OK;
  state->leaf = pcf_grow(state->leaf, &state->leaf_room, count, 2 * sizeof *state->leaf, error);
  if (!state->leaf) return PCF_ERROR_MEMORY;
  if (!load_leaf(state, first, count, sums, result)) return PCF_OK;
  for (int64_t k = 0; k < count; k += BLOCK) {
    int size = count - k < BLOCK ? (int)(count - k) : BLOCK;
    state->passes->block(state->leaf + k, size, result);
    if (count > BLOCK) sort_block(state->leaf + k, size);
  }
  merge_blocks(state, count, result);
  return PCF_OK;
}

/* ---- A column ---- */

/* As many levels as so many buckets need, with totals of 0. */
static void clear_tree(struct pcf_l1_tree *tree, int buckets) {
  struct pcf_l1_node *end = tree->node;
  tree->levels = 0;
  for (int children = buckets, nodes = 0; nodes != 1; children = nodes) {
    nodes = (children + FAN - 1) / FAN;
    tree->level[tree->levels++] = end;
    end += nodes;
  }
  memset(tree->node, 0, (size_t)(end - tree->node) * sizeof *end);
}

static enum pcf_status add(void *state_, const struct pcf_slab_sums *sums,
                           const struct pcf_slab *slab, const atomic_int *stop, double *result,
                           struct pcf_error *error) {
  struct state *state = state_;
  double all[2 * TOTALS] = {0};
  enum pcf_status status = PCF_OK;
  clear_tree(&state->tree, state->buckets);
  for (int64_t k = 0; k < state->items; k += ITEMS_PER_STOP_CHECK) {
    int64_t left = state->items - k, count = pcf_smaller(left, ITEMS_PER_STOP_CHECK);
    if (stop && atomic_load(stop)) {
      return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
    }
    state->passes->items(&state->tree, sums, state->item + k, state->bucket + k, count, left,
                         all, result);
  }
  for (int bucket = 0; bucket < state->buckets && !status; bucket++) {
    if (bucket % 64 == 0 && stop && atomic_load(stop)) {
      return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
    }
    status = pass_bucket(state, sums, bucket, result, error);
  }
  return status;
}

const struct pcf_slab_kernel pcf_l1_slab_kernel = {
  sizeof(struct state), sizeof(double) + sizeof(uint16_t), release, begin, add};
