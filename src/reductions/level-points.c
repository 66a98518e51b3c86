#include "reductions/level-points.h"

#include "base/memory.h"
#include "base/quantiles.h"
#include "base/scalar.h"
#include "reductions/rank.h"

#include <float.h>

/* What functions are before or after all breakpoints; how many are observed. */
static int64_t take_constants(const struct pcf_collection *x, const int64_t *function,
                              int64_t count, int after, double *number) {
  int64_t known = 0;
  for (int64_t e = 0; e < count; e++) {
    int64_t m = pcf_breakpoints(x, function[e]);
    double value = after ? pcf_values(x, function[e])[m - 1] : pcf_lefts(x, function[e])[0];
    if (!isnan(value)) number[known++] = value;
  }
  return known;
}

double pcf_level_of_constants(const struct pcf_collection *x, const int64_t *function,
                              int64_t count, int observed_only, double prob, int after,
                              double *number) {
  int64_t known = take_constants(x, function, count, after, number);
  if (known == 0 || (known < count && !observed_only)) return pcf_missing();
  struct pcf_rank rank = pcf_rank_of(prob, known);
  double value = pcf_kth(number, known, rank.before);
  if (rank.before + 1 == known) return value;
  take_constants(x, function, count, after, number);
  return pcf_at_rank(rank, value, pcf_kth(number, known, rank.before + 1));
}

/* Does one line end at a time, and the other begin there? */
static int follows(const struct pcf_collection *x, struct pcf_line_of before,
                   struct pcf_line_of after, double time) {
  if (before.function < 0 || after.function < 0) return 1;
  return before.passed < pcf_breakpoints(x, before.function) &&
         pcf_times(x, before.function)[before.passed] == time && after.passed > 0 &&
         pcf_times(x, after.function)[after.passed - 1] == time;
}

/* Does a quantile go over from one line to another where they meet? */
static int meets(const struct pcf_collection *x, const struct pcf_level_piece *before,
                 const struct pcf_level_piece *after) {
  return before->to == after->from && !(follows(x, before->lower, after->lower, after->time) &&
                                        follows(x, before->upper, after->upper, after->time));
}

/* Cells of equal width, about as many as pieces, each with the last piece that begins before
 * it.
 */
struct cells {
  double from, per_time;
  int64_t *piece, last;
};

static inline int64_t cell_of(const struct cells *cells, double time) {
  double cell = (time - cells->from) * cells->per_time;
  return cell < (double)cells->last ? (int64_t)cell : cells->last;
}

static enum pcf_status fill_cells(struct pcf_level_points *points,
                                  const struct pcf_level_search *search, struct cells *cells,
                                  struct pcf_error *error) {
  int64_t j = 0, last = search->pieces;
  points->cell =
    pcf_grow(points->cell, &points->cell_room, last + 1, sizeof *points->cell, error);
  if (!points->cell) return PCF_ERROR_MEMORY;
  double per_time = (double)last / (search->to - search->from);
  *cells = (struct cells){search->from, per_time <= DBL_MAX ? per_time : 0, points->cell, last};
  for (int64_t c = 0; c <= last; c++) {
    while (j + 1 < last && cell_of(cells, search->piece[j + 1].time) < c) j++;
    cells->piece[c] = j;
  }
  return PCF_OK;
}

/* Finds the breakpoints of all functions that are next to the ends of pieces. */
static enum pcf_status find_neighbors(struct pcf_level_points *points,
                                      const struct pcf_level_search *search,
                                      struct pcf_error *error) {
  const struct pcf_level_piece *piece = search->piece;
  int64_t pieces = search->pieces;
  struct cells cells;
  if (pieces == 0) return PCF_OK;
  if (fill_cells(points, search, &cells, error)) return PCF_ERROR_MEMORY;
  points->near =
    pcf_grow(points->near, &points->near_room, pieces, sizeof *points->near, error);
  if (!points->near) return PCF_ERROR_MEMORY;
  struct pcf_level_near *near = points->near;
  for (int64_t j = 0; j < pieces; j++) near[j] = (struct pcf_level_near){-INFINITY, INFINITY};
  for (int64_t e = 0; e < search->functions; e++) {
    const struct pcf_level_run *run = &search->all.run[e];
    const double *time = pcf_times(search->x, run->function);
    for (int64_t k = run->begin; k < run->end; k++) {
      int64_t j = cells.piece[cell_of(&cells, time[k])];
      while (j + 1 < pieces && piece[j + 1].time <= time[k]) j++;
      if (piece[j].time == time[k]) continue;
      if (time[k] < near[j].first_after) near[j].first_after = time[k];
      if (time[k] > near[j].last_before) near[j].last_before = time[k];
    }
  }
  return PCF_OK;
}

static struct pcf_line_point point_on(const struct pcf_collection *x,
                                      const struct pcf_level_piece *piece, double time) {
  double value = piece->from;
  if (piece->lower.function >= 0) {
    struct pcf_rank rank = {0, piece->share};
    value = pcf_at_rank(rank, pcf_line_value(x, piece->lower, time).high,
                        pcf_line_value(x, piece->upper, time).high);
  }
  return (struct pcf_line_point){time, value, value};
}

/* Writes the pieces; returns how many points that is. */
static int64_t write_pieces(const struct pcf_level_search *search,
                            const struct pcf_level_near *near, struct pcf_line_point *point) {
  const struct pcf_collection *x = search->x;
  int64_t count = 0;
  for (int64_t j = 0; j < search->pieces; j++) {
    const struct pcf_level_piece *piece = &search->piece[j];
    int begins = j == 0 || meets(x, piece - 1, piece);
    int ends = j + 1 == search->pieces || meets(x, piece, piece + 1);
    double left = j > 0 ? piece[-1].to : pcf_missing();
    int any = near[j].first_after < INFINITY;
    point[count++] = (struct pcf_line_point){piece->time, left, piece->from};
    if (begins && any) point[count++] = point_on(x, piece, near[j].first_after);
    if (!ends || !any || (begins && near[j].last_before == near[j].first_after)) continue;
    point[count++] = point_on(x, piece, near[j].last_before);
  }
  return count;
}

struct pcf_line_point *pcf_level_points(struct pcf_level_points *points,
                                        const struct pcf_level_search *search, int64_t *count,
                                        struct pcf_error *error) {
  if (find_neighbors(points, search, error)) return NULL;
  struct pcf_line_point *point =
    pcf_allocate(3 * (size_t)search->pieces + 1, sizeof *point, error);
  if (point) *count = write_pieces(search, points->near, point);
  return point;
}

void pcf_level_points_free(struct pcf_level_points *points) {
  pcf_free(points->near);
  pcf_free(points->cell);
}
