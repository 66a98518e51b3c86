/* A run over pairs of functions, for which R's thread waits. */
#ifndef PCF_R_PAIRS_H
#define PCF_R_PAIRS_H

#include "cuda/single.h"
#include "glue/glue.h"
#include "glue/r-report.h"

/* The modes, in the order of their names in R and of the outputs that hold them. */
enum { GLUE_MODES = 4 };
extern const enum pcf_mode glue_modes[GLUE_MODES];

/* What R asks for, and how the run of it went. */
struct glue_pairs {
  struct pcf_collection x, y, weight;
  struct pcf_pairs pairs;
  struct pcf_job job;
  SEXP progress;
  struct pcf_run *run;
  double start; /* of the run, on the clock */
  enum pcf_status status;
  struct pcf_report report;
  struct pcf_error error;
};

/* Reads the arguments of an entry point, in place; `computing`: is there to be a sink? Returns
 * R_NilValue, or what the entry point is to return. */
SEXP glue_pairs_read(struct glue_pairs *pairs, SEXP x, SEXP y, SEXP request, SEXP settings,
                     int computing);

/* The settings of a run, as run_settings() in R gives them. */
struct pcf_settings glue_settings(SEXP settings);

/* A call on single functions. `settings`: R_NilValue for the CPU, or those of a run that may be
 * on a GPU, where its device is "cuda", or pcf_single_choose() finds that faster. */
struct pcf_single glue_single(enum pcf_single_operation operation, void *call, SEXP threads,
                              SEXP settings);

/* Is the call done at once, by R's own thread? See pcf_is_small(). */
int glue_is_small(const struct pcf_single *single, int64_t elements, int64_t segments);

/* Runs the job, drawing progress. `begin(pairs)` is NULL, or what R's thread does first of all.
 * It may jump. */
void glue_pairs_run(struct glue_pairs *pairs, void (*begin)(void *pairs));

/* What the entry point is to return where the run failed, or R_NilValue. */
SEXP glue_pairs_failure(const struct glue_pairs *pairs);

/* What R makes a plan or the description of the run of; see glue_report(). */
SEXP glue_pairs_report(const struct glue_pairs *pairs);

/* Frees what the run has left. */
void glue_pairs_free(struct glue_pairs *pairs);

#endif
