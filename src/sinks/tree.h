/* Minimum spanning trees, from lists of the nearest others of each item, and the hierarchies of
 * clusters that are equivalent to the trees. */
#pragma once

#include "base/error.h"

#include <stdatomic.h>
#include <stdint.h>

/* An edge between two items, low < high. Edges are ordered by their weights, then by `low`,
 * then by `high`. No two are equal in this order, so that the minimum spanning tree is unique.
 */
struct pcf_edge {
  double weight;
  int32_t low, high;
};

/* Another item, and the weight of the edge to it, which is not NaN. */
struct pcf_listed {
  double weight;
  int32_t item; /* -1 at the end of the list */
};

/* Each of `items` has a list of `each` others: item i those at i * each + 0 …, in the order of
 * the edges to them, that is, of (weight, item). Edges that are not in the list of an item come
 * after the last one in it or, with `limit`, have at least the weight limit[i]. With
 * `farthest`, lists that are not full may lack edges whose weights are larger than
 * farthest[i]. */
struct pcf_lists {
  int64_t items, each;
  struct pcf_listed *listed;
  const double *limit, *farthest; /* or NULL */
};

/* The edges of the tree found so far, in no order, and the components that they form: `label`
 * is the smallest item of the component of each item. At first there are no edges, and label[i]
 * is i. */
struct pcf_forest {
  int64_t items, edges;
  int32_t *label;
  struct pcf_edge *edge; /* room for items - 1 */
};

/* Adds the edges that are certain to be in the tree, given lists that leave out only items of
 * the same component. Without limits, every component with a listed item of another component
 * is joined to at least one other. Takes O(items * (each + log(items))) steps. */
enum pcf_status pcf_tree_grow(struct pcf_forest *forest, const struct pcf_lists *lists,
                              const atomic_int *stop, struct pcf_error *error);

/* Converts lists by distance to lists by mutual reachability: the weight of an edge becomes at
 * least that of both its items in `least`. `limit`, with space for `items`, becomes that of the
 * lists. */
enum pcf_status pcf_tree_raise(struct pcf_lists *lists, const double *least, double *limit,
                               const atomic_int *stop, struct pcf_error *error);

/* Sorts the edges of a tree of at least two items, and fills its hierarchy in the form of R's
 * `hclust`: step s joins merge[s] and merge[s + items - 1], each of which is a step, counted
 * from 1, or an item, as -1 - item. An item comes before a step, and the smaller item or step
 * before the larger one. `order` are the items, counted from 1, such that no branches cross. */
enum pcf_status pcf_tree_hierarchy(struct pcf_edge *edge, int64_t items, int *merge, int *order,
                                   struct pcf_error *error);
