#include "reductions/level-walk.h"

#include "base/quantiles.h"

#include <math.h>

/* The level goes on along a line up to where this crosses another one, and then along that one.
 * Which crossing is next is known by the share of the stretch that is before, which comes with
 * a few units of its last place: crossings that are less than LEAST_SHARE apart are left to
 * others. In the end, as many lines must be below the last one as were below the first one, or
 * something has happened next to either end. */
#define LEAST_SHARE 0x1p-47
#define MOST_VALUE 0x1p1000

enum { LANES = 8 };

/* Lines beyond the last one of all are never crossed. */
struct walk {
  int count, lanes;
  double largest; /* of all values */
  double from[PCF_LEVEL_WALK], from_low[PCF_LEVEL_WALK], to[PCF_LEVEL_WALK],
    to_low[PCF_LEVEL_WALK], share[PCF_LEVEL_WALK];
};

/* The largest absolute value at the ends of lines. */
static double largest_of(const struct pcf_level_line *line, int64_t count) {
  double largest = 0;
  for (int64_t i = 0; i < count; i++) {
    double from = fabs(line[i].from.high), to = fabs(line[i].to.high);
    double larger = from > to ? from : to;
    largest = larger > largest ? larger : largest;
  }
  return largest;
}

/* Takes the values of lines, scaled if their differences could overflow. */
static void take_lines(struct walk *walk, const struct pcf_level_line *line, int count) {
  double largest = largest_of(line, count), scale = largest < MOST_VALUE ? 1 : 0x1p-64;
  walk->count = count;
  walk->lanes = (count + LANES - 1) / LANES * LANES;
  walk->largest = scale * largest;
  for (int i = 0; i < count; i++) {
    walk->from[i] = scale * line[i].from.high;
    walk->from_low[i] = scale * line[i].from.low;
    walk->to[i] = scale * line[i].to.high;
    walk->to_low[i] = scale * line[i].to.low;
  }
  for (int i = count; i < walk->lanes; i++) {
    walk->from[i] = walk->to[i] = INFINITY;
    walk->from_low[i] = walk->to_low[i] = 0;
  }
}

static inline double gap_before(const struct walk *walk, int i, int own) {
  return (walk->from[i] - walk->from[own]) + (walk->from_low[i] - walk->from_low[own]);
}

static inline double gap_after(const struct walk *walk, int i, int own) {
  return (walk->to[i] - walk->to[own]) + (walk->to_low[i] - walk->to_low[own]);
}

/* The share of the stretch before each line crosses one of them: at most 0, at least 1, or NaN
 * if it does not. */
static void find_shares(struct walk *walk, int own) {
  for (int first = 0; first < walk->lanes; first += LANES) {
    for (int i = first; i < first + LANES; i++) {
      double before = gap_before(walk, i, own), after = gap_after(walk, i, own);
      walk->share[i] = before / (before - after);
    }
  }
}

/* Is a line below (-1) or above another one next to an end of the stretch, by the gaps there
 * and at the other end? Lines that are this close meet at that end, but for rounding. */
static inline int side_of(double near, double far) {
  double gap = fabs(near) > LEAST_SHARE * fabs(near - far) ? near : far;
  return (gap > 0) - (gap < 0);
}

/* Is this the line that k others are below, and the rest above, next to an end? */
static int is_at(const struct walk *walk, int own, int64_t k, int at_end) {
  int64_t below = 0, above = 0;
  for (int i = 0; i < walk->count; i++) {
    double before = gap_before(walk, i, own), after = gap_after(walk, i, own);
    int side = at_end ? side_of(after, before) : side_of(before, after);
    below += side < 0;
    above += side > 0;
  }
  return below == k && above == walk->count - 1 - k;
}

/* The line that the level begins with; -1 if that is not clear. */
static int first_line(const struct walk *walk, const struct pcf_level_line *line, double value,
                      int64_t k) {
  for (int i = 0; i < walk->count; i++) {
    if (fabs(line[i].from.high - value) > 0x1p-40 * walk->largest) continue;
    if (is_at(walk, i, k, 0)) return i;
  }
  return -1;
}

/* The line that crosses one of them next, after a share of the stretch; `count` if none does,
 * -1 if that is not clear. */
static int next_line(const struct walk *walk, double passed) {
  double least[LANES], after = passed + LEAST_SHARE, next = 1 - LEAST_SHARE;
  for (int l = 0; l < LANES; l++) least[l] = next;
  for (int first = 0; first < walk->lanes; first += LANES) {
    for (int l = 0; l < LANES; l++) {
      double share = walk->share[first + l] > after ? walk->share[first + l] : 2;
      least[l] = share < least[l] ? share : least[l];
    }
  }
  for (int l = 0; l < LANES; l++) next = least[l] < next ? least[l] : next;
  int near = 0, line = walk->count;
  for (int i = 0; i < walk->count; i++) {
    double share = walk->share[i];
    near += (share > passed - LEAST_SHARE) & (share < next + LEAST_SHARE);
    line = share == next ? i : line;
  }
  return near > 1 || (near == 1 && line == walk->count) ? -1 : line;
}

/* The k-th smallest value at one end. */
static double kth_end(const struct pcf_level_line *line, int64_t count, int64_t k, int at_end) {
  double number[PCF_LEVEL_WALK];
  for (int64_t i = 0; i < count; i++) number[i] = at_end ? line[i].to.high : line[i].from.high;
  return pcf_kth(number, count, k);
}

enum pcf_status pcf_walk_level(struct pcf_level_path *path, double from, double to,
                               const struct pcf_level_line *line, int64_t count, int64_t k,
                               int *found, struct pcf_error *error) {
  struct walk walk;
  *found = 0;
  if (count > PCF_LEVEL_WALK) return PCF_OK;
  take_lines(&walk, line, (int)count);
  path->bends = 0;
  path->from = kth_end(line, count, k, 0);
  path->to = kth_end(line, count, k, 1);
  double passed = 2 * LEAST_SHARE, time = from;
  for (int own = first_line(&walk, line, path->from, k), last = own, next; own >= 0;
       own = next) {
    if (pcf_level_follow(path, time, line[own].line, error)) return PCF_ERROR_MEMORY;
    find_shares(&walk, own);
    walk.share[last] = walk.share[own] = 2;
    next = next_line(&walk, passed);
    if (next == count) *found = is_at(&walk, own, k, 1);
    if (next < 0 || next == count) break;
    double before = time;
    passed = walk.share[next];
    time = from + (to - from) * passed;
    if (!(time > before && time < to)) break;
    last = own;
  }
  return PCF_OK;
}
