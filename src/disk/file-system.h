/* What file.c shares with file-posix.c and file-windows.c, of which one is compiled. */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct pcf_file;

#ifdef PCF_TESTING
/* Counts a step; returns whether a provocation makes it fail as on a full disk. */
int pcf_file_step_fails(void);

/* Of each system: makes a full disk its last error. */
void pcf_file_disk_is_full(void);

/* Of each system: kills this process. */
void pcf_file_kill(void);
#else
static inline int pcf_file_step_fails(void) {
  return 0;
}
#endif

/* Of each system: writes all bytes at an offset, or at the end (-1). */
enum pcf_status pcf_file_put(const struct pcf_file *file, const char *bytes, size_t count,
                             int64_t offset, struct pcf_error *error);

/* Of each system: fails with the message of its last error. */
enum pcf_status pcf_file_fail(const char *what, const char *path, struct pcf_error *error);

/* Fails because the path is not that of an ordinary file, but of a folder or a pipe. */
enum pcf_status pcf_file_fail_ordinary(const char *path, struct pcf_error *error);
