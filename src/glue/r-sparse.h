/* Matrices of R, by their entries. */
#ifndef PCF_R_SPARSE_H
#define PCF_R_SPARSE_H

#include "algebra/sparse-rows.h"

#include <Rinternals.h>

/* list(starts, row, weight), column by column: starts[j] … are counted from 0, and `row` is
 * that of each entry, from 0, or NULL for all. In memory that R frees. */
struct pcf_matrix glue_columns_of(SEXP matrix, int64_t rows, int64_t columns);

#endif
