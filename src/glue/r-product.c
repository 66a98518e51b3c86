/* ffi_product(): the matrix of all pairs times vectors, without the pairs. */
#include "glue/glue.h"

#include "pairs/product.h"

struct call {
  struct pcf_product product;
  struct pcf_collection weight;
  struct pcf_weighing weighing;
  int threads;
  double *result;
};

/* Cuts the functions for their weight. */
static enum pcf_status weigh(struct call *call, const atomic_int *stop,
                             struct pcf_error *error) {
  struct pcf_product *product = &call->product;
  struct pcf_fault fault;
  enum pcf_status status =
    pcf_weighing_make(&call->weighing, product->x, product->y, &call->weight, product->from,
                      product->to, 0, call->threads, stop, error);
  if (status) return status;
  product->weighing = &call->weighing;
  product->x = &call->weighing.x.view;
  product->range = PCF_EMPTY_RANGE;
  status =
    pcf_check_collection(product->x, call->threads, stop, &product->range, &fault, error);
  if (status || !product->y) return status;
  product->y = &call->weighing.y.view;
  return pcf_check_collection(product->y, call->threads, stop, &product->range, &fault, error);
}

static enum pcf_status multiply(void *call_, const atomic_int *stop, struct pcf_error *error) {
  struct call *call = call_;
  enum pcf_status status = call->weight.count ? weigh(call, stop, error) : PCF_OK;
  if (status) return status;
  return pcf_product(&call->product, call->threads, stop, call->result, error);
}

static SEXP multiply_and_answer(void *call_) {
  struct call *call = call_;
  const struct pcf_product *product = &call->product;
  SEXP value = PROTECT(glue_matrix((R_xlen_t)product->x->count, (R_xlen_t)product->columns));
  call->result = REAL(value);
  SEXP result = glue_run_and_answer(0, multiply, call, value);
  UNPROTECT(1);
  return result;
}

static void free_weighing(void *call) {
  pcf_weighing_free(&((struct call *)call)->weighing);
}

/* `operation` is "l1" or "inner"; `y` is NULL for x again; `b`: a matrix of doubles with a row
 * for each function of y. Returns a matrix with a row for each function of x. `weight` is NULL
 * or one function. */
SEXP ffi_product(SEXP x_, SEXP y_, SEXP operation_, SEXP b, SEXP window_, SEXP weight,
                 SEXP threads_) {
  static const char *const names[] = {"l1", "inner"};
  static const enum pcf_operation operations[] = {PCF_L1, PCF_INNER};
  struct pcf_collection x = {0}, y = {0};
  struct call call = {.threads = glue_threads(threads_)};
  struct pcf_product *product = &call.product;
  int operation = glue_choice(operation_, "operation", names, 2);
  const double *window = glue_window(window_);
  *product = (struct pcf_product){.operation = operations[operation],
                                  .from = window[0],
                                  .to = window[1],
                                  .range = PCF_EMPTY_RANGE,
                                  .x = &x};
  GLUE_TRY(glue_checked_collection(x_, "x", call.threads, &x, &product->range));
  if (y_ != R_NilValue) {
    GLUE_TRY(glue_checked_collection(y_, "y", call.threads, &y, &product->range));
    product->y = &y;
  }
  product->columns = glue_weights(b, "b", product->y ? y.count : x.count);
  product->b = REAL(b);
  if (weight != R_NilValue) GLUE_TRY(glue_checked_weight(weight, &call.weight));
  return R_ExecWithCleanup(multiply_and_answer, &call, free_weighing, &call);
}
