#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* madvise */
#endif

#include "base/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

static atomic_long allocations_until_failure;

void *pcf_allocate(size_t count, size_t size, struct pcf_error *error) {
  if (atomic_load_explicit(&allocations_until_failure, memory_order_relaxed) > 0 &&
      atomic_fetch_sub(&allocations_until_failure, 1) == 1) {
    pcf_fail(error, PCF_ERROR_MEMORY, "out of memory (on request of a test)");
    return NULL;
  }
  if (size && count > (SIZE_MAX - 2 * PCF_ALIGNMENT) / size) {
    pcf_fail(error, PCF_ERROR_MEMORY, "%.0f elements of %.0f bytes cannot be addressed",
             (double)count, (double)size);
    return NULL;
  }
  /* The address that malloc() gave stands just before the aligned memory: aligned_alloc()
   * is not everywhere. */
  size_t bytes = count * size;
  char *base = malloc(bytes + PCF_ALIGNMENT + sizeof(void *));
  if (!base) {
    pcf_fail(error, PCF_ERROR_MEMORY, "out of memory: %.1f MB more were needed",
             (double)bytes / 1e6);
    return NULL;
  }
  uintptr_t start = (uintptr_t)(base + sizeof(void *) + PCF_ALIGNMENT - 1);
  char *memory = base + (start / PCF_ALIGNMENT * PCF_ALIGNMENT - (uintptr_t)base);
  ((void **)memory)[-1] = base;
  return memory;
}

void pcf_free(void *memory) {
  if (memory) free(((void **)memory)[-1]);
}

void pcf_ask_for_huge_pages(void *memory, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  enum { WORTH = 1 << 23 };
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)memory;
  uintptr_t begin = (start + page - 1) / page * page, end = (start + bytes) / page * page;
  if (end > begin && end - begin >= WORTH) madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
  (void)memory;
  (void)bytes;
#endif
}

void pcf_memory_fail_at(long k) {
  atomic_store(&allocations_until_failure, k);
}
