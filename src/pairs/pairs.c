#include "pairs/pairs.h"

#include "base/memory.h"
#include "pairs/method.h"

static enum pcf_status list_exponents(struct pcf_pairs *pairs, struct pcf_error *error);

/* ---- Checking ---- */

static enum pcf_status check(void *pairs_, int threads, const atomic_int *stop,
                             struct pcf_error *error) {
  struct pcf_pairs *pairs = pairs_;
  const struct pcf_request *request = &pairs->request;
  pairs->range = PCF_EMPTY_RANGE;
  enum pcf_status status =
    pcf_check_collection(request->x, threads, stop, &pairs->range, &pairs->fault, error);
  if (status || !request->y) return status;
  status = pcf_check_collection(request->y, threads, stop, &pairs->range, &pairs->fault, error);
  pairs->fault.collection = 1;
  return status;
}

/* ---- Planning ---- */

static void count_pairs(struct pcf_pairs *pairs) {
  const struct pcf_request *request = &pairs->request;
  const struct pcf_collection *x = request->x, *y = pcf_columns_of(request);
  double rows = (double)x->count, columns = (double)y->count;
  double row_breakpoints = (double)pcf_total_breakpoints(x);
  double column_breakpoints = (double)pcf_total_breakpoints(y);
  pairs->pairs = (double)pcf_mode_pairs(request->mode, x->count, y->count, request->pairs);
  switch (request->mode) {
  case PCF_PAIRED: /* the shorter collection is used again */
    pairs->rectangles = row_breakpoints * (pairs->pairs / fmax(rows, 1)) +
                        column_breakpoints * (pairs->pairs / fmax(columns, 1));
    break;
  case PCF_FULL:
    pairs->rectangles = row_breakpoints * columns + column_breakpoints * rows;
    break;
  default: {
    int self = request->mode == PCF_LOWER_WITH_DIAGONAL ? 1 : -1;
    pairs->rectangles = row_breakpoints * (rows + self);
  }
  }
}

static void describe_task(const struct pcf_pairs *pairs, struct pcf_task *task) {
  const struct pcf_request *request = &pairs->request;
  const struct pcf_integral *integral = &pairs->integral;
  task->rows = pcf_items_of(request->x);
  task->columns = pcf_items_of(pcf_columns_of(request));
  task->mode = request->mode;
  task->pairs = request->pairs;
  task->scale = (struct pcf_scale){.precision = integral->precision,
                                   .factor = integral->factor,
                                   .exponent = integral->exponent};
  if (!pairs->exponents) return;
  task->scale.row_exponents = pairs->exponents;
  task->scale.column_exponents = pairs->exponents + (request->y ? request->x->count : 0);
}

static enum pcf_status plan(void *pairs_, const struct pcf_settings *settings,
                            struct pcf_task *task, struct pcf_error *error) {
  struct pcf_pairs *pairs = pairs_;
  const struct pcf_request *request = &pairs->request;
  enum pcf_status status = PCF_OK;
  pairs->integral = pcf_integral(request->operation, request->p, request->from, request->to,
                                 request->precision, &pairs->range);
  if (!pcf_find_instructions(request->instructions, &pairs->instructions)) {
    return pcf_fail(error, PCF_ERROR_ARGUMENT, "this processor has no \"%s\" instructions",
                    request->instructions);
  }
  if (pairs->integral.own_exponents) status = list_exponents(pairs, error);
  if (status) return status;
  count_pairs(pairs);
  describe_task(pairs, task);
  return pcf_methods_plan(pairs, settings, error);
}

static void fill_exponents(const struct pcf_collection *x, const struct pcf_integral *integral,
                           int *exponents) {
  for (int64_t i = 0; i < x->count; i++) exponents[i] = pcf_value_exponent(x, i, integral);
}

static enum pcf_status list_exponents(struct pcf_pairs *pairs, struct pcf_error *error) {
  const struct pcf_collection *x = pairs->request.x, *y = pairs->request.y;
  size_t count = (size_t)(x->count + (y ? y->count : 0));
  pairs->exponents = pcf_allocate(count, sizeof *pairs->exponents, error);
  if (!pairs->exponents) return PCF_ERROR_MEMORY;
  fill_exponents(x, &pairs->integral, pairs->exponents);
  if (y) fill_exponents(y, &pairs->integral, pairs->exponents + x->count);
  return PCF_OK;
}

static void release(void *pairs_) {
  struct pcf_pairs *pairs = pairs_;
  pcf_grid_free(&pairs->grid);
  pcf_free(pairs->exponents);
  pairs->exponents = NULL;
}

const struct pcf_family pcf_pairs_family = {
  .name = "piecewise constant functions", .check = check, .plan = plan, .release = release};
