/* Another sink than matrices: it counts, for every row, the pairs below a radius. */
#include "check.h"
#include "runs.h"

#include "testing/device-failing.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { N = 150, M = 90, SIDE = 64, TILE = 32 };

/* ---- The sink ---- */

enum call { NONE, BEGIN, CONSUME, MERGE, FINISH };

/* A pair of two different items of one collection counts for both. Every worker counts for
 * itself, until its counts are merged. */
struct counting_sink {
  struct pcf_sink sink;
  int64_t rows;
  double radius;
  int64_t *count;    /* of every row; to be read after the run */
  int64_t *gathered; /* of every worker and row */
  enum pcf_mode mode;
  struct pcf_scale scale;
  int workers;
  /* For the tests: */
  enum call failing;
  atomic_int begun, consumed, merged, finished, merging, misuses;
};

static enum pcf_status fail_if(const struct counting_sink *counting, enum call call,
                               struct pcf_error *error) {
  static const char *const names[] = {"", "begin", "consume", "merge", "finish"};
  if (counting->failing != call) return PCF_OK;
  return pcf_fail(error, PCF_ERROR_SYSTEM, "no %s today", names[call]);
}

static void expect(struct counting_sink *counting, bool held) {
  if (!held) atomic_fetch_add(&counting->misuses, 1);
}

static enum pcf_status begin(struct pcf_sink *sink, enum pcf_mode mode,
                             const struct pcf_scale *scale, int workers,
                             struct pcf_error *error) {
  struct counting_sink *counting = (struct counting_sink *)sink;
  size_t numbers = (size_t)workers * (size_t)counting->rows;
  expect(counting, atomic_fetch_add(&counting->begun, 1) == 0 && workers >= 1);
  counting->mode = mode;
  counting->scale = *scale;
  counting->workers = workers;
  counting->gathered = pcf_allocate(numbers, sizeof *counting->gathered, error);
  if (!counting->gathered) return PCF_ERROR_MEMORY;
  memset(counting->gathered, 0, numbers * sizeof *counting->gathered);
  return fail_if(counting, BEGIN, error);
}

static bool counts(const struct counting_sink *counting, const struct pcf_finished *finished,
                   int64_t i, int64_t j) {
  const struct pcf_block *block = finished->block;
  int64_t k = i - block->row + finished->stride * (j - block->column);
  double number = scalar_at(finished->data, k, counting->scale.precision);
  return pcf_scaled_back(&counting->scale, number, i, j) < counting->radius;
}

static enum pcf_status consume(struct pcf_sink *sink, int worker,
                               const struct pcf_finished *finished, struct pcf_team *team,
                               struct pcf_error *error) {
  struct counting_sink *counting = (struct counting_sink *)sink;
  const struct pcf_block *block = finished->block;
  bool both = counting->mode != PCF_FULL && counting->mode != PCF_PAIRED;
  int self = counting->mode == PCF_LOWER_WITH_DIAGONAL;
  expect(counting, worker >= 0 && worker < counting->workers);
  expect(counting, counting->begun && !counting->finished);
  int64_t *own = counting->gathered + worker * counting->rows;
  for (int64_t j = block->column; j < block->column + block->columns; j++) {
    for (int64_t i = block->row; i < block->row + block->rows; i++) {
      if (both && i < j + !self) continue;
      if (!counts(counting, finished, i, j)) continue;
      own[counting->mode == PCF_PAIRED ? block->slot : i]++;
      if (both && i != j) own[j]++;
    }
  }
  /* The second block, so that something is gathered before. */
  if (atomic_fetch_add(&counting->consumed, 1) < 1) return PCF_OK;
  return fail_if(counting, CONSUME, error);
}

static enum pcf_status merge(struct pcf_sink *sink, int worker, struct pcf_error *error) {
  struct counting_sink *counting = (struct counting_sink *)sink;
  expect(counting, atomic_fetch_add(&counting->merging, 1) == 0);
  int64_t *own = counting->gathered + worker * counting->rows;
  for (int64_t i = 0; i < counting->rows; i++) counting->count[i] += own[i];
  memset(own, 0, (size_t)counting->rows * sizeof *own);
  atomic_fetch_add(&counting->merged, 1);
  atomic_fetch_sub(&counting->merging, 1);
  return fail_if(counting, MERGE, error);
}

/* Nothing may be left by then. */
static enum pcf_status finish(struct pcf_sink *sink, struct pcf_error *error) {
  struct counting_sink *counting = (struct counting_sink *)sink;
  expect(counting, atomic_fetch_add(&counting->finished, 1) == 0);
  for (int64_t k = 0; k < counting->workers * counting->rows; k++) {
    expect(counting, counting->gathered[k] == 0);
  }
  return fail_if(counting, FINISH, error);
}

static const struct pcf_sink_type counting_type = {
  .name = "counting", .begin = begin, .consume = consume, .merge = merge, .finish = finish};

/* ---- Runs ---- */

struct setup {
  struct functions *x, *y;
  struct asked request;
  enum pcf_matrix_kind kind; /* of the matrix to compare with */
  int64_t rows;
  double radius;
  int64_t *count; /* from the matrix */
};

static struct setup set_up(struct random *random, enum pcf_matrix_kind kind, int question) {
  int64_t n = kind == PCF_MATRIX_PAIRED ? M : N;
  struct setup setup = {.kind = kind, .rows = n};
  setup.x = functions_random(random, PAPER, n, 3, 5);
  if (kind >= PCF_MATRIX_DENSE) setup.y = functions_random(random, PAPER, M, 3, 5);
  setup.request = request_of(&operations[question], kind, setup.x, setup.y);
  setup.request.settings.block_side = SIDE;
  if (kind != PCF_MATRIX_PAIRED) {
    setup.request.pairs.method = "sweep";
    setup.request.pairs.width = TILE;
  }
  return setup;
}

/* Counts in a matrix of all pairs, with a radius that about half of them have. */
static void count_in_matrix(struct setup *setup) {
  struct outcome matrix = run_request(&setup->request, setup->kind, &pcf_cpu_backend);
  int64_t rows = setup->rows;
  double sum = 0;
  CHECK(matrix.status == PCF_OK);
  for (int64_t k = 0; k < matrix.length; k++) sum += matrix.result[k];
  setup->radius = sum / (double)matrix.length;
  setup->count = zeroed(rows, sizeof *setup->count);
  for (int64_t k = 0; k < matrix.length && setup->kind != PCF_MATRIX_DIST; k++) {
    setup->count[k % rows] += matrix.result[k] < setup->radius;
  }
  for (int64_t j = 0; j < rows && setup->kind == PCF_MATRIX_DIST; j++) {
    for (int64_t i = j + 1; i < rows; i++) {
      int below = matrix.result[pcf_dist_index(rows, i, j)] < setup->radius;
      setup->count[i] += below;
      setup->count[j] += below;
    }
  }
}

static struct counting_sink new_sink(const struct setup *setup) {
  return (struct counting_sink){
    .sink = {.type = &counting_type},
    .rows = setup->rows,
    .radius = setup->radius,
    .count = zeroed(setup->rows, sizeof(int64_t)),
  };
}

static void free_sink(struct counting_sink *counting) {
  pcf_free(counting->gathered);
}

/* Returns how often the blocks were cut smaller. */
static int64_t check_counts(const struct setup *setup, const struct pcf_backend *backend) {
  struct counting_sink counting = new_sink(setup);
  struct pcf_report report = {0};
  struct pcf_error error = {0};
  CHECK(run_into(&counting.sink, &setup->request, backend, &report, &error) == PCF_OK);
  CHECK_STRING(error.message, "");
  size_t bytes = (size_t)setup->rows * sizeof *counting.count;
  CHECK(memcmp(counting.count, setup->count, bytes) == 0);
  CHECK(counting.misuses == 0 && counting.begun == 1 && counting.finished == 1);
  CHECK(counting.merged >= 1 && counting.merged <= counting.workers * (1 + report.halvings));
  CHECK(counting.consumed == report.blocks);
  free_sink(&counting);
  return report.halvings;
}

/* ---- Counts ---- */

TEST(counting_sink_counts_as_the_matrix_has_it) {
  for (int question = 0; question < OPERATIONS; question++) {
    for (int kind = PCF_MATRIX_DIST; kind <= PCF_MATRIX_PAIRED; kind++) {
      struct setup setup = set_up(&random, kind, question);
      for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
        setup.request.pairs.precision = precision;
        count_in_matrix(&setup);
        for (int threads = 1; threads <= 4; threads *= 2) {
          check_counts(&setup, deferring_backend(&pcf_cpu_backend, 2, threads));
          CHECK(deferring_misuses() == 0);
        }
      }
    }
  }
}

/* Functions of very different magnitudes have exponents of their own. */
TEST(counting_sink_scales_back) {
  int inner = 0;
  while (operations[inner].operation != PCF_INNER) inner++;
  struct setup setup = set_up(&random, PCF_MATRIX_DENSE, inner);
  for (int64_t i = 0; i < N; i++) {
    double magnitude = pow(10, (double)random_between(&random, -140, 140));
    for (int64_t k = 0; k < pcf_breakpoints(&setup.x->view, i); k++) {
      values_of(setup.x, i)[k] *= magnitude;
    }
  }
  count_in_matrix(&setup);
  check_counts(&setup, &pcf_cpu_backend);
}

/* Workers merge, and then get blocks again. */
TEST(counting_sink_is_merged_again_after_exhaustion) {
  for (int kind = PCF_MATRIX_DIST; kind <= PCF_MATRIX_DENSE; kind++) {
    struct setup setup = set_up(&random, kind, 0);
    count_in_matrix(&setup);
    for (int threads = 1; threads <= 4; threads *= 2) {
      int64_t halvings = 0;
      for (long k = 3; k < 24; k++) {
        const struct pcf_backend *devices = deferring_backend(&pcf_cpu_backend, 2, threads);
        halvings += check_counts(&setup, pcf_exhausted_backend(devices, k, 1));
        CHECK(deferring_misuses() == 0);
      }
      CHECK(halvings > 0);
    }
  }
}

/* ---- Failures ---- */

TEST(counting_sink_that_fails_ends_the_run) {
  static const char *const messages[] = {"", "no begin today", "no consume today",
                                         "no merge today", "no finish today"};
  struct setup setup = set_up(&random, PCF_MATRIX_DIST, 0);
  setup.radius = 1;
  for (int failing = BEGIN; failing <= FINISH; failing++) {
    for (int threads = 1; threads <= 4; threads *= 2) {
      const struct pcf_backend *devices = deferring_backend(&pcf_cpu_backend, 2, threads);
      for (int exhausted = 0; exhausted < 2; exhausted++) {
        struct counting_sink counting = new_sink(&setup);
        struct pcf_error error = {0};
        counting.failing = failing;
        const struct pcf_backend *backend =
          exhausted ? pcf_exhausted_backend(devices, 9, 1) : devices;
        CHECK(run_into(&counting.sink, &setup.request, backend, NULL, &error) ==
              PCF_ERROR_SYSTEM);
        CHECK(error.status == PCF_ERROR_SYSTEM);
        CHECK_STRING(error.message, messages[failing]);
        CHECK(counting.finished == (failing == FINISH));
        CHECK(counting.misuses == 0 && deferring_misuses() == 0);
        CHECK(failing != BEGIN || (counting.consumed == 0 && counting.merged == 0));
        free_sink(&counting);
      }
    }
  }
}

/* A backend that fails never comes to the end of the sink. */
TEST(counting_sink_is_not_finished_after_a_failure) {
  struct setup setup = set_up(&random, PCF_MATRIX_DIST, 0);
  for (long k = 1; k < 16; k++) {
    struct counting_sink counting = new_sink(&setup);
    struct pcf_error error = {0};
    const struct pcf_backend *devices = deferring_backend(&pcf_cpu_backend, 2, 2);
    enum pcf_status status =
      run_into(&counting.sink, &setup.request, pcf_failing_backend(devices, k), NULL, &error);
    CHECK(status == PCF_ERROR_DEVICE && counting.finished == 0 && counting.misuses == 0);
    free_sink(&counting);
  }
}

/* A sink without any functions takes whatever comes. */
TEST(counting_sink_functions_are_optional) {
  static const struct pcf_sink_type nothing = {.name = "nothing"};
  struct setup setup = set_up(&random, PCF_MATRIX_DIST, 0);
  struct counting_sink counting = new_sink(&setup);
  struct pcf_error error = {0};
  counting.sink.type = &nothing;
  CHECK(run_into(&counting.sink, &setup.request, &pcf_cpu_backend, NULL, &error) == PCF_OK);
  CHECK(counting.begun + counting.consumed + counting.merged + counting.finished == 0);
  free_sink(&counting);
}
