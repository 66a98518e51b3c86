/* The kernels of the CUDA device against the oracle. */
#include "check.h"
#include "fake-cuda.h"
#include "runs.h"

#include "cuda/info.h"

#include <math.h>

static struct asked request_for(const struct question *question, const struct functions *x,
                                const struct functions *y) {
  struct asked request = request_of(question, y ? PCF_FULL : PCF_LOWER_WITHOUT_DIAGONAL, x, y);
  request.settings.gpus = 1;
  request.settings.threads = 1;
  return request;
}

static void check_width(struct asked request, int width, const struct answer *answers) {
  enum pcf_mode kind = request.pairs.y ? PCF_FULL : PCF_LOWER_WITHOUT_DIAGONAL;
  request.pairs.width = width;
  for (int precision = 0; precision < 2; precision++) {
    request.pairs.precision = precision;
    struct outcome outcome = run_request(&request, kind, pcf_cuda_backend());
    CHECK_STRING(device_of(&outcome), "cuda");
    CHECK(outcome_agrees(&outcome, answers, tolerance_of(request.pairs.precision)));
  }
}

/* Every form of tile that the sweep has, and the plan's. */
static void check_tiles(struct asked request, const struct answer *answers) {
  static const int widths[] = {0, 32, 64, 128, 256};
  for (int k = 0; k < (check_quick() ? 1 : 5); k++) check_width(request, widths[k], answers);
}

static void check_kernels(const struct functions *x, const struct functions *y,
                          const char *method) {
  for (int k = 0; k < OPERATIONS; k++) {
    struct asked request = request_for(&operations[k], x, y);
    struct answer *answers = oracle_matrix(&operations[k], &x->view, &(y ? y : x)->view);
    request.pairs.method = method;
    fake_cuda_reset();
    check_tiles(request, answers);
  }
}

TEST(cuda_kernels_sweep_all_operations) {
  struct functions *x = functions_random(&random, PAPER, 70, 1, 12);
  struct functions *y = functions_random(&random, INTEGER_TIMES, 40, 1, 40);
  check_kernels(x, NULL, "sweep");
  check_kernels(x, y, "sweep");
  check_kernels(y, NULL, "split");
}

TEST(cuda_kernels_compute_all_operations_on_a_grid) {
  struct functions *x = functions_random(&random, SHARED_GRID, 70, 1, 30);
  struct functions *y = functions_random(&random, SHARED_GRID, 140, 1, 20);
  check_kernels(x, NULL, "grid");
  check_kernels(x, y, "grid");
}

/* The ends of a weight's pieces are times of the functions, too, and others. */
TEST(cuda_kernels_weigh) {
  static const char *const methods[] = {"sweep", "split", "grid"};
  const double *steep[] = {(double[]){0, 0.5, 1, 2, 2.25, 7, 30, 1, 0.25, 0, 8, 0.5, 0.125, 0}};
  struct functions *w = functions_of(1, (int64_t[]){7}, steep);
  struct functions *x = functions_random(&random, PAPER, 70, 1, 12);
  struct functions *y = functions_random(&random, INTEGER_TIMES, 40, 1, 40);
  for (int k = 0; k < OPERATIONS; k++) {
    struct asked request = request_for(&operations[k], x, y);
    struct answer *answers = weighted_matrix(&operations[k], &x->view, &y->view, &w->view);
    request.pairs.weight = &w->view;
    for (int m = 0; m < 3; m++) {
      request.pairs.method = methods[m];
      fake_cuda_reset();
      check_tiles(request, answers);
    }
  }
}

/* Pairs without an overlap are missing. In single precision times are rounded, beside which an
 * overlap may be narrow. */
static void check_overlaps(const struct asked *request, const struct answer *answers) {
  struct outcome outcome = run_request(request, PCF_FULL, pcf_cuda_backend());
  enum pcf_precision precision = request->pairs.precision;
  int64_t wrong = 0, known = 0;
  for (int64_t k = 0; k < outcome.length; k++) {
    struct answer answer = answers[k];
    if (precision != PCF_DOUBLE) answer.scale = fmax(answer.scale, 1);
    int missing = pcf_is_missing(outcome.result[k]);
    known += !missing;
    wrong +=
      missing ? answer.value != 0 : !agrees(outcome.result[k], answer, tolerance_of(precision));
  }
  CHECK_STRING(device_of(&outcome), "cuda");
  CHECK(wrong == 0 && known > 0);
}

TEST(cuda_kernels_drop_missing_values) {
  static const char *const methods[] = {"sweep", "split", "grid"};
  struct functions *x = functions_random(&random, PARTIAL, 40, 1, 12);
  struct functions *y = functions_random(&random, PARTIAL, 35, 1, 12);
  for (int k = 0; k < OPERATIONS; k++) {
    struct question question = operations[k];
    question.from = -2;
    question.to = 2;
    struct asked request = request_for(&question, x, y);
    struct answer *answers = oracle_matrix(&question, &x->view, &y->view);
    request.pairs.missing = PCF_MISSING_OVERLAP;
    for (int variant = 0; variant < 6; variant++) {
      request.pairs.method = methods[variant / 2];
      request.pairs.precision = variant % 2;
      fake_cuda_reset();
      check_overlaps(&request, answers);
    }
  }
}

/* Sums that are flushed, in the middle of a block and at its edges. */
TEST(cuda_kernels_flush_long_sums) {
  struct functions *x = functions_random(&random, PAPER, 34, 1000, 1300);
  struct functions *y = functions_random(&random, SHARED_GRID, 34, 1000, 1300);
  struct answer *of_x = oracle_matrix(&operations[0], &x->view, &x->view);
  struct answer *of_y = oracle_matrix(&operations[0], &y->view, &y->view);
  struct asked request = request_for(&operations[0], x, NULL);
  request.pairs.method = "sweep";
  check_width(request, 0, of_x);
  request.pairs.method = "split";
  check_width(request, 0, of_x);
  request = request_for(&operations[0], y, NULL);
  request.pairs.method = "grid";
  check_width(request, 0, of_y);
}
