/* Two functions of lines on the breakpoints of both. Step functions and numbers are lines, too:
 * a number is a constant that begins at the first breakpoint of the other function, unless this
 * is not 0 before it. */
#pragma once

#include "algebra/merging.h"

#include <math.h>

/* So many breakpoints at once. */
enum { PCF_ALIGNED = 256 };

/* One of them at breakpoints, and its left limit at the one after these; after the last one of
 * all it is constant. */
struct pcf_aligned_side {
  double left[PCF_ALIGNED + 1], value[PCF_ALIGNED + 1];
};

/* Both, at consecutive breakpoints. */
struct pcf_aligned {
  int64_t count;
  int begins; /* with the first breakpoint of all? */
  double time[PCF_ALIGNED + 1];
  struct pcf_aligned_side f, g;
};

/* Fills it with the next breakpoints up to a position, at least one, and moves `at` behind
 * them. step[0 …]: what pcf_store_steps() stored for these, and other bits. */
void pcf_align(const struct pcf_merge *merge, struct pcf_passed *at, struct pcf_passed end,
               const uint8_t *step, struct pcf_aligned *to);

/* Are both 0 before the first breakpoint of all, and does that come? */
static inline int pcf_begin_at_zero(const struct pcf_aligned *both) {
  return both->begins && both->f.left[0] == 0 && both->g.left[0] == 0;
}

/* The difference f - g after breakpoint k, and at the end of its line; a quarter of it where
 * it, or its change, would overflow. */
struct pcf_gap {
  double from, to;
};

static inline struct pcf_gap pcf_gap_after(const struct pcf_aligned *both, int64_t k) {
  double f = both->f.value[k], g = both->g.value[k];
  double f_end = both->f.left[k + 1], g_end = both->g.left[k + 1];
  struct pcf_gap gap = {f - g, f_end - g_end};
  if (isinf(gap.from) || isinf(gap.from - gap.to)) {
    gap = (struct pcf_gap){f * 0.25 - g * 0.25, f_end * 0.25 - g_end * 0.25};
  }
  return gap;
}

/* The time at which two lines cross whose difference after breakpoint k changes its sign; it
 * may be rounded to one of the breakpoints. */
static inline double pcf_crossing_time(const struct pcf_aligned *both, int64_t k,
                                       struct pcf_gap gap) {
  double begin = both->time[k], end = both->time[k + 1];
  return begin + (end - begin) * (gap.from / (gap.from - gap.to));
}

/* Do the lines after breakpoint k cross before the next one? Computed without a branch, which
 * no processor could predict. */
static inline int pcf_crosses_after(const struct pcf_aligned *both, int64_t k) {
  struct pcf_gap gap = pcf_gap_after(both, k);
  double time = pcf_crossing_time(both, k, gap);
  int rises = (gap.from < 0) & (gap.to > 0), falls = (gap.from > 0) & (gap.to < 0);
  return (rises | falls) & (time > both->time[k]) & (time < both->time[k + 1]);
}

/* Does a side change from breakpoint k to the next one? */
static inline int pcf_slopes_after(const struct pcf_aligned_side *side, int64_t k) {
  return fabs(side->left[k + 1] - side->value[k]) > 0;
}
