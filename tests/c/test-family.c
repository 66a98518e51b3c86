/* A family that has nothing to do with functions: words and the distances by which they are
 * edited into each other, on a backend of its own. The engine knows only its table of
 * functions, so that schedule, workers, sinks and selections work for it as they are. */
#include "check.h"
#include "collections.h"

#include "blocks/pipeline.h"
#include "sinks/matrix.h"
#include "sinks/neighbors.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 60, LONGEST = 8, SIDE = 16 };

struct words {
  int64_t count, offsets[WORDS + 1];
  char word[WORDS][LONGEST + 1];
  int released;
};

static struct words random_words(struct random *random) {
  struct words words = {.count = WORDS};
  for (int64_t i = 0; i < WORDS; i++) {
    int64_t length = random_between(random, 1, LONGEST);
    words.offsets[i + 1] = words.offsets[i] + length;
    for (int64_t k = 0; k < length; k++) {
      words.word[i][k] = (char)('a' + random_between(random, 0, 2));
    }
  }
  return words;
}

static int edits(const char *a, const char *b) {
  int cost[LONGEST + 1], m = (int)strlen(b);
  for (int j = 0; j <= m; j++) cost[j] = j;
  for (int i = 0; a[i]; i++) {
    int diagonal = cost[0]++;
    for (int j = 0; j < m; j++) {
      int change = diagonal + (a[i] != b[j]),
          other = cost[j] < cost[j + 1] ? cost[j] : cost[j + 1];
      diagonal = cost[j + 1];
      cost[j + 1] = change < other + 1 ? change : other + 1;
    }
  }
  return cost[m];
}

/* ---- The family ---- */

static enum pcf_status check_words(void *problem, int threads, const atomic_int *stop,
                                   struct pcf_error *error) {
  const struct words *words = problem;
  for (int64_t i = 0; i < words->count; i++) {
    if (!words->word[i][0])
      return pcf_fail(error, PCF_ERROR_ARGUMENT, "word %d is empty", (int)i);
  }
  return PCF_OK;
}

static enum pcf_status plan_words(void *problem, const struct pcf_settings *settings,
                                  const atomic_int *stop, struct pcf_task *task,
                                  struct pcf_error *error) {
  const struct words *words = problem;
  task->rows = task->columns = (struct pcf_items){words->count, words->offsets};
  task->mode = PCF_LOWER_WITHOUT_DIAGONAL;
  task->scale = (struct pcf_scale){.factor = 1};
  return PCF_OK;
}

static void release_words(void *problem) {
  ((struct words *)problem)->released++;
}

static const struct pcf_family words_family = {
  .name = "words", .check = check_words, .plan = plan_words, .release = release_words};

/* ---- The backend: a thread and one block a device ---- */

static void offer(const void *problem, const struct pcf_settings *settings, double others,
                  struct pcf_offer *offer) {
  offer->method = "edits";
  offer->seconds = 1;
}

static enum pcf_status prepare(const struct pcf_task *task, void **shared, int *devices,
                               struct pcf_error *error) {
  *(const struct pcf_task **)shared = task;
  *devices = task->settings.threads;
  return PCF_OK;
}

static enum pcf_status schedule(void *shared, struct pcf_schedule *schedule,
                                struct pcf_error *error) {
  const struct pcf_task *task = shared;
  return pcf_schedule_rectangles(schedule, task->mode, &task->rows, &task->columns, SIDE, SIDE,
                                 error);
}

static void release(void *shared) {}

struct device {
  const struct words *words;
  double output[SIDE * SIDE];
};

static enum pcf_status open_device(void *shared, int index, int64_t elements, void **device,
                                   struct pcf_error *error) {
  struct device *opened = *device = malloc(sizeof *opened);
  opened->words = ((const struct pcf_task *)shared)->problem;
  return PCF_OK;
}

static enum pcf_status launch(void *device_, const struct pcf_block *block, int buffer,
                              struct pcf_error *error) {
  struct device *device = device_;
  for (int64_t k = 0; k < block->rows * block->columns; k++) {
    device->output[k] = edits(device->words->word[block->row + k % block->rows],
                              device->words->word[block->column + k / block->rows]);
  }
  return PCF_OK;
}

static enum pcf_status wait_for(void *device, const struct pcf_block *block, int buffer,
                                struct pcf_finished *finished, struct pcf_error *error) {
  finished->data = ((struct device *)device)->output;
  finished->stride = block->rows;
  return PCF_OK;
}

static const struct pcf_backend words_backend = {.name = "words",
                                                 .offer = offer,
                                                 .buffers = 1,
                                                 .prepare = prepare,
                                                 .schedule = schedule,
                                                 .release = release,
                                                 .open = open_device,
                                                 .launch = launch,
                                                 .wait = wait_for,
                                                 .close = free};

/* ---- Runs ---- */

static enum pcf_status run_words(struct words *words, struct pcf_sink *sink, int threads,
                                 struct pcf_error *error) {
  struct pcf_job job = {.family = &words_family,
                        .problem = words,
                        .settings = {.threads = threads},
                        .backends = 1,
                        .backend = {&words_backend},
                        .sink = sink};
  struct pcf_run *run = pcf_run_start(&job, error);
  return run ? pcf_run_finish(run, NULL, error) : error->status;
}

TEST(family_of_words_fills_a_matrix) {
  struct words words = random_words(&random);
  for (int threads = 1; threads <= 3; threads++) {
    double result[WORDS * (WORDS - 1) / 2], *next = result;
    struct pcf_matrix_sink sink =
      pcf_matrix_sink(PCF_LOWER_WITHOUT_DIAGONAL, WORDS, WORDS, result);
    struct pcf_error error = {0};
    REQUIRE(!run_words(&words, &sink.sink, threads, &error) && words.released == threads);
    for (int j = 0; j < WORDS; j++) {
      for (int i = j + 1; i < WORDS; i++) CHECK(*next++ == edits(words.word[i], words.word[j]));
    }
  }
}

TEST(family_of_words_is_checked) {
  struct words words = random_words(&random);
  struct pcf_error error = {0};
  double result[WORDS * WORDS];
  struct pcf_matrix_sink sink =
    pcf_matrix_sink(PCF_LOWER_WITHOUT_DIAGONAL, WORDS, WORDS, result);
  words.word[7][0] = 0;
  CHECK(run_words(&words, &sink.sink, 2, &error) == PCF_ERROR_ARGUMENT && words.released == 1);
  CHECK_STRING(error.message, "word 7 is empty");
}

TEST(family_of_words_has_neighbors) {
  enum { K = 3 };
  struct words words = random_words(&random);
  struct pcf_neighbors neighbors;
  struct pcf_error error = {0};
  REQUIRE(!pcf_neighbors_start(&neighbors, WORDS, K, 1, &error));
  CHECK(!run_words(&words, &neighbors.selection.sink, 2, &error));
  for (int i = 0; i < WORDS; i++) {
    double furthest = neighbors.key[i * K + K - 1];
    int nearer = 0;
    for (int j = 0; j < WORDS; j++) {
      nearer += j != i && edits(words.word[i], words.word[j]) < furthest;
    }
    CHECK(neighbors.held[i] == K && nearer < K);
    for (int k = 0; k < K; k++) {
      int64_t other = neighbors.id[i * K + k];
      CHECK(neighbors.key[i * K + k] == edits(words.word[i], words.word[other]));
    }
  }
  pcf_neighbors_free(&neighbors);
}
