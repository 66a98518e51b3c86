/* Minimum spanning trees from lists of nearest others, against Kruskal's algorithm on all
 * edges. */
#include "check.h"
#include "collections.h"
#include "ragged.h"

#include "base/memory.h"
#include "sinks/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 60, MOST_EDGES = MOST * (MOST - 1) / 2 };

enum weights { ANY, FEW_VALUES, EQUAL, GROUPS, WITH_INFINITE, KINDS };

/* Weights between all items; NaN where there is no edge. */
struct graph {
  int64_t items;
  double weight[MOST][MOST];
};

static double random_weight(struct random *random, enum weights kind, int64_t i, int64_t j) {
  if (kind == EQUAL) return 0;
  if (kind == FEW_VALUES) return (double)random_between(random, 0, 3);
  if (kind == WITH_INFINITE && i % 4 != j % 4) return INFINITY;
  return random_uniform(random) + (kind == GROUPS && i % 5 != j % 5 ? 10 : 0);
}

/* `missing` of 100 pairs have no edge. */
static void draw_graph(struct graph *graph, struct random *random, enum weights kind,
                       int missing) {
  for (int64_t i = 0; i < graph->items; i++) {
    graph->weight[i][i] = NAN;
    for (int64_t j = 0; j < i; j++) {
      double weight = random_weight(random, kind, i, j);
      if (random_between(random, 0, 99) < missing) weight = NAN;
      graph->weight[i][j] = graph->weight[j][i] = weight;
    }
  }
}

static int by_weight(const void *a_, const void *b_) {
  const struct pcf_edge *a = a_, *b = b_;
  if (a->weight != b->weight) return a->weight < b->weight ? -1 : 1;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  return (a->high > b->high) - (a->high < b->high);
}

/* The edges of the tree, or forest, in their order; returns how many. `label` are its parts. */
static int64_t kruskal(const struct graph *graph, struct pcf_edge *tree, int32_t *label) {
  static struct pcf_edge edge[MOST_EDGES];
  int64_t count = 0, found = 0;
  for (int32_t i = 0; i < graph->items; i++) {
    label[i] = i;
    for (int32_t j = i + 1; j < graph->items; j++) {
      if (!isnan(graph->weight[i][j])) {
        edge[count++] = (struct pcf_edge){graph->weight[i][j], i, j};
      }
    }
  }
  qsort(edge, (size_t)count, sizeof *edge, by_weight);
  for (int64_t k = 0; k < count; k++) {
    int32_t a = label[edge[k].low], b = label[edge[k].high];
    if (a == b) continue;
    for (int64_t i = 0; i < graph->items; i++) {
      if (label[i] == a || label[i] == b) label[i] = a < b ? a : b;
    }
    tree[found++] = edge[k];
  }
  return found;
}

static int by_listed_weight(const void *a_, const void *b_) {
  const struct pcf_listed *a = a_, *b = b_;
  if (a->weight != b->weight) return a->weight < b->weight ? -1 : 1;
  return a->item - b->item;
}

/* The `each` nearest of other components. */
static void make_lists(const struct graph *graph, const int32_t *label,
                       struct pcf_lists *lists) {
  int64_t n = graph->items;
  lists->limit = NULL;
  for (int64_t i = 0; i < n; i++) {
    struct pcf_listed all[MOST];
    int64_t count = 0;
    for (int32_t j = 0; j < n; j++) {
      double weight = graph->weight[i][j];
      if (label[j] != label[i] && !isnan(weight)) all[count++] = (struct pcf_listed){weight, j};
    }
    qsort(all, (size_t)count, sizeof *all, by_listed_weight);
    for (int64_t k = 0; k < lists->each; k++) {
      lists->listed[i * lists->each + k] = k < count ? all[k] : (struct pcf_listed){NAN, -1};
    }
  }
}

/* A forest of items alone, with room for it and for lists. */
struct growth {
  struct pcf_forest forest;
  struct pcf_lists lists;
  int32_t label[MOST];
  struct pcf_edge edge[MOST];
  struct pcf_listed listed[MOST * MOST];
};

static void begin_growth(struct growth *growth, int64_t items, int64_t each) {
  for (int32_t i = 0; i < items; i++) growth->label[i] = i;
  growth->forest =
    (struct pcf_forest){.items = items, .label = growth->label, .edge = growth->edge};
  growth->lists = (struct pcf_lists){.items = items, .each = each, .listed = growth->listed};
}

/* The parts that still have an edge to another one. */
static int64_t open_components(const struct growth *growth) {
  int64_t count = 0;
  for (int64_t i = 0; i < growth->forest.items; i++) {
    int is_open = 0;
    for (int64_t j = i; growth->label[i] == i && j < growth->forest.items; j++) {
      is_open |= growth->label[j] == i && growth->listed[j * growth->lists.each].item >= 0;
    }
    count += is_open;
  }
  return count;
}

/* Passes until nothing is left to join; each joins every component that can be joined. */
static void grow(struct growth *growth, const struct graph *graph) {
  for (;;) {
    make_lists(graph, growth->label, &growth->lists);
    int64_t open = open_components(growth), before = growth->forest.edges;
    CHECK(!pcf_tree_grow(&growth->forest, &growth->lists, &never_stop, NULL));
    CHECK(2 * (growth->forest.edges - before) >= open);
    if (growth->forest.edges == before) return;
  }
}

static void check_forest(struct growth *growth, const struct graph *graph) {
  struct pcf_edge tree[MOST];
  int32_t label[MOST];
  int64_t edges = kruskal(graph, tree, label), n = graph->items;
  REQUIRE(growth->forest.edges == edges);
  qsort(growth->edge, (size_t)edges, sizeof *growth->edge, by_weight);
  for (int64_t k = 0; k < edges; k++) CHECK(by_weight(&growth->edge[k], &tree[k]) == 0);
  CHECK(memcmp(growth->label, label, (size_t)n * sizeof *label) == 0);
}

TEST(tree_is_that_of_all_edges) {
  static struct graph graph;
  static struct growth growth;
  for (int round = 0; round < (check_quick() ? 200 : 3000); round++) {
    graph.items = random_between(&random, 2, round % 10 ? 12 : MOST);
    int missing = (int[]){0, 0, 40, 97}[round % 4];
    draw_graph(&graph, &random, (enum weights)(round % KINDS), missing);
    int64_t most = graph.items - 1;
    begin_growth(&growth, graph.items, random_between(&random, 1, most < 8 ? most : 8));
    grow(&growth, &graph);
    check_forest(&growth, &graph);
  }
}

/* Of complete lists one pass makes the whole tree. */
TEST(tree_of_complete_lists) {
  static struct graph graph = {.items = MOST};
  static struct growth growth;
  for (int kind = 0; kind < KINDS; kind++) {
    draw_graph(&graph, &random, (enum weights)kind, 0);
    begin_growth(&growth, MOST, MOST - 1);
    make_lists(&graph, growth.label, &growth.lists);
    CHECK(!pcf_tree_grow(&growth.forest, &growth.lists, &never_stop, NULL));
    check_forest(&growth, &graph);
  }
}

/* The weights by mutual reachability; NaN stays. */
static void raise_graph(struct graph *graph, const double *least) {
  for (int64_t i = 0; i < graph->items; i++) {
    for (int64_t j = 0; j < graph->items; j++) {
      double weight = fmax(graph->weight[i][j], fmax(least[i], least[j]));
      if (!isnan(graph->weight[i][j])) graph->weight[i][j] = weight;
    }
  }
}

TEST(tree_of_mutual_reachability) {
  static struct graph graph;
  static struct growth growth;
  int at_once = 0;
  for (int round = 0; round < (check_quick() ? 200 : 3000); round++) {
    double least[MOST], limit[MOST];
    graph.items = random_between(&random, 2, round % 10 ? 14 : MOST);
    draw_graph(&graph, &random, (enum weights)(round % KINDS), round % 3 == 2 ? 30 : 0);
    int64_t each = random_between(&random, 1, graph.items - 1);
    begin_growth(&growth, graph.items, each);
    make_lists(&graph, growth.label, &growth.lists);
    for (int64_t i = 0; i < graph.items; i++) {
      double core = growth.listed[i * each + random_between(&random, 0, each - 1)].weight;
      least[i] = isnan(core) ? 0.5 : core;
    }
    CHECK(!pcf_tree_raise(&growth.lists, least, limit, &never_stop, NULL));
    CHECK(!pcf_tree_grow(&growth.forest, &growth.lists, &never_stop, NULL));
    at_once += growth.forest.edges > graph.items / 2;
    raise_graph(&graph, least);
    grow(&growth, &graph);
    check_forest(&growth, &graph);
  }
  CHECK(at_once > 50);
}

/* ---- Hierarchies ---- */

/* The items below a step (from 1 on) or an item (-1 - item), as a set. */
static void mark(const int *merge, int64_t steps, int of, int *set) {
  if (of < 0) {
    set[-1 - of] = 1;
    return;
  }
  mark(merge, steps, merge[of - 1], set);
  mark(merge, steps, merge[of - 1 + steps], set);
}

/* Each step joins the two parts that its edge leads between. */
static void check_steps(const struct pcf_edge *edge, int64_t n, const int *merge) {
  int32_t label[MOST];
  for (int32_t i = 0; i < n; i++) label[i] = i;
  for (int64_t s = 0; s < n - 1; s++) {
    int one = merge[s], two = merge[s + n - 1];
    int32_t a = label[edge[s].low], b = label[edge[s].high];
    int left[MOST] = {0}, right[MOST] = {0};
    CHECK(one < 0 && two < 0 ? one > two : one < two);
    REQUIRE(one <= s && two <= s);
    mark(merge, n - 1, one, left);
    mark(merge, n - 1, two, right);
    int swapped = !left[edge[s].low];
    for (int64_t i = 0; i < n; i++) {
      CHECK(left[i] == (label[i] == (swapped ? b : a)));
      CHECK(right[i] == (label[i] == (swapped ? a : b)));
    }
    for (int64_t i = 0; i < n; i++) label[i] = label[i] == b ? a : label[i];
  }
}

/* From left to right, first the items below the first branch of each step. */
static int *write_order(const int *merge, int64_t steps, int of, int *to) {
  if (of < 0) {
    *to = -of;
    return to + 1;
  }
  to = write_order(merge, steps, merge[of - 1], to);
  return write_order(merge, steps, merge[of - 1 + steps], to);
}

TEST(hierarchy_joins_what_edges_join) {
  static struct graph graph;
  static struct growth growth;
  for (int round = 0; round < (check_quick() ? 50 : 500); round++) {
    int merge[2 * MOST], order[MOST], want[MOST];
    graph.items = round < 4 ? 2 + round : random_between(&random, 2, MOST);
    int64_t n = graph.items;
    draw_graph(&graph, &random, (enum weights)(round % KINDS), 0);
    begin_growth(&growth, n, 1);
    grow(&growth, &graph);
    CHECK(!pcf_tree_hierarchy(growth.edge, n, merge, order, NULL));
    check_forest(&growth, &graph);
    check_steps(growth.edge, n, merge);
    write_order(merge, n - 1, (int)n - 1, want);
    CHECK(memcmp(order, want, (size_t)n * sizeof *order) == 0);
  }
}

TEST(hierarchy_needs_a_tree) {
  struct pcf_edge edge[] = {{1, 0, 1}, {3, 0, 2}, {2, 1, 2}};
  int merge[6], order[4];
  struct pcf_error error = {0};
  CHECK(pcf_tree_hierarchy(edge, 4, merge, order, &error) == PCF_ERROR_ARGUMENT);
  CHECK_STRING(error.message, "the edges do not form a tree");
}

TEST(tree_without_memory_or_stopped) {
  static struct graph graph = {.items = 20};
  static struct growth growth;
  int merge[2 * MOST], order[MOST];
  double least[MOST] = {0}, limit[MOST];
  atomic_int stop = 1;
  draw_graph(&graph, &random, ANY, 0);
  begin_growth(&growth, 20, 3);
  make_lists(&graph, growth.label, &growth.lists);
  for (long k = 1; k <= 3; k++) {
    pcf_memory_fail_at(k);
    CHECK(pcf_tree_grow(&growth.forest, &growth.lists, &never_stop, NULL) == PCF_ERROR_MEMORY);
  }
  pcf_memory_fail_at(0);
  CHECK(growth.forest.edges == 0);
  CHECK(pcf_tree_raise(&growth.lists, least, limit, &stop, NULL) == PCF_ERROR_INTERRUPTED);
  CHECK(pcf_tree_grow(&growth.forest, &growth.lists, &stop, NULL) == PCF_ERROR_INTERRUPTED);
  grow(&growth, &graph);
  pcf_memory_fail_at(1);
  CHECK(pcf_tree_hierarchy(growth.edge, 20, merge, order, NULL) == PCF_ERROR_MEMORY);
}
