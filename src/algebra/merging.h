/* The breakpoints of two functions in their common order, in stretches of them. */
#pragma once

#include "collections/collection.h"

/* One of the two. A number has no breakpoints and its value from the start. */
struct pcf_merge_side {
  int64_t length;
  const double *time, *value;
  const double *left; /* left limits, or NULL for a step function or a number */
  double initial;     /* the value before the first breakpoint */
  int is_number;
};

struct pcf_merge {
  struct pcf_merge_side f, g;
};

/* A position: so many breakpoints of f and of g come before it. */
struct pcf_passed {
  int64_t f, g;
};

/* The value of a step function or a number after its first `behind` breakpoints. */
static inline double pcf_value_after(const struct pcf_merge_side *side, int64_t behind) {
  return behind > 0 ? side->value[behind - 1] : side->initial;
}

/* The position that comes after `behind` breakpoints, or after one more, since breakpoints at
 * the same time are kept together. */
struct pcf_passed pcf_seek(const struct pcf_merge *merge, int64_t behind);

/* Has one side no breakpoints? */
static inline int pcf_with_constant(const struct pcf_merge *merge) {
  return merge->f.length == 0 || merge->g.length == 0;
}

/* Have both the same breakpoints between two positions, and at least one? */
int pcf_side_by_side(const struct pcf_merge *merge, struct pcf_passed at,
                     struct pcf_passed end);

/* Are the times between two positions sound? Where times are not sorted, the positions may be
 * in the wrong order, too. Checked before anything relies on it. */
int pcf_sound_merge(const struct pcf_merge *merge, struct pcf_passed at, struct pcf_passed end);

/* Stores what each step between two positions takes: the next breakpoint of f (1), of g (2), or
 * both (3), whichever comes first. Returns the number of steps. */
int64_t pcf_store_steps(const struct pcf_merge *merge, struct pcf_passed at,
                        struct pcf_passed end, uint8_t *step);

/* What the step from a position takes; 0 at the end of both. */
uint8_t pcf_next_step(const struct pcf_merge *merge, struct pcf_passed at);
