/* Integrals over time of how many functions are above a value, and how many below, for all
 * values of a slab at once.
 *
 * The leaves of a tree are the distinct values of a slab, in ascending order. X of a leaf is
 * the number of functions above it less that of those below it. A function that goes from one
 * leaf to another changes X by 2 between them: by the same number at thousands of leaves. So 64
 * leaves make a block, and 64 blocks a group, and blocks and groups have changes that their
 * leaves do not know yet, with what is needed of their past. Only the blocks at both ends of a
 * change, and their groups, are settled: their leaves get to know it. */
#pragma once

#include "arithmetic/double-double.h"
#include "base/memory.h"
#include "depth/settling.h"

enum pcf_depth { PCF_BAND_DEPTH, PCF_INTEGRATED_DEPTH };

/* Running totals keep their rounding errors, so that short stretches can be told from them. */
static inline void pcf_depth_add(struct pcf_double_double *total, double more) {
  *total = pcf_double_double_sum(*total, (struct pcf_double_double){more, 0});
}

static inline double pcf_depth_since(struct pcf_double_double now,
                                     struct pcf_double_double then) {
  return (now.high - then.high) + (now.low - then.low);
}

/* Time so far, for bands divided by the number of functions observed less 1; and the integrals
 * over it of numbers of functions and of pairs. */
struct pcf_depth_time {
  struct pcf_double_double time, functions, pairs;
};

/* The functions that have the value of a leaf: how many, and what functions with this value
 * have lost until then, as a sum of two. */
struct pcf_alike {
  struct pcf_depth_time then;
  double lost;
  float lost_low;
  int32_t count;
};

/* Changes that those below do not know yet, since a time: how much more X is, and the integrals
 * of that and of its square. */
struct pcf_pending {
  double *more, *integral, *square;
  struct pcf_double_double *since;
};

struct pcf_depth_tree {
  enum pcf_depth type;
  int64_t leaves, blocks, groups;
  int64_t observed; /* functions with a value */
  double *x, *sum; /* of each leaf; the integral of x², or of |x|, since `alike` was brought up
                      to date */
  struct pcf_alike *alike;
  struct pcf_pending block, group;
  int64_t middle; /* of integrated depths: the block in which X changes its sign */
  int moved;      /* since that was found */
  struct pcf_depth_time now;
  const struct pcf_settling *settling;
  int64_t room;
  void *memory;
};

/* A tree at time 0 of `count` functions with leaves[0 … count), of which -1 stands for no
 * value. Keeps its memory for further calls: at first all must be zero. PCF_ERROR_MEMORY. */
enum pcf_status pcf_depth_tree_begin(struct pcf_depth_tree *tree, enum pcf_depth type,
                                     int64_t leaves, const int32_t *leaf, int64_t count,
                                     struct pcf_error *error);
void pcf_depth_tree_free(struct pcf_depth_tree *tree);

/* Time goes on. */
void pcf_depth_tree_pass(struct pcf_depth_tree *tree, double time);

/* The moves of one time are all prepared before the first is made, and followed by
 * pcf_depth_tree_moved(): what leaves know, and what only their blocks do, then depends on the
 * moves but not on their order, and with it every rounding. */
void pcf_depth_tree_prepare(struct pcf_depth_tree *tree, int64_t from, int64_t to);
void pcf_depth_tree_moved(struct pcf_depth_tree *tree);

/* A function goes from one leaf to another; -1 stands for no value. `leave` and `enter` get
 * what pcf_depth_lost() says of both. */
void pcf_depth_tree_move(struct pcf_depth_tree *tree, int64_t from, int64_t to,
                         struct pcf_double_double *leave, struct pcf_double_double *enter);

/* The integral, from time 0 on, of what functions with this value lose: for bands the pairs of
 * others on one side of them over the number of others, for integrated depths |1/2 − F| times
 * the number of functions. */
struct pcf_double_double pcf_depth_lost(struct pcf_depth_tree *tree, int64_t leaf);

/* Asks for the memory of a leaf that is needed soon. */
void pcf_depth_tree_fetch(const struct pcf_depth_tree *tree, int64_t leaf);
