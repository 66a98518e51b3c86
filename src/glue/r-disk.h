/* Files of results, as R names them. */
#ifndef PCF_R_DISK_H
#define PCF_R_DISK_H

#include "glue/glue.h"

#include "disk/layout.h"

#include <R_ext/Rdynload.h>

/* list(kind, rows, columns, first, end, storage): the kind "dist", "symmetric" or "dense", the
 * columns counted from 1. */
struct pcf_layout glue_layout(SEXP layout);

/* Makes the class of such vectors known to R. */
void glue_init_stored(DllInfo *dll);

#endif
