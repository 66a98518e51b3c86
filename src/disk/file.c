/* What files have in common on all systems: steps that fail where a test says so. */
#include "disk/file.h"

#include "base/memory.h"
#include "disk/file-system.h"

#include <stdio.h>
#include <string.h>

#ifdef PCF_TESTING
static atomic_long steps_until;
static enum pcf_file_provocation provocation;

void pcf_file_provoke_at(long k, enum pcf_file_provocation what) {
  provocation = what;
  atomic_store(&steps_until, k);
}

static int is_provoked(void) {
  if (atomic_load_explicit(&steps_until, memory_order_relaxed) <= 0) return 0;
  return atomic_fetch_sub(&steps_until, 1) == 1;
}

static void provoke(void) {
  if (provocation == PCF_FILE_KILL) pcf_file_kill();
  pcf_file_disk_is_full();
}

int pcf_file_step_fails(void) {
  int provoked = is_provoked();
  if (provoked) provoke();
  return provoked;
}
#else
static int is_provoked(void) {
  return 0;
}

static void provoke(void) {}
#endif

char *pcf_file_name(const char *path, const char *suffix, struct pcf_error *error) {
  size_t bytes = strlen(path) + strlen(suffix) + 1;
  char *name = pcf_allocate(bytes, 1, error);
  if (name) snprintf(name, bytes, "%s%s", path, suffix);
  return name;
}

enum pcf_status pcf_file_fail_ordinary(const char *path, struct pcf_error *error) {
  return pcf_fail(error, PCF_ERROR_FILE, "\"%s\" is not an ordinary file", path);
}

enum pcf_status pcf_file_write(const struct pcf_file *file, const void *bytes, size_t count,
                               int64_t offset, struct pcf_error *error) {
  int provoked = is_provoked();
  enum pcf_status status =
    pcf_file_put(file, bytes, provoked ? count / 2 : count, offset, error);
  if (status || !provoked) return status;
  provoke();
  return pcf_file_fail("cannot write into", file->path, error);
}

/* Only Linux has a call for parts of files. */
#ifndef __linux__
void pcf_file_sync_range(const struct pcf_file *file, int64_t from, int64_t to, int wait) {}
#endif
