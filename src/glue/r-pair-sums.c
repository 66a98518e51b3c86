/* ffi_pair_sums(): sums over the pairs of every function, without the matrix. */
#include "glue/r-pairs.h"

#include "sinks/pair-sums.h"

struct summing {
  struct glue_pairs of;
  struct pcf_pair_sums sums;
  SEXP value;
};

static void read_sums(struct pcf_pair_sums *sums, SEXP list);
static SEXP sum_and_answer(void *summing);
static void free_sums(void *summing);

/* `sums` is a list as run_pair_sums() in R describes it. Returns list(value, report), or
 * list(argument, problem), or list(status, message). */
SEXP ffi_pair_sums(SEXP x, SEXP y, SEXP request, SEXP settings, SEXP list) {
  struct summing summing = {.value = R_NilValue};
  struct glue_pairs *of = &summing.of;
  struct pcf_pair_sums *sums = &summing.sums;
  SEXP problem = glue_pairs_read(of, x, y, request, settings, 1);
  if (problem != R_NilValue) return problem;
  if (of->pairs.request.mode == PCF_PAIRED) Rf_error("internal error: `mode` is of all pairs");
  if (of->pairs.request.missing == PCF_MISSING_MEAN) {
    Rf_error("internal error: means need all pairs");
  }
  sums->rows = of->x.count;
  sums->others = pcf_columns_of(&of->pairs.request)->count;
  read_sums(sums, list);
  summing.value = PROTECT(glue_matrix((R_xlen_t)sums->rows, (R_xlen_t)sums->columns));
  sums->result = REAL(summing.value);
  if (!pcf_find_instructions(of->pairs.request.instructions, &sums->instructions)) {
    Rf_error("internal error: no such instructions");
  }
  of->status = pcf_pair_sums_start(sums, &of->error);
  of->job.sink = &sums->sink;
  SEXP answer = R_ExecWithCleanup(sum_and_answer, &summing, free_sums, &summing);
  UNPROTECT(1);
  return answer;
}

static double positive(SEXP list, const char *name) {
  double number = glue_number(glue_element(list, name), name);
  if (!(number > 0)) Rf_error("internal error: `%s` must be positive", name);
  return number;
}

static void read_sums(struct pcf_pair_sums *sums, SEXP list) {
  static const char *const weights[PCF_PAIR_WEIGHTS] = {"power", "gaussian", "laplacian",
                                                        "logarithm"};
  sums->weight = (enum pcf_pair_weight)glue_choice(glue_element(list, "weight"), "weight",
                                                   weights, PCF_PAIR_WEIGHTS);
  sums->power = positive(list, "power");
  sums->scale = positive(list, "scale");
  sums->same = glue_flag(glue_element(list, "same"), "same");
  sums->columns = 1;
  if (sums->weight == PCF_WEIGH_LOGARITHM) return;
  SEXP b = glue_element(list, "b");
  sums->columns = glue_weights(b, "b", sums->others);
  sums->b = REAL(b);
}

/* Without functions there is no run, and nothing to add up. */
static void clear(const struct pcf_pair_sums *sums) {
  for (int64_t k = 0; k < sums->rows * sums->columns; k++) {
    sums->result[k] = sums->b ? 0 : R_NegInf;
  }
}

static SEXP sum_and_answer(void *summing_) {
  struct summing *summing = summing_;
  struct glue_pairs *of = &summing->of;
  if (summing->sums.rows == 0 || summing->sums.others == 0) clear(&summing->sums);
  else if (!of->status) glue_pairs_run(of, NULL);
  SEXP failure = glue_pairs_failure(of);
  if (failure != R_NilValue) return failure;
  SEXP list = PROTECT(glue_list(2));
  glue_set(list, 0, "value", summing->value);
  glue_set(list, 1, "report", glue_pairs_report(of));
  UNPROTECT(1);
  return list;
}

static void free_sums(void *summing_) {
  struct summing *summing = summing_;
  glue_pairs_free(&summing->of);
  pcf_pair_sums_free(&summing->sums);
}
