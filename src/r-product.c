/* ffi_product(): the matrix of all pairs times vectors, without the pairs. */
#include "glue.h"

#include "pairs/product.h"

struct call {
  struct pcf_product product;
  int threads;
  double *result;
};

static enum pcf_status multiply(void *call_, const atomic_int *stop, struct pcf_error *error) {
  struct call *call = call_;
  return pcf_product(&call->product, call->threads, stop, call->result, error);
}

/* `operation` is "l1" or "inner"; `y` is NULL for x again; `b`: a matrix of doubles with a row
 * for each function of y. Returns a matrix with a row for each function of x. */
SEXP ffi_product(SEXP x_, SEXP y_, SEXP operation_, SEXP b, SEXP window_, SEXP threads_) {
  static const char *const names[] = {"l1", "inner"};
  static const enum pcf_operation operations[] = {PCF_L1, PCF_INNER};
  struct pcf_collection x = {0}, y = {0};
  struct call call = {.threads = glue_threads(threads_)};
  struct pcf_product *product = &call.product;
  int operation = glue_choice(operation_, "operation", names, 2);
  const double *window = glue_doubles(window_, "window", 2);
  glue_check_window(window[0], window[1]);
  *product = (struct pcf_product){.operation = operations[operation],
                                  .from = window[0],
                                  .to = window[1],
                                  .range = PCF_EMPTY_RANGE,
                                  .x = &x};
  SEXP problem = glue_checked_collection(x_, "x", call.threads, &x, &product->range);
  if (problem != R_NilValue) return problem;
  if (y_ != R_NilValue) {
    problem = glue_checked_collection(y_, "y", call.threads, &y, &product->range);
    if (problem != R_NilValue) return problem;
    product->y = &y;
  }
  product->columns = glue_weights(b, "b", product->y ? y.count : x.count);
  product->b = REAL(b);
  SEXP value = PROTECT(glue_matrix((R_xlen_t)x.count, (R_xlen_t)product->columns));
  call.result = REAL(value);
  struct pcf_error error = {0};
  enum pcf_status status = glue_run(multiply, &call, &error);
  SEXP result = glue_answer(value, status, &error);
  UNPROTECT(1);
  return result;
}
