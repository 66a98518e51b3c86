/* What a device can show of functions: pieces that are sufficient, and the pixels of their
 * lines.
 */
#include "glue/glue.h"

#include "drawing/raster.h"
#include "drawing/visible-pieces.h"

#include <limits.h>
#include <string.h>

/* A list with the integers `f` and `chain` and the doubles `x0`, `x1` and `y`, and `y1`, NULL
 * where no piece is sloped. */
static struct pcf_pieces pieces_of(SEXP pieces) {
  glue_check_list(pieces, "pieces");
  R_xlen_t n = Rf_xlength(glue_element(pieces, "f"));
  if (n > INT_MAX) Rf_error("`pieces` must be fewer");
  SEXP ends = glue_element(pieces, "y1");
  return (struct pcf_pieces){
    .count = n,
    .function = glue_integers(glue_element(pieces, "f"), "f", n),
    .chain = glue_integers(glue_element(pieces, "chain"), "chain", n),
    .begin = glue_finite(glue_element(pieces, "x0"), "x0", n),
    .end = glue_finite(glue_element(pieces, "x1"), "x1", n),
    .value = glue_finite(glue_element(pieces, "y"), "y", n),
    .end_value = ends == R_NilValue ? NULL : glue_finite(ends, "y1", n),
  };
}

/* The positions, from 1, of the pieces to draw. */
SEXP ffi_visible_pieces(SEXP pieces_, SEXP rows_) {
  struct pcf_pieces pieces = pieces_of(pieces_);
  R_xlen_t n = pieces.count;
  int64_t rows = glue_count(rows_, "rows", 1, 1 << 24);
  int64_t *covered = (int64_t *)R_alloc((size_t)rows + 2, sizeof *covered);
  memset(covered, 0, ((size_t)rows + 2) * sizeof *covered);
  unsigned char *keep = (unsigned char *)R_alloc((size_t)n + 1, 1);
  SEXP kept =
    Rf_allocVector(INTSXP, (R_xlen_t)pcf_keep_visible_pieces(&pieces, rows, covered, keep));
  for (R_xlen_t k = 0, i = 0; k < n; k++) {
    if (keep[k]) INTEGER(kept)[i++] = (int)k + 1;
  }
  return kept;
}

/* ---- Pixels ---- */

/* The pens of all functions: their widths, and a column of `colors` for each, as col2rgb() with
 * alpha gives them. */
static const struct pcf_pen *pens_of(SEXP widths, SEXP colors) {
  R_xlen_t n = XLENGTH(widths);
  const double *width = glue_doubles(widths, "widths", -1);
  if (TYPEOF(colors) != INTSXP || XLENGTH(colors) != 4 * n) {
    Rf_error("`colors` must be a matrix of four integers for each width");
  }
  struct pcf_pen *pen = (struct pcf_pen *)R_alloc((size_t)n + 1, sizeof *pen);
  for (R_xlen_t f = 0; f < n; f++) {
    if (!R_FINITE(width[f]) || width[f] < 0)
      Rf_error("`widths` must be finite, and not negative");
    pen[f].half_width = width[f] / 2;
    for (int i = 0; i < 4; i++) pen[f].color[i] = (float)INTEGER_RO(colors)[4 * f + i] / 255;
  }
  return pen;
}

static const struct pcf_slope *slopes_of(const struct pcf_pieces *pieces,
                                         const struct pcf_pen *pen) {
  if (!pieces->end_value) return NULL;
  size_t n = (size_t)pieces->count;
  struct pcf_slope *slope = (struct pcf_slope *)R_alloc(n + 1, sizeof *slope);
  for (int64_t k = 0; k < pieces->count; k++) {
    slope[k] = pcf_slope_of(pieces, k, pen[pieces->function[k] - 1].half_width);
  }
  return slope;
}

/* Lines through the pieces, whose functions are 1 … n in this order. */
static struct pcf_lines lines_of(const struct pcf_pieces *pieces, const struct pcf_pen *pen,
                                 R_xlen_t n, int butt) {
  int64_t *first = (int64_t *)R_alloc((size_t)n + 1, sizeof *first);
  int64_t *next = (int64_t *)R_alloc((size_t)n + 1, sizeof *next);
  int64_t k = 0;
  for (R_xlen_t f = 0; f < n; f++) {
    first[f] = next[f] = k;
    while (k < pieces->count && pieces->function[k] == f + 1) k++;
  }
  first[n] = k;
  if (k < pieces->count) Rf_error("the column `f` must be in order, and have a pen each");
  return (struct pcf_lines){.pieces = pieces,
                            .functions = n,
                            .pen = pen,
                            .slope = slopes_of(pieces, pen),
                            .first = first,
                            .next = next,
                            .butt = butt};
}

/* Columns that are drawn together: their paint fits in a cache of the second level. */
enum { COLUMNS_AT_ONCE = 8 };

static void make_ink(int64_t rows, struct pcf_ink ink[COLUMNS_AT_ONCE]) {
  size_t n = (size_t)rows, all = COLUMNS_AT_ONCE * n;
  int64_t *more = (int64_t *)R_alloc(n + 1, sizeof *more);
  float(*paint)[4] = (float(*)[4])R_alloc(all, sizeof *paint);
  memset(more, 0, (n + 1) * sizeof *more);
  memset(paint, 0, all * sizeof *paint);
  for (int i = 0; i < COLUMNS_AT_ONCE; i++)
    ink[i] = (struct pcf_ink){rows, more, paint + i * rows};
}

/* A picture of that many rows and columns, of the class "nativeRaster", whose lower left corner
 * is where times and values are 0. */
SEXP ffi_raster(SEXP pieces_, SEXP widths, SEXP colors, SEXP size, SEXP butt) {
  struct pcf_pieces pieces = pieces_of(pieces_);
  const struct pcf_pen *pen = pens_of(widths, colors);
  struct pcf_lines lines = lines_of(&pieces, pen, XLENGTH(widths), glue_flag(butt, "butt"));
  const double *extent = glue_doubles(size, "size", 2);
  if (!(extent[0] >= 1 && extent[1] >= 1 && extent[0] * extent[1] <= INT_MAX)) {
    Rf_error("`size` must be two numbers, and not too many pixels");
  }
  const int rows = (int)extent[0], columns = (int)extent[1];
  struct pcf_ink ink[COLUMNS_AT_ONCE];
  make_ink(rows, ink);
  SEXP picture = PROTECT(Rf_allocMatrix(INTSXP, rows, columns));
  uint32_t *pixel = (uint32_t *)INTEGER(picture);
  for (int64_t first = 0, count; first < columns; first += count) {
    count = columns - first < COLUMNS_AT_ONCE ? columns - first : COLUMNS_AT_ONCE;
    pcf_draw_columns(&lines, first, count, ink);
    for (int64_t i = 0; i < count; i++) pcf_take_pixels(&ink[i], pixel + first + i, columns);
    R_CheckUserInterrupt();
  }
  SEXP channels = PROTECT(Rf_ScalarInteger(4));
  Rf_setAttrib(picture, Rf_install("channels"), channels);
  Rf_setAttrib(picture, R_ClassSymbol, Rf_mkString("nativeRaster"));
  UNPROTECT(2);
  return picture;
}
