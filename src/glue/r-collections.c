/* Collections of R: views of lists, their checks, and handles of those that stay on GPUs.
 *
 * R keeps a handle as an attribute of the list. It refers to the matrices from which it was
 * made. As long as it does, R does not change any of them in place, and no other matrix gets
 * the address of one. So a list with the same elements has the same functions, even if its
 * attributes have changed; and a list in which a function was changed has another element. */
#include "glue/glue.h"

#include "arithmetic/lanes.h"
#include "base/memory.h"
#include "cuda/resident.h"

#include <limits.h>
#include <string.h>

struct resident {
  struct pcf_known known; /* of the functions, which are sound */
  SEXP functions;         /* a list of the matrices */
  struct pcf_collection collection;
  SEXP reference; /* to the handle, with its finalizer */
  struct resident *next;
};

static struct resident *all; /* used by R's thread only */

static SEXP tag(void) {
  return Rf_install("pcfdist functions on GPUs");
}

/* ---- Handles ---- */

static void free_resident(struct resident *resident) {
  for (struct resident **link = &all; *link; link = &(*link)->next) {
    if (*link != resident) continue;
    *link = resident->next;
    break;
  }
  pcf_cuda_drop_resident(resident->known.resident);
  if (resident->functions) R_ReleaseObject(resident->functions);
  pcf_free((void *)resident->collection.functions);
  pcf_free((void *)resident->collection.offsets);
  pcf_free(resident);
}

static void finalize(SEXP handle) {
  struct resident *resident = R_ExternalPtrAddr(handle);
  R_ClearExternalPtr(handle);
  if (resident) free_resident(resident);
}

/* The elements of a list, in a list without attributes, marked so that they are never changed
 * in place again. */
static SEXP elements_of(SEXP x) {
  R_xlen_t n = XLENGTH(x);
  SEXP list = Rf_allocVector(VECSXP, n);
  for (R_xlen_t i = 0; i < n; i++) {
    MARK_NOT_MUTABLE(VECTOR_ELT(x, i));
    SET_VECTOR_ELT(list, i, VECTOR_ELT(x, i));
  }
  return list;
}

/* A handle of a checked collection, which is not on any device yet; or R_NilValue. The caller
 * protects it. */
static SEXP new_handle(SEXP x, const struct pcf_collection *collection,
                       const struct pcf_range *range, struct pcf_error *error) {
  size_t n = (size_t)collection->count;
  struct resident *resident = pcf_allocate(1, sizeof *resident, error);
  if (!resident) return R_NilValue;
  const double **address = pcf_allocate(n, sizeof *address, error);
  int64_t *offsets = pcf_allocate(n + 1, sizeof *offsets, error);
  *resident = (struct resident){
    .known = {.functions = address, .count = collection->count, .range = *range},
    .collection = {.count = collection->count,
                   .functions = address,
                   .offsets = offsets,
                   .linear = collection->linear,
                   .known = &resident->known}};
  if (!address || !offsets) {
    free_resident(resident);
    return R_NilValue;
  }
  SEXP handle = PROTECT(R_MakeExternalPtr(resident, tag(), R_NilValue));
  resident->reference = R_MakeWeakRefC(handle, R_NilValue, finalize, FALSE);
  resident->next = all;
  all = resident;
  SEXP functions = PROTECT(elements_of(x));
  R_PreserveObject(functions);
  resident->functions = functions;
  memcpy(address, collection->functions, n * sizeof *address);
  memcpy(offsets, collection->offsets, (n + 1) * sizeof *offsets);
  UNPROTECT(2);
  return handle;
}

/* What the handle of a list points to; NULL if there is no handle, as after the list was saved
 * and loaded, or if elements of the list were changed. */
static struct resident *resident_of(SEXP x) {
  SEXP handle = TYPEOF(x) == VECSXP ? Rf_getAttrib(x, Rf_install("on_gpu")) : R_NilValue;
  if (TYPEOF(handle) != EXTPTRSXP || R_ExternalPtrTag(handle) != tag()) return NULL;
  struct resident *resident = R_ExternalPtrAddr(handle);
  if (!resident || !resident->functions || XLENGTH(x) != XLENGTH(resident->functions))
    return NULL;
  for (R_xlen_t i = 0; i < XLENGTH(x); i++) {
    if (VECTOR_ELT(x, i) != VECTOR_ELT(resident->functions, i)) return NULL;
  }
  return resident;
}

/* ---- Views ---- */

/* The number of rows of a double matrix of so many columns and no class, or -1 for anything
 * else. */
static int64_t breakpoints_of(SEXP f, int columns) {
  int rows, own;
  if (TYPEOF(f) != REALSXP || Rf_isObject(f) || !glue_is_matrix(f, &rows, &own)) return -1;
  return own == columns ? rows : -1;
}

/* Functions are scattered in memory, so this number of them is prefetched. */
enum { AHEAD = 16 };

/* The first problem of matrices, or R_NilValue. Checks for interrupts now and then. */
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

/* Views a collection, whose class tells its family, if possible from its handle. An element
 * that is not a matrix is reported only if the functions before it have no fault. */
static SEXP view(SEXP x, enum glue_family family, struct pcf_collection *collection) {
  glue_check_list(x, "functions");
  R_xlen_t n = XLENGTH(x);
  int linear = Rf_inherits(x, "plf");
  if (linear && family != GLUE_EITHER) return glue_problem(0, 0, "linear");
  const struct resident *resident = resident_of(x);
  if (resident && resident->collection.linear == linear) {
    *collection = resident->collection;
    return R_NilValue;
  }
  const double **functions = (const double **)R_alloc((size_t)n + 1, sizeof *functions);
  int64_t *offsets = (int64_t *)R_alloc((size_t)n + 1, sizeof *offsets);
  offsets[0] = 0;
  for (R_xlen_t i = 0; i < n; i++) {
    SEXP f = VECTOR_ELT(x, i);
    if (i + AHEAD < n) FETCH(VECTOR_ELT(x, i + AHEAD));
    int64_t m = breakpoints_of(f, pcf_matrix_columns(linear));
    glue_poll(i);
    if (m < 1) {
      SEXP before =
        first_fault(&(struct pcf_collection){i, functions, offsets, .linear = linear});
      if (before != R_NilValue) return before;
      return glue_problem(i, 0, m < 0 ? "matrix" : "empty");
    }
    functions[i] = REAL_RO(f);
    offsets[i + 1] = offsets[i] + m;
  }
  *collection = (struct pcf_collection){
    .count = n, .functions = functions, .offsets = offsets, .linear = linear};
  return R_NilValue;
}

SEXP glue_view(SEXP x, const char *argument, enum glue_family family,
               struct pcf_collection *collection) {
  SEXP problem = view(x, family, collection);
  return problem == R_NilValue ? R_NilValue : glue_problem_with(argument, problem);
}

/* The first problem of a list of functions, in the form of glue_problem(), or NULL. */
SEXP ffi_validate(SEXP x) {
  struct pcf_collection collection = {0};
  SEXP problem = view(x, GLUE_EITHER, &collection);
  return problem != R_NilValue ? problem : first_fault(&collection);
}

/* ---- Checks ---- */

struct checking {
  const struct pcf_collection *x;
  int threads;
  struct pcf_range *range;
  struct pcf_fault fault;
};

GLUE_WORK(check_work, checking,
          pcf_check_collection(it->x, it->threads, stop, it->range, &it->fault, error))

SEXP glue_check(SEXP x, const char *argument, enum glue_family family, int threads,
                struct pcf_collection *collection, struct pcf_range *range) {
  struct pcf_range unused = PCF_EMPTY_RANGE;
  GLUE_TRY(glue_view(x, argument, family, collection));
  struct checking checking = {collection, threads, range ? range : &unused, {0}};
  struct pcf_error error = {0};
  enum pcf_status status =
    glue_run(glue_is_short(collection, 0), check_work, &checking, &error);
  if (checking.fault.problem) return glue_fault(argument, &checking.fault);
  return status ? glue_answer(R_NilValue, status, &error) : R_NilValue;
}

SEXP glue_check_weight(SEXP weight, struct pcf_collection *collection) {
  GLUE_TRY(glue_check(weight, "weight", GLUE_STEPS, 1, collection, NULL));
  if (collection->count != 1) Rf_error("internal error: `weight` must be one function");
  return R_NilValue;
}

int glue_is_short(const struct pcf_collection *x, double more) {
  return (double)pcf_total_breakpoints(x) + more < GLUE_FEW_BREAKPOINTS;
}

/* ---- Resident collections ---- */

struct bringing {
  struct resident *resident;
  struct pcf_settings settings;
};

GLUE_WORK(bring_up, bringing,
          pcf_cuda_make_resident(&it->resident->collection, &it->settings, stop,
                                 &it->resident->known.resident, error))

/* Makes a collection resident on the GPUs. Returns list(value) with the handle, which becomes
 * an attribute of the list, or list(argument, problem), or list(status, message). For tests:
 * with settings NULL it makes only a handle. */
SEXP ffi_make_resident(SEXP x, SEXP settings) {
  struct pcf_collection collection = {0};
  struct pcf_range range = PCF_EMPTY_RANGE;
  struct pcf_error error = {0};
  int threads = settings == R_NilValue ? 1 : glue_settings(settings).threads;
  GLUE_TRY(glue_check(x, "x", GLUE_EITHER, threads, &collection, &range));
  SEXP handle = PROTECT(new_handle(x, &collection, &range, &error));
  enum pcf_status status = handle == R_NilValue ? PCF_ERROR_MEMORY : PCF_OK;
  if (!status && settings != R_NilValue) {
    struct bringing bringing = {R_ExternalPtrAddr(handle), glue_settings(settings)};
    status = glue_run(0, bring_up, &bringing, &error);
  }
  SEXP answer = glue_answer(handle, status, &error);
  UNPROTECT(1);
  return answer;
}

/* Is a collection resident on all GPUs, or on the first `gpus` of them (0: all)? NA where it
 * has no handle, or its functions were changed since. */
SEXP ffi_is_resident(SEXP x, SEXP gpus) {
  const struct resident *resident = resident_of(x);
  int most = (int)glue_count(gpus, "gpus", 0, INT_MAX);
  return Rf_ScalarLogical(resident ? pcf_cuda_is_resident(resident->known.resident, most)
                                   : NA_LOGICAL);
}

/* Drops a resident collection, or all of them for NULL; returns the bytes of device memory that
 * are freed. */
SEXP ffi_drop_resident(SEXP x) {
  double bytes = 0;
  const struct resident *resident = x == R_NilValue ? all : resident_of(x);
  for (; resident; resident = x == R_NilValue ? resident->next : NULL) {
    bytes += pcf_cuda_drop_resident(resident->known.resident);
  }
  return Rf_ScalarReal(bytes);
}

/* Drops all collections and their handles before the package is unloaded: R must not call the
 * finalizers after that. */
SEXP ffi_drop_all_residents(void) {
  while (all) R_RunWeakRefFinalizer(all->reference);
  return R_NilValue;
}
