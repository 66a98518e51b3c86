/* How a run is told to R. */
#ifndef PCF_R_REPORT_H
#define PCF_R_REPORT_H

#include "glue/glue.h"

#include "pairs/method.h"

/* The list that R makes a plan or the description of a run of. `job` is the run's. */
SEXP glue_report(const struct pcf_job *job, const struct pcf_pairs *pairs,
                 const struct pcf_report *report);

#endif
