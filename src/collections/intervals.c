#include "collections/intervals.h"

#include "base/threads.h"
#include "collections/partition.h"

#include <string.h>

struct moving {
  const char *from;
  char *to;
  const int64_t *gather, *scatter, *offsets;
  int64_t count;
  size_t size;
};

static enum pcf_status expand_chunk(void *moving, int thread, int64_t index,
                                    struct pcf_error *error);
static enum pcf_status move_chunk(void *moving, int thread, int64_t index,
                                  struct pcf_error *error);

static enum pcf_status run(struct moving *moving, pcf_loop_body *body, int threads,
                           const atomic_int *stop, struct pcf_error *error) {
  int64_t chunks = pcf_chunk_count(moving->offsets, moving->count);
  if (pcf_is_small(moving->offsets[moving->count], moving->count)) threads = 1;
  return pcf_parallel_for(threads, chunks, stop, body, moving, error);
}

enum pcf_status pcf_interval_expand(const void *value, size_t size, const int64_t *offsets,
                                    int64_t count, int threads, const atomic_int *stop,
                                    void *to, struct pcf_error *error) {
  struct moving moving = {
    .from = value, .to = to, .offsets = offsets, .count = count, .size = size};
  return run(&moving, expand_chunk, threads, stop, error);
}

enum pcf_status pcf_interval_move(const void *from, const int64_t *gather, void *to,
                                  const int64_t *scatter, size_t size, const int64_t *offsets,
                                  int64_t count, int threads, const atomic_int *stop,
                                  struct pcf_error *error) {
  struct moving moving = {.from = from,
                          .to = to,
                          .gather = gather,
                          .scatter = scatter,
                          .offsets = offsets,
                          .count = count,
                          .size = size};
  return run(&moving, move_chunk, threads, stop, error);
}

/* ---- Chunks ---- */

static struct pcf_cut begin_of(const struct moving *moving, int64_t chunk) {
  return pcf_chunk_begin(moving->offsets, moving->count, chunk, 1);
}

/* Where the part of interval s that lies in a chunk ends, counted over all elements. */
static int64_t end_in(const struct moving *moving, int64_t s, struct pcf_cut end) {
  return s < end.segment ? moving->offsets[s + 1] : end.element;
}

/* Writes an element of any size n times, by copying what is written already. */
static void fill(char *to, const char *value, size_t size, int64_t n) {
  enum { COPY = 4096 };
  size_t bytes = size * (size_t)n, done = size;
  if (n == 0) return;
  memcpy(to, value, size);
  while (done < bytes) {
    size_t more = done < COPY ? done : COPY;
    if (more > bytes - done) more = bytes - done;
    memcpy(to + done, to, more);
    done += more;
  }
}

/* For the usual sizes: most intervals are short. */
static void fill_four(uint32_t *to, uint32_t value, int64_t n) {
  for (int64_t k = 0; k < n; k++) to[k] = value;
}

static void fill_eight(uint64_t *to, uint64_t value, int64_t n) {
  for (int64_t k = 0; k < n; k++) to[k] = value;
}

static enum pcf_status expand_chunk(void *moving_, int thread, int64_t index,
                                    struct pcf_error *error) {
  const struct moving *moving = moving_;
  struct pcf_cut begin = begin_of(moving, index), end = begin_of(moving, index + 1);
  int64_t element = begin.element;
  (void)thread;
  (void)error;
  for (int64_t s = begin.segment; s <= end.segment && s < moving->count; s++) {
    int64_t last = end_in(moving, s, end);
    char *to = moving->to + (size_t)element * moving->size;
    const char *value = moving->from + (size_t)s * moving->size;
    if (moving->size == 8) {
      fill_eight((uint64_t *)(void *)to, *(const uint64_t *)(const void *)value,
                 last - element);
    } else if (moving->size == 4) {
      fill_four((uint32_t *)(void *)to, *(const uint32_t *)(const void *)value, last - element);
    } else {
      fill(to, value, moving->size, last - element);
    }
    element = last;
  }
  return PCF_OK;
}

static enum pcf_status move_chunk(void *moving_, int thread, int64_t index,
                                  struct pcf_error *error) {
  const struct moving *moving = moving_;
  struct pcf_cut begin = begin_of(moving, index), end = begin_of(moving, index + 1);
  int64_t element = begin.element;
  (void)thread;
  (void)error;
  for (int64_t s = begin.segment; s <= end.segment && s < moving->count; s++) {
    int64_t last = end_in(moving, s, end), rank = element - moving->offsets[s];
    int64_t from = moving->gather ? moving->gather[s] + rank : element;
    int64_t to = moving->scatter ? moving->scatter[s] + rank : element;
    if (last > element) {
      memcpy(moving->to + (size_t)to * moving->size, moving->from + (size_t)from * moving->size,
             (size_t)(last - element) * moving->size);
    }
    element = last;
  }
  return PCF_OK;
}
