/* Thinning: what is kept covers the same pixels. */
#include "check.h"
#include "collections.h"

#include "drawing/visible-pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3000, COLUMNS = 12, ROWS = 20 };

/* Pieces of three functions with gaps, most of them narrower than a column. */
struct drawing {
  struct pcf_pieces pieces;
  int function[MOST], chain[MOST];
  double begin[MOST], end[MOST], value[MOST];
};

static void make_drawing(struct random *random, double gaps, struct drawing *drawing) {
  int64_t n = 0;
  int chain = 0;
  for (int f = 1; f <= 3; f++, chain++) {
    double time = random_uniform(random), width = f == 1 ? 0.02 : f == 2 ? 0.3 : 3;
    while (time < COLUMNS && n < MOST - 1) {
      double end = time + width * random_uniform(random);
      drawing->function[n] = f;
      drawing->chain[n] = chain;
      drawing->begin[n] = time;
      drawing->end[n] = end;
      drawing->value[n++] = floor(ROWS * 1.4 * random_uniform(random)) - 3;
      time = end;
      if (random_uniform(random) < gaps) {
        time += width * random_uniform(random);
        chain++;
      }
    }
  }
  drawing->pieces = (struct pcf_pieces){
    n, drawing->function, drawing->chain, drawing->begin, drawing->end, drawing->value, NULL};
}

/* Marks the cells of one function that the pieces with keep[k] and the jumps between them
 * cover, a jump in the column where the right piece begins. Rows beyond the device are one. */
static void cover(const struct pcf_pieces *pieces, const unsigned char *keep, int function,
                  char cells[COLUMNS + 4][ROWS + 2]) {
  int64_t before = -1;
  memset(cells, 0, (COLUMNS + 4) * (ROWS + 2));
  for (int64_t k = 0; k < pieces->count; k++) {
    if (!keep[k] || pieces->function[k] != function) continue;
    int row = (int)fmin(fmax(pieces->value[k], -1), ROWS) + 1, from = row;
    int joined = before >= 0 && pieces->chain[before] == pieces->chain[k];
    if (joined) from = (int)fmin(fmax(pieces->value[before], -1), ROWS) + 1;
    for (int r = from < row ? from : row; r <= (from < row ? row : from); r++) {
      cells[(int)pieces->begin[k]][r] = 1;
    }
    for (int c = (int)pieces->begin[k]; c <= (int)pieces->end[k]; c++) cells[c][row] = 1;
    before = k;
  }
}

static int64_t thin(const struct pcf_pieces *pieces, unsigned char *keep) {
  int64_t covered[ROWS + 2] = {0};
  return pcf_keep_visible_pieces(pieces, ROWS, covered, keep);
}

TEST(thinned_pieces_cover_the_same_cells) {
  static struct drawing drawing;
  static char all[COLUMNS + 4][ROWS + 2], some[COLUMNS + 4][ROWS + 2];
  struct random random = {61};
  for (int round = 0; round < 60; round++) {
    unsigned char keep[MOST], every[MOST];
    make_drawing(&random, round % 3 * 0.4, &drawing);
    memset(every, 1, sizeof every);
    int64_t kept = thin(&drawing.pieces, keep), counted = 0;
    for (int64_t k = 0; k < drawing.pieces.count; k++) counted += keep[k];
    CHECK(kept == counted);
    CHECK(kept < drawing.pieces.count);
    for (int f = 1; f <= 3; f++) {
      cover(&drawing.pieces, every, f, all);
      cover(&drawing.pieces, keep, f, some);
      CHECK(memcmp(all, some, sizeof all) == 0);
    }
  }
}

TEST(thinning_keeps_the_extremes_of_a_column_in_order) {
  const int one[] = {1, 1, 1, 1, 1, 1, 1};
  const double begin[] = {0.2, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6};
  const double end[] = {1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7};
  const double value[] = {0, 4, 5, 9, 5, 2, 3};
  struct pcf_pieces pieces = {7, one, one, begin, end, value, NULL};
  unsigned char keep[7];
  CHECK(thin(&pieces, keep) == 5);
  CHECK(memcmp(keep, (unsigned char[]){1, 1, 0, 1, 0, 1, 1}, 7) == 0);
}

TEST(thinning_of_nothing) {
  struct pcf_pieces pieces = {.count = 0};
  unsigned char keep[1] = {7};
  CHECK(thin(&pieces, keep) == 0);
  CHECK(keep[0] == 7);
}
