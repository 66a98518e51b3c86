/* Functions that a computation leaves as curves, for R. */
#ifndef PCF_R_CURVES_H
#define PCF_R_CURVES_H

#include "glue/glue.h"

#include "collections/curves.h"

/* Work that fills `curves`, which the caller frees, and sees `context`. `small` is that of
 * glue_run_sized(). */
struct glue_making {
  glue_work *make;
  void *context;
  struct pcf_curves *curves;
  int small, threads;
};

/* The answer with the functions that the work made, without needless starts. It may jump: call
 * it by R_ExecWithCleanup(). */
SEXP glue_make_functions(const struct glue_making *making);

#endif
