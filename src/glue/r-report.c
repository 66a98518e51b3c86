#include "glue/r-report.h"

#include <math.h>
#include <string.h>

static SEXP named_seconds(const double *seconds, const char *const *names, int count) {
  SEXP vector = PROTECT(Rf_allocVector(REALSXP, count));
  SEXP labels = PROTECT(Rf_allocVector(STRSXP, count));
  for (int k = 0; k < count; k++) {
    REAL(vector)[k] = seconds[k];
    SET_STRING_ELT(labels, k, Rf_mkChar(names[k]));
  }
  Rf_setAttrib(vector, R_NamesSymbol, labels);
  UNPROTECT(2);
  return vector;
}

/* The columns of a data frame. Rows and columns of the matrix count from 1. */
static SEXP describe_timeline(const struct pcf_timeline *timeline) {
  static const char *const names[] = {"device",  "row",           "column",   "rows",
                                      "columns", "launched",      "begun",    "computed",
                                      "copied",  "scatter_begun", "scattered"};
  enum { COLUMNS = sizeof names / sizeof names[0] };
  SEXP list = PROTECT(glue_list(COLUMNS));
  double *column[COLUMNS];
  for (int c = 0; c < COLUMNS; c++) {
    SEXP vector = Rf_allocVector(REALSXP, (R_xlen_t)timeline->count);
    glue_set(list, c, names[c], vector);
    column[c] = REAL(vector);
  }
  for (int64_t k = 0; k < timeline->count; k++) {
    const struct pcf_span *span = &timeline->span[k];
    const double values[COLUMNS] = {
      span->device,        (double)span->row + 1, (double)span->column + 1,
      (double)span->rows,  (double)span->columns, span->launched,
      span->begun,         span->computed,        span->copied,
      span->scatter_begun, span->scattered};
    for (int c = 0; c < COLUMNS; c++) column[c][k] = isnan(values[c]) ? NA_REAL : values[c];
  }
  UNPROTECT(1);
  return list;
}

static const struct pcf_offer *offer_of_cuda(const struct pcf_job *job,
                                             const struct pcf_report *report) {
  for (int k = 0; k < job->backends; k++) {
    if (strcmp(job->backend[k]->name, "cuda") == 0) return &report->offer[k];
  }
  return NULL;
}

/* What every method of the CPU, and the best of every other backend, was expected to take. */
static SEXP expected_seconds(const struct pcf_job *job, const struct pcf_pairs *pairs,
                             const struct pcf_report *report) {
  double seconds[PCF_MAX_METHODS + 1];
  const char *names[PCF_MAX_METHODS + 1];
  int count = 0;
  for (int k = 0; pcf_methods[k]; k++, count++) {
    names[count] = pcf_methods[k]->name;
    seconds[count] = pairs->estimate[k].seconds;
  }
  names[count] = "cuda";
  const struct pcf_offer *offer = offer_of_cuda(job, report);
  seconds[count] = offer ? offer->seconds : INFINITY;
  return named_seconds(seconds, names, count + 1);
}

/* Why CUDA was not used, if something was in its way. */
static const char *problem_of_cuda(const struct pcf_job *job, const struct pcf_report *report) {
  const struct pcf_offer *offer = offer_of_cuda(job, report);
  return offer ? offer->problem.message : "";
}

static SEXP seconds_of_phases(const struct pcf_report *report) {
  static const char *const names[] = {"check", "plan", "prepare", "compute", "scatter"};
  return named_seconds(report->seconds, names, PCF_PHASE_COUNT);
}

SEXP glue_report(const struct pcf_job *job, const struct pcf_pairs *pairs,
                 const struct pcf_report *report) {
  int planned = report->chosen >= 0;
  const struct pcf_offer *offer = &report->offer[planned ? report->chosen : 0];
  const char *device = planned ? job->backend[report->chosen]->name : "cpu";
  const char *set = planned ? pcf_instructions_name(pairs->instructions) : "none";
  int width = planned ? pairs->estimate[pcf_method_number(pairs->method)].width : 0;
  int single = report->scale.precision == PCF_SINGLE_PRECISION;
  SEXP list = PROTECT(glue_list(16));
  glue_set(list, 0, "device", Rf_mkString(device));
  glue_set(list, 1, "kernel", Rf_mkString(planned ? offer->method : "none"));
  glue_set(list, 2, "isa", Rf_mkString(set));
  glue_set(list, 3, "precision", Rf_mkString(single ? "single" : "double"));
  glue_set(list, 4, "threads", Rf_ScalarInteger(offer->threads));
  glue_set(list, 5, "width", Rf_ScalarInteger(width));
  glue_set(list, 6, "blocks", Rf_ScalarReal((double)report->blocks));
  glue_set(list, 7, "pairs", Rf_ScalarReal(pairs->pairs));
  glue_set(list, 8, "rectangles", Rf_ScalarReal(pairs->rectangles));
  glue_set(list, 9, "grid_points", Rf_ScalarReal((double)pairs->grid_points));
  glue_set(list, 10, "expected", expected_seconds(job, pairs, report));
  glue_set(list, 11, "phases", seconds_of_phases(report));
  glue_set(list, 12, "exponent", Rf_ScalarInteger(report->scale.exponent));
  glue_set(list, 13, "halvings", Rf_ScalarReal((double)report->halvings));
  int timeline = job->settings.timeline;
  glue_set(list, 14, "timeline", timeline ? describe_timeline(&report->timeline) : R_NilValue);
  glue_set(list, 15, "cuda_problem", Rf_mkString(problem_of_cuda(job, report)));
  UNPROTECT(1);
  return list;
}
