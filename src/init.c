/* Registers the entry points. */
#include "glue.h"

#include "cuda/info.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define ENTRY(name, arguments) \
  { #name, (DL_FUNC)&name, arguments }

static const R_CallMethodDef entries[] = {
  /* clang-format off */
  ENTRY(ffi_validate, 1),
  ENTRY(ffi_pairwise, 4),
  ENTRY(ffi_available, 0),
  ENTRY(ffi_cuda_info, 0),
  ENTRY(ffi_cuda_provoke, 2),
  ENTRY(ffi_fail_at, 2),
  ENTRY(ffi_exhaust_at, 2),
  {NULL, NULL, 0},
  /* clang-format on */
};

void attribute_visible R_init_pcfdist(DllInfo *dll) {
  R_registerRoutines(dll, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
}

void attribute_visible R_unload_pcfdist(DllInfo *dll) {
  (void)dll;
  pcf_cuda_unload();
}
