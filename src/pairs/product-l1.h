/* The parts of L1 products that do most of the work (product-l1.c), for an instruction set.
 * What they add up in which order, and so the bits of the results, is the same for all of them.
 */
#pragma once

#include "base/instructions.h"
#include "pairs/product.h"

enum {
  PCF_L1_TOTALS = 4,                         /* of b, b s, b w, b s w */
  PCF_L1_FAN = 4,                            /* of the levels */
  PCF_L1_LEVELS = 7,                         /* at most */
  PCF_L1_BUCKETS = 1 << (2 * PCF_L1_LEVELS), /* FAN to the power of that */
  PCF_L1_NODES = (PCF_L1_BUCKETS - 1) / 3,   /* of all levels */
  PCF_L1_BLOCK = 64,                         /* items that look at each other directly */
  PCF_L1_AHEAD = 16 /* items for which memory is asked before it is their turn */
};

/* A value that is taken or left, or asked about. */
struct pcf_l1_item {
  double value, time;
  int32_t function;
  int8_t weight, query; /* −1, 0 or 1: by what b and H are multiplied */
};

/* An item with its weight b; `factor` is 2 or −2 where it asks. */
struct pcf_l1_leaf {
  double value, time, weight;
  int32_t function;
  float factor;
};

/* Totals of up to FAN children, and by how much rounding has made each of them too large, which
 * the next addition to it makes up for (Kahan, 1965). Without that, the error would grow with
 * the number of additions: many functions that change their values alike at the same time add
 * the same numbers, all of which are rounded the same way. */
struct pcf_l1_node {
  _Alignas(64) double totals[PCF_L1_FAN][PCF_L1_TOTALS];
  double excess[PCF_L1_FAN][PCF_L1_TOTALS];
};

/* Nodes whose children are the buckets, then those whose children are these nodes, and so on
 * to a single one, level after level. */
struct pcf_l1_tree {
  int levels;
  struct pcf_l1_node *level[PCF_L1_LEVELS]; /* where each begins */
  struct pcf_l1_node node[PCF_L1_NODES];
};

struct pcf_l1_passes {
  /* Adds what `count` items ask for to `result`, and what they weigh to the totals of their
   * buckets and those of all, which are followed by their excess. So many items that are `left`
   * may be fetched. */
  void (*items)(struct pcf_l1_tree *tree, const struct pcf_slab_sums *sums,
                const struct pcf_l1_item *item, const uint16_t *bucket, int64_t count,
                int64_t left, double *all, double *result);
  /* Adds what up to BLOCK items, in the order of time, add to each other. */
  void (*block)(const struct pcf_l1_leaf *leaf, int count, double *result);
};

extern const struct pcf_l1_passes pcf_l1_passes_avx2, pcf_l1_passes_sse2, pcf_l1_passes_neon,
  pcf_l1_passes_scalar;

/* What an item will need: items come in the order of time or of values, and functions in none.
 */
#define PCF_L1_FETCH(sums, item, result)                       \
  do {                                                         \
    FETCH(&(sums)->b[pcf_entry_of((sums), (item)->function)]); \
    FETCH(&(result)[(item)->function]);                        \
  } while (0)

/* The sum over items of b (time − s)(value − w), from their totals. */
static inline double pcf_l1_moment(const double *totals, double time, double value) {
  return value * (time * totals[0] - totals[1]) - (time * totals[2] - totals[3]);
}
