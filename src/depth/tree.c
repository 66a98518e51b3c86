#include "depth/tree.h"

#include "base/hints.h"
#include "base/scalar.h"
#include "kernels/kernels.h"

#include <string.h>

/* ---- Memory ---- */

static int64_t rounded_up(int64_t count, int64_t unit) {
  return (count + unit - 1) / unit * unit;
}

/* Whole groups, so that loops over blocks and leaves have no ends of their own. */
static enum pcf_status make_room(struct pcf_depth_tree *tree, int64_t leaves,
                                 struct pcf_error *error) {
  int64_t whole = rounded_up(leaves, PCF_FAN * PCF_FAN), blocks = whole / PCF_FAN;
  int64_t groups = rounded_up(blocks / PCF_FAN, 8);
  size_t each = 2 * sizeof(double) + sizeof *tree->alike;
  size_t bytes = (size_t)whole * each + (size_t)(blocks + groups) * 5 * sizeof(double);
  tree->memory = pcf_grow(tree->memory, &tree->room, (int64_t)bytes, 1, error);
  if (!tree->memory) return PCF_ERROR_MEMORY;
  memset(tree->memory, 0, bytes);
  tree->alike = (struct pcf_alike *)tree->memory;
  double *next = (double *)(tree->alike + whole);
  double **column[] = {&tree->x,
                       &tree->sum,
                       &tree->block.more,
                       &tree->block.integral,
                       &tree->block.square,
                       &tree->group.more,
                       &tree->group.integral,
                       &tree->group.square};
  for (int k = 0; k < 8; k++) {
    *column[k] = next;
    next += k < 2 ? whole : k < 5 ? blocks : groups;
  }
  tree->block.since = (struct pcf_double_double *)next;
  tree->group.since = tree->block.since + blocks;
  tree->leaves = leaves;
  tree->blocks = (leaves + PCF_FAN - 1) / PCF_FAN;
  tree->groups = groups;
  return PCF_OK;
}

enum pcf_status pcf_depth_tree_begin(struct pcf_depth_tree *tree, enum pcf_depth type,
                                     int64_t leaves, const int32_t *leaf, int64_t count,
                                     struct pcf_error *error) {
  enum pcf_status status = make_room(tree, leaves, error);
  if (status) return status;
  tree->type = type;
  tree->settling = pcf_kernels_of(pcf_best_instructions())->settling;
  tree->observed = tree->middle = tree->moved = 0;
  tree->now = (struct pcf_depth_time){0};
  for (int64_t i = 0; i < count; i++) {
    if (leaf[i] < 0) continue;
    tree->alike[leaf[i]].count++;
    tree->observed++;
  }
  int64_t below = 0;
  for (int64_t k = 0; k < leaves; k++) {
    int64_t alike = tree->alike[k].count;
    tree->x[k] = (double)(tree->observed - 2 * below - alike);
    if (type == PCF_INTEGRATED_DEPTH) {
      tree->x[k] -= (double)alike;
      if (tree->x[k] >= 0) tree->middle = k / PCF_FAN;
    }
    below += alike;
  }
  return PCF_OK;
}

void pcf_depth_tree_free(struct pcf_depth_tree *tree) {
  pcf_free(tree->memory);
  tree->memory = NULL;
}

void pcf_depth_tree_fetch(const struct pcf_depth_tree *tree, int64_t leaf) {
  int64_t first = leaf / PCF_FAN * PCF_FAN;
  FETCH(&tree->alike[leaf]);
  for (int k = 0; k < PCF_FAN; k += 8) {
    FETCH(&tree->x[first + k]);
    FETCH(&tree->sum[first + k]);
  }
}

/* ---- Time ---- */

/* Bands: with n functions observed, of which L are below, U above and k alike, L + U = n − k,
 * and L (L − 1) + U (U − 1) = X² / 2 + n² / 2 − n + k² / 2 + k − k n. */
void pcf_depth_tree_pass(struct pcf_depth_tree *tree, double time) {
  double observed = (double)tree->observed;
  int bands = tree->type == PCF_BAND_DEPTH;
  if (bands && tree->observed < 2) return;
  if (bands) time /= observed - 1;
  pcf_depth_add(&tree->now.time, time);
  pcf_depth_add(&tree->now.functions, observed * time);
  pcf_depth_add(&tree->now.pairs, (observed * observed / 2 - observed) * time);
  tree->settling->groups(tree->group.more, tree->group.integral, tree->group.square,
                         (long)tree->groups, time);
}

/* Lets the blocks of a group know its changes. */
static void settle_group(struct pcf_depth_tree *tree, int64_t group) {
  struct pcf_pending *all = &tree->group, *each = &tree->block;
  double time = pcf_depth_since(tree->now.time, all->since[group]);
  double by = all->more[group], integral = all->integral[group], square = all->square[group];
  if (time == 0 && by == 0) return;
  int64_t first = group * PCF_FAN;
  tree->settling->blocks(each->more + first, each->integral + first, each->square + first, time,
                         by, integral, square);
  all->more[group] = all->integral[group] = all->square[group] = 0;
  all->since[group] = tree->now.time;
}

/* Lets the leaves of a block know all changes. |X| is linear in these wherever X kept its sign:
 * in all blocks but the middle one, which is settled before all changes. */
static void settle(struct pcf_depth_tree *tree, int64_t block) {
  struct pcf_pending *changes = &tree->block;
  settle_group(tree, block / PCF_FAN);
  double time = pcf_depth_since(tree->now.time, changes->since[block]);
  if (time == 0 && changes->more[block] == 0) return;
  double *x = tree->x + block * PCF_FAN, *sum = tree->sum + block * PCF_FAN;
  double by = changes->more[block], once = changes->integral[block];
  int sign = (block < tree->middle) - (block > tree->middle);
  if (tree->type == PCF_BAND_DEPTH) {
    tree->settling->squares(x, sum, time, by, once, changes->square[block]);
  } else {
    tree->settling->sizes(x, sum, time, by, once, sign);
  }
  changes->more[block] = changes->integral[block] = changes->square[block] = 0;
  changes->since[block] = tree->now.time;
}

/* Brings what functions at a leaf have lost up to date. */
static struct pcf_double_double lost_at(struct pcf_depth_tree *tree, int64_t leaf) {
  struct pcf_alike *alike = &tree->alike[leaf];
  struct pcf_double_double lost = {alike->lost, (double)alike->lost_low};
  double k = (double)alike->count, more = tree->sum[leaf] / 2;
  if (tree->type == PCF_BAND_DEPTH) {
    more += pcf_depth_since(tree->now.pairs, alike->then.pairs);
    more += (k * k / 2 + k) * pcf_depth_since(tree->now.time, alike->then.time);
    more -= k * pcf_depth_since(tree->now.functions, alike->then.functions);
  }
  tree->sum[leaf] = 0;
  pcf_depth_add(&lost, more);
  alike->then = tree->now;
  alike->lost = lost.high;
  alike->lost_low = (float)lost.low;
  return (struct pcf_double_double){lost.high, (double)alike->lost_low};
}

struct pcf_double_double pcf_depth_lost(struct pcf_depth_tree *tree, int64_t leaf) {
  settle(tree, leaf / PCF_FAN);
  return lost_at(tree, leaf);
}

/* ---- Changes ---- */

static void add(double *number, int64_t from, int64_t to, double by) {
  for (int64_t k = from; k < to; k++) number[k] += by;
}

/* Adds to X of the leaves strictly between two others, -1 and `leaves` among them, whose blocks
 * are settled. */
static void add_between(struct pcf_depth_tree *tree, int64_t low, int64_t high, double by) {
  int64_t from = low + 1, begin = low < 0 ? -1 : low / PCF_FAN;
  int64_t end = high < tree->leaves ? high / PCF_FAN : tree->blocks;
  if (begin == end) {
    add(tree->x, from, high, by);
    return;
  }
  if (begin >= 0) add(tree->x, from, (begin + 1) * PCF_FAN, by);
  if (end < tree->blocks) add(tree->x, end * PCF_FAN, high, by);
  int64_t first = begin < 0 ? -1 : begin / PCF_FAN, groups = tree->groups;
  int64_t last = end < tree->blocks ? end / PCF_FAN : groups;
  double *more = tree->block.more;
  if (first == last) {
    add(more, begin + 1, end, by);
    return;
  }
  if (first >= 0) add(more, begin + 1, (first + 1) * PCF_FAN, by);
  if (last < groups) add(more, last * PCF_FAN, end, by);
  add(tree->group.more, first + 1, last, by);
}

/* One function fewer (change = -1), or one more, has the value of a leaf. */
static void change_alike(struct pcf_depth_tree *tree, int64_t leaf, int change) {
  tree->alike[leaf].count += change;
  if (tree->type == PCF_INTEGRATED_DEPTH) tree->x[leaf] -= change;
}

void pcf_depth_tree_prepare(struct pcf_depth_tree *tree, int64_t from, int64_t to) {
  if (tree->type == PCF_INTEGRATED_DEPTH) settle(tree, tree->middle);
  if (from >= 0) settle(tree, from / PCF_FAN);
  if (to >= 0) settle(tree, to / PCF_FAN);
}

void pcf_depth_tree_move(struct pcf_depth_tree *tree, int64_t from, int64_t to,
                         struct pcf_double_double *leave, struct pcf_double_double *enter) {
  if (from >= 0) *leave = lost_at(tree, from);
  if (from >= 0 && to >= 0) {
    double by = from < to ? 1 : -1;
    tree->x[from] += by;
    tree->x[to] += by;
    add_between(tree, from < to ? from : to, from < to ? to : from, 2 * by);
  } else {
    double by = to >= 0 ? 1 : -1;
    int64_t leaf = to >= 0 ? to : from;
    add_between(tree, -1, leaf, by);
    add_between(tree, leaf, tree->leaves, -by);
    tree->observed += to >= 0 ? 1 : -1;
  }
  if (to >= 0) *enter = lost_at(tree, to);
  if (from >= 0) change_alike(tree, from, -1);
  if (to >= 0) change_alike(tree, to, 1);
  tree->moved = 1;
}

/* Is X above 0 up to the last leaf of the middle block, or below 0 from its first one on? Then
 * the sign changes in a later block, or in an earlier one, unless there is none. */
static int side_of_middle(struct pcf_depth_tree *tree) {
  int64_t first = tree->middle * PCF_FAN;
  int64_t last = pcf_smaller(first + PCF_FAN, tree->leaves) - 1;
  double by = tree->block.more[tree->middle] + tree->group.more[tree->middle / PCF_FAN];
  if (tree->x[first] + by < 0 && tree->middle > 0) return -1;
  return tree->x[last] + by > 0 && tree->middle + 1 < tree->blocks;
}

static void find_middle(struct pcf_depth_tree *tree) {
  int before = 0, side;
  while ((side = side_of_middle(tree)) != 0 && side != -before) {
    settle(tree, tree->middle);
    settle(tree, tree->middle + side);
    tree->middle += side;
    settle(tree, tree->middle);
    before = side;
  }
}

void pcf_depth_tree_moved(struct pcf_depth_tree *tree) {
  if (tree->moved && tree->type == PCF_INTEGRATED_DEPTH) find_middle(tree);
  tree->moved = 0;
}
