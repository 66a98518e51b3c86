#include "drawing/visible-pieces.h"

#include <math.h>
#include <string.h>

/* Pieces first … last - 1 of one chain, all within one column, and where their values are
 * lowest and highest. */
struct run {
  int64_t first, last, lowest, highest;
};

/* The rows of a device. covered[row + 1] is the last place at which that row was covered; a
 * place is a column of a function, and places are counted from 1. */
struct cover {
  int64_t rows, place;
  int64_t *covered;
};

static struct run run_from(const struct pcf_pieces *pieces, int64_t first);
static int stands_alone(const struct pcf_pieces *pieces, const struct run *run);
static int cover_rows(const struct pcf_pieces *pieces, const struct run *run,
                      struct cover *cover);
static int64_t keep_extremes(const struct run *run, unsigned char *keep);

static int same_place(const struct pcf_pieces *pieces, int64_t a, int64_t b) {
  return pieces->function[a] == pieces->function[b] &&
         floor(pieces->begin[a]) == floor(pieces->begin[b]);
}

static int is_within_column(const struct pcf_pieces *pieces, int64_t k) {
  return floor(pieces->begin[k]) == floor(pieces->end[k]);
}

int64_t pcf_keep_visible_pieces(const struct pcf_pieces *pieces, int64_t rows, int64_t *covered,
                                unsigned char *keep) {
  struct cover cover = {.rows = rows, .covered = covered};
  int64_t kept = 0, before = -1;
  memset(keep, 0, (size_t)pieces->count);
  for (int64_t k = 0; k < pieces->count;) {
    if (!is_within_column(pieces, k)) {
      kept += keep[k++] = 1;
      continue;
    }
    struct run run = run_from(pieces, k);
    cover.place += before < 0 || !same_place(pieces, before, k);
    before = k;
    int fresh = cover_rows(pieces, &run, &cover);
    if (fresh || !stands_alone(pieces, &run)) kept += keep_extremes(&run, keep);
    k = run.last;
  }
  return kept;
}

static struct run run_from(const struct pcf_pieces *pieces, int64_t first) {
  struct run run = {.first = first, .lowest = first, .highest = first};
  int64_t k = first;
  do {
    if (pieces->value[k] < pieces->value[run.lowest]) run.lowest = k;
    if (pieces->value[k] > pieces->value[run.highest]) run.highest = k;
    k++;
  } while (k < pieces->count && pieces->chain[k] == pieces->chain[first] &&
           same_place(pieces, first, k) && is_within_column(pieces, k));
  run.last = k;
  return run;
}

static int stands_alone(const struct pcf_pieces *pieces, const struct run *run) {
  int64_t before = run->first - 1, after = run->last;
  if (before >= 0 && pieces->chain[before] == pieces->chain[run->first]) return 0;
  return after == pieces->count || pieces->chain[after] != pieces->chain[run->first];
}

/* The element of `covered` for a value. */
static int64_t row_of(double value, int64_t rows) {
  if (value < 0) return 0;
  return value < (double)rows ? (int64_t)value + 1 : rows + 1;
}

/* Covers the rows from the lowest to the highest value; returns whether one was not. */
static int cover_rows(const struct pcf_pieces *pieces, const struct run *run,
                      struct cover *cover) {
  int64_t row = row_of(pieces->value[run->lowest], cover->rows);
  int64_t highest = row_of(pieces->value[run->highest], cover->rows);
  int fresh = 0;
  for (; row <= highest; row++) {
    fresh |= cover->covered[row] != cover->place;
    cover->covered[row] = cover->place;
  }
  return fresh;
}

static int64_t keep_extremes(const struct run *run, unsigned char *keep) {
  const int64_t extremes[] = {run->first, run->lowest, run->highest, run->last - 1};
  int64_t kept = 0;
  for (int i = 0; i < 4; i++) {
    kept += !keep[extremes[i]];
    keep[extremes[i]] = 1;
  }
  return kept;
}
