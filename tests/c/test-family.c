/* Another family than functions: vectors, which the engine schedules, keeps on devices, runs
 * and collects without knowing what they are. */
#include "check.h"
#include "runs.h"
#include "vectors.h"

#include "base/memory.h"
#include "blocks/residency.h"
#include "sinks/matrix.h"
#include "testing/device-failing.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 45, M = 38, LONGEST = 60, LARGEST = 8 };

static const double nothing = -98765;

/* Whole numbers up to LARGEST, times a power of two for every vector: dot products are exact in
 * both precisions, and so is all that is done with them. */
static struct vectors *vectors_random(struct random *random, int64_t count, int spread) {
  int64_t lengths[N] = {0};
  for (int64_t i = 0; i < count; i++) lengths[i] = random_between(random, 0, LONGEST);
  struct vectors *x = vectors_new(count, lengths);
  for (int64_t i = 0; i < count; i++) {
    int exponent = (int)random_between(random, -spread, spread);
    for (int64_t k = x->offsets[i]; k < x->offsets[i + 1]; k++) {
      x->numbers[k] = ldexp((double)random_between(random, -LARGEST, LARGEST), exponent);
    }
  }
  return x;
}

static double plain_dot(const struct vectors *x, int64_t i, const struct vectors *y,
                        int64_t j) {
  double sum = 0;
  for (int64_t k = x->offsets[i], l = y->offsets[j];
       k < x->offsets[i + 1] && l < y->offsets[j + 1]; k++, l++) {
    sum += x->numbers[k] * y->numbers[l];
  }
  return sum;
}

/* ---- Runs ---- */

struct asked_vectors {
  struct vector_problem problem;
  struct pcf_settings settings;
  enum pcf_matrix_kind kind;
};

struct answered {
  enum pcf_status status;
  struct pcf_report report;
  struct pcf_error error;
  struct pcf_matrix_sink sink;
  int64_t length;
};

/* The mode is that of the matrix. */
static struct asked_vectors ask(enum pcf_matrix_kind kind, const struct vectors *x,
                                const struct vectors *y) {
  static const enum pcf_mode modes[] = {PCF_LOWER_WITHOUT_DIAGONAL, PCF_LOWER_WITH_DIAGONAL,
                                        PCF_FULL, PCF_PAIRED};
  struct asked_vectors asked = {
    .problem =
      {.x = x, .y = y, .mode = modes[kind], .weight = 3, .shift = 5, .slots = PCF_MAX_SLOTS},
    .settings = {.threads = 1},
    .kind = kind};
  int64_t columns = y ? y->count : x->count;
  if (kind == PCF_MATRIX_PAIRED) {
    asked.problem.pairs = x->count > columns ? x->count : columns;
  }
  return asked;
}

static struct pcf_matrix_sink new_result(const struct asked_vectors *asked) {
  const struct vector_problem *problem = &asked->problem;
  bool paired = asked->kind == PCF_MATRIX_PAIRED;
  int64_t columns = problem->y ? problem->y->count : problem->x->count;
  struct pcf_matrix_sink sink =
    pcf_matrix_sink(asked->kind, paired ? problem->pairs : problem->x->count, columns, NULL);
  int64_t length = pcf_matrix_length(&sink);
  sink.result = kept(malloc((size_t)(length + 1) * sizeof *sink.result));
  for (int64_t k = 0; k <= length; k++) sink.result[k] = nothing;
  return sink;
}

/* A second backend may be NULL. */
static struct answered answer_by(const struct asked_vectors *asked,
                                 const struct pcf_backend *first,
                                 const struct pcf_backend *second) {
  struct answered answered = {.sink = new_result(asked)};
  struct vector_problem problem = asked->problem;
  struct pcf_job job = {.family = &vector_family,
                        .problem = &problem,
                        .settings = asked->settings,
                        .backends = second ? 2 : 1,
                        .backend = {first, second},
                        .sink = &answered.sink.sink};
  answered.length = pcf_matrix_length(&answered.sink);
  struct pcf_run *run = pcf_run_start(&job, &answered.error);
  answered.status =
    run ? pcf_run_finish(run, &answered.report, &answered.error) : answered.error.status;
  CHECK(vector_remains() == 0 && !problem.exponents);
  keep_report(answered.report);
  return answered;
}

static struct answered answer(const struct asked_vectors *asked,
                              const struct pcf_backend *backend) {
  return answer_by(asked, backend, NULL);
}

/* What should be at place (i, j) of the matrix, or at place i of the pairs. */
static double wanted(const struct asked_vectors *asked, int64_t i, int64_t j) {
  const struct vector_problem *problem = &asked->problem;
  const struct vectors *x = problem->x, *y = problem->y ? problem->y : problem->x;
  if (asked->kind == PCF_MATRIX_PAIRED) j = i % y->count, i = i % x->count;
  return ldexp(problem->weight * plain_dot(x, i, y, j), problem->shift);
}

/* The same numbers as from a plain loop, at every place. */
static bool is_right(const struct asked_vectors *asked, const struct answered *answered) {
  const struct pcf_matrix_sink *sink = &answered->sink;
  bool dist = asked->kind == PCF_MATRIX_DIST, paired = asked->kind == PCF_MATRIX_PAIRED;
  int64_t wrong = answered->status != PCF_OK || sink->result[answered->length] != nothing;
  for (int64_t j = 0; j < (paired ? 1 : sink->columns); j++) {
    for (int64_t i = dist ? j + 1 : 0; i < sink->rows; i++) {
      int64_t place = dist ? pcf_dist_index(sink->rows, i, j) : i + sink->rows * j;
      wrong += sink->result[place] != wanted(asked, i, j);
    }
  }
  return wrong == 0;
}

static void check_right(const struct asked_vectors *asked, const struct pcf_backend *backend) {
  struct answered answered = answer(asked, backend);
  CHECK_STRING(answered.error.message, "");
  CHECK(is_right(asked, &answered));
}

/* ---- Results ---- */

TEST(family_gives_the_results_of_a_plain_loop) {
  static const int64_t sides[] = {0, 1, 4, 8, 16, 1000};
  for (int kind = PCF_MATRIX_DIST; kind <= PCF_MATRIX_PAIRED; kind++) {
    bool two = kind >= PCF_MATRIX_DENSE;
    struct vectors *x = vectors_random(&random, N, 3);
    struct vectors *y = two ? vectors_random(&random, M, 3) : NULL;
    struct asked_vectors asked = ask(kind, x, y);
    for (int side = 0; side < 6; side++) {
      for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
        asked.settings.block_side = sides[side];
        asked.problem.precision = precision;
        check_right(&asked, &vector_fleet);
        check_right(&asked, &vector_single);
      }
    }
  }
}

/* Of which the numbers would be too large, or too small, without their exponents. */
TEST(family_scales_results_back) {
  for (int kind = PCF_MATRIX_DIST; kind <= PCF_MATRIX_PAIRED; kind++) {
    bool two = kind >= PCF_MATRIX_DENSE;
    struct vectors *x = vectors_random(&random, N, 400);
    struct vectors *y = two ? vectors_random(&random, M, 400) : NULL;
    struct asked_vectors asked = ask(kind, x, y);
    asked.problem.own_exponents = 1;
    for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
      asked.problem.precision = precision;
      check_right(&asked, &vector_fleet);
    }
  }
}

TEST(family_of_one_collection_in_a_full_matrix) {
  struct vectors *x = vectors_random(&random, N, 3);
  struct asked_vectors asked = ask(PCF_MATRIX_DENSE, x, NULL);
  asked.settings.block_side = 8;
  check_right(&asked, &vector_fleet);
}

TEST(family_of_nothing_and_of_one) {
  for (int kind = PCF_MATRIX_DIST; kind <= PCF_MATRIX_PAIRED; kind++) {
    for (int64_t count = 0; count <= 1; count++) {
      struct vectors *x = vectors_random(&random, count, 3);
      struct asked_vectors asked = ask(kind, x, NULL);
      check_right(&asked, &vector_fleet);
    }
  }
}

/* ---- Backends ---- */

TEST(family_is_run_by_the_cheaper_backend) {
  struct vectors *few = vectors_random(&random, 3, 3), *many = vectors_random(&random, N, 3);
  for (int large = 0; large < 2; large++) {
    struct asked_vectors asked = ask(PCF_MATRIX_DIST, large ? many : few, NULL);
    for (int turned = 0; turned < 2; turned++) {
      const struct pcf_backend *first = turned ? &vector_fleet : &vector_single;
      const struct pcf_backend *second = turned ? &vector_single : &vector_fleet;
      struct answered answered = answer_by(&asked, first, second);
      REQUIRE(answered.status == PCF_OK);
      int chosen = answered.report.chosen;
      const struct pcf_offer *offers = answered.report.offer;
      CHECK(is_right(&asked, &answered));
      CHECK(chosen == (large ? !turned : turned));
      CHECK(offers[chosen].seconds < offers[!chosen].seconds);
      CHECK_STRING(offers[chosen].method, large ? "all at once" : "one by one");
    }
  }
}

TEST(family_without_a_backend_is_an_error) {
  struct vectors *x = vectors_random(&random, 3, 3);
  struct asked_vectors asked = ask(PCF_MATRIX_DIST, x, NULL);
  struct vector_problem problem = asked.problem;
  struct pcf_matrix_sink sink = new_result(&asked);
  struct pcf_job job = {.family = &vector_family,
                        .problem = &problem,
                        .settings = asked.settings,
                        .sink = &sink.sink};
  struct pcf_error error = {0};
  struct pcf_run *run = pcf_run_start(&job, &error);
  REQUIRE(run);
  CHECK(pcf_run_finish(run, NULL, &error) == PCF_ERROR_ARGUMENT && vector_remains() == 0);
  CHECK_STRING(error.message, "no device can compute these vectors as requested");
}

/* ---- Little memory on the devices ---- */

/* A row segment comes once, and a column segment once for every `held` row segments, where
 * slots - 2 of them are held. */
TEST(family_streams_through_few_slots) {
  random.state = 806;
  struct vectors *x = vectors_random(&random, N, 3), *y = vectors_random(&random, M, 3);
  struct asked_vectors asked = ask(PCF_MATRIX_DENSE, x, y);
  asked.settings.block_side = VECTOR_TILE;
  asked.settings.gpus = 1;
  for (int slots = 3; slots <= 6; slots++) {
    double slot_bytes = 8 * VECTOR_TILE * (LONGEST + 1);
    struct pcf_segments rows, columns;
    REQUIRE(!pcf_segments_cut(&rows, &(struct pcf_items){N, x->offsets}, VECTOR_TILE, 8, 8,
                              slot_bytes, NULL));
    REQUIRE(!pcf_segments_cut(&columns, &(struct pcf_items){M, y->offsets}, VECTOR_TILE, 8, 8,
                              slot_bytes, NULL));
    int64_t most = rows.count + pcf_band_count(rows.count, slots - 2) * columns.count;
    asked.problem.slots = slots;
    asked.settings.gpu_memory = 2 * slots * slot_bytes;
    vector_loads();
    check_right(&asked, &vector_fleet);
    int64_t loads = vector_loads();
    CHECK(slots < rows.count && slots < columns.count);
    CHECK(loads > rows.count + columns.count && loads <= most);
    pcf_segments_free(&rows);
    pcf_segments_free(&columns);
  }
}

/* In every mode, on two devices, with room for no more than the two segments of a block. */
TEST(family_streams_in_every_mode) {
  struct vectors *x = vectors_random(&random, N, 3), *y = vectors_random(&random, M, 3);
  for (int kind = PCF_MATRIX_DIST; kind <= PCF_MATRIX_PAIRED; kind++) {
    struct asked_vectors asked = ask(kind, x, kind >= PCF_MATRIX_DENSE ? y : NULL);
    asked.settings.block_side = VECTOR_TILE;
    for (int slots = 2; slots <= 4; slots++) {
      asked.problem.slots = slots;
      asked.settings.gpu_memory = 2 * slots * 8.0 * (VECTOR_TILE * (LONGEST + 1));
      vector_loads();
      check_right(&asked, &vector_fleet);
      CHECK(vector_loads() > pcf_band_count(N, VECTOR_TILE));
    }
  }
}

/* Blocks start as large as they are asked for, and end as small as the segments need, or the
 * outputs. */
TEST(family_cuts_blocks_down_to_what_fits) {
  random.state = 808;
  struct vectors *x = vectors_random(&random, N, 3);
  struct asked_vectors asked = ask(PCF_MATRIX_SYMMETRIC, x, NULL);
  asked.settings.block_side = 64;
  asked.settings.gpu_memory = 56000; /* too little for outputs of all pairs */
  asked.problem.slots = 2;
  struct answered answered = answer(&asked, &vector_fleet);
  CHECK(is_right(&asked, &answered) && answered.report.halvings == 1);
  asked.problem.slots = 4; /* and for a slot with all vectors */
  answered = answer(&asked, &vector_fleet);
  CHECK(is_right(&asked, &answered) && answered.report.halvings == 0);
  CHECK(answered.report.blocks == 6);
  asked.settings.gpu_memory = 1000;
  answered = answer(&asked, &vector_fleet);
  CHECK(answered.status == PCF_ERROR_DEVICE_MEMORY && answered.error.message[0] != 0);
}

/* ---- Failures ---- */

static struct asked_vectors ask_in_blocks(const struct vectors *x) {
  struct asked_vectors asked = ask(PCF_MATRIX_DIST, x, NULL);
  asked.settings.block_side = 16;
  asked.settings.gpu_memory = 30000;
  asked.problem.slots = 3;
  return asked;
}

TEST(family_fails_at_every_step) {
  struct vectors *x = vectors_random(&random, N, 3);
  struct asked_vectors asked = ask_in_blocks(x);
  struct answered right = answer(&asked, &vector_fleet);
  long blocks = (long)right.report.blocks, steps = 2 + 2 * VECTOR_DEVICES + 3 * blocks;
  CHECK(is_right(&asked, &right) && blocks > VECTOR_DEVICES);
  for (long k = 1; k <= steps + 1; k++) {
    struct answered answered = answer(&asked, pcf_failing_backend(&vector_fleet, k));
    /* One device may have done everything before the other is opened. */
    if (k <= 2 + 2 + 3 * blocks) {
      CHECK(answered.status == PCF_ERROR_DEVICE);
      CHECK(strstr(answered.error.message, "failed on device \"fleet\"") != NULL);
    } else if (k > steps) {
      CHECK(is_right(&asked, &answered));
    }
  }
}

TEST(family_goes_on_with_smaller_blocks_at_every_step) {
  struct vectors *x = vectors_random(&random, N, 3);
  struct asked_vectors asked = ask_in_blocks(x);
  struct answered right = answer(&asked, &vector_fleet);
  long blocks = (long)right.report.blocks, steps = 2 + 2 * VECTOR_DEVICES + 3 * blocks;
  int64_t halvings = 0;
  for (long k = 3; k <= steps; k++) {
    struct answered answered = answer(&asked, pcf_exhausted_backend(&vector_fleet, k, 1));
    CHECK(is_right(&asked, &answered) && answered.report.halvings <= 1);
    CHECK(answered.report.blocks >= blocks);
    halvings += answered.report.halvings;
  }
  CHECK(halvings > 0);
  struct answered answered = answer(&asked, pcf_exhausted_backend(&vector_fleet, 3, 0));
  CHECK(answered.status == PCF_ERROR_DEVICE_MEMORY && answered.report.halvings == 2);
}

TEST(family_without_host_memory_at_every_allocation) {
  struct vectors *x = vectors_random(&random, N, 3);
  struct asked_vectors asked = ask_in_blocks(x);
  bool pending = false;
  for (long k = 1; !pending; k++) {
    REQUIRE(k < 1000);
    pcf_memory_fail_at(k);
    struct answered answered = answer(&asked, pcf_exhausted_backend(&vector_fleet, 7, 1));
    pending = memory_failure_is_pending(k);
    if (answered.status) CHECK(!pending && answered.status == PCF_ERROR_MEMORY);
    else CHECK(is_right(&asked, &answered));
  }
}

TEST(family_names_a_faulty_vector) {
  struct vectors *x = vectors_random(&random, N, 3), *y = vectors_random(&random, M, 3);
  struct asked_vectors asked = ask(PCF_MATRIX_DENSE, x, y);
  int64_t faulty = M - 1;
  while (y->offsets[faulty] == y->offsets[faulty + 1]) faulty--;
  y->numbers[y->offsets[faulty]] = NAN;
  char message[80];
  snprintf(message, sizeof message, "vector %d of `y` is not finite in place 0", (int)faulty);
  struct answered answered = answer(&asked, &vector_fleet);
  CHECK(answered.status == PCF_ERROR_ARGUMENT && answered.report.chosen < 0);
  CHECK_STRING(answered.error.message, message);
  for (int64_t k = 0; k < answered.length; k++) CHECK(answered.sink.result[k] == nothing);
}

/* ---- Runs that are stopped ---- */

static struct {
  _Atomic(struct pcf_run *) run;
  atomic_long launches, reschedules;
  long stop_at;
} stopping;

static enum pcf_status stopping_launch(void *device, const struct pcf_block *block, int buffer,
                                       struct pcf_error *error) {
  struct pcf_run *run;
  while (!(run = atomic_load(&stopping.run))) sched_yield();
  if (atomic_fetch_add(&stopping.launches, 1) + 1 == stopping.stop_at) pcf_run_stop(run);
  return vector_fleet.launch(device, block, buffer, error);
}

static enum pcf_status stopping_reschedule(void *shared, struct pcf_schedule *schedule,
                                           struct pcf_error *error) {
  atomic_fetch_add(&stopping.reschedules, 1);
  return vector_fleet.reschedule(shared, schedule, error);
}

/* What is missing then is not cut smaller, as if there were no memory for it. */
TEST(family_stops_at_every_launch) {
  struct vectors *x = vectors_random(&random, N, 3);
  struct asked_vectors asked = ask_in_blocks(x);
  struct pcf_backend backend = vector_fleet;
  struct answered right = answer(&asked, &vector_fleet);
  backend.launch = stopping_launch;
  backend.reschedule = stopping_reschedule;
  for (long k = 1; k <= right.report.blocks + 1; k++) {
    struct vector_problem problem = asked.problem;
    struct pcf_matrix_sink sink = new_result(&asked);
    struct pcf_job job = {.family = &vector_family,
                          .problem = &problem,
                          .settings = asked.settings,
                          .backends = 1,
                          .backend = {&backend},
                          .sink = &sink.sink};
    struct pcf_error error = {0};
    atomic_store(&stopping.run, NULL);
    atomic_store(&stopping.launches, 0);
    atomic_store(&stopping.reschedules, 0);
    stopping.stop_at = k;
    struct pcf_run *run = pcf_run_start(&job, &error);
    REQUIRE(run);
    atomic_store(&stopping.run, run);
    enum pcf_status status = pcf_run_finish(run, NULL, &error);
    CHECK(status == (k <= right.report.blocks ? PCF_ERROR_INTERRUPTED : PCF_OK));
    CHECK(atomic_load(&stopping.reschedules) == 0);
    CHECK(vector_remains() == 0);
  }
}

/* ---- The timeline ---- */

TEST(family_has_a_timeline) {
  struct vectors *x = vectors_random(&random, N, 3);
  struct asked_vectors asked = ask_in_blocks(x);
  struct answered answered = answer(&asked, &vector_fleet);
  CHECK(answered.report.timeline.count == 0);
  asked.settings.timeline = 1;
  answered = answer(&asked, &vector_fleet);
  REQUIRE(is_right(&asked, &answered));
  const struct pcf_timeline *timeline = &answered.report.timeline;
  CHECK(timeline->count == answered.report.blocks);
  for (int64_t b = 0; b < timeline->count; b++) {
    const struct pcf_span *span = &timeline->span[b];
    CHECK(span->device >= 0 && span->device < VECTOR_DEVICES);
    CHECK(span->launched <= span->begun && span->begun <= span->computed);
    CHECK(span->computed <= span->copied && span->copied <= span->scatter_begun);
  }
}
