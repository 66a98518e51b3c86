/* What this machine and this build have, and what is kept of CUDA between calls. */
#include "glue/glue.h"

#include "base/instructions.h"
#include "base/threads.h"
#include "cuda/backend.h"
#include "cuda/info.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

/* How many cores this process may use: asking the system for them takes a moment. */
SEXP ffi_cores(void) {
  return Rf_ScalarInteger(pcf_available_cores());
}

/* list(instructions, cuda): the instruction sets, best first, and whether CUDA is built in. */
SEXP ffi_available(void) {
  enum pcf_instructions available[PCF_INSTRUCTION_SETS];
  int count = pcf_available_instructions(available);
  SEXP list = PROTECT(glue_list(2)), names = PROTECT(Rf_allocVector(STRSXP, count));
  for (int k = 0; k < count; k++) {
    SET_STRING_ELT(names, k, Rf_mkChar(pcf_instructions_name(available[k])));
  }
  glue_set(list, 0, "instructions", names);
  glue_set(list, 1, "cuda", Rf_ScalarLogical(pcf_cuda_backend() != NULL));
  UNPROTECT(2);
  return list;
}

/* Why at most `gpus` CUDA devices cannot be used; "" if nothing is known to be in the way. */
SEXP ffi_cuda_problem(SEXP gpus) {
  struct pcf_cuda_info info;
  pcf_cuda_describe(&info, (int)glue_count(gpus, "gpus", 0, INT_MAX));
  return Rf_mkString(info.problem);
}

/* A list of what there is of CUDA, for a use of at most `gpus` devices (0: all); memory in
 * bytes. */
SEXP ffi_cuda_info(SEXP gpus_) {
  struct pcf_cuda_info info;
  struct pcf_error error = {0};
  pcf_cuda_describe(&info, (int)glue_count(gpus_, "gpus", 0, INT_MAX));
  if (!info.problem[0] && pcf_cuda_measure(&info, &error)) {
    snprintf(info.problem, sizeof info.problem, "%.*s", (int)sizeof info.problem - 1,
             error.message);
  }
  SEXP list = PROTECT(glue_list(5)), gpus = PROTECT(Rf_allocVector(VECSXP, info.count));
  for (int g = 0; g < info.count; g++) {
    const struct pcf_gpu_info *gpu = &info.gpu[g];
    SEXP one = glue_list(8);
    SET_VECTOR_ELT(gpus, g, one);
    glue_set(one, 0, "name", Rf_mkString(gpu->name));
    glue_set(one, 1, "capability", Rf_ScalarReal(gpu->capability / 10.0));
    glue_set(one, 2, "multiprocessors", Rf_ScalarInteger(gpu->multiprocessors));
    glue_set(one, 3, "memory", Rf_ScalarReal(gpu->memory));
    double free_memory = isnan(gpu->free_memory) ? NA_REAL : gpu->free_memory;
    glue_set(one, 4, "free_memory", Rf_ScalarReal(free_memory));
    glue_set(one, 5, "kept_memory", Rf_ScalarReal(gpu->idle_memory));
    glue_set(one, 6, "staying_memory", Rf_ScalarReal(gpu->resident_memory));
    glue_set(one, 7, "has_code", Rf_ScalarLogical(gpu->has_code));
  }
  glue_set(list, 0, "built", Rf_ScalarLogical(info.built));
  glue_set(list, 1, "driver", Rf_ScalarInteger(info.driver));
  glue_set(list, 2, "runtime", Rf_ScalarInteger(info.runtime));
  glue_set(list, 3, "problem", Rf_mkString(info.problem));
  glue_set(list, 4, "devices", gpus);
  UNPROTECT(2);
  return list;
}

/* Sets how many bytes of each device's memory may stay allocated between calls; -1: a quarter.
 */
SEXP ffi_cuda_keep(SEXP bytes) {
  pcf_cuda_keep(glue_number(bytes, "bytes"));
  return R_NilValue;
}

/* Frees what is kept between calls; returns the bytes of device memory. */
SEXP ffi_cuda_release(void) {
  return Rf_ScalarReal(pcf_cuda_release());
}
