#include "glue/glue.h"

#include "base/lanes.h"

SEXP glue_list(int length) {
  SEXP list = PROTECT(Rf_allocVector(VECSXP, length));
  Rf_setAttrib(list, R_NamesSymbol, PROTECT(Rf_allocVector(STRSXP, length)));
  UNPROTECT(2);
  return list;
}

void glue_set(SEXP list, int index, const char *name, SEXP value) {
  SET_VECTOR_ELT(list, index, value);
  SET_STRING_ELT(Rf_getAttrib(list, R_NamesSymbol), index, Rf_mkChar(name));
}

SEXP glue_problem(int64_t function, int64_t position, const char *problem) {
  SEXP list = PROTECT(glue_list(3));
  glue_set(list, 0, "function", Rf_ScalarReal((double)function + 1));
  glue_set(list, 1, "position", Rf_ScalarReal((double)position + 1));
  glue_set(list, 2, "problem", Rf_mkString(problem));
  UNPROTECT(1);
  return list;
}

const char *glue_problem_name(enum pcf_problem problem) {
  switch (problem) {
  case PCF_VALID: break;
  case PCF_TIME_MISSING: return "times_missing";
  case PCF_TIME_INFINITE: return "times_infinite";
  case PCF_TIME_UNSORTED: return "times_unsorted";
  case PCF_TIME_REPEATED: return "times_repeated";
  case PCF_VALUE_MISSING: return "values_missing";
  case PCF_VALUE_NAN: return "values_nan";
  case PCF_VALUE_INFINITE: return "values_infinite";
  }
  return "valid";
}

/* The number of rows of a double matrix of two columns, or -1 for anything else. */
static int64_t breakpoints_of(SEXP f) {
  if (TYPEOF(f) != REALSXP) return -1;
  SEXP dim = Rf_getAttrib(f, R_DimSymbol);
  if (TYPEOF(dim) != INTSXP || XLENGTH(dim) != 2) return -1;
  const int *sides = INTEGER(dim);
  return sides[1] == 2 ? sides[0] : -1;
}

/* The functions lie anywhere in memory: they are asked for some steps ahead. */
enum { AHEAD = 16 };

/* The first fault of matrices, or R_NilValue. R sees interrupts after some functions each. */
static SEXP first_fault(const struct pcf_collection *x) {
  enum { BREAKPOINTS_AT_ONCE = 1 << 20 };
  struct pcf_range range = PCF_EMPTY_RANGE;
  for (int64_t first = 0, end = 0; first < x->count; first = end) {
    int64_t function = 0, position = 0;
    while (end < x->count && x->offsets[end] - x->offsets[first] < BREAKPOINTS_AT_ONCE) end++;
    enum pcf_problem problem = pcf_check_functions(x, first, end, &range, &function, &position);
    if (problem) return glue_problem(function, position, glue_problem_name(problem));
    R_CheckUserInterrupt();
  }
  return R_NilValue;
}

/* An element that is no matrix at all comes after faults in the functions before it. */
SEXP glue_collection(SEXP x, struct pcf_collection *collection) {
  glue_check_list(x, "functions");
  if (glue_known_collection(x, collection)) return R_NilValue;
  R_xlen_t n = XLENGTH(x);
  const double **functions = (const double **)R_alloc((size_t)n + 1, sizeof *functions);
  int64_t *offsets = (int64_t *)R_alloc((size_t)n + 1, sizeof *offsets);
  offsets[0] = 0;
  for (R_xlen_t i = 0; i < n; i++) {
    SEXP f = VECTOR_ELT(x, i);
    if (i + AHEAD < n) FETCH(VECTOR_ELT(x, i + AHEAD));
    int64_t m = breakpoints_of(f);
    glue_poll(i);
    if (m < 1) {
      SEXP before = first_fault(&(struct pcf_collection){i, functions, offsets, .partial = 1});
      if (before != R_NilValue) return before;
      return glue_problem(i, 0, m < 0 ? "matrix" : "empty");
    }
    functions[i] = REAL(f);
    offsets[i + 1] = offsets[i] + m;
  }
  *collection = (struct pcf_collection){.count = n, .functions = functions, .offsets = offsets};
  return R_NilValue;
}

SEXP ffi_validate(SEXP x) {
  struct pcf_collection collection = {0};
  SEXP problem = glue_collection(x, &collection);
  collection.partial = 1;
  return problem != R_NilValue ? problem : first_fault(&collection);
}
