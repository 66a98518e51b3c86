/* Collections that stay on GPUs: handles, which R keeps as an attribute of the list.
 *
 * A handle holds on to the very matrices that it was made from. As long as it does, R changes
 * none of them in place, and no other gets the address of one. So a list with the same elements
 * has the same functions, whatever became of its attributes; and a list in which anything was
 * changed has another element. */
#include "glue/glue.h"
#include "glue/r-pairs.h"

#include "base/memory.h"
#include "cuda/resident.h"

#include <limits.h>
#include <string.h>

struct stay {
  struct pcf_known known; /* of the functions, which are sound */
  SEXP functions;         /* a list of the matrices */
  struct pcf_collection collection;
  const double **address;
  int64_t *offsets;
  SEXP reference; /* to the handle, with its finalizer */
  struct stay *next;
};

static struct stay *all; /* R's thread alone knows of them */

static SEXP attribute_name(void) {
  return Rf_install("on_gpu");
}

static SEXP tag(void) {
  return Rf_install("pcfdist functions on GPUs");
}

/* ---- Handles ---- */

static void free_stay(struct stay *stay) {
  for (struct stay **link = &all; *link; link = &(*link)->next) {
    if (*link != stay) continue;
    *link = stay->next;
    break;
  }
  pcf_cuda_drop_resident(stay->known.resident);
  if (stay->functions) R_ReleaseObject(stay->functions);
  pcf_free(stay->address);
  pcf_free(stay->offsets);
  pcf_free(stay);
}

static void finalize(SEXP handle) {
  struct stay *stay = R_ExternalPtrAddr(handle);
  R_ClearExternalPtr(handle);
  if (stay) free_stay(stay);
}

/* The elements of a list, in one without attributes, marked so that they are never changed in
 * place again. */
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
  struct stay *stay = pcf_allocate(1, sizeof *stay, error);
  if (!stay) return R_NilValue;
  *stay = (struct stay){.known.range = *range};
  stay->address = pcf_allocate(n, sizeof *stay->address, error);
  stay->offsets = pcf_allocate(n + 1, sizeof *stay->offsets, error);
  if (!stay->address || !stay->offsets) {
    free_stay(stay);
    return R_NilValue;
  }
  SEXP handle = PROTECT(R_MakeExternalPtr(stay, tag(), R_NilValue));
  stay->reference = R_MakeWeakRefC(handle, R_NilValue, finalize, FALSE);
  stay->next = all;
  all = stay;
  SEXP functions = PROTECT(elements_of(x));
  R_PreserveObject(functions);
  stay->functions = functions;
  memcpy(stay->address, collection->functions, n * sizeof *stay->address);
  memcpy(stay->offsets, collection->offsets, (n + 1) * sizeof *stay->offsets);
  stay->collection = (struct pcf_collection){.count = collection->count,
                                             .functions = stay->address,
                                             .offsets = stay->offsets,
                                             .known = &stay->known};
  stay->known.functions = stay->address;
  stay->known.count = collection->count;
  UNPROTECT(2);
  return handle;
}

/* What a list has a handle of, whatever its elements are now; NULL without one, such as after
 * it was saved and loaded. */
static struct stay *handle_of(SEXP x) {
  SEXP handle = Rf_getAttrib(x, attribute_name());
  if (TYPEOF(handle) != EXTPTRSXP || R_ExternalPtrTag(handle) != tag()) return NULL;
  return R_ExternalPtrAddr(handle);
}

static struct stay *stay_of(SEXP x) {
  struct stay *stay = TYPEOF(x) == VECSXP ? handle_of(x) : NULL;
  if (!stay || !stay->functions || XLENGTH(x) != XLENGTH(stay->functions)) return NULL;
  for (R_xlen_t i = 0; i < XLENGTH(x); i++) {
    if (VECTOR_ELT(x, i) != VECTOR_ELT(stay->functions, i)) return NULL;
  }
  return stay;
}

int glue_known_collection(SEXP x, struct pcf_collection *collection) {
  const struct stay *stay = stay_of(x);
  if (!stay) return 0;
  *collection = stay->collection;
  return 1;
}

/* ---- Entry points ---- */

struct staying {
  struct stay *stay;
  struct pcf_settings settings;
};

static enum pcf_status bring_up(void *staying_, const atomic_int *stop,
                                struct pcf_error *error) {
  struct staying *staying = staying_;
  struct stay *stay = staying->stay;
  return pcf_cuda_make_resident(&stay->collection, &staying->settings, stop,
                                &stay->known.resident, error);
}

/* Brings functions to GPUs. Returns list(value), the attribute that they are known by there, or
 * list(argument, problem), or list(status, message). Without settings (NULL) they are brought
 * nowhere, and only known: for tests. */
SEXP ffi_stay(SEXP x, SEXP settings) {
  struct pcf_collection collection;
  struct pcf_range range = PCF_EMPTY_RANGE;
  struct pcf_error error = {0};
  int threads = settings == R_NilValue ? 1 : glue_settings(settings).threads;
  SEXP problem = glue_checked_partial(x, "x", threads, &collection, &range);
  if (problem != R_NilValue) return problem;
  SEXP handle = PROTECT(new_handle(x, &collection, &range, &error));
  enum pcf_status status = handle == R_NilValue ? PCF_ERROR_MEMORY : PCF_OK;
  if (!status && settings != R_NilValue) {
    struct staying staying = {R_ExternalPtrAddr(handle), glue_settings(settings)};
    status = glue_run(bring_up, &staying, &error);
  }
  SEXP answer = glue_answer(handle, status, &error);
  UNPROTECT(1);
  return answer;
}

/* Are functions on all of at most `gpus` GPUs (0: all)? NA where they are not those that were
 * brought there, or anything was changed since. */
SEXP ffi_stays(SEXP x, SEXP gpus) {
  const struct stay *stay = stay_of(x);
  int most = (int)glue_count(gpus, "gpus", 0, INT_MAX);
  return Rf_ScalarLogical(stay ? pcf_cuda_is_resident(stay->known.resident, most) : NA_LOGICAL);
}

/* Lets functions go from the GPUs, those of all collections for NULL; returns the bytes of
 * their memory that are given back. */
SEXP ffi_let_go(SEXP x) {
  double bytes = 0;
  const struct stay *stay = x == R_NilValue ? all : stay_of(x);
  for (; stay; stay = x == R_NilValue ? stay->next : NULL) {
    bytes += pcf_cuda_drop_resident(stay->known.resident);
  }
  return Rf_ScalarReal(bytes);
}

/* Before the package is gone: R must not call its finalizers then. */
SEXP ffi_let_go_of_all(void) {
  while (all) R_RunWeakRefFinalizer(all->reference);
  return R_NilValue;
}
