/* Selections: devices may give few entries of a block instead of all its numbers. The sink here
 * knows the numbers of all pairs, and so what it has to get. */
#include "check.h"
#include "fake-cuda.h"
#include "runs.h"

#include "testing/device-failing.h"

#include "base/memory.h"
#include "cuda/info.h"
#include "sinks/selection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The sink ---- */

/* It is a selection by the numbers of blocks, whatever these stand for. */
struct choosing_sink {
  struct pcf_selection selection;
  enum pcf_mode mode;
  enum pcf_precision precision;
  int64_t rows, columns;
  double *number;     /* of all pairs, as blocks have them */
  bool exact;         /* may no entry be beyond the limits? */
  atomic_uchar *seen; /* how often each pair came */
  atomic_long whole, few, entries, most_entries, skipped, wrong;
};

static bool asks_for(const struct choosing_sink *sink, int64_t i, int64_t j) {
  if (sink->mode == PCF_FULL) return true;
  return i > j || (i == j && sink->mode == PCF_LOWER_WITH_DIAGONAL);
}

static bool wants(const struct choosing_sink *sink, int64_t i, int64_t j) {
  struct pcf_block pair = {.row = i, .column = j, .rows = 1, .columns = 1};
  double value = sink->selection.sign * sink->number[i + sink->rows * j], row, column;
  pcf_selection_limits(&sink->selection, &pair, &row, &column);
  return asks_for(sink, i, j) && (value <= row || value <= column);
}

static void see(struct choosing_sink *sink, int64_t i, int64_t j, double number) {
  int64_t at = i + sink->rows * j;
  bool same = memcmp(&number, &sink->number[at], sizeof number) == 0;
  if (!same || atomic_fetch_add(&sink->seen[at], 1) > 0) atomic_fetch_add(&sink->wrong, 1);
}

static void see_entries(struct choosing_sink *sink, const struct pcf_finished *finished) {
  const struct pcf_block *block = finished->block;
  long most = atomic_load(&sink->most_entries);
  atomic_fetch_add(&sink->few, 1);
  atomic_fetch_add(&sink->entries, finished->entries);
  while (finished->entries > most &&
         !atomic_compare_exchange_weak(&sink->most_entries, &most, finished->entries)) {
  }
  for (int64_t k = 0; k < finished->entries; k++) {
    struct pcf_entry entry = finished->entry[k];
    int64_t i = block->row + entry.row, j = block->column + entry.column;
    bool inside = entry.row >= 0 && entry.row < block->rows && entry.column >= 0 &&
                  entry.column < block->columns && asks_for(sink, i, j);
    if (!inside || (sink->exact && !wants(sink, i, j))) atomic_fetch_add(&sink->wrong, 1);
    if (inside) see(sink, i, j, entry.number);
  }
}

static enum pcf_status consume(struct pcf_sink *sink_, int worker,
                               const struct pcf_finished *finished, struct pcf_team *team,
                               struct pcf_error *error) {
  struct choosing_sink *sink = (struct choosing_sink *)sink_;
  const struct pcf_block *block = finished->block;
  if (finished->few) {
    see_entries(sink, finished);
    return PCF_OK;
  }
  atomic_fetch_add(&sink->whole, 1);
  for (int64_t j = 0; j < block->columns; j++) {
    for (int64_t i = 0; i < block->rows; i++) {
      if (!asks_for(sink, block->row + i, block->column + j)) continue;
      double number = scalar_at(finished->data, i + finished->stride * j, sink->precision);
      see(sink, block->row + i, block->column + j, number);
    }
  }
  return PCF_OK;
}

/* The sink that finds out what the numbers are. */
static enum pcf_status learn(struct pcf_sink *sink_, int worker,
                             const struct pcf_finished *finished, struct pcf_team *team,
                             struct pcf_error *error) {
  struct choosing_sink *sink = (struct choosing_sink *)sink_;
  const struct pcf_block *block = finished->block;
  for (int64_t j = 0; j < block->columns; j++) {
    for (int64_t i = 0; i < block->rows; i++) {
      sink->number[block->row + i + sink->rows * (block->column + j)] =
        scalar_at(finished->data, i + finished->stride * j, sink->precision);
    }
  }
  return PCF_OK;
}

static enum pcf_status begin(struct pcf_sink *sink, struct pcf_error *error) {
  sink->scale = (struct pcf_scale){.precision = sink->scale.precision, .factor = 1};
  ((struct choosing_sink *)sink)->selection.inverse = 1;
  return PCF_OK;
}

static const struct pcf_sink_type learning = {.consume = learn};
static const struct pcf_sink_type choosing = {
  .prefer = pcf_selection_prefer, .begin = begin, .consume = consume};

/* A pruner that leaves out rectangles without pairs that the sink wants. */
struct skipping {
  struct pcf_pruner pruner;
  struct choosing_sink *sink;
};

static int64_t find(struct pcf_pruner *pruner, const struct pcf_rectangle *at, int64_t most,
                    struct pcf_pair_position *position) {
  struct choosing_sink *sink = ((struct skipping *)pruner)->sink;
  for (int64_t j = at->column; j < at->column + at->columns; j++) {
    for (int64_t i = at->row; i < at->row + at->rows; i++) {
      if (wants(sink, i, j)) return most + 1;
    }
  }
  atomic_fetch_add(&sink->skipped, 1);
  return 0;
}

static struct choosing_sink new_sink(const struct asked *request) {
  int64_t rows = request->pairs.x->count, columns = pcf_columns_of(&request->pairs)->count;
  struct choosing_sink sink = {.selection = {.rows = rows, .sign = 1},
                               .mode = request->pairs.mode,
                               .precision = request->pairs.precision,
                               .rows = rows,
                               .columns = columns};
  sink.number = kept(malloc((size_t)(rows * columns) * sizeof *sink.number));
  sink.seen = kept(malloc((size_t)(rows * columns) * sizeof *sink.seen));
  sink.selection.limit = kept(malloc((size_t)rows * sizeof *sink.selection.limit));
  return sink;
}

/* ---- Runs ---- */

static enum pcf_status choose_into(struct choosing_sink *sink, const struct pcf_sink_type *type,
                                   const struct asked *request,
                                   const struct pcf_backend *backend, struct pcf_report *report,
                                   struct pcf_error *error) {
  bool selects = type == &choosing;
  sink->selection.sink =
    (struct pcf_sink){.type = type, .selection = selects ? &sink->selection : NULL};
  for (int64_t k = 0; k < sink->rows * sink->columns; k++) atomic_init(&sink->seen[k], 0);
  sink->whole = sink->few = sink->entries = sink->most_entries = 0;
  sink->skipped = sink->wrong = 0;
  return run_into(&sink->selection.sink, request, backend, report, error);
}

static void check_choice(const struct choosing_sink *sink) {
  int64_t missing = 0;
  for (int64_t j = 0; j < sink->columns; j++) {
    for (int64_t i = 0; i < sink->rows; i++) {
      missing += wants(sink, i, j) && sink->seen[i + sink->rows * j] != 1;
    }
  }
  CHECK(missing == 0);
  CHECK(sink->wrong == 0);
}

/* Returns how often the blocks were cut smaller. */
static int64_t check_run(struct choosing_sink *sink, const struct pcf_sink_type *type,
                         const struct asked *request, const struct pcf_backend *backend) {
  struct pcf_error error = {0};
  struct pcf_report report = {0};
  CHECK(choose_into(sink, type, request, backend, &report, &error) == PCF_OK);
  CHECK_STRING(error.message, "");
  CHECK(sink->whole + sink->few == report.blocks);
  check_choice(sink);
  pcf_report_free(&report);
  return report.halvings;
}

/* ---- Limits ---- */

/* The k-th least of sign · number among the pairs of an item of the rows. */
static double least_of(const struct choosing_sink *sink, int64_t item, int64_t k) {
  int64_t count = sink->columns, found = 0;
  double *value = kept(malloc((size_t)(count + 1) * sizeof *value)), least;
  for (int64_t other = 0; other < count; other++) {
    int64_t i = item, j = other;
    if (sink->mode != PCF_FULL && i < j) i = other, j = item;
    if (!asks_for(sink, i, j)) continue;
    value[found++] = sink->selection.sign * sink->number[i + sink->rows * j];
  }
  qsort(value, (size_t)found, sizeof *value, by_number);
  least = value[k < found ? k : found - 1];
  return least;
}

static void limit_all(struct choosing_sink *sink, double limit) {
  for (int64_t i = 0; i < sink->rows; i++) sink->selection.limit[i] = limit;
}

static void limit_to_least(struct choosing_sink *sink, int64_t k) {
  for (int64_t i = 0; i < sink->rows; i++) sink->selection.limit[i] = least_of(sink, i, k);
}

/* Limits of all kinds, many of them equal to a number or next to one. */
static void limit_at_random(struct choosing_sink *sink, struct random *random) {
  for (int64_t item = 0; item < sink->rows; item++) {
    double limit = least_of(sink, item, random_between(random, 0, 4));
    switch (random_between(random, 0, 7)) {
    case 0: limit = nextafter(limit, INFINITY); break;
    case 1: limit = nextafter(limit, -INFINITY); break;
    case 2: limit = nextafterf((float)limit, INFINITY); break;
    case 3: limit = -INFINITY; break;
    case 4: limit = -1e300; break;
    default: break;
    }
    if (random_between(random, 0, 99) == 0) limit = INFINITY;
    sink->selection.limit[item] = limit;
  }
}

/* ---- The CUDA device ---- */

struct setup {
  struct functions *x, *y;
  struct asked request;
  struct choosing_sink sink;
};

/* Columns are those of a matrix of two collections. The numbers are learnt with the same
 * device.
 */
static struct setup set_up(struct random *random, enum pcf_mode kind, const char *method,
                           enum pcf_precision precision, int64_t rows, int64_t columns) {
  static const struct question l1 = {PCF_L1, 1, -INFINITY, INFINITY};
  static const struct question inner = {PCF_INNER, 1, -INFINITY, INFINITY};
  enum shape shape = strcmp(method, "grid") == 0 ? SHARED_GRID : PAPER;
  struct setup setup = {.x = functions_random(random, shape, rows, 3, 6)};
  struct pcf_error error = {0};
  if (kind == PCF_FULL) setup.y = functions_random(random, shape, columns, 3, 6);
  setup.request =
    request_of(kind == PCF_LOWER_WITH_DIAGONAL ? &inner : &l1, kind, setup.x, setup.y);
  setup.request.pairs.method = method;
  setup.request.pairs.precision = precision;
  setup.request.pairs.to = 1;
  setup.request.settings.gpus = 1;
  setup.request.settings.block_side = 64;
  setup.sink = new_sink(&setup.request);
  setup.sink.exact = true;
  fake_cuda_reset();
  CHECK(choose_into(&setup.sink, &learning, &setup.request, pcf_cuda_backend(), NULL, &error) ==
        PCF_OK);
  return setup;
}

/* With limits that let nothing, little, much and everything pass. */
static void check_limits(struct setup *setup, struct random *random) {
  struct choosing_sink *sink = &setup->sink;
  const struct pcf_backend *cuda = pcf_cuda_backend();
  for (int sign = 1; sign >= -1; sign -= 2) {
    sink->selection.sign = sign;
    limit_all(sink, -INFINITY);
    check_run(sink, &choosing, &setup->request, cuda);
    CHECK(sink->whole == 0 && sink->entries == 0);
    limit_to_least(sink, 2);
    check_run(sink, &choosing, &setup->request, cuda);
    CHECK(sink->few > sink->whole && sink->entries > 0);
    for (int k = 0; k < 3; k++) {
      limit_at_random(sink, random);
      check_run(sink, &choosing, &setup->request, cuda);
      CHECK(sink->few > 0);
    }
    limit_all(sink, 1e300);
    check_run(sink, &choosing, &setup->request, cuda);
    CHECK(sink->whole > sink->few);
    limit_all(sink, INFINITY);
    check_run(sink, &choosing, &setup->request, cuda);
    CHECK(sink->whole > sink->few);
  }
}

TEST(filter_lets_pass_what_the_limits_do) {
  static const char *const methods[] = {"sweep", "grid", "split"};
  for (int kind = PCF_FULL; kind <= PCF_LOWER_WITH_DIAGONAL; kind++) {
    for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
      for (int m = 0; m < (check_quick() ? 2 : 3); m++) {
        struct setup setup = set_up(&random, kind, methods[m], precision, 140, 70);
        check_limits(&setup, &random);
      }
    }
  }
}

/* More entries than come with their count. */
TEST(filter_brings_back_the_rest_of_many_entries) {
  for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
    struct setup setup =
      set_up(&random, PCF_LOWER_WITHOUT_DIAGONAL, "sweep", precision, 270, 135);
    setup.request.settings.block_side = 256;
    limit_to_least(&setup.sink, 7);
    check_run(&setup.sink, &choosing, &setup.request, pcf_cuda_backend());
    CHECK(setup.sink.most_entries > 1024 && setup.sink.whole == 0);
  }
}

/* Blocks of fewer numbers than they have limits. */
TEST(filter_works_on_very_small_blocks) {
  static const int64_t rows[] = {1, 2, 17, 64};
  for (int k = 0; k < 4; k++) {
    struct setup setup = set_up(&random, PCF_FULL, "sweep", k % 2, rows[k], 1);
    for (int sign = 1; sign >= -1; sign -= 2) {
      setup.sink.selection.sign = sign;
      limit_at_random(&setup.sink, &random);
      check_run(&setup.sink, &choosing, &setup.request, pcf_cuda_backend());
      limit_all(&setup.sink, 1e300);
      check_run(&setup.sink, &choosing, &setup.request, pcf_cuda_backend());
    }
  }
}

/* Where some items have no limit a block may still be filtered: it has room for a sixteenth. */
TEST(filter_is_left_out_where_nearly_all_would_pass) {
  struct setup setup = set_up(&random, PCF_FULL, "sweep", PCF_DOUBLE, 128, 64);
  const struct pcf_backend *cuda = pcf_cuda_backend();
  limit_all(&setup.sink, INFINITY);
  check_run(&setup.sink, &choosing, &setup.request, cuda); /* what it allocates is kept */
  fake_cuda.calls = 0;
  check_run(&setup.sink, &choosing, &setup.request, cuda);
  long open = fake_cuda.calls;
  CHECK(setup.sink.whole == 2);
  fake_cuda.calls = 0;
  limit_all(&setup.sink, 1e300);
  check_run(&setup.sink, &choosing, &setup.request, cuda);
  CHECK(setup.sink.whole == 2 && fake_cuda.calls > open);
  limit_all(&setup.sink, -INFINITY);
  for (int64_t i = 0; i < setup.sink.rows; i += 32) setup.sink.selection.limit[i] = INFINITY;
  check_run(&setup.sink, &choosing, &setup.request, cuda);
  CHECK(setup.sink.whole == 0 && setup.sink.entries == 128 / 32 * 64);
}

TEST(filter_leaves_out_blocks_of_which_nothing_is_wanted) {
  for (int kind = PCF_FULL; kind <= PCF_LOWER_WITH_DIAGONAL; kind++) {
    struct setup setup = set_up(&random, kind, "sweep", PCF_SINGLE_PRECISION, 300, 150);
    struct choosing_sink *sink = &setup.sink;
    struct skipping skipping = {{.arrange = arrange_nothing, .find = find}, sink};
    setup.request.pruner = &skipping.pruner;
    for (int gpus = 1; gpus <= 2; gpus++) {
      setup.request.settings.gpus = gpus;
      setup.request.settings.timeline = gpus - 1;
      limit_all(sink, -INFINITY);
      check_run(sink, &choosing, &setup.request, pcf_cuda_backend());
      CHECK(sink->skipped == sink->few && sink->whole == 0);
      sink->selection.limit[70] = least_of(sink, 70, 2);
      sink->selection.limit[200] = INFINITY;
      check_run(sink, &choosing, &setup.request, pcf_cuda_backend());
      CHECK(sink->skipped > 0 && sink->skipped < sink->few);
    }
  }
}

/* Streaming, several GPUs, and blocks that are cut smaller. */
TEST(filter_works_however_blocks_come) {
  for (int kind = PCF_FULL; kind <= PCF_LOWER_WITH_DIAGONAL; kind++) {
    if (check_quick() && kind != PCF_LOWER_WITHOUT_DIAGONAL) continue;
    struct setup setup =
      set_up(&random, kind, "sweep", kind == PCF_LOWER_WITH_DIAGONAL, 300, 150);
    const struct pcf_backend *cuda = pcf_cuda_backend();
    struct choosing_sink *sink = &setup.sink;
    limit_to_least(sink, 3);
    for (int gpus = 1; gpus <= 2; gpus++) {
      setup.request.settings.gpus = gpus;
      setup.request.settings.gpu_memory = 0;
      check_run(sink, &choosing, &setup.request, cuda);
      setup.request.settings.block_side = 256;
      int64_t halvings = 0;
      for (long k = 4; k < 13; k++) {
        halvings +=
          check_run(sink, &choosing, &setup.request, pcf_exhausted_backend(cuda, k, 1));
      }
      CHECK(halvings > 0);
      setup.request.settings.block_side = 64;
      setup.request.settings.gpu_memory = 1e6;
      check_run(sink, &choosing, &setup.request, cuda);
    }
  }
}

/* Whatever call of CUDA fails, or memory of the host, everything is given back. */
TEST(filter_gives_everything_back_after_a_failure) {
  static const cudaError_t failures[] = {cudaErrorUnknown, cudaErrorMemoryAllocation};
  struct setup setup =
    set_up(&random, PCF_LOWER_WITHOUT_DIAGONAL, "sweep", PCF_SINGLE_PRECISION, 140, 70);
  struct choosing_sink *sink = &setup.sink;
  limit_to_least(sink, 3);
  sink->selection.limit[20] = sink->selection.limit[100] = 1e300;
  setup.request.settings.timeline = 1;
  for (int f = 0; f < 3; f++) {
    bool works = false;
    for (long k = 1; !works && k < 2000; k++) {
      struct pcf_error error = {0};
      SCOPED(pcf_report) report = {0};
      fake_cuda_reset();
      CHECK(fake_cuda_held() == 0);
      fake_cuda.calls = 0;
      fake_cuda.failure = failures[f % 2];
      if (f < 2) fake_cuda.fail_at = k;
      else pcf_memory_fail_at(k);
      enum pcf_status status =
        choose_into(sink, &choosing, &setup.request, pcf_cuda_backend(), &report, &error);
      works = f < 2 ? fake_cuda.calls < k : memory_failure_is_pending(k);
      fake_cuda.fail_at = 0;
      if (status) CHECK(error.message[0] != '\0');
      else check_choice(sink);
      CHECK(!works || !status);
    }
    CHECK(works);
  }
  fake_cuda_reset();
  CHECK(fake_cuda_held() == 0);
}

/* ---- Other devices ---- */

/* The double hands over entries, and whole blocks between them; the CPU leaves out tiles. */
TEST(filter_of_other_devices_lets_pass_what_the_limits_do) {
  for (int kind = PCF_FULL; kind <= PCF_LOWER_WITH_DIAGONAL; kind++) {
    struct setup setup =
      set_up(&random, kind, "sweep", kind == PCF_LOWER_WITH_DIAGONAL, 150, 75);
    struct choosing_sink *sink = &setup.sink;
    struct pcf_error error = {0};
    setup.request.pairs.width = 32;
    CHECK(choose_into(sink, &learning, &setup.request, &pcf_cpu_backend, NULL, &error) ==
          PCF_OK);
    for (int sign = 1; sign >= -1; sign -= 2) {
      sink->selection.sign = sign;
      limit_at_random(sink, &random);
      check_run(sink, &choosing, &setup.request, &pcf_cpu_backend);
      CHECK(sink->few == 0);
      for (int threads = 1; threads <= 3; threads++) {
        check_run(sink, &choosing, &setup.request,
                  deferring_backend(&pcf_cpu_backend, 2, threads));
        CHECK(sink->few > 0 && sink->whole > 0 && deferring_misuses() == 0);
      }
    }
  }
}
