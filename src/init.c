/* Registers the entry points. */
#include "glue.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define ENTRY(name, arguments) \
  { #name, (DL_FUNC)&name, arguments }

static const R_CallMethodDef entries[] = {
  ENTRY(ffi_validate, 1),  ENTRY(ffi_pairwise, 4), ENTRY(ffi_available, 0),
  ENTRY(ffi_cuda_info, 0), ENTRY(ffi_fail_at, 2),  {NULL, NULL, 0},
};

void attribute_visible R_init_pcfdist(DllInfo *dll) {
  R_registerRoutines(dll, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
}
