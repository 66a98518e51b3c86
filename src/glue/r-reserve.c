#include "glue/r-reserve.h"

#include "base/memory.h"

#include <R_ext/Rallocators.h>
#include <stdlib.h>

struct glue_reserved {
  void *memory;
  size_t bytes;
  int64_t length;
  int taken; /* does a vector have it? */
};

static const double least_length = 1 << 21;
/* There may be as much garbage, which R frees while this is written. */
static const double most_share = 0.125;

static int vectors;

int glue_reserved_vectors(void) {
  return vectors;
}

static void drop(struct glue_reserved *reserved) {
  pcf_unmap_memory(reserved->memory, reserved->bytes);
  free(reserved);
}

/* ---- What R calls ---- */

static void *take(R_allocator_t *allocator, size_t bytes) {
  struct glue_reserved *reserved = allocator->data;
  if (reserved->taken || bytes > reserved->bytes) return NULL;
  reserved->taken = 1;
  vectors++;
  return reserved->memory;
}

/* The allocator lies in the memory itself. */
static void give_back(R_allocator_t *allocator, void *memory) {
  (void)memory;
  drop(allocator->data);
  vectors--;
}

static SEXP make_vector(struct glue_reserved *reserved) {
  R_allocator_t allocator = {take, give_back, NULL, reserved};
  return Rf_allocVector3(REALSXP, (R_xlen_t)reserved->length, &allocator);
}

/* ---- Where the numbers of a vector are ---- */

static struct glue_reserved *reserve(int64_t length, size_t before) {
  struct glue_reserved *reserved = malloc(sizeof *reserved);
  if (!reserved) return NULL;
  *reserved = (struct glue_reserved){.length = length};
  reserved->bytes = before + (size_t)length * sizeof(double);
  reserved->memory = pcf_map_memory(reserved->bytes);
  if (reserved->memory) return reserved;
  free(reserved);
  return NULL;
}

/* How many bytes R keeps before the numbers, the same for all vectors; 0 if that cannot be
 * told. */
static size_t bytes_before_numbers(void) {
  enum { LENGTH = 16, AT_MOST = 4096 };
  static size_t before;
  if (before) return before;
  struct glue_reserved *probe = reserve(LENGTH, AT_MOST);
  if (!probe) return 0;
  SEXP vector = make_vector(probe);
  if (probe->taken) before = (size_t)((char *)REAL(vector) - (char *)probe->memory);
  else glue_unreserve(probe);
  return before;
}

/* ---- A vector ---- */

struct glue_reserved *glue_reserve(int64_t length) {
  double bytes = (double)length * sizeof(double);
  if ((double)length < least_length || bytes > most_share * pcf_whole_memory()) return NULL;
  size_t before = bytes_before_numbers();
  return before ? reserve(length, before) : NULL;
}

double *glue_reserved_numbers(const struct glue_reserved *reserved) {
  return (double *)((char *)reserved->memory + bytes_before_numbers());
}

SEXP glue_reserved_vector(struct glue_reserved *reserved) {
  const double *numbers = glue_reserved_numbers(reserved);
  SEXP vector = make_vector(reserved);
  if (REAL(vector) != numbers) Rf_error("internal error: a vector is not where it should be");
  return vector;
}

void glue_unreserve(struct glue_reserved *reserved) {
  if (reserved && !reserved->taken) drop(reserved);
}

/* ---- Filling a vector ---- */

static void make_meanwhile(void *filling_) {
  struct glue_filling *filling = filling_;
  SET_VECTOR_ELT(filling->holder, 0, glue_reserved_vector(filling->reserved));
  filling->reserved = NULL;
}

static SEXP fill_reserved(void *filling_) {
  struct glue_filling *filling = filling_;
  filling->status = glue_run_meanwhile(filling->work, filling->context, make_meanwhile, filling,
                                       &filling->error);
  return R_NilValue;
}

static void drop_reserved(void *filling_) {
  struct glue_filling *filling = filling_;
  glue_unreserve(filling->reserved);
}

static void fill_vector(struct glue_filling *filling) {
  SEXP vector = glue_rows(filling->length, 1);
  SET_VECTOR_ELT(filling->holder, 0, vector);
  *filling->numbers = REAL(vector);
  filling->status =
    glue_run_sized(filling->small, filling->work, filling->context, &filling->error);
}

SEXP glue_fill(struct glue_filling *filling) {
  filling->holder = PROTECT(Rf_allocVector(VECSXP, 1));
  filling->reserved = filling->small ? NULL : glue_reserve(filling->length);
  if (filling->reserved) {
    *filling->numbers = glue_reserved_numbers(filling->reserved);
    R_ExecWithCleanup(fill_reserved, filling, drop_reserved, filling);
  } else {
    fill_vector(filling);
  }
  SEXP vector = VECTOR_ELT(filling->holder, 0);
  UNPROTECT(1);
  return vector;
}
