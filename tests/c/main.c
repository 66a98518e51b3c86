/* Runs the registered tests, in the order of their names, in as many processes as
 * CHECK_PROCESSES says, or the machine has processors; under Windows in one. An argument picks
 * those whose name contains it. The last line is "C tests: N passed, N failed". With
 * CHECK_TIMES, which is a number, also the seconds of the processor of each test that takes as
 * many, and how many kernels it launches. */
#include "check.h"
#include "fake-cuda.h"

#include "base/memory.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef _WIN32
#include <direct.h>
#define mkdtemp(name) (_mktemp(name) && _mkdir(name) == 0 ? (name) : NULL)
#else
#include <sys/mman.h>
#include <sys/wait.h>
#endif

enum { MAX_REPORTS = 10 /* failed checks printed of one test */, MOST_PROCESSES = 64 };

static check_test *tests;
static const char *current;
static int failures; /* of the current test */

static void report(const char *file, int line) {
  if (++failures <= MAX_REPORTS) fprintf(stderr, "%s:%d: in %s: ", file, line, current);
}

/* What is given back when the test ends, the newest first. */
struct kept {
  void *thing;
  void (*give_back)(void *thing);
  struct kept *next;
};
static struct kept *all_kept;

void check_keep(void *thing, void (*give_back)(void *thing)) {
  struct kept *newest = malloc(sizeof *newest);
  if (!newest) abort();
  *newest = (struct kept){thing, give_back, all_kept};
  all_kept = newest;
}

void check_forget(const void *thing) {
  struct kept **at = &all_kept;
  while (*at && (*at)->thing != thing) at = &(*at)->next;
  if (!*at) abort();
  struct kept *found = *at;
  *at = found->next;
  free(found);
}

static void give_back_all(void) {
  while (all_kept) all_kept->give_back(all_kept->thing);
}

void let_go(void *memory) {
  check_forget(memory);
  free(memory);
}

void *kept(void *memory) {
  if (!memory) abort();
  check_keep(memory, let_go);
  return memory;
}

void *zeroed(int64_t n, size_t size) {
  return kept(calloc(n > 0 ? (size_t)n : 1, size));
}

/* ---- Running ---- */

static struct random random_of(const char *name) {
  struct random random = {0};
  while (*name) random.state = 31 * random.state + (unsigned char)*name++;
  return random;
}

static void run_test(const check_test *test) {
  fake_cuda_reset();
  test->run(random_of(test->name));
  give_back_all();
  pcf_memory_fail_at(0);
  fake_cuda_reset();
  CHECK(fake_cuda_held() == 0);
}

static void run_and_count(const check_test *test, int counts[2]) {
  const char *times = getenv("CHECK_TIMES");
  current = test->name;
  failures = 0;
  clock_t start = clock();
  long launches = -atomic_load(&fake_cuda.launches);
  run_test(test);
  launches += atomic_load(&fake_cuda.launches);
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  if (times && seconds >= atof(times)) {
    printf("%.2f s, %ld launches: %s\n", seconds, launches, current);
  }
  if (failures > MAX_REPORTS) {
    fprintf(stderr, "%s: %d further failures\n", current, failures - MAX_REPORTS);
  }
  counts[failures > 0]++;
}

#ifdef _WIN32
static void run_chosen(int counts[2]) {
  for (check_test *test = tests; test; test = test->next) run_and_count(test, counts);
}
#else

/* Of processes that share the tests: how many of these were begun, and what each process has
 * counted. */
struct shared {
  atomic_int begun;
  struct {
    int counts[2];
    const char *current;
  } by[MOST_PROCESSES];
};

static void work_on(struct shared *shared, int process) {
  int place = 0, next = atomic_fetch_add(&shared->begun, 1);
  for (check_test *test = tests; test; test = test->next, place++) {
    if (place < next) continue;
    shared->by[process].current = test->name;
    run_and_count(test, shared->by[process].counts);
    next = atomic_fetch_add(&shared->begun, 1);
  }
  shared->by[process].current = NULL;
}

/* Each process takes the next test. One that ends within a test has failed it; the others take
 * what is left. Valgrind ends one that has passed all with an error, which is another failure.
 */
static void run_chosen(int counts[2]) {
  const char *asked = getenv("CHECK_PROCESSES");
  long processes = asked ? atol(asked) : sysconf(_SC_NPROCESSORS_ONLN);
  if (processes < 1) processes = 1;
  if (processes > MOST_PROCESSES) processes = MOST_PROCESSES;
  struct shared *shared =
    mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) abort();
  pid_t started[MOST_PROCESSES];
  for (int process = 1; process < processes; process++) {
    started[process] = fork();
    if (started[process] < 0) abort();
    if (started[process] > 0) continue;
    work_on(shared, process);
    exit(0);
  }
  work_on(shared, 0);
  for (int process = 0; process < processes; process++) {
    int status = 0;
    if (process > 0) waitpid(started[process], &status, 0);
    if (status) {
      const char *name = shared->by[process].current;
      fprintf(stderr, "a process ended with status %d: %s\n", status,
              name ? name : "at its end");
      counts[1]++;
    }
    for (int k = 0; k < 2; k++) counts[k] += shared->by[process].counts[k];
  }
  munmap(shared, sizeof *shared);
}
#endif

/* Leaves out the tests whose names do not contain the first text, or contain one of the others.
 */
static void choose(int count, char **texts) {
  for (check_test **at = &tests; *at;) {
    bool chosen = count == 0 || strstr((*at)->name, texts[0]);
    for (int k = 1; k < count; k++) chosen &= !strstr((*at)->name, texts[k]);
    if (chosen) at = &(*at)->next;
    else *at = (*at)->next;
  }
}

/* The arguments are parts of names: of the tests to run, and of those to leave out. */
int main(int argc, char **argv) {
  int counts[2] = {0}; /* passed, failed */
  choose(argc - 1, argv + 1);
  run_chosen(counts);
  printf("C tests: %d passed, %d failed\n", counts[0], counts[1]);
  return counts[1] != 0;
}

void check_register(check_test *test) {
  check_test **at = &tests;
  while (*at && strcmp((*at)->name, test->name) < 0) at = &(*at)->next;
  test->next = *at;
  *at = test;
}

bool check_quick(void) {
  return getenv("CHECK_QUICK") != NULL;
}

bool check_folder(char *name, size_t bytes) {
  const char *temporary = getenv("TMPDIR");
  if (!temporary) temporary = getenv("TEMP"); /* on Windows */
  if (!temporary) temporary = "/tmp";
  int length =
    snprintf(name, bytes, "%s/pcfdist-XXXXXX", temporary); /* as mkdtemp() wants it */
  return length > 0 && (size_t)length < bytes && mkdtemp(name) != NULL;
}

bool check_true(bool held, const char *expression, const char *file, int line) {
  if (held) return true;
  report(file, line);
  if (failures <= MAX_REPORTS) fprintf(stderr, "not so: %s\n", expression);
  return false;
}

bool check_near(double got, double want, double relative, const char *expression,
                const char *file, int line) {
  bool finite = isfinite(got) && isfinite(want);
  if (got == want || (finite && fabs(got - want) <= relative * fabs(want))) return true;
  report(file, line);
  if (failures <= MAX_REPORTS) {
    fprintf(stderr, "not so: %s: %.17g, %.17g\n", expression, got, want);
  }
  return false;
}

bool check_string(const char *got, const char *want, const char *file, int line) {
  if (got && want && strcmp(got, want) == 0) return true;
  report(file, line);
  if (failures <= MAX_REPORTS) {
    fprintf(stderr, "got \"%s\", not \"%s\"\n", got ? got : "(null)", want ? want : "(null)");
  }
  return false;
}
