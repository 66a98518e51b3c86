#include "blocks/workers.h"

#include "base/memory.h"
#include "base/threads.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

/* The state of a block. 0: it is not done. DONE: the sink has received it. KEPT + w: the device
 * of worker w keeps what is wanted of it. */
enum { DONE = 1, KEPT = 2 };

/* Blocks of the schedule that one worker takes before others do, or that are anybody's. */
struct queue {
  atomic_llong next;
  int64_t first, end;
};

/* What the workers share from opening their devices to closing them: the blocks of one
 * schedule. When a device runs out of memory, the round ends early. */
struct round {
  struct pcf_workers *all;
  int count;           /* of workers */
  int64_t largest;     /* elements of the largest block */
  unsigned char *done; /* of each block */
  /* For each state: did that device end without giving what it kept? */
  unsigned char lost[UCHAR_MAX + 1];
  struct pcf_span *spans; /* of each block; NULL without a timeline */
  struct queue *queue;    /* of nobody, and of each owner */
  atomic_int stop;        /* a worker failed, or a device ran out of memory */
  pthread_mutex_t lock;
  struct pcf_error exhausted; /* the error of the first device that ran out of memory */
  double scatter;             /* seconds, over all workers */
  int64_t pairs;              /* handed to the sink, of all workers */
};

/* A block that was handed to the sink, though threads of the team may still write it: until the
 * first `loops` of these are over. */
struct handed {
  struct pcf_finished finished;
  double start; /* of consuming it */
  int64_t loops;
};

struct worker {
  struct round *round;
  int index;
  void *device, *divisor; /* the second one computes the task's divisor; NULL without one */
  double scatter;
  int64_t pairs;         /* handed to the sink, or the device keeps */
  int64_t kept;          /* blocks that the device keeps */
  struct pcf_team *team; /* helps to consume large blocks; NULL before the first one */
  /* Blocks by their buffers. These were launched, then collected and handed to the sink, and
   * are settled when the sink is done with them; oldest first. */
  const struct pcf_block *block[PCF_MAX_BUFFERS];
  struct handed handed[PCF_MAX_BUFFERS];
  int64_t launched, collected, settled;
};

static enum pcf_status make_sure_of_all(const struct pcf_workers *workers,
                                        struct pcf_error *error);
static enum pcf_status allocate_round(struct round *round, struct pcf_error *error);
static enum pcf_status run_round(struct round *round, struct pcf_error *error);
static enum pcf_status cut_smaller(struct round *round, struct pcf_error *error);
static enum pcf_status run_worker(void *round_, int thread, int64_t index,
                                  struct pcf_error *error);
static void settle_kept(struct round *round);

/* ---- Rounds ---- */

enum pcf_status pcf_workers_run(struct pcf_workers *workers, struct pcf_error *error) {
  const struct pcf_task *task = workers->task;
  int missing = workers->schedule->count > 0;
  enum pcf_status status =
    pcf_sink_begin(workers->sink, task->mode, &task->scale, workers->devices, error);
  while (!status && missing) {
    size_t blocks = (size_t)workers->schedule->count;
    struct round round = {.all = workers};
    status = allocate_round(&round, error);
    if (!status) status = run_round(&round, error);
    /* The others may have done all blocks before they noticed that a device ran out of
     * memory. */
    missing = !status && memchr(round.done, 0, blocks);
    if (missing) status = cut_smaller(&round, error);
    pcf_free(round.done);
    pcf_free(round.queue);
  }
  pcf_timeline_sort(&workers->report->timeline);
  if (!status) status = make_sure_of_all(workers, error);
  return status ? status : pcf_sink_finish(workers->sink, error);
}

/* A result with a hole in it would be a wrong number without a word. */
static enum pcf_status make_sure_of_all(const struct pcf_workers *workers,
                                        struct pcf_error *error) {
  const struct pcf_task *task = workers->task;
  int64_t wanted =
    pcf_mode_pairs(task->mode, task->rows.count, task->columns.count, task->pairs);
  if (workers->pairs == wanted) return PCF_OK;
  return pcf_fail(
    error, PCF_ERROR_DEVICE,
    "the blocks of device \"%s\" had %.0f pairs instead of %.0f: this is a bug in "
    "pcfdist, please report it",
    workers->backend->name, (double)workers->pairs, (double)wanted);
}

static enum pcf_status allocate_round(struct round *round, struct pcf_error *error) {
  const struct pcf_schedule *schedule = round->all->schedule;
  size_t queues = 1 + (size_t)schedule->owners;
  round->done = pcf_allocate((size_t)schedule->count, sizeof *round->done, error);
  if (!round->done) return PCF_ERROR_MEMORY;
  memset(round->done, 0, (size_t)schedule->count);
  round->queue = pcf_allocate(queues, sizeof *round->queue, error);
  if (!round->queue) return PCF_ERROR_MEMORY;
  for (size_t q = 0; q < queues; q++) round->queue[q] = (struct queue){0};
  for (int64_t b = 0; b < schedule->count; b++) {
    struct queue *queue = &round->queue[schedule->block[b].owner];
    if (!queue->end) *queue = (struct queue){b, b, b};
    queue->end++;
  }
  return PCF_OK;
}

static enum pcf_status prepare_round(struct round *round, struct pcf_error *error) {
  struct pcf_workers *all = round->all;
  const struct pcf_schedule *schedule = all->schedule;
  round->count = all->devices;
  if (round->count > schedule->count) round->count = (int)schedule->count;
  if (round->count < 1) {
    return pcf_fail(error, PCF_ERROR_DEVICE, "backend \"%s\" has no devices",
                    all->backend->name);
  }
  for (int64_t b = 0; b < schedule->count; b++) {
    int64_t elements = schedule->block[b].rows * schedule->block[b].columns;
    if (elements > round->largest) round->largest = elements;
  }
  struct pcf_timeline *timeline = &all->report->timeline;
  if (!all->task->settings.timeline) return PCF_OK;
  enum pcf_status status = pcf_timeline_reserve(timeline, schedule->count, error);
  round->spans = status ? NULL : timeline->span + timeline->count;
  return status;
}

static enum pcf_status run_round(struct round *round, struct pcf_error *error) {
  struct pcf_workers *all = round->all;
  struct pcf_report *report = all->report;
  int64_t blocks = all->schedule->count;
  enum pcf_status status = prepare_round(round, error);
  if (status) return status;
  pthread_mutex_init(&round->lock, NULL);
  status =
    pcf_parallel_for(round->count, round->count, all->task->stop, run_worker, round, error);
  pthread_mutex_destroy(&round->lock);
  settle_kept(round);
  report->seconds[PCF_PHASE_SCATTER] += round->scatter / round->count;
  all->pairs += round->pairs;
  for (int64_t b = 0; b < blocks; b++) report->blocks += round->done[b];
  if (round->spans) pcf_timeline_keep(&report->timeline, blocks, round->done);
  return status;
}

/* Leaves in the schedule what is not done, in smaller blocks. */
static enum pcf_status cut_smaller(struct round *round, struct pcf_error *error) {
  struct pcf_workers *all = round->all;
  const struct pcf_task *task = all->task;
  if (!round->exhausted.status) {
    return pcf_fail(error, PCF_ERROR_DEVICE,
                    "device \"%s\" left out blocks without a reason: this is a bug in pcfdist, "
                    "please report it",
                    all->backend->name);
  }
  enum pcf_status status = pcf_schedule_halve(all->schedule, round->done, task->mode,
                                              &task->rows, &task->columns, error);
  if (status == PCF_ERROR_DEVICE_MEMORY && error) *error = round->exhausted;
  if (status) return status;
  all->report->halvings++;
  if (!all->backend->reschedule) return PCF_OK;
  status = all->backend->reschedule(all->shared, all->schedule, error);
  if (status || !all->divisor) return status;
  return all->backend->reschedule(all->divisor, all->schedule, error);
}

static const struct pcf_block *next_of(struct round *round, int owner) {
  struct queue *queue = &round->queue[owner];
  if (atomic_load(&queue->next) >= queue->end) return NULL;
  int64_t b = atomic_fetch_add(&queue->next, 1);
  return b < queue->end ? &round->all->schedule->block[b] : NULL;
}

/* The first half of the blocks that another owner has not taken yet. */
static const struct pcf_block *next_of_slow(struct round *round) {
  const struct pcf_block *block = NULL;
  for (int owner = 1; owner <= round->all->schedule->owners && !block; owner++) {
    const struct queue *queue = &round->queue[owner];
    int slow = 2 * atomic_load(&queue->next) < queue->first + queue->end;
    if (slow) block = next_of(round, owner);
  }
  return block;
}

/* A worker's own; then, so that none has to wait for another, what those who are slow would do
 * before there is much use in nobody's; then these, and then what is left. */
static const struct pcf_block *next_block(const struct worker *worker) {
  struct round *round = worker->round;
  int owners = round->all->schedule->owners, own = worker->index + 1;
  if (atomic_load(&round->stop) || atomic_load(round->all->task->stop)) return NULL;
  const struct pcf_block *block = own <= owners ? next_of(round, own) : NULL;
  if (!block) block = next_of_slow(round);
  for (int owner = 0; owner <= owners && !block; owner++) block = next_of(round, owner);
  return block;
}

/* ---- Consuming ---- */

enum { WORTH_THREADS = 1 << 20, ENTRIES_WORTH_THREADS = 1 << 14 };

/* Fills *team for consuming: all threads that the worker has to itself, or NULL for little
 * work. */
static enum pcf_status find_team(struct worker *worker, int large, struct pcf_team **team,
                                 struct pcf_error *error) {
  int threads = worker->round->all->task->offer.threads / worker->round->count;
  *team = NULL;
  if (!large || threads <= 1) return PCF_OK;
  if (!worker->team) worker->team = pcf_team_start(threads, error);
  *team = worker->team;
  return worker->team ? PCF_OK : PCF_ERROR_MEMORY;
}

static enum pcf_status consume_block(struct worker *worker, const struct pcf_finished *finished,
                                     struct pcf_error *error) {
  const struct pcf_block *block = finished->block;
  int64_t effort = worker->round->all->task->preferences.effort;
  int large = finished->few ? finished->entries >= ENTRIES_WORTH_THREADS
                            : block->rows * block->columns * effort >= WORTH_THREADS;
  struct pcf_team *team;
  enum pcf_status status = find_team(worker, large, &team, error);
  if (status) return status;
  return pcf_sink_consume(worker->round->all->sink, worker->index, finished, team, error);
}

/* Divides the numbers of a block. Each takes as long as writing EFFORT numbers. */
static enum pcf_status divide_block(struct worker *worker, const struct pcf_finished *finished,
                                    const struct pcf_finished *divisors,
                                    struct pcf_error *error) {
  enum { EFFORT = 4 };
  const struct pcf_task *task = worker->round->all->task;
  const struct pcf_block *block = finished->block;
  struct pcf_team *team;
  int large = block->rows * block->columns * EFFORT >= WORTH_THREADS;
  enum pcf_status status = find_team(worker, large, &team, error);
  return status ? status : task->divide(task, finished, divisors, team, error);
}

/* Takes all that the device has kept. The sink cannot give back what it has received: after
 * that, another round would repeat pairs, so that a lack of memory ends the run. */
static enum pcf_status take_kept(struct worker *worker, struct pcf_error *error) {
  const struct pcf_workers *all = worker->round->all;
  struct pcf_block whole = {
    .rows = all->task->rows.count, .columns = all->task->columns.count, .parts = 1};
  struct pcf_finished finished = {.kept = 1};
  double start = pcf_seconds();
  int64_t taken = 0;
  enum pcf_status status = PCF_OK;
  while (!status && finished.kept) {
    finished = (struct pcf_finished){.block = &whole};
    status = all->backend->wait(worker->device, NULL, 0, &finished, error);
    if (!status) status = consume_block(worker, &finished, error);
    taken += finished.entries;
  }
  worker->scatter += pcf_seconds() - start;
  if (status == PCF_ERROR_DEVICE_MEMORY && taken) {
    status = PCF_ERROR_DEVICE;
    if (error) error->status = status;
  }
  return status;
}

/* Blocks that a device kept are done if the sink has received what it kept; otherwise they are
 * computed again. */
static void settle_kept(struct round *round) {
  const struct pcf_workers *all = round->all;
  for (int64_t b = 0; b < all->schedule->count; b++) {
    const struct pcf_block *block = &all->schedule->block[b];
    int lost = round->lost[round->done[b]];
    if (round->done[b] >= KEPT) round->done[b] = lost ? 0 : DONE;
    if (!lost) continue;
    round->pairs -= pcf_rectangle_pairs(&block->rectangle, all->task->mode);
    atomic_fetch_sub(all->work_done, (long long)block->work);
  }
}

/* ---- The timeline ---- */

static void note_launch(const struct worker *worker, const struct pcf_block *block) {
  const struct pcf_workers *all = worker->round->all;
  if (!worker->round->spans) return;
  worker->round->spans[block - all->schedule->block] = (struct pcf_span){
    .device = worker->index,
    .row = block->row,
    .column = block->column,
    .rows = block->rows,
    .columns = block->columns,
    .launched = pcf_seconds() - all->start,
  };
}

/* The times of a block that was scattered between these two, on the clock. */
static void note_end(const struct worker *worker, const struct pcf_finished *finished,
                     double scatter_begun, double scattered) {
  const struct pcf_workers *all = worker->round->all;
  if (!worker->round->spans) return;
  struct pcf_span *span = &worker->round->spans[finished->block - all->schedule->block];
  span->begun = finished->begun - all->start;
  span->computed = finished->computed - all->start;
  span->copied = finished->copied - all->start;
  span->scatter_begun = scatter_begun - all->start;
  span->scattered = scattered - all->start;
}

/* ---- A worker ---- */

/* The divisor of a block is launched with it or, where rectangles are cut into parts, when all
 * parts of the rectangle are done. */
static enum pcf_status launch(struct worker *worker, const struct pcf_block *block, int buffer,
                              struct pcf_error *error) {
  const struct pcf_workers *all = worker->round->all;
  enum pcf_status status = all->backend->launch(worker->device, block, buffer, error);
  if (status || !worker->divisor || all->schedule->slots) return status;
  return all->backend->launch(worker->divisor, block, buffer, error);
}

static enum pcf_status wait_for_divisors(struct worker *worker, int buffer,
                                         struct pcf_finished *divisors,
                                         struct pcf_error *error) {
  const struct pcf_workers *all = worker->round->all;
  const struct pcf_block *block = divisors->block;
  enum pcf_status status = PCF_OK;
  if (!worker->divisor) return PCF_OK;
  if (all->schedule->slots) {
    status = all->backend->launch(worker->divisor, block, buffer, error);
  }
  return status ? status : all->backend->wait(worker->divisor, block, buffer, divisors, error);
}

/* Waits for the oldest block in flight and hands its result to the sink. */
static enum pcf_status collect(struct worker *worker, struct pcf_error *error) {
  const struct pcf_workers *all = worker->round->all;
  int buffer = (int)(worker->collected % all->backend->buffers);
  const struct pcf_block *block = worker->block[buffer];
  struct pcf_finished finished = {.block = block, .begun = NAN, .computed = NAN, .copied = NAN};
  struct pcf_finished divisors = {.block = block};
  enum pcf_status status = all->backend->wait(worker->device, block, buffer, &finished, error);
  int complete = finished.data || finished.few || finished.kept;
  if (!status && complete) status = wait_for_divisors(worker, buffer, &divisors, error);
  if (status) return status;
  pcf_gate_wait(all->may_write);
  if (atomic_load(all->task->stop)) {
    return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
  }
  struct handed *handed = &worker->handed[buffer];
  *handed = (struct handed){finished, pcf_seconds(), 0};
  if (complete && all->task->divide) {
    status = divide_block(worker, &finished, &divisors, error);
  }
  if (!status && complete && !finished.kept) status = consume_block(worker, &finished, error);
  worker->scatter += pcf_seconds() - handed->start;
  if (status) return status;
  handed->loops = pcf_team_begun(worker->team);
  worker->collected++;
  return PCF_OK;
}

/* Waits until the sink is done with the oldest block that it was handed. */
static void settle(struct worker *worker) {
  struct round *round = worker->round;
  struct pcf_workers *all = round->all;
  const struct handed *handed = &worker->handed[worker->settled % all->backend->buffers];
  const struct pcf_finished *finished = &handed->finished;
  const struct pcf_block *block = finished->block;
  double start = pcf_seconds();
  pcf_team_finish(worker->team, handed->loops);
  double end = pcf_seconds();
  worker->scatter += end - start;
  if (finished->data || finished->few || finished->kept) {
    worker->pairs += pcf_rectangle_pairs(&block->rectangle, all->task->mode);
  }
  note_end(worker, finished, handed->start, end);
  worker->settled++;
  worker->kept += finished->kept;
  round->done[block - all->schedule->block] =
    (unsigned char)(finished->kept ? KEPT + worker->index : DONE);
  atomic_fetch_add(all->work_done, (long long)block->work);
}

/* How many blocks the sink may have at once: half of the buffers where it goes on writing while
 * the device fills the others. */
static int64_t most_got(const struct worker *worker) {
  int64_t half = worker->round->all->backend->buffers / 2;
  return pcf_team_begun(worker->team) ? pcf_larger(half, 1) : 1;
}

/* Frees the buffer of the oldest block. */
static enum pcf_status free_buffer(struct worker *worker, struct pcf_error *error) {
  while (worker->collected < worker->launched &&
         worker->collected - worker->settled < most_got(worker)) {
    enum pcf_status status = collect(worker, error);
    if (status) return status;
  }
  settle(worker);
  return PCF_OK;
}

/* A device with several buffers computes the next blocks while the oldest is collected. */
static enum pcf_status run_blocks(struct worker *worker, struct pcf_error *error) {
  const struct pcf_backend *backend = worker->round->all->backend;
  const struct pcf_block *block;
  enum pcf_status status = PCF_OK;
  while (!status && (block = next_block(worker))) {
    int buffer = (int)(worker->launched % backend->buffers);
    if (worker->launched - worker->settled == backend->buffers) {
      status = free_buffer(worker, error);
    }
    if (!status) note_launch(worker, block);
    if (!status) status = launch(worker, block, buffer, error);
    worker->block[buffer] = block;
    worker->launched += !status;
  }
  while (!status && worker->settled < worker->launched) status = free_buffer(worker, error);
  while (worker->settled < worker->collected) settle(worker);
  if (!status && worker->kept) status = take_kept(worker, error);
  return status;
}

static enum pcf_status open_device(struct worker *worker, struct pcf_error *error) {
  const struct round *round = worker->round;
  const struct pcf_workers *all = round->all;
  const struct pcf_backend *backend = all->backend;
  enum pcf_status status =
    backend->open(all->shared, worker->index, round->largest, &worker->device, error);
  if (status || !all->divisor) return status;
  return backend->open(all->divisor, worker->index, round->largest, &worker->divisor, error);
}

/* Runs a device from opening to closing. If it runs out of memory the round ends, but the run
 * does not fail. */
static enum pcf_status run_worker(void *round_, int thread, int64_t index,
                                  struct pcf_error *error) {
  struct round *round = round_;
  const struct pcf_backend *backend = round->all->backend;
  struct worker worker = {.round = round, .index = (int)index};
  if (atomic_load(&round->stop)) return PCF_OK;
  enum pcf_status status = open_device(&worker, error);
  if (!status) status = run_blocks(&worker, error);
  if (status && worker.kept) round->lost[KEPT + worker.index] = 1;
  pcf_team_end(worker.team);
  backend->close(worker.device);
  if (worker.divisor) backend->close(worker.divisor);
  if (status) atomic_store(&round->stop, 1);
  pthread_mutex_lock(&round->lock);
  round->scatter += worker.scatter;
  round->pairs += worker.pairs;
  if (status == PCF_ERROR_DEVICE_MEMORY) {
    if (!round->exhausted.status) round->exhausted = *error;
    status = PCF_OK;
  }
  pthread_mutex_unlock(&round->lock);
  return status;
}
