/* How fast this machine reads memory: the sum of an array of doubles on several threads, the
 * measure beside which bench/functions.R puts the norms. Prints bytes per second, the best of
 * `repeats` passes. It needs the package's threads and memory, and no R:
 *
 *   cc -O2 -std=gnu11 -pthread -Isrc -o bench/work/bandwidth bench/bandwidth.c \
 *     src/base/threads.c src/base/memory.c src/base/error.c -lm
 *   bench/work/bandwidth MEGABYTES THREADS REPEATS
 */
#include "base/memory.h"
#include "base/threads.h"

#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 1 << 15, LANES = 16 };

struct array {
  double *value;
  int64_t length;
  double *sum; /* one per chunk */
};

static int64_t chunks_of(const struct array *array) {
  return (array->length + CHUNK - 1) / CHUNK;
}

/* First touched by the threads that read it. */
static enum pcf_status fill_chunk(void *array_, int thread, int64_t index,
                                  struct pcf_error *error) {
  struct array *array = array_;
  int64_t begin = index * CHUNK, end = begin + CHUNK;
  if (end > array->length) end = array->length;
  for (int64_t k = begin; k < end; k++) array->value[k] = (double)(k % 7);
  return PCF_OK;
}

static enum pcf_status sum_chunk(void *array_, int thread, int64_t index,
                                 struct pcf_error *error) {
  struct array *array = array_;
  int64_t begin = index * CHUNK, end = begin + CHUNK;
  double sum[LANES] = {0};
  if (end > array->length) end = array->length;
  for (int64_t k = begin; k + LANES <= end; k += LANES) {
    for (int lane = 0; lane < LANES; lane++) sum[lane] += array->value[k + lane];
  }
  for (int lane = 1; lane < LANES; lane++) sum[0] += sum[lane];
  array->sum[index] = sum[0];
  return PCF_OK;
}

int main(int argc, char **argv) {
  if (argc != 4) return fprintf(stderr, "usage: bandwidth MEGABYTES THREADS REPEATS\n"), 2;
  struct array array = {.length = atoll(argv[1]) * 125000};
  int threads = atoi(argv[2]), repeats = atoi(argv[3]);
  struct pcf_error error = {0};
  array.value = pcf_allocate((size_t)array.length, sizeof *array.value, &error);
  array.sum = pcf_allocate((size_t)chunks_of(&array), sizeof *array.sum, &error);
  if (!array.value || !array.sum) return fprintf(stderr, "%s\n", error.message), 1;
  double best = 0;
  pcf_parallel_for(threads, chunks_of(&array), NULL, fill_chunk, &array, &error);
  for (int k = 0; k < repeats; k++) {
    double start = pcf_seconds();
    pcf_parallel_for(threads, chunks_of(&array), NULL, sum_chunk, &array, &error);
    double rate = (double)array.length * sizeof *array.value / (pcf_seconds() - start);
    if (rate > best) best = rate;
  }
  printf("%.4g\n", best);
  pcf_free(array.value);
  pcf_free(array.sum);
  return 0;
}
