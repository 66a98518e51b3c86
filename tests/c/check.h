/* A test is a block after TEST(name); it registers itself and main.c runs it:
 *
 *   TEST(schedule_cuts_ten_by_three) {
 *     CHECK(n == 4);
 *     CHECK_NEAR(sum, 1.5, 1e-13);
 *   }
 *
 * A failed check prints where and what, and the test goes on. REQUIRE ends the test.
 */
#ifndef PCFDIST_TESTS_CHECK_H
#define PCFDIST_TESTS_CHECK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct check_test {
  const char *name;
  void (*run)(void);
  struct check_test *next;
} check_test;

void check_register(check_test *test);

/* Set where every instruction costs much more, as under valgrind: take few, small
 * cases. */
bool check_quick(void);

/* Makes an empty folder of its own, where TMPDIR says, and writes its name. */
bool check_folder(char *name, size_t bytes);

/* Gives a thing back when the test ends, by `give_back`. */
void check_keep(void *thing, void (*give_back)(void *thing));
/* No longer: it is given back before. */
void check_forget(const void *thing);

/* Each returns whether it held, counts a failure otherwise. */
bool check_true(bool held, const char *expression, const char *file, int line);
bool check_near(double got, double want, double relative, const char *expression,
                const char *file, int line);
bool check_string(const char *got, const char *want, const char *file, int line);

#define TEST(name_)                                                 \
  static void test_##name_(void);                                   \
  __attribute__((constructor)) static void register_##name_(void) { \
    static check_test test = {#name_, test_##name_, 0};             \
    check_register(&test);                                          \
  }                                                                 \
  static void test_##name_(void)

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
