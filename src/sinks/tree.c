#include "sinks/tree.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct pcf_edge no_edge = {INFINITY, INT32_MAX, INT32_MAX}; /* after all others */

/* Borůvka's algorithm, as far as the lists tell. The least edge out of a component is one of
 * the tree. It is known if it does not come after the bound of the component: after the bound
 * there may be edges that no list has. Components are joined in rounds, all that are certain at
 * once.
 *
 * One that joins an uncertain component is uncertain, for the edge between them comes after
 * that one's bound. So each round leaves at most half as many that are certain. */
struct growing {
  const struct pcf_lists *lists;
  struct pcf_forest *forest; /* labels are the parents of a union-find forest meanwhile */
  int32_t *next;             /* of each item: all before in its list are of its component */
  struct pcf_edge *bound;    /* of each component, at its root */
  struct pcf_edge *least;    /* the least listed edge out of it, if that is certain */
};

static void begin(struct growing *growing);
static void find_least(struct growing *growing);
static void drop_uncertain(struct growing *growing);
static void join(struct growing *growing);
static void flatten(struct pcf_forest *forest);

enum pcf_status pcf_tree_grow(struct pcf_forest *forest, const struct pcf_lists *lists,
                              const atomic_int *stop, struct pcf_error *error) {
  size_t n = (size_t)lists->items;
  struct pcf_arrays arrays = {0};
  struct growing growing = {
    .lists = lists,
    .forest = forest,
    .next = pcf_zeros(&arrays, n, sizeof *growing.next, error),
    .bound = pcf_array(&arrays, n, sizeof *growing.bound, error),
    .least = pcf_array(&arrays, n, sizeof *growing.least, error),
  };
  enum pcf_status status = arrays.status;
  if (!status) {
    int64_t before = -1;
    begin(&growing);
    while (!status && forest->edges > before) {
      before = forest->edges;
      find_least(&growing);
      drop_uncertain(&growing);
      join(&growing);
      if (atomic_load(stop)) status = pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
    }
    flatten(forest);
  }
  pcf_arrays_free(&arrays);
  return status;
}

/* ---- Edges and components ---- */

static int comes_before(const struct pcf_edge *a, const struct pcf_edge *b) {
  if (a->weight != b->weight) return a->weight < b->weight;
  if (a->low != b->low) return a->low < b->low;
  return a->high < b->high;
}

/* The least item of a component is its root. */
static int32_t root_of(int32_t *parent, int32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static struct pcf_edge edge_to(int64_t i, const struct pcf_listed *other) {
  int32_t from = (int32_t)i, to = other->item;
  return from < to ? (struct pcf_edge){other->weight, from, to}
                   : (struct pcf_edge){other->weight, to, from};
}

/* Edges that the item does not list come after this one. */
static struct pcf_edge bound_of(const struct pcf_lists *lists, int64_t i) {
  const struct pcf_listed *last = &lists->listed[(i + 1) * lists->each - 1];
  if (last->item < 0) {
    double farthest = lists->farthest ? lists->farthest[i] : INFINITY;
    return (struct pcf_edge){farthest, INT32_MAX, INT32_MAX}; /* after all of that weight */
  }
  if (!lists->limit) return edge_to(i, last);
  return (struct pcf_edge){lists->limit[i], -1, -1}; /* before all of that weight */
}

static void lower(struct pcf_edge *edge, struct pcf_edge other) {
  if (comes_before(&other, edge)) *edge = other;
}

/* ---- Rounds ---- */

static void begin(struct growing *growing) {
  int64_t n = growing->lists->items;
  int32_t *parent = growing->forest->label;
  for (int64_t i = 0; i < n; i++) growing->bound[i] = no_edge;
  for (int64_t i = 0; i < n; i++) {
    lower(&growing->bound[root_of(parent, (int32_t)i)], bound_of(growing->lists, i));
  }
}

/* The first listed edge of an item that leads out of its component. */
static struct pcf_edge first_out(struct growing *growing, int64_t i, int32_t root) {
  int64_t each = growing->lists->each;
  const struct pcf_listed *listed = growing->lists->listed + i * each;
  int32_t k = growing->next[i], *parent = growing->forest->label;
  while (k < each && listed[k].item >= 0 && root_of(parent, listed[k].item) == root) k++;
  growing->next[i] = k;
  return k < each && listed[k].item >= 0 ? edge_to(i, &listed[k]) : no_edge;
}

static void find_least(struct growing *growing) {
  int64_t n = growing->lists->items;
  for (int64_t i = 0; i < n; i++) growing->least[i] = no_edge;
  for (int64_t i = 0; i < n; i++) {
    int32_t root = root_of(growing->forest->label, (int32_t)i);
    lower(&growing->least[root], first_out(growing, i, root));
  }
}

static void drop_uncertain(struct growing *growing) {
  for (int64_t i = 0; i < growing->lists->items; i++) {
    if (comes_before(&growing->bound[i], &growing->least[i])) growing->least[i] = no_edge;
  }
}

/* An edge may be the least one of both its components. */
static void join(struct growing *growing) {
  struct pcf_forest *forest = growing->forest;
  for (int64_t i = 0; i < forest->items; i++) {
    struct pcf_edge edge = growing->least[i];
    if (edge.low == no_edge.low) continue;
    int32_t a = root_of(forest->label, edge.low), b = root_of(forest->label, edge.high);
    if (a == b) continue;
    int32_t root = a < b ? a : b, other = a < b ? b : a;
    forest->label[other] = root;
    lower(&growing->bound[root], growing->bound[other]);
    forest->edge[forest->edges++] = edge;
  }
}

static void flatten(struct pcf_forest *forest) {
  for (int64_t i = 0; i < forest->items; i++) {
    forest->label[i] = root_of(forest->label, (int32_t)i);
  }
}

/* ---- Mutual reachability ---- */

static int by_weight(const void *a_, const void *b_) {
  const struct pcf_listed *a = a_, *b = b_;
  if (a->weight != b->weight) return a->weight < b->weight ? -1 : 1;
  return (a->item > b->item) - (a->item < b->item);
}

static void raise_list(struct pcf_listed *listed, int64_t each, double least,
                       const double *others) {
  int64_t count = 0;
  for (; count < each && listed[count].item >= 0; count++) {
    listed[count].weight = fmax(listed[count].weight, fmax(least, others[listed[count].item]));
  }
  qsort(listed, (size_t)count, sizeof *listed, by_weight);
}

enum pcf_status pcf_tree_raise(struct pcf_lists *lists, const double *least, double *limit,
                               const atomic_int *stop, struct pcf_error *error) {
  int64_t each = lists->each;
  for (int64_t i = 0; i < lists->items; i++) {
    if (atomic_load(stop)) return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
    limit[i] = lists->listed[(i + 1) * each - 1].weight;
    raise_list(lists->listed + i * each, each, least[i], least);
  }
  lists->limit = limit;
  return PCF_OK;
}

/* ---- Hierarchies ---- */

static int by_order(const void *a, const void *b) {
  return comes_before(a, b) ? -1 : comes_before(b, a);
}

/* Which clusters each step joins; not PCF_OK where edges make no tree. step[i] is the last step
 * of the component with the root i; 0 is an item alone. */
static enum pcf_status merge_steps(const struct pcf_edge *edge, int64_t items, int32_t *parent,
                                   int32_t *step, int *merge, struct pcf_error *error) {
  int64_t steps = items - 1;
  for (int64_t i = 0; i < items; i++) parent[i] = (int32_t)i;
  memset(step, 0, (size_t)items * sizeof *step);
  for (int64_t s = 0; s < steps; s++) {
    int32_t a = root_of(parent, edge[s].low), b = root_of(parent, edge[s].high);
    if (a == b) return pcf_fail(error, PCF_ERROR_ARGUMENT, "the edges do not form a tree");
    int32_t root = a < b ? a : b, other = a < b ? b : a;
    int one = step[root] ? step[root] : -1 - root, two = step[other] ? step[other] : -1 - other;
    int swapped = one > 0 && two < one;
    merge[s] = swapped ? two : one;
    merge[s + steps] = swapped ? one : two;
    parent[other] = root;
    step[root] = (int32_t)s + 1;
  }
  return PCF_OK;
}

/* Each branch has as many places as it has items, from the first of its step on. */
static void order_items(const int *merge, int64_t steps, int32_t *size, int32_t *first,
                        int *order) {
  for (int64_t s = 0; s < steps; s++) {
    size[s] = 0;
    for (int side = 0; side < 2; side++) {
      int of = merge[s + side * steps];
      size[s] += of > 0 ? size[of - 1] : 1;
    }
  }
  first[steps - 1] = 0;
  for (int64_t s = steps - 1; s >= 0; s--) {
    int32_t place = first[s];
    for (int side = 0; side < 2; side++) {
      int of = merge[s + side * steps];
      if (of > 0) first[of - 1] = place;
      else order[place] = -of;
      place += of > 0 ? size[of - 1] : 1;
    }
  }
}

enum pcf_status pcf_tree_hierarchy(struct pcf_edge *edge, int64_t items, int *merge, int *order,
                                   struct pcf_error *error) {
  int32_t *room = pcf_allocate(2 * (size_t)items, sizeof *room, error);
  if (!room) return PCF_ERROR_MEMORY;
  qsort(edge, (size_t)items - 1, sizeof *edge, by_order);
  enum pcf_status status = merge_steps(edge, items, room, room + items, merge, error);
  if (!status) order_items(merge, items - 1, room, room + items, order);
  pcf_free(room);
  return status;
}
