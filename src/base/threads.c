#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* sched_getaffinity */
#endif

#include "base/threads.h"

#include "base/control-group.h"
#include "base/memory.h"
#include "base/scalar.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <unistd.h>
#endif
#ifdef __linux__
#include <sched.h>
#endif

/* ---- Cores ---- */

#ifdef _WIN32
/* The mask is that of one group of up to 64 processors, where Windows also keeps all threads of
 * the process; it is 0 for a process in several groups. */
static int affinity_cores(void) {
  DWORD_PTR own = 0, all = 0;
  if (GetProcessAffinityMask(GetCurrentProcess(), &own, &all) && own) {
    return __builtin_popcountll(own);
  }
  return (int)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
}
#else
static int affinity_cores(void) {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (int)online : 1;
}
#endif

int pcf_available_cores(void) {
  double cores = fmin(affinity_cores(), ceil(pcf_control_group_cores("")));
  return cores > 1 ? (int)cores : 1;
}

/* ---- Starting threads ---- */

/* Starts a thread with all signals blocked: an interrupt belongs to the caller's thread.
 * Windows has no signals that a thread could get. */
static int start(pthread_t *thread, void *(*main)(void *), void *argument) {
#ifdef _WIN32
  return pthread_create(thread, NULL, main, argument);
#else
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = pthread_create(thread, NULL, main, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failed;
#endif
}

/* ---- Loops ---- */

struct loop {
  int64_t count;
  atomic_llong next;
  atomic_int failed;
  const atomic_int *stop;
  pcf_loop_body *body;
  void *context;
  int working; /* members of a team that are in it */
  pthread_mutex_t lock;
  struct pcf_error error; /* of the first failure */
};

static void run_loop(struct loop *loop, int number) {
  while (!atomic_load(&loop->failed) && !(loop->stop && atomic_load(loop->stop))) {
    int64_t index = atomic_fetch_add(&loop->next, 1);
    if (index >= loop->count) break;
    struct pcf_error error = {0};
    enum pcf_status status = loop->body(loop->context, number, index, &error);
    if (status == PCF_OK) continue;
    pthread_mutex_lock(&loop->lock);
    if (!atomic_load(&loop->failed)) loop->error = error;
    loop->error.status = atomic_load(&loop->failed) ? loop->error.status : status;
    atomic_store(&loop->failed, 1);
    pthread_mutex_unlock(&loop->lock);
  }
}

static enum pcf_status end_loop(struct loop *loop, struct pcf_error *error) {
  pthread_mutex_destroy(&loop->lock);
  if (atomic_load(&loop->failed)) {
    if (error) *error = loop->error;
    return loop->error.status;
  }
  if (loop->stop && atomic_load(loop->stop)) {
    return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
  }
  return PCF_OK;
}

/* ---- Teams ---- */

/* The members run the open loops, the first one first. A loop that has no items left is closed;
 * it is over when no member works in it any more. */
struct member {
  struct pcf_team *team;
  int number;
  pthread_t thread;
};

enum { LATER = 8 };

/* A loop that runs while the caller goes on. */
struct later {
  struct loop loop;
  _Alignas(max_align_t) char context[PCF_LOOP_CONTEXT];
};

struct pcf_team {
  int size; /* with the calling thread */
  pthread_mutex_t lock;
  pthread_cond_t opened, left;
  struct loop *open[LATER + 1];
  int loops, dismissed;
  struct later later[LATER];
  int64_t begun, finished; /* of these */
  struct member member[];
};

static void close_loop(struct pcf_team *team, const struct loop *loop) {
  int kept = 0;
  for (int k = 0; k < team->loops; k++) {
    if (team->open[k] != loop) team->open[kept++] = team->open[k];
  }
  team->loops = kept;
}

static void *be_member(void *argument) {
  struct member *self = argument;
  struct pcf_team *team = self->team;
  pthread_mutex_lock(&team->lock);
  for (;;) {
    while (!team->loops && !team->dismissed) pthread_cond_wait(&team->opened, &team->lock);
    if (!team->loops) break;
    struct loop *loop = team->open[0];
    loop->working++;
    pthread_mutex_unlock(&team->lock);
    run_loop(loop, self->number);
    pthread_mutex_lock(&team->lock);
    close_loop(team, loop);
    if (--loop->working == 0) pthread_cond_signal(&team->left);
  }
  pthread_mutex_unlock(&team->lock);
  return NULL;
}

struct pcf_team *pcf_team_start(int threads, struct pcf_error *error) {
  size_t members = threads > 1 ? (size_t)threads - 1 : 0;
  struct pcf_team *team =
    pcf_allocate(1, sizeof *team + members * sizeof team->member[0], error);
  if (!team) return NULL;
  *team = (struct pcf_team){.size = 1};
  pthread_mutex_init(&team->lock, NULL);
  pthread_cond_init(&team->opened, NULL);
  pthread_cond_init(&team->left, NULL);
  pthread_mutex_lock(&team->lock);
  while (team->size < threads) {
    struct member *member = &team->member[team->size - 1];
    *member = (struct member){.team = team, .number = team->size};
    if (start(&member->thread, be_member, member) != 0) break;
    team->size++;
  }
  pthread_mutex_unlock(&team->lock);
  return team;
}

static void open_loop(struct pcf_team *team, struct loop *loop) {
  pthread_mutex_lock(&team->lock);
  team->open[team->loops++] = loop;
  pthread_cond_broadcast(&team->opened);
  pthread_mutex_unlock(&team->lock);
}

/* Takes part in an open loop until it is over. */
static void finish_loop(struct pcf_team *team, struct loop *loop) {
  run_loop(loop, 0);
  pthread_mutex_lock(&team->lock);
  close_loop(team, loop);
  while (loop->working) pthread_cond_wait(&team->left, &team->lock);
  pthread_mutex_unlock(&team->lock);
}

enum pcf_status pcf_team_for(struct pcf_team *team, int64_t count, const atomic_int *stop,
                             pcf_loop_body *body, void *context, struct pcf_error *error) {
  struct loop loop = {.count = count, .stop = stop, .body = body, .context = context};
  pthread_mutex_init(&loop.lock, NULL);
  if (team && count > 1 && team->size > 1) {
    open_loop(team, &loop);
    finish_loop(team, &loop);
  } else {
    run_loop(&loop, 0);
  }
  return end_loop(&loop, error);
}

void pcf_team_begin(struct pcf_team *team, int64_t count, pcf_loop_body *body,
                    const void *context, size_t bytes) {
  pcf_team_finish(team, team->begun - LATER + 1);
  struct later *later = &team->later[team->begun++ % LATER];
  memcpy(later->context, context, bytes);
  later->loop = (struct loop){.count = count, .body = body, .context = later->context};
  pthread_mutex_init(&later->loop.lock, NULL);
  open_loop(team, &later->loop);
}

int64_t pcf_team_begun(const struct pcf_team *team) {
  return team ? team->begun : 0;
}

void pcf_team_finish(struct pcf_team *team, int64_t loops) {
  for (; team && team->finished < loops; team->finished++) {
    struct loop *loop = &team->later[team->finished % LATER].loop;
    finish_loop(team, loop);
    end_loop(loop, NULL);
  }
}

void pcf_team_end(struct pcf_team *team) {
  if (!team) return;
  pcf_team_finish(team, team->begun);
  pthread_mutex_lock(&team->lock);
  team->dismissed = 1;
  pthread_cond_broadcast(&team->opened);
  pthread_mutex_unlock(&team->lock);
  for (int k = 1; k < team->size; k++) pthread_join(team->member[k - 1].thread, NULL);
  pthread_cond_destroy(&team->opened);
  pthread_cond_destroy(&team->left);
  pthread_mutex_destroy(&team->lock);
  pcf_free(team);
}

enum pcf_status pcf_parallel_for(int threads, int64_t count, const atomic_int *stop,
                                 pcf_loop_body *body, void *context, struct pcf_error *error) {
  struct pcf_team *team = pcf_team_start(threads < count ? threads : (int)count, error);
  if (!team) return PCF_ERROR_MEMORY;
  enum pcf_status status = pcf_team_for(team, count, stop, body, context, error);
  pcf_team_end(team);
  return status;
}

/* ---- Ranges ---- */

struct ranges {
  int64_t count, each;
  pcf_range_body *body;
  void *context;
};

static enum pcf_status run_range(void *ranges_, int thread, int64_t index,
                                 struct pcf_error *error) {
  const struct ranges *ranges = ranges_;
  int64_t first = index * ranges->each;
  ranges->body(ranges->context, first, pcf_smaller(first + ranges->each, ranges->count));
  return PCF_OK;
}

enum pcf_status pcf_for_ranges(int threads, int64_t count, int64_t each, const atomic_int *stop,
                               pcf_range_body *body, void *context, struct pcf_error *error) {
  struct ranges ranges = {count, each, body, context};
  return pcf_parallel_for(threads, (count + each - 1) / each, stop, run_range, &ranges, error);
}

/* ---- Fresh memory ---- */

enum { BYTES_PER_TOUCH = 1 << 22, LEAST_PAGE = 4096 };

static void touch_some(void *memory_, int64_t first, int64_t end) {
  volatile char *memory = memory_;
  for (int64_t k = first; k < end; k += LEAST_PAGE) memory[k] = 0;
}

enum pcf_status pcf_touch_memory(void *memory, size_t bytes, int threads,
                                 const atomic_int *stop, struct pcf_error *error) {
  if (bytes < PCF_TOUCH_FROM) return PCF_OK;
  return pcf_for_ranges(threads, (int64_t)bytes, BYTES_PER_TOUCH, stop, touch_some, memory,
                        error);
}

/* ---- Waiting for so long ---- */

/* By the clock that only goes forward. macOS and Windows (winpthreads) have no conditions for a
 * clock, but wait for a span of time. */
static struct timespec timespec_of(double seconds) {
  double whole = floor(seconds);
  return (struct timespec){(time_t)whole, (long)((seconds - whole) * 1e9)};
}

#if defined(__APPLE__) || defined(_WIN32)
static void make_timed_condition(pthread_cond_t *condition) {
  pthread_cond_init(condition, NULL);
}

static void wait_up_to(pthread_cond_t *condition, pthread_mutex_t *lock, double seconds) {
  struct timespec span = timespec_of(seconds);
  pthread_cond_timedwait_relative_np(condition, lock, &span);
}
#else
static void make_timed_condition(pthread_cond_t *condition) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &attributes);
  pthread_condattr_destroy(&attributes);
}

static void wait_up_to(pthread_cond_t *condition, pthread_mutex_t *lock, double seconds) {
  struct timespec until = timespec_of(pcf_seconds() + seconds);
  pthread_cond_timedwait(condition, lock, &until);
}
#endif

/* ---- One thread that can be waited for ---- */

struct pcf_thread {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t ended;
  int over;
  void (*main)(void *context);
  void *context;
};

static void *run_thread(void *argument) {
  struct pcf_thread *self = argument;
  self->main(self->context);
  pthread_mutex_lock(&self->lock);
  self->over = 1;
  pthread_cond_signal(&self->ended);
  pthread_mutex_unlock(&self->lock);
  return NULL;
}

struct pcf_thread *pcf_thread_start(void (*main)(void *context), void *context,
                                    struct pcf_error *error) {
  struct pcf_thread *thread = pcf_allocate(1, sizeof *thread, error);
  if (!thread) return NULL;
  thread->over = 0;
  thread->main = main;
  thread->context = context;
  pthread_mutex_init(&thread->lock, NULL);
  make_timed_condition(&thread->ended);
  int failed = start(&thread->thread, run_thread, thread);
  if (failed) {
    pcf_fail(error, PCF_ERROR_SYSTEM, "cannot start a thread: %s", strerror(failed));
    pthread_cond_destroy(&thread->ended);
    pthread_mutex_destroy(&thread->lock);
    pcf_free(thread);
    return NULL;
  }
  return thread;
}

int pcf_thread_wait(struct pcf_thread *thread, double seconds) {
  double end = pcf_seconds() + seconds;
  pthread_mutex_lock(&thread->lock);
  for (double left = seconds; !thread->over && left > 0; left = end - pcf_seconds()) {
    wait_up_to(&thread->ended, &thread->lock, left);
  }
  int over = thread->over;
  pthread_mutex_unlock(&thread->lock);
  return over;
}

void pcf_thread_join(struct pcf_thread *thread) {
  pthread_join(thread->thread, NULL);
  pthread_cond_destroy(&thread->ended);
  pthread_mutex_destroy(&thread->lock);
  pcf_free(thread);
}

/* ---- Gates ---- */

void pcf_gate_init(struct pcf_gate *gate) {
  pthread_mutex_init(&gate->lock, NULL);
  pthread_cond_init(&gate->opened, NULL);
  gate->is_open = 0;
}

void pcf_gate_open(struct pcf_gate *gate) {
  pthread_mutex_lock(&gate->lock);
  gate->is_open = 1;
  pthread_cond_broadcast(&gate->opened);
  pthread_mutex_unlock(&gate->lock);
}

void pcf_gate_wait(struct pcf_gate *gate) {
  pthread_mutex_lock(&gate->lock);
  while (!gate->is_open) pthread_cond_wait(&gate->opened, &gate->lock);
  pthread_mutex_unlock(&gate->lock);
}

void pcf_gate_destroy(struct pcf_gate *gate) {
  pthread_cond_destroy(&gate->opened);
  pthread_mutex_destroy(&gate->lock);
}

double pcf_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
