/* Heap memory of the C layers: aligned for vectors, checked, and able to fail on purpose. */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { PCF_ALIGNMENT = 64 };

/* Returns `count` elements of `size` bytes, aligned to PCF_ALIGNMENT, not initialised; NULL
 * with a filled `error` if there is no memory or count * size overflows. Zero elements give
 * a pointer that may be freed. Free with pcf_free(). */
void *pcf_allocate(size_t count, size_t size, struct pcf_error *error);

void pcf_free(void *memory);

/* Room for at least `count` elements of `size` bytes in place of `memory`, which has room for
 * *room of them, and is freed if that is too little: what it held is lost. A quarter more is
 * allocated, in huge pages if it is much. After a failure, NULL and *room = 0. */
void *pcf_grow(void *memory, int64_t *room, int64_t count, size_t size,
               struct pcf_error *error);

/* Room for `more` elements behind the first `count`, which are kept, in place of `memory`. If
 * that is too little, twice as many are allocated. After a failure, NULL, and all is as it was.
 */
void *pcf_grow_keeping(void *memory, int64_t count, int64_t *room, int64_t more, size_t size,
                       struct pcf_error *error);

/* Arrays that are freed together. */
struct pcf_arrays {
  void *last;             /* each of them knows the one before */
  enum pcf_status status; /* PCF_ERROR_MEMORY if there was no memory for one of them */
};

/* One more array as of pcf_allocate(), not to be freed alone, and one that is cleared. */
void *pcf_array(struct pcf_arrays *arrays, size_t count, size_t size, struct pcf_error *error);
void *pcf_zeros(struct pcf_arrays *arrays, size_t count, size_t size, struct pcf_error *error);

/* Frees all arrays. The status stays. */
void pcf_arrays_free(struct pcf_arrays *arrays);

/* A number of bytes for a message, as in "25.600 GB", "2.5 MB" or "800 bytes". */
struct pcf_size {
  char text[32];
};
struct pcf_size pcf_size_of(double bytes);

/* The next multiple of PCF_ALIGNMENT. */
static inline size_t pcf_aligned(size_t bytes) {
  return (bytes + PCF_ALIGNMENT - 1) / PCF_ALIGNMENT * PCF_ALIGNMENT;
}

/* Asks the system for huge pages where memory of many megabytes is about to be written for the
 * first time, which makes that much cheaper. */
void pcf_ask_for_huge_pages(void *memory, size_t bytes);

/* Memory straight from the system: cleared, from the start of a huge page on, and taken only
 * where it is written. NULL if there is none, or none of this kind. */
void *pcf_map_memory(size_t bytes);

void pcf_unmap_memory(void *memory, size_t bytes);

/* The bytes of memory of the machine, or fewer if control groups leave fewer to this process; 0
 * if that is not known. */
double pcf_whole_memory(void);

/* The bytes that can still be had, at most, with what could be moved to the swap space;
 * infinity if that is not known. */
double pcf_available_memory(void);

#ifdef PCF_TESTING
/* Makes the k-th allocation from now on (k = 1 is the next) fail; 0 turns this off. Counts over
 * all threads. */
void pcf_memory_fail_at(long k);
#endif
