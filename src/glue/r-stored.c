/* Vectors of R whose numbers lie in a file. To R they are ordinary numeric vectors: code that
 * reads them number by number, or in parts, reads the file, and code that asks for a pointer
 * gets the map of doubles, or a copy of floats in memory. Numbers that are written through a
 * pointer are not written to the file: the map is private. */
#include "glue/glue.h"

#include "base/memory.h"
#include "disk/stored.h"

#include <R_ext/Altrep.h>
#include <string.h>

/* data1 is an external pointer to this; data2 is list(state, copy). R opens the file again from
 * `state`, see reopen_stored(); `copy` is NULL, or a copy of all numbers in memory, which then
 * replaces the file. */
struct vector {
  struct pcf_stored stored;
  int lent; /* was a writable pointer returned? */
  char path[];
};

enum { STATE, COPY };

static R_altrep_class_t stored_class;
static int open_vectors;

static struct vector *vector_of(SEXP x) {
  return R_ExternalPtrAddr(R_altrep_data1(x));
}

static SEXP copy_of(SEXP x) {
  return VECTOR_ELT(R_altrep_data2(x), COPY);
}

/* Is it a vector whose numbers lie in a file? */
static int is_stored(SEXP x) {
  return ALTREP(x) && R_altrep_inherits(x, stored_class);
}

/* ---- Making them ---- */

static void finalize(SEXP pointer) {
  struct vector *vector = R_ExternalPtrAddr(pointer);
  if (!vector) return;
  pcf_stored_close(&vector->stored);
  pcf_free(vector);
  open_vectors--;
  R_ClearExternalPtr(pointer);
}

/* An external pointer to memory for a vector that is not open yet. */
static SEXP new_pointer(const char *path) {
  struct pcf_error error;
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
  R_RegisterCFinalizerEx(pointer, finalize, TRUE);
  struct vector *vector = pcf_allocate(1, sizeof *vector + strlen(path) + 1, &error);
  if (!vector) Rf_error("%s", error.message);
  *vector = (struct vector){.stored.file = PCF_NO_FILE};
  memcpy(vector->path, path, strlen(path) + 1);
  R_SetExternalPtrAddr(pointer, vector);
  open_vectors++;
  UNPROTECT(1);
  return pointer;
}

static SEXP new_stored(SEXP pointer, SEXP state) {
  SEXP data = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(data, STATE, state);
  SEXP x = R_new_altrep(stored_class, pointer, data);
  UNPROTECT(1);
  return x;
}

/* `state` is a list, of which `path` and `layout` are read here; `attributes` are those of the
 * vector. Returns list(value), or list(status, message). */
SEXP ffi_open_stored(SEXP state, SEXP attributes) {
  struct pcf_error error = {0};
  struct pcf_layout layout = glue_layout(glue_element(state, "layout"));
  SEXP pointer = PROTECT(new_pointer(glue_text_of(state, "path")));
  struct vector *vector = R_ExternalPtrAddr(pointer);
  enum pcf_status status =
    pcf_stored_open(&vector->stored, vector->path, PCF_FILE_READ, &layout, &error);
  SEXP x = PROTECT(status ? R_NilValue : new_stored(pointer, state));
  if (!status) glue_set_attributes(x, attributes);
  SEXP answer = glue_answer(x, status, &error);
  UNPROTECT(2);
  return answer;
}

/* ---- Reading ---- */

static R_xlen_t length_of(SEXP x) {
  return (R_xlen_t)vector_of(x)->stored.length;
}

static double number_of(SEXP x, R_xlen_t k) {
  SEXP copy = copy_of(x);
  return copy == R_NilValue ? pcf_stored_number(&vector_of(x)->stored, k) : REAL(copy)[k];
}

static R_xlen_t region_of(SEXP x, R_xlen_t first, R_xlen_t count, double *to) {
  R_xlen_t rest = length_of(x) - first;
  SEXP copy = copy_of(x);
  if (count > rest) count = rest;
  if (copy == R_NilValue) pcf_stored_read(&vector_of(x)->stored, first, count, to);
  else memcpy(to, REAL(copy) + first, (size_t)count * sizeof *to);
  return count;
}

/* ---- Pointers ---- */

static int has_map(SEXP x) {
  const struct pcf_stored *stored = &vector_of(x)->stored;
  return stored->layout.storage == PCF_DOUBLE && stored->numbers;
}

static SEXP read_copy(SEXP x) {
  const struct pcf_stored *stored = &vector_of(x)->stored;
  SEXP copy = Rf_allocVector(REALSXP, (R_xlen_t)stored->length);
  pcf_stored_read(stored, 0, stored->length, REAL(copy));
  return copy;
}

static void *pointer_of(SEXP x, Rboolean writable) {
  struct vector *vector = vector_of(x);
  if (writable) vector->lent = 1;
  if (has_map(x)) return vector->stored.numbers;
  if (copy_of(x) == R_NilValue) SET_VECTOR_ELT(R_altrep_data2(x), COPY, read_copy(x));
  return REAL(copy_of(x));
}

static const void *pointer_or_null(SEXP x) {
  if (has_map(x)) return vector_of(x)->stored.numbers;
  return copy_of(x) == R_NilValue ? NULL : REAL(copy_of(x));
}

/* ---- Copying and saving ---- */

/* Does the map still have the numbers of the file? Most pointers are only read, even those that
 * could be written to. */
static int is_unchanged(SEXP x) {
  const struct vector *vector = vector_of(x);
  const struct pcf_stored *stored = &vector->stored;
  SEXP copy = copy_of(x);
  int unchanged = 1;
  if (!vector->lent) return 1;
  if (copy == R_NilValue) {
    return !pcf_stored_is_unchanged(stored, &unchanged, NULL) && unchanged;
  }
  for (int64_t k = 0; k < stored->length && unchanged; k++) {
    double number = pcf_stored_number(stored, k);
    unchanged = memcmp(&number, REAL(copy) + k, sizeof number) == 0;
  }
  return unchanged;
}

/* Another map of the same file, or NULL, which lets R copy the numbers. */
static SEXP duplicate(SEXP x, Rboolean deep) {
  if (!is_unchanged(x)) return NULL;
  SEXP pointer = PROTECT(new_pointer(vector_of(x)->path));
  struct vector *vector = R_ExternalPtrAddr(pointer);
  enum pcf_status status = pcf_stored_again(&vector->stored, &vector_of(x)->stored, NULL);
  vector->stored.file.path = vector->path;
  SEXP copy = status ? NULL : new_stored(pointer, VECTOR_ELT(R_altrep_data2(x), STATE));
  UNPROTECT(1);
  return copy;
}

static SEXP state_of(SEXP x) {
  return is_unchanged(x) ? VECTOR_ELT(R_altrep_data2(x), STATE) : NULL;
}

static SEXP quoted(SEXP x) {
  return Rf_lang2(Rf_install("quote"), x);
}

/* Calls the function of the package, which R has loaded by now. It checks what R would take as
 * it is in the file: neither need be what state_of() returned, nor what fits the vector. */
static SEXP reopen(SEXP class, SEXP state, SEXP attributes, int is_object, int levels) {
  enum { S4_BIT = 1 << 4 };
  SEXP first = PROTECT(quoted(state)), second = PROTECT(quoted(attributes));
  SEXP call = PROTECT(Rf_lang3(Rf_install("reopen_stored"), first, second));
  SEXP x = PROTECT(Rf_eval(call, glue_namespace()));
  if (levels & S4_BIT) x = Rf_asS4(x, TRUE, 0);
  UNPROTECT(4);
  return x;
}

static Rboolean inspect(SEXP x, int before, int deep, int vectors,
                        void (*inspect_part)(SEXP, int, int, int)) {
  Rprintf("numbers in the file \"%s\"%s\n", vector_of(x)->path,
          copy_of(x) == R_NilValue ? "" : ", and a copy of them");
  return TRUE;
}

/* ---- For R ---- */

/* list(state), or NULL for any other vector, and for one that was changed. */
SEXP ffi_stored_state(SEXP x) {
  if (!is_stored(x) || !is_unchanged(x)) return R_NilValue;
  return VECTOR_ELT(R_altrep_data2(x), STATE);
}

/* How many vectors are open: the package cannot be unloaded as long as there are any. */
SEXP ffi_open_vectors(void) {
  return Rf_ScalarInteger(open_vectors + glue_reserved_vectors());
}

struct checking {
  const struct pcf_stored *stored;
  int threads;
};

GLUE_WORK(check_work, checking, pcf_stored_check(it->stored, NULL, it->threads, stop, error))

/* Compares all blocks with their checksums. */
SEXP ffi_check_stored(SEXP x, SEXP threads) {
  if (!is_stored(x)) Rf_error("internal error: `x` must be stored");
  struct checking checking = {&vector_of(x)->stored, glue_threads(threads)};
  return glue_run_and_answer(0, check_work, &checking, R_NilValue);
}

/* A plain vector of the same numbers, with these attributes. */
SEXP ffi_collect_stored(SEXP x, SEXP attributes) {
  enum { AT_ONCE = 1 << 20 };
  if (TYPEOF(x) != REALSXP) Rf_error("internal error: `x` must be numbers");
  R_xlen_t length = XLENGTH(x);
  SEXP plain = PROTECT(Rf_allocVector(REALSXP, length));
  for (R_xlen_t k = 0; k < length; k += AT_ONCE) {
    REAL_GET_REGION(x, k, length - k < AT_ONCE ? length - k : AT_ONCE, REAL(plain) + k);
    R_CheckUserInterrupt();
  }
  glue_set_attributes(plain, attributes);
  UNPROTECT(1);
  return plain;
}

void glue_init_stored(DllInfo *dll) {
  R_altrep_class_t class = stored_class = R_make_altreal_class("stored", "pcfdist", dll);
  R_set_altrep_Length_method(class, length_of);
  R_set_altrep_Duplicate_method(class, duplicate);
  R_set_altrep_Serialized_state_method(class, state_of);
  R_set_altrep_UnserializeEX_method(class, reopen);
  R_set_altrep_Inspect_method(class, inspect);
  R_set_altvec_Dataptr_method(class, pointer_of);
  R_set_altvec_Dataptr_or_null_method(class, pointer_or_null);
  R_set_altreal_Elt_method(class, number_of);
  R_set_altreal_Get_region_method(class, region_of);
}
