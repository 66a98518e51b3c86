/* The pieces of a function, one after the other, as straight lines. */
#pragma once

#include "collections/section.h"

/* Piece k of a function, which is whole, begins at breakpoint k; that before all breakpoints is
 * piece -1, and the last one goes on for ever. Those of step functions are level. */
static inline struct pcf_straight pcf_line_from(const struct pcf_section *f, int64_t k) {
  double before = f->left ? f->left[0] : 0;
  if (k < 0) return (struct pcf_straight){-INFINITY, f->time[0], before, before};
  int is_last = k == f->breakpoints - 1;
  double end = is_last ? INFINITY : f->time[k + 1];
  double left = f->left && !is_last ? f->left[k + 1] : f->value[k];
  return (struct pcf_straight){f->time[k], end, f->value[k], left};
}

/* The first piece that ends after a time. */
static inline int64_t pcf_first_line(const struct pcf_section *f, double after) {
  int64_t k = pcf_first_from(f->time, 0, f->breakpoints, after);
  return k < f->breakpoints && f->time[k] == after ? k : k - 1;
}

static inline double pcf_value_on(struct pcf_straight line, double at) {
  return line.value == line.left ? line.value : pcf_value_between(line, at);
}

/* What of a line lies between two times, which it reaches. */
static inline struct pcf_straight pcf_cut_line(struct pcf_straight line, double from,
                                               double to) {
  struct pcf_straight cut = line;
  if (line.from < from) {
    cut.from = from;
    cut.value = pcf_value_on(line, from);
  }
  if (line.to > to) {
    cut.to = to;
    cut.left = pcf_value_on(line, to);
  }
  return cut;
}
