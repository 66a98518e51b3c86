/* The passes of L1 products for the instruction set ISA. Included after its vector
 * operations, in double precision. Nothing is fused, so that all sets give the same bits. */
#include "base/hints.h"
#include "products/product-l1.h"

enum { TOTALS = PCF_L1_TOTALS, FAN = PCF_L1_FAN, BLOCK = PCF_L1_BLOCK };

/* ---- Lower buckets ---- */

/* The totals of the children of a node that come before others. */
enum { BEFORE = (FAN - 1) * TOTALS };

/* Bits of numbers to keep, or to make 0. */
union mask {
  uint64_t bits[BEFORE];
  double number[BEFORE];
};

#define ALL ~UINT64_C(0)
#define KEEP ALL, ALL, ALL, ALL
#define DROP 0, 0, 0, 0

/* Of the children of a node, those before each of them. */
static const union mask before[FAN] = {
  {{DROP}}, {{KEEP}}, {{KEEP, KEEP}}, {{KEEP, KEEP, KEEP}}};

/* Of the totals, those with time and those with values, and 1 in the places of the others. */
static const union mask with_time = {{0, ALL, 0, ALL}}, with_value = {{0, 0, ALL, ALL}};
static const double without_time[] = {1, 0, 1, 0}, without_value[] = {1, 1, 0, 0};

INLINE TARGET V factors(double x, const union mask *with, const double *without, int k) {
  return v_or(v_and(v_set1(x), v_load(with->number + k)), v_load(without + k));
}

INLINE TARGET void find_totals(const struct pcf_l1_item *item, double weight, V *totals) {
  UNROLL
  for (int k = 0; k < TOTALS; k += LANES) {
    V of_time = v_mul(v_set1(weight), factors(item->time, &with_time, without_time, k));
    totals[k / LANES] = v_mul(of_time, factors(item->value, &with_value, without_value, k));
  }
}

/* Adds to a total, with `excess` as in a node. */
INLINE TARGET void add_to_total(double *total, double *excess, V x) {
  V old = v_load(total), wanted = v_sub(x, v_load(excess)), new = v_add(old, wanted);
  v_store(total, new);
  v_store(excess, v_sub(v_sub(new, old), wanted));
}

/* Adds the totals of all buckets before that one to `sum`: at each level those of the children
 * of the same node that come before, the first ones to the first sum … All but the last are
 * read, and masked, since a branch would be guessed wrong; in one sum each would wait for the
 * one before. Then adds the item's totals to the bucket and to what it belongs to. */
INLINE TARGET void climb(struct pcf_l1_tree *tree, unsigned bucket, int asks, V *sum,
                         int weighs, const V *totals) {
  for (int level = 0; level < tree->levels; level++) {
    size_t child = bucket % FAN;
    struct pcf_l1_node *node = &tree->level[level][bucket /= FAN];
    UNROLL
    for (int k = 0; asks && k < BEFORE; k += LANES) {
      V kept = v_and(v_load(node->totals[0] + k), v_load(before[child].number + k));
      sum[k / LANES] = v_add(sum[k / LANES], kept);
    }
    UNROLL
    for (int k = 0; weighs && k < TOTALS; k += LANES) {
      add_to_total(node->totals[child] + k, node->excess[child] + k, totals[k / LANES]);
    }
  }
}

/* Twice the totals below less all of them. */
INLINE TARGET void combine(const V *sum, const double *all, double *totals) {
  UNROLL
  for (int k = 0; k < TOTALS; k += LANES) {
    const V *first = sum + k / LANES;
    V below = v_add(v_add(first[0], first[TOTALS / LANES]), first[2 * TOTALS / LANES]);
    v_store(totals + k, v_sub(v_add(below, below), v_load(all + k)));
  }
}

/* `asks` and `weighs` are to be constants. */
INLINE TARGET void pass_item(struct pcf_l1_tree *tree, const struct pcf_l1_item *item,
                             unsigned bucket, double weight, int asks, int weighs, double *all,
                             double *result) {
  V sum[BEFORE / LANES], added[TOTALS / LANES];
  UNROLL
  for (int v = 0; v < BEFORE / LANES; v++) sum[v] = v_set1(0);
  if (weighs) find_totals(item, weight, added);
  climb(tree, bucket, asks, sum, weighs, added);
  if (asks) {
    double totals[TOTALS];
    combine(sum, all, totals);
    result[item->function] += item->query * pcf_l1_moment(totals, item->time, item->value);
  }
  UNROLL
  for (int k = 0; weighs && k < TOTALS; k += LANES) {
    add_to_total(all + k, all + TOTALS + k, added[k / LANES]);
  }
}

static TARGET void pass_items(struct pcf_l1_tree *tree, const struct pcf_slab_sums *sums,
                              const struct pcf_l1_item *item, const uint16_t *bucket,
                              int64_t count, int64_t left, double *all, double *result) {
  for (int64_t k = 0; k < count; k++) {
    const struct pcf_l1_item *now = &item[k];
    double b = now->weight ? sums->b[pcf_entry_of(sums, now->function)] : 0;
    double weight = now->weight * b;
    if (k + PCF_L1_AHEAD < left) {
      PCF_L1_FETCH(sums, &item[k + PCF_L1_AHEAD], result);
      unsigned ahead = bucket[k + PCF_L1_AHEAD];
      FETCH(tree->level[0][ahead / FAN].totals[ahead % FAN]);
      FETCH(tree->level[0][ahead / FAN].excess[ahead % FAN]);
    }
    if (now->query && weight != 0) pass_item(tree, now, bucket[k], weight, 1, 1, all, result);
    else if (now->query) pass_item(tree, now, bucket[k], 0, 1, 0, all, result);
    else if (weight != 0) pass_item(tree, now, bucket[k], weight, 0, 1, all, result);
  }
}

/* ---- Within a bucket ---- */

/* Sums of TOTALS lanes. Items behind `count` have no weight. Times and values of earlier and
 * smaller ones alone make both factors positive. */
static TARGET void pass_block(const struct pcf_l1_leaf *leaf, int count, double *result) {
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
    V sum[TOTALS / LANES], values = v_set1(value[i]), times = v_set1(time[i]);
    for (int k = 0; k < TOTALS / LANES; k++) sum[k] = none;
    for (int j = 0; j < i; j += TOTALS) {
      for (int k = 0; k < TOTALS / LANES; k++) {
        int at = j + k * LANES;
        V above = v_max(v_sub(values, v_load(value + at)), none);
        V since = v_max(v_sub(times, v_load(time + at)), none);
        sum[k] = v_add(sum[k], v_mul(v_mul(v_load(weight + at), above), since));
      }
    }
    double lanes[TOTALS];
    for (int k = 0; k < TOTALS / LANES; k++) v_store(lanes + k * LANES, sum[k]);
    double h = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    result[leaf[i].function] += (double)leaf[i].factor * h;
  }
}

#define PASSES(isa) PASSES_2(isa)
#define PASSES_2(isa) pcf_l1_passes_##isa
const struct pcf_l1_passes PASSES(ISA) = {pass_items, pass_block};
