/* Seconds that threads need to fill fresh memory, as much as a result has: the limit for calls
 * that do little else.
 *
 * usage: fill bytes threads */
#include "base/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { STRIP = 1 << 22 };

static enum pcf_status fill(void *memory, int thread, int64_t index, struct pcf_error *error) {
  (void)thread, (void)error;
  double *strip = (double *)memory + index * (STRIP / 8);
  for (int k = 0; k < STRIP / 8; k++) strip[k] = (double)(index + k);
  return PCF_OK;
}

int main(int argc, char **argv) {
  int64_t strips = argc > 1 ? (int64_t)(atof(argv[1]) / STRIP) : 256;
  int threads = argc > 2 ? atoi(argv[2]) : pcf_available_cores();
  double best = 1e9;
  for (int repeat = 0; repeat < 3; repeat++) {
    size_t bytes = (size_t)strips * STRIP;
    char *memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 1;
    madvise(memory, bytes, MADV_HUGEPAGE);
    double start = pcf_seconds();
    pcf_parallel_for(threads, strips, NULL, fill, memory, NULL);
    double seconds = pcf_seconds() - start;
    if (seconds < best) best = seconds;
    munmap(memory, bytes);
  }
  printf("%.3f\n", best);
  return 0;
}
