#include "check.h"
#include "collections.h"
#include "runs.h"

#include "base/memory.h"
#include "products/slabs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Checked pairs, and what their sums are to be. */
struct product {
  struct pcf_pairs pairs;
  struct pcf_sums sums;
};

static struct product product_of(enum pcf_operation operation, struct functions *x,
                                 struct functions *y, double from, double to, int64_t columns,
                                 const double *b) {
  struct product product = {.pairs = {.request = {.x = &x->view,
                                                  .y = y ? &y->view : NULL,
                                                  .operation = operation,
                                                  .from = from,
                                                  .to = to},
                                      .range = PCF_EMPTY_RANGE},
                            .sums = {.columns = columns, .b = b}};
  struct pcf_range *range = &product.pairs.range;
  int64_t function, position;
  if (pcf_check_functions(&x->view, 0, x->view.count, range, &function, &position)) abort();
  if (y && pcf_check_functions(&y->view, 0, y->view.count, range, &function, &position)) {
    abort();
  }
  return product;
}

static enum pcf_status multiply(struct product *product, int threads, const atomic_int *stop,
                                double *result, struct pcf_error *error) {
  struct pcf_task task = {
    .problem = &product->pairs, .offer = {.threads = threads}, .stop = stop};
  const struct pcf_request *request = &product->pairs.request;
  size_t functions = (size_t)(request->x->count + pcf_columns_of(request)->count);
  double *size = calloc(functions, sizeof *size);
  if (!size) abort();
  product->sums.result = result;
  product->sums.size = size;
  product->pairs.request.sums = &product->sums;
  enum pcf_status status = pcf_events_method.at_once(&task, error);
  free(size);
  return status;
}

/* The sums of all pairs, and of their magnitudes. */
static void sum_pairs(const struct pcf_request *request, const double *b, int64_t i,
                      double *sum, double *scale) {
  const struct pcf_collection *y = pcf_columns_of(request);
  struct question question = {request->operation, 1, request->from, request->to};
  *sum = *scale = 0;
  for (int64_t j = 0; j < y->count; j++) {
    struct answer pair = oracle(&question, request->x, i, y, j);
    double value = request->operation == PCF_L2 ? pair.value * pair.value : pair.value;
    *sum += b[j] * value;
    *scale += fabs(b[j] * fmax(fabs(value), pair.scale));
  }
}

static void check_product(const struct product *product, const double *result,
                          double tolerance) {
  const struct pcf_request *request = &product->pairs.request;
  int64_t rows = request->x->count, entries = pcf_columns_of(request)->count;
  double largest = 0;
  for (int64_t c = 0; c < product->sums.columns; c++) {
    for (int64_t i = 0; i < rows; i++) {
      double sum, scale;
      sum_pairs(request, product->sums.b + c * entries, i, &sum, &scale);
      largest = fmax(largest, scale);
      CHECK(fabs(result[c * rows + i] - sum) <= tolerance * (scale + largest));
    }
  }
}

static const enum pcf_operation kinds[] = {PCF_L1, PCF_INNER, PCF_L2};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Many slabs, of few events; many buckets, and blocks that are merged. */
TEST(product_is_that_of_the_matrix) {
  enum { N = 60, M = 33, COLUMNS = 2 };
  double b[N * COLUMNS], result[N * COLUMNS];
  for (int trial = 0; trial < 24; trial += check_quick() ? 7 : 1) {
    struct functions *x =
      functions_random(&random, trial % 3 ? PAPER : SHARED_GRID, N, 1, trial % 2 ? 8 : 60);
    struct functions *y = trial % 4 > 1 ? functions_random(&random, PAPER, M, 2, 30) : NULL;
    for (int k = 0; k < N * COLUMNS; k++) b[k] = random_normal(&random);
    for (int o = 0; o < KINDS; o++) {
      double to = trial % 5 ? 1.5 : 100;
      struct product product =
        product_of(kinds[o], x, y, trial % 2 ? -1 : 0.25, to, COLUMNS, b);
      double bits[N * COLUMNS];
      pcf_slab_events = trial % 3 == 2 ? 0 : 20 + 50 * trial;
      for (int threads = 1; threads <= 3; threads++) {
        struct pcf_error error = {0};
        CHECK(multiply(&product, threads, NULL, result, &error) == PCF_OK);
        if (threads == 1) memcpy(bits, result, sizeof bits);
        CHECK(memcmp(bits, result, sizeof bits) == 0);
      }
      check_product(&product, result, 1e-13);
    }
  }
  pcf_slab_events = 0;
}

/* L1 products are the same whatever the instruction set, with full blocks and with rests. */
TEST(product_has_the_same_bits_with_any_instructions) {
  enum { N = 400 };
  double b[N], result[N], other[N];
  enum pcf_instructions available[PCF_INSTRUCTION_SETS];
  int sets = pcf_available_instructions(available);
  for (int most = 5; most <= 80; most += 25) {
    struct functions *x = functions_random(&random, PAPER, N, 1, most);
    for (int64_t i = 0; i < N; i++) b[i] = random_normal(&random);
    struct product product = product_of(PCF_L1, x, NULL, 0, INFINITY, 1, b);
    struct pcf_error error = {0};
    CHECK(multiply(&product, 1, NULL, result, &error) == PCF_OK);
    for (int k = 1; k < sets; k++) {
      pcf_allow_instructions(available[k]);
      CHECK(multiply(&product, 1, NULL, other, &error) == PCF_OK);
      CHECK(memcmp(result, other, sizeof result) == 0);
    }
    pcf_allow_instructions(available[0]);
  }
}

/* All in one bucket, or in very few. */
TEST(product_of_few_values) {
  enum { N = 300 };
  double b[N], result[N];
  struct functions *x = functions_random(&random, PAPER, N, 10, 20);
  for (int values = 1; values <= 3; values++) {
    for (int64_t i = 0; i < N; i++) {
      for (int64_t k = 0; k < pcf_breakpoints(&x->view, i); k++) {
        values_of(x, i)[k] = floor(random_uniform(&random) * values);
      }
      b[i] = random_normal(&random);
    }
    struct product product = product_of(PCF_L1, x, NULL, 0, 2, 1, b);
    struct pcf_error error = {0};
    CHECK(multiply(&product, 2, NULL, result, &error) == PCF_OK);
    check_product(&product, result, 1e-12);
  }
}

TEST(product_at_every_allocation) {
  enum { N = 40 };
  double b[N], result[N], right[N];
  struct functions *x = functions_random(&random, PAPER, N, 10, 20);
  for (int k = 0; k < N; k++) b[k] = random_normal(&random);
  pcf_slab_events = 100;
  for (int o = 0; o < KINDS; o++) {
    struct product product = product_of(kinds[o], x, NULL, -INFINITY, INFINITY, 1, b);
    struct pcf_error error = {0};
    REQUIRE(multiply(&product, 2, NULL, right, &error) == PCF_OK);
    for (int threads = 1; threads <= 2; threads++) {
      for (long k = 1;; k++) {
        REQUIRE(k < 10000);
        pcf_memory_fail_at(k);
        enum pcf_status status = multiply(&product, threads, NULL, result, &error);
        bool done = memory_failure_is_pending(k);
        CHECK(status == PCF_OK || (status == PCF_ERROR_MEMORY && !done));
        if (status == PCF_OK) CHECK(memcmp(result, right, sizeof right) == 0);
        if (done) break;
      }
    }
  }
  pcf_slab_events = 0;
}

/* As a method of the plan: the sink gets nothing, and the result has the same bits. */
TEST(product_is_a_method) {
  enum { N = 60, M = 50, COLUMNS = 2 };
  double b[N * COLUMNS], right[N * COLUMNS], result[N * COLUMNS] = {0};
  struct functions *x = functions_random(&random, PAPER, N, 5, 20);
  struct functions *y = functions_random(&random, PAPER, M, 5, 20);
  for (int k = 0; k < N * COLUMNS; k++) b[k] = random_normal(&random);
  for (int k = 0; k < 6; k++) {
    struct question question = {kinds[k / 2], 2, -0.5, 1.5};
    struct functions *other = k % 2 ? y : NULL;
    double size[N + M] = {0};
    struct pcf_sums sums = {.columns = COLUMNS, .b = b, .result = result, .size = size};
    enum pcf_mode kind = other ? PCF_FULL : PCF_LOWER_WITH_DIAGONAL;
    struct asked request = request_of(&question, kind, x, other);
    struct product product = product_of(kinds[k / 2], x, other, -0.5, 1.5, COLUMNS, b);
    struct pcf_report report;
    struct pcf_error error = {0};
    request.pairs.sums = &sums;
    request.pairs.method = "events";
    struct pcf_matrix_sink sink = sink_for(&request, kind, NULL);
    REQUIRE(multiply(&product, 1, NULL, right, &error) == PCF_OK);
    REQUIRE(run_into(&sink.sink, &request, &pcf_cpu_backend, &report, &error) == PCF_OK);
    CHECK_STRING(report.offer[0].method, "events");
    CHECK(report.blocks == 0);
    CHECK(memcmp(result, right, sizeof right) == 0);
  }
}

TEST(product_stops) {
  enum { N = 40 };
  double b[N] = {1}, result[N];
  struct functions *x = functions_random(&random, PAPER, N, 10, 20);
  atomic_int stop = 1;
  struct pcf_error error = {0};
  for (int o = 0; o < KINDS; o++) {
    struct product product = product_of(kinds[o], x, NULL, 0, 1, 1, b);
    CHECK(multiply(&product, 2, &stop, result, &error) == PCF_ERROR_INTERRUPTED);
  }
}
