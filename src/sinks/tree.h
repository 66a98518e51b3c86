/* Minimum spanning trees of items of which each lists its nearest others, and the hierarchies
 * of clusters that these trees are. */
#pragma once

#include "base/error.h"

#include <stdatomic.h>
#include <stdint.h>

/* An edge between two items, low < high. Edges have one order: by their weights, then by `low`,
 * then by `high`. No two are equal in it, and so there is one minimum spanning tree. */
struct pcf_edge {
  double weight;
  int32_t low, high;
};

/* Another item, and the weight of the edge to it, which is not NaN. */
struct pcf_listed {
  double weight;
  int32_t item; /* -1: there are no more */
};

/* Each of `items` lists `each` others, item i those at i * each + 0 …, in the order of the
 * edges to them, which is that of (weight, item). Edges that an item does not list come after
 * the last one that it lists or, with `limit`, weigh limit[i] at least. */
struct pcf_lists {
  int64_t items, each;
  struct pcf_listed *listed;
  const double *limit; /* or NULL */
};

/* Edges of the tree that are known so far, in no order, and the components that they make:
 * label is the least item of the component of each. At first there are none, and label[i] is i.
 */
struct pcf_forest {
  int64_t items, edges;
  int32_t *label;
  struct pcf_edge *edge; /* room for items - 1 */
};

/* Adds the edges that are certain by lists that leave nothing out but items of the same
 * component. Without limits, every component that has a listed item of another one is joined to
 * at least one other. Takes O(items * (each + log(items))) steps. */
enum pcf_status pcf_tree_grow(struct pcf_forest *forest, const struct pcf_lists *lists,
                              const atomic_int *stop, struct pcf_error *error);

/* Makes lists by distance lists by mutual reachability: the weight of an edge is at least that
 * of both its items in `least`. `limit`, with room for `items`, becomes that of the lists. */
enum pcf_status pcf_tree_raise(struct pcf_lists *lists, const double *least, double *limit,
                               const atomic_int *stop, struct pcf_error *error);

/* Sorts the edges of a tree of at least two items, and makes its hierarchy as R's `hclust` has
 * it: step s joins merge[s] and merge[s + items - 1], which are a step, from 1 on, or an item,
 * as -1 - item. An item stands before a step, and the lesser item or step before the greater
 * one. `order` are the items, from 1 on, such that no two branches cross. */
enum pcf_status pcf_tree_hierarchy(struct pcf_edge *edge, int64_t items, int *merge, int *order,
                                   struct pcf_error *error);
