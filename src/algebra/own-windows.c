#include "algebra/own-windows.h"

#include "base/bits.h"
#include "base/search.h"

#include <math.h>

/* A function that is written; `now` is its value after what has been written. */
struct writing {
  struct pcf_written to;
  double now;
};

static void add(struct writing *writing, double time, double left, double value) {
  pcf_write(&writing->to, time, left, value);
  writing->now = value;
}

/* The breakpoints in the window. Breakpoint k is the first that is not before `from`. */
static void add_inside(struct writing *writing, const struct pcf_section *f, int64_t k,
                       double to) {
  int is_first = writing->to.count == 0;
  double before = writing->now;
  for (; k < f->breakpoints && f->time[k] < to; k++, is_first = 0) {
    add(writing, f->time[k], is_first ? before : f->left ? f->left[k] : 0, f->value[k]);
  }
}

/* The start of the window, unless the function goes on as before, or it is one of its
 * breakpoints. */
static void add_start(struct writing *writing, const struct pcf_section *f, int64_t k,
                      double from) {
  double value = pcf_value_at(f, k, 0, from), outside = writing->now;
  if (k < f->breakpoints && f->time[k] == from) return;
  int begun = k > 0 && !isnan(outside);
  int level = !f->left || k == f->breakpoints || !pcf_is_change(value, f->left[k]);
  if (begun || !level || pcf_is_change(outside, value)) add(writing, from, outside, value);
}

static void add_end(struct writing *writing, const struct pcf_section *f, double to,
                    double outside) {
  int64_t k = pcf_first_from(f->time, 0, f->breakpoints, to);
  k += k < f->breakpoints && f->time[k] == to;
  if (writing->to.count > 0 && isnan(outside) && isnan(writing->now)) return;
  add(writing, to, pcf_value_at(f, k, 1, to), outside);
}

static int64_t write_restricted(const void *windows_, int64_t i, double *matrix,
                                int64_t breakpoints) {
  const struct pcf_own_windows *windows = windows_;
  struct pcf_section f = pcf_section_of(windows->x, i);
  double from = windows->from[i], to = windows->to[i], outside = windows->outside;
  struct writing writing = {pcf_write_to(windows->x->linear, matrix, breakpoints), outside};
  int empty = !(from < to), endless = !f.left && isnan(outside);
  if (endless && (empty || from > -INFINITY)) add(&writing, -INFINITY, 0, outside);
  if (!empty) {
    int64_t k = pcf_first_from(f.time, 0, f.breakpoints, from);
    if (from > -INFINITY) add_start(&writing, &f, k, from);
    else writing.now = pcf_initial(windows->x, i);
    add_inside(&writing, &f, k, to);
    if (to < INFINITY) add_end(&writing, &f, to, outside);
  }
  if (writing.to.count == 0) add(&writing, isfinite(from) ? from : 0, outside, outside);
  return writing.to.count;
}

struct pcf_unwritten pcf_restrict_each(const struct pcf_own_windows *windows) {
  return (struct pcf_unwritten){write_restricted, windows, windows->x->count,
                                windows->x->linear};
}
