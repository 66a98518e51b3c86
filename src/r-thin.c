/* Thinning the pieces of functions to what a device can show. */
#include "glue.h"

#include "functions/thin.h"

#include <limits.h>
#include <string.h>

/* The element of a list by its name, which must have that type and length. */
static SEXP column(SEXP pieces, const char *name, SEXPTYPE type, R_xlen_t length) {
  SEXP element = glue_element(pieces, name);
  if (TYPEOF(element) != type || XLENGTH(element) != length) {
    Rf_error("the pieces need the column `%s`", name);
  }
  return element;
}

static const double *finite_column(SEXP pieces, const char *name, R_xlen_t length) {
  const double *column_ = REAL(column(pieces, name, REALSXP, length));
  for (R_xlen_t k = 0; k < length; k++) {
    if (!R_FINITE(column_[k])) Rf_error("the column `%s` must be finite", name);
  }
  return column_;
}

/* The positions, from 1, of the pieces to draw. `pieces` is a list with the integers `f` and
 * `chain` and the doubles `x0`, `x1` and `y`, as struct pcf_pieces has them. */
SEXP ffi_thin(SEXP pieces_, SEXP rows_) {
  glue_check_list(pieces_, "pieces");
  R_xlen_t n = XLENGTH(glue_element(pieces_, "f"));
  if (n > INT_MAX) Rf_error("`pieces` must be fewer");
  int64_t rows = glue_count(rows_, "rows", 1, 1 << 24);
  struct pcf_pieces pieces = {
    .count = n,
    .function = INTEGER(column(pieces_, "f", INTSXP, n)),
    .chain = INTEGER(column(pieces_, "chain", INTSXP, n)),
    .begin = finite_column(pieces_, "x0", n),
    .end = finite_column(pieces_, "x1", n),
    .value = finite_column(pieces_, "y", n),
  };
  int64_t *covered = (int64_t *)R_alloc((size_t)rows + 2, sizeof *covered);
  memset(covered, 0, ((size_t)rows + 2) * sizeof *covered);
  unsigned char *keep = (unsigned char *)R_alloc((size_t)n + 1, 1);
  SEXP kept = Rf_allocVector(INTSXP, (R_xlen_t)pcf_thin(&pieces, rows, covered, keep));
  for (R_xlen_t k = 0, i = 0; k < n; k++) {
    if (keep[k]) INTEGER(kept)[i++] = (int)k + 1;
  }
  return kept;
}
