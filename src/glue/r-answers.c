/* What entry points return, and the memory of R that results are in. */
#include "glue/glue.h"

#include "base/memory.h"

#include <limits.h>
#include <string.h>

/* ---- Lists ---- */

static SEXP value_of(const struct glue_field *field) {
  switch (field->type) {
  case REALSXP: return Rf_ScalarReal(field->number);
  case INTSXP: return Rf_ScalarInteger(field->integer);
  case LGLSXP: return Rf_ScalarLogical(field->integer);
  case STRSXP: return Rf_mkString(field->text);
  default: return field->value;
  }
}

SEXP glue_make_list(int length, const struct glue_field *fields) {
  for (int k = 0; k < length; k++) {
    PROTECT(fields[k].type == VECSXP ? fields[k].value : R_NilValue);
  }
  SEXP list = PROTECT(Rf_allocVector(VECSXP, length));
  SEXP names = PROTECT(Rf_allocVector(STRSXP, length));
  for (int k = 0; k < length; k++) {
    SET_VECTOR_ELT(list, k, value_of(&fields[k]));
    SET_STRING_ELT(names, k, Rf_mkChar(fields[k].name));
  }
  Rf_setAttrib(list, R_NamesSymbol, names);
  UNPROTECT(length + 2);
  return list;
}

/* ---- Answers ---- */

SEXP glue_answer(SEXP value, enum pcf_status status, const struct pcf_error *error) {
  static const char *const names[] = {
    [PCF_OK] = "ok",
    [PCF_ERROR_MEMORY] = "memory",
    [PCF_ERROR_ARGUMENT] = "argument",
    [PCF_ERROR_DEVICE] = "device",
    [PCF_ERROR_DEVICE_MEMORY] = "memory",
    [PCF_ERROR_SYSTEM] = "system",
    [PCF_ERROR_INTERRUPTED] = "interrupted",
    [PCF_ERROR_FILE] = "file",
  };
  if (status) {
    return GLUE_LIST(GLUE_TEXT("status", names[status]), GLUE_TEXT("message", error->message));
  }
  return GLUE_LIST(GLUE_VALUE("value", value));
}

SEXP glue_problem(int64_t function, int64_t position, const char *problem) {
  return GLUE_LIST(GLUE_NUMBER("function", function + 1), GLUE_NUMBER("position", position + 1),
                   GLUE_TEXT("problem", problem));
}

SEXP glue_problem_with(const char *argument, SEXP problem) {
  return GLUE_LIST(GLUE_TEXT("argument", argument), GLUE_VALUE("problem", problem));
}

SEXP glue_fault(const char *argument, const struct pcf_fault *fault) {
  const char *name = glue_problem_name(fault->problem);
  return glue_problem_with(argument, glue_problem(fault->function, fault->position, name));
}

const char *glue_problem_name(enum pcf_problem problem) {
  switch (problem) {
  case PCF_VALID: break;
  case PCF_TIME_MISSING: return "times_missing";
  case PCF_TIME_INFINITE: return "times_infinite";
  case PCF_TIME_UNSORTED: return "times_unsorted";
  case PCF_TIME_REPEATED: return "times_repeated";
  case PCF_VALUE_NAN: return "values_nan";
  case PCF_VALUE_INFINITE: return "values_infinite";
  case PCF_LEFT_NAN: return "left_nan";
  case PCF_LEFT_INFINITE: return "left_infinite";
  case PCF_HALF_MISSING: return "left_half_missing";
  case PCF_SLOPE_INFINITE: return "left_steep";
  }
  return "valid";
}

/* ---- Memory for results ---- */

int64_t *glue_counts(int64_t n) {
  return (int64_t *)R_alloc((size_t)n + 1, sizeof(int64_t));
}

SEXP glue_functions(int64_t count, const int64_t *breakpoints, int linear, double **columns) {
  static const char *const labels[2][3] = {{"time", "value"}, {"time", "left", "value"}};
  int width = pcf_matrix_columns(linear);
  SEXP list = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)count));
  SEXP names = PROTECT(Rf_allocVector(VECSXP, 2)), own = Rf_allocVector(STRSXP, width);
  SET_VECTOR_ELT(names, 1, own);
  for (int k = 0; k < width; k++) SET_STRING_ELT(own, k, Rf_mkChar(labels[linear][k]));
  MARK_NOT_MUTABLE(names);
  for (int64_t i = 0; i < count; i++) {
    SEXP f = Rf_allocMatrix(REALSXP, (int)breakpoints[i], width);
    SET_VECTOR_ELT(list, (R_xlen_t)i, f);
    Rf_setAttrib(f, R_DimNamesSymbol, names);
    columns[i] = REAL(f);
    pcf_ask_for_huge_pages(columns[i], (size_t)XLENGTH(f) * sizeof(double));
    glue_poll(i);
  }
  UNPROTECT(2);
  return list;
}

static SEXP without_start(SEXP f) {
  int m = (int)(XLENGTH(f) / 2);
  if (m == 1) {
    REAL(f)[0] = 0;
    return f;
  }
  SEXP rest = PROTECT(Rf_allocMatrix(REALSXP, m - 1, 2));
  for (int column = 0; column < 2; column++) {
    const double *from = REAL(f) + (size_t)column * (size_t)m + 1;
    memcpy(REAL(rest) + (size_t)column * (size_t)(m - 1), from,
           (size_t)(m - 1) * sizeof(double));
  }
  Rf_setAttrib(rest, R_DimNamesSymbol, Rf_getAttrib(f, R_DimNamesSymbol));
  UNPROTECT(1);
  return rest;
}

void glue_drop_zero_starts(SEXP functions) {
  PROTECT(functions);
  for (R_xlen_t i = 0; i < XLENGTH(functions); i++) {
    SEXP f = VECTOR_ELT(functions, i);
    int zero = REAL(f)[0] == R_NegInf && REAL(f)[XLENGTH(f) / 2] == 0;
    if (zero) SET_VECTOR_ELT(functions, i, without_start(f));
    glue_poll(i);
  }
  UNPROTECT(1);
}

R_xlen_t glue_length(R_xlen_t rows, R_xlen_t columns) {
  double length = (double)rows * (double)columns;
  if (length > 4503599627370495.0) Rf_error("the result has more than 2^52 elements");
  return (R_xlen_t)length;
}

SEXP glue_rows(R_xlen_t rows, R_xlen_t columns) {
  R_xlen_t length = glue_length(rows, columns);
  SEXP value = Rf_allocVector(REALSXP, length);
  pcf_ask_for_huge_pages(REAL(value), (size_t)length * sizeof(double));
  return value;
}

SEXP glue_matrix(R_xlen_t rows, R_xlen_t columns) {
  if (rows > INT_MAX || columns > INT_MAX) {
    Rf_error("the result has more than 2^31 - 1 rows or columns");
  }
  SEXP value = PROTECT(glue_rows(rows, columns)), dim = PROTECT(Rf_allocVector(INTSXP, 2));
  INTEGER(dim)[0] = (int)rows;
  INTEGER(dim)[1] = (int)columns;
  Rf_setAttrib(value, R_DimSymbol, dim);
  UNPROTECT(2);
  return value;
}

void glue_set_attributes(SEXP value, SEXP attributes) {
  glue_check_list(attributes, "attributes");
  SEXP names = Rf_getAttrib(attributes, R_NamesSymbol);
  R_xlen_t count = XLENGTH(attributes);
  if (count > 0 && TYPEOF(names) != STRSXP) Rf_error("internal error: attributes need names");
  for (R_xlen_t k = 0; k < count; k++) {
    SEXP attribute = VECTOR_ELT(attributes, k);
    if (attribute != R_NilValue) {
      Rf_setAttrib(value, Rf_installTrChar(STRING_ELT(names, k)), attribute);
    }
  }
}
