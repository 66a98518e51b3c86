/* usage: swap-names A B STOP
 *
 * Exchanges two names, again and again, until there is a file STOP or some minutes have passed.
 * Prints how often it tried, and how often it did. For tools/attack-jobs.R. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int count, char **argument) {
  enum { MOST_SECONDS = 300, MOST_MICROSECONDS = 300 };
  long tried = 0, done = 0;
  time_t end = time(NULL) + MOST_SECONDS;
  if (count != 4) return 1;
  for (; access(argument[3], F_OK) != 0 && time(NULL) < end; tried++) {
    done += renameat2(AT_FDCWD, argument[1], AT_FDCWD, argument[2], RENAME_EXCHANGE) == 0;
    usleep((useconds_t)(rand() % MOST_MICROSECONDS));
  }
  printf("%ld %ld\n", tried, done);
  return 0;
}
