/* The capabilities of this machine and this build, and the memory of CUDA between calls. */
#include "glue/glue.h"

#include "base/instructions.h"
#include "base/memory.h"
#include "base/threads.h"
#include "cuda/info.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

/* The number of cores that this process may use; finding it takes some time. */
SEXP ffi_cores(void) {
  return Rf_ScalarInteger(pcf_available_cores());
}

/* Checks for interrupts and time limits, which R does only between hundreds of its own calls,
 * however long these take. */
SEXP ffi_poll(void) {
  R_CheckUserInterrupt();
  return R_NilValue;
}

/* list(instructions, cuda): the instruction sets, best first, and whether CUDA is built in. */
SEXP ffi_available(void) {
  enum pcf_instructions available[PCF_INSTRUCTION_SETS];
  int count = pcf_available_instructions(available);
  SEXP names = PROTECT(Rf_allocVector(STRSXP, count));
  for (int k = 0; k < count; k++) {
    SET_STRING_ELT(names, k, Rf_mkChar(pcf_instructions_name(available[k])));
  }
  SEXP list =
    GLUE_LIST(GLUE_VALUE("instructions", names), GLUE_FLAG("cuda", pcf_cuda_backend() != NULL));
  UNPROTECT(1);
  return list;
}

/* Why at most `gpus` CUDA devices cannot be used; "" if no reason is known. */
SEXP ffi_cuda_problem(SEXP gpus) {
  struct pcf_cuda_info info;
  pcf_cuda_describe(&info, (int)glue_count(gpus, "gpus", 0, INT_MAX));
  return Rf_mkString(info.problem);
}

static SEXP describe_gpu(const struct pcf_gpu_info *gpu) {
  return GLUE_LIST(
    GLUE_TEXT("name", gpu->name), GLUE_NUMBER("capability", gpu->capability / 10.0),
    GLUE_INTEGER("multiprocessors", gpu->multiprocessors), GLUE_NUMBER("memory", gpu->memory),
    GLUE_NUMBER("free_memory", isnan(gpu->free_memory) ? NA_REAL : gpu->free_memory),
    GLUE_NUMBER("kept_memory", gpu->idle_memory),
    GLUE_NUMBER("staying_memory", gpu->resident_memory), GLUE_FLAG("has_code", gpu->has_code));
}

/* A list that describes CUDA and its devices, of which at most `gpus` are used (0: all); memory
 * is in bytes. */
SEXP ffi_cuda_info(SEXP gpus_) {
  struct pcf_cuda_info info;
  struct pcf_error error = {0};
  pcf_cuda_describe(&info, (int)glue_count(gpus_, "gpus", 0, INT_MAX));
  if (!info.problem[0] && pcf_cuda_measure(&info, &error)) {
    snprintf(info.problem, sizeof info.problem, "%.*s", (int)sizeof info.problem - 1,
             error.message);
  }
  SEXP gpus = PROTECT(Rf_allocVector(VECSXP, info.count));
  for (int g = 0; g < info.count; g++) SET_VECTOR_ELT(gpus, g, describe_gpu(&info.gpu[g]));
  SEXP list = GLUE_LIST(GLUE_FLAG("built", info.built), GLUE_INTEGER("driver", info.driver),
                        GLUE_INTEGER("runtime", info.runtime),
                        GLUE_TEXT("problem", info.problem), GLUE_VALUE("devices", gpus));
  UNPROTECT(1);
  return list;
}

/* Sets how many bytes of each device's memory may be idle between calls; -1: a quarter. */
SEXP ffi_cuda_limit_idle(SEXP bytes) {
  pcf_cuda_limit_idle(glue_number(bytes, "bytes"));
  return R_NilValue;
}

/* Frees the idle memory of the devices; returns its bytes. */
SEXP ffi_cuda_release(void) {
  return Rf_ScalarReal(pcf_cuda_release());
}
