#include "algebra/merging.h"

#include "base/hints.h"
#include "base/scalar.h"
#include "base/search.h"
#include "collections/columns.h"

#include <string.h>

struct pcf_passed pcf_seek(const struct pcf_merge *merge, int64_t behind) {
  const struct pcf_merge_side *f = &merge->f, *g = &merge->g;
  int64_t from_f = pcf_merge_path(f->time, f->length, g->time, g->length, behind);
  struct pcf_passed at = {from_f, behind - from_f};
  if (at.f > 0 && at.g < g->length && f->time[at.f - 1] == g->time[at.g]) at.g++;
  return at;
}

int pcf_side_by_side(const struct pcf_merge *merge, struct pcf_passed at,
                     struct pcf_passed end) {
  int64_t n = end.f - at.f;
  if (n == 0 || n != end.g - at.g) return 0;
  return memcmp(merge->f.time + at.f, merge->g.time + at.g, (size_t)n * sizeof(double)) == 0;
}

int pcf_sound_merge(const struct pcf_merge *merge, struct pcf_passed at,
                    struct pcf_passed end) {
  return at.f <= end.f && at.g <= end.g && pcf_sound_times(merge->f.time, at.f, end.f) &&
         pcf_sound_times(merge->g.time, at.g, end.g);
}

/* Computed without a branch, which no processor could predict. */
INLINE uint8_t take_step(const double *f_time, const double *g_time, struct pcf_passed *at) {
  double s = f_time[at->f], t = g_time[at->g];
  int take_f = s <= t, take_g = t <= s;
  at->f += take_f;
  at->g += take_g;
  return (uint8_t)(take_f + 2 * take_g);
}

int64_t pcf_store_steps(const struct pcf_merge *merge, struct pcf_passed at,
                        struct pcf_passed end, uint8_t *step) {
  const double *f_time = merge->f.time, *g_time = merge->g.time;
  int64_t count = 0, sure; /* so many steps are possible before either side can end */
  while ((sure = pcf_smaller(end.f - at.f, end.g - at.g)) > 0) {
    for (int64_t next = count + sure; count < next; count++) {
      step[count] = take_step(f_time, g_time, &at);
    }
  }
  int64_t rest = end.f - at.f + end.g - at.g;
  memset(step + count, end.f > at.f ? 1 : 2, (size_t)rest);
  return count + rest;
}

uint8_t pcf_next_step(const struct pcf_merge *merge, struct pcf_passed at) {
  int f_ends = at.f == merge->f.length, g_ends = at.g == merge->g.length;
  if (f_ends || g_ends) return (uint8_t)(!f_ends + 2 * !g_ends);
  return take_step(merge->f.time, merge->g.time, &at);
}
