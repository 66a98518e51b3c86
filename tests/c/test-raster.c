/* Pixels of lines: each is covered by the part of it that lies under the line. */
#include "check.h"
#include "collections.h"

#include "drawing/raster.h"

#include <math.h>
#include <string.h>

/* Times and values are multiples of a part of a pixel. */
enum { PARTS = 8, COLUMNS = 14, ROWS = 11, FUNCTIONS = 4, MOST = 2000 };

struct drawing {
  struct pcf_pieces pieces;
  int function[MOST], chain[MOST];
  double begin[MOST], end[MOST], value[MOST];
  struct pcf_pen pen[FUNCTIONS];
  int64_t first[FUNCTIONS + 1], next[FUNCTIONS];
  int butt;
};

static double parts(struct random *random, int64_t least, int64_t most) {
  return (double)random_between(random, least, most) / PARTS;
}

/* Functions with gaps, some of which begin before and end after the picture. */
static void make_drawing(struct random *random, double gaps, struct drawing *drawing) {
  int64_t n = 0;
  for (int f = 0; f < FUNCTIONS; f++) {
    struct pcf_pen *pen = &drawing->pen[f];
    pen->half_width = parts(random, 1, f == 0 ? 3 * PARTS : PARTS);
    for (int i = 0; i < 4; i++) pen->color[i] = (float)random_uniform(random);
    drawing->first[f] = drawing->next[f] = n;
    double time = parts(random, -2 * PARTS, 2 * PARTS);
    for (int chain = 0; time < COLUMNS + 2 && n < (f + 1) * MOST / FUNCTIONS; n++) {
      drawing->function[n] = f;
      drawing->chain[n] = chain;
      drawing->begin[n] = time;
      drawing->end[n] = time += parts(random, 1, f < 2 ? 4 : 3 * PARTS);
      drawing->value[n] = parts(random, -2 * PARTS, (ROWS + 2) * PARTS);
      if (random_uniform(random) >= gaps) continue;
      time += 2 * pen->half_width + parts(random, 1, PARTS);
      chain++;
    }
  }
  drawing->first[FUNCTIONS] = n;
  drawing->pieces = (struct pcf_pieces){
    n, drawing->function, drawing->chain, drawing->begin, drawing->end, drawing->value, NULL};
}

/* Is a time before the chain of piece k begins, or after it ends? */
static int is_beyond(const struct drawing *drawing, int f, int64_t k, double time) {
  int64_t first = k, last = k;
  while (first > drawing->first[f] && drawing->chain[first - 1] == drawing->chain[k]) first--;
  while (last + 1 < drawing->first[f + 1] && drawing->chain[last + 1] == drawing->chain[k])
    last++;
  return time < drawing->begin[first] || time > drawing->end[last];
}

/* Does a function's line cover a point? */
static int covers(const struct drawing *drawing, int f, double time, double value) {
  const double half = drawing->pen[f].half_width;
  int chain = -1;
  double low = INFINITY, high = -INFINITY;
  for (int64_t k = drawing->first[f]; k < drawing->first[f + 1]; k++) {
    double away = fmax(fmax(drawing->begin[k] - time, time - drawing->end[k]), 0);
    if (away > half || (drawing->butt && is_beyond(drawing, f, k, time))) continue;
    CHECK(chain < 0 || chain == drawing->chain[k]);
    chain = drawing->chain[k];
    low = fmin(low, drawing->value[k] - sqrt(half * half - away * away));
    high = fmax(high, drawing->value[k] + sqrt(half * half - away * away));
  }
  return low < value && value < high;
}

static double covered_part(const struct drawing *drawing, int f, int column, int row) {
  int count = 0;
  for (int i = 0; i < PARTS; i++) {
    for (int j = 0; j < PARTS; j++) {
      count += covers(drawing, f, column + (i + 0.5) / PARTS, row + (j + 0.5) / PARTS);
    }
  }
  return count / (double)(PARTS * PARTS);
}

static struct pcf_lines lines_of(struct drawing *drawing) {
  return (struct pcf_lines){
    .pieces = &drawing->pieces,
    .functions = FUNCTIONS,
    .pen = drawing->pen,
    .first = drawing->first,
    .next = drawing->next,
    .butt = drawing->butt,
  };
}

/* How far a painted pixel is from that of painting the functions one over the other. */
static double distance(const struct drawing *drawing, int column, int row,
                       const float painted[4]) {
  double expected[4] = {0}, distance = 0;
  for (int f = 0; f < FUNCTIONS; f++) {
    const float *color = drawing->pen[f].color;
    double part = covered_part(drawing, f, column, row) * color[3];
    for (int i = 0; i < 4; i++) expected[i] += part * ((i < 3 ? color[i] : 1) - expected[i]);
  }
  for (int i = 0; i < 4; i++) {
    double off = fabs(painted[i] - expected[i]);
    if (off > distance) distance = off;
  }
  return distance;
}

/* Corners are round, and measured in a few places only. */
TEST(pixels_are_covered_as_far_as_lines_reach) {
  static struct drawing drawing;
  enum { ROUNDS = 12 };
  double farthest = 0, sum = 0;
  for (int round = 0; round < ROUNDS; round++) {
    make_drawing(&random, round % 3 * 0.2, &drawing);
    drawing.butt = round % 2;
    struct pcf_lines lines = lines_of(&drawing);
    float paint[ROWS][4] = {{0}};
    int64_t more[ROWS + 1] = {0};
    struct pcf_ink ink = {ROWS, more, paint};
    for (int column = 0; column < COLUMNS; column++) {
      pcf_draw_columns(&lines, column, 1, &ink);
      for (int row = 0; row < ROWS; row++) {
        double away = distance(&drawing, column, row, paint[row]);
        farthest = fmax(farthest, away);
        sum += away;
      }
      for (int row = 0; row <= ROWS; row++) CHECK(more[row] == 0);
      uint32_t pixel[2 * ROWS];
      pcf_take_pixels(&ink, pixel, 2);
      for (int row = 0; row < ROWS; row++) CHECK(paint[row][3] == 0);
    }
  }
  CHECK(farthest < 0.12);
  CHECK(sum < 0.003 * ROUNDS * COLUMNS * ROWS);
}

/* How far a point is from the straight line between two others. */
static double away_from(double time, double value, double x0, double y0, double x1, double y1) {
  double along = ((time - x0) * (x1 - x0) + (value - y0) * (y1 - y0)) /
                 ((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0));
  along = fmin(fmax(along, 0), 1);
  return hypot(time - x0 - along * (x1 - x0), value - y0 - along * (y1 - y0));
}

static const int zeros[3];

/* Draws a column of the line of one chain of at most three pieces. */
static void draw_line(const struct pcf_pieces *pieces, double half, int column,
                      float paint[ROWS][4]) {
  const struct pcf_pen pen = {half, {0, 0, 0, 1}};
  const int64_t first[] = {0, pieces->count};
  int64_t next[] = {0}, more[ROWS + 1] = {0};
  struct pcf_slope slope[3];
  for (int64_t k = 0; k < pieces->count; k++) slope[k] = pcf_slope_of(pieces, k, half);
  const struct pcf_lines lines = {pieces, 1, &pen, slope, first, next, 0};
  struct pcf_ink ink = {ROWS, more, paint};
  memset(paint, 0, ROWS * sizeof *paint);
  pcf_draw_columns(&lines, column, 1, &ink);
  for (int row = 0; row <= ROWS; row++) CHECK(more[row] == 0);
}

/* The part of a pixel that is within half a width of these pieces, in steps of 1 / fine. */
static double part_near(const struct pcf_pieces *pieces, double half, int column, int row,
                        int fine) {
  int near = 0;
  for (int i = 0; i < fine * fine; i++) {
    double x = column + (i % fine + 0.5) / fine, y = row + (i / fine + 0.5) / fine;
    double away = INFINITY;
    for (int64_t k = 0; k < pieces->count; k++) {
      away = fmin(away, away_from(x, y, pieces->begin[k], pieces->value[k], pieces->end[k],
                                  pieces->end_value[k]));
    }
    near += away < half;
  }
  return near / (double)(fine * fine);
}

/* One line of three pieces, of which the second is a jump: each pixel is covered by the part of
 * it whose points are within half a width of the line. */
TEST(sloped_lines_cover_what_is_near_them) {
  const double value[] = {2, 4.25, 8}, end_value[] = {4.25, 8, 1.5};
  for (double half = 0.5, jump = 6; half < 2; half += 0.5, jump += 0.0525) {
    const double begin[] = {1.5, jump, jump}, end[] = {jump, jump, 11.25};
    const struct pcf_pieces pieces = {3, zeros, zeros, begin, end, value, end_value};
    for (int column = 0; column < COLUMNS; column++) {
      float paint[ROWS][4];
      draw_line(&pieces, half, column, paint);
      for (int row = 0; row < ROWS; row++) {
        double part = part_near(&pieces, half, column, row, PARTS);
        CHECK(fabs(paint[row][3] - part) < 0.12);
      }
    }
  }
}

/* Between its ends a line is a band with straight edges, of which each pixel has its exact
 * part, also at the bottom and the top of the picture. */
TEST(straight_lines_cover_their_area) {
  const double begin[] = {0.5}, end[] = {13.5}, half = 0.7;
  for (double rise = -4; rise <= 4; rise += 0.8) {
    const double value[] = {5 - 6.5 * rise}, end_value[] = {5 + 6.5 * rise};
    const struct pcf_pieces pieces = {1, zeros, zeros, begin, end, value, end_value};
    for (int column = 3; column < 11; column++) {
      float paint[ROWS][4];
      draw_line(&pieces, half, column, paint);
      for (int row = 0; row < ROWS; row++) {
        double part = part_near(&pieces, half, column, row, 64);
        CHECK(fabs(paint[row][3] - part) < 0.005);
      }
    }
  }
}

/* The column in which a line rises from far below the picture to far above has its width, the
 * others are empty, and so they are next to lines that do not reach the picture. */
TEST(lines_may_end_far_beyond_the_picture) {
  const double begin[] = {2}, end[] = {9};
  for (double most = 1e3; most < 1e306; most *= 1e50) {
    for (int side = -1; side <= 1; side++) {
      const double value[] = {side == 1 ? most : -most}, end_value[] = {side ? *value : most};
      const struct pcf_pieces pieces = {1, zeros, zeros, begin, end, value, end_value};
      for (int column = 0; column < COLUMNS; column++) {
        float paint[ROWS][4];
        draw_line(&pieces, 0.25, column, paint);
        for (int row = 0; row < ROWS; row++) {
          double part = paint[row][3];
          CHECK(side || column != 5 ? part == 0 : part > 0.49 && part < 0.53);
        }
      }
    }
  }
}

TEST(pixels_come_from_the_top_with_opacity_first) {
  float paint[3][4] = {{0.5F, 0.25F, 0, 0.5F}, {0}, {1, 0.2F, 0, 1}};
  int64_t more[4] = {0};
  struct pcf_ink ink = {3, more, paint};
  uint32_t pixel[6] = {9, 9, 9, 9, 9, 9};
  pcf_take_pixels(&ink, pixel, 2);
  CHECK(pixel[0] == 0xFF0033FFU && pixel[2] == 0 && pixel[4] == 0x800080FFU);
  CHECK(pixel[1] == 9 && pixel[3] == 9 && pixel[5] == 9);
}

/* Each piece is a chain of its own, and they lie closer together than the line is wide. */
TEST(chains_cover_no_more_than_a_pixel) {
  random.state = 78;
  static struct drawing drawing;
  make_drawing(&random, 0, &drawing);
  for (int64_t k = 0; k < drawing.pieces.count; k++) drawing.chain[k] = (int)k;
  for (int f = 0; f < FUNCTIONS; f++) drawing.pen[f].color[3] = f == FUNCTIONS - 1;
  struct pcf_lines lines = lines_of(&drawing);
  float paint[ROWS][4] = {{0}};
  int64_t more[ROWS + 1] = {0};
  struct pcf_ink ink = {ROWS, more, paint};
  for (int column = 0; column < COLUMNS; column++) pcf_draw_columns(&lines, column, 1, &ink);
  float most = 0;
  for (int row = 0; row < ROWS; row++) {
    CHECK(paint[row][3] >= 0 && paint[row][3] <= 1);
    most = fmaxf(most, paint[row][3]);
  }
  CHECK(most == 1);
}
