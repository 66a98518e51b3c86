/* The passes of L1 products for the instruction set ISA. Included after its vector
 * operations, in double precision. Nothing is fused, so that all sets give the same bits. */
#include "base/hints.h"
#include "pairs/product-l1.h"

#define NAME_2(x, isa) pcf_l1_##x##_##isa
#define NAME_1(x, isa) NAME_2(x, isa)
#define NAME(x) NAME_1(x, ISA)

enum { TOTALS = PCF_L1_TOTALS, FAN = PCF_L1_FAN, BLOCK = PCF_L1_BLOCK };

/* ---- Lower buckets ---- */

INLINE TARGET void add_totals(double *to, const double *totals) {
  for (int k = 0; k < TOTALS; k += LANES) {
    v_store(to + k, v_add(v_load(to + k), v_load(totals + k)));
  }
}

/* The bits of numbers to keep, or to make 0. */
union mask {
  uint64_t bits[TOTALS];
  double number[TOTALS];
};

#define KEEP                                                   \
  {                                                            \
    { ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0) } \
  }
#define DROP \
  {          \
    { 0 }    \
  }

/* Of the children of a node, those before each of them. */
static const union mask before[FAN][FAN - 1] = {
  {DROP, DROP, DROP}, {KEEP, DROP, DROP}, {KEEP, KEEP, DROP}, {KEEP, KEEP, KEEP}};

/* The totals of all buckets before that one: at each level those of the children of the same
 * node that come before. All but the last are read, and masked, since a branch would be
 * guessed wrong. */
INLINE TARGET void totals_below(const struct pcf_l1_tree *tree, int bucket, double *totals) {
  V sum[TOTALS / LANES];
  for (int k = 0; k < TOTALS / LANES; k++) sum[k] = v_set1(0);
  for (int level = 0; level < tree->levels; level++, bucket /= FAN) {
    const double(*node)[TOTALS] = tree->totals + pcf_l1_level(level) + bucket / FAN * FAN;
    const union mask *mask = before[bucket % FAN];
    UNROLL
    for (int child = 0; child < FAN - 1; child++) {
      for (int k = 0; k < TOTALS / LANES; k++) {
        V kept = v_and(v_load(&node[child][k * LANES]), v_load(&mask[child].number[k * LANES]));
        sum[k] = v_add(sum[k], kept);
      }
    }
  }
  for (int k = 0; k < TOTALS / LANES; k++) v_store(totals + k * LANES, sum[k]);
}

INLINE TARGET void pass_item(struct pcf_l1_tree *tree, const struct pcf_l1_item *item,
                             int bucket, double weight, double *all, double *result) {
  if (item->query) {
    double below[TOTALS];
    totals_below(tree, bucket, below);
    double h = 2 * pcf_l1_moment(below, item->time, item->value) -
               pcf_l1_moment(all, item->time, item->value);
    result[item->function] += item->query * h;
  }
  if (weight == 0) return;
  double of_time = weight * item->time;
  double totals[TOTALS] = {weight, of_time, weight * item->value, of_time * item->value};
  add_totals(all, totals);
  for (int level = 0; level < tree->levels; level++, bucket /= FAN) {
    add_totals(tree->totals[pcf_l1_level(level) + bucket], totals);
  }
}

static TARGET void NAME(items)(struct pcf_l1_tree *tree, const struct pcf_slab_sums *sums,
                               const struct pcf_l1_item *item, const uint16_t *bucket,
                               int64_t count, int64_t left, double *all, double *result) {
  for (int64_t k = 0; k < count; k++) {
    double b = item[k].weight ? sums->b[pcf_entry_of(sums, item[k].function)] : 0;
    if (k + PCF_L1_AHEAD < left) {
      PCF_L1_FETCH(sums, &item[k + PCF_L1_AHEAD], result);
      FETCH(tree->totals[bucket[k + PCF_L1_AHEAD]]);
    }
    pass_item(tree, &item[k], bucket[k], item[k].weight * b, all, result);
  }
}

/* ---- Within a bucket ---- */

/* Sums of TOTALS lanes. Items behind `count` have no weight. Times and values of earlier and
 * smaller ones alone make both factors positive. */
static TARGET void NAME(block)(const struct pcf_l1_leaf *leaf, int count, double *result) {
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

const struct pcf_l1_passes NAME(passes) = {NAME(items), NAME(block)};
