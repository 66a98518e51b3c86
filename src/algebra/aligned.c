#include "algebra/aligned.h"

#include "algebra/line-values.h"
#include "base/hints.h"

#include <string.h>

/* The steps of both sides at which one of them has a breakpoint are those with the bit `of`; it
 * has passed so many before the first step. */
struct own {
  const uint8_t *step;
  int of;
  int64_t passed, count;
};

static double take_step(const struct pcf_merge *merge, struct pcf_passed *at, uint8_t step);
static void align_steps(const struct pcf_merge_side *side, struct own own,
                        struct pcf_aligned_side *to);
static void align_lines(const struct pcf_merge_side *side, struct own own, const double *time,
                        struct pcf_aligned_side *to);

static void align_side(const struct pcf_merge_side *side, struct own own, const double *time,
                       struct pcf_aligned_side *to) {
  if (side->left) align_lines(side, own, time, to);
  else align_steps(side, own, to);
}

void pcf_align(const struct pcf_merge *merge, struct pcf_passed *at, struct pcf_passed end,
               const uint8_t *step, struct pcf_aligned *to) {
  uint8_t taken[PCF_ALIGNED + 1];
  struct pcf_passed begin = *at, next;
  int64_t n = 0;
  for (; n < PCF_ALIGNED && (at->f < end.f || at->g < end.g); n++) {
    taken[n] = step[n];
    to->time[n] = take_step(merge, at, step[n]);
  }
  next = *at;
  taken[n] = pcf_next_step(merge, next);
  to->count = n;
  to->begins = begin.f == 0 && begin.g == 0;
  to->time[n] = take_step(merge, &next, taken[n]);
  align_side(&merge->f, (struct own){taken, 1, begin.f, n + 1}, to->time, &to->f);
  align_side(&merge->g, (struct own){taken, 2, begin.g, n + 1}, to->time, &to->g);
  if (!to->begins) return;
  if (merge->f.is_number && to->g.left[0] == 0) to->f.left[0] = 0;
  if (merge->g.is_number && to->f.left[0] == 0) to->g.left[0] = 0;
}

/* Returns the time, which is the later one of those that come last. */
INLINE double take_step(const struct pcf_merge *merge, struct pcf_passed *at, uint8_t step) {
  at->f += step & 1;
  at->g += step >> 1 & 1;
  double s = at->f > 0 ? merge->f.time[at->f - 1] : -INFINITY;
  double t = at->g > 0 ? merge->g.time[at->g - 1] : -INFINITY;
  return s > t ? s : t;
}

static void align_steps(const struct pcf_merge_side *side, struct own own,
                        struct pcf_aligned_side *to) {
  for (int64_t k = 0; k < own.count; k++) {
    to->left[k] = pcf_value_after(side, own.passed);
    own.passed += (own.step[k] & own.of) != 0;
    to->value[k] = pcf_value_after(side, own.passed);
  }
}

/* At a breakpoint of its own a side has its own values, and between two of them those of the
 * line. Which comes next cannot be predicted, so both are put down, and the number of places
 * tells whether the line counts. */
static void align_lines(const struct pcf_merge_side *side, struct own own, const double *time,
                        struct pcf_aligned_side *to) {
  int64_t first = own.passed > 0 ? own.passed - 1 : 0, k = 0, count = 0;
  struct pcf_polyline lines = {side->time + first, side->value + first, side->left + first};
  struct pcf_line_places places;
  for (; k < own.count && own.passed == 0 && !(own.step[k] & own.of); k++) {
    to->left[k] = to->value[k] = side->initial;
  }
  int64_t line = own.passed - 1 - first, end = side->length - 1 - first;
  for (; k < own.count && line < end; k++) {
    int here = (own.step[k] & own.of) != 0;
    line += here;
    to->left[k] = lines.left[line];
    to->value[k] = lines.value[line];
    places.line[count] = (int32_t)line;
    places.place[count] = (int32_t)k;
    count += !here;
  }
  for (; k < own.count; k++) to->left[k] = to->value[k] = lines.value[line];
  places.count = count;
  pcf_set_line_values(lines, &places, time, to->left, to->value);
}
