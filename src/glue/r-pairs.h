/* A run over pairs of functions, for which R's thread waits. */
#pragma once

#include "glue/glue.h"

#include "pairs/family.h"
#include "pairs/method.h"

/* The modes, in the order of their names in R and of the outputs that hold them. */
enum { GLUE_MODES = 4 };
extern const enum pcf_mode glue_modes[GLUE_MODES];

/* A request of R, and the run for it. */
struct glue_pairs {
  struct pcf_collection x, y, weight;
  struct pcf_pairs pairs;
  struct pcf_job job;
  SEXP progress, pruned; /* `pruned`: of selections, for the report; or R_NilValue */
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

/* Runs the job, drawing progress. R's thread first calls `begin(pairs)`, unless it is NULL. May
 * jump. Without functions the sink is only begun and finished. */
void glue_pairs_run(struct glue_pairs *pairs, void (*begin)(void *pairs));

/* What the entry point is to return: list(value, report), where R makes a plan or the
 * description of a run from `report`, or what it does where the run failed. `value` is
 * protected. */
SEXP glue_pairs_answer(const struct glue_pairs *pairs, SEXP value);

/* Frees what the run has left. */
void glue_pairs_free(struct glue_pairs *pairs);
