#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* madvise */
#endif

#include "base/memory.h"

#include "base/control-group.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#ifdef PCF_TESTING
static atomic_long allocations_until_failure;

void pcf_memory_fail_at(long k) {
  atomic_store(&allocations_until_failure, k);
}

static int is_to_fail(void) {
  return atomic_load_explicit(&allocations_until_failure, memory_order_relaxed) > 0 &&
         atomic_fetch_sub(&allocations_until_failure, 1) == 1;
}
#else
static int is_to_fail(void) {
  return 0;
}
#endif

void *pcf_allocate(size_t count, size_t size, struct pcf_error *error) {
  if (is_to_fail()) {
    pcf_fail(error, PCF_ERROR_MEMORY, "out of memory (on request of a test)");
    return NULL;
  }
  if (size && count > (SIZE_MAX - 2 * PCF_ALIGNMENT) / size) {
    pcf_fail(error, PCF_ERROR_MEMORY, "%.0f elements of %.0f bytes cannot be addressed",
             (double)count, (double)size);
    return NULL;
  }
  /* The address that malloc() gave stands just before the aligned memory: aligned_alloc()
   * is not everywhere. Before it there is room for one more, see pcf_array(). */
  size_t bytes = count * size, before = 2 * sizeof(void *);
  char *base = malloc(bytes + PCF_ALIGNMENT + before);
  if (!base) {
    pcf_fail(error, PCF_ERROR_MEMORY, "out of memory: %s more were needed",
             pcf_size_of((double)bytes).text);
    return NULL;
  }
  uintptr_t start = (uintptr_t)(base + before + PCF_ALIGNMENT - 1);
  char *memory = base + (start / PCF_ALIGNMENT * PCF_ALIGNMENT - (uintptr_t)base);
  ((void **)memory)[-1] = base;
  return memory;
}

struct pcf_size pcf_size_of(double bytes) {
  const double least_mb = 1e5, least_gb = 1e10;
  struct pcf_size size;
  if (bytes < least_mb) snprintf(size.text, sizeof size.text, "%.0f bytes", bytes);
  else if (bytes < least_gb) snprintf(size.text, sizeof size.text, "%.1f MB", bytes / 1e6);
  else snprintf(size.text, sizeof size.text, "%.3f GB", bytes / 1e9);
  return size;
}

void pcf_free(void *memory) {
  if (memory) free(((void **)memory)[-1]);
}

void *pcf_grow(void *memory, int64_t *room, int64_t count, size_t size,
               struct pcf_error *error) {
  if (memory && count <= *room) return memory;
  pcf_free(memory);
  *room = count + count / 4;
  memory = pcf_allocate((size_t)*room, size, error);
  if (memory) pcf_ask_for_huge_pages(memory, (size_t)*room * size);
  else *room = 0;
  return memory;
}

void *pcf_grow_keeping(void *memory, int64_t count, int64_t *room, int64_t more, size_t size,
                       struct pcf_error *error) {
  enum { FIRST = 16 };
  if (count + more <= *room) return memory;
  int64_t wanted = 2 * (count + more) + FIRST;
  void *larger = pcf_allocate((size_t)wanted, size, error);
  if (!larger) return NULL;
  if (count > 0) memcpy(larger, memory, (size_t)count * size);
  pcf_free(memory);
  *room = wanted;
  return larger;
}

void *pcf_array(struct pcf_arrays *arrays, size_t count, size_t size, struct pcf_error *error) {
  void **array = pcf_allocate(count, size, error);
  if (!array) {
    arrays->status = PCF_ERROR_MEMORY;
    return NULL;
  }
  array[-2] = arrays->last;
  return arrays->last = array;
}

void *pcf_zeros(struct pcf_arrays *arrays, size_t count, size_t size, struct pcf_error *error) {
  void *array = pcf_array(arrays, count, size, error);
  return array ? memset(array, 0, count * size) : NULL;
}

void pcf_arrays_free(struct pcf_arrays *arrays) {
  while (arrays->last) {
    void **array = arrays->last;
    arrays->last = array[-2];
    pcf_free(array);
  }
}

void pcf_ask_for_huge_pages(void *memory, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  enum { WORTH = 1 << 23 };
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)memory;
  uintptr_t begin = (start + page - 1) / page * page, end = (start + bytes) / page * page;
  if (end > begin && end - begin >= WORTH) madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#endif
}

#if defined(__linux__) && defined(MADV_HUGEPAGE)
enum { HUGE_PAGE = 1 << 21 };

/* Maps more than is wanted and gives back both ends, to start at a huge page. */
void *pcf_map_memory(size_t bytes) {
  if (bytes == 0 || bytes > SIZE_MAX / 2) return NULL;
  size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
  char *base =
    mmap(NULL, whole + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return NULL;
  size_t before = (HUGE_PAGE - (uintptr_t)base % HUGE_PAGE) % HUGE_PAGE;
  if (before) munmap(base, before);
  if (before < HUGE_PAGE) munmap(base + before + whole, HUGE_PAGE - before);
  pcf_ask_for_huge_pages(base + before, whole);
  return base + before;
}

void pcf_unmap_memory(void *memory, size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (memory) munmap(memory, (bytes + page - 1) / page * page);
}

double pcf_whole_memory(void) {
  double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  return fmin(bytes, pcf_control_group_memory(""));
}

/* The system's own estimate, in which what files occupy and can be dropped is available. */
double pcf_available_memory(void) {
  double memory = INFINITY, swap = 0, kilobytes;
  char line[256];
  FILE *file = fopen("/proc/meminfo", "r");
  while (file && fgets(line, sizeof line, file)) {
    if (sscanf(line, "MemAvailable: %lf", &kilobytes) == 1) memory = 1024 * kilobytes;
    if (sscanf(line, "SwapFree: %lf", &kilobytes) == 1) swap = 1024 * kilobytes;
  }
  if (file) fclose(file);
  return fmin(memory, pcf_control_group_memory("")) + swap;
}
#else
void *pcf_map_memory(size_t bytes) {
  return NULL;
}

void pcf_unmap_memory(void *memory, size_t bytes) {}

double pcf_whole_memory(void) {
  return 0;
}

double pcf_available_memory(void) {
  return INFINITY;
}
#endif
