/* The glue between R and the engine: the only C files that see R's headers. */
#ifndef PCF_GLUE_H
#define PCF_GLUE_H

#define R_NO_REMAP
#include "core/collection.h"

#include <Rinternals.h>

/* Views a list of two-column double matrices as a collection. The pointers live in memory that
 * R frees when the .Call ends; the matrices stay R's. Returns R_NilValue, or, when an element
 * is no such matrix, a problem as in glue_problem(). */
SEXP glue_collection(SEXP x, struct pcf_collection *collection);

/* list(function, position, problem), counted from 1, for R to make an error of. */
SEXP glue_problem(int64_t function, int64_t position, const char *problem);

/* The name by which R knows a problem. */
const char *glue_problem_name(enum pcf_problem problem);

/* A named list with room for `length` elements; glue_set() fills them in order. The caller
 * protects it. */
SEXP glue_list(int length);
void glue_set(SEXP list, int index, const char *name, SEXP value);

SEXP ffi_validate(SEXP x);
SEXP ffi_pairwise(SEXP x, SEXP y, SEXP request, SEXP settings);
SEXP ffi_available(void);
SEXP ffi_cuda_info(void);
SEXP ffi_fail_at(SEXP step, SEXP allocation);

#endif
