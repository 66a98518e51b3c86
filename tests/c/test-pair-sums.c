/* Sums over pairs, as the matrix has them. */
#include "check.h"
#include "runs.h"

#include "base/memory.h"
#include "collections/collection.h"
#include "cuda/info.h"
#include "sinks/pair-sums.h"
#include "testing/device-failing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 140, M = 75, COLUMNS = 70, SIDE = 64, TILE = 32 };

/* ---- By the matrix ---- */

struct setup {
  struct functions *x, *y;
  struct asked request;
  enum pcf_pair_weight weight;
  double power, scale;
  int set; /* of instructions: the number of an available one */
  int64_t others;
  double *b, *result; /* results of all pairs: N × others */
};

static void fill_results(struct setup *setup, enum pcf_mode kind) {
  struct outcome matrix = run_request(&setup->request, kind, &pcf_cpu_backend);
  CHECK(matrix.status == PCF_OK);
  setup->result = zeroed(N * setup->others, sizeof *setup->result);
  memcpy(setup->result, matrix.result, (size_t)(N * setup->others) * sizeof *setup->result);
}

static struct setup set_up(struct random *random, enum shape shape, bool two,
                           const struct question *question) {
  struct setup setup = {.power = 1, .scale = 1, .others = two ? M : N};
  enum pcf_mode kind = two ? PCF_FULL : PCF_LOWER_WITH_DIAGONAL;
  setup.x = functions_random(random, shape, N, 2, 5);
  if (two) setup.y = functions_random(random, shape, M, 2, 5);
  setup.request = request_of(question, kind, setup.x, setup.y);
  setup.request.pairs.missing = PCF_MISSING_OVERLAP;
  setup.request.settings.block_side = SIDE;
  setup.request.pairs.method = "sweep";
  setup.request.pairs.width = TILE;
  fill_results(&setup, kind);
  setup.b = zeroed(setup.others * COLUMNS, sizeof *setup.b);
  for (int64_t k = 0; k < setup.others * COLUMNS; k++) {
    setup.b[k] = k % 3 ? random_normal(random) : 0;
  }
  return setup;
}

static double weight_of(const struct setup *setup, double result) {
  switch (setup->weight) {
  case PCF_WEIGH_GAUSSIAN: return exp(-pow(result / setup->scale, 2) / 2);
  case PCF_WEIGH_LAPLACIAN: return exp(-result / setup->scale);
  case PCF_WEIGH_LOGARITHM: return exp(-pow(result, setup->power) / setup->scale);
  default: return pow(result, setup->power);
  }
}

/* Sum of row i for a column of b, and that of the magnitudes. */
static long double sum_of(const struct setup *setup, int64_t i, int64_t c, long double *all) {
  long double sum = *all = 0;
  for (int64_t j = 0; j < setup->others; j++) {
    int logarithm = setup->weight == PCF_WEIGH_LOGARITHM;
    double number = logarithm ? 1 : setup->b[j + setup->others * c];
    double weight = weight_of(setup, setup->result[i + N * j]);
    if (number == 0 || (logarithm && !setup->y && i == j)) continue;
    sum += (long double)weight * number;
    *all += fabsl((long double)weight * number);
  }
  return sum;
}

/* ---- Runs ---- */

static struct pcf_pair_sums sums_for(const struct setup *setup, double *result) {
  int logarithm = setup->weight == PCF_WEIGH_LOGARITHM;
  enum pcf_instructions available[PCF_INSTRUCTION_SETS];
  int sets = pcf_available_instructions(available);
  return (struct pcf_pair_sums){.instructions = available[setup->set % sets],
                                .weighing.weight = setup->weight,
                                .weighing.power = setup->power,
                                .weighing.scale = setup->scale,
                                .rows = N,
                                .others = setup->others,
                                .columns = logarithm ? 1 : COLUMNS,
                                .b = logarithm ? NULL : setup->b,
                                .result = result};
}

static enum pcf_status sum_into(const struct setup *setup, const struct pcf_backend *backend,
                                double *result, struct pcf_report *report,
                                struct pcf_error *error) {
  struct pcf_pair_sums sums = sums_for(setup, result);
  struct asked request = setup->request;
  if (setup->weight == PCF_WEIGH_LOGARITHM && !setup->y) {
    request.pairs.mode = PCF_LOWER_WITHOUT_DIAGONAL;
  }
  enum pcf_status status = pcf_pair_sums_start(&sums, error);
  if (!status) status = run_into(&sums.sink, &request, backend, report, error);
  pcf_pair_sums_free(&sums);
  pcf_report_free(report);
  return status;
}

static size_t bytes_of(const struct setup *setup) {
  return (size_t)(setup->weight == PCF_WEIGH_LOGARITHM ? N : N * COLUMNS) * sizeof(double);
}

static double *run_sums(const struct setup *setup, const struct pcf_backend *backend,
                        int64_t *halvings) {
  struct pcf_report report = {0};
  struct pcf_error error = {0};
  double *result = kept(calloc(1, bytes_of(setup)));
  CHECK(sum_into(setup, backend, result, &report, &error) == PCF_OK);
  CHECK_STRING(error.message, "");
  if (halvings) *halvings += report.halvings;
  return result;
}

static bool sums_agree(const struct setup *setup, const double *result) {
  bool right = true;
  int64_t columns = setup->weight == PCF_WEIGH_LOGARITHM ? 1 : COLUMNS;
  for (int64_t k = 0; k < N * columns && right; k++) {
    long double all, sum = sum_of(setup, k % N, k / N, &all);
    if (setup->weight == PCF_WEIGH_LOGARITHM) {
      right = fabs(result[k] - (double)logl(sum)) <= 1e-13 * fmax(1, fabs(result[k]));
    } else {
      right = isnan(sum)           ? isnan(result[k])
              : isinf((double)sum) ? result[k] == (double)sum
                                   : fabsl(result[k] - sum) <= 1e-14L * all;
    }
  }
  return right;
}

static bool check_same(const struct setup *setup, const struct pcf_backend *backend,
                       const double *want, int64_t *halvings) {
  double *got = run_sums(setup, backend, halvings);
  bool same = memcmp(got, want, bytes_of(setup)) == 0;
  return CHECK(same);
}

/* ---- The tests ---- */

static const struct question l1 = {PCF_L1, 1, -INFINITY, 4};

static const struct {
  enum pcf_pair_weight weight;
  double power, scale;
} kinds[] = {{PCF_WEIGH_POWER, 1, 1},     {PCF_WEIGH_POWER, 2, 1},
             {PCF_WEIGH_POWER, 0.7, 1},   {PCF_WEIGH_GAUSSIAN, 1, 3},
             {PCF_WEIGH_LAPLACIAN, 1, 2}, {PCF_WEIGH_LOGARITHM, 1, 1.5},
             {PCF_WEIGH_LOGARITHM, 2, 4}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void set_kind(struct setup *setup, int kind) {
  setup->weight = kinds[kind].weight;
  setup->power = kinds[kind].power;
  setup->scale = kinds[kind].scale;
}

TEST(pair_sums_are_those_of_the_matrix) {
  static const int64_t sides[] = {32, 96, 1000};
  for (int two = 0; two < 2; two++) {
    for (int kind = 0; kind < KINDS; kind++) {
      struct setup setup = set_up(&random, PAPER, two, &l1);
      set_kind(&setup, kind);
      setup.set = kind;
      double *result = run_sums(&setup, &pcf_cpu_backend, NULL);
      CHECK(sums_agree(&setup, result));
      for (int k = 0; k < 3; k++) {
        setup.request.settings.block_side = sides[k];
        setup.request.settings.threads = k + 1;
        check_same(&setup, deferring_backend(&pcf_cpu_backend, 2, k + 1), result, NULL);
        CHECK(deferring_misuses() == 0);
      }
    }
  }
}

TEST(pair_sums_have_the_same_bits_after_exhaustion) {
  struct setup setup = set_up(&random, PAPER, false, &l1);
  setup.weight = PCF_WEIGH_LAPLACIAN;
  double *result = run_sums(&setup, &pcf_cpu_backend, NULL);
  int64_t halvings = 0;
  for (long k = 3; k < 15; k++) {
    const struct pcf_backend *devices = deferring_backend(&pcf_cpu_backend, 2, 2);
    check_same(&setup, pcf_exhausted_backend(devices, k, 1), result, &halvings);
  }
  CHECK(halvings > 0);
}

/* Single pairs are blocks of their own, and very many pairs come on few rows. */
TEST(pair_sums_take_any_method) {
  for (int k = 0; k < METHODS; k++) {
    struct setup setup = set_up(&random, SHARED_GRID, k % 2, &l1);
    setup.request.pairs.method = method_names[k];
    setup.request.settings.threads = 2;
    double *result = run_sums(&setup, &pcf_cpu_backend, NULL);
    CHECK(sums_agree(&setup, result));
  }
}

/* A few numbers in each column, so that not all sums have pairs of both signs. */
static void thin_out(struct setup *setup, struct random *random) {
  for (int64_t k = 0; k < setup->others * COLUMNS; k++) {
    if (random_between(random, 0, setup->others / 2)) setup->b[k] = 0;
  }
}

/* Infinite and missing pairs, unless their numbers are 0. */
TEST(pair_sums_keep_what_is_not_finite) {
  static const struct question endless = {PCF_L1, 1, -INFINITY, INFINITY};
  for (int shape = UNBOUNDED; shape <= PARTIAL; shape++) {
    for (int two = 0; two < 2; two++) {
      struct setup setup = set_up(&random, (enum shape)shape, two, &endless);
      int64_t finite = 0, infinite[2] = {0}, nan = 0;
      thin_out(&setup, &random);
      double *result = run_sums(&setup, &pcf_cpu_backend, NULL);
      CHECK(sums_agree(&setup, result));
      for (int64_t k = 0; k < N * COLUMNS; k++) {
        if (isnan(result[k])) nan += shape != PARTIAL || pcf_is_missing(result[k]);
        finite += isfinite(result[k]) != 0;
        if (isinf(result[k])) infinite[result[k] > 0]++;
      }
      CHECK(finite > N && nan > N && infinite[0] > N && infinite[1] > N);
    }
  }
}

/* Weights that are too large to be multiplied as others are, on the diagonal, too. */
TEST(pair_sums_of_large_weights) {
  static const struct question inner = {PCF_INNER, 2, -INFINITY, 4};
  struct setup setup = set_up(&random, PAPER, false, &inner);
  for (int64_t i = 0; i < N; i++) {
    for (int64_t k = 0; k < pcf_breakpoints(&setup.x->view, i); k++) {
      values_of(setup.x, i)[k] *= i % 3 ? 1e80 : 1e70;
    }
  }
  fill_results(&setup, PCF_LOWER_WITH_DIAGONAL);
  double *result = run_sums(&setup, &pcf_cpu_backend, NULL);
  CHECK(sums_agree(&setup, result));
}

/* Numbers whose products overflow, though their sums may not. */
TEST(pair_sums_of_extreme_numbers) {
  random.state = 924;
  if (check_quick()) return; /* valgrind has not the range of long double */
  struct setup setup = set_up(&random, PAPER, false, &l1);
  for (int64_t i = 0; i < N; i++) {
    for (int64_t k = 0; k < pcf_breakpoints(&setup.x->view, i); k++) {
      values_of(setup.x, i)[k] *= i % 2 ? 1e290 : 1e280;
    }
  }
  fill_results(&setup, PCF_LOWER_WITH_DIAGONAL);
  for (int64_t k = 0; k < N * COLUMNS; k++) setup.b[k] *= k / N % 2 ? 1e-250 : 1e10;
  for (int64_t k = 0; k < N; k++) setup.b[k] *= 1e180;
  double *result = run_sums(&setup, &pcf_cpu_backend, NULL);
  int64_t infinite = 0;
  for (int64_t i = 0; i < N; i++) infinite += isinf(result[i]);
  CHECK(infinite == N);
  CHECK(sums_agree(&setup, result));
}

/* Terms that overflow, and come to nothing: each function is there twice. */
TEST(pair_sums_of_terms_beyond_doubles) {
  struct setup setup = set_up(&random, PAPER, false, &l1);
  int64_t order[N];
  for (int64_t i = 0; i < N; i++) order[i] = i / 2;
  struct functions *x = functions_picked(setup.x, N, order);
  setup.x = x;
  setup.request.pairs.x = &x->view;
  for (int64_t i = 0; i < N; i += 2) {
    for (int64_t k = 0; k < pcf_breakpoints(&x->view, i); k++) {
      values_of(x, i)[k] *= 1e140;
      if (values_of(x, i) != values_of(x, i + 1)) values_of(x, i + 1)[k] = values_of(x, i)[k];
    }
  }
  for (int64_t k = 0; k < N * COLUMNS; k++) setup.b[k] = k % 2 ? -1e200 : 1e200;
  double *result = run_sums(&setup, &pcf_cpu_backend, NULL);
  bool zero = true;
  for (int64_t k = 0; k < N * COLUMNS; k++) zero = zero && result[k] == 0;
  CHECK(zero);
}

/* What is left of sums whose terms are all below the least double. */
TEST(pair_sums_of_logarithms_go_beyond_doubles) {
  struct setup setup = set_up(&random, PAPER, false, &l1);
  setup.weight = PCF_WEIGH_LOGARITHM;
  for (int digits = 3; digits <= 300; digits *= 3) {
    setup.scale = pow(10, -digits);
    double *result = run_sums(&setup, &pcf_cpu_backend, NULL);
    for (int64_t i = 0; i < N; i++) {
      double least = INFINITY;
      long double sum = 0;
      for (int64_t j = 0; j < N; j++) {
        if (i != j) least = fmin(least, setup.result[i + N * j]);
      }
      for (int64_t j = 0; j < N; j++) {
        long double apart = (long double)setup.result[i + N * j] - least;
        if (i != j) sum += expl(-apart / setup.scale);
      }
      if (!CHECK(sum > 0)) break;
      CHECK_NEAR(result[i], (double)(logl(sum) - (long double)least / setup.scale), 1e-13);
    }
  }
}

/* ---- Other ways ---- */

/* The kernels of CUDA add whole numbers without error, as the CPU does. */
TEST(pair_sums_of_gpus_are_those_of_the_matrix) {
  for (int two = 0; two < 2; two++) {
    struct setup setup = set_up(&random, INTEGER_TIMES, two, &l1);
    setup.weight = PCF_WEIGH_GAUSSIAN;
    setup.scale = 3;
    double *result = run_sums(&setup, &pcf_cpu_backend, NULL);
    CHECK(sums_agree(&setup, result));
    setup.request.pairs.width = 0;
    for (int gpus = 1; gpus <= 2; gpus++) {
      setup.request.settings.gpus = gpus;
      for (int64_t side = 64; side <= 256; side *= 2) {
        setup.request.settings.block_side = side;
        check_same(&setup, pcf_cuda_backend(), result, NULL);
      }
    }
  }
}

/* A block by a team, and cut into others that come in another order. */
TEST(pair_sums_take_blocks_by_teams) {
  struct setup setup = set_up(&random, PAPER, false, &l1);
  const struct pcf_scale scale = {.precision = PCF_DOUBLE, .factor = 1};
  double *want = run_sums(&setup, &pcf_cpu_backend, NULL),
         *got = kept(calloc(1, bytes_of(&setup)));
  struct pcf_error error = {0};
  struct pcf_team *team = pcf_team_start(4, &error);
  for (int64_t side = TILE; side <= 8 * TILE; side *= 2) {
    SCOPED(pcf_pair_sums) sums = sums_for(&setup, got);
    struct pcf_sink *sink = &sums.sink;
    CHECK(pcf_pair_sums_start(&sums, &error) == PCF_OK);
    CHECK(pcf_sink_begin(sink, PCF_LOWER_WITH_DIAGONAL, &scale, 4, &error) == PCF_OK);
    for (int64_t j = (N - 1) / side * side; j >= 0; j -= side) {
      for (int64_t i = j; i < N; i += side) {
        int64_t rows = N - i < side ? N - i : side, columns = N - j < side ? N - j : side;
        struct pcf_block block = {.row = i, .column = j, .rows = rows, .columns = columns};
        struct pcf_finished finished = {
          .block = &block, .data = setup.result + i + N * j, .stride = N};
        CHECK(pcf_sink_consume(sink, 0, &finished, team, &error) == PCF_OK);
      }
    }
    CHECK(pcf_sink_finish(sink, &error) == PCF_OK);
    CHECK(memcmp(got, want, bytes_of(&setup)) == 0);
  }
  pcf_team_end(team);
}

/* ---- Failures ---- */

TEST(pair_sums_without_memory_fail) {
  struct setup setup = set_up(&random, PAPER, false, &l1);
  double *result = kept(calloc(1, bytes_of(&setup)));
  bool failed = true;
  for (long k = 1; failed; k++) {
    struct pcf_report report = {0};
    struct pcf_error error = {0};
    pcf_memory_fail_at(k);
    enum pcf_status status = sum_into(&setup, &pcf_cpu_backend, result, &report, &error);
    failed = !memory_failure_is_pending(k);
    CHECK(failed ? status == PCF_ERROR_MEMORY : status == PCF_OK);
  }
  CHECK(sums_agree(&setup, result));
}

TEST(pair_sums_of_devices_that_fail_are_none) {
  struct setup setup = set_up(&random, PAPER, true, &l1);
  double *result = kept(calloc(1, bytes_of(&setup)));
  for (long k = 1; k < 16; k++) {
    struct pcf_report report = {0};
    struct pcf_error error = {0};
    const struct pcf_backend *devices = deferring_backend(&pcf_cpu_backend, 2, 2);
    const struct pcf_backend *failing = pcf_failing_backend(devices, k);
    CHECK(sum_into(&setup, failing, result, &report, &error) == PCF_ERROR_DEVICE);
    CHECK(result[0] == 0);
  }
}

TEST(pair_sums_of_too_many_functions_are_refused) {
  SCOPED(pcf_pair_sums) sums = {.weighing = {.power = 1, .scale = 1}, .rows = 1, .columns = 1};
  struct pcf_error error = {0};
  sums.instructions = pcf_best_instructions(); /* the first of all is not on every processor */
  sums.others = (int64_t)1 << 27;
  CHECK(pcf_pair_sums_start(&sums, &error) == PCF_ERROR_ARGUMENT);
}
