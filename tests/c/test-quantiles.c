/* Quantiles of functions, and extrema of lines, against sorted values. */
#include "check.h"
#include "collections.h"

#include "base/quantiles.h"
#include "collections/section.h"
#include "reductions/level-walk.h"
#include "reductions/line-levels.h"
#include "reductions/quantiles.h"
#include "reductions/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double probs[] = {0, 0.1, 0.5, 0.77, 1};
enum { PROBS = sizeof probs / sizeof *probs };

/* The quantile of type 7 of some values, of which missing ones count only if not
 * `observed_only`. */
static double sorted_quantile(double *value, int64_t n, double prob, int observed_only) {
  int64_t known = 0;
  for (int64_t i = 0; i < n; i++) {
    if (!isnan(value[i])) value[known++] = value[i];
  }
  if (known == 0 || (known < n && !observed_only)) return pcf_missing();
  qsort(value, (size_t)known, sizeof *value, by_number);
  struct pcf_rank rank = pcf_rank_of(prob, known);
  double next = value[rank.before + (rank.before + 1 < known)];
  return pcf_at_rank(rank, value[rank.before], next);
}

/* Numbers that rise, or rise and fall, all or some of them equal. */
TEST(the_number_of_each_rank_is_that_of_sorted_numbers) {
  double number[100], sorted[100], lost[100];
  for (int kind = 0; kind < 4; kind++) {
    for (int64_t n = 1; n < 100; n += 7) {
      for (int64_t i = 0; i < n; i++) {
        number[i] = kind == 0   ? (double)random_between(&random, -5, 5)
                    : kind == 1 ? (double)i
                    : kind == 2 ? (double)(i < n / 2 ? i : n - i)
                                : INFINITY;
      }
      memcpy(sorted, number, sizeof sorted);
      qsort(sorted, (size_t)n, sizeof *sorted, pcf_ascending);
      for (int64_t k = 0; k < n; k++) {
        memcpy(lost, number, sizeof lost);
        CHECK(pcf_kth(lost, n, k) == sorted[k]);
      }
    }
  }
}

static double quantile_at(const struct pcf_collection *x, double time, double prob,
                          int observed_only) {
  double *value = kept(calloc((size_t)x->count, sizeof *value));
  for (int64_t i = 0; i < x->count; i++) value[i] = value_at(x, i, time);
  return sorted_quantile(value, x->count, prob, observed_only);
}

static bool same_value(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

/* All quantiles, written one after the other: times, then values. */
static double **quantiles_of(const struct pcf_quantiles *wanted, int threads, int64_t *count) {
  struct pcf_curves curves;
  struct pcf_error error = {0};
  double **columns = kept(calloc(PROBS, sizeof *columns));
  enum pcf_status status = pcf_quantiles(wanted, threads, NULL, &curves, &error);
  for (int q = 0; !status && q < PROBS; q++) {
    count[q] = curves.breakpoints[q];
    columns[q] = kept(calloc(3 * (size_t)count[q], sizeof(double)));
  }
  if (!status) status = pcf_curves_write(&curves, columns, threads, NULL, &error);
  CHECK(status == PCF_OK);
  pcf_curves_free(&curves);
  return columns;
}

static void check_steps(const struct functions *x, const double *time, int64_t times,
                        int observed_only) {
  struct pcf_quantiles wanted = {&x->view, probs, PROBS, observed_only, time, times, 0};
  int64_t count[PROBS], again[PROBS];
  double **found = quantiles_of(&wanted, 1, count);
  bool right = true, same = true;
  for (int q = 0; q < PROBS; q++) {
    if (time) right = right && count[q] == times;
    for (int64_t k = 0; k < count[q]; k++) {
      double at = found[q][k];
      right = right && (k == 0 || found[q][k - 1] < at) && (!time || at == time[k]);
      right = right && same_value(found[q][count[q] + k],
                                  quantile_at(&x->view, at, probs[q], observed_only));
    }
  }
  pcf_quantiles_part = 1 << 16;
  double **whole = quantiles_of(&wanted, 3, again);
  for (int q = 0; q < PROBS; q++) {
    same = same && count[q] == again[q] &&
           memcmp(found[q], whole[q], 2 * (size_t)count[q] * sizeof(double)) == 0;
  }
  CHECK(right);
  CHECK(same);
}

TEST(quantiles_of_steps_are_those_of_sorted_values) {
  static const enum shape shapes[] = {INTEGER_TIMES, UNBOUNDED, PARTIAL, SHARED_GRID};
  const double time[] = {-INFINITY, -2, 0, 0.25, 1, 1.5, 2, 7, 100};
  int64_t part = pcf_quantiles_part;
  for (int k = 0; k < 24; k++) {
    int64_t count = random_between(&random, 1, k % 2 ? 8 : 90);
    struct functions *x = functions_random(&random, shapes[k % 4], count, 1, k % 3 ? 40 : 400);
    for (int observed_only = 0; observed_only < 2; observed_only++) {
      pcf_quantiles_part = 8;
      check_steps(x, NULL, 0, observed_only);
      pcf_quantiles_part = 8;
      check_steps(x, time, sizeof time / sizeof *time, observed_only);
    }
  }
  pcf_quantiles_part = part;
}

/* ---- Lines ---- */

/* Random lines, with jumps or on a grid, and some values missing. */
static struct functions *random_lines(struct random *random, int64_t count, int on_grid,
                                      int jumps, int missing) {
  int64_t *length = kept(calloc((size_t)count, sizeof *length));
  for (int64_t i = 0; i < count; i++) length[i] = random_between(random, 1, 12);
  struct functions *x = lines_new(count, length);
  for (int64_t i = 0; i < count; i++) {
    double *time = times_of(x, i), *left = lefts_of(x, i), *value = after_lefts(x, i);
    for (int64_t k = 0; k < length[i]; k++) {
      double step =
        on_grid ? (double)random_between(random, 1, 3) : random_uniform(random) + 0.01;
      time[k] = (k > 0 ? time[k - 1] : 0) + step;
      left[k] = on_grid ? (double)random_between(random, -2, 2) : random_normal(random);
      value[k] = jumps ? random_normal(random) : left[k];
    }
    if (random_between(random, 0, 1)) left[0] = 0;
    int64_t gap = random_between(random, 1, 12);
    if (missing && gap < length[i]) value[gap - 1] = left[gap] = pcf_missing();
    if (missing && gap % 3 == 0) value[length[i] - 1] = pcf_missing();
  }
  return x;
}

static double value_of_line(const struct pcf_section *f, double time, int limit) {
  int64_t passed = pcf_first_from(f->time, 0, f->breakpoints, time);
  passed += passed < f->breakpoints && f->time[passed] == time;
  return pcf_value_at(f, passed, limit, time);
}

static bool near_value(double a, double b) {
  return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12;
}

/* Is quantile q right at a time, and its limit from the left? */
static bool right_at(const struct functions *x, const struct pcf_section *found, double prob,
                     int observed_only, double time) {
  bool right = true;
  double *value = kept(calloc((size_t)x->view.count, sizeof *value));
  for (int limit = 0; limit < 2; limit++) {
    for (int64_t i = 0; i < x->view.count; i++) {
      struct pcf_section f = pcf_section_of(&x->view, i);
      value[i] = value_of_line(&f, time, limit);
    }
    double wanted = sorted_quantile(value, x->view.count, prob, observed_only);
    right = right && near_value(value_of_line(found, time, limit), wanted);
  }
  return right;
}

static bool right_everywhere(const struct functions *x, const double *found, int64_t m,
                             double prob, int observed_only) {
  struct pcf_section result = {found, found + 2 * m, found + m, 0, m, m};
  bool right = right_at(x, &result, prob, observed_only, found[0] - 1) &&
               right_at(x, &result, prob, observed_only, found[m - 1] + 1);
  for (int64_t i = 0; i < x->view.count; i++) {
    const double *time = times_of(x, i);
    for (int64_t k = 0; k < pcf_breakpoints(&x->view, i); k++) {
      right = right && right_at(x, &result, prob, observed_only, time[k]);
    }
  }
  for (int64_t k = 1; k < m; k++) { /* in between as well */
    double middle = found[k - 1] / 2 + found[k] / 2;
    right =
      right && found[k - 1] < found[k] && right_at(x, &result, prob, observed_only, middle);
  }
  return right;
}

static bool same_curves(double **a, const int64_t *count, double **b, const int64_t *other) {
  bool same = true;
  for (int q = 0; q < PROBS; q++) {
    same = same && count[q] == other[q] &&
           memcmp(a[q], b[q], 3 * (size_t)count[q] * sizeof(double)) == 0;
  }
  return same;
}

/* The same functions, the last one first. */
static struct pcf_collection in_reverse(const struct pcf_collection *x) {
  struct pcf_collection turned = *x;
  const double **function = kept(calloc((size_t)x->count, sizeof *function));
  int64_t *offsets = kept(calloc((size_t)x->count + 1, sizeof *offsets));
  for (int64_t i = 0; i < x->count; i++) {
    function[i] = x->functions[x->count - 1 - i];
    offsets[i + 1] = offsets[i] + pcf_breakpoints(x, x->count - 1 - i);
  }
  turned.functions = function;
  turned.offsets = offsets;
  return turned;
}

/* A value that is whole but for rounding. */
static struct pcf_double_double whole_value(struct random *random) {
  double noise = 1e-33 * (double)random_between(random, -1, 1);
  return (struct pcf_double_double){(double)random_between(random, -4, 4), noise};
}

static double on_level_line(const struct pcf_level_line *line, double share) {
  return (1 - share) * line->from.high + share * line->to.high;
}

/* Is the line that a level follows the one with so many below it, between its bends? */
static bool follows_level(const struct pcf_level_path *path, const struct pcf_level_line *line,
                          int64_t count, int64_t k) {
  bool right = true;
  double *value = kept(calloc((size_t)count, sizeof *value));
  for (int64_t j = 0; j < path->bends; j++) {
    double end = j + 1 < path->bends ? path->bend[j + 1].time : 1;
    double middle = (path->bend[j].time + end) / 2;
    for (int64_t i = 0; i < count; i++) value[i] = on_level_line(&line[i], middle);
    double own = value[path->bend[j].line.function];
    qsort(value, (size_t)count, sizeof *value, by_number);
    right = right && fabs(value[k] - own) < 1e-12;
  }
  return right;
}

TEST(a_level_walks_from_line_to_line_where_they_meet_at_the_ends) {
  struct pcf_level_path path = {0};
  struct pcf_level_line line[20];
  int walked = 0, found;
  for (int n = 0; n < 20000; n++) {
    int64_t count = random_between(&random, 1, 20), k = random_between(&random, 0, count - 1);
    for (int64_t i = 0; i < count; i++) {
      line[i] = (struct pcf_level_line){{i, 1}, whole_value(&random), whole_value(&random)};
    }
    CHECK(pcf_walk_level(&path, 0, 1, line, count, k, &found, NULL) == PCF_OK);
    walked += found;
    CHECK(!found || follows_level(&path, line, count, k));
  }
  CHECK(walked > 2000);
  pcf_level_path_free(&path);
}

TEST(quantiles_of_lines_are_right_at_breakpoints_and_in_between) {
  int64_t part = pcf_line_levels_part, count[PROBS], again[PROBS];
  for (int k = 0; k < 32; k++) {
    int64_t n = random_between(&random, 1, k % 3 ? 40 : 5);
    struct functions *x = random_lines(&random, n, k % 2, k % 4 > 1, k % 5 > 2);
    struct pcf_collection turned = in_reverse(&x->view);
    for (int observed_only = 0; observed_only < 2; observed_only++) {
      struct pcf_quantiles wanted = {&x->view, probs, PROBS, observed_only, NULL, 0, 0};
      for (pcf_line_levels_part = 8; pcf_line_levels_part <= 1 << 12;
           pcf_line_levels_part <<= 9) {
        double **found = quantiles_of(&wanted, 1, count);
        bool right = true;
        for (int q = 0; q < PROBS; q++) {
          right = right && right_everywhere(x, found[q], count[q], probs[q], observed_only);
        }
        CHECK(right);
        CHECK(same_curves(found, count, quantiles_of(&wanted, 3, again), again));
        wanted.x = &turned;
        CHECK(same_curves(found, count, quantiles_of(&wanted, 2, again), again));
        wanted.x = &x->view;
      }
    }
  }
  pcf_line_levels_part = part;
}
