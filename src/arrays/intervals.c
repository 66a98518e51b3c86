#include "arrays/intervals.h"

#include "arrays/partition.h"

#include <string.h>

struct moving {
  const char *from;
  char *to;
  const int64_t *gather, *scatter, *offsets;
  int64_t count;
  size_t size;
};

static pcf_portion_body expand, move;

static enum pcf_status run(struct moving *moving, pcf_portion_body *body, int threads,
                           const atomic_int *stop, struct pcf_error *error) {
  const struct pcf_portions portions = {.items = moving->count, .offsets = moving->offsets};
  if (pcf_is_small(moving->offsets[moving->count], moving->count)) threads = 1;
  return pcf_portions_run(&portions, threads, stop, body, moving, error);
}

enum pcf_status pcf_interval_expand(const void *value, size_t size, const int64_t *offsets,
                                    int64_t count, int threads, const atomic_int *stop,
                                    void *to, struct pcf_error *error) {
  struct moving moving = {
    .from = value, .to = to, .offsets = offsets, .count = count, .size = size};
  return run(&moving, expand, threads, stop, error);
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
  return run(&moving, move, threads, stop, error);
}

/* ---- Portions ---- */

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

static void expand(void *moving_, const struct pcf_portion *portion) {
  const struct moving *moving = moving_;
  int64_t n = portion->end - portion->begin;
  int64_t first = moving->offsets[portion->item] + portion->begin;
  char *to = moving->to + (size_t)first * moving->size;
  const char *value = moving->from + (size_t)portion->item * moving->size;
  if (moving->size == 8) {
    fill_eight((uint64_t *)(void *)to, *(const uint64_t *)(const void *)value, n);
  } else if (moving->size == 4) {
    fill_four((uint32_t *)(void *)to, *(const uint32_t *)(const void *)value, n);
  } else {
    fill(to, value, moving->size, n);
  }
}

static void move(void *moving_, const struct pcf_portion *portion) {
  const struct moving *moving = moving_;
  int64_t s = portion->item, begin = portion->begin, element = moving->offsets[s] + begin;
  int64_t from = moving->gather ? moving->gather[s] + begin : element;
  int64_t to = moving->scatter ? moving->scatter[s] + begin : element;
  if (portion->end == begin) return;
  memcpy(moving->to + (size_t)to * moving->size, moving->from + (size_t)from * moving->size,
         (size_t)(portion->end - begin) * moving->size);
}
