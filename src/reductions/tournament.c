#include "reductions/tournament.h"

#include "base/hints.h"

#include <math.h>

/* Points that are being written. The next one is always stored, but counted only if it changes
 * the value. */
struct writer {
  struct pcf_point *point;
  int64_t count;
  double last;
  int keep_first;
};

static inline void write_point(struct writer *writer, double time, double value) {
  writer->point[writer->count] = (struct pcf_point){time, value};
  writer->count += value != writer->last || (writer->keep_first && writer->count == 0);
  writer->last = value;
}

/* -0 becomes 0. */
struct pcf_sorted_run pcf_sorted_run_of(const double *time, const double *value, int64_t stride,
                                        int64_t count, double before, int keep_first,
                                        double stand_in, struct pcf_point *point) {
  if (isnan(before)) before = stand_in;
  struct writer writer = {point, 0, before, keep_first};
  for (int64_t k = 0; k < count; k++) {
    double y = value[k * stride];
    write_point(&writer, time[k * stride] + 0.0, isnan(y) ? stand_in : y + 0.0);
  }
  return (struct pcf_sorted_run){point, writer.count, before};
}

INLINE double better(double a, double b, int largest) {
  return (largest ? a > b : a < b) ? a : b;
}

/* Which of the two runs has the next point is unpredictable, so there is no branch on it. */
INLINE struct pcf_sorted_run merge(const struct pcf_sorted_run *a,
                                   const struct pcf_sorted_run *b, int largest, int keep_first,
                                   struct pcf_point *point) {
  const struct pcf_point *p = a->point, *q = b->point;
  const struct pcf_point *p_end = p + a->count, *q_end = q + b->count;
  double first = a->before, second = b->before, before = better(first, second, largest);
  struct writer writer = {point, 0, before, keep_first};
  while (p < p_end && q < q_end) {
    int in_first = p->time <= q->time, in_second = q->time <= p->time;
    double time = in_first ? p->time : q->time;
    first = in_first ? p->value : first;
    second = in_second ? q->value : second;
    write_point(&writer, time, better(first, second, largest));
    p += in_first;
    q += in_second;
  }
  for (; p < p_end; p++) write_point(&writer, p->time, better(p->value, second, largest));
  for (; q < q_end; q++) write_point(&writer, q->time, better(first, q->value, largest));
  return (struct pcf_sorted_run){point, writer.count, before};
}

struct pcf_sorted_run pcf_tournament(struct pcf_sorted_run *run, int64_t count, double sign,
                                     int keep_first, struct pcf_point *home,
                                     struct pcf_point *away) {
  for (; count > 1; count = (count + 1) / 2) {
    struct pcf_point *point = away;
    away = home;
    home = point;
    for (int64_t k = 0; k < count; k += 2) {
      const struct pcf_sorted_run *other = k + 1 < count ? &run[k + 1] : &run[k];
      run[k / 2] = sign > 0 ? merge(&run[k], other, 1, keep_first, point)
                            : merge(&run[k], other, 0, keep_first, point);
      point += run[k / 2].count;
    }
  }
  return run[0];
}
