#include "drawing/raster.h"

#include <math.h>

/* A whole pixel, in the unit in which covered parts are counted. */
enum { WHOLE = 1 << 20 };

/* A column has at least so many stretches where sloped pieces meet or end. */
enum { PARTS = 4 };

/* And at most so many, unless the line is thinner than that. */
enum { MOST_PARTS = 8 };

/* The rows of a column that a line covers in part at least: from the first to before the last.
 */
struct reach {
  int64_t first, last;
};

/* A chain of pieces, from piece `from` on. The pieces of its function are first … last - 1. */
struct chain {
  const struct pcf_pieces *pieces;
  const struct pcf_slope *slope;
  int64_t from, first, last;
  double half_width;
  int butt;
};

/* A part of a column of pixels, `width` wide around `time`, where the line of a chain is that
 * of its pieces from … to - 1. */
struct stretch {
  int64_t from, to;
  double time, width;
};

/* The rows between which a line lies. */
struct span {
  double low, high;
};

static void draw_function(const struct pcf_lines *lines, int64_t function, int64_t column,
                          struct pcf_ink *ink);
static int64_t cover_chain(struct chain chain, int64_t column, struct pcf_ink *ink,
                           struct reach *reach);
static int is_straight(const struct chain *chain, const struct stretch *stretch, double from,
                       double to);
static void cover_stretch(const struct chain *chain, const struct stretch *stretch,
                          struct pcf_ink *ink, struct reach *reach);
static void cover_slope(const struct chain *chain, const struct stretch *stretch,
                        struct pcf_ink *ink, struct reach *reach);
static void paint_covered(const float color[4], const struct reach *reach, struct pcf_ink *ink);

void pcf_draw_columns(const struct pcf_lines *lines, int64_t first, int64_t count,
                      struct pcf_ink *ink) {
  for (int64_t f = 0; f < lines->functions; f++) {
    for (int64_t i = 0; i < count; i++) draw_function(lines, f, first + i, &ink[i]);
  }
}

/* Draws the chains of a function, each over the one before. */
static void draw_function(const struct pcf_lines *lines, int64_t function, int64_t column,
                          struct pcf_ink *ink) {
  const struct pcf_pieces *pieces = lines->pieces;
  const struct pcf_pen *pen = &lines->pen[function];
  const double half = pen->half_width, left = (double)column;
  const int64_t last = lines->first[function + 1];
  int64_t *next = &lines->next[function];
  while (*next < last && pieces->end[*next] + half <= left) ++*next;
  for (int64_t k = *next; k < last && pieces->begin[k] - half < left + 1;) {
    struct chain chain = {pieces, lines->slope, k,          lines->first[function],
                          last,   half,         lines->butt};
    struct reach reach = {.first = ink->rows, .last = 0};
    k = cover_chain(chain, column, ink, &reach);
    if (reach.first < reach.last) paint_covered(pen->color, &reach, ink);
  }
}

/* ---- How much of each pixel a line covers ---- */

static double lesser(double a, double b) {
  return a < b ? a : b;
}

/* Is piece k one of the chain that piece `from` is of? */
static int is_of_chain(const struct chain *chain, int64_t k) {
  return k < chain->last && chain->pieces->chain[k] == chain->pieces->chain[chain->from];
}

/* Where the line of the chain begins in the column: at the left end, or at its first piece. */
static double start_of(const struct chain *chain, int64_t column) {
  const struct pcf_pieces *pieces = chain->pieces;
  double left = (double)column, begin = pieces->begin[chain->from];
  int64_t k = chain->from;
  int is_first = k == chain->first || pieces->chain[k - 1] != pieces->chain[k];
  if (!chain->butt) begin -= chain->half_width;
  return is_first && begin > left ? begin : left;
}

/* Moves a stretch to the pieces within reach at a time. */
static void seek(const struct chain *chain, double time, struct stretch *stretch) {
  const struct pcf_pieces *pieces = chain->pieces;
  const double half = chain->half_width;
  int64_t from = stretch->from, to = stretch->to;
  while (is_of_chain(chain, from) && pieces->end[from] + half <= time) from++;
  if (to < from) to = from;
  while (is_of_chain(chain, to) && pieces->begin[to] - half <= time) to++;
  stretch->from = from;
  stretch->to = to;
}

/* At a time t a line of half the width h covers what discs of that size cover around the pieces
 * with times within h of t: these pieces are a stretch, and the stretches of a column begin and
 * end where a piece comes or goes, but are not narrower than what shows. Returns the first
 * piece that is of another chain or beyond the column. */
static int64_t cover_chain(struct chain chain, int64_t column, struct pcf_ink *ink,
                           struct reach *reach) {
  const struct pcf_pieces *pieces = chain.pieces;
  const double half = chain.half_width, least = lesser(half / 2, 1.0 / MOST_PARTS);
  double right = (double)column + 1;
  struct stretch at = {.from = chain.from, .to = chain.from};
  for (double time = start_of(&chain, column); time < right;) {
    seek(&chain, time, &at);
    if (at.from == at.to) break;
    double change = pieces->end[at.from] + half;
    if (is_of_chain(&chain, at.to)) change = lesser(change, pieces->begin[at.to] - half);
    else if (chain.butt) right = lesser(right, pieces->end[at.to - 1]);
    double next = lesser(change < time + least ? time + least : change, right);
    int straight = next <= change && is_straight(&chain, &at, time, next);
    if (pieces->end_value && !straight) next = lesser(next, time + 1.0 / PARTS);
    if (next <= time) break;
    at.time = (time + next) / 2;
    at.width = next - time;
    if (next > change) seek(&chain, at.time, &at);
    if (straight) cover_slope(&chain, &at, ink, reach);
    else cover_stretch(&chain, &at, ink, reach);
    time = next;
  }
  while (is_of_chain(&chain, at.to) && pieces->begin[at.to] - half < (double)column + 1)
    at.to++;
  return at.to;
}

static int64_t counted(double part) {
  return (int64_t)(WHOLE * part + 0.5);
}

/* How much of a row lies below an edge, whose ends are in these rows. */
static double area_below(double row, struct span edge, double width) {
  const double rise = edge.high - edge.low, next = row + 1;
  if (rise <= 0) return width * lesser(edge.low > row ? edge.low - row : 0, 1);
  double from = edge.low > row ? edge.low : row, to = lesser(edge.high, next);
  double beyond = edge.high > next ? lesser((edge.high - next) / rise, 1) : 0;
  double within = to > from ? (to - from) / rise : 0;
  return width * (beyond + within * ((from - row) + (to - row)) / 2);
}

static int64_t row_at(double value, const struct pcf_ink *ink) {
  return !(value > 0) ? 0 : value < (double)ink->rows ? (int64_t)value : ink->rows;
}

/* Counts what is above an edge as covered if the sign is 1, and as not covered if it is -1. */
static void cover_above(struct span edge, double width, int sign, struct pcf_ink *ink,
                        struct reach *reach) {
  int64_t first = row_at(edge.low, ink), last = row_at(edge.high, ink);
  last += (double)last < edge.high && last < ink->rows;
  int64_t all = counted(width), covered = 0;
  for (int64_t row = first; row < last; row++) {
    int64_t part = all - counted(area_below((double)row, edge, width));
    ink->more[row] += sign * (part - covered);
    covered = part;
  }
  ink->more[last] += sign * (all - covered);
  if (first < reach->first) reach->first = first;
  if (last > reach->last) reach->last = last;
}

/* Covers what lies between two edges in a part `width` of the column. */
static void cover_between(struct span below, struct span above, double width,
                          struct pcf_ink *ink, struct reach *reach) {
  if (below.low >= above.high) return;
  cover_above(below, width, 1, ink, reach);
  cover_above(above, width, -1, ink, reach);
}

static struct span united(struct span a, struct span b) {
  return (struct span){lesser(a.low, b.low), a.high > b.high ? a.high : b.high};
}

static const struct span no_span = {INFINITY, -INFINITY};

/* No disc is ahead of a vertical piece, whose ends reach as far. */
struct pcf_slope pcf_slope_of(const struct pcf_pieces *pieces, int64_t piece,
                              double half_width) {
  double run = pieces->end[piece] - pieces->begin[piece];
  double rise = pieces->end_value[piece] - pieces->value[piece];
  if (run <= 0) return (struct pcf_slope){.ahead = INFINITY};
  double length = hypot(run, rise);
  return (struct pcf_slope){rise / run, half_width * (length / run),
                            half_width * (rise / length)};
}

/* The disc around a point at a value, so far away in time. */
static struct span span_of_disc(double half, double value, double away) {
  double room = half * half - away * away;
  if (room < 0) return no_span;
  double thick = sqrt(room);
  return (struct span){value - thick, value + thick};
}

static struct span span_of_level(const struct chain *chain, int64_t piece, double time) {
  const struct pcf_pieces *pieces = chain->pieces;
  double away = fmax(pieces->begin[piece] - time, time - pieces->end[piece]);
  return span_of_disc(chain->half_width, pieces->value[piece], fmax(away, 0));
}

/* The discs that reach lowest and highest at a time are where the line through the piece is at
 * right angles to the way there from their middles, or at the ends of the piece. A piece that
 * goes on to the next one leaves its end to that. */
static struct span span_of_slope(const struct chain *chain, int64_t piece, double time,
                                 int goes_on) {
  const struct pcf_pieces *pieces = chain->pieces;
  const struct pcf_slope *slope = &chain->slope[piece];
  const double half = chain->half_width, ahead = slope->ahead;
  const double since = time - pieces->begin[piece], until = pieces->end[piece] - time;
  struct span span = span_of_disc(half, pieces->value[piece], since);
  if (!goes_on) span = united(span, span_of_disc(half, pieces->end_value[piece], until));
  const double middle = pieces->value[piece] + slope->rise * since;
  if (since > ahead && until > -ahead) span.low = lesser(span.low, middle - slope->reach);
  if (since > -ahead && until > ahead) {
    span = united(span, (struct span){INFINITY, middle + slope->reach});
  }
  return span;
}

/* Joined pieces cover all between their values. */
static void cover_stretch(const struct chain *chain, const struct stretch *stretch,
                          struct pcf_ink *ink, struct reach *reach) {
  const struct pcf_pieces *pieces = chain->pieces;
  struct span all = no_span;
  for (int64_t k = stretch->from; k < stretch->to; k++) {
    int goes_on =
      pieces->end_value && k + 1 < stretch->to && pieces->end_value[k] == pieces->value[k + 1];
    all = united(all, pieces->end_value ? span_of_slope(chain, k, stretch->time, goes_on)
                                        : span_of_level(chain, k, stretch->time));
  }
  struct span below = {all.low, all.low}, above = {all.high, all.high};
  cover_between(below, above, stretch->width, ink, reach);
}

/* ---- Straight lines ---- */

/* Is a stretch within one sloped piece, whose ends are out of reach from one time to another?
 */
static int is_straight(const struct chain *chain, const struct stretch *stretch, double from,
                       double to) {
  const struct pcf_pieces *pieces = chain->pieces;
  const int64_t k = stretch->from;
  if (!pieces->end_value || stretch->to > k + 1) return 0;
  const double ahead = fabs(chain->slope[k].ahead);
  return from - pieces->begin[k] >= ahead && pieces->end[k] - to >= ahead;
}

/* The line of a sloped piece lies between two edges. */
static void cover_slope(const struct chain *chain, const struct stretch *stretch,
                        struct pcf_ink *ink, struct reach *reach) {
  const int64_t k = stretch->from;
  const struct pcf_slope *slope = &chain->slope[k];
  double since = stretch->time - chain->pieces->begin[k];
  double middle = chain->pieces->value[k] + slope->rise * since;
  double half = fabs(slope->rise) * stretch->width / 2;
  struct span below = {middle - slope->reach - half, middle - slope->reach + half};
  struct span above = {middle + slope->reach - half, middle + slope->reach + half};
  cover_between(below, above, stretch->width, ink, reach);
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
    float part = (float)(covered < WHOLE ? covered : WHOLE) * unit; // it may be rounded up
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
