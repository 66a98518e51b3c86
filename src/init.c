/* Registers the entry points. */
#include "glue/glue.h"

#include <R_ext/Visibility.h>

#define REGISTER(name, arguments) {#name, (DL_FUNC)(void (*)(void))name, arguments},

void attribute_visible R_init_pcfdist(DllInfo *dll) {
  static const R_CallMethodDef entries[] = {GLUE_ENTRIES(REGISTER){NULL, NULL, 0}};
  R_registerRoutines(dll, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
  glue_init_stored(dll);
}
