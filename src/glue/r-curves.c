/* Functions that a computation leaves as curves, for R. */
#include "glue/r-curves.h"
#include "glue/glue.h"

#include "base/memory.h"

struct writing {
  const struct glue_making *making;
  double **columns;
};

static enum pcf_status write(void *writing_, const atomic_int *stop, struct pcf_error *error) {
  const struct writing *writing = writing_;
  const struct glue_making *making = writing->making;
  return pcf_curves_write(making->curves, writing->columns, making->threads, stop, error);
}

SEXP glue_make_functions(const struct glue_making *making) {
  struct pcf_error error = {0};
  enum pcf_status status = glue_run_sized(making->small, making->make, making->context, &error);
  if (status) return glue_answer(R_NilValue, status, &error);
  int64_t count = making->curves->count;
  SEXP list = PROTECT(glue_functions(count, making->curves->breakpoints));
  struct writing writing = {making, (double **)R_alloc((size_t)count + 1, sizeof(double *))};
  for (int64_t i = 0; i < count; i++) {
    SEXP f = VECTOR_ELT(list, (R_xlen_t)i);
    writing.columns[i] = REAL(f);
    pcf_ask_for_huge_pages(REAL(f), (size_t)XLENGTH(f) * sizeof(double));
  }
  status = glue_run_sized(making->small, write, &writing, &error);
  if (!status) glue_drop_zero_starts(list);
  SEXP answer = glue_answer(list, status, &error);
  UNPROTECT(1);
  return answer;
}
