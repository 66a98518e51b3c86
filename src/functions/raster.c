#include "functions/raster.h"

#include <math.h>

/* A whole pixel, in the unit in which covered parts are counted. */
enum { WHOLE = 1 << 20 };

/* The rows of a column that a line covers in part at least: from the first to before the last.
 */
struct reach {
  int64_t first, last;
};

/* A part of a column of pixels, `width` wide around `time`, where the line of a function is
 * that of its pieces from … to - 1. */
struct stretch {
  const struct pcf_pieces *pieces;
  int64_t from, to;
  double half_width, time, width;
};

static struct reach cover_function(const struct pcf_lines *lines, int64_t function,
                                   int64_t column, struct pcf_ink *ink);
static void cover_stretch(const struct stretch *stretch, struct pcf_ink *ink,
                          struct reach *reach);
static void paint_covered(const float color[4], const struct reach *reach, struct pcf_ink *ink);

void pcf_draw_column(const struct pcf_lines *lines, int64_t column, struct pcf_ink *ink) {
  for (int64_t f = 0; f < lines->functions; f++) {
    struct reach reach = cover_function(lines, f, column, ink);
    if (reach.first < reach.last) paint_covered(lines->pen[f].color, &reach, ink);
  }
}

/* ---- How much of each pixel a line covers ---- */

static double lesser(double a, double b) {
  return a < b ? a : b;
}

/* At a time t a line of half the width h covers what discs of that size cover around the pieces
 * with times within h of t: these pieces are a stretch, and the stretches of a column begin and
 * end where a piece comes or goes. */
static struct reach cover_function(const struct pcf_lines *lines, int64_t function,
                                   int64_t column, struct pcf_ink *ink) {
  const struct pcf_pieces *pieces = lines->pieces;
  const double half = lines->pen[function].half_width, right = (double)column + 1;
  const int64_t last = lines->first[function + 1];
  struct reach reach = {.first = ink->rows, .last = 0};
  int64_t from = lines->next[function];
  for (double time = (double)column; time < right;) {
    while (from < last && pieces->end[from] + half <= time) from++;
    int64_t to = from;
    while (to < last && pieces->begin[to] - half <= time) to++;
    double next = right;
    if (to > from) next = lesser(next, pieces->end[from] + half);
    if (to < last) next = lesser(next, pieces->begin[to] - half);
    struct stretch stretch = {pieces, from, to, half, (time + next) / 2, next - time};
    cover_stretch(&stretch, ink, &reach);
    time = next;
  }
  lines->next[function] = from;
  return reach;
}

static int64_t counted(double part) {
  return (int64_t)(WHOLE * part + 0.5);
}

/* Covers the rows from `low` to `high` in a part `width` of the column: of the first and the
 * last of these rows only what lies between. */
static void cover_rows(double low, double high, double width, struct pcf_ink *ink,
                       struct reach *reach) {
  low = low > 0 ? low : 0;
  high = high < (double)ink->rows ? high : (double)ink->rows;
  if (low >= high) return;
  int64_t first = (int64_t)low, last = (int64_t)high;
  last += (double)last < high;
  int64_t all = counted(width), below = counted(width * (low - (double)first));
  int64_t top = counted(width * (high - (double)(last - 1)));
  ink->more[first] += all - below;
  ink->more[first + 1] += below;
  ink->more[last - 1] -= all - top;
  ink->more[last] -= top;
  if (first < reach->first) reach->first = first;
  if (last > reach->last) reach->last = last;
}

/* How far above and below the value of a piece the line is, in the middle of the stretch. */
static double thickness(const struct stretch *stretch, int64_t piece) {
  double before = stretch->pieces->begin[piece] - stretch->time;
  double after = stretch->time - stretch->pieces->end[piece];
  double away = before > after ? before : after, half = stretch->half_width;
  if (away <= 0) return half;
  return away < half ? sqrt(half * half - away * away) : 0;
}

/* The pieces of one chain are joined, and cover all between their values. */
static void cover_stretch(const struct stretch *stretch, struct pcf_ink *ink,
                          struct reach *reach) {
  const struct pcf_pieces *pieces = stretch->pieces;
  for (int64_t k = stretch->from; k < stretch->to;) {
    double low = INFINITY, high = -INFINITY;
    for (int chain = pieces->chain[k]; k < stretch->to && pieces->chain[k] == chain; k++) {
      double value = pieces->value[k], thick = thickness(stretch, k);
      low = value - thick < low ? value - thick : low;
      high = value + thick > high ? value + thick : high;
    }
    cover_rows(low, high, stretch->width, ink, reach);
  }
}

/* ---- Paint ---- */

/* Paints what the line covers, which it then covers no longer. */
static void paint_covered(const float color[4], const struct reach *reach,
                          struct pcf_ink *ink) {
  const float full[4] = {color[0], color[1], color[2], 1}, unit = color[3] / WHOLE;
  int64_t covered = 0;
  for (int64_t row = reach->first; row < reach->last; row++) {
    covered += ink->more[row];
    ink->more[row] = 0;
    float part = (float)(covered < WHOLE ? covered : WHOLE) * unit;
    float *pixel = ink->paint[row];
    for (int i = 0; i < 4; i++) pixel[i] += part * (full[i] - pixel[i]);
  }
  ink->more[reach->last] = 0;
}

static uint32_t byte_of(float part) {
  return (uint32_t)(255 * fminf(fmaxf(part, 0), 1) + 0.5F);
}

void pcf_take_pixels(struct pcf_ink *ink, uint32_t *pixel, int64_t stride) {
  for (int64_t row = ink->rows - 1; row >= 0; row--, pixel += stride) {
    float *paint = ink->paint[row], opacity = paint[3], all = opacity > 0 ? opacity : 1;
    *pixel = byte_of(opacity) << 24;
    for (int i = 0; i < 3; i++) *pixel |= byte_of(paint[i] / all) << (8 * i);
    for (int i = 0; i < 4; i++) paint[i] = 0;
  }
}
