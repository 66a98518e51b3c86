#include "reductions/level-path.h"

#include "base/memory.h"
#include "base/quantiles.h"
#include "collections/section.h"

#include <math.h>
#include <string.h>

/* In the middle of a stretch the level is on one line, and follows it on both sides up to where
 * this crosses another line. What is left of the stretch on either side, at most half of it, is
 * treated in the same way, without the lines that are above or below the level all the time. */

/* ---- Lines ---- */

static int is_moderate(double x) {
  return x == 0 || fabs(x) > 0x1p-800;
}

/* Large values are scaled, since their products would overflow. */
static struct pcf_double_double value_between(struct pcf_straight line, double time) {
  const double large = 0x1p900, by = 0x1p-128;
  int scaled = (fabs(line.value) > large || fabs(line.left) > large) &&
               is_moderate(line.value) && is_moderate(line.left);
  if (!scaled) return pcf_exact_value_between(line, time);
  line.value *= by;
  line.left *= by;
  struct pcf_double_double value = pcf_exact_value_between(line, time);
  return (struct pcf_double_double){value.high / by, value.low / by};
}

struct pcf_double_double pcf_line_value(const struct pcf_collection *x, struct pcf_line_of line,
                                        double time) {
  int64_t m = pcf_breakpoints(x, line.function), p = line.passed;
  const double *times = pcf_times(x, line.function), *value = pcf_values(x, line.function);
  const double *left = pcf_lefts(x, line.function);
  if (p == 0) return (struct pcf_double_double){left[0], 0};
  if (p == m || time == times[p - 1] || isnan(value[p - 1])) {
    return (struct pcf_double_double){value[p - 1], 0};
  }
  if (time == times[p] || left[p] == value[p - 1]) {
    return (struct pcf_double_double){left[p], 0};
  }
  struct pcf_straight straight = {times[p - 1], times[p], value[p - 1], left[p]};
  return value_between(straight, time);
}

/* A quarter of the slope, which does not overflow. */
static double slope_of(const struct pcf_collection *x, struct pcf_line_of line) {
  int64_t m = pcf_breakpoints(x, line.function), p = line.passed;
  if (p == 0 || p == m) return 0;
  const double *time = pcf_times(x, line.function);
  double from = pcf_values(x, line.function)[p - 1], to = pcf_lefts(x, line.function)[p];
  return (0.25 * to - 0.25 * from) / (time[p] - time[p - 1]);
}

double pcf_meeting_value(const struct pcf_collection *x, struct pcf_line_of a,
                         struct pcf_line_of b, double time) {
  int second = fabs(slope_of(x, b)) <= fabs(slope_of(x, a));
  return pcf_line_value(x, second ? b : a, time).high;
}

/* Lines with the same values come in an order that does not depend on that of the functions,
 * unless they have the same ends. */
static int comes_first(const struct pcf_collection *x, struct pcf_line_of a,
                       struct pcf_line_of b) {
  double of_a[4], of_b[4];
  struct pcf_line_of line = a;
  for (double *number = of_a;; number = of_b, line = b) {
    int64_t m = pcf_breakpoints(x, line.function), p = line.passed;
    number[0] = p > 0 ? pcf_times(x, line.function)[p - 1] : -INFINITY;
    number[1] = p > 0 ? pcf_values(x, line.function)[p - 1] : pcf_lefts(x, line.function)[0];
    number[2] = p < m ? pcf_times(x, line.function)[p] : INFINITY;
    number[3] = p < m ? pcf_lefts(x, line.function)[p] : number[1];
    if (number == of_b) break;
  }
  for (int k = 0; k < 4; k++) {
    if (of_a[k] != of_b[k]) return of_a[k] < of_b[k];
  }
  return a.function < b.function;
}

/* ---- Gaps ---- */

static double gap_of(struct pcf_double_double a, struct pcf_double_double b) {
  double gap = a.high - b.high;
  return isinf(gap) ? gap : gap + (a.low - b.low);
}

static double quarter_gap(struct pcf_double_double a, struct pcf_double_double b) {
  return (0.25 * a.high - 0.25 * b.high) + 0.25 * (a.low - b.low);
}

/* When two lines cross that change places between `from` and `to`. */
static double crossing_of(const struct pcf_level_line *a, const struct pcf_level_line *b,
                          double from, double to) {
  double before = gap_of(a->from, b->from), after = gap_of(a->to, b->to);
  if (isinf(before - after)) {
    before = quarter_gap(a->from, b->from);
    after = quarter_gap(a->to, b->to);
  }
  return from + (to - from) * (before / (before - after));
}

/* ---- Memory ---- */

static enum pcf_status make_part(struct pcf_level_part *part, int64_t count,
                                 struct pcf_error *error) {
  size_t each = sizeof *part->line + sizeof *part->middle + sizeof *part->number;
  part->line = pcf_grow(part->line, &part->room, count, each, error);
  if (!part->line) return PCF_ERROR_MEMORY;
  part->middle = (struct pcf_double_double *)(part->line + part->room);
  part->number = (double *)(part->middle + part->room);
  return PCF_OK;
}

void pcf_level_path_free(struct pcf_level_path *path) {
  for (int d = 0; d < PCF_LEVEL_DEPTH; d++) pcf_free(path->part[d].line);
  pcf_free(path->bend);
}

enum pcf_status pcf_level_follow(struct pcf_level_path *path, double time,
                                 struct pcf_line_of line, struct pcf_error *error) {
  if (path->bends > 0 && pcf_same_line(path->bend[path->bends - 1].line, line)) return PCF_OK;
  struct pcf_level_bend *bend =
    pcf_grow_keeping(path->bend, path->bends, &path->room, 1, sizeof *bend, error);
  if (!bend) return PCF_ERROR_MEMORY;
  path->bend = bend;
  bend[path->bends++] = (struct pcf_level_bend){time, line};
  return PCF_OK;
}

/* ---- Levels ---- */

/* The lines of one part of a stretch. */
struct stretch {
  struct pcf_level_path *path;
  struct pcf_level_part *part;
  double from, to;
  int64_t count, k;
  int depth;
};

static double kth_end(const struct stretch *s, int at_end) {
  double *number = s->part->number;
  const struct pcf_level_line *line = s->part->line;
  for (int64_t i = 0; i < s->count; i++)
    number[i] = at_end ? line[i].to.high : line[i].from.high;
  return pcf_kth(number, s->count, s->k);
}

/* Leaves out the lines that the level is always above or below. */
static void leave_out(struct stretch *s) {
  struct pcf_level_line *line = s->part->line;
  double *number = s->part->number;
  int64_t kept = 0;
  if (s->count <= 2) return;
  for (int64_t i = 0; i < s->count; i++) number[i] = fmin(line[i].from.high, line[i].to.high);
  double least = pcf_kth(number, s->count, s->k);
  for (int64_t i = 0; i < s->count; i++) number[i] = fmax(line[i].from.high, line[i].to.high);
  double most = pcf_kth(number, s->count, s->k);
  int64_t below = 0;
  for (int64_t i = 0; i < s->count; i++) {
    double low = line[i].from.high, high = line[i].to.high;
    if (low < least && high < least) below++;
    else if (!(low > most && high > most)) line[kept++] = line[i];
  }
  s->count = kept;
  s->k -= below;
}

/* The line that has values at both ends, if the level follows it all the time; or NULL. */
static const struct pcf_level_line *straight_level(const struct stretch *s, double from,
                                                   double to) {
  const struct pcf_level_line *line = s->part->line, *best = NULL;
  for (int64_t i = 0; i < s->count; i++) {
    if (line[i].from.high != from || line[i].to.high != to) continue;
    if (!best || comes_first(s->path->x, line[i].line, best->line)) best = &line[i];
  }
  if (!best || s->count == 1) return best;
  int64_t below = 0, above = 0;
  for (int64_t i = 0; i < s->count; i++) {
    double before = gap_of(line[i].from, best->from), after = gap_of(line[i].to, best->to);
    if ((before < 0 && after > 0) || (before > 0 && after < 0)) return NULL;
    below += before < 0 || after < 0;
    above += before > 0 || after > 0;
  }
  return below <= s->k && above <= s->count - 1 - s->k ? best : NULL;
}

/* The line on which the level is in the middle. */
static int64_t line_in_the_middle(const struct stretch *s) {
  const struct pcf_double_double *middle = s->part->middle;
  double *number = s->part->number;
  int64_t below = 0, ties = 0, best = -1;
  for (int64_t i = 0; i < s->count; i++) number[i] = middle[i].high;
  double high = pcf_kth(number, s->count, s->k);
  for (int64_t i = 0; i < s->count; i++) {
    below += middle[i].high < high;
    if (middle[i].high == high) number[ties++] = middle[i].low;
  }
  double low = pcf_kth(number, ties, s->k - below);
  for (int64_t i = 0; i < s->count; i++) {
    if (middle[i].high != high || middle[i].low != low) continue;
    const struct pcf_level_line *line = s->part->line;
    if (best < 0 || comes_first(s->path->x, line[i].line, line[best].line)) best = i;
  }
  return best;
}

/* Narrows *begin … *end, around the middle, to where no line crosses that one. */
static void find_crossings(const struct stretch *s, int64_t of, double middle, double *begin,
                           double *end) {
  const struct pcf_level_line *line = s->part->line, *own = &line[of];
  for (int64_t i = 0; i < s->count; i++) {
    double before = gap_of(line[i].from, own->from), after = gap_of(line[i].to, own->to);
    if (!((before < 0 && after > 0) || (before > 0 && after < 0))) continue;
    double time = crossing_of(&line[i], own, s->from, s->to);
    double now = gap_of(s->part->middle[i], s->part->middle[of]);
    if (now == 0) *begin = *end = middle;
    else if ((now < 0) != (before < 0)) *begin = fmax(*begin, fmin(time, middle));
    else *end = fmin(*end, fmax(time, middle));
  }
}

static enum pcf_status find(struct stretch s, struct pcf_error *error);

/* The same for a part of the stretch. */
static enum pcf_status find_within(const struct stretch *s, double from, double to,
                                   struct pcf_error *error) {
  struct stretch within = *s;
  within.depth++;
  within.part = &s->path->part[within.depth];
  within.from = from;
  within.to = to;
  if (make_part(within.part, s->count, error)) return PCF_ERROR_MEMORY;
  for (int64_t i = 0; i < s->count; i++) {
    struct pcf_level_line line = s->part->line[i];
    if (from > s->from) line.from = pcf_line_value(s->path->x, line.line, from);
    if (to < s->to) line.to = pcf_line_value(s->path->x, line.line, to);
    within.part->line[i] = line;
  }
  leave_out(&within);
  return find(within, error);
}

static enum pcf_status find(struct stretch s, struct pcf_error *error) {
  const struct pcf_level_line *line = s.part->line;
  const struct pcf_level_line *straight = straight_level(&s, kth_end(&s, 0), kth_end(&s, 1));
  if (straight) return pcf_level_follow(s.path, s.from, straight->line, error);
  double middle = s.from / 2 + s.to / 2, begin = s.from, end = s.to;
  int splits = middle > s.from && middle < s.to && s.depth + 1 < PCF_LEVEL_DEPTH;
  for (int64_t i = 0; i < s.count; i++) {
    s.part->middle[i] = splits ? pcf_line_value(s.path->x, line[i].line, middle) : line[i].to;
  }
  int64_t own = line_in_the_middle(&s);
  struct pcf_line_of followed = line[own].line;
  if (!splits) return pcf_level_follow(s.path, s.from, followed, error);
  find_crossings(&s, own, middle, &begin, &end);
  enum pcf_status status = PCF_OK;
  if (begin > s.from) status = find_within(&s, s.from, begin, error);
  if (!status && end > begin) status = pcf_level_follow(s.path, begin, followed, error);
  if (!status && end < s.to) status = find_within(&s, end, s.to, error);
  return status;
}

enum pcf_status pcf_find_level(struct pcf_level_path *path, double from, double to,
                               const struct pcf_level_line *line, int64_t count, int64_t k,
                               struct pcf_error *error) {
  struct stretch s = {path, &path->part[0], from, to, count, k, 0};
  if (make_part(s.part, count, error)) return PCF_ERROR_MEMORY;
  memcpy(s.part->line, line, (size_t)count * sizeof *line);
  path->bends = 0;
  path->from = kth_end(&s, 0);
  path->to = kth_end(&s, 1);
  leave_out(&s);
  return find(s, error);
}
