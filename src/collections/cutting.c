#include "collections/cutting.h"

#include "base/search.h"
#include "collections/section.h"

#include <math.h>

/* Breakpoints first … last - 1 of function i, on a piece with this factor. */
static void write_piece(struct pcf_written *to, const struct pcf_collection *x, int64_t i,
                        int64_t first, int64_t last, double factor) {
  int64_t at = to->count, count = last - first;
  to->count += count;
  if (!to->time) return;
  const double *time = pcf_times(x, i) + first, *value = pcf_values(x, i) + first;
  for (int64_t k = 0; k < count; k++) {
    to->time[at + k] = time[k];
    to->value[at + k] = value[k] * factor;
  }
  if (!to->left) return;
  const double *left = pcf_lefts(x, i) + first;
  for (int64_t k = 0; k < count; k++) to->left[at + k] = left[k] * factor;
}

static int64_t cut_function(const void *cutting_, int64_t i, double *matrix,
                            int64_t breakpoints) {
  const struct pcf_cutting *cutting = cutting_;
  const struct pcf_collection *x = cutting->x;
  const struct pcf_weight *weight = cutting->weight;
  struct pcf_written to = pcf_write_to(x->linear, matrix, breakpoints);
  const double *time = pcf_times(x, i), *value = pcf_values(x, i);
  double nothing = cutting->partial ? pcf_missing() : 0, before = 1;
  int64_t m = pcf_breakpoints(x, i), k = 0;
  struct pcf_section f = pcf_section_of(x, i);
  if (!x->linear && cutting->partial && !(weight->height[0] > 0)) {
    pcf_write(&to, -INFINITY, 0, nothing);
  }
  for (int64_t piece = 0; piece < weight->pieces; piece++) {
    int counts = weight->height[piece] > 0;
    double factor = cutting->factor ? cutting->factor[piece] : 1;
    if (piece > 0) {
      double begin = weight->end[piece - 1];
      int jumps = k < m && time[k] == begin;
      double limit = pcf_value_at(&f, k + jumps, 1, begin), now = jumps ? value[k] : limit;
      k += jumps;
      pcf_write(&to, begin, weight->height[piece - 1] > 0 ? limit * before : nothing,
                counts ? now * factor : nothing);
    }
    int64_t last = pcf_first_from(time, k, m, weight->end[piece]);
    if (counts) write_piece(&to, x, i, k, last, factor);
    k = last;
    before = factor;
  }
  if (to.count == 0) pcf_write(&to, 0, nothing, nothing);
  return to.count;
}

struct pcf_unwritten pcf_cut_functions(const struct pcf_cutting *cutting) {
  const struct pcf_collection *x = cutting->x;
  return (struct pcf_unwritten){cut_function, cutting, x->count, x->linear};
}
