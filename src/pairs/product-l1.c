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
 * the buckets below, which are kept at three levels of 16 each, comes what lower buckets add.
 * Within a bucket items are few: blocks of them look at each other directly, and are then
 * merged by value, the earlier half with its totals going along. */
#include "base/memory.h"
#include "pairs/product.h"
#include "pairs/slabs.h"

#include "base/lanes.h"
#include "functions/steps.h"

#include <string.h>

enum {
  TOTALS = 4, /* of b, b s, b w, b s w */
  FAN = 16,   /* of the levels */
  MOST_BUCKETS = FAN * FAN * FAN,
  ITEMS_A_BUCKET = 48, /* wanted */
  SAMPLED = 4,         /* values for each bucket */
  BLOCK = 32,          /* items that look at each other directly */
  ITEMS_PER_STOP_CHECK = 1 << 14
};

/* A value that is taken or left, or asked about. */
struct item {
  double value, time;
  int32_t function;
  int8_t weight, query; /* −1, 0 or 1: by what b and H are multiplied */
};

struct state {
  int64_t room, items; /* items, in the order of time and by buckets */
  struct item *item, *by_bucket;
  uint16_t *bucket; /* of each item */
  double center;    /* is subtracted from all values */
  int buckets;
  double least[MOST_BUCKETS + 1]; /* value of each bucket, but for the first */
  int64_t starts[MOST_BUCKETS + 2];
  int64_t functions;
  uint16_t *bucket_of; /* of each function, now */
  double *value;       /* of each function, now, less the center */
  struct pcf_step sample[2 * SAMPLED * MOST_BUCKETS];
  double totals[3][MOST_BUCKETS][TOTALS];
  /* A bucket at work: */
  int64_t leaf_room;
  struct leaf_item *leaf, *merged;
};

/* An item with its weight b; `factor` is 2 or −2 where it asks. */
struct leaf_item {
  double value, time, weight;
  int32_t function;
  float factor;
};

static void *new_state(struct pcf_error *error) {
  struct state *state = pcf_allocate(1, sizeof *state, error);
  if (!state) return NULL;
  state->room = state->leaf_room = state->functions = 0;
  state->item = state->by_bucket = NULL;
  state->bucket = state->bucket_of = NULL;
  state->value = NULL;
  state->leaf = state->merged = NULL;
  return state;
}

static void free_state(void *state_) {
  struct state *state = state_;
  if (!state) return;
  pcf_free(state->item);
  pcf_free(state->by_bucket);
  pcf_free(state->bucket);
  pcf_free(state->bucket_of);
  pcf_free(state->value);
  pcf_free(state->leaf);
  pcf_free(state->merged);
  pcf_free(state);
}

/* ---- Buckets of values ---- */

static double new_value(const struct pcf_event *event) {
  return pcf_double_of(event->change[1]);
}

/* Every so manyth value of the slab, in order. */
static int64_t sample_values(struct state *state, const struct pcf_slab *slab,
                             int64_t functions, int64_t most) {
  int64_t all = functions + slab->events, step = all / most + 1, count = 0;
  for (int64_t k = 0; k < all; k += step) {
    double value = k < functions ? slab->value[k] : new_value(&slab->event[k - functions]);
    state->sample[count++] = (struct pcf_step){value, 0};
  }
  pcf_sort_steps(state->sample, state->sample + SAMPLED * MOST_BUCKETS, count);
  return count;
}

/* Cuts at quantiles of the sample; a value that is many quantiles has a bucket to itself, with
 * those that come before the next one. */
static void cut_values(struct state *state, const struct pcf_slab *slab, int64_t functions) {
  int64_t wanted = (functions + 2 * slab->events) / ITEMS_A_BUCKET + 1;
  if (wanted > MOST_BUCKETS) wanted = MOST_BUCKETS;
  int64_t count = sample_values(state, slab, functions, SAMPLED * wanted);
  state->center = state->sample[count / 2].time;
  state->buckets = 1;
  for (int64_t k = 1; k < wanted; k++) {
    double least = state->sample[count * k / wanted].time;
    double last = state->buckets > 1 ? state->least[state->buckets - 1] : -INFINITY;
    if (least > state->sample[0].time && least > last) state->least[state->buckets++] = least;
  }
}

/* The last bucket whose least value is at most `value`. */
static uint16_t find_bucket(const struct state *state, double value) {
  int first = 0, count = state->buckets;
  while (count > 1) {
    int half = count / 2;
    first = state->least[first + half] <= value ? first + half : first;
    count -= half;
  }
  return (uint16_t)first;
}

/* ---- Items ---- */

static enum pcf_status make_room(struct state *state, int64_t functions, int64_t items,
                                 struct pcf_error *error) {
  if (functions > state->functions) {
    state->functions = functions;
    state->value = pcf_allocate((size_t)functions, sizeof *state->value, error);
    state->bucket_of = pcf_allocate((size_t)functions, sizeof *state->bucket_of, error);
    if (!state->value || !state->bucket_of) return PCF_ERROR_MEMORY;
  }
  if (items <= state->room) return PCF_OK;
  pcf_free(state->item);
  pcf_free(state->by_bucket);
  pcf_free(state->bucket);
  state->room = items + items / 4;
  state->item = pcf_allocate((size_t)state->room, sizeof *state->item, error);
  state->by_bucket = pcf_allocate((size_t)state->room, sizeof *state->by_bucket, error);
  state->bucket = pcf_allocate((size_t)state->room, sizeof *state->bucket, error);
  return state->item && state->by_bucket && state->bucket ? PCF_OK : PCF_ERROR_MEMORY;
}

static void add_item(struct state *state, int64_t function, double time, int weight,
                     int query) {
  int64_t k = state->items++;
  state->bucket[k] = state->bucket_of[function];
  state->starts[state->bucket[k] + 1]++;
  state->item[k] = (struct item){.value = state->value[function],
                                 .time = time,
                                 .function = (int32_t)function,
                                 .weight = (int8_t)weight,
                                 .query = (int8_t)query};
}

static void sort_by_bucket(struct state *state) {
  int64_t *starts = state->starts;
  for (int b = 0; b < state->buckets; b++) starts[b + 1] += starts[b];
  for (int64_t k = 0; k < state->items; k++) {
    state->by_bucket[starts[state->bucket[k]]++] = state->item[k];
  }
  for (int b = state->buckets; b > 0; b--) starts[b] = starts[b - 1];
  starts[0] = 0;
}

static enum pcf_status begin(void *state_, const struct pcf_slab_sums *sums,
                             const struct pcf_slab *slab, struct pcf_error *error) {
  struct state *state = state_;
  int64_t functions = sums->rows + sums->others, weighted = sums->others ? sums->rows : 0;
  enum pcf_status status =
    make_room(state, functions, functions + sums->rows + 2 * slab->events, error);
  if (status) return status;
  cut_values(state, slab, functions);
  state->items = 0;
  memset(state->starts, 0, sizeof state->starts);
  for (int64_t f = 0; f < functions; f++) {
    state->bucket_of[f] = find_bucket(state, slab->value[f]);
    state->value[f] = slab->value[f] - state->center;
    if (f >= weighted) add_item(state, f, 0, 1, 0);
  }
  for (int64_t k = 0; k < slab->events; k++) {
    const struct pcf_event *event = &slab->event[k];
    int64_t f = (int64_t)event->change[0];
    double time = pcf_time_of(event->key) - slab->begin, value = new_value(event);
    int of_x = f < sums->rows, of_y = f >= weighted;
    add_item(state, f, time, -of_y, of_x);
    state->bucket_of[f] = find_bucket(state, value);
    state->value[f] = value - state->center;
    add_item(state, f, time, of_y, -of_x);
  }
  for (int64_t f = 0; f < sums->rows; f++) add_item(state, f, slab->end - slab->begin, 0, 1);
  sort_by_bucket(state);
  return PCF_OK;
}

/* ---- Lower buckets ---- */

INLINE void add_totals(double *to, const double *totals) {
  for (int k = 0; k < TOTALS; k += LANES) {
    v_store(to + k, v_add(v_load(to + k), v_load(totals + k)));
  }
}

INLINE void add_row(double *to, double (*row)[TOTALS], int first, int last) {
  for (int b = first; b < last; b++) add_totals(to, row[b]);
}

/* The totals of all buckets before that one. */
static void totals_below(struct state *state, int bucket, double *totals) {
  memset(totals, 0, TOTALS * sizeof *totals);
  add_row(totals, state->totals[2], 0, bucket / (FAN * FAN));
  add_row(totals, state->totals[1], bucket / (FAN * FAN) * FAN, bucket / FAN);
  add_row(totals, state->totals[0], bucket / FAN * FAN, bucket);
}

/* The sum over items of b (time − s)(value − w), from their totals. */
INLINE double moment(const double *totals, double time, double value) {
  return value * (time * totals[0] - totals[1]) - (time * totals[2] - totals[3]);
}

static void pass_item(struct state *state, const struct item *item, int bucket, double weight,
                      double *all, double *result) {
  if (item->query) {
    double below[TOTALS];
    totals_below(state, bucket, below);
    double h =
      2 * moment(below, item->time, item->value) - moment(all, item->time, item->value);
    result[item->function] += item->query * h;
  }
  if (weight == 0) return;
  double of_time = weight * item->time;
  double totals[TOTALS] = {weight, of_time, weight * item->value, of_time * item->value};
  add_totals(all, totals);
  add_totals(state->totals[0][bucket], totals);
  add_totals(state->totals[1][bucket / FAN], totals);
  add_totals(state->totals[2][bucket / (FAN * FAN)], totals);
}

/* ---- Within a bucket ---- */

/* What the items of a block add to each other; those behind `count` have no weight. Times and
 * values of earlier and smaller ones alone make both factors positive. */
static void pass_block(const struct leaf_item *leaf, int count, double *result) {
  double value[BLOCK], time[BLOCK], weight[BLOCK];
  for (int k = 0; k < BLOCK; k++) {
    int there = k < count;
    value[k] = there ? leaf[k].value : 0;
    time[k] = there ? leaf[k].time : 0;
    weight[k] = there ? leaf[k].weight : 0;
  }
  V none = v_set1(0);
  for (int i = 1; i < count; i++) {
    if (leaf[i].factor == 0) continue;
    V sum = none, values = v_set1(value[i]), times = v_set1(time[i]);
    for (int j = 0; j < i; j += LANES) {
      V above = v_max(v_sub(values, v_load(value + j)), none);
      V since = v_max(v_sub(times, v_load(time + j)), none);
      sum = v_add(sum, v_mul(v_mul(v_load(weight + j), above), since));
    }
    double lanes[LANES], h = 0;
    v_store(lanes, sum);
    for (int l = 0; l < LANES; l++) h += lanes[l];
    result[leaf[i].function] += (double)leaf[i].factor * h;
  }
}

static void sort_block(struct leaf_item *leaf, int count) {
  for (int k = 1; k < count; k++) {
    struct leaf_item item = leaf[k];
    int at = k;
    for (; at > 0 && leaf[at - 1].value > item.value; at--) leaf[at] = leaf[at - 1];
    leaf[at] = item;
  }
}

/* Merges earlier items (first … middle - 1) and later ones by value, and adds to those of the
 * later ones that ask what the earlier ones of smaller values come to. */
static void merge(const struct leaf_item *from, struct leaf_item *to, int64_t first,
                  int64_t middle, int64_t last, double *result) {
  double totals[TOTALS] = {0};
  int64_t i = first, j = middle;
  for (int64_t k = first; k < last; k++) {
    int early = j == last || (i < middle && from[i].value <= from[j].value);
    const struct leaf_item *item = &from[early ? i : j];
    i += early;
    j += !early;
    to[k] = *item;
    if (early) {
      double of_time = item->weight * item->time;
      totals[0] += item->weight;
      totals[1] += of_time;
      totals[2] += item->weight * item->value;
      totals[3] += of_time * item->value;
    } else if (item->factor != 0) {
      result[item->function] += (double)item->factor * moment(totals, item->time, item->value);
    }
  }
}

static void merge_blocks(struct state *state, int64_t count, double *result) {
  struct leaf_item *from = state->leaf, *to = state->merged;
  for (int64_t width = BLOCK; width < count; width *= 2) {
    for (int64_t first = 0; first < count; first += 2 * width) {
      int64_t middle = first + width < count ? first + width : count;
      int64_t last = middle + width < count ? middle + width : count;
      merge(from, to, first, middle, last, result);
    }
    struct leaf_item *old = from;
    from = to;
    to = old;
  }
}

/* Values are taken from the first one on, so that near ones keep their digits. */
static int load_leaf(struct state *state, const struct item *item, int64_t count,
                     const struct pcf_slab_sums *sums) {
  double first = item[0].value;
  int differ = 0;
  for (int64_t k = 0; k < count; k++) {
    const struct item *now = &item[k];
    double b = now->weight ? sums->b[pcf_entry_of(sums, now->function)] : 0;
    state->leaf[k] = (struct leaf_item){.value = now->value - first,
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
  if (count > state->leaf_room) {
    pcf_free(state->leaf);
    pcf_free(state->merged);
    state->leaf_room = 2 * count;
    state->leaf = pcf_allocate((size_t)state->leaf_room, sizeof *state->leaf, error);
    state->merged = pcf_allocate((size_t)state->leaf_room, sizeof *state->merged, error);
    if (!state->leaf || !state->merged) {
      state->leaf_room = 0;
      return PCF_ERROR_MEMORY;
    }
  }
  if (!load_leaf(state, state->by_bucket + first, count, sums)) return PCF_OK;
  for (int64_t k = 0; k < count; k += BLOCK) {
    int size = count - k < BLOCK ? (int)(count - k) : BLOCK;
    pass_block(state->leaf + k, size, result);
    if (count > BLOCK) sort_block(state->leaf + k, size);
  }
  merge_blocks(state, count, result);
  return PCF_OK;
}

/* ---- A column ---- */

static enum pcf_status add(void *state_, const struct pcf_slab_sums *sums,
                           const struct pcf_slab *slab, const atomic_int *stop, double *result,
                           struct pcf_error *error) {
  struct state *state = state_;
  double all[TOTALS] = {0};
  enum pcf_status status = PCF_OK;
  (void)slab;
  for (int level = 0, size = state->buckets; level < 3; level++, size = size / FAN + 1) {
    memset(state->totals[level], 0, (size_t)size * sizeof state->totals[level][0]);
  }
  for (int64_t k = 0; k < state->items; k++) {
    const struct item *item = &state->item[k];
    double b = item->weight ? sums->b[pcf_entry_of(sums, item->function)] : 0;
    if (k % ITEMS_PER_STOP_CHECK == 0 && stop && atomic_load(stop)) {
      return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
    }
    pass_item(state, item, state->bucket[k], item->weight * b, all, result);
  }
  for (int bucket = 0; bucket < state->buckets && !status; bucket++) {
    if (bucket % 64 == 0 && stop && atomic_load(stop)) {
      return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
    }
    status = pass_bucket(state, sums, bucket, result, error);
  }
  return status;
}

const struct pcf_slab_kernel pcf_l1_slab_kernel = {new_state, free_state, begin, add};
