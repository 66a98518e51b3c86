/* The parts of L1 products that do most of the work (product-l1.c), for an instruction set. The
 * order of all additions, and so the results, are the same for all instruction sets. */
#pragma once

#include "base/instructions.h"
#include "products/events.h"

enum {
  PCF_L1_TOTALS = 4,                         /* of b, b s, b w, b s w */
  PCF_L1_FAN = 4,                            /* of the levels */
  PCF_L1_LEVELS = 7,                         /* at most */
  PCF_L1_BUCKETS = 1 << (2 * PCF_L1_LEVELS), /* FAN to the power of that */
  PCF_L1_NODES = (PCF_L1_BUCKETS - 1) / 3,   /* of all levels */
  PCF_L1_BLOCK = 64,                         /* items that are compared directly */
  PCF_L1_AHEAD = 16                          /* how many items in advance memory is fetched */
};

/* A value that a function takes or leaves, or for which a sum is requested. */
struct pcf_l1_item {
  double value, time;
  int32_t function;
  int8_t weight, query; /* −1, 0 or 1: the factors of b and H */
};

/* An item with its weight b; `factor` is 2 or −2 if it requests a sum. */
struct pcf_l1_leaf {
  double value, time, weight;
  int32_t function;
  float factor;
};

/* Totals of up to FAN children, and the amounts by which rounding has made each of them too
 * large, which the next addition compensates for (Kahan, 1965). Otherwise the error would grow
 * with the number of additions: many functions that change their values alike at the same time
 * add the same numbers, which are all rounded in the same way. */
struct pcf_l1_node {
  _Alignas(64) double totals[PCF_L1_FAN][PCF_L1_TOTALS];
  double excess[PCF_L1_FAN][PCF_L1_TOTALS];
};

/* Nodes whose children are the buckets, then those whose children are these nodes, and so on up
 * to a single one, level by level. */
struct pcf_l1_tree {
  int levels;
  struct pcf_l1_node *level[PCF_L1_LEVELS]; /* the first node of each */
  struct pcf_l1_node node[PCF_L1_NODES];
};

struct pcf_l1_passes {
  /* Adds the sums that `count` items request to `result`, and their weights to the totals of
   * their buckets and of all, which are followed by their excess. Memory may be fetched for
   * `left` further items. */
  void (*items)(struct pcf_l1_tree *tree, const struct pcf_slab_sums *sums,
                const struct pcf_l1_item *item, const uint16_t *bucket, int64_t count,
                int64_t left, double *all, double *result);
  /* Adds the contributions of up to BLOCK items, in the order of time, to each other. */
  void (*block)(const struct pcf_l1_leaf *leaf, int count, double *result);
};

extern const struct pcf_l1_passes pcf_l1_passes_avx2, pcf_l1_passes_sse2, pcf_l1_passes_neon,
  pcf_l1_passes_scalar;

/* Fetches the memory that an item will need: items are sorted by time or value, but functions
 * are not. */
#define PCF_L1_FETCH(sums, item, result)                       \
  do {                                                         \
    FETCH(&(sums)->b[pcf_entry_of((sums), (item)->function)]); \
    FETCH(&(result)[(item)->function]);                        \
  } while (0)

/* The sum over items of b (time − s)(value − w), from their totals. */
static inline double pcf_l1_moment(const double *totals, double time, double value) {
  return value * (time * totals[0] - totals[1]) - (time * totals[2] - totals[3]);
}
