/* Selections with pairs left out, beside those that look at all pairs. */
#include "check.h"
#include "fake-cuda.h"
#include "runs.h"

#include "base/memory.h"
#include "cuda/info.h"
#include "pruning/pruning.h"
#include "sinks/neighbors.h"
#include "sinks/within.h"
#include "testing/device-failing.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- Runs ---- */

struct answer_of {
  enum pcf_status status;
  struct pcf_neighbors neighbors;
  struct pcf_within within;
  struct pcf_pruning pruning;
  struct pcf_report report;
};

/* What is selected: k nearest, or, for 0, all within a radius. */
struct selected {
  int64_t k;
  double radius;
  const int32_t *label;
  const double *least, *farthest;
  int guess;
};

static void run_pairs(struct answer_of *answer, const struct asked *asked,
                      struct pcf_selection *selection, const struct pcf_backend *backend,
                      struct pcf_error *error) {
  struct asked request = *asked;
  if (answer->pruning.selection) request.pruner = &answer->pruning.pruner;
  if (request.pairs.mode != PCF_FULL) request.pairs.mode = PCF_LOWER_WITHOUT_DIAGONAL;
  answer->status = run_into(&selection->sink, &request, backend, &answer->report, error);
}

static void free_answer(void *answer_) {
  struct answer_of *answer = answer_;
  pcf_neighbors_free(&answer->neighbors);
  pcf_within_free(&answer->within);
  pcf_pruning_free(&answer->pruning);
  pcf_report_free(&answer->report);
  let_go(answer);
}

/* Without a choice nothing is arranged. */
static struct answer_of *select_as(const struct asked *asked, const struct selected *selected,
                                   const enum pcf_prune *choice,
                                   const struct pcf_backend *backend) {
  struct answer_of *answer = calloc(1, sizeof *answer);
  check_keep(answer, free_answer);
  struct pcf_error error = {0};
  int64_t rows = asked->pairs.x->count;
  struct pcf_selection *selection = &answer->neighbors.selection;
  if (selected->k) {
    answer->status = pcf_neighbors_start(&answer->neighbors, rows, selected->k, 1, &error);
  } else {
    answer->status = pcf_within_start(&answer->within, rows, selected->radius, 0, &error);
    selection = &answer->within.selection;
  }
  selection->label = selected->label;
  selection->least = selected->least;
  selection->farthest = selected->farthest;
  selection->guess = selected->guess;
  if (choice) pcf_pruning_start(&answer->pruning, *choice, selection, selected->radius);
  if (!answer->status) run_pairs(answer, asked, selection, backend, &error);
  return answer;
}

static struct answer_of *select_pairs(const struct asked *asked,
                                      const struct selected *selected, enum pcf_prune choice,
                                      const struct pcf_backend *backend) {
  return select_as(asked, selected, &choice, backend);
}

/* ---- Comparing ---- */

/* The item that a function is. */
static int64_t *items(const struct answer_of *answer, int64_t count) {
  int64_t *item = kept(malloc((size_t)count * sizeof *item));
  for (int64_t i = 0; i < count; i++) {
    item[answer->pruning.order ? answer->pruning.order[i] : i] = i;
  }
  return item;
}

static bool neighbors_are_equal(const struct pcf_neighbors *a, int64_t i,
                                const struct pcf_neighbors *b, int64_t j) {
  int64_t k = a->k;
  return a->held[i] == b->held[j] &&
         memcmp(a->id + i * k, b->id + j * k, (size_t)a->held[i] * sizeof *a->id) == 0 &&
         memcmp(a->key + i * k, b->key + j * k, (size_t)a->held[i] * sizeof *a->key) == 0;
}

static bool lists_are_equal(const struct pcf_within *a, int64_t i, const struct pcf_within *b,
                            int64_t j) {
  size_t count = (size_t)a->count[i];
  return a->count[i] == b->count[j] &&
         memcmp(a->id + a->start[i], b->id + b->start[j], count * sizeof *a->id) == 0 &&
         memcmp(a->distance + a->start[i], b->distance + b->start[j],
                count * sizeof *a->distance) == 0;
}

static bool answers_are_equal(const struct answer_of *a, const struct answer_of *b,
                              const struct selected *selected, int64_t count) {
  int64_t *item = items(a, count), *other = items(b, count);
  bool equal = !a->status && !b->status;
  for (int64_t f = 0; f < count && equal; f++) {
    equal = selected->k ? neighbors_are_equal(&a->neighbors, item[f], &b->neighbors, other[f])
                        : lists_are_equal(&a->within, item[f], &b->within, other[f]);
  }
  return equal;
}

/* Returns the rectangles that were left out. */
static int64_t check_pruning(const struct asked *asked, const struct selected *selected,
                             const struct pcf_backend *backend) {
  struct answer_of *all = select_as(asked, selected, NULL, &pcf_cpu_backend);
  struct answer_of *pruned = select_pairs(asked, selected, PCF_PRUNE_ON, backend);
  CHECK(answers_are_equal(all, pruned, selected, asked->pairs.x->count));
  const struct pcf_pruner *pruner = &pruned->pruning.pruner;
  CHECK(fabs(pruner->passed(pruner, 1) - 1) < 1e-9 && pruner->passed(pruner, 0.5) <= 1);
  int64_t left_out = pruned->pruning.left_out.rectangles;
  return left_out;
}

static struct asked asked_of(const struct question *question, struct functions *x,
                             struct functions *y) {
  struct asked asked = request_of(question, y ? PCF_FULL : PCF_LOWER_WITH_DIAGONAL, x, y);
  asked.settings.threads = 2;
  return asked;
}

/* ---- The tests ---- */

enum { N = 200, M = 130 };

/* Of groups far from each other much is left out, and of functions with many ties the right
 * ones remain. */
TEST(pruning_changes_no_neighbor) {
  struct selected selected = {.k = 5};
  for (int operation = 0; operation < OPERATIONS; operation++) {
    for (int kind = 0; kind < 8 && pcf_is_norm(operations[operation].operation); kind++) {
      int two = kind % 2, ties = kind / 2 % 2, single = kind / 4;
      struct functions *x = ties ? functions_random(&random, INTEGER_TIMES, N, 2, 4)
                                 : functions_in_groups(&random, N, 5, 5, 40);
      struct functions *y = !two   ? NULL
                            : ties ? functions_random(&random, INTEGER_TIMES, M, 2, 4)
                                   : functions_in_groups(&random, M, 5, 5, 40);
      struct asked asked = asked_of(&operations[operation], x, y);
      asked.pairs.precision = single ? PCF_SINGLE_PRECISION : PCF_DOUBLE;
      asked.pairs.method = ties ? "grid" : "sweep";
      CHECK(check_pruning(&asked, &selected, &pcf_cpu_backend) > 0 || ties);
    }
  }
}

TEST(pruning_changes_no_list) {
  struct functions *x = functions_in_groups(&random, N, 4, 5, 40),
                   *y = functions_in_groups(&random, M, 4, 5, 40);
  for (int two = 0; two < 2; two++) {
    struct asked asked = asked_of(&operations[0], x, two ? y : NULL);
    for (double radius = 0; radius < 100; radius = 4 * radius + 0.01) {
      struct selected selected = {.radius = radius};
      int64_t left_out = check_pruning(&asked, &selected, &pcf_cpu_backend);
      CHECK(left_out > 0 || radius > 1);
    }
  }
}

TEST(pruning_changes_nothing_of_labels_and_least_distances) {
  struct functions *x = functions_in_groups(&random, N, 5, 5, 40);
  struct asked asked = asked_of(&operations[0], x, NULL);
  int32_t label[N];
  double least[N];
  for (int32_t i = 0; i < N; i++) {
    label[i] = (int32_t)random_between(&random, 0, 3);
    least[i] = 0.2 * random_uniform(&random);
  }
  struct selected selected = {.k = 4, .label = label, .least = least};
  CHECK(check_pruning(&asked, &selected, &pcf_cpu_backend) > 0);
}

/* The share of the tiles without a pair of two labels, which are not asked for. */
static double share_of_one_label(struct answer_of *answer) {
  struct pcf_pruner *pruner = &answer->pruning.pruner;
  int64_t tiles = 0, left_out = 0;
  for (int64_t i = 0; i + 32 <= N; i += 32) {
    for (int64_t j = 0; j < i; j += 32, tiles++) {
      struct pcf_rectangle tile = {i, 32, j, 32};
      int64_t found = pruner->find(pruner, &tile, 7, NULL);
      CHECK(found == 0 || found == 8);
      left_out += found == 0;
    }
  }
  return (double)left_out / (double)tiles;
}

/* Whole numbers, of which the kernels of CUDA make the same results. */
TEST(pruning_puts_functions_of_one_label_together) {
  for (int labels = 1; labels < 50; labels = 6 * labels) {
    struct functions *x = functions_random(&random, INTEGER_TIMES, N, 2, 9);
    struct asked asked = asked_of(&operations[0], x, NULL);
    int32_t label[N];
    double least[N];
    for (int64_t i = 0; i < N; i++) {
      label[i] = (int32_t)random_between(&random, 0, labels) - 1;
      least[i] = (double)random_between(&random, 0, 30);
    }
    asked.pairs.method = "sweep";
    asked.settings.block_side = 64;
    asked.settings.gpus = 1;
    for (int way = 0; way < 4; way++) {
      struct selected selected = {.k = way % 2 ? 4 : 0, .radius = 9, .label = label};
      if (way / 2) selected.least = least;
      struct answer_of *all = select_as(&asked, &selected, NULL, &pcf_cpu_backend);
      for (int gpu = 0; gpu < 2; gpu++) {
        const struct pcf_backend *backend = gpu ? pcf_cuda_backend() : &pcf_cpu_backend;
        struct answer_of *apart = select_pairs(&asked, &selected, PCF_PRUNE_OFF, backend);
        CHECK(answers_are_equal(all, apart, &selected, N));
        CHECK(!apart->pruning.order == (labels > 20));
        if (selected.k && labels == 1) CHECK(share_of_one_label(apart) > 0.2);
        if (selected.k && labels > 20) CHECK(share_of_one_label(apart) == 0);
      }
    }
  }
}

TEST(pruning_changes_nothing_with_any_devices_and_blocks) {
  struct selected selected = {.k = 3};
  struct functions *x = functions_in_groups(&random, N, 5, 5, 40);
  for (int width = 32; width <= 128; width *= 2) {
    for (int devices = 1; devices <= 3; devices++) {
      struct asked asked = asked_of(&operations[0], x, NULL);
      asked.pairs.width = width;
      asked.settings.block_side = 2 * width;
      check_pruning(&asked, &selected, deferring_backend(&pcf_cpu_backend, 2, devices));
      CHECK(deferring_misuses() == 0);
      check_pruning(
        &asked, &selected,
        pcf_exhausted_backend(deferring_backend(&pcf_cpu_backend, 2, devices), 4, 1));
    }
  }
}

/* ---- On a device that looks at bounds by itself ---- */

/* As all pairs on the same device; returns the tiles that were left out. */
static int64_t check_device(const struct asked *asked, const struct selected *selected) {
  fake_cuda_reset();
  struct answer_of *all = select_as(asked, selected, NULL, pcf_cuda_backend());
  struct answer_of *pruned = select_pairs(asked, selected, PCF_PRUNE_ON, pcf_cuda_backend());
  CHECK(!all->status && !pruned->status);
  CHECK(answers_are_equal(all, pruned, selected, asked->pairs.x->count));
  return pruned->pruning.left_out.rectangles;
}

/* Some functions are there several times. */
static struct functions *with_copies(struct random *random, const struct functions *x) {
  int64_t count = x->view.count, *pick = kept(malloc((size_t)count * sizeof *pick));
  for (int64_t i = 0; i < count; i++) {
    pick[i] = random_between(random, 0, 2) ? i : random_between(random, 0, 9);
  }
  return functions_picked(x, count, pick);
}

TEST(pruning_on_a_device_changes_no_neighbor) {
  enum { MANY = 400 };
  static const int64_t sides[] = {0, 64, 128, 256}, counts[] = {3, 40, 1, 130};
  for (int kind = 0; kind < 3; kind++) {
    struct functions *x = functions_in_groups(&random, MANY, 3, 3, 9);
    if (kind == 1) x = with_copies(&random, x);
    if (kind == 2) x = functions_random(&random, INTEGER_TIMES, MANY, 2, 4);
    for (int way = 0; way < 4; way++) {
      struct question question = {way / 2 ? PCF_L2 : PCF_L1, 1 + way / 2, -INFINITY, INFINITY};
      struct asked asked = asked_of(&question, x, NULL);
      struct selected selected = {.k = counts[way]};
      asked.pairs.method = "sweep";
      asked.pairs.precision = way % 2 ? PCF_SINGLE_PRECISION : PCF_DOUBLE;
      asked.settings.gpus = 1 + (way == 3);
      asked.settings.block_side = sides[way];
      int64_t left_out = check_device(&asked, &selected);
      CHECK(left_out > 0 || kind == 2 || way == 3);
    }
  }
}

/* ---- On several devices ---- */

/* Two devices that take turns with their blocks, so that none is ahead; or of which the second
 * one waits with its first block until the other has no more. */
static struct {
  bool second_waits;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  void *device[2];
  int owner[500]; /* of the blocks of the first device */
  long launched[2];
  bool begun[2], gone[2];
} turns = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static enum pcf_status open_in_turn(void *shared, int index, int64_t elements, void **device,
                                    struct pcf_error *error) {
  enum pcf_status status = pcf_cuda_backend()->open(shared, index, elements, device, error);
  pthread_mutex_lock(&turns.lock);
  turns.device[index] = *device;
  pthread_mutex_unlock(&turns.lock);
  return status;
}

static bool is_to_wait(int own, int other) {
  if (!turns.second_waits) return turns.launched[own] > turns.launched[other];
  return own == 1 || !turns.begun[other];
}

static enum pcf_status launch_in_turn(void *device, const struct pcf_block *block, int buffer,
                                      struct pcf_error *error) {
  pthread_mutex_lock(&turns.lock);
  int own = device == turns.device[1], other = !own;
  turns.begun[own] = true;
  pthread_cond_broadcast(&turns.changed);
  while (!turns.gone[other] && is_to_wait(own, other)) {
    pthread_cond_wait(&turns.changed, &turns.lock);
  }
  if (own == 0) turns.owner[turns.launched[0]] = block->owner;
  pthread_mutex_unlock(&turns.lock);
  enum pcf_status status = pcf_cuda_backend()->launch(device, block, buffer, error);
  pthread_mutex_lock(&turns.lock);
  turns.launched[own]++;
  pthread_cond_broadcast(&turns.changed);
  pthread_mutex_unlock(&turns.lock);
  return status;
}

static void close_in_turn(void *device) {
  pthread_mutex_lock(&turns.lock);
  turns.gone[device == turns.device[1]] = true;
  pthread_cond_broadcast(&turns.changed);
  pthread_mutex_unlock(&turns.lock);
  pcf_cuda_backend()->close(device);
}

static const struct pcf_backend *devices_in_turns(bool second_waits) {
  static struct pcf_backend backend;
  turns.second_waits = second_waits;
  backend = *pcf_cuda_backend();
  backend.open = open_in_turn;
  backend.launch = launch_in_turn;
  backend.close = close_in_turn;
  turns.launched[0] = turns.launched[1] = 0;
  turns.begun[0] = turns.begun[1] = turns.gone[0] = turns.gone[1] = false;
  return &backend;
}

static double computed_by(const struct answer_of *answer) {
  const struct pcf_left_out *counts = &answer->pruning.left_out;
  return (double)(counts->looked_at - counts->pairs);
}

/* Devices that knew only the limits of their own pairs would compute twice as many others. */
TEST(pruning_on_two_devices_computes_hardly_more_than_on_one) {
  enum { MANY = 1024 };
  struct functions *x = functions_in_groups(&random, MANY, 16, 2, 4);
  struct asked asked = asked_of(&operations[0], x, NULL);
  struct selected selected = {.k = 3};
  asked.pairs.method = "sweep";
  asked.settings.block_side = 64;
  fake_cuda_reset();
  asked.settings.gpus = 1;
  struct answer_of *one = select_pairs(&asked, &selected, PCF_PRUNE_ON, pcf_cuda_backend());
  asked.settings.gpus = 2;
  for (int waits = 0; waits < 2; waits++) {
    struct answer_of *two =
      select_pairs(&asked, &selected, PCF_PRUNE_ON, devices_in_turns(waits));
    CHECK(answers_are_equal(one, two, &selected, MANY));
    CHECK(waits ? turns.launched[1] == 1 : turns.launched[0] > 50 && turns.launched[1] > 50);
    CHECK(computed_by(one) < 0.4 * MANY * MANY / 2);
    CHECK(computed_by(two) < 1.15 * computed_by(one));
  }
  /* 16 bands: the first device's own 36 blocks, half of those of the second one, which has
   * begun one of them; those of nobody, and the rest. */
  for (long b = 0; b < turns.launched[0]; b++) {
    CHECK(turns.owner[b] == (b < 36 ? 1 : b < 36 + 17 ? 2 : b < 36 + 17 + 64 ? 0 : 2));
  }
}

/* Whatever the order in which blocks come: with ties, with more neighbours than a device sees
 * others, and where some devices have hardly a block. */
TEST(pruning_on_two_devices_changes_no_neighbor) {
  enum { MANY = 260 };
  static const int64_t counts[] = {1, 4, 31, 120};
  for (int kind = 0; kind < 3; kind++) {
    struct functions *x = functions_in_groups(&random, MANY, 3, 3, 9);
    if (kind == 1) x = with_copies(&random, x);
    if (kind == 2) x = functions_random(&random, INTEGER_TIMES, MANY, 2, 4);
    for (int way = 0; way < 4; way++) {
      struct asked asked = asked_of(&operations[0], x, NULL);
      struct selected selected = {.k = counts[(way + kind) % 4]};
      asked.pairs.method = "sweep";
      asked.pairs.precision = (way + kind) % 2 ? PCF_SINGLE_PRECISION : PCF_DOUBLE;
      asked.settings.gpus = 2;
      asked.settings.gpu_memory = 4e6;
      asked.settings.block_side = way < 2 ? 32 : 64 << way % 2;
      check_device(&asked, &selected);
    }
  }
}

/* The first limits are the devices', too: those of the neighbours themselves, with which fewer
 * tiles are computed, and many of which are equal to other distances. */
TEST(pruning_on_a_device_begins_with_the_limits_that_are_known) {
  enum { MANY = 400, NEAR = 5 };
  struct functions *x = with_copies(&random, functions_in_groups(&random, MANY, 3, 3, 9));
  for (int way = 0; way < 4; way++) {
    struct asked asked = asked_of(&operations[0], x, NULL);
    struct selected selected = {.k = NEAR};
    double farthest[MANY];
    asked.pairs.method = "sweep";
    asked.pairs.precision = way % 2 ? PCF_SINGLE_PRECISION : PCF_DOUBLE;
    asked.settings.gpus = 1 + way / 2;
    asked.settings.gpu_memory = 4e6;
    asked.settings.block_side = 64;
    fake_cuda_reset();
    struct answer_of *all = select_as(&asked, &selected, NULL, pcf_cuda_backend());
    struct answer_of *before =
      select_pairs(&asked, &selected, PCF_PRUNE_ON, pcf_cuda_backend());
    for (int64_t i = 0; i < MANY; i++) {
      farthest[i] = i % 7 ? all->neighbors.key[i * NEAR + NEAR - 1] : INFINITY;
    }
    selected.farthest = farthest;
    struct answer_of *after = select_pairs(&asked, &selected, PCF_PRUNE_ON, pcf_cuda_backend());
    struct answer_of *whole = select_as(&asked, &selected, NULL, pcf_cuda_backend());
    CHECK(answers_are_equal(all, after, &selected, MANY));
    CHECK(answers_are_equal(all, whole, &selected, MANY));
    CHECK(way / 2 || computed_by(after) < computed_by(before));
  }
}

/* ---- On a device, of all kinds ---- */

/* Of long functions sums are flushed, and so they are with a weight; of a window there are
 * bounds, too. With little memory few tiles are computed at once. Labels are put together
 * instead. */
TEST(pruning_on_a_device_is_for_all_sums) {
  enum { SOME = 200 };
  const double *heights[] = {(double[]){0, 0.3, 0.5, 0.9, 1, 0.5, 2, 1, 3, 0}};
  struct functions *w = functions_of(1, (int64_t[]){5}, heights);
  struct functions *x = functions_in_groups(&random, SOME, 3, 5, 20);
  struct functions *large = functions_in_groups(&random, SOME, 3, 130, 150);
  int32_t label[SOME];
  for (int32_t i = 0; i < SOME; i++) label[i] = i % 7;
  for (int way = 0; way < 6; way++) {
    struct asked asked = asked_of(&operations[0], way == 0 ? large : x, NULL);
    struct selected selected = {.k = 4, .label = way == 3 ? label : NULL};
    asked.pairs.method = "sweep";
    asked.pairs.precision = way == 1 ? PCF_DOUBLE : PCF_SINGLE_PRECISION;
    asked.settings.gpus = 1 + (way == 5);
    asked.settings.block_side = way == 5 ? 64 : 0;
    if (way == 1) asked.pairs.weight = &w->view;
    if (way == 2) asked.pairs.from = 0.2, asked.pairs.to = 0.7;
    if (way == 4) asked.settings.gpu_memory = 5e5;
    CHECK(check_device(&asked, &selected) > 0 || way == 3 || way == 5);
  }
}

/* Within a radius; and more than a list has, and with least distances, of which the limits are
 * the host's. Where many are within it, there is no room for them as entries. */
TEST(pruning_on_a_device_changes_no_list) {
  enum { SOME = 200 };
  struct functions *x = with_copies(&random, functions_in_groups(&random, SOME, 3, 3, 9));
  double least[SOME];
  for (int64_t i = 0; i < SOME; i++) least[i] = random_uniform(&random);
  for (int way = 0; way < 6; way++) {
    static const double radius[] = {0.5, 1, 3, 1e3};
    struct asked asked = asked_of(&operations[0], x, NULL);
    struct selected selected = {.k = way < 4 ? 0 : 130};
    if (way < 4) selected.radius = radius[way];
    if (way == 5) selected.k = 4, selected.least = least;
    asked.pairs.method = "sweep";
    asked.pairs.precision = way % 2 ? PCF_SINGLE_PRECISION : PCF_DOUBLE;
    asked.settings.gpus = 1;
    asked.settings.block_side = 64;
    CHECK(check_device(&asked, &selected) > 0 || selected.radius > 2 || selected.k > 100);
  }
}

/* Labels of groups that are apart, of parts of them, and of few functions; with first limits,
 * some of which lets nothing pass, and with least distances. */
TEST(pruning_on_a_device_is_for_labels) {
  enum { MANY = 400 };
  int64_t of_groups = 0;
  for (int way = 0; way < 12; way++) {
    struct functions *x = functions_in_groups(&random, MANY, 3, 3, 9);
    if (way % 2) x = with_copies(&random, x);
    int32_t label[MANY];
    double least[MANY], farthest[MANY];
    for (int32_t i = 0; i < MANY; i++) {
      int32_t labels[] = {i % 3, i % 6, (int32_t)random_between(&random, -50, 50)};
      label[i] = labels[way % 3];
      least[i] = random_between(&random, 0, 2) ? 0 : 2 * random_uniform(&random);
      farthest[i] = random_between(&random, 0, 9) ? 3 * random_uniform(&random) : INFINITY;
    }
    struct asked asked = asked_of(&operations[0], x, NULL);
    struct selected selected = {.k = way / 6 ? 12 : 1, .label = label};
    if (way % 4 == 1) selected.least = least;
    if (way % 4 >= 2) selected.farthest = farthest;
    asked.pairs.method = "sweep";
    asked.pairs.precision = way / 3 % 2 ? PCF_SINGLE_PRECISION : PCF_DOUBLE;
    asked.settings.gpus = 1 + (way == 7);
    asked.settings.block_side = way % 5 == 4 ? 64 : 0;
    int64_t left_out = check_device(&asked, &selected);
    if (way % 3 == 0) of_groups += left_out > 0;
    CHECK(left_out > 0 || way == 7 || !selected.farthest);
  }
  CHECK(of_groups == 4);
}

/* Least distances that are those of neighbours, as trees have them, raise numbers in the lists
 * of a device: these begin as longer lists do, which only the host has. */
TEST(pruning_on_a_device_raises_numbers_in_lists) {
  enum { MANY = 300, K = 6, MORE = 129 };
  for (int way = 0; way < 8; way++) {
    struct functions *x = functions_in_groups(&random, MANY, 3, 3, 9);
    if (way % 2) x = with_copies(&random, x);
    int32_t label[MANY];
    double least[MANY];
    struct asked asked = asked_of(&operations[way / 2 % 2], x, NULL);
    struct selected core = {.k = K}, few = {.k = K, .least = least}, more = {.k = MORE};
    asked.pairs.method = "sweep";
    asked.pairs.precision = way / 2 % 2 ? PCF_DOUBLE : PCF_SINGLE_PRECISION;
    asked.settings.gpus = 1;
    fake_cuda_reset();
    struct answer_of *near = select_as(&asked, &core, NULL, pcf_cuda_backend());
    for (int32_t i = 0; i < MANY; i++) {
      label[i] = i % (way < 4 ? 3 : 50);
      least[i] = near->neighbors.key[i * K + K - 1];
    }
    few.label = more.label = label;
    more.least = least;
    CHECK(check_device(&asked, &few) > 0 || way % 2);
    struct answer_of *all = select_as(&asked, &more, NULL, pcf_cuda_backend());
    struct answer_of *some = select_as(&asked, &few, NULL, pcf_cuda_backend());
    bool equal = !all->status && !some->status;
    for (int64_t i = 0; i < MANY && equal; i++) {
      const struct pcf_neighbors *a = &all->neighbors, *b = &some->neighbors;
      equal = memcmp(a->id + i * MORE, b->id + i * K, K * sizeof *a->id) == 0 &&
              memcmp(a->key + i * MORE, b->key + i * K, K * sizeof *a->key) == 0;
    }
    CHECK(equal);
  }
}

/* Of each function that is in both: the nearest within its limit, and no others. Of each label,
 * some function has one. Returns how many there are. */
static int64_t check_joined(const struct answer_of *all, const struct answer_of *joined,
                            const int32_t *label, int64_t count) {
  const struct pcf_neighbors *of_all = &all->neighbors, *near = &joined->neighbors;
  int64_t *item = items(joined, count), k = near->k, total = 0;
  bool equal = !all->status && !joined->status && near->selection.farthest;
  CHECK(equal);
  for (int64_t f = 0; f < count && equal; f++) {
    int64_t i = item[f], within = 0, has = 0;
    double farthest = near->selection.farthest[i];
    while (within < of_all->held[f] && of_all->key[f * k + within] <= farthest) within++;
    total += near->held[i];
    size_t held = (size_t)within;
    equal = near->held[i] == within &&
            memcmp(near->id + i * k, of_all->id + f * k, held * sizeof *near->id) == 0 &&
            memcmp(near->key + i * k, of_all->key + f * k, held * sizeof *near->key) == 0;
    for (int64_t g = 0; g < count; g++) has += label[f] == label[g] && near->held[item[g]] > 0;
    CHECK(has > 0);
  }
  CHECK(equal);
  return total;
}

/* Few labels and many, of functions that are together and of others, and of each its own. */
TEST(pruning_finds_limits_of_labels_that_are_to_be_joined) {
  enum { MANY = 700, K = 5 };
  for (int way = 0; way < 14; way++) {
    struct functions *x = functions_in_groups(&random, MANY, 4, 3, 9);
    if (way % 3 == 1) x = with_copies(&random, x);
    int32_t label[MANY];
    double least[MANY];
    for (int32_t i = 0; i < MANY; i++) {
      int32_t labels[] = {i % 4, i % 8, (int32_t)random_between(&random, -9, 9), i, i % 4 - 2};
      label[i] = labels[way % 5];
      if (way % 5 == 4 && i % 50 == 0) label[i] = i;
      least[i] = random_between(&random, 0, 2) ? 0 : 2 * random_uniform(&random);
    }
    struct asked asked = asked_of(&operations[way % 2], x, NULL);
    struct selected selected = {.k = K, .label = label, .guess = 1};
    if (way % 4 == 3) selected.least = least;
    asked.pairs.method = "sweep";
    asked.pairs.precision = way / 2 % 2 ? PCF_SINGLE_PRECISION : PCF_DOUBLE;
    asked.settings.gpus = 1;
    fake_cuda_reset();
    const struct pcf_backend *backend = way < 10 ? pcf_cuda_backend() : &pcf_cpu_backend;
    struct answer_of *all = select_as(&asked, &selected, NULL, backend);
    struct answer_of *joined = select_pairs(&asked, &selected, PCF_PRUNE_ON, backend);
    int64_t total = check_joined(all, joined, label, MANY);
    CHECK(joined->pruning.left_out.rectangles > 0 || way == 3);
    CHECK(way % 5 == 3 || total < MANY * K * 2 / 3);
  }
}

/* With limits that are guessed and without; a query may be one of the others. */
TEST(pruning_on_a_device_is_for_queries) {
  enum { MANY = 500, SOME = 150 };
  int64_t first[SOME];
  for (int64_t i = 0; i < SOME; i++) first[i] = i;
  for (int way = 0; way < 12; way++) {
    struct functions *y = functions_in_groups(&random, MANY, 3, 3, 9);
    struct functions *x = functions_in_groups(&random, SOME, 3, 3, 9);
    if (way % 3 == 1) y = with_copies(&random, y);
    if (way % 3 == 1) x = functions_picked(y, SOME, first);
    struct asked asked = asked_of(&operations[way / 2 % 2], x, y);
    struct selected selected = {.k = way % 4 ? 1 + 40 * (way % 4 - 1) : 0, .radius = 1};
    selected.guess = way >= 4;
    asked.pairs.mode = PCF_FULL;
    asked.pairs.method = "sweep";
    asked.pairs.precision = way % 2 ? PCF_SINGLE_PRECISION : PCF_DOUBLE;
    asked.settings.gpus = 1 + (way % 5 == 4);
    asked.settings.block_side = way % 5 == 1 ? 64 : 0;
    int64_t left_out = check_device(&asked, &selected);
    CHECK(left_out > 0 || way < 4);
    CHECK(check_pruning(&asked, &selected, &pcf_cpu_backend) >= 0);
  }
}

/* Single precision does not know how near these are. */
TEST(pruning_guesses_limits_that_allow_for_roundings) {
  enum { SOME = 64, COPIES = 4 };
  struct functions *x = functions_in_groups(&random, SOME, 3, 5, 9);
  int64_t pick[SOME * COPIES];
  for (int64_t i = 0; i < SOME * COPIES; i++) pick[i] = i % SOME;
  struct functions *y = functions_picked(x, SOME * COPIES, pick);
  for (int64_t i = 0; i < SOME * COPIES; i++) {
    double *time = times_of(y, i);
    int64_t m = pcf_breakpoints(&y->view, i);
    for (int64_t k = 1; k + 1 < m; k++) time[k] += 1e-8 * random_uniform(&random);
  }
  struct asked asked = asked_of(&operations[0], x, y);
  struct selected selected = {.k = COPIES, .guess = 1};
  asked.pairs.mode = PCF_FULL;
  asked.pairs.method = "sweep";
  asked.pairs.precision = PCF_SINGLE_PRECISION;
  asked.settings.gpus = 1;
  CHECK(check_device(&asked, &selected) > 0);
}

/* Functions of one label are put together for the method of the device. */
TEST(pruning_lets_a_device_choose_its_method) {
  int32_t label[20];
  for (int32_t i = 0; i < 20; i++) label[i] = i % 2;
  struct functions *x = functions_random(&random, INTEGER_TIMES, 20, 200, 800);
  struct asked asked = asked_of(&operations[0], x, NULL);
  struct selected selected = {.k = 2, .label = label};
  asked.settings.gpus = 1;
  fake_cuda_reset();
  struct answer_of *all = select_as(&asked, &selected, NULL, pcf_cuda_backend());
  struct answer_of *apart = select_pairs(&asked, &selected, PCF_PRUNE_OFF, pcf_cuda_backend());
  CHECK(apart->pruning.order && answers_are_equal(all, apart, &selected, 20));
}

/* Whatever call of CUDA fails: a run says so, or has the same answer. Where there is too little
 * memory, it goes on with smaller blocks. */
TEST(pruning_on_a_device_passes_failures_on) {
  struct functions *x = functions_in_groups(&random, 100, 3, 3, 5);
  for (int way = 0; way < 4; way++) {
    struct asked asked = asked_of(&operations[0], x, NULL);
    struct selected selected = {.k = way % 2 ? 2 : 0, .radius = 1};
    asked.pairs.method = "sweep";
    asked.settings.gpus = asked.settings.threads = 1;
    asked.settings.block_side = 64;
    fake_cuda_reset();
    struct answer_of *all = select_as(&asked, &selected, NULL, pcf_cuda_backend());
    bool works = false;
    for (long k = 1; !works && k < 2000; k += check_quick() ? 19 : 5) {
      fake_cuda_reset();
      fake_cuda.calls = 0;
      fake_cuda.failure = way / 2 ? cudaErrorMemoryAllocation : cudaErrorUnknown;
      fake_cuda.fail_at = k;
      struct answer_of *pruned =
        select_pairs(&asked, &selected, PCF_PRUNE_ON, pcf_cuda_backend());
      works = fake_cuda.calls < k;
      fake_cuda.fail_at = 0;
      CHECK(pruned->status || answers_are_equal(all, pruned, &selected, 100));
    }
    CHECK(works);
  }
}

/* The other device is not kept waiting, and what the two had found out before blocks were made
 * smaller still holds. */
TEST(pruning_on_two_devices_passes_failures_on) {
  enum { SOME = 260 };
  struct functions *x = functions_in_groups(&random, SOME, 3, 3, 5);
  struct asked asked = asked_of(&operations[0], x, NULL);
  struct selected selected = {.k = 3};
  asked.pairs.method = "sweep";
  asked.settings.gpus = 2;
  asked.settings.block_side = 64;
  asked.settings.gpu_memory = 2e6;
  fake_cuda_reset();
  struct answer_of *all = select_as(&asked, &selected, NULL, pcf_cuda_backend());
  bool works = false;
  for (long k = 1; !works && k < 2000; k += check_quick() ? 17 : 3) {
    fake_cuda_reset();
    fake_cuda.calls = 0;
    fake_cuda.failure = cudaErrorUnknown;
    fake_cuda.fail_at = k;
    struct answer_of *pruned =
      select_pairs(&asked, &selected, PCF_PRUNE_ON, pcf_cuda_backend());
    works = fake_cuda.calls < k;
    fake_cuda.fail_at = 0;
    CHECK(pruned->status || answers_are_equal(all, pruned, &selected, SOME));
  }
  CHECK(works);
  int64_t halvings = 0;
  asked.settings.block_side = 128;
  for (long k = 4; k < 16; k += 3) {
    const struct pcf_backend *backend = pcf_exhausted_backend(pcf_cuda_backend(), k, 1);
    struct answer_of *pruned = select_pairs(&asked, &selected, PCF_PRUNE_ON, backend);
    halvings += pruned->report.halvings;
    CHECK(answers_are_equal(all, pruned, &selected, SOME));
  }
  CHECK(halvings > 0);
}

/* ---- Where it is not known which device computes ---- */

static double price; /* of the other device, in seconds */

static void offer_at_price(const void *pairs, const struct pcf_settings *settings,
                           double others, struct pcf_offer *offer) {
  pcf_cuda_backend()->offer(pairs, settings, INFINITY, offer);
  offer->seconds = price;
}

/* The device that is chosen looks at bounds, in its own way; if it has no memory, the CPU
 * computes all pairs. */
TEST(pruning_is_for_the_device_that_is_chosen) {
  enum { CPU, GPU, FULL, CASES };
  struct pcf_backend other = *pcf_cuda_backend(), full = other;
  int32_t label[200];
  other.offer = full.offer = offer_at_price;
  full.open = open_without_memory;
  for (int i = 0; i < 200; i++) label[i] = i % 2;
  for (int way = 0; way < 3; way++) {
    struct functions *x = functions_in_groups(&random, 200, 3, 3, 9);
    struct selected selected = {
      .k = way ? 3 : 0, .radius = 1, .label = way == 2 ? label : NULL};
    for (int which = CPU; which < CASES; which++) {
      struct asked asked = asked_of(&operations[0], x, NULL);
      asked.settings.block_side = 64;
      asked.settings.gpus = 1;
      fake_cuda_reset();
      price = which == CPU ? 1e9 : 1e-12;
      const struct pcf_backend *computing =
        which == GPU ? pcf_cuda_backend() : &pcf_cpu_backend;
      struct answer_of *all = select_as(&asked, &selected, NULL, computing);
      asked.other = which == FULL ? &full : &other;
      struct answer_of *pruned =
        select_pairs(&asked, &selected, PCF_PRUNE_ON, &pcf_cpu_backend);
      CHECK(answers_are_equal(all, pruned, &selected, 200));
      CHECK(pruned->report.chosen == (which == GPU));
      CHECK(pruned->pruning.order != NULL);
      CHECK(!pruned->pruning.pruner.bounds == (which == CPU));
      CHECK((pruned->pruning.left_out.rectangles > 0) == (which != FULL));
    }
  }
}

/* ---- Where it is of no use ---- */

static bool is_pruned(const struct asked *asked, const struct selected *selected,
                      enum pcf_prune choice) {
  struct answer_of *answer = select_pairs(asked, selected, choice, &pcf_cpu_backend);
  CHECK(answer->status == PCF_OK);
  bool pruned = answer->pruning.order != NULL;
  return pruned;
}

TEST(pruning_is_planned_where_it_pays) {
  if (check_quick()) return;
  struct selected selected = {.k = 5};
  struct functions *few = functions_in_groups(&random, 100, 5, 5, 40);
  struct functions *noise = functions_random(&random, PAPER, 1500, 500, 600);
  struct functions *groups = functions_in_groups(&random, 1500, 8, 300, 400);
  struct asked asked = asked_of(&operations[0], few, NULL);
  CHECK(!is_pruned(&asked, &selected, PCF_PRUNE_AUTO));
  CHECK(is_pruned(&asked, &selected, PCF_PRUNE_ON));
  asked = asked_of(&operations[0], noise, NULL);
  CHECK(!is_pruned(&asked, &selected, PCF_PRUNE_AUTO));
  asked = asked_of(&operations[0], groups, NULL);
  CHECK(is_pruned(&asked, &selected, PCF_PRUNE_AUTO));
  CHECK(!is_pruned(&asked, &selected, PCF_PRUNE_OFF));
}

/* Single pairs have no tiles, and what is missing has no bounds. */
TEST(pruning_is_not_for_all_requests) {
  struct selected selected = {.k = 2};
  struct functions *x = functions_in_groups(&random, 100, 5, 5, 40);
  struct functions *partial = functions_random(&random, PARTIAL, 100, 5, 9);
  struct asked asked = asked_of(&operations[0], x, NULL);
  asked.pairs.method = "walk";
  CHECK(!is_pruned(&asked, &selected, PCF_PRUNE_ON));
  asked = asked_of(&operations[0], partial, NULL);
  asked.pairs.missing = PCF_MISSING_OVERLAP;
  asked.pairs.from = 0;
  asked.pairs.to = 1;
  CHECK(!is_pruned(&asked, &selected, PCF_PRUNE_ON));
}

/* Looking is given up where it finds nothing, but not before it had a chance. */
TEST(pruning_is_given_up_where_it_finds_nothing) {
  struct functions *x = functions_in_groups(&random, 64, 2, 5, 40);
  struct asked asked = asked_of(&operations[0], x, NULL);
  struct selected selected = {.k = 2};
  struct answer_of *answer = select_pairs(&asked, &selected, PCF_PRUNE_ON, &pcf_cpu_backend);
  struct pcf_pruning *pruning = &answer->pruning;
  struct pcf_rectangle tile = {32, 32, 0, 32};
  _Atomic double *limit = pruning->selection->limit;
  for (int k = 0; k < 64; k++) limit[k] = INFINITY;
  pruning->choice = PCF_PRUNE_AUTO;
  pruning->pairs = 80 * 1024;
  pruning->worth = 0.1;
  pruning->left_out.looked_at = pruning->left_out.pairs = 0;
  for (int k = 0; k < 10; k++) {
    CHECK(!pruning->left_out.given_up);
    CHECK(pruning->pruner.find(&pruning->pruner, &tile, 7, NULL) == 8);
  }
  CHECK(pruning->pruner.find(&pruning->pruner, &tile, 7, NULL) == 8);
  CHECK(pruning->left_out.given_up);
  for (int k = 0; k < 64; k++) limit[k] = -1;
  CHECK(pruning->pruner.find(&pruning->pruner, &tile, 7, NULL) == 8);
  pruning->left_out.given_up = 0;
  CHECK(pruning->pruner.find(&pruning->pruner, &tile, 7, NULL) == 0);
}

TEST(pruning_counts_the_pairs_that_are_computed) {
  struct functions *x = functions_in_groups(&random, 96, 2, 5, 40);
  struct asked asked = asked_of(&operations[0], x, x);
  struct selected selected = {.k = 2};
  for (int part = 0; part < 2; part++) {
    if (part) asked.settings.only = (struct pcf_rectangle){.row = 32, .rows = 32};
    struct answer_of *answer = select_pairs(&asked, &selected, PCF_PRUNE_ON, &pcf_cpu_backend);
    CHECK(answer->pruning.pairs == (part ? 32 * 96 : 96 * 96));
  }
}

/* ---- Failures ---- */

TEST(pruning_passes_failures_on) {
  struct functions *x = functions_in_groups(&random, 100, 3, 5, 40);
  struct functions *y = functions_in_groups(&random, 90, 3, 5, 40);
  struct selected selected = {.k = 3};
  struct asked asked = asked_of(&operations[0], x, y);
  asked.settings.threads = 1;
  bool pending = false;
  for (long k = 1; !pending; k += check_quick() ? 3 : 1) {
    pcf_memory_fail_at(k);
    struct answer_of *answer = select_pairs(&asked, &selected, PCF_PRUNE_ON, &pcf_cpu_backend);
    pending = memory_failure_is_pending(k);
    CHECK(answer->status == (pending ? PCF_OK : PCF_ERROR_MEMORY));
  }
}
