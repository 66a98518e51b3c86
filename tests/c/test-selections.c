/* Selections of pairs, as the matrix has them. */
#include "check.h"
#include "fake-cuda.h"
#include "runs.h"

#include "base/memory.h"
#include "cuda/info.h"
#include "sinks/neighbors.h"
#include "sinks/within.h"
#include "testing/device-failing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 140, M = 75, K = 6, SIDE = 64, TILE = 32 };

/* ---- By the matrix ---- */

struct setup {
  struct functions *x, *y;
  struct asked request;
  int64_t rows, others;
  double *distance; /* rows × others; NaN for an item itself */
};

/* The kinds of functions have equal ones, so that there are ties. */
static struct setup set_up(struct random *random, bool two, int question) {
  struct setup setup = {.rows = N, .others = two ? M : N};
  enum pcf_mode kind = two ? PCF_FULL : PCF_LOWER_WITHOUT_DIAGONAL;
  setup.x = functions_random(random, INTEGER_TIMES, N, 2, 5);
  if (two) setup.y = functions_random(random, INTEGER_TIMES, M, 2, 5);
  setup.request = request_of(&operations[question], kind, setup.x, setup.y);
  setup.request.settings.block_side = SIDE;
  setup.request.pairs.method = "sweep";
  setup.request.pairs.width = TILE;
  struct outcome matrix = run_request(&setup.request, kind, &pcf_cpu_backend);
  CHECK(matrix.status == PCF_OK);
  setup.distance = zeroed(N * setup.others, sizeof *setup.distance);
  for (int64_t j = 0; j < setup.others; j++) {
    for (int64_t i = 0; i < N; i++) {
      double *entry = &setup.distance[i + N * j];
      if (two) *entry = matrix.result[i + N * j];
      else if (i == j) *entry = NAN;
      else *entry = matrix.result[dist_index(N, i > j ? i : j, i > j ? j : i)];
    }
  }
  return setup;
}

/* How many others of item i come before one at a distance, with a number. */
static int64_t rank_of(const struct setup *setup, int64_t i, int sign, double distance,
                       int64_t number) {
  int64_t rank = 0;
  for (int64_t j = 0; j < setup->others; j++) {
    double other = sign * setup->distance[i + N * j], key = sign * distance;
    rank += other < key || (other == key && j < number);
  }
  return rank;
}

/* ---- Runs ---- */

/* What the run reports but for its timeline. */
static enum pcf_status select_into(struct pcf_sink *sink, const struct setup *setup,
                                   const struct pcf_backend *backend, struct pcf_report *report,
                                   struct pcf_error *error) {
  enum pcf_status status = run_into(sink, &setup->request, backend, report, error);
  pcf_report_free(report);
  return status;
}

/* Every neighbour is in the place that the matrix gives it. */
static bool in_place(const struct pcf_neighbors *neighbors, const struct setup *setup) {
  bool right = true;
  int sign = neighbors->selection.sign;
  for (int64_t i = 0; i < N && right; i++) {
    right = neighbors->held[i] == K;
    for (int64_t c = 0; c < K && right; c++) {
      int64_t id = neighbors->id[i * K + c];
      double distance = setup->distance[i + N * id];
      right = sign * neighbors->key[i * K + c] == distance &&
              rank_of(setup, i, sign, distance, id) == c;
    }
  }
  return right;
}

static int64_t check_neighbors(const struct setup *setup, int sign,
                               const struct pcf_backend *backend) {
  struct pcf_neighbors neighbors;
  struct pcf_report report = {0};
  struct pcf_error error = {0};
  CHECK(pcf_neighbors_start(&neighbors, N, K, sign, &error) == PCF_OK);
  CHECK(select_into(&neighbors.selection.sink, setup, backend, &report, &error) == PCF_OK);
  CHECK_STRING(error.message, "");
  CHECK(in_place(&neighbors, setup));
  pcf_neighbors_free(&neighbors);
  return report.halvings;
}

static bool lists_agree(const struct pcf_within *within, const struct setup *setup) {
  bool right = true;
  for (int64_t i = 0; i < N && right; i++) {
    int64_t count = 0;
    for (int64_t j = 0; j < setup->others; j++) {
      count += setup->distance[i + N * j] <= within->radius;
    }
    right = within->count[i] == count;
    for (int64_t c = 0; c < count && right && !within->only_count; c++) {
      int64_t id = within->id[within->start[i] + c];
      double distance = within->distance[within->start[i] + c];
      right =
        distance == setup->distance[i + N * id] && rank_of(setup, i, 1, distance, id) == c;
    }
  }
  return right;
}

static void check_within(const struct setup *setup, int only_count,
                         const struct pcf_backend *backend) {
  struct pcf_within within;
  struct pcf_report report = {0};
  struct pcf_error error = {0};
  double radius = fabs(setup->distance[1]);
  CHECK(pcf_within_start(&within, N, radius, only_count, &error) == PCF_OK);
  CHECK(select_into(&within.selection.sink, setup, backend, &report, &error) == PCF_OK);
  CHECK_STRING(error.message, "");
  CHECK(lists_agree(&within, setup));
  pcf_within_free(&within);
}

/* ---- The tests ---- */

/* Distances have no exponents of their own. */
static bool is_distance(int question) {
  return operations[question].operation != PCF_INNER;
}

TEST(selections_are_those_of_the_matrix) {
  for (int question = 0; question < OPERATIONS; question++) {
    if (!is_distance(question)) continue;
    for (int two = 0; two < 2; two++) {
      struct setup setup = set_up(&random, two, question);
      for (int threads = 1; threads <= 4; threads *= 2) {
        const struct pcf_backend *devices = deferring_backend(&pcf_cpu_backend, 2, threads);
        check_neighbors(&setup, 1, devices);
        check_neighbors(&setup, -1, devices);
        check_within(&setup, 0, devices);
        check_within(&setup, 1, devices);
        CHECK(deferring_misuses() == 0);
      }
    }
  }
}

/* The kernels of CUDA add whole numbers without error, as the CPU does. */
TEST(selections_of_a_filter_are_those_of_the_matrix) {
  for (int two = 0; two < 2; two++) {
    struct setup setup = set_up(&random, two, 0);
    for (int gpus = 1; gpus <= 2; gpus++) {
      setup.request.settings.gpus = gpus;
      check_neighbors(&setup, 1, pcf_cuda_backend());
      check_neighbors(&setup, -1, pcf_cuda_backend());
      check_within(&setup, 0, pcf_cuda_backend());
      check_within(&setup, 1, pcf_cuda_backend());
    }
  }
}

/* What was consumed stays, and nothing is consumed twice. */
TEST(selections_go_on_after_exhaustion) {
  for (int two = 0; two < 2; two++) {
    struct setup setup = set_up(&random, two, 0);
    for (int threads = 1; threads <= 4; threads *= 2) {
      int64_t halvings = 0;
      for (long k = 3; k < 16; k++) {
        const struct pcf_backend *devices = deferring_backend(&pcf_cpu_backend, 2, threads);
        halvings += check_neighbors(&setup, 1, pcf_exhausted_backend(devices, k, 1));
        devices = deferring_backend(&pcf_cpu_backend, 2, threads);
        check_within(&setup, 0, pcf_exhausted_backend(devices, k, 1));
        devices = deferring_backend(&pcf_cpu_backend, 2, threads);
        check_within(&setup, 1, pcf_exhausted_backend(devices, k, 1));
      }
      CHECK(halvings > 0);
    }
  }
}

/* ---- What a run asks of a sink ---- */

enum call { NONE, BEGIN, CONSUME, FINISH };

/* The functions of a sink, which fail on request, and how they were called. */
static struct {
  const struct pcf_sink_type *type;
  enum call failing;
  atomic_int begun, consumed, finished, misuses;
} watched;

static enum pcf_status fail_in(enum call call, struct pcf_error *error) {
  static const char *const names[] = {"", "begin", "consume", "finish"};
  if (watched.failing != call) return PCF_OK;
  return pcf_fail(error, PCF_ERROR_SYSTEM, "no %s today", names[call]);
}

static enum pcf_status watched_begin(struct pcf_sink *sink, struct pcf_error *error) {
  if (atomic_fetch_add(&watched.begun, 1) > 0 || sink->workers < 1) watched.misuses++;
  enum pcf_status status = watched.type->begin(sink, error);
  return status ? status : fail_in(BEGIN, error);
}

/* The second block fails, so that something is gathered before. */
static enum pcf_status watched_consume(struct pcf_sink *sink, int worker,
                                       const struct pcf_finished *finished,
                                       struct pcf_team *team, struct pcf_error *error) {
  if (worker < 0 || worker >= sink->workers || watched.finished) watched.misuses++;
  enum pcf_status status = watched.type->consume(sink, worker, finished, team, error);
  return status || atomic_fetch_add(&watched.consumed, 1) < 1 ? status
                                                              : fail_in(CONSUME, error);
}

static enum pcf_status watched_finish(struct pcf_sink *sink, struct pcf_error *error) {
  watched.finished++;
  enum pcf_status status = watched.type->finish(sink, error);
  return status ? status : fail_in(FINISH, error);
}

static enum pcf_status run_watched(const struct setup *setup, enum call failing,
                                   const struct pcf_backend *backend, struct pcf_error *error) {
  static const struct pcf_sink_type type = {
    .begin = watched_begin, .consume = watched_consume, .finish = watched_finish};
  struct pcf_report report = {0};
  SCOPED(pcf_within) within;
  CHECK(pcf_within_start(&within, N, 1, 1, error) == PCF_OK);
  memset(&watched, 0, sizeof watched);
  watched.type = within.selection.sink.type;
  watched.failing = failing;
  within.selection.sink.type = &type;
  enum pcf_status status = select_into(&within.selection.sink, setup, backend, &report, error);
  CHECK(watched.misuses == 0 && deferring_misuses() == 0);
  if (status) return status;
  CHECK(watched.begun == 1 && watched.finished == 1 && watched.consumed == report.blocks);
  return PCF_OK;
}

TEST(selections_are_called_in_order_and_end_the_run_where_they_fail) {
  static const char *const messages[] = {"", "no begin today", "no consume today",
                                         "no finish today"};
  struct setup setup = set_up(&random, false, 0);
  for (int failing = NONE; failing <= FINISH; failing++) {
    for (int way = 0; way < 6; way++) {
      struct pcf_error error = {0};
      const struct pcf_backend *backend = deferring_backend(&pcf_cpu_backend, 2, 1 << way / 2);
      if (way % 2) backend = pcf_exhausted_backend(backend, 9, 1);
      enum pcf_status want = failing ? PCF_ERROR_SYSTEM : PCF_OK;
      CHECK(run_watched(&setup, failing, backend, &error) == want && error.status == want);
      CHECK_STRING(error.message, messages[failing]);
      CHECK(watched.finished == (failing == NONE || failing == FINISH));
      CHECK(failing != BEGIN || watched.consumed == 0);
    }
  }
}

TEST(selections_are_not_finished_after_a_failure) {
  struct setup setup = set_up(&random, false, 0);
  for (long k = 1; k < 16; k++) {
    struct pcf_error error = {0};
    const struct pcf_backend *devices = deferring_backend(&pcf_cpu_backend, 2, 2);
    CHECK(run_watched(&setup, NONE, pcf_failing_backend(devices, k), &error) ==
          PCF_ERROR_DEVICE);
    CHECK(watched.finished == 0);
  }
}

/* A sink without any functions takes whatever comes. */
TEST(selections_need_no_functions) {
  static const struct pcf_sink_type type = {NULL};
  struct pcf_sink nothing = {.type = &type};
  struct pcf_report report = {0};
  struct pcf_error error = {0};
  struct setup setup = set_up(&random, false, 0);
  CHECK(select_into(&nothing, &setup, &pcf_cpu_backend, &report, &error) == PCF_OK);
}

/* ---- Lists that a device keeps ---- */

/* Which entries a sink of neighbours got. */
static atomic_llong of_blocks, of_rows;

static enum pcf_status count_entries(struct pcf_sink *sink, int worker,
                                     const struct pcf_finished *finished, struct pcf_team *team,
                                     struct pcf_error *error) {
  atomic_fetch_add(finished->of_rows ? &of_rows : &of_blocks, 1);
  return pcf_selection_consume(sink, worker, finished, team, error);
}

static enum pcf_status run_lists(struct pcf_neighbors *neighbors, const struct setup *setup,
                                 int64_t k, const struct pcf_backend *backend,
                                 struct pcf_error *error) {
  struct pcf_report report = {0};
  struct pcf_sink *sink = &neighbors->selection.sink;
  enum pcf_status status = pcf_neighbors_start(neighbors, N, k, 1, error);
  if (status) return status;
  struct pcf_sink_type type = *sink->type;
  type.consume = count_entries;
  sink->type = &type;
  atomic_store(&of_blocks, 0);
  atomic_store(&of_rows, 0);
  return select_into(sink, setup, backend, &report, error);
}

TEST(selections_leave_short_lists_to_the_device) {
  for (int way = 0; way < 4; way++) {
    int two = way % 2;
    struct setup setup = set_up(&random, two, 0);
    static const int64_t each[] = {1, 32, 74, 129};
    setup.request.pairs.precision = way < 2 ? PCF_DOUBLE : PCF_SINGLE_PRECISION;
    setup.request.settings.gpus = 1;
    for (int k = 0; k < 4 - two; k++) {
      SCOPED(pcf_neighbors) neighbors;
      struct pcf_error error = {0};
      CHECK(run_lists(&neighbors, &setup, each[k], pcf_cuda_backend(), &error) == PCF_OK);
      CHECK((of_blocks > 0) == (each[k] > 128) && (of_rows > 0) == (each[k] <= 128));
      bool right = true;
      for (int64_t i = 0; i < N; i++) {
        for (int64_t c = 0; c < each[k] && right; c++) {
          int64_t at = i * each[k] + c, id = neighbors.id[at];
          double distance = setup.distance[i + N * id];
          right = neighbors.held[i] == each[k] && neighbors.key[at] == distance &&
                  rank_of(&setup, i, 1, distance, id) == c;
        }
      }
      CHECK(right);
    }
  }
}

/* What a device keeps when it runs out of memory is computed again. */
TEST(selections_of_lists_go_on_after_exhaustion) {
  for (int two = 0; two < 2; two++) {
    struct setup setup = set_up(&random, two, 0);
    for (int gpus = 1; gpus <= 2; gpus++) {
      int64_t halvings = 0;
      setup.request.settings.gpus = gpus;
      setup.request.settings.block_side = 128;
      for (long k = 3; k < 24; k += gpus) {
        halvings += check_neighbors(&setup, 1, pcf_exhausted_backend(pcf_cuda_backend(), k, 1));
      }
      CHECK(halvings > 0);
    }
  }
}

/* Whatever call of CUDA fails, or memory of the host, neighbours are right or there are none,
 * and everything is given back. */
TEST(selections_of_lists_survive_every_failure) {
  static const cudaError_t failures[] = {cudaErrorUnknown, cudaErrorMemoryAllocation};
  struct setup setup = set_up(&random, false, 0);
  setup.request.settings.gpus = setup.request.settings.timeline = 1;
  for (int f = 0; f < 3; f++) {
    bool works = false;
    for (long k = 1; !works && k < 2000; k++) {
      SCOPED(pcf_neighbors) neighbors;
      struct pcf_error error = {0};
      pcf_cuda_release();
      CHECK(fake_cuda_held() == 0);
      fake_cuda.calls = 0;
      fake_cuda.failure = failures[f % 2];
      if (f < 2) fake_cuda.fail_at = k;
      else pcf_memory_fail_at(k);
      enum pcf_status status = run_lists(&neighbors, &setup, K, pcf_cuda_backend(), &error);
      works = f < 2 ? fake_cuda.calls < k : memory_failure_is_pending(k);
      fake_cuda.fail_at = 0;
      if (status) CHECK(error.message[0] != '\0');
      else CHECK(in_place(&neighbors, &setup));
      CHECK(!works || !status);
    }
    CHECK(works);
  }
  pcf_cuda_release();
  CHECK(fake_cuda_held() == 0);
}

/* ---- What is left out ---- */

/* Rectangles are left out where all of their distances are beyond the limits, which after the
 * blocks of the diagonal they are known to be. */
static atomic_llong asked, left_out;

struct finder {
  struct pcf_pruner pruner;
  const struct setup *setup;
  const struct pcf_selection *selection;
};

static int64_t find(struct pcf_pruner *pruner, const struct pcf_rectangle *at, int64_t most,
                    struct pcf_pair_position *position) {
  const struct finder *finder = (const struct finder *)pruner;
  const struct setup *setup = finder->setup;
  const _Atomic double *limit = finder->selection->limit;
  int64_t found = 0;
  atomic_fetch_add(&asked, 1);
  for (int32_t j = 0; j < at->columns; j++) {
    for (int32_t i = 0; i < at->rows; i++) {
      double distance = setup->distance[at->row + i + N * (at->column + j)];
      if (distance > limit[at->row + i] && distance > limit[at->column + j]) continue;
      if (found == most) return most + 1;
      position[found++] = (struct pcf_pair_position){i, j};
    }
  }
  atomic_fetch_add(&left_out, 1);
  return found;
}

/* Groups that are far from each other lie together, so that much can be left out. */
static void move_apart(struct setup *setup) {
  for (int64_t i = 0; i < N; i++) {
    for (int64_t k = 0; k < pcf_breakpoints(&setup->x->view, i); k++) {
      values_of(setup->x, i)[k] += (double)(1000 * (i / TILE));
    }
  }
}

TEST(selections_can_do_without_what_is_beyond_their_limits) {
  struct setup setup = set_up(&random, false, 0);
  move_apart(&setup);
  setup.request.pairs.from = 0;
  setup.request.pairs.to = 5;
  struct outcome matrix =
    run_request(&setup.request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
  for (int64_t j = 0; j < N; j++) {
    for (int64_t i = j + 1; i < N; i++) {
      setup.distance[i + N * j] = setup.distance[j + N * i] =
        matrix.result[dist_index(N, i, j)];
    }
  }
  for (int threads = 1; threads <= 4; threads *= 2) {
    SCOPED(pcf_neighbors) neighbors;
    struct pcf_report report = {0};
    struct pcf_error error = {0};
    atomic_store(&asked, 0);
    atomic_store(&left_out, 0);
    CHECK(pcf_neighbors_start(&neighbors, N, K, 1, &error) == PCF_OK);
    struct finder finder = {
      {.arrange = arrange_nothing, .find = find}, &setup, &neighbors.selection};
    setup.request.pruner = &finder.pruner;
    setup.request.settings.threads = threads;
    CHECK(select_into(&neighbors.selection.sink, &setup, &pcf_cpu_backend, &report, &error) ==
          PCF_OK);
    CHECK(in_place(&neighbors, &setup));
    CHECK(asked == 10 && (threads > 1 || left_out > 0));
  }
}

TEST(selections_name_others_and_break_ties_by_the_name) {
  struct setup setup = set_up(&random, false, 0);
  int32_t name[N];
  for (int32_t i = 0; i < N; i++) name[i] = N - 1 - i;
  SCOPED(pcf_neighbors) neighbors;
  struct pcf_report report = {0};
  struct pcf_error error = {0};
  CHECK(pcf_neighbors_start(&neighbors, N, K, 1, &error) == PCF_OK);
  neighbors.selection.name = name;
  CHECK(select_into(&neighbors.selection.sink, &setup, &pcf_cpu_backend, &report, &error) ==
        PCF_OK);
  bool right = true;
  for (int64_t i = 0; i < N; i++) {
    for (int64_t c = 1; c < K; c++) {
      double before = neighbors.key[i * K + c - 1], key = neighbors.key[i * K + c];
      int32_t id = neighbors.id[i * K + c];
      right = right && key == setup.distance[i + N * (N - 1 - id)];
      right = right && (before < key || neighbors.id[i * K + c - 1] < id);
    }
  }
  CHECK(right);
}

/* ---- Blocks that are handed over ---- */

enum { SIDE_OF_ALL = 700, FEW = 5 };

/* Small whole numbers, so that there are many ties, and NaN where a pair is left out. */
static float *random_block(struct random *random) {
  float *number = kept(malloc(sizeof(float) * SIDE_OF_ALL * SIDE_OF_ALL));
  for (int64_t k = 0; k < SIDE_OF_ALL * SIDE_OF_ALL; k++) {
    number[k] = k % 11 ? (float)random_between(random, 0, 900) : NAN;
  }
  return number;
}

/* The number of the pair of two items, in a lower triangle or a full matrix. */
static double number_of(const float *block, enum pcf_mode mode, int64_t i, int64_t j) {
  if (mode == PCF_FULL) return (double)block[i + SIDE_OF_ALL * j];
  if (i == j) return NAN;
  return i > j ? (double)block[i + SIDE_OF_ALL * j] : (double)block[j + SIDE_OF_ALL * i];
}

static bool has_first(const struct pcf_neighbors *neighbors, const float *block,
                      enum pcf_mode mode, int64_t i) {
  double key = -INFINITY;
  int64_t id = -1;
  int sign = neighbors->selection.sign;
  for (int64_t c = 0; c < FEW; c++) {
    double next = INFINITY;
    int64_t next_id = -1;
    for (int64_t j = 0; j < SIDE_OF_ALL; j++) {
      double other = sign * number_of(block, mode, i, j);
      if (other > key || (other == key && j > id)) {
        if (other < next) next = other, next_id = j;
      }
    }
    if (neighbors->id[i * FEW + c] != next_id || neighbors->key[i * FEW + c] != next)
      return false;
    key = next;
    id = next_id;
  }
  return neighbors->held[i] == FEW;
}

/* All entries of a block that are within the limits, in an order of no meaning. */
static int64_t list_entries(const struct pcf_neighbors *neighbors, const float *data,
                            const struct pcf_block *block, struct pcf_entry *entry) {
  static double row[SIDE_OF_ALL], column[SIDE_OF_ALL];
  const struct pcf_selection *selection = &neighbors->selection;
  int64_t count = 0;
  pcf_selection_limits(selection, block, row, column);
  for (int64_t i = block->rows - 1; i >= 0; i--) {
    for (int64_t j = 0; j < block->columns; j++) {
      if (selection->sink.mode != PCF_FULL && i <= j) continue;
      double number = (double)data[i + SIDE_OF_ALL * j];
      if (!(selection->sign * number <= fmax(row[i], column[j]))) continue;
      entry[count++] = (struct pcf_entry){(int32_t)i, (int32_t)j, number};
    }
  }
  return count;
}

TEST(selections_take_blocks_by_teams_and_entries_of_blocks) {
  struct pcf_error error = {0};
  struct pcf_team *team = pcf_team_start(4, &error);
  struct pcf_scale scale = {.precision = PCF_SINGLE_PRECISION, .factor = 1};
  struct pcf_block block = {.rows = SIDE_OF_ALL, .columns = SIDE_OF_ALL};
  struct pcf_entry *entry = kept(malloc(sizeof *entry * SIDE_OF_ALL * SIDE_OF_ALL));
  float *data = random_block(&random);
  for (int way = 0; way < 12; way++) {
    enum pcf_mode mode = way % 2 ? PCF_FULL : PCF_LOWER_WITHOUT_DIAGONAL;
    int few = way >= 8;
    SCOPED(pcf_neighbors) neighbors;
    CHECK(pcf_neighbors_start(&neighbors, SIDE_OF_ALL, FEW, way & 2 ? 1 : -1, &error) ==
          PCF_OK);
    struct pcf_sink *sink = &neighbors.selection.sink;
    CHECK(pcf_sink_begin(sink, mode, &scale, 1, &error) == PCF_OK);
    struct pcf_finished finished = {
      .block = &block, .data = few ? NULL : data, .stride = SIDE_OF_ALL, .few = few};
    if (few) {
      finished.entry = entry;
      finished.entries = list_entries(&neighbors, data, &block, entry);
    }
    CHECK(pcf_sink_consume(sink, 0, &finished, way & 4 ? team : NULL, &error) == PCF_OK);
    CHECK(pcf_sink_finish(sink, &error) == PCF_OK);
    bool right = true;
    for (int64_t i = 0; i < SIDE_OF_ALL && right; i += 7) {
      right = has_first(&neighbors, data, mode, i);
    }
    CHECK(right);
    /* After that, limits let little pass. */
    CHECK(list_entries(&neighbors, data, &block, entry) < SIDE_OF_ALL * 3 * FEW);
  }
  pcf_team_end(team);
}
