#include "check.h"

#include "base/memory.h"
#include "base/threads.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

enum { ITEMS = 500 };

struct tally {
  atomic_int visits[ITEMS], threads[8];
  atomic_int *stop;
  int64_t fails_at, stops_at;
};

static enum pcf_status visit(void *context, int thread, int64_t index,
                             struct pcf_error *error) {
  struct tally *tally = context;
  atomic_fetch_add(&tally->visits[index], 1);
  atomic_fetch_add(&tally->threads[thread], 1);
  if (index == tally->stops_at) atomic_store(tally->stop, 1);
  if (index < tally->fails_at) return PCF_OK;
  return pcf_fail(error, PCF_ERROR_DEVICE, "item %d failed", (int)index);
}

static enum pcf_status visit_through(void *tally, int thread, int64_t index,
                                     struct pcf_error *error) {
  return visit(*(struct tally **)tally, thread, index, error);
}

TEST(threads_visit_every_item_once) {
  for (int threads = 1; threads <= 8; threads++) {
    for (int64_t count = 0; count <= ITEMS; count = 3 * count + 1) {
      struct tally tally = {.fails_at = ITEMS, .stops_at = -1};
      struct pcf_error error = {0};
      CHECK(pcf_parallel_for(threads, count, NULL, visit, &tally, &error) == PCF_OK);
      int wrong = 0, numbers = 0;
      for (int64_t k = 0; k < ITEMS; k++) wrong += tally.visits[k] != (k < count);
      for (int t = threads; t < 8; t++) numbers += tally.threads[t];
      CHECK(wrong == 0);
      CHECK(numbers == 0);
      CHECK(error.status == PCF_OK);
    }
  }
}

TEST(threads_return_a_failure_and_end_the_loop) {
  for (int threads = 1; threads <= 8; threads++) {
    struct tally tally = {.fails_at = 40, .stops_at = -1};
    struct pcf_error error = {0};
    int visits = 0;
    CHECK(pcf_parallel_for(threads, ITEMS, NULL, visit, &tally, &error) == PCF_ERROR_DEVICE);
    CHECK(error.status == PCF_ERROR_DEVICE);
    CHECK(strncmp(error.message, "item ", 5) == 0);
    for (int64_t k = 0; k < ITEMS; k++) visits += tally.visits[k];
    CHECK(visits > 40 && visits <= 40 + threads); /* each thread fails at most once */
    if (threads == 1) CHECK_STRING(error.message, "item 40 failed");
    CHECK(pcf_parallel_for(threads, ITEMS, NULL, visit, &tally, NULL) == PCF_ERROR_DEVICE);
  }
}

TEST(threads_stop_when_asked) {
  for (int threads = 1; threads <= 8; threads++) {
    atomic_int stop = 0;
    struct tally tally = {.stop = &stop, .fails_at = ITEMS, .stops_at = 100};
    struct pcf_error error = {0};
    CHECK(pcf_parallel_for(threads, ITEMS, &stop, visit, &tally, &error) ==
          PCF_ERROR_INTERRUPTED);
    CHECK(error.status == PCF_ERROR_INTERRUPTED);
    if (threads == 1) CHECK(!tally.visits[101]);
    CHECK(pcf_parallel_for(threads, ITEMS, &stop, visit, &tally, NULL) ==
          PCF_ERROR_INTERRUPTED);
    CHECK(!tally.visits[ITEMS - 1] || threads > 1);
  }
}

TEST(threads_of_a_team_need_memory) {
  struct pcf_error error = {0};
  pcf_memory_fail_at(1);
  CHECK(pcf_team_start(4, &error) == NULL);
  pcf_memory_fail_at(0);
  CHECK(error.status == PCF_ERROR_MEMORY);
}

TEST(threads_without_memory_fail) {
  struct tally tally = {.fails_at = ITEMS, .stops_at = -1};
  struct pcf_error error = {0};
  pcf_memory_fail_at(1);
  CHECK(pcf_parallel_for(2, ITEMS, NULL, visit, &tally, &error) == PCF_ERROR_MEMORY);
  CHECK(error.message[0] != 0);
  pcf_memory_fail_at(1);
  CHECK(!pcf_thread_start(NULL, NULL, &error));
  CHECK(error.status == PCF_ERROR_MEMORY);
}

TEST(threads_of_a_team_run_loop_after_loop) {
  static const int sizes[] = {0, 1, 8};
  for (int at = 0; at < 3; at++) {
    struct pcf_error error = {0};
    struct pcf_team *team = sizes[at] ? pcf_team_start(sizes[at], &error) : NULL;
    CHECK(team || !sizes[at]);
    for (int64_t count = 0; count < 60; count++) {
      struct tally tally = {.fails_at = ITEMS, .stops_at = -1};
      CHECK(pcf_team_for(team, count, NULL, visit, &tally, &error) == PCF_OK);
      int wrong = 0;
      for (int64_t k = 0; k < ITEMS; k++) wrong += tally.visits[k] != (k < count);
      CHECK(wrong == 0);
    }
    struct tally failing = {.fails_at = 10, .stops_at = -1};
    CHECK(pcf_team_for(team, ITEMS, NULL, visit, &failing, &error) == PCF_ERROR_DEVICE);
    struct tally after = {.fails_at = ITEMS, .stops_at = -1};
    CHECK(pcf_team_for(team, ITEMS, NULL, visit, &after, &error) == PCF_OK);
    pcf_team_end(team);
  }
  pcf_team_end(NULL);
}

TEST(threads_of_a_team_run_loops_while_the_caller_goes_on) {
  enum { LOOPS = 30, EACH = ITEMS / LOOPS };
  for (int size = 1; size <= 8; size += 7) {
    struct tally tally = {.fails_at = ITEMS, .stops_at = -1}, other = tally, *context = &tally;
    struct pcf_team *team = pcf_team_start(size, NULL);
    int wrong = 0;
    REQUIRE(team);
    CHECK(pcf_team_begun(team) == 0 && pcf_team_begun(NULL) == 0);
    for (int k = 0; k < LOOPS; k++) {
      pcf_team_begin(team, EACH + k % 2, visit_through, &context, sizeof context);
      wrong += pcf_team_begun(team) != k + 1;
      if (k == 7) CHECK(pcf_team_for(team, ITEMS, NULL, visit, &other, NULL) == PCF_OK);
      if (k % 5 == 4) {
        pcf_team_finish(team, k - 1);
        wrong += tally.visits[0] < k - 1;
      }
    }
    pcf_team_finish(team, LOOPS);
    for (int i = 0; i < EACH; i++) wrong += tally.visits[i] != LOOPS;
    for (int i = 0; i < ITEMS; i++) wrong += other.visits[i] != 1;
    wrong += tally.visits[EACH] != LOOPS / 2;
    pcf_team_begin(team, ITEMS, visit_through, &context, sizeof context);
    pcf_team_end(team);
    wrong += tally.visits[ITEMS - 1] != 1;
    CHECK(wrong == 0);
  }
  pcf_team_finish(NULL, 1);
}

TEST(threads_touch_every_page_of_fresh_memory) {
  size_t bytes = (size_t)PCF_TOUCH_FROM + 10000;
  unsigned char *memory = pcf_allocate(bytes, 1, NULL);
  atomic_int stop = 1;
  REQUIRE(memory);
  memset(memory, 7, bytes);
  CHECK(pcf_touch_memory(memory, bytes, 3, &stop, NULL) == PCF_ERROR_INTERRUPTED);
  CHECK(pcf_touch_memory(memory, PCF_TOUCH_FROM - 1, 3, NULL, NULL) == PCF_OK);
  CHECK(memory[0] == 7);
  CHECK(pcf_touch_memory(memory, bytes, 3, NULL, NULL) == PCF_OK);
  size_t since = 0, most = 0, zeros = 0;
  for (size_t k = 0; k < bytes; k++) {
    since = memory[k] ? since + 1 : 0;
    zeros += memory[k] == 0;
    most = since > most ? since : most;
  }
  CHECK(most < 4096);
  CHECK(zeros <= bytes / 4096 + 1);
  pcf_free(memory);
}

TEST(threads_are_counted) {
  CHECK(pcf_available_cores() >= 1);
  double start = pcf_seconds();
  CHECK(pcf_seconds() >= start);
}

struct waiting {
  atomic_int go;
  int done;
};

static void wait_to_go(void *context) {
  struct waiting *waiting = context;
  while (!atomic_load(&waiting->go)) sched_yield();
  waiting->done = 1;
}

TEST(threads_can_be_waited_for) {
  struct waiting waiting = {.go = 0};
  struct pcf_error error = {0};
  struct pcf_thread *thread = pcf_thread_start(wait_to_go, &waiting, &error);
  REQUIRE(thread);
  CHECK(!pcf_thread_wait(thread, 0));
  CHECK(!pcf_thread_wait(thread, 0.001));
  atomic_store(&waiting.go, 1);
  while (!pcf_thread_wait(thread, 10)) {
  }
  CHECK(waiting.done);
  CHECK(pcf_thread_wait(thread, 0));
  pcf_thread_join(thread);
}

#ifndef _WIN32
static void note_signals(void *blocked) {
  pthread_sigmask(SIG_BLOCK, NULL, blocked);
}

TEST(threads_block_signals_and_the_caller_does_not) {
  sigset_t blocked, own;
  struct pcf_thread *thread = pcf_thread_start(note_signals, &blocked, NULL);
  REQUIRE(thread);
  pcf_thread_join(thread);
  CHECK(sigismember(&blocked, SIGINT));
  CHECK(sigismember(&blocked, SIGALRM));
  pthread_sigmask(SIG_BLOCK, NULL, &own);
  CHECK(!sigismember(&own, SIGINT));
}
#endif

#ifdef __linux__
/* The clock of the day as the code sees it, which may have been set. */
static atomic_int hours_ahead;

int clock_gettime(clockid_t clock, struct timespec *now) {
  int failed = (int)syscall(SYS_clock_gettime, clock, now);
  if (clock == CLOCK_REALTIME) now->tv_sec += 3600 * (time_t)atomic_load(&hours_ahead);
  return failed;
}

static void wait_to_go_or_give_up(void *context) {
  struct waiting *waiting = context;
  for (int k = 0; k < 2000 && !atomic_load(&waiting->go); k++) {
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
}

/* The system then still has the earlier time: as if the clock had been set back meanwhile. */
TEST(threads_are_waited_for_by_a_clock_that_nobody_sets) {
  struct waiting waiting = {.go = 0};
  struct pcf_error error = {0};
  struct pcf_thread *thread = pcf_thread_start(wait_to_go_or_give_up, &waiting, &error);
  REQUIRE(thread);
  atomic_store(&hours_ahead, 1);
  CHECK(!pcf_thread_wait(thread, 0.01));
  atomic_store(&hours_ahead, 0);
  atomic_store(&waiting.go, 1);
  pcf_thread_join(thread);
}
#endif
