/* ffi_pair_sums(): sums over the pairs of every function, without the matrix. */
#include "glue/r-pairs.h"

#include "sinks/pair-sums.h"

struct summing {
  struct glue_pairs of;
  struct pcf_pair_sums sums;
  struct pcf_sums plain; /* the same, where they are of the plan's kind */
  SEXP value;
};

static void read_sums(struct pcf_pair_sums *sums, SEXP list);
static int are_plain(const struct summing *summing, SEXP list);
static enum pcf_status begin(struct summing *summing);
static SEXP sum_and_answer(void *summing);
static void free_sums(void *summing);

/* `list` describes the sums as in R/pair-sums.R. Returns list(value, report), or list(argument,
 * problem), or list(status, message); NULL as the value where they are only planned. Where the
 * report's kernel is "events", sums of squares are those of inner products. */
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
  summing.plain = (struct pcf_sums){.columns = sums->columns, .b = sums->b};
  if (are_plain(&summing, list)) of->pairs.request.sums = &summing.plain;
  if (!glue_flag(glue_element(list, "plan"), "plan")) {
    summing.value = glue_matrix((R_xlen_t)sums->rows, (R_xlen_t)sums->columns);
  }
  PROTECT(summing.value);
  if (summing.value != R_NilValue) of->status = begin(&summing);
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

/* Are results added up as they are, or their squares for p = 2, so that this may be done
 * without pairs? `in_pairs` forbids that. */
static int are_plain(const struct summing *summing, SEXP list) {
  const struct pcf_pair_sums *sums = &summing->sums;
  double power = summing->of.pairs.request.operation == PCF_L2 ? 2 : 1;
  return sums->weight == PCF_WEIGH_POWER && sums->power == power &&
         !glue_flag(glue_element(list, "in_pairs"), "in_pairs");
}

static enum pcf_status begin(struct summing *summing) {
  struct pcf_pair_sums *sums = &summing->sums;
  struct glue_pairs *of = &summing->of;
  sums->result = summing->plain.result = REAL(summing->value);
  if (!pcf_find_instructions(of->pairs.request.instructions, &sums->instructions)) {
    Rf_error("internal error: no such instructions");
  }
  of->job.sink = &sums->sink;
  return pcf_pair_sums_start(sums, &of->error);
}

/* Without functions there is no run, and nothing to add up. */
static void clear(const struct pcf_pair_sums *sums) {
  for (int64_t k = 0; sums->result && k < sums->rows * sums->columns; k++) {
    sums->result[k] = sums->b ? 0 : R_NegInf;
  }
}

static SEXP sum_and_answer(void *summing_) {
  struct summing *summing = summing_;
  struct glue_pairs *of = &summing->of;
  if (pcf_request_is_empty(&of->pairs.request)) clear(&summing->sums);
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
  if (summing->value != R_NilValue) pcf_pair_sums_free(&summing->sums);
}
