/* ffi_store(): a matrix of pairs into a file; and what R asks of such files. */
#include "r-disk.h"
#include "r-pairs.h"

#include "base/memory.h"
#include "disk/disk-sink.h"
#include "disk/stored.h"
#include "functions/digest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct pcf_layout glue_layout(SEXP layout) {
  static const char *const kinds[] = {"dist", "symmetric", "dense"};
  static const char *const storages[] = {"double", "single"};
  struct pcf_layout read = {
    .rows = glue_count(glue_element(layout, "rows"), "rows", 0, GLUE_MOST_ELEMENTS),
    .columns = glue_count(glue_element(layout, "columns"), "columns", 0, GLUE_MOST_ELEMENTS)};
  read.kind = (enum pcf_matrix_kind)glue_choice(glue_element(layout, "kind"), "kind", kinds, 3);
  read.storage =
    (enum pcf_precision)glue_choice(glue_element(layout, "storage"), "storage", storages, 2);
  read.end = glue_count(glue_element(layout, "end"), "end", 0, read.columns);
  read.first = glue_count(glue_element(layout, "first"), "first", 1, read.end + 1) - 1;
  return read;
}

/* ---- Digests ---- */

struct digesting {
  const struct pcf_collection *x;
  int threads;
  uint64_t digest;
};

static enum pcf_status digest_work(void *digesting_, const atomic_int *stop,
                                   struct pcf_error *error) {
  struct digesting *digesting = digesting_;
  return pcf_digest(digesting->x, digesting->threads, stop, &digesting->digest, error);
}

/* Of a collection, in hexadecimal digits. */
SEXP ffi_digest(SEXP x, SEXP threads) {
  struct pcf_collection collection = {0};
  SEXP problem = glue_collection(x, &collection);
  if (problem != R_NilValue) return glue_problem_with("x", problem);
  struct digesting digesting = {&collection, glue_threads(threads), 0};
  struct pcf_error error = {0};
  enum pcf_status status = glue_run(digest_work, &digesting, &error);
  char text[17];
  snprintf(text, sizeof text, "%016" PRIx64, digesting.digest);
  SEXP value = PROTECT(Rf_mkString(text));
  SEXP answer = glue_answer(value, status, &error);
  UNPROTECT(1);
  return answer;
}

/* ---- Storing ---- */

struct storing {
  struct glue_pairs of;
  struct pcf_disk_request request;
  struct pcf_disk_sink *disk;
};

static enum pcf_status open_disk(void *storing_, const atomic_int *stop,
                                 struct pcf_error *error) {
  struct storing *storing = storing_;
  storing->disk =
    pcf_disk_open(&storing->request, storing->of.job.settings.threads, stop, error);
  return storing->disk ? PCF_OK : error->status;
}

/* Without functions there is no run. */
static void run_or_finish(struct storing *storing) {
  const struct pcf_request *request = &storing->of.pairs.request;
  struct pcf_sink *sink = storing->of.job.sink = pcf_disk_as_sink(storing->disk);
  if (request->x->count > 0 && (!request->y || request->y->count > 0)) {
    glue_pairs_run(&storing->of, NULL);
  } else {
    storing->of.status = pcf_sink_finish(sink, &storing->of.error);
  }
}

static SEXP store_and_answer(void *storing_) {
  struct storing *storing = storing_;
  struct glue_pairs *of = &storing->of;
  of->status = glue_run(open_disk, storing, &of->error);
  if (!of->status) run_or_finish(storing);
  SEXP failure = glue_pairs_failure(of);
  if (failure != R_NilValue) return failure;
  SEXP list = PROTECT(glue_list(2));
  double before = (double)pcf_disk_blocks_before(storing->disk);
  glue_set(list, 0, "report", glue_pairs_report(of, 0));
  glue_set(list, 1, "before", Rf_ScalarReal(before));
  UNPROTECT(1);
  return list;
}

static void free_storing(void *storing_) {
  struct storing *storing = storing_;
  glue_pairs_free(&storing->of);
  pcf_disk_close(storing->disk);
}

/* `file` is list(path, header, layout). Returns list(report, before), the number of blocks that
 * were there before; or list(argument, problem), or list(status, message). */
SEXP ffi_store(SEXP x, SEXP y, SEXP request, SEXP settings, SEXP file) {
  struct storing storing = {.disk = NULL};
  SEXP problem = glue_pairs_read(&storing.of, x, y, request, settings, 1);
  if (problem != R_NilValue) return problem;
  storing.request =
    (struct pcf_disk_request){.path = glue_text(glue_element(file, "path"), "path"),
                              .header = glue_text(glue_element(file, "header"), "header"),
                              .layout = glue_layout(glue_element(file, "layout"))};
  const struct pcf_layout *layout = &storing.request.layout;
  const struct pcf_request *pairs = &storing.of.pairs.request;
  static const enum pcf_matrix_kind kinds[GLUE_MODES] = {
    PCF_MATRIX_DENSE, PCF_MATRIX_DIST, PCF_MATRIX_SYMMETRIC, PCF_MATRIX_PAIRED};
  int fits = 0;
  for (int k = 0; k < GLUE_MODES; k++) {
    fits |= pairs->mode == glue_modes[k] && layout->kind == kinds[k];
  }
  if (!fits || layout->rows != pairs->x->count ||
      layout->columns != pcf_columns_of(pairs)->count) {
    Rf_error("internal error: `layout` does not go with the functions");
  }
  return R_ExecWithCleanup(store_and_answer, &storing, free_storing, &storing);
}
