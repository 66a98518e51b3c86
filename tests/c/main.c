/* Runs the registered tests, in the order of their names. An argument picks those whose
 * name contains it. The last line is "C tests: N passed, N failed". With CHECK_TIMES,
 * which is a number, also the seconds of the processor of each test that takes as many. */
#include "check.h"
#include "fake-cuda.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef _WIN32
#include <direct.h>
#define mkdtemp(name) (_mktemp(name) && _mkdir(name) == 0 ? (name) : NULL)
#endif

enum { MAX_REPORTS = 10 }; /* failed checks printed of one test */

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

/* The arguments are parts of names: of tests to run, and of tests to leave out. */
int main(int argc, char **argv) {
  const char *filter = argc > 1 ? argv[1] : "", *without = argc > 2 ? argv[2] : NULL;
  const char *times = getenv("CHECK_TIMES");
  int passed = 0, failed = 0;
  for (check_test *test = tests; test; test = test->next) {
    if (!strstr(test->name, filter) || (without && strstr(test->name, without))) continue;
    current = test->name;
    failures = 0;
    clock_t start = clock();
    run_test(test);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (times && seconds >= atof(times)) printf("%.2f s: %s\n", seconds, current);
    if (failures > MAX_REPORTS) {
      fprintf(stderr, "%s: %d further failures\n", current, failures - MAX_REPORTS);
    }
    failures ? failed++ : passed++;
  }
  printf("C tests: %d passed, %d failed\n", passed, failed);
  return failed != 0;
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
