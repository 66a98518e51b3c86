/* A test is a block after TEST(name); it registers itself and main.c runs it:
 *
 *   TEST(schedule_cuts_ten_by_three) {
 *     CHECK(n == 4);
 *     CHECK_NEAR(sum, 1.5, 1e-13);
 *   }
 *
 * A failed check prints where and what, and the test goes on. REQUIRE ends the test.
 *
 * A test has a source of random numbers, `random`, that depends on its name alone. It begins
 * with fake devices as in a new process; when it ends, what was kept for it is given back,
 * memory fails no more, and nothing may be left on the fake devices.
 */
#ifndef PCFDIST_TESTS_CHECK_H
#define PCFDIST_TESTS_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A source of random numbers: the same on every machine. collections.h has what draws. */
struct random {
  uint64_t state;
};

typedef struct check_test {
  const char *name;
  void (*run)(struct random random);
  struct check_test *next;
} check_test;

void check_register(check_test *test);

/* Set where every instruction costs much more, as under valgrind: take few, small
 * cases. */
bool check_quick(void);

/* Makes an empty folder of its own, where TMPDIR says, and writes its name. */
bool check_folder(char *name, size_t bytes);

/* Gives a thing back when the test ends, by `give_back`, which forgets it; the newest first. */
void check_keep(void *thing, void (*give_back)(void *thing));
/* No longer: it is given back before. */
void check_forget(const void *thing);

/* Memory from malloc() or calloc(), which is freed when the test ends. NULL ends all tests. */
void *kept(void *memory);
/* Frees such memory before. */
void let_go(void *memory);

/* An array of n doubles, numbers, pointers and so on, all 0; freed when the test ends. */
void *zeroed(int64_t n, size_t size);

/* The type of a variable that is freed where its scope ends: SCOPED(pcf_schedule) schedule is a
 * struct pcf_schedule that pcf_schedule_free() gets. */
#define SCOPED(name_) __attribute__((cleanup(name_##_free))) struct name_

/* Each returns whether it held, counts a failure otherwise. */
bool check_true(bool held, const char *expression, const char *file, int line);
bool check_near(double got, double want, double relative, const char *expression,
                const char *file, int line);
bool check_string(const char *got, const char *want, const char *file, int line);

#define TEST(name_)                                                 \
  static void test_##name_(struct random random);                   \
  __attribute__((constructor)) static void register_##name_(void) { \
    static check_test test = {#name_, test_##name_, 0};             \
    check_register(&test);                                          \
  }                                                                 \
  static void test_##name_(struct random random)

#define CHECK(condition) check_true((condition), #condition, __FILE__, __LINE__)

/* |got - want| <= relative * |want|; equal infinities are near, NaN is near nothing. */
#define CHECK_NEAR(got, want, relative) \
  check_near((got), (want), (relative), #got " near " #want, __FILE__, __LINE__)

#define CHECK_STRING(got, want) check_string((got), (want), __FILE__, __LINE__)

#define REQUIRE(condition)         \
  do {                             \
    if (!CHECK(condition)) return; \
  } while (0)

#endif
