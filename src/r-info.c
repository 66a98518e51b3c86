/* ffi_available() and ffi_cuda_info(): what this machine and this build have. */
#include "glue.h"

#include "base/instructions.h"
#include "base/threads.h"
#include "cuda/info.h"

/* list(cores, instructions): what this process may use, and the instruction sets, best first.
 */
SEXP ffi_available(void) {
  enum pcf_instructions available[PCF_INSTRUCTION_SETS];
  int count = pcf_available_instructions(available);
  SEXP list = PROTECT(glue_list(2)), names = PROTECT(Rf_allocVector(STRSXP, count));
  for (int k = 0; k < count; k++) {
    SET_STRING_ELT(names, k, Rf_mkChar(pcf_instructions_name(available[k])));
  }
  glue_set(list, 0, "cores", Rf_ScalarInteger(pcf_available_cores()));
  glue_set(list, 1, "instructions", names);
  UNPROTECT(2);
  return list;
}

/* A list of what pcf_cuda_describe() finds; memory in bytes. */
SEXP ffi_cuda_info(void) {
  struct pcf_cuda_info info;
  pcf_cuda_describe(&info);
  SEXP list = PROTECT(glue_list(5)), gpus = PROTECT(Rf_allocVector(VECSXP, info.count));
  for (int g = 0; g < info.count; g++) {
    const struct pcf_gpu_info *gpu = &info.gpu[g];
    SEXP one = glue_list(6);
    SET_VECTOR_ELT(gpus, g, one);
    glue_set(one, 0, "name", Rf_mkString(gpu->name));
    glue_set(one, 1, "capability", Rf_ScalarReal(gpu->capability / 10.0));
    glue_set(one, 2, "multiprocessors", Rf_ScalarInteger(gpu->multiprocessors));
    glue_set(one, 3, "memory", Rf_ScalarReal(gpu->memory));
    glue_set(one, 4, "free_memory", Rf_ScalarReal(gpu->free_memory));
    glue_set(one, 5, "has_code", Rf_ScalarLogical(gpu->has_code));
  }
  glue_set(list, 0, "built", Rf_ScalarLogical(info.built));
  glue_set(list, 1, "driver", Rf_ScalarInteger(info.driver));
  glue_set(list, 2, "runtime", Rf_ScalarInteger(info.runtime));
  glue_set(list, 3, "problem", Rf_mkString(info.problem));
  glue_set(list, 4, "devices", gpus);
  UNPROTECT(2);
  return list;
}
