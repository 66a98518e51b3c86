/* Reads the arguments of entry points. R has checked the arguments of the user, so an invalid
 * argument is a bug in the package: it must raise an error that names it, and never crash. */
#include "glue/glue.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static _Noreturn void refuse(const char *name, const char *what) {
  Rf_error("internal error: `%s` must be %s", name, what);
}

/* ---- Single values ---- */

double glue_number(SEXP x, const char *name) {
  if (TYPEOF(x) == REALSXP && XLENGTH(x) == 1) return REAL_RO(x)[0];
  if (TYPEOF(x) != INTSXP || XLENGTH(x) != 1) refuse(name, "a number");
  return INTEGER_RO(x)[0] == NA_INTEGER ? NA_REAL : INTEGER_RO(x)[0];
}

int64_t glue_count(SEXP x, const char *name, int64_t least, int64_t most) {
  double number = glue_number(x, name);
  if (number >= (double)least && number <= (double)most && number == floor(number)) {
    return (int64_t)number;
  }
  Rf_error("internal error: `%s` must be a whole number from %.0f to %.0f", name, (double)least,
           (double)most);
}

int glue_threads(SEXP x) {
  return (int)glue_count(x, "threads", 1, 4096);
}

int glue_flag(SEXP x, const char *name) {
  if (TYPEOF(x) != LGLSXP || XLENGTH(x) != 1 || LOGICAL_RO(x)[0] == NA_LOGICAL) {
    refuse(name, "TRUE or FALSE");
  }
  return LOGICAL_RO(x)[0];
}

const char *glue_text(SEXP x, const char *name) {
  if (TYPEOF(x) != STRSXP || XLENGTH(x) != 1 || STRING_ELT(x, 0) == NA_STRING) {
    refuse(name, "one string");
  }
  return CHAR(STRING_ELT(x, 0));
}

int glue_choice(SEXP x, const char *name, const char *const *choices, int count) {
  const char *text = glue_text(x, name);
  for (int k = 0; k < count; k++) {
    if (strcmp(text, choices[k]) == 0) return k;
  }
  Rf_error("internal error: unknown \"%s\"", text);
}

void glue_check_window(double from, double to) {
  if (!(from < to)) Rf_error("internal error: `from` must be less than `to`");
}

const double *glue_window(SEXP x) {
  const double *window = glue_doubles(x, "window", 2);
  glue_check_window(window[0], window[1]);
  return window;
}

/* ---- Vectors ---- */

static void check_length(SEXP x, const char *name, R_xlen_t length) {
  if (length >= 0 && XLENGTH(x) != length) {
    Rf_error("internal error: `%s` must have %.0f elements", name, (double)length);
  }
}

const double *glue_doubles(SEXP x, const char *name, R_xlen_t length) {
  if (TYPEOF(x) != REALSXP) refuse(name, "a vector of doubles");
  check_length(x, name, length);
  return REAL_RO(x);
}

const int *glue_integers(SEXP x, const char *name, R_xlen_t length) {
  if (TYPEOF(x) != INTSXP) refuse(name, "a vector of integers");
  check_length(x, name, length);
  return INTEGER_RO(x);
}

const int *glue_places(SEXP x, const char *name, R_xlen_t length, int64_t count) {
  const int *place = glue_integers(x, name, length);
  for (R_xlen_t k = 0; k < length; k++) {
    if (place[k] < 0 || place[k] >= count) Rf_error("internal error: no such `%s`", name);
    glue_poll(k);
  }
  return place;
}

void glue_check_numbers(SEXP x, const char *name, R_xlen_t length) {
  if (TYPEOF(x) != INTSXP && TYPEOF(x) != REALSXP) refuse(name, "a vector of numbers");
  check_length(x, name, length);
}

const double *glue_finite(SEXP x, const char *name, R_xlen_t length) {
  const double *number = glue_doubles(x, name, length);
  for (R_xlen_t k = 0; k < XLENGTH(x); k++) {
    if (!R_FINITE(number[k])) refuse(name, "finite");
    glue_poll(k);
  }
  return number;
}

/* Are they missing, or strings for each of so many rows or columns? */
static int are_labels(SEXP names, int count) {
  return names == R_NilValue || (TYPEOF(names) == STRSXP && XLENGTH(names) == count);
}

int glue_is_matrix(SEXP x, int *rows, int *columns) {
  SEXP dim = Rf_getAttrib(x, R_DimSymbol);
  if (TYPEOF(dim) != INTSXP || XLENGTH(dim) != 2) return 0;
  *rows = INTEGER_RO(dim)[0];
  *columns = INTEGER_RO(dim)[1];
  if (*rows < 0 || *columns < 0 || (R_xlen_t)*rows * *columns != Rf_xlength(x)) return 0;
  SEXP names = Rf_getAttrib(x, R_DimNamesSymbol);
  if (names == R_NilValue) return 1;
  return TYPEOF(names) == VECSXP && XLENGTH(names) == 2 &&
         are_labels(VECTOR_ELT(names, 0), *rows) && are_labels(VECTOR_ELT(names, 1), *columns);
}

int64_t glue_weights(SEXP matrix, const char *name, int64_t rows) {
  int own, columns;
  if (!glue_is_matrix(matrix, &own, &columns) || own != rows) {
    refuse(name, "a matrix with a row for each function");
  }
  glue_finite(matrix, name, -1);
  return columns;
}

const int64_t *glue_order(SEXP x, const char *name, R_xlen_t n) {
  if (x == R_NilValue) return NULL;
  int64_t *order = glue_counts(n);
  unsigned char *seen = (unsigned char *)R_alloc((size_t)n + 1, 1);
  glue_check_numbers(x, name, n);
  memset(seen, 0, (size_t)n + 1);
  for (R_xlen_t k = 0; k < n; k++) {
    double number = TYPEOF(x) == INTSXP ? INTEGER_RO(x)[k] : REAL_RO(x)[k];
    int64_t place = number >= 1 && number <= (double)n ? (int64_t)number - 1 : n;
    if (place == n || seen[place]) refuse(name, "an order");
    glue_poll(k);
    seen[place] = 1;
    order[k] = place;
  }
  return order;
}

const double *glue_increasing(SEXP x, const char *name) {
  const double *number = glue_doubles(x, name, -1);
  R_xlen_t n = XLENGTH(x);
  if (n > 0 && ISNAN(number[0])) refuse(name, "numbers without NaN");
  for (R_xlen_t j = 1; j < n; j++) {
    if (!(number[j - 1] <= number[j])) refuse(name, "in order");
    glue_poll(j);
  }
  return number;
}

void glue_check_list(SEXP x, const char *name) {
  if (TYPEOF(x) != VECSXP) refuse(name, "a list");
}

SEXP glue_element(SEXP list, const char *name) {
  SEXP names = TYPEOF(list) == VECSXP ? Rf_getAttrib(list, R_NamesSymbol) : R_NilValue;
  for (R_xlen_t k = 0; TYPEOF(names) == STRSXP && k < XLENGTH(list); k++) {
    if (strcmp(CHAR(STRING_ELT(names, k)), name) == 0) return VECTOR_ELT(list, k);
  }
  Rf_error("internal error: no element \"%s\"", name);
}

double glue_number_of(SEXP list, const char *name) {
  return glue_number(glue_element(list, name), name);
}

int64_t glue_count_of(SEXP list, const char *name, int64_t least, int64_t most) {
  return glue_count(glue_element(list, name), name, least, most);
}

int glue_flag_of(SEXP list, const char *name) {
  return glue_flag(glue_element(list, name), name);
}

const char *glue_text_of(SEXP list, const char *name) {
  return glue_text(glue_element(list, name), name);
}

int glue_choice_of(SEXP list, const char *name, const char *const *choices, int count) {
  return glue_choice(glue_element(list, name), name, choices, count);
}

/* ---- Settings ---- */

/* NULL for all, or the first and the last, counted from 1; see struct pcf_settings. */
static void read_only(SEXP settings, const char *name, int64_t *first, int64_t *count) {
  SEXP only = glue_element(settings, name);
  if (only == R_NilValue) return;
  if (TYPEOF(only) != REALSXP || XLENGTH(only) != 2 ||
      !(REAL_RO(only)[0] <= REAL_RO(only)[1])) {
    Rf_error("internal error: `%s` must be the first and the last", name);
  }
  *first = (int64_t)REAL_RO(only)[0] - 1;
  if (*first % PCF_ITEMS_TOGETHER) Rf_error("internal error: `%s` must be whole tiles", name);
  *count = (int64_t)REAL_RO(only)[1] - *first;
}

struct pcf_settings glue_settings(SEXP settings) {
  struct pcf_rectangle only = {0};
  read_only(settings, "rows", &only.row, &only.rows);
  read_only(settings, "columns", &only.column, &only.columns);
  return (struct pcf_settings){
    .threads = glue_threads(glue_element(settings, "threads")),
    .block_side = glue_count_of(settings, "block_side", 0, INT_MAX),
    .gpus = (int)glue_count_of(settings, "gpus", 0, INT_MAX),
    .gpu_memory = (double)glue_count_of(settings, "gpu_memory", 0, GLUE_MOST_ELEMENTS),
    .timeline = glue_flag_of(settings, "timeline"),
    .only = only,
  };
}

struct pcf_single glue_single(enum pcf_single_operation operation, void *call, SEXP threads,
                              SEXP settings) {
  struct pcf_single single = {.operation = operation, .call = call};
  single.settings.threads = glue_threads(threads);
  if (settings == R_NilValue) return single;
  single.on_gpu = strcmp(glue_text_of(settings, "device"), "cuda") == 0;
  single.choice = !single.on_gpu;
  single.settings = glue_settings(settings);
  return single;
}

int glue_is_small(const struct pcf_single *single, int64_t elements, int64_t segments) {
  return !single->on_gpu && pcf_is_small(elements, segments);
}
